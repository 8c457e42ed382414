"""Arrays of indices: conversion from any dtype, and sums of rows with equal indices."""

import sys
from typing import Literal

import numpy as np

from gluonic.graph.checking import CHECKING
from gluonic.graph.errors import OutOfRangeError, describe
from gluonic.graph.operator import Array

Mode = Literal["clip", "wrap", "raise"]
_WORTH_A_MATRIX = 4096
"""The number of elements from which a sparse product is faster than adding one by one."""
_WORTH_AN_IMPORT = 1 << 22
"""The number of elements added one by one before SciPy's sparse matrices are imported; sums are the same."""


class _Added:
    """The number of elements added one by one for which a sparse product would have been faster."""

    count = 0


def positions(index: Array, size: int, mode: str, title: str) -> Array:
    """Convert to indices along an axis of `size` elements.

    Parameters
    ----------
    index : numbers of any dtype; fractions are truncated
    size : the length of the axis
    mode : the treatment of indices out of bounds: ``clip`` takes the first or last element (with
        ``GLUONIC_CHECK=1`` it refuses), ``wrap`` wraps around, ``raise`` refuses, ``negative`` counts from the
        end and refuses those out of bounds
    title : the operator, for messages

    Raises
    ------
    OutOfRangeError
        if an index is refused
    """
    whole = index.astype(np.intp)
    if not size and whole.size:
        raise OutOfRangeError(describe("nothing can be taken from an empty axis", where=title))
    if mode == "clip" and not CHECKING:
        return np.minimum(np.maximum(whole, 0), size - 1)
    if mode == "wrap":
        return whole % size if size else whole
    lowest = -size if mode == "negative" else 0
    _require_within(index, whole, lowest, size, title)
    return whole % size if size else whole


def _require_within(index: Array, whole: Array, lowest: int, size: int, title: str) -> None:
    if not whole.size or lowest <= whole.min() <= whole.max() < size:
        return
    position = tuple(np.argwhere((whole < lowest) | (whole >= size))[0].tolist())
    raise OutOfRangeError(
        describe(
            f"index {index[position].item():.15g} is out of range for an axis of {size} elements",
            where=title,
            facts=[f"it is at {position} of an array of shape {index.shape}"],
        )
    )


def check_classes(label: Array, classes: int, title: str, ignored: float | None = None) -> None:
    """Refuse class numbers that are out of range, with ``GLUONIC_CHECK=1``.

    Parameters
    ----------
    label : the class numbers
    classes : number of classes
    title : the operator, for messages
    ignored : a number that is not a class

    Raises
    ------
    OutOfRangeError
        if a class number is out of range
    """
    if CHECKING:
        whole = label.astype(np.intp)
        known = whole if ignored is None else np.where(whole == int(ignored), 0, whole)
        _require_within(label, known, 0, classes, title)


def add_rows(rows: int, index: Array, values: Array) -> Array:
    """Sum `values` into rows: row i of the result is the sum of those with index i.

    Parameters
    ----------
    rows : number of rows of the result
    index : a vector of indices, which may repeat
    values : the summand for each index, (len(index), ...)
    """
    wide = values.astype(np.float32) if values.dtype == np.float16 else values
    if wide.size < _WORTH_A_MATRIX or wide.dtype.kind != "f" or not _has_matrices(wide.size):
        result = np.zeros((rows, *wide.shape[1:]), wide.dtype)
        np.add.at(result, index, wide)
        return result
    from scipy.sparse import csc_matrix

    columns = np.arange(len(index) + 1)
    chosen = csc_matrix((np.ones(len(index), wide.dtype), index, columns), (rows, len(index)))
    return np.asarray(chosen @ wide.reshape(len(index), -1)).reshape(rows, *wide.shape[1:])


def _has_matrices(size: int) -> bool:
    """Whether SciPy's matrices are imported, or should be now."""
    _Added.count += size
    return "scipy.sparse" in sys.modules or _Added.count > _WORTH_AN_IMPORT


def multi_index(indices: Array, shape: tuple[int, ...], title: str) -> tuple[Array, ...]:
    """Convert to indices along several axes, one row per axis; negative ones count from the end."""
    return tuple(
        positions(row, size, "negative", title) for row, size in zip(indices, shape, strict=False)
    )
