"""Where random numbers come from: generators that give those of MXNet 1.9.1 on processors.

Samplers and dropout draw from 1,024 Mersenne twisters: an array is divided into as many contiguous runs as it
has begun 64 elements, at most 1,024, and each run is drawn off the next numbers of a twister of its own. What
chooses or reorders, dropout between recurrent layers, and random changes of images draw from one more twister.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from gluonic.graph.draws_of_a_run import FILLS, WORD_BY_WORD, different
from gluonic.graph.twisters import Array, Take, Twisters
from gluonic.support.locks import lock

STATES, _ALONE, _STRIDE = 1024, 64, 127
_WORTH, _START, _START_TOGETHER = 6 << 21, 1800, 120
_COSTS = {
    "exponential": 24,
    "normal": 100,
    "paired": 100,
    "poisson": 600,
    "gamma": 2400,
    "mixed": 3000,
}
"""When Python has drawn so much, machine code is loaded: for the beginning of a run and for each element."""
_TOGETHER = 32
"""So many runs are drawn at once where that is possible: their states stay in the cache."""
_MOST, _AT_ONCE = 0xFFFFFFFF, 1 << 14


class FillsArrays(Protocol):
    """Machine code that does what `FILLS` does, for all runs of an array."""

    def fill(
        self,
        name: str,
        twisters: Twisters,
        found: Array,
        runs: tuple[int, int],
        parameters: Sequence[Any],
    ) -> bool:
        """Fill a contiguous array of one axis; False if there is no code for this."""


def runs_of(count: int) -> tuple[int, int]:
    """How many runs an array of so many elements has, and how long the first ones are.

    >>> runs_of(5), runs_of(100), runs_of(1_000_000)
    ((1, 5), (2, 50), (1024, 977))
    """
    runs = min(-(-count // _ALONE), STATES)
    return runs, -(-count // runs) if runs else 0


def _joined(twisters: Twisters, rows: slice) -> Take:
    """Takes as many words off each of some twisters that are alike, those of the first first."""
    count = rows.stop - rows.start
    return lambda words: twisters.take(rows, words // count).reshape(-1)


class RandomSource:
    """The generators of a process.

    Parameters
    ----------
    number : the seed

    Attributes
    ----------
    load_machine : loads machine code, which then draws large arrays; None where there is none
    """

    load_machine: ClassVar[Callable[[], FillsArrays] | None] = None
    machine: ClassVar[FillsArrays | None] = None
    drawn: ClassVar[int] = 0

    def __init__(self, number: int = 0) -> None:
        self._parallel, self._single = Twisters(STATES), Twisters(1)
        self._lock = lock()
        self.seed(number)

    def seed(self, number: int, single: int | None = None) -> None:
        """Start anew.

        Parameters
        ----------
        number : the seed
        single : what the single twister begins with, by default as the first of the others
        """
        with self._lock:
            self._parallel.seed(number * _STRIDE)
            self._single.seed(number * _STRIDE if single is None else single)

    def draw(self, name: str, shape: tuple[int, ...], dtype: Any, *parameters: Any) -> Array:
        """Draw an array off the parallel twisters; `name` and `parameters` are explained at `FILLS`."""
        found = np.empty(shape, dtype)
        self._fill(self._parallel, name, found, runs_of(found.size), parameters)
        return found

    def _fill(
        self,
        twisters: Twisters,
        name: str,
        found: Array,
        runs: tuple[int, int],
        parameters: Sequence[Any],
    ) -> None:
        """Fill an array off so many twisters, so many elements of each."""
        flat = found.reshape(-1)
        count, length = runs
        with self._lock:
            machine = self._code(name, count, flat.size)
            if machine and machine.fill(name, twisters, flat, runs, parameters):
                return
            twisters.begin(count)
            row, whole = 0, flat.size // length if length and name in WORD_BY_WORD else 0
            while row < count:
                first = row * length
                rows = twisters.alike(row, min(row + _TOGETHER, whole))
                part = flat[first : rows.stop * length]
                FILLS[name](_joined(twisters, rows), part, first, parameters)
                row = rows.stop

    def _code(self, name: str, runs: int, size: int) -> FillsArrays | None:
        """Machine code, if what has been drawn, this array included, is worth it."""
        load = RandomSource.load_machine
        if load is None:
            return None
        if RandomSource.machine is not None:
            return RandomSource.machine
        start = _START_TOGETHER if name in WORD_BY_WORD else _START
        RandomSource.drawn += runs * start + size * _COSTS.get(name, 1)
        if RandomSource.drawn > _WORTH:
            RandomSource.machine = load()
        return RandomSource.machine

    def different(self, rows: int, count: int, range_max: int) -> list[tuple[list[int], int]]:
        """Draw rows of different classes off a twister each; see `draws_of_a_run.different`."""
        each = -(-rows // min(rows, STATES)) if rows else 0
        with self._lock:
            takes = (partial(self._parallel.take, row // each) for row in range(rows))
            return [different(take, count, range_max) for take in takes]

    # ------------------------------------------------------------------ the single twister

    def uniforms(self, shape: tuple[int, ...], dtype: Any = np.float32) -> Array:
        """Draw numbers of [0, 1) off the single twister: float32 of a word each, float64 of two."""
        found = np.empty(shape, dtype)
        self._fill(self._single, "uniform", found, (1, found.size), (0, 1))
        return found

    def normals(self, shape: tuple[int, ...], dtype: Any = np.float32) -> Array:
        """Draw normally distributed numbers off the single twister; see `paired_normals`."""
        found = np.empty(shape, dtype)
        self._fill(self._single, "paired", found, (1, found.size), (0, 1))
        return found

    def words(self, count: int) -> Array:
        """Draw words of 32 bits off the single twister, as int64."""
        found = np.empty(count, np.uint32)
        self._fill(self._single, "words", found, (1, count), ())
        return found.astype(np.int64)

    def below(self, limits: Array) -> Array:
        """Draw an integer off the single twister for each limit, from 0 on and below it, as int64.

        A word is divided by the largest factor; those that go beyond are left out.
        """
        found = np.empty(len(limits), np.int64)
        done = 0
        with self._lock:
            while done < len(limits):  # each integer that is left takes one word at least
                limit = limits[done : done + _AT_ONCE]
                factor = _MOST // limit
                words = self._single.take(0, len(limit)).astype(np.int64)
                done = self._divide(words, limit, factor, found, done)
        return found

    def _divide(self, words: Array, limit: Array, factor: Array, found: Array, done: int) -> int:
        """Make integers of words until these are used up; return how many there are then."""
        while words.size:
            size = words.size
            beyond = (words >= limit[:size] * factor[:size]).nonzero()[0]
            good = int(beyond[0]) if beyond.size else size
            found[done : done + good] = words[:good] // factor[:good]
            done, words = done + good, words[good + 1 :]
            limit, factor = limit[good:], factor[good:]
        return done


class Recorded:
    """Draws from a source, and keeps what is drawn.

    Attributes
    ----------
    drawn : the results, in order
    """

    def __init__(self, source: "Draws") -> None:
        self._source = source
        self.drawn: list[Any] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._source, name)

        def draw(*asked: Any) -> Any:
            self.drawn.append(method(*asked))
            return self.drawn[-1]

        return draw


class Repeated:
    """Gives once more what a source has drawn, whose methods are called as before."""

    def __init__(self, drawn: Sequence[Any]) -> None:
        self._left = iter(drawn)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *asked: next(self._left)


Draws: TypeAlias = RandomSource | Recorded | Repeated
"""What operators draw from; they write into nothing that it returns."""
