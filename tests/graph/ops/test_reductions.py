"""Reductions, broadcasting and statistics against values measured on MXNet 1.9.1."""

from typing import Any

import numpy as np
import pytest

from gluonic.graph.errors import InferenceError
from tests.graph.applying import apply, infer_shapes

X = np.array([[1, 2, 3], [4, 5, 6]], "float32")


def test_reducing_all_axes_leaves_one_element() -> None:
    assert apply("sum", X).shape == (1,)
    assert apply("sum", X, axis=()).tolist() == [21]
    assert apply("sum", X, axis=(0, 1), keepdims=True).shape == (1, 1)


def test_exclude_reduces_the_other_axes() -> None:
    assert apply("sum", X, axis=0, exclude=True).tolist() == [6, 15]


@pytest.mark.parametrize("axis", [2, -3, (0, 0), (1, -1)])
def test_missing_or_repeated_axes_are_refused(axis: Any) -> None:
    with pytest.raises(InferenceError, match="axis="):
        apply("sum", X, axis=axis)


@pytest.mark.parametrize(
    ("name", "dtype", "expected"),
    [
        ("sum", "int32", 21),
        ("mean", "int32", 3),
        ("prod", "int32", 720),
        ("max", "int32", 6),
        ("norm", "int32", 9),
        ("nansum", "int32", 21),
    ],
)
def test_reductions_keep_the_dtype(name: str, dtype: str, expected: float) -> None:
    result = apply(name, X.astype(dtype))
    assert (result.dtype, result.tolist()) == (np.dtype(dtype), [expected])


def test_integer_sums_wrap_around() -> None:
    assert apply("sum", (X * 50).astype("int8")).tolist() == [26]


def test_float16_is_summed_in_float32() -> None:
    assert apply("sum", np.ones(4096, "float16")).tolist() == [4096]
    assert apply("mean", np.full(4096, 100, "float16")).tolist() == [100]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("max", np.nan), ("min", np.nan), ("nansum", 3), ("nanprod", 2), ("sum", np.nan)],
)
def test_nan_in_reductions(name: str, expected: float) -> None:
    np.testing.assert_array_equal(apply(name, np.array([1, np.nan, 2])), [expected])


def test_reductions_of_nothing() -> None:
    empty = np.ones((2, 0))
    assert apply("sum", empty, axis=1).tolist() == [0, 0]
    assert apply("prod", empty, axis=1).tolist() == [1, 1]
    assert apply("max", empty, axis=1).tolist() == [-np.inf, -np.inf]
    assert np.isnan(apply("mean", empty, axis=1)).all()


def test_the_axes_that_remain_follow_from_the_output() -> None:
    assert infer_shapes("sum", [(None, 3)], [(2,)], axis=1) == [(2, 3), (2,)]
    assert infer_shapes("mean", [(None, 3)], [(2, 1)], axis=1, keepdims=True) == [(2, 3), (2, 1)]


def test_broadcast_to_keeps_axes_given_as_zero() -> None:
    assert apply("broadcast_to", np.ones((1, 3)), shape=(2, 0)).shape == (2, 3)


def test_broadcast_like_may_name_axes() -> None:
    result = apply(
        "broadcast_like", np.ones((1, 3)), np.ones((5, 7, 9)), lhs_axes=(0,), rhs_axes=(-1,)
    )
    assert result.shape == (9, 3)


@pytest.mark.parametrize(
    ("name", "shapes", "attributes"),
    [
        ("broadcast_add", [(2, 3), (2,)], {}),
        ("broadcast_to", [(2, 3)], {"shape": (2, 4)}),
        ("broadcast_axis", [(2, 3)], {"axis": (0,), "size": (4,)}),
        ("broadcast_like", [(2, 3), (2, 4)], {}),
        ("broadcast_like", [(2, 3), (2, 4)], {"lhs_axes": (1,), "rhs_axes": (1,)}),
        ("broadcast_like", [(1, 3), (2, 4)], {"lhs_axes": (2,), "rhs_axes": (1,)}),
    ],
)
def test_shapes_that_cannot_be_broadcast_are_refused(
    name: str, shapes: list[tuple[int, ...]], attributes: dict[str, Any]
) -> None:
    with pytest.raises(InferenceError):
        apply(name, *map(np.ones, shapes), **attributes)


def test_an_unknown_axis_takes_the_longer_extent() -> None:
    assert infer_shapes("broadcast_add", [(None, 3), (5, 1)])[2] == (5, 3)
    assert infer_shapes("broadcast_add", [(None, 3), (1, 1)])[2] == (None, 3)


def test_argmax_finds_nan_and_the_first_of_equals() -> None:
    assert apply("argmax", np.array([[1, np.nan, 3], [2, 2, 1]]), axis=1).tolist() == [1, 0]
    assert apply("argmin", X).tolist() == [0]
    assert apply("argmax", X.astype("float16"), axis=0).dtype == np.float16


def test_moments_are_mean_and_variance() -> None:
    mean, var = apply("moments", X, axes=(0,))
    assert (mean.tolist(), var.tolist()) == ([2.5, 3.5, 4.5], [2.25, 2.25, 2.25])


def test_cumsum_flattens_without_an_axis() -> None:
    assert apply("cumsum", X).tolist() == [1, 3, 6, 10, 15, 21]
    assert apply("cumsum", np.array([True, True])).dtype == np.int64


def test_where_chooses_elements_or_rows() -> None:
    assert apply("where", X > 2, X, -X).tolist() == [[-1, -2, 3], [4, 5, 6]]
    assert apply("where", np.array([1, 0]), X, -X).tolist() == [[1, 2, 3], [-4, -5, -6]]
    with pytest.raises(InferenceError, match="condition"):
        apply("where", np.ones(3), X, X)


def test_where_infers_its_inputs_from_each_other() -> None:
    assert infer_shapes("where", [(2, 3), None, None]) == [(2, 3)] * 4
    assert infer_shapes("where", [(2,), (2, 3), None]) == [(2,), (2, 3), (2, 3), (2, 3)]


def test_where_waits_for_its_whole_condition_as_mxnet() -> None:
    unknown = [(None,), (2, 3), (2, 3)]
    assert infer_shapes("where", unknown) == [*unknown, None]


@pytest.mark.parametrize(
    ("dtype", "expected"), [("uint8", [255, 44, 2, 253]), ("int32", [-1, 300, 2, -3])]
)
def test_casts_to_integers_drop_the_fraction_and_wrap(dtype: str, expected: list[int]) -> None:
    data = np.array([-1.5, 300, 2.7, -3], "float32")
    assert apply("cast", data, dtype=dtype).tolist() == expected


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"start": 5}, [0, 1, 2, 3, 4]),
        ({"start": 2, "stop": 3.5, "step": 0.5, "repeat": 2}, [2, 2, 2.5, 2.5, 3, 3]),
        ({"start": 5, "stop": 1, "step": -1, "dtype": "int32"}, [5, 4, 3, 2]),
        ({"start": 0.5, "stop": 5, "dtype": "int32"}, [0, 1, 2, 3, 4]),
    ],
)
def test_arange(attributes: dict[str, Any], expected: list[float]) -> None:
    assert apply("_arange", **attributes).tolist() == expected


def test_linspace_ends_where_it_should() -> None:
    assert apply("_linspace", start=0, stop=5, num=3).tolist() == [0, 2.5, 5]
    assert apply("_linspace", start=0, stop=6, num=3, endpoint=False).tolist() == [0, 2, 4]
    assert apply("_linspace", start=0, stop=5, num=4, dtype="int32").tolist() == [0, 1, 3, 5]


def test_arange_like_counts_along_an_axis() -> None:
    assert apply("_contrib_arange_like", X, axis=-1, start=2, step=0.5).tolist() == [2, 2.5, 3]
    assert apply("_contrib_arange_like", X, repeat=2).tolist() == [[0, 0, 1], [1, 2, 2]]


def test_mixed_precision_casts_floating_numbers_only() -> None:
    assert apply("amp_cast", X, dtype="float16").dtype == np.float16
    assert apply("amp_cast", X.astype("int32"), dtype="float16").dtype == np.int32
    wide = apply("amp_multicast", X, X.astype("float16"), np.arange(2))
    assert [a.dtype.name for a in wide] == ["float32", "float32", "int64"]
    narrow = apply("amp_multicast", X, X.astype("float16"), cast_narrow=True)
    assert [a.dtype.name for a in narrow] == ["float16", "float16"]


def test_multi_lars_leaves_rates_where_a_norm_is_zero() -> None:
    rates = apply(
        "multi_lars",
        *(np.array(v, "float32") for v in ([0.1, 0.2], [1, 2], [3, 0], [0.01, 0.02])),
        eta=0.001,
        eps=1e-8,
        rescale_grad=2.0,
    )
    assert rates.tolist() == pytest.approx([2.8784421e-05, 0.2])
