"""Operators that repeat arrays, and their gradients, as broadcasts along new axes, and sums."""

from collections.abc import Sequence
from typing import Any

from gluonic.graph import Entry

_SAME, _MERGED = 0, -3  # in the shapes that `reshape` takes: an unchanged axis, two axes merged


def tiled(F: Any, x: Entry, rank: int, reps: Sequence[int]) -> Entry:
    """``tile``: an axis of copies before each axis, merged with it afterwards."""
    for _ in range(len(reps) - rank):
        x = F.expand_dims(x, axis=0)
    counts = _counts(rank, reps)
    axes: list[int] = []
    for axis, count in enumerate(counts):
        if count > 1:
            axes.append(axis + len(axes))
            x = F.expand_dims(x, axis=axes[-1])
    if not axes:
        return x
    stretched = F.broadcast_axis(x, axis=tuple(axes), size=tuple(c for c in counts if c > 1))
    merged: Entry = F.reshape(stretched, shape=tuple(_MERGED if c > 1 else _SAME for c in counts))
    return merged


def _counts(rank: int, reps: Sequence[int]) -> list[int]:
    """The number of copies along each axis of the result."""
    return [1] * (rank - len(reps)) + list(reps)


def tiled_back(F: Any, gradient: Entry, x: Entry, rank: int, reps: Sequence[int]) -> Entry:
    """The gradient of ``tile``."""
    counts = _counts(rank, reps)
    parts = [code for count in counts for code in ((-4, count, -1) if count > 1 else (_SAME,))]
    axes = [axis + sum(c > 1 for c in counts[:axis]) for axis, c in enumerate(counts) if c > 1]
    if axes:
        gradient = F.sum(F.reshape(gradient, shape=tuple(parts)), axis=tuple(axes))
    given: Entry = F.reshape_like(gradient, x)
    return given


def repeated(F: Any, x: Entry, rank: int, repeats: int, axis: int | None) -> Entry:
    """``repeat``: an axis of copies after an axis, merged with it afterwards."""
    if axis is None:
        x, rank, axis = F.reshape(x, shape=(-1,)), 1, 0
    axis %= rank
    stretched = F.broadcast_axis(F.expand_dims(x, axis=axis + 1), axis=axis + 1, size=repeats)
    codes = (*(_SAME,) * axis, _MERGED, *(_SAME,) * (rank - 1 - axis))
    merged: Entry = F.reshape(stretched, shape=codes)
    return merged


def repeated_back(
    F: Any, gradient: Entry, x: Entry, rank: int, repeats: int, axis: int | None
) -> Entry:
    """The gradient of ``repeat``."""
    if axis is None:
        rank, axis = 1, 0
    axis %= rank
    codes = (*(_SAME,) * axis, -4, -1, repeats, *(_SAME,) * (rank - 1 - axis))
    given: Entry = F.reshape_like(F.sum(F.reshape(gradient, shape=codes), axis=axis + 1), x)
    return given
