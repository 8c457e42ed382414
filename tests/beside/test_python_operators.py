"""Operators that are objects, as MXNet had them before ``CustomOp``."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd, sym

KINDS = [mx.operator.NumpyOp, mx.operator.NDArrayOp]
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def executed(symbol: Any, grad_req: str = "write") -> Any:
    executor = symbol.simple_bind(mx.cpu(), x=X.shape, grad_req=grad_req)
    executor.arg_dict["x"][:] = nd.array(X)
    executor.forward(is_train=True)
    return executor


def two_outputs(kind: Any, need_top_grad: bool) -> Any:
    class Operator(kind):  # type: ignore[misc]
        def list_arguments(self) -> list[str]:
            return ["data", "label"]

        def list_outputs(self) -> list[str]:
            return ["scaled", "shifted"]

        def infer_shape(self, in_shape: list[Any]) -> Any:
            label = in_shape[0][:1]
            return [in_shape[0], label], [in_shape[0], label]

        def forward(self, in_data: Any, out_data: Any) -> None:
            out_data[0][:] = in_data[0] * 2
            out_data[1][:] = in_data[1] + 1

        def backward(self, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any) -> None:
            assert len(out_grad) == 2 * need_top_grad
            in_grad[0][:] = out_data[0] + (out_grad[0] if need_top_grad else 0)
            in_grad[1][:] = 3

    return Operator(need_top_grad)


@pytest.mark.parametrize("grad_req", ["write", "add"])
@pytest.mark.parametrize("need_top_grad", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_an_object_is_an_operator_of_symbols(kind: Any, need_top_grad: bool, grad_req: str) -> None:
    symbol = two_outputs(kind, need_top_grad)(data=sym.Variable("x"), name="made")
    assert symbol.list_arguments() == ["x", "made_label"]
    assert symbol.list_outputs() == ["made_scaled", "made_shifted"]
    executor = executed(symbol, grad_req)
    assert np.array_equal(executor.outputs[0].asnumpy(), X * 2)
    assert np.array_equal(executor.outputs[1].asnumpy(), np.ones(2))
    times = 2 if grad_req == "add" else 1
    for _ in range(2):
        executor.backward([nd.ones((2, 3)) * 5, nd.ones(2)])
    expected = times * (X * 2 + 5 * need_top_grad)
    assert np.array_equal(executor.grad_dict["x"].asnumpy(), expected)
    assert np.array_equal(executor.grad_dict["made_label"].asnumpy(), [3 * times] * 2)


@pytest.mark.parametrize("kind", KINDS)
def test_by_default_it_passes_its_input_on_and_a_gradient_of_one(kind: Any) -> None:
    executor = executed(kind().get_symbol(sym.Variable("x"), name="same"))
    executor.backward(nd.ones((2, 3)) * 5)
    assert np.array_equal(executor.outputs[0].asnumpy(), X)
    assert np.array_equal(executor.grad_dict["x"].asnumpy(), np.ones((2, 3)))


def test_objects_of_one_class_are_operators_of_their_own() -> None:
    class Scale(mx.operator.NumpyOp):
        def __init__(self, factor: float) -> None:
            super().__init__()
            self.factor = factor

        def forward(self, in_data: Any, out_data: Any) -> None:
            out_data[0][:] = in_data[0] * self.factor

    double, triple = Scale(2), Scale(3)
    executor = executed(triple(double(triple(sym.Variable("x")))))
    assert np.array_equal(executor.outputs[0].asnumpy(), X * 18)
