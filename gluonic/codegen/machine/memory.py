"""The memory plan: where each result of a graph lives while it runs.

Results that no user sees share one arena; two of them may use the same bytes when one is dead before the
other is born. A relabelled result lives where its source does. When results are born and die does not depend
on shapes; so a new batch size needs a new plan, which is cheap to make, but no new code.
"""

from bisect import bisect
from collections.abc import Container, Mapping, Sequence
from typing import Any

from gluonic.graph.record import record

ALIGNMENT = 64


@record
class MemoryPlan:
    """Where results live.

    Attributes
    ----------
    offsets : where the memory of each result begins
    size : bytes that all of them need
    """

    offsets: list[int]
    size: int


def aligned(size: int) -> int:
    """The size, rounded up to whole cache lines.

    >>> aligned(1), aligned(64)
    (64, 64)
    """
    return -(-max(size, 1) // ALIGNMENT) * ALIGNMENT


class Lifetimes:
    """When results are born and when they die.

    Parameters
    ----------
    steps : what each step reads and what it writes, in the order in which they run
    living : the results that live in the arena
    root : for a relabelled result the one whose memory it uses

    Attributes
    ----------
    residents : the results that live in the arena and are written, in the order of their births
    """

    def __init__(
        self,
        steps: Sequence[tuple[Sequence[Any], Sequence[Any]]],
        living: Container[Any],
        root: Mapping[Any, Any],
    ) -> None:
        last: dict[Any, int] = {}
        for number, (reads, writes) in enumerate(steps):
            for entry in (*reads, *writes):
                last[root.get(entry, entry)] = number
        self.residents: list[Any] = []
        self._moves: list[
            int
        ] = []  # the number of a resident that is born; inverted, of one that dies
        dying: dict[int, list[int]] = {}
        for number, (_, writes) in enumerate(steps):
            for entry in writes:
                if entry in living:
                    dying.setdefault(last[entry], []).append(len(self.residents))
                    self._moves.append(len(self.residents))
                    self.residents.append(entry)
            self._moves += [~resident for resident in dying.pop(number, ())]

    def plan(self, sizes: Sequence[int]) -> MemoryPlan:
        """Lay out the arena for residents of such sizes, which are whole cache lines."""
        offsets, free = [0] * len(self.residents), _FreeList()
        for resident in self._moves:
            if resident >= 0:
                offsets[resident] = free.take(sizes[resident])
            else:
                free.give(offsets[~resident], sizes[~resident])
        return MemoryPlan(offsets, free.size)


def side_by_side(sizes: Sequence[int]) -> MemoryPlan:
    """A plan for what lives as long as the arena does."""
    offsets, size = [], 0
    for one in sizes:
        offsets.append(size)
        size += one
    return MemoryPlan(offsets, size)


class _FreeList:
    """The stretches of the arena that are free now, sorted by offset."""

    def __init__(self) -> None:
        self.size = 0
        self._starts: list[int] = []
        self._sizes: list[int] = []

    def take(self, size: int) -> int:
        """The smallest free stretch that is large enough, or new room at the end."""
        starts, sizes = self._starts, self._sizes
        fitting = [room for room in sizes if room >= size]
        if fitting:
            position = sizes.index(min(fitting))
            start = starts[position]
            if sizes[position] == size:
                del starts[position], sizes[position]
            else:
                starts[position] += size
                sizes[position] -= size
            return start
        start = self.size
        if starts and starts[-1] + sizes[-1] == start:  # grow the last free stretch
            start = starts.pop()
            sizes.pop()
        self.size = start + size
        return start

    def give(self, start: int, size: int) -> None:
        """Make a stretch free, joined with its free neighbours."""
        starts, sizes = self._starts, self._sizes
        position = bisect(starts, start)
        if position < len(starts) and starts[position] == start + size:
            size += sizes[position]
            del starts[position], sizes[position]
        if position and starts[position - 1] + sizes[position - 1] == start:
            sizes[position - 1] += size
        else:
            starts.insert(position, start)
            sizes.insert(position, size)
