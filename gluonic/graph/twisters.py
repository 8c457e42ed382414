"""Mersenne twisters: MT19937 (Matsumoto and Nishimura, ACM TOMACS 8, 1998), many of them in a few arrays.

Machine code draws from the same arrays; see :mod:`gluonic.codegen.machine.twisters`.
"""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]

WORDS, MIDDLE = 624, 397
UPPER, LOWER, TWIST = 0x80000000, 0x7FFFFFFF, 0x9908B0DF
TEMPERING = (11, None), (-7, 0x9D2C5680), (-15, 0xEFC60000), (18, None)
"""The steps of tempering: a word is shifted right by these bits, masked, and combined with itself by xor."""
FACTOR = 1812433253
"""The factor of the recurrence from a seed to a state."""
UNSEEDED = -1
_MANY = 32
"""The number of twisters from which seeding them together is faster."""

Take = Callable[[int], Array]
"""Takes a number of words from a twister, as uint32; they are valid until the next are taken."""


class Twisters:
    """`count` twisters; the i-th is seeded with ``first_seed + i`` on its first draw.

    Attributes
    ----------
    blocks : the state of each, as uint32
    ready : the words computed from the states
    positions : number of these words taken so far; `UNSEEDED` before the first draw
    first_seed : the first seed, modulo 2**32
    """

    def __init__(self, count: int, first_seed: int = 0) -> None:
        self.blocks = np.empty((count, WORDS), np.uint32)
        self.ready = np.empty((count, WORDS), np.uint32)
        self.positions = np.empty(count, np.int64)
        self.seed(first_seed)

    def seed(self, first_seed: int) -> None:
        """Restart from a seed."""
        self.first_seed = first_seed % (1 << 32)
        self.positions.fill(UNSEEDED)

    def begin(self, count: int) -> None:
        """Seed those of the first `count` twisters that are unseeded, if many: one by one takes longer."""
        rows = np.flatnonzero(self.positions[:count] == UNSEEDED)
        if len(rows) >= _MANY:
            self.blocks[rows] = first_states((self.first_seed + rows) % (1 << 32))
            self.positions[rows] = WORDS

    def alike(self, row: int, end: int) -> slice:
        """The twisters from `row` on, before `end`, at the same position as the first; at least one."""
        others = np.flatnonzero(self.positions[row:end] != self.positions[row])
        return slice(row, row + int(others[0]) if others.size else max(end, row + 1))

    def take(self, rows: int | slice, count: int) -> Array:
        """Take words from a twister, or from each of some that are `alike`: one row for each.

        The next call may overwrite the result.
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
        """Compute the next states of twisters, and their words."""
        block, words = self.blocks[rows], self.ready[rows]
        mixed = _mixed(block[..., :-1], block[..., 1:])
        for begin in range(0, WORDS - 1, WORDS - MIDDLE):
            end = min(begin + WORDS - MIDDLE, WORDS - 1)
            source = block[..., (begin + MIDDLE) % WORDS :][..., : end - begin]
            np.bitwise_xor(source, mixed[..., begin:end], block[..., begin:end])
        last = _mixed(block[..., -1:], block[..., :1])
        block[..., -1:] = block[..., MIDDLE - 1 : MIDDLE] ^ last
        words[:] = block
        moved = np.empty_like(words)
        for shift, mask in TEMPERING:
            move = np.right_shift if shift > 0 else np.left_shift
            move(words, np.uint32(abs(shift)), moved)
            if mask is not None:
                moved &= np.uint32(mask)
            words ^= moved


def _mixed(word: Array, following: Array) -> Array:
    """The upper bit of a word and the lower ones of the next, times the matrix of the recurrence."""
    joined: Array = word ^ following
    joined &= np.uint32(UPPER)
    joined ^= following
    joined >>= np.uint32(1)
    odd: Array = following & np.uint32(1)
    odd *= np.uint32(TWIST)
    joined ^= odd
    return joined


def first_words(seed: int) -> Array:
    """The initial state of a twister.

    >>> int(first_words(5489)[1])
    1301868182
    """
    state: Any = np.random.RandomState(seed).get_state()
    words: Array = state[1]
    return words


def first_states(seeds: Array) -> Array:
    """The initial states of twisters with these seeds, one per row.

    >>> [int(state[1]) for state in first_states(np.array([5489, 5490]))]
    [1301868182, 3114301435]
    """
    words = np.empty((WORDS, len(seeds)), np.uint32)
    words[0] = seeds
    # NumPy's scalars would take longer than arrays of one number.
    shift, factor = np.array(30, np.uint32), np.array(FACTOR, np.uint32)
    numbers = np.arange(1, WORDS, dtype=np.uint32).reshape(-1, 1)
    for number, (before, state) in zip(numbers, pairwise(words), strict=True):
        np.right_shift(before, shift, state)
        np.bitwise_xor(before, state, state)
        np.multiply(state, factor, state)
        np.add(state, number, state)
    return words.T
