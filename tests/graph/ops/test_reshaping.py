"""`reshape` and its kin: the codes, legacy attributes, and inference from partial shapes."""

import numpy as np
import pytest

from gluonic.graph.errors import InferenceError
from gluonic.graph.view import PartialShape
from tests.graph.applying import apply, infer_shapes


@pytest.mark.parametrize(
    ("source", "codes", "reverse", "expected"),
    [
        ((2, 3, 4, 5), (0, -1), False, (2, 60)),
        ((2, 3, 4, 5), (0, -1), True, (4, 30)),
        ((2, 3, 4, 5), (-1, 0), False, (40, 3)),
        ((2, 3, 4, 5), (-1, 0), True, (24, 5)),
        ((2, 3, 4, 5), (-2,), False, (2, 3, 4, 5)),
        ((2, 3, 4, 5), (-3, -3), False, (6, 20)),
        ((2, 3, 4, 5), (0, -3, 0), False, (2, 12, 5)),
        ((2, 3, 4, 5), (-4, -1, 2, -2), False, (1, 2, 3, 4, 5)),
        ((2, 3, 4, 5), (0, 0, -4, 2, -1, 0), False, (2, 3, 2, 2, 5)),
        ((2, 3, 4, 5), (0, 0, -1), True, (3, 4, 10)),
        ((2, 3, 4, 5), (-3, -1), True, (12, 10)),
        ((2, 3, 4, 5), (-2, 1, 1), False, (2, 3, 4, 5, 1, 1)),
        ((2, 3, 4, 5), (-3, -4, 2, -1, 0), False, (6, 2, 2, 5)),
        ((0, 5), (0, -1), False, (0, 5)),
        ((2, 0, 3), (-1, 3), False, (0, 3)),
    ],
)
def test_reshape_codes(
    source: tuple[int, ...], codes: tuple[int, ...], reverse: bool, expected: tuple[int, ...]
) -> None:
    data = np.arange(np.prod(source), dtype=np.float32).reshape(source)
    result = apply("reshape", data, shape=codes, reverse=reverse)
    np.testing.assert_array_equal(result, data.reshape(expected))


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ((-1, -1), "more than one -1"),
        ((7, -1), "does not divide"),
        ((121,), "another number of elements"),
        ((0, 0, 0, 0, 0), "more axes than the input has"),
        ((-3, -3, -3), "more axes than the input has"),
        ((0, -4, -1, -1, 0), "at most one of them -1"),
        ((-4, 2, 2, -2), "splits an axis of 2 into 2 and 2"),
        ((-4, 2), "two extents after -4"),
        ((-5,), "unknown code -5"),
        ((0, 0, 0, 0, 0, -1), "more axes"),
        ((), "needs shape="),
    ],
)
def test_errors_about_impossible_reshapes_give_the_reason(
    codes: tuple[int, ...], message: str
) -> None:
    with pytest.raises(InferenceError, match=message):
        apply("reshape", np.zeros((2, 3, 4, 5), np.float32), shape=codes)


@pytest.mark.parametrize(
    ("source", "codes", "expected"),
    [
        ((None, 3, 4), (0, -1), (None, 12)),
        ((None, 3, 4), (-1, 4), (None, 4)),
        ((None, 3, 4), (-3, 0), (None, 4)),
        ((3, None), (0, -4, 2, -1), (3, 2, None)),
        (None, (2, 3), None),
    ],
)
def test_reshape_infers_what_it_can_from_partial_shapes(
    source: PartialShape | None, codes: tuple[int, ...], expected: PartialShape | None
) -> None:
    assert infer_shapes("Reshape", [source], shape=codes)[1] == expected


def test_reshape_infers_one_unknown_axis_of_its_input_from_the_output() -> None:
    assert infer_shapes("Reshape", [(None, 3)], shape=(4, 6)) == [(8, 3), (4, 6)]
    assert infer_shapes("Reshape", [(None, 3)], [(5, 3)], shape=(0, -1))[0] == (5, 3)
    assert infer_shapes("Flatten", [(None, 3, 4)], [(5, 12)])[0] == (5, 3, 4)
    assert infer_shapes("Flatten", [(2, None, 4)], [(2, 12)])[0] == (2, 3, 4)


@pytest.mark.parametrize(
    ("target", "keep_highest", "expected"),
    [((0, 60), False, (2, 60)), ((4, 0), True, (2, 60)), ((0, 0), True, (2, 60))],
)
def test_target_shape_of_old_models(
    target: tuple[int, ...], keep_highest: bool, expected: tuple[int, ...]
) -> None:
    data = np.zeros((2, 3, 4, 5), np.float32)
    result = apply("Reshape", data, target_shape=target, keep_highest=keep_highest)
    assert result.shape == expected


@pytest.mark.parametrize(
    ("lhs", "rhs", "attributes", "expected"),
    [
        ((30, 7), (15, 2, 4), {"lhs_begin": 0, "lhs_end": 1, "rhs_end": 2}, (15, 2, 7)),
        ((30, 12), (4, 2, 2, 3), {"lhs_begin": -1, "rhs_begin": 1}, (30, 2, 2, 3)),
        ((6, 5), (2, 3), {"lhs_end": -1}, (2, 3, 5)),
    ],
)
def test_reshape_like_replaces_a_range_of_axes(
    lhs: tuple[int, ...], rhs: tuple[int, ...], attributes: dict[str, int], expected: object
) -> None:
    assert apply("reshape_like", np.zeros(lhs), np.zeros(rhs), **attributes).shape == expected


def test_reshape_like_refuses_another_number_of_elements_and_empty_ranges() -> None:
    with pytest.raises(InferenceError, match=r"\(6,\) has not as many elements as \(2, 4\)"):
        apply("reshape_like", np.zeros(6), np.zeros((2, 4)))
    with pytest.raises(InferenceError, match="2:1 are no axes"):
        apply("reshape_like", np.zeros((2, 3)), np.zeros((3, 2)), lhs_begin=2, lhs_end=1)


def test_squeeze_keeps_one_axis_and_refuses_longer_ones() -> None:
    assert apply("squeeze", np.zeros((1, 1))).shape == (1,)
    assert apply("squeeze", np.zeros((1, 3, 1)), axis=(0, -1)).shape == (3,)
    with pytest.raises(InferenceError, match="not of length one"):
        apply("squeeze", np.zeros((1, 3)), axis=1)
    with pytest.raises(InferenceError, match="twice"):
        apply("squeeze", np.zeros((1, 3)), axis=(0, -2))
    assert infer_shapes("squeeze", [(1, None, 3)], [(5, 3)], axis=0)[0] == (1, 5, 3)
    assert infer_shapes("squeeze", [(1, None, 3)], [None])[1] is None


def test_expand_dims_is_inferred_backwards() -> None:
    assert infer_shapes("expand_dims", [None], [(2, 1, 3)], axis=1)[0] == (2, 3)
    with pytest.raises(InferenceError, match="no axis 4"):
        apply("expand_dims", np.zeros((2, 3)), axis=4)
