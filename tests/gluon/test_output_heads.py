"""Output heads have gradients although none flows into them, as in MXNet."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, nd
from tests.cases import over
from tests.measured import heads
from tests.measured.measure import agrees, numbers, read

MEASURED = read("heads")
heads.register(mx)


@pytest.mark.parametrize("way", ["eager", "hybrid", "symbol"])
@over("case", heads.CASES)
def test_heads_followed_by_operators_without_gradient_give_their_own(case: str, way: str) -> None:
    assert agrees(numbers(heads.run(mx, case, way)), MEASURED[case])


class Recorded(autograd.Function):
    """A function whose gradient is 7, and which remembers what flowed in."""

    def forward(self, *inputs: Any) -> Any:
        self.flowing: list[Any] = []
        return [x * 2 for x in inputs]

    def backward(self, *output_grads: Any) -> Any:
        self.flowing = [g.asnumpy().tolist() for g in output_grads]
        return [g * 0 + 7 for g in output_grads]


def test_a_function_is_called_with_zeros_where_nothing_flows_in() -> None:
    x, y, function = nd.ones((2,)), nd.ones((2,)), Recorded()
    x.attach_grad()
    with autograd.record():
        result = nd.BlockGrad(function(x, y)[1])
    result.backward()
    assert function.flowing == [[0, 0], [0, 0]]
    assert x.grad.asnumpy().tolist() == [7, 7]


@pytest.mark.parametrize(("request_", "expected"), [("write", 1), ("add", 11)])
def test_the_gradient_of_a_head_is_written_or_added(request_: str, expected: float) -> None:
    x = nd.ones((2,))
    x.attach_grad(request_)
    x.grad[:] = 10
    with autograd.record():
        result = nd.argmax(nd.MakeLoss(x), axis=0)
    result.backward()
    assert x.grad.asnumpy().tolist() == [expected] * 2


def test_grad_finds_the_gradient_of_a_head_to_any_order() -> None:
    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        result = nd.sign(nd.MakeLoss(x * x * x))
        (first,) = autograd.grad(result, x, create_graph=True)
    first.backward()
    np.testing.assert_allclose(first.asnumpy(), [3, 12])
    np.testing.assert_allclose(x.grad.asnumpy(), [6, 12])


class TwoOutputs(mx.gluon.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.MakeLoss(x), x * 3


@pytest.mark.parametrize(("through", "expected"), [(lambda y: y, 4), (nd.sign, 1)])
def test_a_hybridized_head_whose_output_is_not_used_gives_its_gradient(
    through: Any, expected: float
) -> None:
    """In MXNet a hybridized block is one node: all of its outputs have a gradient, be it zero."""
    net, x = TwoOutputs(), nd.ones((2,))
    net.hybridize()
    x.attach_grad()
    with autograd.record():
        result = through(net(x)[1])
    result.backward()
    assert x.grad.asnumpy().tolist() == [expected] * 2


def test_indices_pass_on_zeros_to_the_head_that_they_were_computed_from() -> None:
    x, table = nd.array([[0, 2, 1]]), nd.ones((3, 3))
    x.attach_grad()
    with autograd.record():
        result = table[nd.argmax(nd.MakeLoss(x), axis=1), 0]
    result.backward()
    assert x.grad.asnumpy().tolist() == [[1, 1, 1]]


def in_a_loop(F: Any, x: Any) -> Any:
    return F.contrib.foreach(lambda part, state: (F.MakeLoss(part), state), x, F.zeros((1,)))[0]


def in_a_branch(F: Any, x: Any) -> Any:
    return F.contrib.cond(F.sum(x) > 0, lambda: F.MakeLoss(x), lambda: x * 2)


@pytest.mark.parametrize("head", [in_a_loop, in_a_branch])
def test_a_head_in_a_loop_or_a_branch_gives_its_gradient(head: Any) -> None:
    executor = mx.sym.BlockGrad(head(mx.sym, mx.sym.var("x"))).simple_bind(mx.cpu(), x=(2, 3))
    executor.forward(is_train=True, x=nd.ones((2, 3)))
    executor.backward()
    assert executor.grad_dict["x"].asnumpy().tolist() == [[1, 1, 1]] * 2
