"""Indexing of traced arrays: slices are views, arrays of indices gather, changes of parts make new arrays."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.codegen.tracing.arrays import INDEX, TracedArray, as_traced, chosen, function, joined
from gluonic.codegen.tracing.elements import NotTraced
from gluonic.graph.builder import F

_MOVED_AS = {
    np.dtype(narrow): np.dtype(wide)
    for wide, all_narrow in {
        "float32": ("float16", "int8", "uint8", "bool"),
        "float64": ("int32",),
    }.items()
    for narrow in all_narrow
}
"""The dtypes in which rows are looked up, which are exact."""


@function("getitem")
def _taken(array: TracedArray, key: Any) -> TracedArray:
    keys = _whole_key(key, array.ndim)
    arrays = [k for k, each in enumerate(keys) if _is_array(each)]
    if not arrays:
        return _part(array, keys)
    return _gathered(array, keys)


def _part(array: TracedArray, keys: Sequence[Any]) -> TracedArray:
    """A view of a part."""
    parts, shape, axis = [], [], 0
    for each in keys:
        if each is None:
            shape.append(1)
            continue
        extent = array.shape[axis]
        if isinstance(each, slice):
            start, stop, step = each.indices(extent)
            length = len(range(start, stop, step))
            shape.append(length)
        else:
            index = int(each)
            if not -extent <= index < extent:
                raise IndexError(f"index {index} of an axis of {extent}")
            start, step, length = index % extent, 1, 1
        parts.append((start, step, length, extent))
        axis += 1
    if prod(shape) == 0:
        raise NotTraced("a part without elements")
    if all((start, step, length) == (0, 1, extent) for start, step, length, extent in parts):
        return array.reshape(shape)
    begin = tuple(start for start, _, _, _ in parts)
    end = tuple(_end(start, step, length) for start, step, length, _ in parts)
    steps = tuple(step for _, step, _, _ in parts)
    own = tuple(keys)

    def change(new: TracedArray) -> None:
        array[own] = new

    return array.view_of(
        tuple(shape),
        lambda entry: F._np_reshape(
            F.slice(entry, begin=begin, end=end, step=steps), newshape=tuple(shape)
        ),
        change,
    )


def _gathered(array: TracedArray, keys: Sequence[Any]) -> TracedArray:
    """Elements at places that arrays determine, by their index in row-major order."""
    if any(each is None for each in keys):
        raise NotTraced("new axes beside arrays of indices")
    axes = [k for k, each in enumerate(keys) if not isinstance(each, slice)]
    others = [k for k in range(len(keys)) if k not in axes]
    if any(getattr(keys[k], "dtype", INDEX).kind == "b" for k in axes):
        raise NotTraced("masks as indices")
    if any(keys[k] != slice(None) for k in others):
        array = array[tuple(keys[k] if k in others else slice(None) for k in range(len(keys)))]
    indices = [as_traced(keys[k]).astype(INDEX) for k in axes]
    shape = np.broadcast_shapes(*(index.shape for index in indices))
    flat: Any = 0
    for k, index in zip(axes, indices, strict=True):
        extent = array.shape[k]
        flat = flat * extent + np.where(index < 0, index + extent, index)
    flat = as_traced(flat).broadcast_to(shape)
    moved = array.transpose([*axes, *others])
    rest = [array.shape[k] for k in others]
    rows = moved.reshape([prod(array.shape[k] for k in axes), *rest])
    found = _rows_at(rows, flat)
    contiguous = axes == list(range(axes[0], axes[-1] + 1))
    if not contiguous or not axes[0]:
        return found
    front = len(shape)
    order = [*range(front, front + axes[0]), *range(front)]
    return found.transpose([*order, *range(front + axes[0], found.ndim)])


def _rows_at(array: TracedArray, indices: TracedArray) -> TracedArray:
    """The rows with some indices, which are within bounds."""
    if 0 in array.shape or not indices.size:
        raise NotTraced("rows of an empty array")
    wide = _MOVED_AS.get(array.dtype, array.dtype)
    entry = F.take(array.astype(wide).entry, indices.entry, axis=0, mode="clip")
    return TracedArray(entry, (*indices.shape, *array.shape[1:]), wide).astype(array.dtype)


@function("setitem")
def _set(array: TracedArray, key: Any, value: Any) -> None:
    new, keys = as_traced(value).astype(array.dtype), _whole_key(key, array.ndim)
    if any(_is_array(each) for each in keys):
        _set_where(array, keys, new)
        return
    ranges, shape, whole = [], [], [each for each in keys if each is not None]
    for each, extent in zip(whole, array.shape, strict=True):
        start, stop, step = each.indices(extent) if isinstance(each, slice) else _one(each, extent)
        ranges.append(range(start, stop, step))
    lengths = iter([len(own) for own in ranges])
    for each in keys:
        length = 1 if each is None else next(lengths)
        if each is None or isinstance(each, slice):
            shape.append(length)
    if 0 in map(len, ranges):
        return
    inner = new.broadcast_to(tuple(shape)).reshape([len(own) for own in ranges])
    array.replace(_with_part(array, inner, ranges))


def _set_where(array: TracedArray, keys: Sequence[Any], new: TracedArray) -> None:
    """Change the elements that a mask chooses to one number, or to one for each element."""
    places = [k for k, each in enumerate(keys) if _is_array(each)]
    mask = as_traced(keys[places[0]])
    axis = places[0]
    plain = all(each == slice(None) for k, each in enumerate(keys) if k != axis)
    if len(places) > 1 or mask.dtype.kind != "b" or not plain or new.size > 1:
        raise NotTraced("a change at places that arrays determine")
    after = array.ndim - axis - mask.ndim
    over = mask.reshape((1,) * axis + mask.shape + (1,) * after)
    array.replace(chosen(over, new.reshape(()), array).astype(array.dtype))


def _with_part(array: TracedArray, inner: TracedArray, ranges: Sequence[range]) -> TracedArray:
    """The array with a part replaced, axis by axis: joined, or chosen where the part has steps."""
    found = inner
    for axis in reversed(range(array.ndim)):
        own, extent = ranges[axis], array.shape[axis]
        old = array[tuple(_slice_of(r) if k < axis else slice(None) for k, r in enumerate(ranges))]
        ahead = (slice(None),) * axis
        if own.step == 1:
            parts = [
                old[(*ahead, slice(0, own.start))] if own.start else None,
                found,
                old[(*ahead, slice(own.stop, None))] if own.stop < extent else None,
            ]
            found = joined([part for part in parts if part is not None], axis)
            continue
        index = as_traced(np.arange(extent))
        number = np.floor_divide(index - own.start, own.step)
        inside = (np.remainder(index - own.start, own.step) == 0) & (number >= 0)
        inside = inside & (number < len(own))
        spread = found[(*ahead, number.clip(0, len(own) - 1))]
        over = inside.reshape([-1 if k == axis else 1 for k in range(array.ndim)])
        found = chosen(over, spread, old).astype(array.dtype)
    return found


def _one(index: Any, extent: int) -> tuple[int, int, int]:
    """One element as a range."""
    place = int(index)
    if not -extent <= place < extent:
        raise IndexError(f"index {place} of an axis of {extent}")
    return place % extent, place % extent + 1, 1


def _slice_of(own: range) -> slice:
    return slice(own.start, _end(own.start, own.step, len(own)), own.step)


def _is_array(key: Any) -> bool:
    return isinstance(key, TracedArray | np.ndarray | list) and getattr(key, "ndim", 1) >= 0


def _whole_key(key: Any, rank: int) -> list[Any]:
    """A key for each axis."""
    keys = list(key) if isinstance(key, tuple) else [key]
    used = sum(each is not None and each is not Ellipsis for each in keys)
    missing = [slice(None)] * (rank - used)
    places = [k for k, each in enumerate(keys) if each is Ellipsis]
    if not places:
        return [*keys, *missing]
    (place,) = places
    return [*keys[:place], *missing, *keys[place + 1 :]]


def _end(start: int, step: int, length: int) -> int | None:
    """The end of a slice of so many elements."""
    end = start + step * length
    return None if end < 0 else end
