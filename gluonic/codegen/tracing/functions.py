"""NumPy's functions of arrays, for traced ones."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.codegen.tracing.arrays import (
    FUNCTIONS,
    TracedArray,
    as_traced,
    chosen,
    function,
    joined,
)
from gluonic.codegen.tracing.elements import NotTraced
from gluonic.graph.attributes import Shape
from gluonic.graph.builder import F


def _as_method(name: str) -> None:
    """Let a method of arrays compute the function of its name."""

    def call(a: Any, *arguments: Any, **options: Any) -> Any:
        return getattr(as_traced(a), name)(*arguments, **options)

    FUNCTIONS[name] = call


for _name in (
    "sum", "prod", "max", "min", "mean", "all", "any", "clip", "round", "cumsum", "argmax", "argmin", "reshape",
    "ravel", "squeeze", "transpose", "swapaxes", "broadcast_to", "copy",
):  # fmt: skip
    _as_method(_name)
FUNCTIONS["amax"], FUNCTIONS["amin"] = FUNCTIONS["max"], FUNCTIONS["min"]
FUNCTIONS["around"] = FUNCTIONS["round"]


@function("where")
def _where(condition: Any, a: Any = None, b: Any = None) -> TracedArray:
    if a is None or b is None:
        raise NotTraced("places where a condition holds")
    return chosen(condition, a, b)


@function("concatenate")
def _concatenate(arrays: Sequence[Any], axis: int | None = 0) -> TracedArray:
    parts = [as_traced(array) for array in arrays]
    return joined([part.ravel() for part in parts], 0) if axis is None else joined(parts, axis)


@function("stack")
def _stack(arrays: Sequence[Any], axis: int = 0) -> TracedArray:
    return joined([_expand_dims(array, axis) for array in arrays], axis)


@function("expand_dims")
def _expand_dims(a: Any, axis: Any) -> TracedArray:
    array = as_traced(a)
    added = axis if isinstance(axis, tuple | list) else (axis,)
    rank = array.ndim + len(added)
    places = {each % rank for each in added}
    extents = iter(array.shape)
    return array.reshape([1 if k in places else next(extents) for k in range(rank)])


@function("moveaxis")
def _moveaxis(a: Any, source: Any, destination: Any) -> TracedArray:
    array = as_traced(a)
    numbered = np.moveaxis(np.empty(tuple(range(2, 2 + array.ndim)), bool), source, destination)
    return array.transpose([extent - 2 for extent in numbered.shape])


@function("flip")
def _flip(m: Any, axis: Any = None) -> TracedArray:
    array = as_traced(m)
    axes = range(array.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    places = {each % array.ndim for each in axes}
    return array[tuple(slice(None, None, -1 if k in places else 1) for k in range(array.ndim))]


@function("full_like")
def _full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", shape: Any = None
) -> TracedArray:
    kind, extents = np.dtype(dtype or a.dtype), a.shape if shape is None else shape
    found = as_traced(np.full((1,) * len(extents), fill_value, kind)).broadcast_to(extents)
    return TracedArray(found.entry, found.shape, kind)


@function("zeros_like", "empty_like")
def _zeros_like(a: Any, dtype: Any = None, order: str = "K", shape: Any = None) -> TracedArray:
    return _full_like(a, 0, dtype, shape=shape)


@function("ones_like")
def _ones_like(a: Any, dtype: Any = None, order: str = "K", shape: Any = None) -> TracedArray:
    return _full_like(a, 1, dtype, shape=shape)


@function("take")
def _take(a: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> TracedArray:
    array = as_traced(a).ravel() if axis is None else as_traced(a)
    axis = 0 if axis is None else axis % array.ndim
    index, extent = as_traced(indices), array.shape[axis]
    if mode == "clip":
        index = index.clip(0, extent - 1)
    elif mode == "wrap":
        index = as_traced(np.remainder(index, extent))
    return array[(slice(None),) * axis + (index,)]


@function("take_along_axis")
def _take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> TracedArray:
    array, index = as_traced(arr), as_traced(indices)
    if axis is None:
        return array.ravel()[index]
    axis %= array.ndim
    keys = [
        index
        if k == axis
        else np.arange(n).reshape([-1 if j == k else 1 for j in range(array.ndim)])
        for k, n in enumerate(array.shape)
    ]
    return array[tuple(keys)]


@function("repeat")
def _repeat(a: Any, repeats: Any, axis: int | None = None) -> TracedArray:
    array = as_traced(a).ravel() if axis is None else as_traced(a)
    axis = 0 if axis is None else axis % array.ndim
    if not isinstance(repeats, int):
        raise NotTraced("different numbers of repetitions")
    before, extent, after = array.shape[:axis], array.shape[axis], array.shape[axis + 1 :]
    whole = array.reshape((*before, extent, 1, *after))
    return whole.broadcast_to((*before, extent, repeats, *after)).reshape(
        (*before, extent * repeats, *after)
    )


@function("tile")
def _tile(A: Any, reps: Any) -> TracedArray:
    array = as_traced(A)
    counts = [reps] if isinstance(reps, int) else list(reps)
    rank = max(len(counts), array.ndim)
    counts = [1] * (rank - len(counts)) + counts
    shape = (1,) * (rank - array.ndim) + array.shape
    pairs = [(n, k) for n, k in zip(shape, counts, strict=True)]
    apart = array.reshape([part for n, _ in pairs for part in (1, n)])
    spread = apart.broadcast_to(tuple(part for n, k in pairs for part in (k, n)))
    return spread.reshape([n * k for n, k in pairs])


@function("roll")
def _roll(a: Any, shift: int, axis: int | None = None) -> TracedArray:
    array = as_traced(a)
    if axis is None:
        return _roll(array.ravel(), shift, 0).reshape(array.shape)
    if not isinstance(shift, int) or not isinstance(axis, int):
        raise NotTraced("shifts along several axes")
    axis, extent = axis % array.ndim, array.shape[axis]
    by = shift % extent
    if not by:
        return array
    ahead = (slice(None),) * axis
    return joined(
        [array[(*ahead, slice(extent - by, None))], array[(*ahead, slice(extent - by))]], axis
    )


_MIRRORED = frozenset({"edge", "symmetric", "reflect", "wrap"})


@function("pad")
def _pad(array: Any, pad_width: Any, mode: str = "constant", **options: Any) -> TracedArray:
    found = as_traced(array)
    widths = np.broadcast_to(np.asarray(pad_width), (found.ndim, 2)).tolist()
    if mode == "constant":
        value = options.get("constant_values", 0)
        for axis, (before, after) in enumerate(widths):
            ends = [
                _full_like(found, value, shape=_resized(found.shape, axis, width))
                if width
                else None
                for width in (before, after)
            ]
            parts = [part for part in (ends[0], found, ends[1]) if part is not None]
            found = joined(parts, axis)
        return found
    if mode not in _MIRRORED or options:
        raise NotTraced(f"np.pad with mode {mode!r}")
    for axis, (before, after) in enumerate(widths):
        if before or after:
            places = np.pad(np.arange(found.shape[axis]), (before, after), mode)  # type: ignore[call-overload]
            found = found[(slice(None),) * axis + (places,)]
    return found


def _resized(shape: Shape, axis: int, extent: int) -> Shape:
    return (*shape[:axis], extent, *shape[axis + 1 :])


@function("split", "array_split")
def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[TracedArray]:
    array = as_traced(ary)
    axis %= array.ndim
    bounds = np.split(np.arange(array.shape[axis]), indices_or_sections)
    ahead = (slice(None),) * axis
    return [
        array[(*ahead, slice(int(b[0]), int(b[-1]) + 1) if len(b) else slice(0))] for b in bounds
    ]


@function("diagonal")
def _diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> TracedArray:
    array = as_traced(a)
    axis1, axis2 = axis1 % array.ndim, axis2 % array.ndim
    others = [k for k in range(array.ndim) if k not in (axis1, axis2)]
    moved = array.transpose([*others, axis1, axis2])
    row, column = max(-offset, 0), max(offset, 0)
    length = min(array.shape[axis1] - row, array.shape[axis2] - column)
    places = np.arange(length)
    return moved[(*(slice(None) for _ in others), places + row, places + column)]


@function("matmul")
def _matmul(a: Any, b: Any) -> TracedArray:
    first, second = as_traced(a), as_traced(b)
    if first.ndim == 1:
        return as_traced(
            _matmul(_expand_dims(first, 0), second).squeeze(axis=-2 if second.ndim > 1 else -1)
        )
    if second.ndim == 1:
        return as_traced((first * second).sum(axis=-1))
    batch = np.broadcast_shapes(first.shape[:-2], second.shape[:-2])
    rows, columns = first.shape[-2], second.shape[-1]
    kind = np.result_type(first.dtype, second.dtype)
    if kind.kind != "f":
        products = _expand_dims(first, -1) * _expand_dims(second, -3)
        return as_traced(products.sum(axis=-2, dtype=kind))
    factors = [
        array.astype(kind)
        .broadcast_to((*batch, *array.shape[-2:]))
        .reshape((-1, *array.shape[-2:]))
        for array in (first, second)
    ]
    entry = F.batch_dot(*[factor.entry for factor in factors])
    product = TracedArray(entry, (prod(batch), rows, columns), kind)
    return product.reshape((*batch, rows, columns))


@function("result_type")
def _result_type(*values: Any) -> np.dtype[Any]:
    return np.result_type(*(v.dtype if isinstance(v, TracedArray) else v for v in values))


@function("shape")
def _shape(a: Any) -> Shape:
    return as_traced(a).shape


@function("ndim")
def _ndim(a: Any) -> int:
    return as_traced(a).ndim


@function("size")
def _size(a: Any, axis: int | None = None) -> int:
    return prod(as_traced(a).shape) if axis is None else as_traced(a).shape[axis]


@function("tril")
def _tril(m: Any, k: int = 0) -> TracedArray:
    array = as_traced(m)
    return chosen(
        np.tri(array.shape[-2], array.shape[-1], k).astype(bool), array, array.dtype.type(0)
    )


@function("triu")
def _triu(m: Any, k: int = 0) -> TracedArray:
    array = as_traced(m)
    below = np.tri(array.shape[-2], array.shape[-1], k - 1).astype(bool)
    return chosen(below, array.dtype.type(0), array)
