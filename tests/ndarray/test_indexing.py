"""Reading and writing parts of arrays: NumPy's semantics, but for what MXNet does otherwise."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import gluonic as mx
from gluonic import autograd, nd

SHAPE = (3, 4, 5)
BASIC = hnp.basic_indices(SHAPE, allow_newaxis=True, allow_ellipsis=True)
ADVANCED = [
    [0, 2],
    ([0, 1], [2, 3]),
    (0, [1, 2]),
    ([0, 1], slice(None), [2, 3]),
    (slice(None), [0, 3], [[1], [2]]),
    ([[0], [1]], slice(1, 3), None, [1, 2]),
    np.array([2, -1]),
    (slice(None), None, np.array([[1, 0]])),
    range(2),
    (Ellipsis, [4, 0]),
    [],
]


def numbers() -> np.ndarray[Any, Any]:
    return np.arange(60, dtype="f").reshape(SHAPE)


def expected_part(values: Any, key: Any) -> Any:
    part = values[key]
    return part.reshape(1) if not part.ndim else part


@given(BASIC)
def test_basic_keys_read_as_in_numpy(key: Any) -> None:
    part = nd.array(numbers())[key]
    expected = expected_part(numbers(), key)
    assert part.shape == expected.shape
    assert (part.asnumpy() == expected).all()


@given(BASIC)
def test_parts_share_memory_just_if_their_elements_lie_side_by_side(key: Any) -> None:
    x = nd.array(numbers())
    part = x[key]
    part[:] = -1
    contiguous = numbers()[key].flags.c_contiguous or not numbers()[key].ndim
    assert (x.asnumpy() == -1).sum() == (part.size if contiguous else 0)


@given(BASIC, st.sampled_from([7, np.float32(2.5), -1.0]))
def test_numbers_are_written_as_in_numpy(key: Any, number: Any) -> None:
    x, expected = nd.array(numbers()), numbers()
    x[key], expected[key] = number, number
    assert (x.asnumpy() == expected).all()


@given(BASIC, st.booleans())
def test_arrays_are_written_as_in_numpy(key: Any, leading: bool) -> None:
    x, expected = nd.array(numbers()), numbers()
    values = -1 - np.arange(expected[key].size, dtype="f").reshape(expected[key].shape)
    expected[key] = values
    x[key] = nd.array(values[None] if leading else values)
    assert (x.asnumpy() == expected).all()
    if values.size:  # the shape of an empty list is unknown
        x[key] = values.tolist()
    assert (x.asnumpy() == expected).all()


@pytest.mark.parametrize("key", ADVANCED, ids=str)
def test_arrays_of_indices_read_and_write_as_in_numpy(key: Any) -> None:
    x, expected = nd.array(numbers()), numbers()
    numpy_key = np.array(key, int) if isinstance(key, (list, range)) else key
    assert (x[key].asnumpy() == expected[numpy_key]).all()
    assert x[key].shape == expected[numpy_key].shape
    x[key] = 9
    expected[numpy_key] = 9
    assert (x.asnumpy() == expected).all()


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "uint8"])
def test_ndarrays_of_any_dtype_are_indices(dtype: str) -> None:
    x = nd.array(numbers())
    index = nd.array([2, 0], dtype=dtype)
    assert (x[index].asnumpy() == numbers()[[2, 0]]).all()
    assert (x[:, index].asnumpy() == numbers()[:, [2, 0]]).all()


@settings(max_examples=50)
@given(BASIC)
def test_gradients_flow_into_the_part_read(key: Any) -> None:
    x = nd.array(numbers())
    x.attach_grad()
    with autograd.record():
        y = x[key] * 2
    y.backward()
    expected = np.zeros(SHAPE, "f")
    expected[key] = 2
    assert (x.grad.asnumpy() == expected).all()


@pytest.mark.parametrize(
    "key", [k for k in ADVANCED if not (isinstance(k, list) and not k)], ids=str
)
def test_gradients_add_up_where_indices_repeat(key: Any) -> None:
    x = nd.array(numbers())
    x.attach_grad()
    with autograd.record():
        y = x[key] + x[key]
    y.backward()
    expected = np.zeros(SHAPE, "f")
    np.add.at(expected, np.array(key) if isinstance(key, (list, range)) else key, 2)
    assert (x.grad.asnumpy() == expected).all()


@pytest.mark.parametrize(
    ("key", "kind", "words"),
    [
        (3, IndexError, "out of bounds for axis 0 with size 3"),
        ((0, -5), IndexError, "out of bounds for axis 1 with size 4"),
        ((0, 0, 0, 0), IndexError, "too many indices"),
        ((Ellipsis, Ellipsis), IndexError, "ellipsis"),
        ([5], IndexError, "out of bounds"),
        (1.5, ValueError, "1.5"),
        ("a", ValueError, "'a'"),
        (slice(None, None, 0), ValueError, "step"),
        (np.array([True, False, True]), ValueError, "boolean_mask"),
        (nd.array([1, 0, 1], dtype="bool"), ValueError, "boolean"),
    ],
    ids=str,
)
def test_wrong_keys_are_refused(key: Any, kind: type[Exception], words: str) -> None:
    x = nd.array(numbers())
    with pytest.raises(kind, match=words):
        x[key]
    with pytest.raises(kind, match=words):
        x[key] = 1
    assert (x.asnumpy() == numbers()).all()


@pytest.mark.parametrize(
    "value", [None, [None], (None,), [[None]], np.array([None]), float("nan"), [float("nan")]]
)
@pytest.mark.parametrize("key", [slice(None), 0, [0, 2]], ids=["all", "row", "rows"])
def test_none_becomes_nan(key: Any, value: Any) -> None:
    x = nd.array(numbers())
    x[key] = value
    assert np.isnan(x.asnumpy()[key]).all()
    assert np.isfinite(x.asnumpy()).sum() == numbers().size - np.isnan(x.asnumpy()[key]).size


def test_none_among_numbers_becomes_nan() -> None:
    x = nd.zeros((3,))
    x[:] = [1, None, 3]
    np.testing.assert_array_equal(x.asnumpy(), [1, np.nan, 3])
    np.testing.assert_array_equal(nd.full((2,), None).asnumpy(), [np.nan, np.nan])


def test_numbers_written_as_text_are_read_as_in_mxnet() -> None:
    x = nd.zeros((2,))
    x[:] = ["1", "2.5"]
    assert x.asnumpy().tolist() == [1, 2.5]


def test_integers_take_no_none() -> None:
    x = nd.zeros((2,), dtype="int32")
    with pytest.raises(TypeError, match="cannot be assigned"):
        x[:] = [None]


@pytest.mark.parametrize("value", ["a", ["a"], {}, 1j, object(), [[1], [2, 3]]])
def test_only_numbers_can_be_assigned(value: Any) -> None:
    x = nd.array(numbers())
    with pytest.raises(TypeError, match="cannot be assigned"):
        x[0] = value


def test_values_of_the_wrong_shape_are_refused() -> None:
    x = nd.array(numbers())
    with pytest.raises(ValueError, match=r"\(7,\).*\(4, 5\)"):
        x[0] = nd.ones((7,))


def test_a_scalar_array_takes_the_empty_key_and_the_colon() -> None:
    x = nd.array(3.0)
    x[()] = 4
    assert x[:].asnumpy() == 4
    x[:] = nd.array([5.0])
    assert x.asnumpy() == 5
    with pytest.raises(IndexError):
        x[0]


def test_large_integers_are_assigned_exactly() -> None:
    x = nd.zeros((2,), dtype="int64")
    x[0] = 2**53 + 1
    assert x[0].asscalar() == 2**53 + 1


def test_a_read_only_array_cannot_be_written() -> None:
    x = nd.NDArray(np.broadcast_to(np.float32(1), ()))
    with pytest.raises(ValueError, match="read-only"):
        x[()] = 1


@pytest.mark.parametrize("key", [0, slice(0, 2), [0, 1], (0, 0), slice(None)], ids=str)
def test_writing_while_recording_is_refused_for_arrays_that_a_gradient_needs(key: Any) -> None:
    x = nd.ones((3, 2))
    x.attach_grad()
    constant = nd.ones((3, 2))
    with autograd.record():
        y = x * constant
        for array in (x, y, constant):
            with pytest.raises(mx.MXNetError, match="computational graph"):
                array[key] = 5
    y.backward()
    with autograd.record():
        constant[key] = 5


def test_overwriting_everything_while_recording_passes_gradients_on() -> None:
    x = nd.ones((3,))
    x.attach_grad()
    with autograd.record():
        y = nd.zeros((2, 3))
        y[:] = x * 2
        z = y * 3
    z.backward()
    assert x.grad.asnumpy().tolist() == [12, 12, 12]


def test_a_part_cannot_be_overwritten_by_something_recorded() -> None:
    x = nd.ones((2,))
    x.attach_grad()
    with autograd.record():
        y = nd.zeros((2, 2))
        with pytest.raises(mx.MXNetError, match="Inplace operations"):
            y[0] = x
