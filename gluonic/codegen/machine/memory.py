"""The memory plan: where each result of a graph lives while it runs.

Results that no user sees share one arena; two of them may use the same bytes when one is dead before the
other is born. A relabelled result lives where its source does. The plan depends on shapes only, and making
it is cheap: a new batch size needs a new plan, but no new code.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gluonic.graph.node import Entry

ALIGNMENT = 64


@dataclass(frozen=True)
class Extent:
    """A stretch of the arena."""

    offset: int
    size: int


@dataclass
class MemoryPlan:
    """Where results live.

    Attributes
    ----------
    places : a stretch of the arena for each result that lives there
    size : bytes the arena needs
    """

    places: dict[Any, Extent]
    size: int


def aligned(size: int) -> int:
    """The size, rounded up to whole cache lines.

    >>> aligned(1), aligned(64)
    (64, 64)
    """
    return -(-max(size, 1) // ALIGNMENT) * ALIGNMENT


def plan_memory(
    steps: Sequence[tuple[Sequence[Entry], Sequence[Entry]]],
    sizes: Mapping[Entry, int],
    root: Mapping[Entry, Entry],
) -> MemoryPlan:
    """Lay out the arena.

    Parameters
    ----------
    steps : what each step reads and what it writes, in the order in which they run
    sizes : the bytes of each result that lives in the arena
    root : for a relabelled result the one whose memory it uses
    """
    last: dict[Entry, int] = {}
    for number, (reads, writes) in enumerate(steps):
        for entry in (*reads, *writes):
            last[root.get(entry, entry)] = number
    places: dict[Any, Extent] = {}
    free = _FreeList()
    dying: dict[int, list[Entry]] = {}
    for number, (_, writes) in enumerate(steps):
        for entry in writes:
            if entry in sizes:
                places[entry] = free.take(aligned(sizes[entry]))
                dying.setdefault(last[entry], []).append(entry)
        for entry in dying.pop(number, ()):
            free.give(places[entry])
    return MemoryPlan(places, free.size)


class _FreeList:
    """The stretches of the arena that are free now, sorted by offset."""

    def __init__(self) -> None:
        self.size = 0
        self._free: list[Extent] = []

    def take(self, size: int) -> Extent:
        """The smallest free stretch that is large enough, or new room at the end."""
        fitting = [extent for extent in self._free if extent.size >= size]
        if fitting:
            best = min(fitting, key=lambda extent: extent.size)
            self._free.remove(best)
            if best.size > size:
                self._free.append(Extent(best.offset + size, best.size - size))
            return Extent(best.offset, size)
        start = self.size
        for extent in self._free:
            if extent.offset + extent.size == self.size:  # grow the last free stretch
                self._free.remove(extent)
                start = extent.offset
                break
        self.size = start + size
        return Extent(start, size)

    def give(self, extent: Extent) -> None:
        """Make a stretch free, joined with its free neighbours."""
        offset, end = extent.offset, extent.offset + extent.size
        for other in list(self._free):
            if other.offset + other.size == offset:
                self._free.remove(other)
                offset = other.offset
            elif other.offset == end:
                self._free.remove(other)
                end = other.offset + other.size
        self._free.append(Extent(offset, end - offset))
