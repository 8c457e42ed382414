"""The memory plan: where each result of a graph lives while it runs.

Results that no user sees share one arena; two of them may use the same bytes when one is dead before the
other is born. A relabelled result lives where its source does. When results are born and die does not depend
on shapes; so a new batch size needs no new code, and a new plan only if it is larger than all before: what is
smaller has room in the arena as it was laid out. In a new plan who lies on whom may be as it was, which is
quicker than to look for room again. What is joined with others may be computed where it lies in the joined
array.
"""

from bisect import bisect, bisect_left
from collections.abc import Container, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gluonic.support.cached_property import cached_property
from gluonic.support.record import record

ALIGNMENT = 64
Sizes: TypeAlias = npt.NDArray[np.int64]
NOTHING: Mapping[int, tuple[int, int]] = MappingProxyType({})
_WORSE = 1.05
"""The largest ratio of a plan's size to that of a freshly packed one."""


@record
class MemoryPlan:
    """The placement of results in the arena.

    Attributes
    ----------
    offsets : where the memory of each result begins
    size : the size of the arena, in bytes
    """

    offsets: list[int]
    size: int

    @cached_property
    def displacements(self) -> npt.NDArray[np.uintp]:
        """The offsets, as what addresses are counted on by."""
        return np.array(self.offsets, np.uintp)


EMPTY = MemoryPlan([], 0)
"""A plan for nothing."""


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
    steps : the results that each step reads and writes, in execution order
    living : the results that live in the arena
    root : for a reshaped result the one whose memory it shares

    Attributes
    ----------
    buffers : the results in the arena that are written, in the order of their births
    room : the bytes of the largest arena that there was memory for
    _moves : the number of a buffer that is born; inverted, of one that dies
    _layouts : a layout for each way in which buffers are nested
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
        self.buffers: list[Any] = []
        self.room = 0
        self._moves: list[int] = []
        self._layouts: dict[Any, _Layout] = {}
        dying: dict[int, list[int]] = {}
        for number, (_, writes) in enumerate(steps):
            for entry in writes:
                if entry in living:
                    dying.setdefault(last[entry], []).append(len(self.buffers))
                    self._moves.append(len(self.buffers))
                    self.buffers.append(entry)
            self._moves += [~buffer for buffer in dying.pop(number, ())]

    def plan(
        self,
        sizes: Sequence[int] | Sizes,
        within: Mapping[int, tuple[int, int]] = NOTHING,
    ) -> MemoryPlan:
        """Lay out the arena for buffers of such sizes, which are whole cache lines.

        Parameters
        ----------
        sizes : of each buffer
        within : for each buffer within another's memory that buffer, and the offset in it
        """
        key = tuple([(buffer, place[0]) for buffer, place in within.items()])
        layout = self._layouts.get(key)
        hosts, begins = _outermost(len(self.buffers), within) if key or layout is None else ((), ())
        if layout is None:
            layout = self._layouts[key] = _Layout(_shared_moves(self._moves, hosts))
        plan = layout.plan(np.asarray(sizes, np.int64), self.room)
        if not key:
            return plan
        offsets = [plan.offsets[host] + begin for host, begin in zip(hosts, begins, strict=True)]
        return MemoryPlan(offsets, plan.size)


def _outermost(
    count: int, within: Mapping[int, tuple[int, int]]
) -> tuple[Sequence[int], Sequence[int]]:
    """For each buffer the outermost one that contains it, perhaps itself, and the offset in it."""
    hosts, begins = list(range(count)), [0] * count
    for buffer in within:
        while (place := within.get(hosts[buffer])) is not None:
            hosts[buffer] = place[0]
            begins[buffer] += place[1]
    return hosts, begins


def _shared_moves(moves: Sequence[int], hosts: Sequence[int]) -> Sequence[int]:
    """The births and deaths of hosts: the first birth and the last death of all buffers in their memory."""
    found, living = [], [0] * len(hosts)
    for move in moves:
        host = hosts[max(move, ~move)]
        if move >= 0:
            if not living[host]:
                found.append(host)
            living[host] += 1
        else:
            living[host] -= 1
            if not living[host]:
                found.append(~host)
    return found


class _Layout:
    """The layouts for one order of births and deaths; they are similar for all sizes."""

    def __init__(self, moves: Sequence[int]) -> None:
        self._moves = moves
        self._model: _Model | None = None
        self._kept: tuple[Sizes, MemoryPlan] | None = None

    def plan(self, sizes: Sizes, room: int) -> MemoryPlan:
        """Lay out the arena, like the last time if that is as good, or exactly so if there is room for all.

        Parameters
        ----------
        room : the bytes of memory that there is anyway
        """
        if self._kept is not None:
            largest, plan = self._kept
            if plan.size <= room and (sizes <= largest).all():
                return plan
        made = self._made(sizes)
        if self._kept is None or made.size >= self._kept[1].size or self._kept[1].size > room:
            self._kept = sizes, made
        return made

    def _made(self, sizes: Sizes) -> MemoryPlan:
        """A plan for these very sizes."""
        most, listed = self._most_alive(sizes), sizes.tolist()
        if self._model is not None:
            plan = self._model.plan_for(listed)
            if self._model.is_as_good(plan, most):
                return plan
        plan = self._packed(listed)
        self._model = _Model(self._moves, plan, most)
        return plan

    def _packed(self, sizes: Sequence[int]) -> MemoryPlan:
        """A plan that searches room for each buffer."""
        offsets, free = [0] * len(sizes), _FreeList()
        for buffer in self._moves:
            if buffer >= 0:
                offsets[buffer] = free.take(sizes[buffer])
            else:
                free.give(offsets[~buffer], sizes[~buffer])
        return MemoryPlan(offsets, free.size)

    def _most_alive(self, sizes: Sizes) -> int:
        """The largest number of bytes alive at a time: a lower bound of every plan."""
        moves = np.array(self._moves, np.intp)
        changes = np.where(moves >= 0, sizes[moves], -sizes[~moves])
        return int(changes.cumsum().max(initial=0))


class _Model:
    """A plan, and plans for other sizes that reuse the same memory in the same order.

    Parameters
    ----------
    moves : the births and deaths
    plan : the plan
    most : the largest number of bytes alive at a time
    """

    def __init__(self, moves: Sequence[int], plan: MemoryPlan, most: int) -> None:
        self._moves, self._plan, self._most = moves, plan, most

    @cached_property
    def _lower(self) -> list[tuple[int, list[int]]]:
        """Each buffer with those on which it lies, those with the lowest offsets first.

        Looking at the neighbours at birth is enough: who becomes one later has lain on one that died.
        """
        offsets = self._plan.offsets
        lower: list[list[int]] = [[] for _ in offsets]
        alive: list[int] = []
        for buffer in self._moves:
            place = bisect_left(alive, offsets[max(buffer, ~buffer)], key=offsets.__getitem__)
            if buffer < 0:
                del alive[place]
                continue
            if place:
                lower[buffer].append(alive[place - 1])
            if place < len(alive):
                lower[alive[place]].append(buffer)
            alive.insert(place, buffer)
        return [(buffer, lower[buffer]) for buffer in np.argsort(offsets).tolist()]

    def plan_for(self, sizes: Sequence[int]) -> MemoryPlan:
        """A plan for other sizes."""
        offsets, ends = [0] * len(sizes), [0] * len(sizes)
        for buffer, lower in self._lower:
            offset = 0
            for below in lower:
                if ends[below] > offset:
                    offset = ends[below]
            offsets[buffer] = offset
            ends[buffer] = offset + sizes[buffer]
        return MemoryPlan(offsets, max(ends, default=0))

    def is_as_good(self, plan: MemoryPlan, most: int) -> bool:
        """Whether a plan takes no more than this one, or not much more of what it must take."""
        size = self._plan.size
        return plan.size <= size or plan.size * self._most <= size * most * _WORSE


def side_by_side(sizes: Sequence[int]) -> MemoryPlan:
    """A plan for buffers that live as long as the arena."""
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
