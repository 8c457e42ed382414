"""Look-ups, gathering, scattering, sequences of different lengths."""

from typing import Any

import numpy as np

from gluonic.onnx.errors import NotExportable
from gluonic.onnx.families.norms import positions_below
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
    return o.OneHot(below, depth, np.float32([n.off_value, n.on_value]), axis=-1, result=np.float32)


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
