"""Arrays of positions: reading them from any numbers, and adding up what falls together."""

import sys
from typing import Literal

import numpy as np

from gluonic.graph.checking import CHECKING
from gluonic.graph.errors import OutOfRangeError, describe
from gluonic.graph.operator import Array

Mode = Literal["clip", "wrap", "raise"]
_WORTH_A_MATRIX = 4096
"""From so many elements on a sparse product beats adding one by one."""
_WORTH_AN_IMPORT = 1 << 22
"""When so many have been added one by one, SciPy's sparse matrices are imported; the sums are the same."""


class _Added:
    """How many elements have been added one by one, so that a sparse product would have been quicker."""

    count = 0


def positions(index: Array, size: int, mode: str, title: str) -> Array:
    """Read positions along an axis of `size` elements.

    Parameters
    ----------
    index : numbers of any dtype; fractions are cut off
    size : the length of the axis
    mode : what happens beyond its ends: ``clip`` takes the first or last element (with ``GLUONIC_CHECK=1``
        it refuses), ``wrap`` goes round, ``raise`` refuses, ``negative`` counts from the end and refuses what
        is beyond
    title : the operator, for messages

    Raises
    ------
    OutOfRangeError
        if there is no such element
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
    place = tuple(np.argwhere((whole < lowest) | (whole >= size))[0].tolist())
    raise OutOfRangeError(
        describe(
            f"index {index[place].item():.15g} is out of range for an axis of {size} elements",
            where=title,
            facts=[f"it stands at {place} of an array of shape {index.shape}"],
        )
    )


def check_classes(label: Array, classes: int, title: str, ignored: float | None = None) -> None:
    """Refuse, with ``GLUONIC_CHECK=1``, numbers of classes that are not there.

    Parameters
    ----------
    label : the numbers
    classes : how many there are
    title : the operator, for messages
    ignored : a number that stands for no class

    Raises
    ------
    OutOfRangeError
        if there is no such class
    """
    if CHECKING:
        whole = label.astype(np.intp)
        known = whole if ignored is None else np.where(whole == int(ignored), 0, whole)
        _require_within(label, known, 0, classes, title)


def add_rows(rows: int, index: Array, values: Array) -> Array:
    """Add `values` up into rows: row i of the result is the sum of those whose index is i.

    Parameters
    ----------
    rows : how many rows the result has
    index : a vector of positions, repetitions allowed
    values : for each position what is to be added, (len(index), ...)
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
    """Whether SciPy's matrices are there, or it is time to import them."""
    _Added.count += size
    return "scipy.sparse" in sys.modules or _Added.count > _WORTH_AN_IMPORT


def multi_index(indices: Array, shape: tuple[int, ...], title: str) -> tuple[Array, ...]:
    """Read positions along several axes, one axis a row; negative ones count from the end."""
    return tuple(
        positions(row, size, "negative", title) for row, size in zip(indices, shape, strict=False)
    )
