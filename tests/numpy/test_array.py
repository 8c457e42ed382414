"""What an `mx.np` array is without operators: its text, its numbers, its pickles."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from gluonic import autograd, nd
from gluonic.ndarray.numpy.array import ndarray


def array(value: Any, dtype: Any = np.float32) -> Any:
    return nd.array(np.array(value, dtype), dtype=dtype).as_np_ndarray()


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        ([[1, 1, 1], [1, 1, 1]], "float32", "array([[1., 1., 1.],\n       [1., 1., 1.]])"),
        (3, "float32", "array(3.)"),
        ([1, 1], "int32", "array([1, 1], dtype=int32)"),
        (1, "float64", "array(1., dtype=float64)"),
        (np.zeros((0, 3)), "float32", "array([], shape=(0, 3))"),
        ([True, False], "bool", "array([ True, False])"),
        ([1, 2], "int64", "array([1, 2], dtype=int64)"),
    ],
)
def test_the_text_is_that_of_mxnet(value: Any, dtype: str, text: str) -> None:
    assert repr(array(value, dtype)) == text


def test_large_arrays_are_shown_by_their_corners() -> None:
    assert repr(array(np.zeros((100, 100)))).count("...") == 7


def test_formats() -> None:
    assert str(array([[1, 2]])) == "[[1. 2.]]"
    assert f"{array(3.14159):.2f}" == "3.14"
    assert f"{array([1, 2])}" == "[1. 2.]"
    with pytest.raises(TypeError, match="format"):
        format(array([1, 2]), ".2f")


def test_the_dtype_is_that_of_numpy() -> None:
    assert array(1).dtype == np.dtype(np.float32)
    assert isinstance(array(1, "int8").dtype, np.dtype)


def test_one_element_is_a_number() -> None:
    assert (int(array([2.5])), float(array([[3]])), complex(array(1))) == (2, 3.0, 1 + 0j)
    assert [array([[1, 2], [3, 4]]).item(*index) for index in [(2,), (1, 1)]] == [3, 4]
    assert array([[1, 2], [3, 4]], "int32").tolist() == [[1, 2], [3, 4]]
    assert list(range(4))[array(2, "int32")] == 2


@pytest.mark.parametrize("convert", [int, float, complex])
def test_several_elements_are_not_a_number(convert: Any) -> None:
    with pytest.raises(TypeError):
        convert(array([1, 2]))
    with pytest.raises(ValueError, match="size 1"):
        array([1, 2]).item()


def test_truth_values_are_those_of_numpy() -> None:
    assert bool(array([2]))
    assert not bool(array(0))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(array([1, 2]))
    with pytest.warns(UserWarning, match="empty"):
        assert not array([])


def test_arrays_are_not_hashable() -> None:
    with pytest.raises(NotImplementedError, match="hash"):
        hash(array(1))
    with pytest.raises(TypeError, match="hash"):
        _ = {array(1): 2}


def test_iteration_goes_through_the_first_axis() -> None:
    assert [(type(x), x.shape, x.item()) for x in array([1, 2])] == [
        (ndarray, (), 1),
        (ndarray, (), 2),
    ]
    with pytest.raises(TypeError):
        iter(array(1))


@pytest.mark.parametrize("name", ["exp", "asscalar", "slice_axis", "softmax"])
def test_methods_of_mx_nd_are_refused_with_what_there_is_instead(name: str) -> None:
    assert not hasattr(array(1), name)
    with pytest.raises(AttributeError, match=f"mx.np.{name}"):
        getattr(array(1), name)


@pytest.mark.parametrize(
    "again",
    [
        lambda x: pickle.loads(pickle.dumps(x)),
        copy.copy,
        copy.deepcopy,
        lambda x: x.copy(),
        lambda x: x.detach(),
    ],
)
def test_pickles_and_copies_are_arrays_of_the_class(again: Any) -> None:
    x = array([[1, 2]], "int32")
    made = again(x)
    assert type(made) is ndarray
    assert made.asnumpy().tolist() == [[1, 2]]
    with autograd.record():
        assert type(again(x)) is ndarray
