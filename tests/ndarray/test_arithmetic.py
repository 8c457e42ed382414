"""Python's operators on arrays and numbers."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, nd

BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.mod, operator.pow]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.imod]
A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)
B = np.array([[2.0], [3.0]], np.float32)


@pytest.mark.parametrize("function", [*BINARY, *COMPARISONS])
def test_two_arrays_are_broadcast(function: Callable[[Any, Any], Any]) -> None:
    result = function(nd.array(A), nd.array(B))
    assert result.dtype is np.float32
    np.testing.assert_allclose(result.asnumpy(), function(A, B), rtol=1e-6)


@pytest.mark.parametrize("function", [*BINARY, *COMPARISONS])
@pytest.mark.parametrize("number", [2, 2.5, np.float32(3), np.int64(2), True])
def test_numbers_may_be_on_either_side(function: Callable[[Any, Any], Any], number: Any) -> None:
    value = np.float32(number)
    right, left = function(nd.array(A), number), function(number, nd.array(A))
    np.testing.assert_allclose(right.asnumpy(), function(A, value).astype("f"), rtol=1e-6)
    np.testing.assert_allclose(left.asnumpy(), function(value, A).astype("f"), rtol=1e-6)
    assert isinstance(left, nd.NDArray)


@pytest.mark.parametrize("function", IN_PLACE)
@pytest.mark.parametrize("operand", [nd.array(B), 3])
def test_in_place_operators_write_into_the_array(
    function: Callable[[Any, Any], Any], operand: Any
) -> None:
    x = nd.array(A)
    view = x[0]
    result = function(x, operand)
    assert result is x
    value = B if isinstance(operand, nd.NDArray) else operand
    expected = function(A.copy(), value)
    np.testing.assert_allclose(x.asnumpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(view.asnumpy(), expected[0], rtol=1e-6)


def test_in_place_operators_refuse_a_result_that_does_not_fit() -> None:
    x = nd.ones((1, 3))
    with pytest.raises(mx.MXNetError, match="shape"):
        x += nd.ones((2, 3))
    assert x.asnumpy().tolist() == [[1, 1, 1]]


@pytest.mark.parametrize("function", [*BINARY, *COMPARISONS])
@pytest.mark.parametrize("other", [None, "text", 1j, np.ones(3)])
def test_other_operands_are_refused(function: Callable[[Any, Any], Any], other: Any) -> None:
    with pytest.raises(TypeError, match="not supported"):
        function(nd.ones((3,)), other)


def test_dtypes_are_not_mixed() -> None:
    with pytest.raises(mx.MXNetError, match="float64"):
        nd.ones((2,)) + nd.ones((2,), dtype="float64")


def test_shapes_that_cannot_be_broadcast_are_named_with_the_users_line() -> None:
    with pytest.raises(mx.MXNetError, match=r"\(2, 3\).*\(4,\)") as caught:
        nd.ones((2, 3)) + nd.ones((4,))
    assert __file__ in str(caught.value)


def test_zero_has_a_sign() -> None:
    x = nd.array([1.0])
    assert (x / 0.0).asscalar() == np.inf
    assert (x / -0.0).asscalar() == -np.inf
    assert (x / 0.0).asscalar() == np.inf


def test_not_a_number_is_an_operand() -> None:
    assert np.isnan((nd.ones((1,)) + float("nan")).asscalar())


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "power", "maximum"])
def test_functions_take_arrays_and_numbers_in_any_order(name: str) -> None:
    function, expected = getattr(nd, name), getattr(np, name)
    x = nd.array(A)
    np.testing.assert_allclose(function(x, nd.array(B)).asnumpy(), expected(A, B), rtol=1e-6)
    np.testing.assert_allclose(function(x, 2).asnumpy(), expected(A, np.float32(2)), rtol=1e-6)
    np.testing.assert_allclose(function(2, x).asnumpy(), expected(np.float32(2), A), rtol=1e-6)
    assert function(3, 2) == expected(3, 2)


def test_overflow_and_division_by_zero_are_silent() -> None:
    huge = nd.full((1,), 3e38)
    assert (huge * huge).asscalar() == np.inf
    assert np.isnan((nd.zeros((1,)) / nd.zeros((1,))).asscalar())


def test_floating_point_warnings_stay_on_outside() -> None:
    nd.ones((1,)) / nd.zeros((1,))
    with pytest.warns(RuntimeWarning, match="divide"):
        np.ones(1) / np.zeros(1)


def test_numpy_functions_take_arrays() -> None:
    assert np.add(nd.ones((2,)), 1).tolist() == [2, 2]
    assert np.all(nd.ones((2,)) == 1)


def test_negation_and_absolute_value() -> None:
    x = nd.array([-1.0, 2.0])
    assert (-x).asnumpy().tolist() == [1, -2]
    assert abs(x).asnumpy().tolist() == [1, 2]
    assert x.asnumpy().tolist() == [-1, 2]


@pytest.mark.parametrize("dtype", ["int32", "int64", "int8", "float32"])
@pytest.mark.parametrize("hybridized", [False, True])
def test_the_gradient_of_a_remainder_of_integers_is_zero(dtype: str, hybridized: bool) -> None:
    x, y = nd.array([7, -7, 5], dtype=dtype), nd.array([3, 2, -3], dtype=dtype)
    x.attach_grad()
    y.attach_grad()
    net = mx.gluon.nn.HybridLambda(lambda F, x, y: F.broadcast_mod(x, y) + x % 3 + 13 % y)
    net.hybridize(hybridized)
    with autograd.record():
        z = net(x, y)
    z.backward()
    slopes = [0, 0, 0], [0, 0, 0]
    if dtype == "float32":
        slopes = [2, 2, 2], [-2 - 4, 4 - 6, 2 + 5]
    assert (x.grad.asnumpy().tolist(), y.grad.asnumpy().tolist()) == slopes
