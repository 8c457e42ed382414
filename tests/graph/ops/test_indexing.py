"""Choosing elements: the ends of axes, repeated positions, dtypes and partial shapes."""

import importlib
from typing import Any

import numpy as np
import pytest

from gluonic.graph.errors import InferenceError, OutOfRangeError
from gluonic.graph.indices import add_rows
from tests.graph.applying import apply, infer_shapes

X = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize(
    ("mode", "expected"), [("clip", [3, 0, 1, 0]), ("wrap", [3, 3, 1, 0]), ("raise", None)]
)
def test_positions_beyond_the_ends(mode: str, expected: list[int] | None) -> None:
    """The numbers are MXNet 1.9.1's; fractions are cut off towards zero."""
    index = np.array([7, -9, 1.7, -0.5], np.float32)
    if expected is None:
        with pytest.raises(OutOfRangeError, match="index 7 is out of range for an axis of 4"):
            apply("take", X, index, mode=mode)
        with pytest.raises(IndexError):
            apply("take", X, np.array([-1]), mode=mode)
    else:
        np.testing.assert_array_equal(apply("take", X, index, mode=mode), X[expected])


def test_nothing_can_be_taken_from_an_empty_axis() -> None:
    assert apply("take", X[:0], np.zeros(0)).shape == (0, 3)
    with pytest.raises(OutOfRangeError, match="empty axis"):
        apply("take", X[:0], np.zeros(1))


def test_embedding_infers_its_table_and_takes_its_dtype() -> None:
    sizes: dict[str, Any] = {"input_dim": 5, "output_dim": 3}
    assert infer_shapes("Embedding", [(None, 2), None], **sizes)[1:] == [(5, 3), (None, 2, 3)]
    looked_up = apply("Embedding", np.array([0, 9, -1]), np.arange(15.0).reshape(5, 3), **sizes)
    assert looked_up.dtype == np.float64
    np.testing.assert_array_equal(looked_up[:, 0], [0, 12, 0])
    with pytest.raises(InferenceError, match=r"weight is \(5, 3\) but must be \(4, 3\)"):
        apply("Embedding", np.zeros(1), np.zeros((5, 3)), input_dim=4, output_dim=3)


@pytest.mark.parametrize(
    ("shape", "index", "attributes", "expected"),
    [
        ((2, 3, 4), (2, 3), {}, (2, 3)),
        ((2, 3, 4), (2, 3, 1), {}, (2, 3)),
        ((2, 3, 4), (2, 1, 4), {"axis": 1, "keepdims": True}, (2, 1, 4)),
        ((2, 3, 4), (2, 4), {"axis": 1, "keepdims": True}, (2, 1, 4)),
        ((3,), (1,), {"axis": 0}, (1,)),
    ],
)
def test_pick_takes_its_index_with_and_without_the_axis(
    shape: Any, index: Any, attributes: Any, expected: Any
) -> None:
    assert apply("pick", np.zeros(shape), np.zeros(index), **attributes).shape == expected


def test_pick_infers_its_index_and_refuses_others() -> None:
    assert infer_shapes("pick", [(2, 3, 4), None], axis=1)[1] == (2, 4)
    with pytest.raises(InferenceError, match="needs an axis"):
        apply("pick", X, np.zeros(1), axis=None)
    with pytest.raises(InferenceError, match=r"index is \(3,\) but must be \(4,\)"):
        apply("pick", X, np.zeros(3))


def test_one_hot_switches_nothing_on_beyond_its_depth() -> None:
    found = apply("one_hot", np.array([0, 3, -1, 1.7]), depth=2, on_value=5, off_value=-2)
    np.testing.assert_array_equal(found, [[5, -2], [-2, -2], [-2, -2], [-2, 5]])
    legacy = apply("_onehot_encode", np.array([0, 3, 1]), np.zeros((3, 2)))
    np.testing.assert_array_equal(legacy, [[1, 0], [0, 0], [0, 1]])
    with pytest.raises(InferenceError, match="bool"):
        apply("one_hot", np.zeros(2), depth=2, dtype="bool")


def test_gather_nd_counts_negative_positions_from_the_end() -> None:
    found = apply("gather_nd", X, np.array([[-1, 2], [1, -3]]))
    np.testing.assert_array_equal(found, [10, 6])
    with pytest.raises(OutOfRangeError, match="index 5 is out of range for an axis of 4"):
        apply("gather_nd", X, np.array([[5], [1]]))
    with pytest.raises(InferenceError, match="name 3 axes"):
        apply("gather_nd", X, np.zeros((3, 2)))
    with pytest.raises(InferenceError, match="two or more axes"):
        apply("gather_nd", X, np.zeros(2))


def test_elements_scattered_to_one_position_are_added_or_overwritten() -> None:
    indices, values = np.array([[1, 1], [2, 2]]), np.array([3.0, 4.0])
    assert apply("scatter_nd", values, indices, shape=(2, 3))[1, 2] == 4
    assert apply("_backward_gather_nd", values, indices, shape=(2, 3))[1, 2] == 7
    kept = apply("_scatter_set_nd", X[:2], values, indices, shape=(2, 3))
    np.testing.assert_array_equal(kept, [[0, 1, 2], [3, 4, 4]])
    assert infer_shapes("scatter_nd", [None, (1, 5)], shape=(2, 3))[0] == (5, 3)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 2), (0,), (1000,)])
def test_add_rows_sums_updates_of_the_same_row(dtype: str, shape: tuple[int, ...]) -> None:
    index = np.array([4, 0, 4, 2, 0, 4])
    values = (np.arange(6 * int(np.prod(shape))) % 99).reshape(6, *shape).astype(dtype)
    expected = np.zeros((5, *shape))
    np.add.at(expected, index, values)
    np.testing.assert_allclose(add_rows(5, index, values), expected, rtol=1e-6)
    assert add_rows(5, index[:0], values[:0]).shape == (5, *shape)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_add_rows_adds_many_with_the_bits_of_one_by_one(dtype: str) -> None:
    importlib.import_module("scipy.sparse")  # which adds them where it is there
    random = np.random.default_rng(0)
    index, values = random.integers(0, 7, 300), random.standard_normal((300, 40)).astype(dtype)
    expected = np.zeros((7, 40), dtype)
    np.add.at(expected, index, values)
    np.testing.assert_array_equal(add_rows(7, index, values), expected)


def test_index_copy_replaces_slices_and_wants_them_inside() -> None:
    found = apply("_contrib_index_copy", X, np.array([3, 0]), np.array([[1.0] * 3, [2.0] * 3]))
    np.testing.assert_array_equal(found, [[2] * 3, X[1], X[2], [1] * 3])
    with pytest.raises(OutOfRangeError):
        apply("_contrib_index_copy", X, np.array([7]), X[:1])
    with pytest.raises(InferenceError):
        apply("_contrib_index_copy", X, np.array([0, 1]), X)


def test_boolean_mask_keeps_what_is_not_zero() -> None:
    found = apply("_contrib_boolean_mask", X, np.array([0, 0.5, -2, 0]))
    np.testing.assert_array_equal(found, X[1:3])
    assert apply("_contrib_boolean_mask", X, np.zeros(4)).shape == (0, 3)
    assert infer_shapes("_contrib_boolean_mask", [(None, 3), (4,)])[2] == (None, 3)
    with pytest.raises(InferenceError):
        apply("_contrib_boolean_mask", X, np.zeros(3))


def test_numbers_of_elements_and_their_positions() -> None:
    """The numbers are MXNet 1.9.1's."""
    indices = np.array([[3, 6, 6], [4, 5, 1]], np.float32)
    numbers = apply("ravel_multi_index", indices, shape=(7, 6))
    np.testing.assert_array_equal(numbers, [22, 41, 37])
    np.testing.assert_array_equal(apply("unravel_index", numbers, shape=(7, 6)), indices)
    negative = apply("unravel_index", np.array([100, -3]), shape=(7, 6))
    np.testing.assert_array_equal(negative, [[16, 0], [4, -3]])
    with pytest.raises(InferenceError, match="needs shape="):
        apply("unravel_index", numbers)


def test_index_array_returns_positions() -> None:
    found = apply("_contrib_index_array", X, axes=(1, 0))
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found[2, 1], [1, 2])


STEPS = np.arange(1.0, 7.0).reshape(3, 2)


def test_sequences_are_masked_reversed_and_ended_by_their_lengths() -> None:
    lengths = np.array([1.9, 3], np.float32)
    used: dict[str, Any] = {"use_sequence_length": True}
    masked = apply("SequenceMask", STEPS, lengths, value=-1, **used)
    np.testing.assert_array_equal(masked, [[1, 2], [-1, 4], [-1, 6]])
    turned = apply("SequenceReverse", STEPS, lengths + 9 * np.array([0, 1]), **used)
    np.testing.assert_array_equal(turned, [[1, 6], [3, 4], [5, 2]])
    np.testing.assert_array_equal(apply("SequenceLast", STEPS, lengths, **used), [1, 6])
    np.testing.assert_array_equal(apply("SequenceLast", STEPS), [5, 6])
    np.testing.assert_array_equal(apply("SequenceLast", STEPS, axis=1), [2, 4, 6])


def test_sequence_operators_infer_the_lengths_and_check_the_axis() -> None:
    used: dict[str, Any] = {"use_sequence_length": True}
    assert infer_shapes("SequenceLast", [(5, None, 3), (4,)], **used)[2] == (4, 3)
    assert infer_shapes("SequenceMask", [(5, 4, 3), None], **used)[1] == (4,)
    assert infer_shapes("SequenceMask", [(5, 4, 3), None], axis=1, **used)[1] == (5,)
    with pytest.raises(InferenceError, match="axis is 1 but must be 0"):
        apply("SequenceReverse", STEPS, axis=1)
    with pytest.raises(InferenceError, match="two axes"):
        apply("SequenceMask", STEPS[0])
