"""Sorting, the largest or smallest elements, and histograms."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.attributes import DType
from gluonic.graph.axes import axis_of, product, replaced, require_rank
from gluonic.graph.errors import InferenceError, describe
from gluonic.graph.extrema import extreme_of_nothing
from gluonic.graph.indices import positions
from gluonic.graph.operator import Array, operator
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, PartialShape, put, title_of

FLOAT32, INT64 = DType(np.dtype("float32")), np.dtype("int64")
_PARTITION_FROM = 64  # shorter axes are sorted as a whole
_MOST_SELECTED, _SELECTED_OF = 32, 16
"""The most elements that are found one after the other, and of how many each: NumPy compares many at once."""
_COMPARED_TOGETHER = frozenset({"f4", "f8", "i4", "i8"})


def _order(data: Array, axis: int, ascending: bool) -> Any:
    """Find the indices that sort along an axis; equal elements keep their order."""
    if ascending:
        return np.argsort(data, axis, kind="stable")
    backwards: Array = np.flip(np.argsort(np.flip(data, axis), axis, kind="stable"), axis)
    return np.subtract(data.shape[axis] - 1, backwards)


def _selected(data: Array, axis: int, count: int, ascending: bool) -> Array | None:
    """Find the first elements one after the other; None if they cannot be told from those found before."""
    moved = np.moveaxis(data, axis, -1)
    rows = moved.reshape(-1, data.shape[axis]).copy()
    found, numbers = np.empty((len(rows), count), np.intp), np.arange(len(rows))
    last = extreme_of_nothing("min" if ascending else "max", data.dtype)  # found last, if at all
    for number in range(count):
        best = rows.argmin(1) if ascending else rows.argmax(1)
        values = rows[numbers, best]
        is_found = number > 0 and bool((values == last).any())
        if is_found or (ascending and bool((values != values).any())):  # NaN is sorted behind
            return None
        found[:, number] = best
        rows[numbers, best] = last
    return np.moveaxis(found.reshape(*moved.shape[:-1], count), -1, axis)


def _first(data: Array, axis: int, count: int, ascending: bool) -> Array:
    """Find the indices of the first `count` elements in sorted order along an axis."""
    size = data.shape[axis]
    if size < _PARTITION_FROM or count * 4 > size:
        return np.take(_order(data, axis, ascending), range(count), axis)
    is_fast = data.dtype.str[1:] in _COMPARED_TOGETHER and data.dtype.isnative
    if is_fast and count <= min(_MOST_SELECTED, size // _SELECTED_OF):
        selected = _selected(data, axis, count, ascending)
        if selected is not None:
            return selected
    if ascending:
        chosen = np.take(np.argpartition(data, count - 1, axis), range(count), axis)
    else:
        parted = np.argpartition(data, size - count, axis)
        chosen = np.take(parted, range(size - count, size), axis)
    chosen.sort(axis)
    inner = _order(np.take_along_axis(data, chosen, axis), axis, ascending)
    return np.take_along_axis(chosen, inner, axis)


def _flat(data: Array, axis: int | None) -> tuple[Array, int]:
    """Flatten the array where no axis is named."""
    return (data.ravel(), 0) if axis is None else (data, axis)


def _ordered_shape(n: NodeView) -> PartialShape:
    """The shape of the sorted array: that of the data, or flat where no axis is named."""
    if n.axis is None:
        return (product(n.data),)
    axis_of(n.axis, len(n.data), title_of(n))
    shape: PartialShape = n.data
    return shape


@operator("_take_along_axis")
def take_along_axis(data: Array, index: Array, *, axis: int | None = -1) -> Any:
    """Reorder the elements along an axis, separately for each index of the other axes.

    Parameters
    ----------
    data : any array
    index : the indices of the chosen elements, without repetition; of the shape of `data` except along `axis`
    axis : the axis; None: of the flattened array
    """
    flat, along = _flat(data, axis)
    return np.take_along_axis(flat, positions(index, flat.shape[along], "clip", "take"), along)


@take_along_axis.infer_shape
def _(n: NodeView) -> None:
    n.output = n.index


take_along_axis.infer_dtype(like("data"))


@adjoint(take_along_axis)
def _(grad: Array, data: Array, index: Array, *, axis: int | None) -> Any:
    """Put the gradients at the indices of the elements, zeros elsewhere."""
    result = np.zeros_like(data)
    flat, along = _flat(result, axis)
    where = positions(index, flat.shape[along], "clip", "take")
    np.put_along_axis(flat, where, grad, along)
    return flat.reshape(data.shape)


@operator("sort", outputs=("output0", "output1"), visible=1)
def sort(data: Array, *, axis: int | None = -1, is_ascend: bool = True) -> tuple[Array, Array]:
    """Sort along an axis; equal elements keep their order.

    Parameters
    ----------
    data : any array
    axis : the axis; None: the flattened array is sorted
    is_ascend : whether the smallest element comes first, or the largest

    Returns
    -------
    array, array
        the sorted array, and (hidden) the index of each element in `data`, int64
    """
    flat, along = _flat(data, axis)
    order = _order(flat, along, is_ascend)
    return np.take_along_axis(flat, order, along), order


@sort.infer_shape
def _(n: NodeView) -> None:
    n.output0 = n.output1 = _ordered_shape(n)
    if n.axis is not None:
        n.data = n.output0


@sort.infer_dtype
def _(n: NodeView) -> None:
    n.output1 = INT64
    like("data", "output0")(n)


@sort.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    return {"data": F._backward_take_along_axis(heads[0], n.data, n.output1, axis=n.axis)}


def _index_dtype(n: NodeView) -> np.dtype[Any]:
    if n.dtype in (np.bool_, np.int8):
        raise InferenceError(f"{title_of(n)}: positions cannot have dtype {n.dtype.name}")
    dtype: np.dtype[Any] = n.dtype
    return dtype


@operator("argsort")
def argsort(
    data: Array, *, axis: int | None = -1, is_ascend: bool = True, dtype: DType = FLOAT32
) -> Any:
    """Find the indices that sort an array along an axis; equal elements keep their order.

    Parameters
    ----------
    data : any array
    axis : the axis; None: indices into the flattened array
    is_ascend : whether the smallest element comes first, or the largest
    dtype : the dtype of the indices
    """
    flat, along = _flat(data, axis)
    return _order(flat, along, is_ascend)


@argsort.infer_shape
def _(n: NodeView) -> None:
    n.output = _ordered_shape(n)
    if n.axis is not None:
        n.data = n.output


@argsort.infer_dtype
def _(n: NodeView) -> None:
    n.output = _index_dtype(n)


argsort.gradient()

Returned = Literal["value", "indices", "mask", "both"]


def _topk_outputs(n: Any) -> list[str]:
    return ["output0", "output1"] if n.ret_typ in ("value", "both") else ["output"]


@operator("topk", outputs=_topk_outputs, visible=lambda n: 2 if n.ret_typ == "both" else 1)
def topk(
    data: Array,
    *,
    axis: int | None = -1,
    k: int = 1,
    ret_typ: Returned = "indices",
    is_ascend: bool = False,
    dtype: DType = FLOAT32,
) -> Any:
    """Find the k largest elements along an axis, in order.

    Parameters
    ----------
    data : any array
    axis : the axis; None: of the flattened array
    k : their number; all if less than one
    ret_typ : ``value`` returns the elements, ``indices`` their indices, ``both`` these two, ``mask``
        an array like `data` with 1 at the elements and 0 elsewhere
    is_ascend : find the smallest elements instead
    dtype : the dtype of the indices; beside values it must represent each of them exactly
    """
    flat, along = _flat(data, axis)
    count = k if k > 0 else flat.shape[along]
    index = _first(flat, along, min(count, flat.shape[along]), is_ascend)
    if ret_typ == "indices":
        return index
    if ret_typ == "mask":
        mask = np.zeros(flat.shape, data.dtype)
        np.put_along_axis(mask, index, 1, along)
        return mask.reshape(data.shape)
    return np.take_along_axis(flat, index, along), index


def _require_exact(n: NodeView, size: int) -> None:
    """Refuse indices that the dtype would round or wrap around, because the gradient reads them."""
    last_two = np.arange(max(size - 2, 0), size)  # of which one is odd: rounding changes it first
    with np.errstate(over="ignore"):
        written = last_two.astype(n.dtype).astype(np.float64)
    if (written != last_two).any():
        problem = f"{n.dtype.name} cannot represent the indices of an axis of {size} elements"
        raise InferenceError(describe(problem, where=title_of(n), hint="dtype='int32' or 'int64'"))


@topk.infer_shape
def _(n: NodeView) -> None:
    shape = _ordered_shape(n)
    axis = 0 if n.axis is None else n.axis % len(shape)
    size = shape[axis]
    if size is not None and n.k > size > 0:
        raise InferenceError(f"{title_of(n)}: k is {n.k} but the axis has only {size} elements")
    if n.ret_typ == "both" and size is not None:
        _require_exact(n, size)
    found = replaced(shape, axis, n.k if n.k > 0 and size != 0 else size)
    for name in _topk_outputs(n):
        put(n, name, n.data if n.ret_typ == "mask" else found)


@topk.infer_dtype
def _(n: NodeView) -> None:
    index, values = _index_dtype(n), {"mask": "output", "value": "output0", "both": "output0"}
    if n.ret_typ == "indices":
        n.output = index
    else:
        if n.ret_typ != "mask":  # the hidden index of values is read by the gradient alone
            n.output1 = index if n.ret_typ == "both" else INT64
        like("data", values[n.ret_typ])(n)


@topk.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    if n.ret_typ not in ("value", "both") or heads[0] is None:
        return {}
    return {"data": F._backward_take_along_axis(heads[0], n.data, n.output1, axis=n.axis)}


@operator(
    "_histogram",
    outputs=("output0", "output1"),
    absent=lambda n: () if n.bin_cnt is None else ("bins",),
)
def histogram(
    data: Array,
    bins: Array | None = None,
    *,
    bin_cnt: int | None = None,
    range: tuple[float, ...] | None = None,
) -> tuple[Array, Array]:
    """Count elements by intervals.

    Parameters
    ----------
    data : any array
    bins : the edges of the intervals, ascending, one more than intervals; the last interval
        contains its upper edge
    bin_cnt : the number of equal intervals, instead of `bins`
    range : the lower edge of the first and the upper edge of the last, with `bin_cnt`

    Returns
    -------
    array, array
        the counts, int64, and the edges of the intervals
    """
    if bins is not None:
        return np.histogram(data, bins)[0], bins
    assert range is not None
    counts, edges = np.histogram(data, bin_cnt or 0, (range[0], range[1]))
    return counts, edges


@histogram.infer_shape
def _(n: NodeView) -> None:
    if (n.bin_cnt is None) != (n.range is None):
        raise InferenceError(f"{title_of(n)}: needs both of bin_cnt and range, or neither")
    if n.bin_cnt is None:
        require_rank(n.bins, (1,), f"{title_of(n)}: bins")
        (ends,) = n.bins
        if ends == 0:
            raise InferenceError(f"{title_of(n)}: bins has no elements, so there is no interval")
        n.output0, n.output1 = (None if ends is None else ends - 1,), (ends,)
        return
    if len(n.range) != 2 or n.range[0] >= n.range[1] or n.bin_cnt < 1:
        raise InferenceError(
            f"{title_of(n)}: {n.bin_cnt} intervals in the range {n.range} cannot be made"
        )
    n.output0, n.output1 = (n.bin_cnt,), (n.bin_cnt + 1,)


@histogram.infer_dtype
def _(n: NodeView) -> None:
    n.output0 = np.dtype(np.int64)
    like("data", "output1", *([] if n.bin_cnt is not None else ["bins"]))(n)


histogram.gradient()
