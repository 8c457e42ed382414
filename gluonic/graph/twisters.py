"""Mersenne twisters: MT19937 (Matsumoto and Nishimura, ACM TOMACS 8, 1998), many of them in a few arrays.

Machine code draws from the same arrays; see :mod:`gluonic.codegen.machine.twisters`.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]

WORDS, MIDDLE = 624, 397
UPPER, LOWER, TWIST = 0x80000000, 0x7FFFFFFF, 0x9908B0DF
TEMPERING = (11, None), (-7, 0x9D2C5680), (-15, 0xEFC60000), (18, None)
"""By how many bits to the right a word is shifted, masked, and added to itself without carrying."""
FACTOR = 1812433253
"""Of the recurrence that makes a state of a seed."""
UNSEEDED = -1
_MANY = 32
"""So many twisters are rather seeded at once."""

Take = Callable[[int], Array]
"""Takes so many words off a twister, as uint32; they are there until the next are taken."""


class Twisters:
    """So many twisters, the i-th of which begins with the seed ``first_seed + i``, when it is first drawn from.

    Attributes
    ----------
    blocks : the state of each, as uint32
    ready : the words that follow from it
    positions : how many of these have been taken; `UNSEEDED` before the first are
    first_seed : modulo 2**32
    """

    def __init__(self, count: int, first_seed: int = 0) -> None:
        self.blocks = np.empty((count, WORDS), np.uint32)
        self.ready = np.empty((count, WORDS), np.uint32)
        self.positions = np.empty(count, np.int64)
        self.seed(first_seed)

    def seed(self, first_seed: int) -> None:
        """Start anew."""
        self.first_seed = first_seed % (1 << 32)
        self.positions.fill(UNSEEDED)

    def begin(self, count: int) -> None:
        """Seed what is not yet of the first twisters, if these are many: one by one it takes longer."""
        rows = np.flatnonzero(self.positions[:count] == UNSEEDED)
        if len(rows) >= _MANY:
            self.blocks[rows] = first_states((self.first_seed + rows) % (1 << 32))
            self.positions[rows] = WORDS

    def alike(self, row: int, end: int) -> slice:
        """The twisters from `row` on, before `end`, of which as many words have been taken: one at least."""
        others = np.flatnonzero(self.positions[row:end] != self.positions[row])
        return slice(row, row + int(others[0]) if others.size else max(end, row + 1))

    def take(self, rows: int | slice, count: int) -> Array:
        """Take words off a twister, or off each of some that are `alike`: a row for each.

        What is returned may be overwritten by the next call.
        """
        first = rows.start if isinstance(rows, slice) else rows
        position = int(self.positions[first])
        if position == UNSEEDED:
            self._seed(range(first, rows.stop) if isinstance(rows, slice) else [rows])
            position = WORDS
        if position + count <= WORDS:
            self.positions[rows] = position + count
            return self.ready[rows, position : position + count]
        taken = np.empty((*self.positions[rows].shape, count), np.uint32)
        done = 0
        while done < count:
            if position == WORDS:
                self._turn(rows)
                position = 0
            size = min(count - done, WORDS - position)
            taken[..., done : done + size] = self.ready[rows, position : position + size]
            done, position = done + size, position + size
        self.positions[rows] = position
        return taken

    def _seed(self, rows: Iterable[int]) -> None:
        for row in rows:
            self.blocks[row] = first_words((self.first_seed + row) % (1 << 32))

    def _turn(self, rows: int | slice) -> None:
        """Make the next states of twisters, and their words."""
        block, words = self.blocks[rows], self.ready[rows]
        mixed = _mixed(block[..., :-1], block[..., 1:])
        for begin in range(0, WORDS - 1, WORDS - MIDDLE):
            end = min(begin + WORDS - MIDDLE, WORDS - 1)
            source = block[..., (begin + MIDDLE) % WORDS :][..., : end - begin]
            block[..., begin:end] = source ^ mixed[..., begin:end]
        last = _mixed(block[..., -1:], block[..., :1])
        block[..., -1:] = block[..., MIDDLE - 1 : MIDDLE] ^ last
        words[:] = block
        for shift, mask in TEMPERING:
            moved = words >> np.uint32(shift) if shift > 0 else words << np.uint32(-shift)
            words ^= moved if mask is None else moved & np.uint32(mask)


def _mixed(word: Array, following: Array) -> Array:
    joined = (word & np.uint32(UPPER)) | (following & np.uint32(LOWER))
    return (joined >> np.uint32(1)) ^ (joined & np.uint32(1)) * np.uint32(TWIST)


def first_words(seed: int) -> Array:
    """The state that a twister begins with.

    >>> int(first_words(5489)[1])
    1301868182
    """
    state: Any = np.random.RandomState(seed).get_state()
    words: Array = state[1]
    return words


def first_states(seeds: Array) -> Array:
    """The states, one a row, that twisters of these seeds begin with.

    >>> [int(state[1]) for state in first_states(np.array([5489, 5490]))]
    [1301868182, 3114301435]
    """
    words = np.empty((WORDS, len(seeds)), np.uint32)
    words[0] = seeds
    for i in range(1, WORDS):
        before = words[i - 1]
        words[i] = (before ^ before >> np.uint32(30)) * np.uint32(FACTOR) + np.uint32(i)
    return words.T
