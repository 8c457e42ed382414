"""Warnings and hints for arrays and Symbols that are used as in other libraries."""

import operator
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import gluonic as mx
from gluonic import gluon, nd, sym
from tests.face.wrong_programs import Function


def _set(x: nd.NDArray, key: nd.NDArray) -> None:
    x[key] = -1


@pytest.mark.parametrize("use", [operator.getitem, _set])
def test_a_mask_of_zeros_and_ones_as_a_key_is_reported_at_the_users_line(
    use: Callable[..., Any],
) -> None:
    x = nd.array([[0, 1, 7], [0, 0, 9]])
    mask = x == 0
    with pytest.warns(UserWarning, match="reads these as indices, not as a mask") as caught:
        use(x, mask)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_indices_of_zeros_and_ones_are_no_mask() -> None:
    x = nd.array([[0, 1, 7], [0, 0, 9]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert x[nd.array([0, 1, 1])].shape == (3, 3)
        assert x[(x == 0).astype("int32")].shape == (2, 3, 3)
        assert nd.array([5, 6])[nd.array([1, 0])].asnumpy().tolist() == [6, 5]


@pytest.mark.parametrize(
    ("method", "instead"),
    [
        ("asnumpy", r"F\.max\(x\)"),
        ("asscalar", r"F\.max\(x\)"),
        ("copy", "the Symbol itself"),
        ("detach", r"F\.BlockGrad\(x\)"),
        ("wait_to_read", "nothing to wait for"),
        ("as_in_context", "a graph runs where its inputs are"),
    ],
)
def test_a_method_that_a_symbol_lacks_says_what_to_write(method: str, instead: str) -> None:
    net = Function(lambda F, x: getattr(x, method)())
    with pytest.raises(mx.MXNetError, match=instead):
        net(nd.ones((2,)))


def test_a_symbol_outside_of_a_block_is_to_be_evaluated_for_its_values() -> None:
    with pytest.raises(mx.MXNetError, match=r"y\.eval\(x=array\)\[0\]\.asnumpy\(\)"):
        sym.var("x").asnumpy()  # type: ignore[attr-defined]


def test_inputs_are_counted_where_the_module_of_operators_has_another_name() -> None:
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, ops: Any, x: Any) -> Any:
            return ops.relu(x)

    net = Net()
    assert net(nd.ones((2,))).shape == (2,)
    with pytest.raises(mx.MXNetError, match="called with 3 inputs, but hybrid_forward takes 1"):
        net(nd.ones((2,)), nd.ones((2,)), nd.ones((2,)))


def test_a_forgotten_f_is_named_beside_parameters() -> None:
    class Net(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.scale = self.params.get("scale", shape=(1,))

        def hybrid_forward(self, x: Any, scale: Any) -> Any:  # type: ignore[override]
            return x * scale

    net = Net()
    net.initialize()
    with pytest.raises(mx.MXNetError, match=r"Try: def hybrid_forward\(self, F, x, scale\): …"):
        net(nd.ones((2,)))
