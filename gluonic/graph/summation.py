"""Sums over axes, nearly as accurate as those of compiled code, which sums float32 in float64.

NumPy sums float32 pairwise along the last axes, but sequentially along others, so that errors grow with the
number of rows.
"""

from itertools import groupby
from math import prod
from typing import Any

import numpy as np

from gluonic.graph.operator import Array

_SMALL, _SMALL_OF_WIDE = 4096, 32768
"""The number of elements up to which sums in float64 are as fast as in float32; the latter if rows are long."""
_WIDE = 64
_WIDTH = 1024  # elements for which an inner loop is worthwhile
_FEW = 16  # rows that are summed in float32, before float64 takes over
_SHORT = 1024
"""The longest rows that `einsum` sums faster than NumPy's pairwise sums, if there are at least 16 rows."""

_reduce: Any = np.add.reduce


def total(data: Array, axes: tuple[int, ...], keepdims: bool = False) -> Any:
    """The sum over `axes`: in float32 for float16, in float32 or float64 for float32."""
    if data.dtype != np.float32:
        wide: Any = np.float32 if data.dtype == np.float16 else None
        return _reduce(data, axis=axes, dtype=wide, keepdims=keepdims)
    if axes and min(axes) < 0:
        axes = tuple(axis % data.ndim for axis in axes)
    is_contiguous = data.flags.c_contiguous
    if is_contiguous and (not axes or min(axes) == data.ndim - len(axes)):
        if len(axes) == 1 and data.shape[-1] <= _SHORT:
            found = np.einsum("...i->...", data)
            return found[..., None] if keepdims else found
        return _reduce(data, axis=axes, keepdims=keepdims)
    if data.size <= _SMALL or not is_contiguous:
        return _reduce(data, axis=axes, dtype=np.float64, keepdims=keepdims)
    shape = [1 if i in axes else n for i, n in enumerate(data.shape) if keepdims or i not in axes]
    if data.size <= _SMALL_OF_WIDE and max(axes) == len(axes) - 1:
        width = prod(data.shape[len(axes) :])
        if width >= _WIDE:
            return _reduce(data.reshape(-1, width), axis=0, dtype=np.float64).reshape(shape)
    return _total_of_large(data, axes).reshape(shape)


def total_like(data: Array, axes: tuple[int, ...], keepdims: bool = False) -> Any:
    """`total`, with a float32 result for float32."""
    found = total(data, axes, keepdims)
    return found.astype(np.float32, copy=False) if data.dtype == np.float32 else found


def total_of_squares_like(data: Array, axes: tuple[int, ...], keepdims: bool = False) -> Any:
    """`total_like` of the squares, which are not stored where the last axes are short."""
    first = data.ndim
    while first and {first - 1, first - 1 - data.ndim} & set(axes):
        first -= 1
    count = prod(data.shape[first:])
    is_plain = data.dtype == np.float32 and data.flags.c_contiguous
    if not is_plain or first == data.ndim or not 0 < count <= _SHORT:
        return total_like(np.square(data), axes, keepdims)
    rows = data.reshape(-1, count)
    sums = np.einsum("ij,ij->i", rows, rows)
    shape = [n if i < first else 1 for i, n in enumerate(data.shape)]
    return total_like(sums.reshape(shape), axes, keepdims)


def _total_of_large(data: Array, axes: tuple[int, ...]) -> Array:
    """The sum over axes, the last ones first."""
    shape, behind = data.shape, 1
    neighbours = [(key, list(found)) for key, found in groupby(range(data.ndim), axes.__contains__)]
    for is_reduced, members in reversed(neighbours):
        length = prod([shape[i] for i in members])
        if is_reduced:
            data = _total_of_rows(data.reshape(-1, length, behind))
        else:
            behind *= length
    return data


def _total_of_rows(data: Array) -> Array:
    """The sum over the second of three axes."""
    outer, count, width = data.shape
    found: Array
    if width == 1 and count <= _SHORT and data.dtype == np.float32:
        found = np.einsum("ijk->ik", data)
        return found
    if width == 1 or data.dtype != np.float32:
        found = _reduce(data, axis=1)
        return found
    side_by_side = max(1, min(_WIDTH // width, count // _FEW))
    rows = count // side_by_side
    whole, rest = data[:, : rows * side_by_side], data[:, rows * side_by_side :]
    found = _total_of_long_rows(whole.reshape(outer, rows, side_by_side * width))
    if side_by_side > 1:
        found = _reduce(found.reshape(outer, side_by_side, width), axis=1)
    if rest.size:
        found += _reduce(rest, axis=1, dtype=np.float64)
    return found


def _total_of_long_rows(rows: Array) -> Array:
    """The sum over the second of three axes, a few rows at a time; finally in float64."""
    left = []
    while rows.shape[1] > _FEW:
        groups, more = divmod(rows.shape[1], _FEW)
        if more:
            left.append(rows[:, -more:])
        rows = _reduce(rows[:, : groups * _FEW].reshape(len(rows), groups, _FEW, -1), axis=2)
    found: Array = _reduce(rows, axis=1, dtype=np.float64)
    for part in left:
        found += _reduce(part, axis=1, dtype=np.float64)
    return found
