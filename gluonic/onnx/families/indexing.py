"""Look-ups, gathering, scattering, sequences of different lengths."""

from typing import Any

import numpy as np

from gluonic.onnx.errors import NotExportable, NotImportable
from gluonic.onnx.families.norms import positions_below
from gluonic.onnx.sizes import is_open
from gluonic.onnx.table import family
from gluonic.onnx.use import (
    one_element,
    output_shape,
    reshaped,
    shape_of,
    size_vector,
)
from gluonic.onnx.writer import BOOL, INT64

indexing = family("look-ups and sequences")


def _bounded(o: Any, n: Any, indices: Any, length: Any, mode: str) -> Any:
    """Indices as int64, clipped or wrapped to an axis's length."""
    whole = o.cast(indices, INT64)
    size = o.squeeze(size_vector(n, (length,)), 0)
    if mode == "wrap":
        return o.Mod(whole, size)
    if mode == "clip":
        return o.Clip(whole, np.array(0, np.int64), o.Sub(size, np.array(1, np.int64)))
    return whole


@indexing.write("take")
def _(o: Any, n: Any) -> Any:
    axis = n.axis % len(shape_of(n, "a"))
    index = _bounded(o, n, n.indices, shape_of(n, "a")[axis], n.mode)
    return o.Gather(n.a, index, axis=axis)


@indexing.write("Embedding", "_contrib_SparseEmbedding")
def _(o: Any, n: Any) -> Any:
    return o.Gather(n.weight, _bounded(o, n, n.data, n.input_dim, "clip"), axis=0)


@indexing.write("pick")
def _(o: Any, n: Any) -> Any:
    shape = shape_of(n, "data")
    axis = n.axis % len(shape)
    index = _bounded(o, n, n.index, shape[axis], n.mode)
    if len(shape_of(n, "index")) < len(shape):
        index = o.unsqueeze(index, axis)
    picked = o.GatherElements(n.data, index, axis=axis)
    return picked if n.keepdims else one_element(o, n, o.squeeze(picked, axis))


@indexing.write("batch_take")
def _(o: Any, n: Any) -> Any:
    length = shape_of(n, 0)[-1]
    index = o.Reshape(_bounded(o, n, n.indices, length, "clip"), [-1, 1])
    rows = reshaped(o, n, n.a, (), (-1, length))
    return o.Reshape(o.GatherElements(rows, index, axis=1), size_vector(n, output_shape(n)))


@indexing.write("one_hot")
def _(o: Any, n: Any) -> Any:
    index = o.cast(n.indices, INT64)
    depth = np.array(n.depth, np.int64)
    below = o.Where(o.Less(index, np.array(0, np.int64)), depth, index, result=INT64)
    return o.OneHot(
        below, depth, np.array([n.off_value, n.on_value], np.float32), axis=-1, result=np.float32
    )


@indexing.write("gather_nd")
def _(o: Any, n: Any) -> Any:
    rank = len(shape_of(n, "indices"))
    index = o.Transpose(o.cast(n.indices, INT64), perm=[*range(1, rank), 0])
    return o.GatherND(n.data, index)


@indexing.write("scatter_nd")
def _(o: Any, n: Any) -> Any:
    rank = len(shape_of(n, "indices"))
    index = o.Transpose(o.cast(n.indices, INT64), perm=[*range(1, rank), 0])
    zeros = o.Expand(np.zeros((1,) * len(n.shape), n.data.dtype), list(n.shape))
    return o.ScatterND(zeros, index, n.data)


@indexing.write("_contrib_index_copy")
def _(o: Any, n: Any) -> Any:
    index = o.unsqueeze(o.cast(n.index_vector, INT64), 1)
    return o.ScatterND(n.old_tensor, index, n.new_tensor)


@indexing.write("_contrib_boolean_mask")
def _(o: Any, n: Any) -> Any:
    return o.Compress(n.data, o.cast(n.index, BOOL), axis=n.axis)


def _lengths(o: Any, n: Any) -> Any:
    """The lengths of the sequences, shaped to broadcast over the data."""
    shape = [1] * len(shape_of(n, "data"))
    shape[1 - n.axis] = -1
    return o.Reshape(o.cast(n.sequence_length, INT64), shape)


@indexing.write("SequenceMask")
def _(o: Any, n: Any) -> Any:
    if n.sequence_length is None:
        return o.Identity(n.data)
    inside = positions_below(o, n, n.axis, _lengths(o, n))
    number = o.constant(np.array(n.value).astype(n.data.dtype))
    return o.Where(inside, n.data, number, result=n.data.dtype)


@indexing.write("SequenceLast")
def _(o: Any, n: Any) -> Any:
    if n.sequence_length is None:
        return o.squeeze(o.slice(n.data, [n.axis], [-1], [2**31 - 1]), n.axis)
    last = o.Sub(o.cast(n.sequence_length, INT64), np.array(1, np.int64))
    data = n.data if n.axis == 1 else _exchanged(o, n, n.data)
    return o.GatherND(data, o.unsqueeze(last, 1), batch_dims=1)


def _exchanged(o: Any, n: Any, value: Any) -> Any:
    """Time and batch exchanged."""
    rank = len(shape_of(n, "data"))
    return o.Transpose(value, perm=[1, 0, *range(2, rank)])


@indexing.write("SequenceReverse")
def _(o: Any, n: Any) -> Any:
    if n.sequence_length is None:
        return o.slice(n.data, [n.axis], [-1], [-(2**31)], [-1])
    lengths = o.cast(n.sequence_length, INT64)
    return o.ReverseSequence(n.data, lengths, time_axis=n.axis, batch_axis=1 - n.axis)


@indexing.write("_take_along_axis")
def _(o: Any, n: Any) -> Any:
    if n.axis is None:
        raise NotExportable("axis must be a number")
    return o.GatherElements(n.data, o.cast(n.index, INT64), axis=n.axis)


# ------------------------------------------------------------------------ reading


def _positive(F: Any, n: Any, index: Any, length: Any) -> Any:
    """Indices of which negative ones count from the end."""
    if is_open(length):
        raise NotImportable("negative indices along an open size")
    return F._npi_where(index < 0, index + int(length), index)


@indexing.read("Gather")
def _(F: Any, n: Any) -> Any:
    axis, index = n.attribute("axis", 0) % n.rank(), n.known_or_none(1)
    table = n.known_or_none(0)
    if index is not None and index.ndim == 0 and index.dtype != object:
        at = int(index)
        at = at + n.shape()[axis] if at < 0 and not is_open(n.shape()[axis]) else at
        part = F.slice_axis(n[0], axis=axis, begin=at, end=None if at == -1 else at + 1)
        return F._np_squeeze(part, axis=(axis,))
    if (
        table is not None
        and table.ndim == 2
        and axis == 0
        and index is None
        and table.dtype.kind == "f"
    ):
        rows, width = table.shape
        return F.Embedding(n[1], n[0], input_dim=rows, output_dim=width, dtype=table.dtype.name)
    return F.take(n[0], n[1], axis=axis, mode="wrap")


@indexing.read("ai.onnx.ml.ArrayFeatureExtractor")
def _(F: Any, n: Any) -> Any:
    columns = F.take(n[0], F.Reshape(n[1], shape=(-1,)), axis=n.rank() - 1, mode="clip")
    return F.expand_dims(columns, axis=0) if n.rank() == 1 else columns


def _positions(F: Any, n: Any, shape: tuple[int, ...], axis: int, index: Any) -> Any:
    """The positions in an array, (rank, …), of the elements that indices along an axis name."""
    grid = np.indices(shape, np.int64)
    rows = [
        F.expand_dims(index if i == axis else n.constant(grid[i]), axis=0)
        for i in range(len(shape))
    ]
    return F.Concat(*rows, dim=0) if len(rows) > 1 else rows[0]


@indexing.read("GatherElements")
def _(F: Any, n: Any) -> Any:
    axis = n.attribute("axis", 0) % n.rank()
    index = F.Cast(_positive(F, n, n[1], n.shape()[axis]), dtype="int64")
    return F.gather_nd(n[0], _positions(F, n, n.fixed_shape(1), axis, index))


@indexing.read("GatherND")
def _(F: Any, n: Any) -> Any:
    count, rank = n.attribute("batch_dims", 0), n.rank(1)
    shape = n.fixed_shape(1)
    limits = np.array(n.fixed_shape(0)[count : count + shape[-1]], np.int64)
    index = F._npi_where(n[1] < 0, F.broadcast_add(n[1], n.constant(limits)), n[1])
    if count:
        grid = np.indices(shape[:count], np.int64)
        batch = [grid[i].reshape(*shape[:count], *[1] * (rank - count)) for i in range(count)]
        whole = [np.broadcast_to(each, (*shape[:-1], 1)) for each in batch]
        index = F.Concat(n.constant(np.concatenate(whole, -1)), index, dim=rank - 1)
    return F.gather_nd(n[0], F.transpose(index, axes=(rank - 1, *range(rank - 1))))


@indexing.read("ScatterElements", "Scatter")
def _(F: Any, n: Any) -> Any:
    axis = n.attribute("axis", 0) % n.rank()
    index = F.Cast(_positive(F, n, n[1], n.shape()[axis]), dtype="int64")
    return _scattered(F, n, _positions(F, n, n.fixed_shape(1), axis, index))


@indexing.read("ScatterND")
def _(F: Any, n: Any) -> Any:
    rank = n.rank(1)
    limits = np.array(n.fixed_shape(0)[: n.fixed_shape(1)[-1]], np.int64)
    index = F._npi_where(n[1] < 0, F.broadcast_add(n[1], n.constant(limits)), n[1])
    return _scattered(F, n, F.transpose(index, axes=(rank - 1, *range(rank - 1))))


def _scattered(F: Any, n: Any, positions: Any) -> Any:
    kind, shape = n.attribute("reduction", "none"), n.fixed_shape(0)
    if kind == "none":
        return F._scatter_set_nd(n[0], n[2], positions, shape=shape)
    if kind == "add":
        return F.broadcast_add(n[0], F._backward_gather_nd(n[2], positions, shape=shape))
    raise NotImportable(f"reduction={kind!r}")


@indexing.read("OneHot")
def _(F: Any, n: Any) -> Any:
    depth, values = int(n.known(1).item()), n.known(2)
    index = F._npi_where(n[0] < 0, n[0] + depth, n[0])
    off, on = values.tolist()
    dtype = n.dtype(2).name
    hot = F.one_hot(index, depth=depth, on_value=float(on), off_value=float(off), dtype=dtype)
    rank = n.rank()
    axis = n.attribute("axis", -1) % (rank + 1)
    order = list(range(rank))
    order.insert(axis, rank)
    return hot if axis == rank else F.transpose(hot, axes=tuple(order))


@indexing.read("Compress")
def _(F: Any, n: Any) -> Any:
    kept, axis = np.flatnonzero(n.known(1)), n.attribute("axis")
    data = n[0] if axis is not None else F._np_reshape(n[0], newshape=(-1,))
    return F.take(data, n.constant(kept.astype(np.int64)), axis=axis or 0, mode="clip")


@indexing.read("ReverseSequence")
def _(F: Any, n: Any) -> Any:
    time = n.attribute("time_axis", 0)
    return (
        F.SequenceReverse(n[0], n[1], use_sequence_length=True, axis=0)
        if time == 0
        else _turned(F, n)
    )


def _turned(F: Any, n: Any) -> Any:
    order = (1, 0, *range(2, n.rank()))
    turned = F.SequenceReverse(F.transpose(n[0], axes=order), n[1], use_sequence_length=True)
    return F.transpose(turned, axes=order)


@indexing.read("NonZero")
def _(F: Any, n: Any) -> Any:
    return F.transpose(F._npx_nonzero(n[0]), axes=(1, 0))
