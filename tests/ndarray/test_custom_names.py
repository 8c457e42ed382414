"""Operators in Python may name inputs, states and outputs as they like, also alike: MXNet counts them."""

from collections.abc import Sequence
from typing import Any

import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, sym

NAMES = {
    "an output like an input": (["x", "y", "z"], ["y", "q"], []),
    "outputs alike": (["x", "y", "z"], ["y", "y"], []),
    "inputs alike": (["x", "x", "z"], ["a", "b"], []),
    "a state like an output": (["x", "y", "z"], ["p", "q"], ["q"]),
    "a state like an input": (["x", "y", "z"], ["p", "q"], ["x"]),
    "names of attributes": (["data", "op_type", "name"], ["output", "output0"], []),
    "no identifiers": (["0", "a b", ""], ["1", "-"], []),
    "names of a node": (["axis", "train", "settings"], ["node", "_custom_op"], []),
}


class _Sums(mx.operator.CustomOp):
    """Twice the first input; the sum of the others."""

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.assign(out_data[0], req[0], in_data[0] * 2)
        self.assign(out_data[1], req[1], in_data[1] + in_data[2])

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        self.assign(in_grad[0], req[0], out_grad[0] * 2)
        for i in (1, 2):
            self.assign(in_grad[i], req[i], out_grad[1])


@mx.operator.register("sums_by_name")
class _SumsProp(mx.operator.CustomOpProp):
    def __init__(self, case: str) -> None:
        super().__init__(need_top_grad=True)
        self.names = NAMES[case]

    def list_arguments(self) -> list[str]:
        return self.names[0]

    def list_outputs(self) -> list[str]:
        return self.names[1]

    def list_auxiliary_states(self) -> list[str]:
        return self.names[2]

    def infer_shape(self, in_shape: Any) -> Any:
        return in_shape, in_shape[:2], [[1]] * len(self.names[2])

    def create_operator(self, ctx: Any, shapes: Any, dtypes: Any) -> _Sums:
        return _Sums()


INPUTS = ([1.0, 2], [3.0, 4, 5], [6.0, 7, 8])
OUTPUTS, GRADIENTS = [[2, 4], [9, 11, 13]], [[2, 2], [1, 1, 1], [1, 1, 1]]


def _lists(arrays: Sequence[nd.NDArray]) -> list[Any]:
    return [array.asnumpy().tolist() for array in arrays]


@pytest.mark.parametrize("case", NAMES)
def test_arrays(case: str) -> None:
    arrays, states = [nd.array(values) for values in INPUTS], [nd.zeros(1)] * len(NAMES[case][2])
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        outputs = nd.Custom(*arrays, *states, op_type="sums_by_name", case=case)
    autograd.backward(outputs)
    assert _lists(outputs) == OUTPUTS
    assert _lists([array.grad for array in arrays]) == GRADIENTS


@pytest.mark.parametrize("case", NAMES)
def test_symbols(case: str) -> None:
    variables = [sym.var(name) for name in "abc"]
    made = sym.Custom(*variables, name="n", op_type="sums_by_name", case=case)
    assert made.list_outputs() == [f"n_{name}" for name in NAMES[case][1]]
    executor = made.simple_bind(mx.cpu(), a=(2,), b=(3,), c=(3,))
    outputs = executor.forward(
        is_train=True, **dict(zip("abc", map(nd.array, INPUTS), strict=True))
    )
    executor.backward([nd.ones(2), nd.ones(3)])
    assert _lists(outputs) == OUTPUTS
    assert _lists(executor.grad_arrays) == GRADIENTS  # type: ignore[arg-type]


@pytest.mark.parametrize("case", [case for case, names in NAMES.items() if not names[2]])
def test_hybridized_nets(case: str) -> None:
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, a: Any, b: Any, c: Any) -> Any:
            return F.Custom(a, b, c, op_type="sums_by_name", case=case)

    net = Net()
    net.hybridize(compile_at_once=True)
    arrays = [nd.array(values) for values in INPUTS]
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        outputs = net(*arrays)
    autograd.backward(outputs)
    assert _lists(outputs) == OUTPUTS
    assert _lists([array.grad for array in arrays]) == GRADIENTS
