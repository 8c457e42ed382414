"""The random numbers of C++ programs that use ``std::mt19937`` of GNU's library (libstdc++).

MXNet's iterators use it: with the same seed they take the same crops and the same order here.
"""

from collections.abc import MutableSequence
from typing import Any

import numpy as np

from gluonic.graph.draws_of_a_run import F32, paired_normals

_WORDS = 1 << 32
_BELOW_ONE = float(np.nextafter(np.float32(1), np.float32(0)))


def _single(value: float) -> float:
    """Round to float32."""
    return float(np.float32(value))


class CppRandom:
    """A ``std::mt19937``, and the distributions over it.

    Parameters
    ----------
    seed : its seed

    Examples
    --------
    >>> CppRandom(5489).word()
    3499211612
    """

    def __init__(self, seed: int) -> None:
        self._bits = np.random.MT19937()
        self._state = np.random.RandomState(self._bits)
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Restart with a seed, of which 32 bits count."""
        self._state.seed(seed % _WORDS)

    def word(self) -> int:
        """Draw 32 bits."""
        return int(self._bits.random_raw())

    def unit(self) -> float:
        """A float32 of at least 0, below 1."""
        return min(_single(self.word()) / _WORDS, _BELOW_ONE)

    def uniform(self, low: float, high: float) -> float:
        """A float32 between two numbers (``std::uniform_real_distribution<float>``)."""
        low = _single(low)
        return _single(_single(self.unit() * _single(high - low)) + low)

    def integer(self, low: int, high: int) -> int:
        """An integer between two, which are included (``std::uniform_int_distribution``)."""
        count = high - low + 1
        if count == _WORDS:
            return low + self.word()
        scale = (_WORDS - 1) // count
        while (drawn := self.word()) >= count * scale:
            pass
        return low + drawn // scale

    def coin(self) -> bool:
        """True in half of the cases (``std::bernoulli_distribution``, which draws twice)."""
        first, second = self.word(), self.word()
        return (first + second * float(_WORDS)) / float(_WORDS) ** 2 < 0.5

    def normals(self, deviation: float, count: int) -> list[float]:
        """Normal numbers about 0 (``std::normal_distribution<float>``, which draws them in pairs)."""
        drawn = paired_normals(lambda n: self._bits.random_raw(n).astype(np.uint32), count, F32)
        return [_single(value * deviation) for value in drawn]

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Shuffle items (``std::shuffle``, as up to version 6 of the library)."""
        for index in range(1, len(items)):
            other = self.integer(0, index)
            items[index], items[other] = items[other], items[index]
