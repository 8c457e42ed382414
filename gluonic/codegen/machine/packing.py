"""Packing: offsets for buffers that are all known in advance, the largest first."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def largest_first(moves: Sequence[int], sizes: npt.NDArray[np.int64]) -> list[int]:
    """The offset of each buffer: the largest are placed first, each in the smallest gap that is large enough.

    Parameters
    ----------
    moves : the index of a buffer that is born; its bitwise inverse when it dies
    sizes : the bytes of each buffer
    """
    born, dies = _lifetimes(moves, len(sizes))
    offsets = np.zeros(len(sizes), np.int64)
    placed = np.zeros(len(sizes), bool)
    for buffer in np.argsort(-sizes, kind="stable").tolist():
        beside = placed & (born < dies[buffer]) & (dies > born[buffer])
        starts, ends = offsets[beside], offsets[beside] + sizes[beside]
        order = np.argsort(starts, kind="stable")
        offsets[buffer] = _offset_between(starts[order], ends[order], int(sizes[buffer]))
        placed[buffer] = True
    return offsets.tolist()


def _lifetimes(
    moves: Sequence[int], count: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The positions among the moves at which each buffer is born and dies; none, if it has no moves."""
    born, dies = np.full(count, len(moves)), np.full(count, -1)
    for position, move in enumerate(moves):
        if move >= 0:
            born[move], dies[move] = position, len(moves)
        else:
            dies[~move] = position
    return born, dies


def _offset_between(starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64], size: int) -> int:
    """The start of the smallest gap of at least a size between sorted ranges, or the end of them all."""
    if not len(starts):
        return 0
    free_from = np.concatenate([[0], np.maximum.accumulate(ends)])
    room = starts - free_from[:-1]
    room[room < size] = np.iinfo(np.int64).max
    best = int(room.argmin())
    fits = room[best] != np.iinfo(np.int64).max
    return int(free_from[best] if fits else free_from[-1])
