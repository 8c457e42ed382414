"""The random states for operators of libraries: 1024 Mersenne twisters, seeded as in MXNet.

They follow `mx.random.seed`, and with the same seed give the numbers that MXNet's give. Each is laid
out as libstdc++ lays out std::mt19937: 624 words in 64 bits each, then the position.
"""

import threading

import numpy as np

from gluonic.ndarray.state import RANDOM

STATES = 1024
_WORDS = 624
_MULTIPLIER = 1812433253  # of the generator's own initialization, Matsumoto and Nishimura, 2002
_SEED_STRIDE = 127  # state j starts with seed * 127 + j


class RandomStates:
    """The states, created on first use, and again after each seeding."""

    def __init__(self) -> None:
        self._memory: np.ndarray[tuple[int, int], np.dtype[np.uint64]] | None = None
        self._lock = threading.Lock()

    def address(self) -> int:
        """Return the address of the states, which never changes; the states advance from call to call."""
        with self._lock:
            if self._memory is None:
                self._memory = np.empty((STATES, _WORDS + 1), np.uint64)
                self._seed(RANDOM.number)
                RANDOM.listeners.append(self._seed)
            return int(self._memory.ctypes.data)

    def _seed(self, number: int) -> None:
        assert self._memory is not None
        seeds = np.arange(STATES, dtype=np.uint64) + np.uint64(number * _SEED_STRIDE % 2**32)
        self._memory[:, :_WORDS] = first_words(seeds.astype(np.uint32)).T
        self._memory[:, _WORDS] = _WORDS


def first_words(
    seeds: np.ndarray[tuple[int], np.dtype[np.uint32]],
) -> np.ndarray[tuple[int, int], np.dtype[np.uint32]]:
    """Return the words that Mersenne twisters start with, a column for each seed.

    >>> int(first_words(np.array([5489], np.uint32))[1, 0])
    1301868182
    """
    words = np.empty((_WORDS, len(seeds)), np.uint32)
    words[0] = seeds
    for i in range(1, _WORDS):
        before = words[i - 1]
        words[i] = (before ^ (before >> np.uint32(30))) * np.uint32(_MULTIPLIER) + np.uint32(i)
    return words


RANDOM_STATES = RandomStates()
