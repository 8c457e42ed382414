"""Products and sums that become one instruction, and those that must not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.codegen.machine.target import host

_A, _B = (float(np.float32(number)) for number in (0.3, 0.7))
_X, _Y = np.random.default_rng(0).normal(size=(2, 4099)).astype(np.float32)


def _compiled(function: Callable[..., Any], *arrays: np.ndarray) -> np.ndarray:
    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F: Any, *values: Any) -> Any:
            return function(F, *values)

    net = Net()
    net.hybridize()
    result = net(*(nd.array(array, dtype=array.dtype) for array in arrays))
    found: np.ndarray = result.asnumpy()
    return found


@pytest.mark.skipif(not host().has_fma, reason="this processor has no such instruction")
@pytest.mark.parametrize(
    "function",
    [
        lambda F, x, y: y * (x * _A + _B),
        lambda F, x, y: y * (x * _A - _B),
        lambda F, x, y: y * (_B - x * _A),
        lambda F, x, y: x * y - _A,
        lambda F, x, y: _A - x * y,
        lambda F, x, y: x * _A + y,
        lambda F, x, y: x * _A - y,
        lambda F, x, y: y + x * _A,
        lambda F, x, y: y - x * _A,
    ],
)
def test_a_product_is_not_rounded_before_a_sum_if_either_has_a_number(
    function: Callable[..., Any],
) -> None:
    once = function(None, _X.astype(np.float64), np.sign(_Y).astype(np.float64))
    np.testing.assert_array_equal(_compiled(function, _X, np.sign(_Y)), once.astype(np.float32))


def test_a_product_of_computed_values_is_rounded_before_another_is_taken_away() -> None:
    assert not _compiled(lambda F, x, y, product: x * y - product, _X, _Y, _X * _Y).any()


def test_a_product_that_is_read_twice_is_the_same_to_both() -> None:
    tenths = np.arange(-4000, 4000, dtype=np.float32)
    assert _compiled(lambda F, x: x * 0.1 - F.floor(x * 0.1), tenths).min() >= 0


def test_integers_are_multiplied_and_added_as_integers() -> None:
    integers = np.arange(-40, 40, dtype=np.int32)
    found = _compiled(lambda F, x: x * 3 + 7, integers)
    np.testing.assert_array_equal(found, integers * 3 + 7)
    assert found.dtype == np.int32
