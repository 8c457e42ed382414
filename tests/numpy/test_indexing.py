"""``x[key]`` and ``x[key] = value`` of `mx.np` arrays, beside NumPy's."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays, basic_indices, integer_array_indices

from gluonic import autograd, nd
from gluonic.ndarray.numpy.array import ndarray

SHAPES = array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)


def of(elements: Any) -> Any:
    return nd.array(elements, dtype=elements.dtype).as_np_ndarray()


def counted(shape: tuple[int, ...]) -> Any:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


@st.composite
def shapes_and_keys(draw: st.DrawFn) -> tuple[tuple[int, ...], Any]:
    shape = draw(SHAPES)
    kinds: list[Any] = [
        basic_indices(shape, allow_newaxis=True),
        st.booleans(),
        arrays(bool, shape),
    ]
    if shape and 0 not in shape:
        kinds.append(integer_array_indices(shape))
        kinds.append(arrays(bool, shape[:1]))
        kinds.append(st.lists(st.integers(-shape[0], shape[0] - 1), max_size=3))
    key = draw(st.one_of(kinds))
    if isinstance(key, slice) and not shape:
        key = ()
    return shape, key


def of_numpy(key: Any) -> Any:
    """The same key for NumPy, which takes an empty list for one of floating-point numbers."""
    return np.zeros(0, int) if isinstance(key, list) and not key else key


@given(shapes_and_keys())
def test_reading_gives_what_numpy_gives_as_an_array(case: tuple[tuple[int, ...], Any]) -> None:
    shape, key = case
    expected = counted(shape)
    found = of(expected)[key]
    assert type(found) is ndarray
    expected = np.asarray(expected[of_numpy(key)])
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found.asnumpy(), expected)


@given(shapes_and_keys(), st.booleans())
def test_writing_changes_what_numpy_changes(
    case: tuple[tuple[int, ...], Any], by_number: bool
) -> None:
    shape, key = case
    expected = counted(shape)
    x = of(expected)
    value: Any = 7.5 if by_number else -1 - np.asarray(expected[of_numpy(key)])
    expected[of_numpy(key)] = value
    x[key] = value if by_number else of(value)
    np.testing.assert_array_equal(x.asnumpy(), expected)


@given(shapes_and_keys())
def test_the_gradient_of_reading_goes_to_what_was_read(case: tuple[tuple[int, ...], Any]) -> None:
    shape, key = case
    x = of(counted(shape))
    x.attach_grad()
    with autograd.record():
        y = x[key]
        z = nd.broadcast_mul(y, y)
    z.backward()
    expected = np.zeros(shape, np.float32)
    np.add.at(expected, of_numpy(key), 2 * counted(shape)[of_numpy(key)])
    assert type(y) is ndarray
    np.testing.assert_allclose(x.grad.asnumpy(), expected)


def test_elements_side_by_side_are_shared_and_others_copied() -> None:
    x = of(counted((3, 4)))
    x[1][:] = -1
    x[0, 2][()] = 50
    x[:, 1][:] = 99
    assert x.asnumpy().tolist() == [[0, 1, 50, 3], [-1, -1, -1, -1], [8, 9, 10, 11]]


def test_arrays_of_floating_point_numbers_are_indices_without_their_fraction() -> None:
    x = of(counted((4,)))
    assert x[of(np.array([3, 0.5], np.float32))].asnumpy().tolist() == [3, 0]


def test_masks_choose_as_arrays_of_both_libraries_and_as_lists() -> None:
    x = of(counted((3,)))
    mask = np.array([True, False, True])
    for key in (mask, of(mask), mask.tolist()):
        assert x[key].asnumpy().tolist() == [0, 2]


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize(
    "key",
    [3, -4, (0, 4), (0, 0, 0), [3], np.array([[0, -4]]), np.ones(2, bool), np.ones((3, 3), bool)],
)
def test_keys_beyond_the_array_raise_an_error_with_its_shape(key: Any, recorded: bool) -> None:
    x = of(counted((3, 4)))
    x.attach_grad()
    with autograd.record(recorded), pytest.raises(IndexError, match=r"\(3, 4\)"):
        x[key]
    with pytest.raises(IndexError, match=r"\(3, 4\)"):
        x[key] = 1


def test_an_array_without_axes_is_read_and_written_with_the_empty_key() -> None:
    x = of(np.array(3, np.float32))
    x[()] = 4
    assert x[()].item() == x[...].item() == 4
    with pytest.raises(IndexError, match="without axes"):
        x[:]


def test_an_invalid_key_is_named() -> None:
    with pytest.raises(TypeError, match="'first' of type str"):
        of(counted((3,)))["first"]


def test_writing_while_recording_refuses_arrays_that_a_gradient_needs() -> None:
    x = of(counted((3,)))
    x.attach_grad()
    with autograd.record(), pytest.raises(Exception, match="already in a computational graph"):
        x[0] = 1
