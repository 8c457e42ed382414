"""NumPy's functions of arrays, for traced ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.codegen.tracing.arrays import (
    _FUNCTIONS,
    TracedArray,
    as_traced,
    chosen,
    joined,
)
from gluonic.codegen.tracing.elements import NotTraced
from gluonic.graph.attributes import Shape
from gluonic.graph.builder import F


def _function(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what computes functions of NumPy."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names or (function.__name__.strip("_"),):
            _FUNCTIONS[name] = function
        return function

    return register


def _method(name: str) -> None:
    def call(a: Any, *arguments: Any, **options: Any) -> Any:
        return getattr(as_traced(a), name)(*arguments, **options)

    _FUNCTIONS[name] = call


for _name in (
    "sum", "prod", "max", "min", "mean", "all", "any", "clip", "round", "cumsum", "argmax", "argmin", "reshape",
    "ravel", "squeeze", "transpose", "swapaxes", "broadcast_to", "copy",
):  # fmt: skip
    _method(_name)
_FUNCTIONS["amax"], _FUNCTIONS["amin"] = _FUNCTIONS["max"], _FUNCTIONS["min"]
_FUNCTIONS["around"] = _FUNCTIONS["round"]


@_function()
def _where(condition: Any, a: Any = None, b: Any = None) -> TracedArray:
    if a is None or b is None:
        raise NotTraced("places where a condition holds")
    return chosen(condition, a, b)


@_function()
def _concatenate(arrays: Sequence[Any], axis: int | None = 0) -> TracedArray:
    parts = [as_traced(array) for array in arrays]
    return joined([part.ravel() for part in parts], 0) if axis is None else joined(parts, axis)


@_function()
def _stack(arrays: Sequence[Any], axis: int = 0) -> TracedArray:
    return joined([_expand_dims(array, axis) for array in arrays], axis)


@_function()
def _expand_dims(a: Any, axis: Any) -> TracedArray:
    array = as_traced(a)
    added = axis if isinstance(axis, tuple | list) else (axis,)
    rank = array.ndim + len(added)
    places = {each % rank for each in added}
    extents = iter(array.shape)
    return array.reshape([1 if k in places else next(extents) for k in range(rank)])


@_function()
def _moveaxis(a: Any, source: Any, destination: Any) -> TracedArray:
    array = as_traced(a)
    order = np.moveaxis(np.empty((1,) * array.ndim), source, destination)
    del order
    numbered = np.moveaxis(np.empty(tuple(range(2, 2 + array.ndim)), bool), source, destination)
    return array.transpose([extent - 2 for extent in numbered.shape])


@_function()
def _flip(m: Any, axis: Any = None) -> TracedArray:
    array = as_traced(m)
    axes = range(array.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    places = {each % array.ndim for each in axes}
    return array[tuple(slice(None, None, -1 if k in places else 1) for k in range(array.ndim))]


@_function()
def _full_like(a: Any, fill_value: Any, dtype: Any = None, order: str = "K", shape: Any = None) -> TracedArray:
    kind, extents = np.dtype(dtype or a.dtype), a.shape if shape is None else shape
    found = as_traced(np.full((1,) * len(extents), fill_value, kind)).broadcast_to(extents)
    return TracedArray(found.entry, found.shape, kind)


@_function("zeros_like", "empty_like")
def _zeros_like(a: Any, dtype: Any = None, order: str = "K", shape: Any = None) -> TracedArray:
    return _full_like(a, 0, dtype, shape=shape)


@_function()
def _ones_like(a: Any, dtype: Any = None, order: str = "K", shape: Any = None) -> TracedArray:
    return _full_like(a, 1, dtype, shape=shape)


@_function()
def _take(a: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> TracedArray:
    array = as_traced(a).ravel() if axis is None else as_traced(a)
    axis = 0 if axis is None else axis % array.ndim
    index, extent = as_traced(indices), array.shape[axis]
    if mode == "clip":
        index = index.clip(0, extent - 1)
    elif mode == "wrap":
        index = np.remainder(index, extent)
    return array[(slice(None),) * axis + (index,)]


@_function()
def _take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> TracedArray:
    array, index = as_traced(arr), as_traced(indices)
    if axis is None:
        return array.ravel()[index]
    axis %= array.ndim
    keys = [
        index if k == axis else np.arange(n).reshape([-1 if j == k else 1 for j in range(array.ndim)])
        for k, n in enumerate(array.shape)
    ]
    return array[tuple(keys)]


@_function()
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


@_function()
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


@_function()
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
    return joined([array[(*ahead, slice(extent - by, None))], array[(*ahead, slice(extent - by))]], axis)


_MIRRORED = frozenset({"edge", "symmetric", "reflect", "wrap"})


@_function()
def _pad(array: Any, pad_width: Any, mode: str = "constant", **options: Any) -> TracedArray:
    found = as_traced(array)
    widths = np.broadcast_to(np.asarray(pad_width), (found.ndim, 2)).tolist()
    if mode == "constant":
        value = options.get("constant_values", 0)
        for axis, (before, after) in enumerate(widths):
            ends = [
                _full_like(found, value, shape=_resized(found.shape, axis, width)) if width else None
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


@_function("split", "array_split")
def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[TracedArray]:
    array = as_traced(ary)
    axis %= array.ndim
    bounds = np.split(np.arange(array.shape[axis]), indices_or_sections)
    ahead = (slice(None),) * axis
    return [array[(*ahead, slice(int(b[0]), int(b[-1]) + 1) if len(b) else slice(0))] for b in bounds]


@_function()
def _diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> TracedArray:
    array = as_traced(a)
    axis1, axis2 = axis1 % array.ndim, axis2 % array.ndim
    others = [k for k in range(array.ndim) if k not in (axis1, axis2)]
    moved = array.transpose([*others, axis1, axis2])
    row, column = max(-offset, 0), max(offset, 0)
    length = min(array.shape[axis1] - row, array.shape[axis2] - column)
    places = np.arange(length)
    return moved[(*(slice(None) for _ in others), places + row, places + column)]


@_function("matmul")
def _matmul(a: Any, b: Any) -> TracedArray:
    first, second = as_traced(a), as_traced(b)
    if first.ndim < 2 or second.ndim < 2:
        raise NotTraced("a product of vectors")
    batch = np.broadcast_shapes(first.shape[:-2], second.shape[:-2])
    rows, columns = first.shape[-2], second.shape[-1]
    kind = np.result_type(first.dtype, second.dtype)
    if kind.kind != "f":
        products = _expand_dims(first, -1) * _expand_dims(second, -3)
        return products.sum(axis=-2, dtype=kind)
    factors = [
        array.astype(kind).broadcast_to((*batch, *array.shape[-2:])).reshape((-1, *array.shape[-2:]))
        for array in (first, second)
    ]
    entry = F.batch_dot(*[factor.entry for factor in factors])
    product = TracedArray(entry, (prod(batch), rows, columns), kind)
    return product.reshape((*batch, rows, columns))


@_function()
def _result_type(*values: Any) -> np.dtype[Any]:
    return np.result_type(*(v.dtype if isinstance(v, TracedArray) else v for v in values))


@_function()
def _shape(a: Any) -> Shape:
    return as_traced(a).shape


@_function()
def _ndim(a: Any) -> int:
    return as_traced(a).ndim


@_function()
def _size(a: Any, axis: int | None = None) -> int:
    return prod(as_traced(a).shape) if axis is None else as_traced(a).shape[axis]


@_function()
def _tril(m: Any, k: int = 0) -> TracedArray:
    array = as_traced(m)
    return chosen(np.tri(*array.shape[-2:], k=k).astype(bool), array, array.dtype.type(0))


@_function()
def _triu(m: Any, k: int = 0) -> TracedArray:
    array = as_traced(m)
    below = np.tri(*array.shape[-2:], k=k - 1).astype(bool)
    return chosen(below, array.dtype.type(0), array)
