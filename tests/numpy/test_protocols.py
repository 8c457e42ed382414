"""NumPy's own functions called on `mx.np` arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gluonic import autograd
from gluonic import np as mnp
from gluonic.ndarray.numpy.array import ndarray

ELEMENTS = np.array([[1, 2], [4, 3]], np.float32)


def fresh() -> Any:
    return mnp.array(ELEMENTS)


@pytest.mark.parametrize("function", [np.sum, np.mean, np.max, np.exp, np.negative, np.prod])
def test_a_function_that_mx_np_has_is_its_own_and_recorded(function: Callable[..., Any]) -> None:
    x = fresh()
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward()
    assert type(y) is ndarray
    np.testing.assert_allclose(y.asnumpy(), function(ELEMENTS), rtol=1e-6)
    assert np.abs(x.grad.asnumpy()).sum() > 0


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: np.cov(x),
        lambda x: np.interp(x, [0, 5], [0, 10]),
        lambda x: np.floor_divide(x, 2),
        lambda x: np.linalg.matrix_power(x, 3),
        lambda x: np.nanmax(x, axis=0),
        lambda x: np.searchsorted([1, 2, 3], x),
    ],
)
def test_other_functions_are_numpys_and_give_arrays_of_mx_np(compute: Callable[..., Any]) -> None:
    found, expected = compute(fresh()), np.asarray(compute(ELEMENTS))
    assert type(found) is ndarray
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)


def test_several_results_are_arrays_each() -> None:
    parts: tuple[Any, Any] = np.modf(mnp.array([1.5, 2]))
    assert [type(part) for part in parts] == [ndarray, ndarray]
    assert parts[0].tolist() == [0.5, 0]


def test_what_numpy_computes_is_refused_while_recording() -> None:
    x = fresh()
    x.attach_grad()
    for compute in (np.cov, np.modf):
        with autograd.record(), pytest.raises(ValueError, match="records nothing"):
            compute(x)
        with autograd.record(), autograd.pause():
            compute(x)


def test_out_is_an_array_of_mx_np() -> None:
    x = fresh()
    assert np.add(x, x, out=x) is x
    np.testing.assert_array_equal(x.asnumpy(), 2 * ELEMENTS)


def test_numbers_of_numpy_combine_with_arrays_from_both_sides() -> None:
    x = fresh()
    for number in (np.float32(2), np.int64(2), np.array(2.0)):
        assert type(number * x) is ndarray
        np.testing.assert_array_equal((number * x).asnumpy(), 2 * ELEMENTS)
        assert (number == x).tolist() == [[False, True], [False, False]]


@pytest.mark.parametrize(
    "compute", [lambda x: ELEMENTS + x, lambda x: np.add(x, ELEMENTS), lambda x: np.add.reduce(x)]
)
def test_arrays_of_numpy_and_reductions_of_its_functions_are_refused(
    compute: Callable[..., Any],
) -> None:
    with pytest.raises(TypeError):
        compute(fresh())


@pytest.mark.parametrize(
    "name", ["cov", "interp", "array_equal", "alltrue", "in1d", "trapz", "msort"]
)
def test_mx_np_has_functions_of_numpys_own(name: str) -> None:
    assert callable(getattr(mnp, name))


def test_functions_that_numpy_has_removed_are_there() -> None:
    x = fresh()
    assert mnp.in1d(x, [4, 1]).tolist() == [True, False, True, False]
    assert mnp.msort(mnp.array([[2, 1], [1, 2]])).tolist() == [[1, 1], [2, 2]]
    assert mnp.trapz(x).tolist() == [1.5, 3.5]


def test_arrays_of_numpys_among_the_arguments_make_the_results_numpys() -> None:
    ones = np.ones((2, 2))
    for found in (*np.broadcast_arrays(ones, fresh()), np.concatenate([fresh(), ones])):
        assert type(found) is np.ndarray
    np.testing.assert_array_equal(np.concatenate([fresh(), ones]), np.concatenate([ELEMENTS, ones]))


def test_numbers_are_broadcast_with_arrays() -> None:
    found: Any = np.broadcast_arrays(4, 0.5, fresh())
    four, half, same = found
    assert (four.dtype, half.dtype) == (np.int64, np.float32)
    assert [x.asnumpy().tolist() for x in (four, half, same)] == [
        [[4, 4], [4, 4]],
        [[0.5, 0.5], [0.5, 0.5]],
        ELEMENTS.tolist(),
    ]
