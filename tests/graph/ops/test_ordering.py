"""Sorting and selecting: ties, long axes, dtypes and errors."""

import numpy as np
import pytest

from gluonic import autograd, nd, sym
from gluonic.gluon import nn
from gluonic.graph.errors import InferenceError
from tests.graph.applying import apply, infer_shapes

TIES = np.array([3.0, 1, 3, 1, 3, 2, 2, 1])


def test_equal_elements_keep_their_order() -> None:
    """The numbers are MXNet 1.9.1's."""
    np.testing.assert_array_equal(apply("argsort", TIES), [1, 3, 7, 5, 6, 0, 2, 4])
    found = apply("argsort", TIES, is_ascend=False)
    np.testing.assert_array_equal(found, [0, 2, 4, 5, 6, 1, 3, 7])
    np.testing.assert_array_equal(apply("topk", TIES, k=4), [0, 2, 4, 5])
    np.testing.assert_array_equal(apply("topk", TIES, k=4, is_ascend=True), [1, 3, 7, 5])


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_topk_of_long_axes_is_the_head_of_the_sorted_array(
    ascending: bool, axis: int | None
) -> None:
    data = np.random.Generator(np.random.Philox(0)).permutation(30000).reshape(150, 200)
    for k in (1, 7):
        values, index = apply(
            "topk", data, axis=axis, k=k, ret_typ="both", is_ascend=ascending, dtype="int64"
        )
        ordered = apply("sort", data, axis=axis, is_ascend=ascending)
        np.testing.assert_array_equal(values, np.take(ordered, range(k), axis or 0))
        flat = data.ravel() if axis is None else data
        np.testing.assert_array_equal(np.take_along_axis(flat, index, axis or 0), values)


def test_positions_are_float32_unless_asked_otherwise() -> None:
    assert apply("topk", TIES).dtype == apply("argsort", TIES).dtype == np.float32
    assert apply("topk", TIES, dtype="int32").dtype == np.int32
    with pytest.raises(InferenceError, match="int8"):
        apply("argsort", TIES, dtype="int8")


def test_topk_mask_marks_the_chosen() -> None:
    found = apply("topk", TIES.astype(np.int32), k=2, ret_typ="mask")
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, [1, 0, 1, 0, 0, 0, 0, 0])


def test_topk_refuses_more_than_there_are() -> None:
    assert apply("topk", TIES, k=-1, ret_typ="value").shape == (8,)
    assert apply("topk", TIES[:0], k=3).shape == (0,)
    with pytest.raises(InferenceError, match="k is 9 but the axis has only 8"):
        apply("topk", TIES, k=9)
    assert infer_shapes("topk", [(None, 5)], k=2, axis=1)[1] == (None, 2)
    assert infer_shapes("argsort", [(2, 3)], axis=None)[1] == (6,)


@pytest.mark.parametrize("is_hybridized", [False, True])
@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "int64"])
@pytest.mark.parametrize("size", [200, 3000])
def test_the_gradient_of_topk_values_does_not_depend_on_the_dtype_of_indices(
    size: int, dtype: str, is_hybridized: bool
) -> None:
    net = nn.HybridLambda(lambda F, x: F.topk(x, k=2, ret_typ="value", dtype=dtype))
    if is_hybridized:
        net.hybridize(compile_at_once=True)
    x = nd.arange(size)
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward(nd.array([5, 3]))
    assert np.flatnonzero(x.grad.asnumpy()).tolist() == [size - 2, size - 1]
    assert x.grad.asnumpy()[-2:].tolist() == [3, 5]


def test_indices_beyond_those_that_float32_holds_have_right_gradients() -> None:
    size = 2**24 + 4
    x = nd.arange(size, dtype="int32").astype("float32")
    x[size - 1] = size * 2  # the float32 of this index is that of another element
    x.attach_grad()
    with autograd.record():
        y = nd.topk(x, ret_typ="value")
    y.backward()
    assert np.flatnonzero(x.grad.asnumpy()).tolist() == [size - 1]


@pytest.mark.parametrize(
    ("dtype", "most"), [("uint8", 256), ("float16", 2049), ("float32", 2**24 + 1), ("int32", 2**31)]
)
def test_topk_refuses_to_return_values_with_indices_that_their_dtype_cannot_hold(
    dtype: str, most: int
) -> None:
    found = sym.topk(sym.Variable("x"), ret_typ="both", dtype=dtype)
    assert found.infer_shape(x=(most,))[1] == [(1,), (1,)]
    for size in (most + 1, most + 2, 2 * most):
        with pytest.raises(InferenceError, match=f"{dtype} cannot represent .* {size} elements"):
            found.infer_shape(x=(size,))
    rounded = sym.topk(sym.Variable("x"), dtype=dtype)  # MXNet returns these, too
    assert rounded.infer_shape(x=(2 * most,))[1] == [(1,)]


def test_histograms_count_by_intervals() -> None:
    """The numbers are MXNet 1.9.1's."""
    data = np.array([0, 1, 2.5, 3, 4, 4, 5, -1, 9], np.float32)
    counts, ends = apply("_histogram", data, bin_cnt=5, range=(0, 5))
    np.testing.assert_array_equal(counts, [1, 1, 1, 1, 3])
    np.testing.assert_array_equal(ends, np.arange(6))
    counts, _ = apply("_histogram", data, np.array([0, 1, 3, 5], np.float32))
    np.testing.assert_array_equal(counts, [1, 2, 4])
    assert counts.dtype == np.int64
    with pytest.raises(InferenceError, match="both of bin_cnt and range"):
        apply("_histogram", data, bin_cnt=5)
    with pytest.raises(InferenceError, match="cannot be made"):
        apply("_histogram", data, bin_cnt=5, range=(5, 0))
