"""Joining, cutting, reordering and slicing: results, partial shapes and errors."""

from typing import Any

import numpy as np
import pytest

from gluonic.graph.errors import AttributeValueError, InferenceError
from gluonic.graph.view import PartialShape
from tests.graph.applying import apply, infer_shapes

X = np.arange(24.0).reshape(2, 3, 4)


def test_concat_infers_inputs_from_each_other_and_from_the_output() -> None:
    assert infer_shapes("Concat", [(2, 3), None], [(None, 7)]) == [(2, 3), (2, 4), (2, 7)]
    assert infer_shapes("Concat", [(None, 3), (2, 4)]) == [(2, 3), (2, 4), (2, 7)]
    assert infer_shapes("Concat", [(2, 3), None]) == [(2, 3), (2, None), (2, None)]
    assert infer_shapes("Concat", [None, None]) == [None, None, None]


def test_parameters_of_a_recurrent_layer_share_what_is_left() -> None:
    found = infer_shapes("_rnn_param_concat", [(None,), (None,), (4,)], [(10,)], dim=0)
    assert found == [(3,), (3,), (4,), (10,)]
    assert infer_shapes("Concat", [(None,), (None,)], [(10,)], dim=0)[0] == (None,)


def test_concat_refuses_shapes_that_do_not_fit() -> None:
    with pytest.raises(InferenceError, match=r"\(2, 3\), \(3, 4\) differ in other axes"):
        apply("Concat", np.zeros((2, 3)), np.zeros((3, 4)))
    with pytest.raises(InferenceError, match="longer than the output"):
        infer_shapes("Concat", [(2, 3), None], [(2, 2)])
    with pytest.raises(InferenceError, match="no axis 1"):
        apply("concat", np.zeros(3), np.zeros(4))


def test_stack_infers_inputs_from_the_output() -> None:
    assert infer_shapes("stack", [None, (None, 3)], [(5, 2, None)], axis=1) == [
        (5, 3),
        (5, 3),
        (5, 2, 3),
    ]
    with pytest.raises(InferenceError):
        apply("stack", np.zeros((2, 3)), np.zeros((3, 2)))


def test_split_is_inferred_both_ways() -> None:
    parts = [None, (2, 5), None]
    assert infer_shapes("split", [None], parts, num_outputs=3) == [(2, 15), *[(2, 5)] * 3]
    found = infer_shapes("split", [None], [(2, 4), None], num_outputs=2, squeeze_axis=True)
    assert found == [(2, 2, 4), (2, 4), (2, 4)]
    with pytest.raises(InferenceError, match="not a multiple of 2"):
        apply("split", X, num_outputs=2)
    with pytest.raises(InferenceError, match="parts of length 1"):
        apply("split", X, num_outputs=2, axis=2, squeeze_axis=True)
    with pytest.raises(AttributeValueError, match="num_outputs=0 must be an integer of at least 1"):
        infer_shapes("split", [(2, 3)], [], num_outputs=0)


def test_split_v2_makes_the_first_parts_longer() -> None:
    parts = apply("_split_v2", X, indices=(), sections=3, axis=2)
    assert [part.shape[2] for part in parts] == [2, 1, 1]
    with pytest.raises(InferenceError, match="do not cut an axis of 3"):
        apply("_split_v2", X, indices=(0, 5))


SLICES: list[tuple[Any, ...]] = [
    ((0, 1), (2, 3), (), (slice(0, 2), slice(1, 3))),
    ((-2,), (None,), (), (slice(-2, None),)),
    ((2,), (0,), (-1,), (slice(2, 0, -1),)),
    ((None, None, None), (None, None, None), (-1, 2, -2), np.s_[::-1, ::2, ::-2]),
    ((5,), (6,), (), np.s_[5:6]),
    ((-100,), (1,), (), np.s_[-100:1]),
]


@pytest.mark.parametrize(("begin", "end", "step", "index"), SLICES)
def test_slices_are_those_of_python(begin: Any, end: Any, step: Any, index: Any) -> None:
    result = apply("slice", X, begin=begin, end=end, step=step)
    np.testing.assert_array_equal(result, X[index])
    written = X.copy()
    written[index] = 7
    found = apply("_slice_assign", X, np.full_like(X[index], 7), begin=begin, end=end, step=step)
    np.testing.assert_array_equal(found, written)


def test_slice_leaves_unknown_axes_unknown() -> None:
    assert infer_shapes("slice", [(None, 5)], begin=(1, 1), end=(3, 3))[1] == (None, 2)
    assert infer_shapes("slice_axis", [(None, 5)], axis=1, begin=1, end=3)[1] == (None, 2)
    found = infer_shapes("slice_axis", [(None, 5)], [(4, None)], axis=1, begin=1, end=3)
    assert found == [(4, 5), (4, 2)]


@pytest.mark.parametrize(
    "attributes",
    [
        {"begin": (0, 0, 0, 0), "end": (1, 1, 1, 1)},
        {"begin": (0, 1), "end": (1,)},
        {"begin": (0,), "end": (1,), "step": (1, 1)},
        {"begin": (0,), "end": (1,), "step": (0,)},
    ],
)
def test_malformed_slices_are_refused(attributes: dict[str, Any]) -> None:
    with pytest.raises(InferenceError, match="step"):
        apply("slice", X, **attributes)


@pytest.mark.parametrize(("begin", "end"), [(2, 1), (2, 2), (0, 5), (-4, 2)])
def test_slice_axis_refuses_empty_and_outlying_ranges(begin: int, end: int) -> None:
    with pytest.raises(InferenceError, match="is not a range of elements of an axis of 3"):
        apply("slice_axis", X, axis=1, begin=begin, end=end)


def test_slice_like_needs_room() -> None:
    with pytest.raises(InferenceError, match="axis 0 of data has 3 elements, shape_like 4"):
        apply("slice_like", np.zeros((3, 4)), np.zeros((4, 3)))
    with pytest.raises(InferenceError, match="unless axes are given"):
        apply("slice_like", np.zeros((3, 4)), np.zeros(3))


def test_the_window_of_crop_must_lie_inside() -> None:
    image = np.arange(20.0).reshape(1, 1, 4, 5)
    np.testing.assert_array_equal(
        apply("Crop", image, h_w=(2, 3), center_crop=True), image[:, :, 1:3, 1:4]
    )
    with pytest.raises(InferenceError, match="no window"):
        apply("Crop", image, h_w=(2, 3), offset=(3, 2))
    with pytest.raises(InferenceError, match="no window"):
        apply("Crop", image)


def test_transpose_is_inferred_backwards_and_checked() -> None:
    assert infer_shapes("transpose", [None], [(4, None, 2)], axes=(2, 0, 1))[0] == (None, 2, 4)
    for axes, message in {(0, 1): "all 3 axes", (0, 0, 1): "twice", (3, 0, 1): "axis 3"}.items():
        with pytest.raises(InferenceError, match=message):
            apply("transpose", X, axes=axes)


def test_depth_to_space_takes_corners_from_the_first_channels() -> None:
    """The numbers are MXNet 1.9.1's."""
    data = np.arange(8.0).reshape(1, 8, 1, 1)
    result = apply("depth_to_space", data, block_size=2)
    np.testing.assert_array_equal(result, [[[[0, 2], [4, 6]], [[1, 3], [5, 7]]]])
    assert infer_shapes("depth_to_space", [(None, 8, 2, 3)], block_size=2)[1] == (None, 2, 4, 6)
    assert infer_shapes("space_to_depth", [None], [(1, 8, 2, 3)], block_size=2)[0] == (1, 2, 4, 6)
    with pytest.raises(InferenceError, match="not a multiple of 9"):
        apply("depth_to_space", data, block_size=3)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("constant", [9, 9, 1, 2, 3, 9]),
        ("edge", [1, 1, 1, 2, 3, 3]),
        ("reflect", [3, 2, 1, 2, 3, 2]),
    ],
)
def test_pad_modes(mode: str, expected: list[float]) -> None:
    data = np.array([[[[1.0, 2.0, 3.0]]]])
    widths = (0, 0, 0, 0, 0, 0, 2, 1)
    result = apply("Pad", data, mode=mode, pad_width=widths, constant_value=9)
    np.testing.assert_array_equal(result[0, 0, 0], expected)


def test_pad_refuses_what_mxnet_refuses() -> None:
    data = np.zeros((1, 1, 1, 2), np.float32)
    with pytest.raises(InferenceError, match="cannot be mirrored"):
        apply("Pad", data, mode="reflect", pad_width=(0, 0, 0, 0, 0, 0, 2, 0))
    with pytest.raises(InferenceError, match="two numbers"):
        apply("Pad", data, mode="edge", pad_width=(0, 0, 0, 0, 1, 2))
    with pytest.raises(InferenceError, match="int32"):
        apply("Pad", data.astype(np.int32), mode="edge", pad_width=(0,) * 8)
    with pytest.raises(AttributeValueError, match="'constant'"):
        apply("Pad", data, mode="wrap", pad_width=(0,) * 8)


@pytest.mark.parametrize(
    ("shape", "k", "expected"),
    [((3,), 1, (4, 4)), ((3, 4), -1, (2,)), ((2, 3, 4), 1, (4, 2)), ((2, 3, 3, 2), 2, (3, 2, 1))],
)
def test_shapes_of_diagonals(shape: PartialShape, k: int, expected: PartialShape) -> None:
    assert infer_shapes("diag", [shape], k=k)[1] == expected


def test_a_diagonal_beyond_the_corner_does_not_exist() -> None:
    with pytest.raises(InferenceError, match="no diagonal 7"):
        apply("diag", np.zeros((2, 3)), k=7)


def test_repeating_no_times_forgets_the_axes_as_in_mxnet() -> None:
    assert apply("repeat", np.zeros((2, 3)), repeats=0, axis=1).shape == (0,)
    with pytest.raises(AttributeValueError, match="repeats=-1 must be"):
        apply("repeat", np.zeros(2), repeats=-1)
    with pytest.raises(InferenceError, match="negative"):
        apply("tile", np.zeros(2), reps=(-1,))


def test_products_are_inferred_both_ways() -> None:
    assert infer_shapes("dot", [(None, 3), (None, 4)], [(5, None)]) == [(5, 3), (3, 4), (5, 4)]
    found = infer_shapes("batch_dot", [(2, 5, 3), (None, 4, 3)], transpose_b=True)
    assert found == [(2, 5, 3), (2, 4, 3), (2, 5, 4)]
    found = infer_shapes("dot", [(3, 2), (3, None)], [(2, 4)], transpose_a=True)
    assert found == [(3, 2), (3, 4), (2, 4)]


def test_batch_dot_infers_nothing_while_more_than_the_batch_is_unknown_as_mxnet() -> None:
    unknown = [(2, 3, 4), (2, None, 5)]
    assert infer_shapes("batch_dot", unknown) == [*unknown, None]


@pytest.mark.parametrize(
    ("name", "lhs", "rhs", "attributes", "message"),
    [
        ("dot", (2, 3), (4, 5), {}, r"axis -1 of \(2, 3\) and axis 0 of \(4, 5\)"),
        ("dot", (3,), (3,), {"transpose_a": True}, "vectors cannot be transposed"),
        ("batch_dot", (3, 4), (4, 5), {}, "at least 3"),
        ("batch_dot", (1, 3, 4), (2, 4, 5), {}, r"cannot multiply \(1, 3, 4\) by \(2, 4, 5\)"),
        ("batch_dot", (2, 3, 4), (2, 5, 4), {}, "cannot multiply"),
    ],
)
def test_products_that_do_not_fit(
    name: str, lhs: tuple[int, ...], rhs: tuple[int, ...], attributes: Any, message: str
) -> None:
    with pytest.raises(InferenceError, match=message):
        apply(name, np.zeros(lhs), np.zeros(rhs), **attributes)


def test_products_of_integers_are_refused_as_in_mxnet() -> None:
    with pytest.raises(InferenceError, match="int32"):
        apply("dot", np.zeros((2, 2), np.int32), np.zeros((2, 2), np.int32))


def test_dot_of_more_axes_sums_the_last_against_the_first() -> None:
    a, b = np.arange(24.0).reshape(2, 3, 4), np.arange(40.0).reshape(4, 5, 2)
    np.testing.assert_array_equal(apply("dot", a, b), np.tensordot(a, b, 1))
    np.testing.assert_array_equal(
        apply(
            "dot", a.transpose(2, 0, 1), b.transpose(1, 2, 0), transpose_a=True, transpose_b=True
        ),
        np.tensordot(a, b, 1),
    )
    assert apply("dot", np.arange(3.0), np.arange(3.0)).tolist() == [5.0]
