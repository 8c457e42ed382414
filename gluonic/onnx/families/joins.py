"""Slices, joins, repetition, padding."""

from typing import Any

import numpy as np

from gluonic.onnx.errors import NotExportable, NotImportable
from gluonic.onnx.sizes import alike, is_open
from gluonic.onnx.table import family
from gluonic.onnx.use import fixed, output_dtype, output_shape, reshaped, shape_of, size_vector

joins = family("slices, joins, padding")
_END = 2**31 - 1
"""The end of a slice of all remaining elements."""


@joins.write("Concat", "_rnn_param_concat")
def _(o: Any, n: Any) -> Any:
    values = [o.cast(value, output_dtype(n)) for value in n.inputs]
    return o.Identity(values[0]) if len(values) == 1 else o.Concat(*values, axis=n.dim)


@joins.write("stack")
def _(o: Any, n: Any) -> Any:
    axis = n.axis % len(output_shape(n))
    return o.Concat(*[o.unsqueeze(value, axis) for value in n.inputs], axis=axis)


@joins.write("SliceChannel")
def _(o: Any, n: Any) -> Any:
    axis = n.axis % len(shape_of(n, 0))
    length = fixed(shape_of(n, 0)[axis], "the length of the axis that is split")
    parts = o.split(n.data, [length // n.num_outputs] * n.num_outputs, axis)
    return _squeezed(o, parts, axis, n.squeeze_axis, n.data)


@joins.write("_split_v2")
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


@joins.write("slice")
def _(o: Any, n: Any) -> Any:
    axes, begins, ends, steps = [], [], [], []
    for axis, (begin, end) in enumerate(zip(n.begin, n.end, strict=True)):
        step = (n.step[axis] if axis < len(n.step) else None) or 1
        axes.append(axis)
        begins.append((0 if step > 0 else _END) if begin is None else begin)
        ends.append((_END if step > 0 else -_END - 1) if end is None else end)
        steps.append(step)
    return o.slice(n.data, axes, begins, ends, steps)


@joins.write("slice_axis")
def _(o: Any, n: Any) -> Any:
    axis = n.axis % len(shape_of(n, 0))
    return o.slice(n.data, [axis], [n.begin], [_END if n.end is None else n.end])


@joins.write("slice_like")
def _(o: Any, n: Any) -> Any:
    rank = len(shape_of(n, "data"))
    axes = [axis % rank for axis in n.axes] or list(range(rank))
    source, target = shape_of(n, "data"), output_shape(n)
    cut = [axis for axis in axes if not alike(source[axis], target[axis])]
    if not cut:
        return o.Identity(n.data)
    return o.slice(n.data, cut, [0] * len(cut), size_vector(n, [target[axis] for axis in cut]))


@joins.write("Crop")
def _(o: Any, n: Any) -> Any:
    source, target = shape_of(n, 0)[2:], output_shape(n)[2:]
    corner = (
        [(a - b) // 2 for a, b in zip(source, target, strict=True)] if n.center_crop else n.offset
    )
    ends = [start + length for start, length in zip(corner, target, strict=True)]
    return o.slice(n.inputs[0], [2, 3], size_vector(n, corner), size_vector(n, ends))


@joins.write("reverse")
def _(o: Any, n: Any) -> Any:
    rank = len(shape_of(n, 0))
    axes = [axis % rank for axis in ((n.axis,) if isinstance(n.axis, int) else n.axis)]
    turned = [axis for axis in dict.fromkeys(axes) if axes.count(axis) % 2]
    if not turned:
        return o.Identity(n.inputs[0])
    count = len(turned)
    return o.slice(n.inputs[0], turned, [-1] * count, [-_END - 1] * count, [-1] * count)


@joins.write("tile")
def _(o: Any, n: Any) -> Any:
    rank = max(len(shape_of(n, 0)), len(n.reps))
    data = reshaped(
        o, n, n.data, shape_of(n, 0), (*[1] * (rank - len(shape_of(n, 0))), *shape_of(n, 0))
    )
    return o.Tile(data, [1] * (rank - len(n.reps)) + list(n.reps))


@joins.write("repeat")
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


@joins.write("_npi_pad")
def _(o: Any, n: Any) -> Any:
    if n.mode not in ("constant", "edge", "reflect") or n.reflect_type != "even":
        raise NotExportable(f"mode={n.mode!r}")
    width = np.broadcast_to(np.array(n.pad_width).reshape(-1, 2), (len(shape_of(n, 0)), 2))
    number = np.array(n.constant_value).astype(n.inputs[0].dtype)
    pads = [*width[:, 0].tolist(), *width[:, 1].tolist()]
    return o.Pad(n.inputs[0], pads, number if n.mode == "constant" else None, mode=n.mode)


@joins.write("Pad")
def _(o: Any, n: Any) -> Any:
    pads = list(n.pad_width)
    number = np.array(n.constant_value).astype(n.data.dtype)
    return o.Pad(
        n.data, pads[::2] + pads[1::2], number if n.mode == "constant" else None, mode=n.mode
    )


# ------------------------------------------------------------------------ reading


@joins.read("Concat")
def _(F: Any, n: Any) -> Any:
    axis = n.attribute("axis", 1)
    return F.Concat(*n.entries, dim=axis) if len(n.inputs) > 1 else F._copy(n[0])


@joins.read("Split")
def _(F: Any, n: Any) -> Any:
    axis = n.attribute("axis", 0) % n.rank()
    lengths = n.numbers(1) if n.has(1) else n.attribute("split")
    if lengths is None:
        count = n.attribute("num_outputs", n.output_count)
        if count != n.output_count:
            raise NotImportable(f"num_outputs={count} with {n.output_count} outputs")
        whole = n.fixed_shape()[axis]
        size = -(-whole // count)
        lengths = [max(0, min(size, whole - i * size)) for i in range(count)]
    if len(lengths) == 1:
        return F._copy(n[0])
    begins = np.cumsum([0, *lengths[:-1]]).tolist()
    return F._split_v2(n[0], indices=tuple(begins), axis=axis)


@joins.read("Slice")
def _(F: Any, n: Any) -> Any:
    if n.opset < 10:
        starts, ends = n.attribute("starts"), n.attribute("ends")
        axes, steps = n.attribute("axes"), None
    else:
        starts, ends, axes, steps = (n.numbers(i) if n.has(i) else None for i in range(1, 5))
    axes = list(range(len(starts))) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    shape, data = n.shape(), n[0]
    bounds: dict[int, tuple[Any, Any, int]] = {}
    for axis, begin, end, step in zip(axes, starts, ends, steps, strict=True):
        is_front = step == 1 and not begin and is_open(end) and not alike(end, shape[axis])
        like = n.reading.value_with([end], at=axis % len(shape)) if is_front else None
        if like is not None:
            data = F.slice_like(data, like[0], axes=(axis % len(shape),))
        else:
            bounds[axis % len(shape)] = _bounds(shape[axis], begin, end, step)
    if any(begin == end for begin, end, _ in bounds.values() if begin is not None):
        empty = [0 if b is not None and b == e else s for s, (b, e, _) in _per_axis(shape, bounds)]
        if any(map(is_open, empty)):
            raise NotImportable("a slice without elements")
        return np.zeros(empty, n.dtype())
    last = max(bounds, default=-1) + 1
    parts = [bounds.get(axis, (None, None, 1)) for axis in range(last)]
    if not parts:
        return F._copy(data) if data is n[0] else data
    begins, stops, strides = (tuple(part[i] for part in parts) for i in range(3))
    return F.slice(data, begin=begins, end=stops, step=strides)


def _per_axis(shape: Any, bounds: Any) -> Any:
    return [(extent, bounds.get(axis, (None, None, 1))) for axis, extent in enumerate(shape)]


def _bounds(extent: Any, begin: Any, end: Any, step: int) -> tuple[Any, Any, int]:
    """A slice's bounds as MXNet's, None for an end of the axis."""
    if not is_open(extent) and not is_open(begin) and not is_open(end):
        first, stop, step = slice(begin, end, step).indices(extent)
        if len(range(first, stop, step)) == 0:
            return 0, 0, 1
        return first, None if stop < 0 else stop, step
    if is_open(end) and alike(end, extent):
        end = None
    if is_open(begin) or is_open(end):
        raise NotImportable("a slice whose bounds depend on open sizes")
    far = end is not None and abs(end) >= _END
    return (begin or None) if step > 0 else begin, None if far else end, step


@joins.read("Pad")
def _(F: Any, n: Any) -> Any:
    rank = n.rank()
    pads = n.attribute("pads") if n.opset < 11 else n.numbers(1)
    axes = n.numbers(3) if n.has(3) else list(range(rank))
    number: Any = n.attribute("value", 0.0)
    if n.opset >= 11:
        number = n.known(2).item() if n.has(2) else 0
    width = [(0, 0)] * rank
    for position, axis in enumerate(axes):
        width[axis % rank] = (int(pads[position]), int(pads[len(axes) + position]))
    data = n[0]
    if any(a < 0 or b < 0 for a, b in width):
        begins = tuple(max(0, -a) for a, _ in width)
        ends = tuple(None if b >= 0 else b for _, b in width)
        data = F.slice(data, begin=begins, end=ends)
        width = [(max(0, a), max(0, b)) for a, b in width]
    mode = n.attribute("mode", "constant")
    if mode == "constant":
        return F._npi_pad(data, pad_width=tuple(width), mode=mode, constant_value=number)
    return F._npi_pad(data, pad_width=tuple(width), mode=mode)


@joins.read("Tile")
def _(F: Any, n: Any) -> Any:
    repeats = [int(r) for r in n.numbers(1)]
    if 0 in repeats:
        return np.zeros([a * b for a, b in zip(n.fixed_shape(), repeats, strict=True)], n.dtype())
    return F.tile(n[0], reps=tuple(repeats))
