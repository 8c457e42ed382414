"""Shapes, slices, joins, repetition, padding, and constants that follow from shapes."""

from typing import Any

import numpy as np

from gluonic.onnx.errors import NotExportable
from gluonic.onnx.sizes import alike, all_fixed
from gluonic.onnx.table import family
from gluonic.onnx.use import (
    broadcast_to,
    fixed,
    output_dtype,
    output_shape,
    reshaped,
    shape_of,
    size_vector,
)

shapes = family("shapes, slices and joins")
_END = 2**31 - 1
"""The end of a slice of all remaining elements."""


@shapes.write("transpose")
def _(o: Any, n: Any) -> Any:
    rank = len(shape_of(n, 0))
    if rank < 2:
        return o.Identity(n.inputs[0])
    axes = [axis % rank for axis in n.axes or ()] or list(range(rank))[::-1]
    return o.Transpose(n.inputs[0], perm=axes)


@shapes.write("SwapAxis")
def _(o: Any, n: Any) -> Any:
    axes = list(range(len(shape_of(n, 0))))
    axes[n.dim1], axes[n.dim2] = axes[n.dim2], axes[n.dim1]
    return o.Transpose(n.data, perm=axes)


@shapes.write("Concat", "_rnn_param_concat")
def _(o: Any, n: Any) -> Any:
    values = [o.cast(value, output_dtype(n)) for value in n.inputs]
    return o.Identity(values[0]) if len(values) == 1 else o.Concat(*values, axis=n.dim)


@shapes.write("stack")
def _(o: Any, n: Any) -> Any:
    axis = n.axis % len(output_shape(n))
    return o.Concat(*[o.unsqueeze(value, axis) for value in n.inputs], axis=axis)


@shapes.write("SliceChannel")
def _(o: Any, n: Any) -> Any:
    axis = n.axis % len(shape_of(n, 0))
    length = fixed(shape_of(n, 0)[axis], "the length of the axis that is split")
    parts = o.split(n.data, [length // n.num_outputs] * n.num_outputs, axis)
    return _squeezed(o, parts, axis, n.squeeze_axis, n.data)


@shapes.write("_split_v2")
def _(o: Any, n: Any) -> Any:
    axis = n.axis % len(shape_of(n, 0))
    data = n.data
    if n.sections <= 0 and n.indices[0]:
        data = o.slice(data, [axis], [n.indices[0]], [_END])
    if n.squeeze_axis:
        lengths = [1] * len(n.outputs)
    else:
        lengths = [
            fixed(output_shape(n, i)[axis], "the length of a part") for i in range(len(n.outputs))
        ]
    return _squeezed(o, o.split(data, lengths, axis), axis, n.squeeze_axis, data)


def _squeezed(o: Any, parts: list[Any], axis: int, squeeze: bool, whole: Any) -> list[Any]:
    if squeeze:
        return [o.squeeze(part, axis) for part in parts]
    return [o.Identity(part) if part is whole else part for part in parts]


@shapes.write("slice")
def _(o: Any, n: Any) -> Any:
    axes, begins, ends, steps = [], [], [], []
    for axis, (begin, end) in enumerate(zip(n.begin, n.end, strict=True)):
        step = (n.step[axis] if axis < len(n.step) else None) or 1
        axes.append(axis)
        begins.append((0 if step > 0 else _END) if begin is None else begin)
        ends.append((_END if step > 0 else -_END - 1) if end is None else end)
        steps.append(step)
    return o.slice(n.data, axes, begins, ends, steps)


@shapes.write("slice_axis")
def _(o: Any, n: Any) -> Any:
    axis = n.axis % len(shape_of(n, 0))
    return o.slice(n.data, [axis], [n.begin], [_END if n.end is None else n.end])


@shapes.write("slice_like")
def _(o: Any, n: Any) -> Any:
    rank = len(shape_of(n, "data"))
    axes = [axis % rank for axis in n.axes] or list(range(rank))
    source, target = shape_of(n, "data"), output_shape(n)
    cut = [axis for axis in axes if not alike(source[axis], target[axis])]
    if not cut:
        return o.Identity(n.data)
    return o.slice(n.data, cut, [0] * len(cut), size_vector(n, [target[axis] for axis in cut]))


@shapes.write("Crop")
def _(o: Any, n: Any) -> Any:
    source, target = shape_of(n, 0)[2:], output_shape(n)[2:]
    corner = (
        [(a - b) // 2 for a, b in zip(source, target, strict=True)] if n.center_crop else n.offset
    )
    ends = [start + length for start, length in zip(corner, target, strict=True)]
    return o.slice(n.inputs[0], [2, 3], size_vector(n, corner), size_vector(n, ends))


@shapes.write("reverse")
def _(o: Any, n: Any) -> Any:
    rank = len(shape_of(n, 0))
    axes = [axis % rank for axis in ((n.axis,) if isinstance(n.axis, int) else n.axis)]
    turned = [axis for axis in dict.fromkeys(axes) if axes.count(axis) % 2]
    if not turned:
        return o.Identity(n.inputs[0])
    count = len(turned)
    return o.slice(n.inputs[0], turned, [-1] * count, [-_END - 1] * count, [-1] * count)


@shapes.write("tile")
def _(o: Any, n: Any) -> Any:
    rank = max(len(shape_of(n, 0)), len(n.reps))
    data = reshaped(
        o, n, n.data, shape_of(n, 0), (*[1] * (rank - len(shape_of(n, 0))), *shape_of(n, 0))
    )
    return o.Tile(data, [1] * (rank - len(n.reps)) + list(n.reps))


@shapes.write("repeat")
def _(o: Any, n: Any) -> Any:
    data, shape = n.data, shape_of(n, 0)
    if n.axis is None:
        axis, rank = 0, 1
        data = o.Reshape(data, [-1])
    else:
        axis, rank = n.axis % len(shape), len(shape)
    repeats = [1] * (rank + 1)
    repeats[axis + 1] = n.repeats
    tiled = o.Tile(o.unsqueeze(data, axis + 1), repeats)
    if n.axis is None:
        return o.Reshape(tiled, [-1])
    return reshaped(o, n, tiled, (), output_shape(n))


@shapes.write("Pad")
def _(o: Any, n: Any) -> Any:
    pads = list(n.pad_width)
    number = np.array(n.constant_value).astype(n.data.dtype)
    return o.Pad(
        n.data, pads[::2] + pads[1::2], number if n.mode == "constant" else None, mode=n.mode
    )


@shapes.write("broadcast_to", "_npi_broadcast_to", "broadcast_axis", "broadcast_like")
def _(o: Any, n: Any) -> Any:
    source, target = shape_of(n, 0), output_shape(n)
    if len(source) == len(target) and all(map(alike, source, target)):
        return o.Identity(n.inputs[0])
    return broadcast_to(o, n, n.inputs[0], target)


@shapes.write("shape_array")
def _(o: Any, n: Any) -> Any:
    return o.Shape(n.data)


@shapes.write("size_array")
def _(o: Any, n: Any) -> Any:
    return o.Reshape(o.Size(n.data), [1])


@shapes.write("depth_to_space")
def _(o: Any, n: Any) -> Any:
    return o.DepthToSpace(n.data, blocksize=n.block_size, mode="DCR")


@shapes.write("space_to_depth")
def _(o: Any, n: Any) -> Any:
    return o.SpaceToDepth(n.data, blocksize=n.block_size)


@shapes.write("_zeros", "_ones", "_full", "_zeros_without_dtype")
def _(o: Any, n: Any) -> Any:
    number = {"_ones": 1}.get(n._application.op.name, 0)
    number = n.value if n._application.op.name == "_full" else number
    filled = o.constant(np.full((1,) * len(output_shape(n)), number, output_dtype(n)))
    return broadcast_to(o, n, filled, output_shape(n))


@shapes.write("_contrib_arange_like")
def _(o: Any, n: Any) -> Any:
    if n.repeat != 1:
        raise NotExportable("repeat must be 1")
    shape, target = shape_of(n, 0), output_shape(n)
    count: Any = 1
    for extent in target:
        count = count * extent
    dtype = output_dtype(n)
    if all_fixed(shape):
        return o.constant((n.start + n.step * np.arange(count)).astype(dtype).reshape(target))
    limit = o.squeeze(size_vector(n, (count,)), 0)
    steps = o.Range(np.array(0, np.int64), limit, np.array(1, np.int64))
    line = o.Add(o.Mul(o.cast(steps, dtype), n.step), n.start)
    return reshaped(o, n, line, (count,), target)


@shapes.write("diag", "_np_diag", "_np_diagonal")
def _(o: Any, n: Any) -> Any:
    shape = shape_of(n, 0)
    offset = n.offset if n._application.op.name == "_np_diagonal" else n.k
    if len(shape) > 2 or not all_fixed(shape):
        raise NotExportable("only diagonals of matrices of a fixed size")
    if len(shape) == 1:
        target = output_shape(n)
        places = [(max(0, -offset) + i, max(0, offset) + i) for i in range(shape[0])]
        return o.ScatterND(
            np.zeros(target, output_dtype(n)), np.array(places, np.int64), n.inputs[0]
        )
    rows, columns = shape
    index = [(i, i + offset) for i in range(rows) if 0 <= i + offset < columns]
    return o.GatherND(n.inputs[0], np.array(index, np.int64))


@shapes.write("_npi_tril")
def _(o: Any, n: Any) -> Any:
    if len(shape_of(n, 0)) < 2:
        raise NotExportable("a vector")
    return o.Trilu(n.inputs[0], np.array(n.k, np.int64), upper=0)
