"""Sources of random numbers: generators that return the numbers of MXNet 1.9.1 on CPUs.

Samplers and dropout draw from 1,024 Mersenne twisters. An array is divided into contiguous runs, one for each
64 elements (rounded up), at most 1,024; each run is drawn from the next words of its own twister. Choices,
permutations, dropout between recurrent layers, and random image augmentation draw from one further twister.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
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
"""The budget of draws in Python before machine code is loaded, and the costs of a run and of its elements."""
_WORTH_AT_ONCE = 1 << 22
"""The cost of draws in Python as long as loading machine code."""
_TOGETHER = 32
"""The number of runs drawn at once where possible: their states stay in the cache."""
_MOST, _AT_ONCE = 0xFFFFFFFF, 1 << 14


def _cost(name: str, runs: int, size: int) -> int:
    """The cost of a draw in Python."""
    start = _START_TOGETHER if name in WORD_BY_WORD else _START
    return runs * start + size * _COSTS.get(name, 1)


class FillsArrays(Protocol):
    """Machine code for the draws of `FILLS`, for all runs of an array."""

    def fill(
        self,
        name: str,
        twisters: Twisters,
        found: Array,
        runs: tuple[int, int],
        parameters: Sequence[Any],
    ) -> bool:
        """Fill a contiguous array of one axis; return False if there is no code for these draws."""


def runs_of(count: int) -> tuple[int, int]:
    """The number of runs of an array of `count` elements, and the length of all but the last ones.

    >>> runs_of(5), runs_of(100), runs_of(1_000_000)
    ((1, 5), (2, 50), (1024, 977))
    """
    runs = min(-(-count // _ALONE), STATES)
    return runs, -(-count // runs) if runs else 0


def _joined(twisters: Twisters, rows: slice) -> Take:
    """Takes equally many words from each of some twisters at the same position, those of the first first."""
    count = rows.stop - rows.start
    return lambda words: twisters.take(rows, words // count).reshape(-1)


class RandomSource:
    """The generators of a process.

    Parameters
    ----------
    number : the seed

    Attributes
    ----------
    load_machine : loads machine code, which then draws large arrays; None if there is none
    machine : the machine code, once loaded
    drawn : the part of the budget that is spent
    """

    load_machine: ClassVar[Callable[[], FillsArrays] | None] = None
    machine: ClassVar[FillsArrays | None] = None
    drawn: ClassVar[int] = 0

    def __init__(self, number: int = 0) -> None:
        self._parallel, self._single = Twisters(STATES), Twisters(1)
        self._lock = lock()
        self.seed(number)

    def seed(self, number: int, single: int | None = None) -> None:
        """Restart from a seed.

        Parameters
        ----------
        number : the seed
        single : the seed of the single twister; by default that of the first of the others
        """
        with self._lock:
            self._parallel.seed(number * _STRIDE)
            self._single.seed(number * _STRIDE if single is None else single)

    def expect(self, sizes: Iterable[int]) -> None:
        """Load machine code if it is the faster way to draw arrays of so many elements, which come next."""
        load = RandomSource.load_machine
        if load is None or RandomSource.machine is not None:
            return
        cost = sum(_cost("uniform", runs_of(size)[0], size) for size in sizes)
        with self._lock:
            if RandomSource.machine is None and cost > _WORTH_AT_ONCE:
                with suppress(MemoryError):  # Python draws where there is no room for the compiler
                    RandomSource.machine = load()

    def draw(self, name: str, shape: tuple[int, ...], dtype: Any, *parameters: Any) -> Array:
        """Draw an array from the parallel twisters; `FILLS` documents `name` and `parameters`."""
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
        """Fill an array from twisters; `runs` are their number and the elements drawn from each."""
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
        """Machine code, if the draws so far, including this array, exceed the budget."""
        load = RandomSource.load_machine
        if load is None:
            return None
        if RandomSource.machine is not None:
            return RandomSource.machine
        RandomSource.drawn += _cost(name, runs, size)
        if RandomSource.drawn > _WORTH:
            RandomSource.machine = load()
        return RandomSource.machine

    def different(self, rows: int, count: int, range_max: int) -> list[tuple[list[int], int]]:
        """Draw rows of distinct classes, each from one twister; see `draws_of_a_run.different`."""
        each = -(-rows // min(rows, STATES)) if rows else 0
        with self._lock:
            takes = (partial(self._parallel.take, row // each) for row in range(rows))
            return [different(take, count, range_max) for take in takes]

    # ------------------------------------------------------------------ the single twister

    def uniforms(self, shape: tuple[int, ...], dtype: Any = np.float32) -> Array:
        """Draw numbers in [0, 1) from the single twister: float32 from one word each, float64 from two."""
        found = np.empty(shape, dtype)
        self._fill(self._single, "uniform", found, (1, found.size), (0, 1))
        return found

    def normals(self, shape: tuple[int, ...], dtype: Any = np.float32) -> Array:
        """Draw normally distributed numbers from the single twister; see `paired_normals`."""
        found = np.empty(shape, dtype)
        self._fill(self._single, "paired", found, (1, found.size), (0, 1))
        return found

    def words(self, count: int) -> Array:
        """Draw 32-bit words from the single twister, as int64."""
        found = np.empty(count, np.uint32)
        self._fill(self._single, "words", found, (1, count), ())
        return found.astype(np.int64)

    def below(self, limits: Array) -> Array:
        """Draw an integer from the single twister for each limit, from 0 up to but excluding it, as int64.

        A word is divided by the largest possible factor; words whose quotient reaches the limit are skipped.
        """
        found = np.empty(len(limits), np.int64)
        done = 0
        with self._lock:
            while done < len(limits):  # each remaining integer takes at least one word
                limit = limits[done : done + _AT_ONCE]
                factor = _MOST // limit
                words = self._single.take(0, len(limit)).astype(np.int64)
                done = self._divide(words, limit, factor, found, done)
        return found

    def _divide(self, words: Array, limit: Array, factor: Array, found: Array, done: int) -> int:
        """Convert words to integers until they are used up; return the number of integers so far."""
        while words.size:
            size = words.size
            beyond = (words >= limit[:size] * factor[:size]).nonzero()[0]
            good = int(beyond[0]) if beyond.size else size
            found[done : done + good] = words[:good] // factor[:good]
            done, words = done + good, words[good + 1 :]
            limit, factor = limit[good:], factor[good:]
        return done


class Recorded:
    """Draws from a source, and records the results.

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
    """Replays recorded draws, for the same calls in the same order."""

    def __init__(self, drawn: Sequence[Any]) -> None:
        self._left = iter(drawn)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *asked: next(self._left)


Draws: TypeAlias = RandomSource | Recorded | Repeated
"""The sources that operators draw from; they do not modify its results."""
