"""Shapes, slices, joins, repetition, padding, and constants that follow from shapes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.onnx.errors import NotExportable, NotImportable
from gluonic.onnx.sizes import alike, all_fixed, is_open
from gluonic.onnx.table import family
from gluonic.onnx.tensors import check_size, dtype_of_type, tensor_array
from gluonic.onnx.use import (
    broadcast_to,
    fixed,
    operator_of,
    output_dtype,
    output_shape,
    reshaped,
    shape_of,
    size_vector,
)

shapes = family("shapes, and constants that follow from them")


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
    number = {"_ones": 1}.get(operator_of(n).name, 0)
    number = n.value if operator_of(n).name == "_full" else number
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
    line = o.cast(steps, dtype)
    line = line if n.step == 1 else o.Mul(line, n.step)
    line = line if n.start == 0 else o.Add(line, n.start)
    return reshaped(o, n, line, (count,), target)


@shapes.write("diag", "_np_diag", "_np_diagonal")
def _(o: Any, n: Any) -> Any:
    shape = shape_of(n, 0)
    offset = n.offset if operator_of(n).name == "_np_diagonal" else n.k
    if len(shape) == 1:
        length = fixed(shape[0], "the length of a diagonal")
        places = [(max(0, -offset) + i, max(0, offset) + i) for i in range(length)]
        zeros = np.zeros(output_shape(n), output_dtype(n))
        return o.ScatterND(zeros, np.array(places, np.int64), n.inputs[0])
    named = (0, 1) if operator_of(n).name == "_np_diag" else (n.axis1, n.axis2)
    axes = [axis % len(shape) for axis in named]
    others = [axis for axis in range(len(shape)) if axis not in axes]
    rows, columns = (fixed(shape[axis], "the size of a matrix") for axis in axes)
    index = [(i, i + offset) for i in range(rows) if 0 <= i + offset < columns]
    matrices = n.inputs[0] if axes == [0, 1] else o.Transpose(n.inputs[0], perm=[*axes, *others])
    diagonals = o.GatherND(matrices, np.array(index, np.int64).reshape(-1, 2))
    return o.Transpose(diagonals, perm=[*range(1, len(shape) - 1), 0]) if others else diagonals


@shapes.write("_npi_tril")
def _(o: Any, n: Any) -> Any:
    if len(shape_of(n, 0)) < 2:
        raise NotExportable("a vector")
    return o.Trilu(n.inputs[0], np.array(n.k, np.int64), upper=0)


# ------------------------------------------------------------------------ reading


def _product(extents: Sequence[Any]) -> Any:
    total: Any = 1
    for extent in extents:
        total = total * extent
    return total


def reshape_to(F: Any, n: Any, data: Any, target: Sequence[Any]) -> Any:
    """A reshaping to a target in which 0 keeps an axis, -1 is inferred, and other sizes may be open."""
    if not target:
        return F._np_reshape(data, newshape=())
    source = n.shape_of(data)
    kept = [
        0 if is_open(extent) and i < len(source) and alike(extent, source[i]) else extent
        for i, extent in enumerate(target)
    ]
    if sum(1 for extent in kept if is_open(extent) or extent == -1) <= 1:
        return F.Reshape(
            data, shape=tuple(-1 if is_open(extent) else int(extent) for extent in kept)
        )
    exact = [source[i] if not is_open(e) and e == 0 else e for i, e in enumerate(target)]
    if any(not is_open(extent) and extent == -1 for extent in exact):
        others = [extent for extent in exact if is_open(extent) or extent != -1]
        inferred = _inferred(source, others)
        exact = [inferred if not is_open(e) and e == -1 else e for e in exact]
    return _regrouped(F, n, data, list(source), exact)


def _inferred(source: Sequence[Any], others: Sequence[Any]) -> Any:
    """What -1 stands for: a shape's product by that of the new shape's other extents, without those in both."""
    left, rest = list(source), []
    for extent in others:
        same = next((i for i, each in enumerate(left) if alike(each, extent)), None)
        if same is None:
            rest.append(extent)
        else:
            del left[same]
    return _product(left) // _product(rest) if rest else _product(left)


def _regrouped(F: Any, n: Any, data: Any, source: list[Any], target: list[Any]) -> Any:
    """A reshaping by merging and splitting axes, one pair at a time."""
    place = 0
    while place < max(len(source), len(target)):
        old, new = _group(source[place:], target[place:])
        for _ in range(old - 1):
            data = F.Reshape(data, shape=(*[0] * place, -3, -2))
        for part in range(new - 1):
            first, rest = target[place + part], _product(target[place + part + 1 : place + new])
            if is_open(first) and is_open(rest):
                like = n.reading.value_with(target[place + part : place + new])
                if like is None:
                    raise NotImportable("an axis that is split into two open sizes")
                value, begin = like
                data = F.reshape_like(
                    data,
                    value,
                    lhs_begin=place + part,
                    lhs_end=place + part + 1,
                    rhs_begin=begin,
                    rhs_end=begin + new - part,
                )
                break
            pair = (-1, int(rest)) if is_open(first) else (int(first), -1)
            data = F.Reshape(data, shape=(*[0] * (place + part), -4, *pair, -2))
        source[place : place + old] = target[place : place + new]
        place += new
    return data


def _group(source: Sequence[Any], target: Sequence[Any]) -> tuple[int, int]:
    """The fewest leading axes of two shapes with equally many elements."""
    for total in range(2, len(source) + len(target) + 1):
        for old in range(max(1, total - len(target)), min(len(source), total - 1) + 1):
            if alike(_product(source[:old]), _product(target[: total - old])):
                return old, total - old
    raise NotImportable("several open sizes of a new shape")


@shapes.read("Reshape")
def _(F: Any, n: Any) -> Any:
    target = n.attribute("shape") if n.opset < 5 else n.numbers(1)
    source = n.shape()
    if all(not is_open(e) for e in (*source, *target)) and (
        n.attribute("allowzero", 0) or 0 in source or not source
    ):
        keeps = not n.attribute("allowzero", 0)
        exact = tuple(source[i] if e == 0 and keeps else e for i, e in enumerate(target))
        return F._np_reshape(n[0], newshape=exact)
    return reshape_to(F, n, n[0], target)


@shapes.read("Flatten")
def _(F: Any, n: Any) -> Any:
    shape = n.shape()
    axis = n.attribute("axis", 1)
    axis = axis + len(shape) if axis < 0 else axis
    if axis == 1 and len(shape) > 1:
        return F.Flatten(n[0])
    if axis == 0:
        return F.Reshape(n[0], shape=(1, -1)) if shape else F._np_reshape(n[0], newshape=(1, 1))
    rows: Any = 1
    for extent in shape[:axis]:
        rows = rows * extent
    if is_open(rows):
        columns: Any = 1
        for extent in shape[axis:]:
            columns = columns * extent
        return reshape_to(F, n, n[0], [rows, columns])
    return F.Reshape(n[0], shape=(rows, -1))


def _axes_of(n: Any) -> list[int] | None:
    axes = n.numbers(1) if n.has(1) else n.attribute("axes")
    return None if axes is None else [int(axis) for axis in axes]


@shapes.read("Squeeze")
def _(F: Any, n: Any) -> Any:
    axes = _axes_of(n)
    return F._np_squeeze(n[0], axis=None if axes is None else tuple(axes))


@shapes.read("Unsqueeze")
def _(F: Any, n: Any) -> Any:
    axes, data = _axes_of(n) or [], n[0]
    rank = n.rank() + len(axes)
    for axis in sorted(axis % rank for axis in axes):
        data = F.expand_dims(data, axis=axis)
    return F._copy(data) if not axes else data


@shapes.read("Transpose")
def _(F: Any, n: Any) -> Any:
    axes = n.attribute("perm")
    if n.rank() < 2:
        return F._copy(n[0])
    return F.transpose(n[0], axes=tuple(axes)) if axes else F.transpose(n[0])


@shapes.read("Expand")
def _(F: Any, n: Any) -> Any:
    target, source = list(n.numbers(1)), list(n.shape())
    rank = max(len(target), len(source))
    target = [1] * (rank - len(target)) + target
    own = [1] * (rank - len(source)) + source
    wanted = [a if not is_open(b) and b == 1 else b for a, b in zip(own, target, strict=True)]
    return expanded(F, n, n[0], source, wanted)


@shapes.read("DepthToSpace")
def _(F: Any, n: Any) -> Any:
    size = n.attribute("blocksize")
    if n.attribute("mode", "DCR") == "DCR":
        return F.depth_to_space(n[0], block_size=size)
    parts = F.Reshape(n[0], shape=(0, -4, -1, size * size, 0, 0))
    split = F.Reshape(parts, shape=(0, 0, -4, size, size, 0, 0))
    moved = F.transpose(split, axes=(0, 1, 4, 2, 5, 3))
    return F.Reshape(moved, shape=(0, 0, -3, -3))


@shapes.read("SpaceToDepth")
def _(F: Any, n: Any) -> Any:
    size = n.attribute("blocksize")
    if n.attribute("mode", "DCR") == "DCR":
        return F.space_to_depth(n[0], block_size=size)
    rows = F.Reshape(n[0], shape=(0, 0, -4, -1, size, 0))
    split = F.Reshape(rows, shape=(0, 0, 0, 0, -4, -1, size))
    moved = F.transpose(split, axes=(0, 1, 3, 5, 2, 4))
    return F.Reshape(F.Reshape(moved, shape=(0, -3, 0, 0, 0)), shape=(0, -3, 0, 0))


@shapes.read("EyeLike")
def _(F: Any, n: Any) -> Any:
    rows, columns = n.fixed_shape()
    check_size((rows, columns))
    code = n.attribute("dtype")
    dtype = n.dtype() if code is None else dtype_of_type(code)
    return np.eye(rows, columns, n.attribute("k", 0), dtype=dtype)


@shapes.read("Range")
def _(F: Any, n: Any) -> Any:
    begin, end, step = (n.known(i) for i in range(3))
    if end.dtype == object and begin.dtype != object and (begin.item(), step.item()) == (0, 1):
        return _arange_of(F, n, end.item())
    if step.item() == 0 or not abs((end.item() - begin.item()) / step.item()) < _LONGEST_RANGE:
        raise NotImportable(f"a range of more than {_LONGEST_RANGE:,} elements")
    return np.arange(begin.item(), end.item(), step.item(), dtype=begin.dtype)


_LONGEST_RANGE = 1 << 24


def _arange_of(F: Any, n: Any, extent: Any) -> Any:
    """0, 1, … up to an open size."""
    entry, axis = _carrier(n, extent)
    line = F._contrib_arange_like(F.Cast(entry, dtype="float32"), axis=axis)
    return F.Cast(line, dtype="int64")


def _carrier(n: Any, extent: Any) -> tuple[Any, int]:
    """A value of the model with an axis of an open size, and the axis."""
    for value in n.scope.values():
        entry = getattr(value, "entry", None)
        if entry is None or entry.node.name in n.reading.parameters:
            continue
        shape, _ = n.reading.signature(entry)
        for axis, own in enumerate(shape or ()):
            if is_open(own) and alike(own, extent):
                return entry, axis
    raise NotImportable("a size that is no axis of any value")


def expanded(F: Any, n: Any, data: Any, source: Sequence[Any], target: Sequence[Any]) -> Any:
    """An array repeated along axes of length one, also to open sizes."""
    added = len(target) - len(source)
    for _ in range(added):
        data = F.expand_dims(data, axis=0)
    source = [*[1] * added, *source]
    shape: list[int] = []
    for axis, (own, extent) in enumerate(zip(source, target, strict=True)):
        if is_open(extent) and not alike(own, extent):
            carrier, place = _carrier(n, extent)
            data = F.broadcast_like(data, carrier, lhs_axes=(axis,), rhs_axes=(place,))
        shape.append(-2 if is_open(extent) else int(extent))
    if all(extent == -2 for extent in shape) and shape:
        return F._copy(data)
    return F._npi_broadcast_to(data, shape=tuple(shape))


@shapes.read("ConstantOfShape")
def _(F: Any, n: Any) -> Any:
    value = n.attributes.get("value")
    number = np.zeros(1, np.float32) if value is None else tensor_array(value.t)
    target = n.numbers(0)
    one = n.constant(number.reshape((1,) * len(target)))
    return expanded(F, n, one, (1,) * len(target), target)


@shapes.read("Trilu")
def _(F: Any, n: Any) -> Any:
    k = int(n.known(1).item()) if n.has(1) else 0
    if not n.attribute("upper", 1):
        return F._npi_tril(n[0], k=k)
    return F.broadcast_sub(n[0], F._npi_tril(n[0], k=k - 1))
