"""Code of the user's own on `mx.np` arrays: functions with gradients, operators in Python, loops."""

from typing import Any

import numpy as np
import pytest

from gluonic import autograd, gluon, nd, operator
from gluonic import np as mnp
from gluonic.ndarray.numpy.array import ndarray


class Squared(autograd.Function):
    def forward(self, x: Any) -> Any:
        self.save_for_backward(x)
        return x * x

    def backward(self, dy: Any) -> Any:
        assert type(dy) is ndarray
        return 2 * self.saved_tensors[0] * dy


def test_a_function_with_a_gradient_of_its_own_is_given_arrays_of_numpy() -> None:
    x = mnp.array([1, 2, 3])
    x.attach_grad()
    with autograd.record():
        y = Squared()(x)
        z = (y * x).sum()
    z.backward()
    assert type(y) is ndarray
    assert x.grad.tolist() == [3, 12, 27]


class SquaredInPython(operator.CustomOp):
    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.assign(out_data[0], req[0], in_data[0] * in_data[0])

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        self.assign(in_grad[0], req[0], 2 * in_data[0] * out_grad[0])


@operator.register("squared_for_numpy")
class SquaredProperties(operator.CustomOpProp):
    def create_operator(self, ctx: Any, shapes: Any, dtypes: Any) -> Any:
        return SquaredInPython()


class Custom(gluon.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Custom(x, op_type="squared_for_numpy")


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("recorded", [False, True])
def test_an_operator_in_python_gives_arrays_of_numpy(hybridized: bool, recorded: bool) -> None:
    block = Custom()
    block.hybridize(hybridized)
    x = mnp.array([1, 2, 3])
    x.attach_grad()
    for _ in range(3):
        with autograd.record(recorded):
            y = block(x)
        assert type(y) is ndarray
        assert y.tolist() == [1, 4, 9]
    if recorded:
        y.backward(mnp.array([1, 0, 2]))
        assert x.grad.tolist() == [2, 0, 12]


def test_loops_and_branches_give_arrays_of_numpy() -> None:
    outputs, (last,) = nd.contrib.foreach(
        lambda x, states: (x * 2 + states[0], [states[0] + x]),
        mnp.array(np.ones((3, 2)), dtype="float32"),
        [mnp.array([0, 0])],
    )
    assert outputs.tolist() == [[2, 2], [3, 3], [4, 4]]
    chosen = nd.contrib.cond(mnp.array([1]) > 0, lambda: mnp.array([2]) * 2, lambda: mnp.array([3]))
    assert {type(one) for one in (outputs, last, chosen)} == {ndarray}


def test_a_summary_of_a_block_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    layer = gluon.nn.Dense(2, in_units=3)
    layer.initialize()
    layer.summary(mnp.array(np.ones((1, 3)), dtype="float32"))
    assert "parameters 32" in capsys.readouterr().out
