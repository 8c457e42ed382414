"""The memory plan: the location of each result of a graph while it runs.

Intermediate results share one arena; two of them may use the same bytes if their lifetimes do not overlap. A
reshaped result has the memory of its source. Lifetimes do not depend on shapes. So a new batch size needs no
new code, and a new plan only if it is larger than all before: smaller results fit the arena as it was laid out.
A new plan may keep the order of results that lie on top of each other, which is faster than packing them again.
Arrays that are concatenated may be computed in place, in the memory of the result.
"""

from bisect import bisect, bisect_left
from collections.abc import Container, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gluonic.codegen.machine.packing import largest_first
from gluonic.support.cached_property import cached_property
from gluonic.support.record import record

ALIGNMENT = 64
Sizes: TypeAlias = npt.NDArray[np.int64]
NOTHING: Mapping[int, tuple[int, int]] = MappingProxyType({})
_WORSE = 1.05
"""The largest ratio of a plan's size to that of a freshly packed one, or to its lower bound."""
_LITTLE = 1 << 18
"""The bytes above its lower bound with which a plan is good enough."""


@record
class MemoryPlan:
    """The placement of results in the arena.

    Attributes
    ----------
    offsets : the offset of each result in the arena, in bytes
    size : the size of the arena, in bytes
    """

    offsets: list[int]
    size: int

    @cached_property
    def displacements(self) -> npt.NDArray[np.uintp]:
        """The offsets in the dtype of addresses."""
        return np.array(self.offsets, np.uintp)


class Room:
    """The size in bytes of the largest arena that could be allocated so far."""

    def __init__(self) -> None:
        self.size = 0

    def note(self, size: int) -> None:
        """Record that an arena of this size could be allocated."""
        self.size = max(self.size, size)


EMPTY = MemoryPlan([], 0)
"""The plan of no buffers."""


def aligned(size: int) -> int:
    """The size, rounded up to whole cache lines.

    >>> aligned(1), aligned(64)
    (64, 64)
    """
    return -(-max(size, 1) // ALIGNMENT) * ALIGNMENT


class Lifetimes:
    """The lifetimes of results.

    Parameters
    ----------
    steps : the results that each step reads and writes, in execution order
    living : the results in the arena
    root : for a reshaped result, the result whose memory it shares

    Attributes
    ----------
    buffers : the results in the arena that are written, in the order of their births
    room : the largest arena so far
    _moves : the index of a buffer that is born; its bitwise inverse when it dies
    _layouts : a layout for each nesting of buffers
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
        self.room = Room()
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
        """Lay out the arena for buffers of the given sizes.

        Parameters
        ----------
        sizes : the bytes of each buffer, rounded up to cache lines
        within : for each buffer in another's memory, that buffer and the offset in it
        """
        key = tuple([(buffer, host) for buffer, (host, _) in within.items()])
        layout = self._layouts.get(key)
        hosts, begins = _outermost(len(self.buffers), within) if key or layout is None else ((), ())
        if layout is None:
            layout = self._layouts[key] = _Layout(_shared_moves(self._moves, hosts))
        plan = layout.plan(np.asarray(sizes, np.int64), self.room.size)
        if not key:
            return plan
        offsets = [plan.offsets[host] + begin for host, begin in zip(hosts, begins, strict=True)]
        return MemoryPlan(offsets, plan.size)

    def stacking(self, sizes: Sizes) -> list[tuple[int, list[int]]]:
        """Each buffer with those directly below it, in the order of offsets, in a plan for the given sizes.

        If each buffer begins where the highest of those below it ends, the plan is valid for any sizes.
        """
        return _Layout(self._moves).stacking(sizes)


def _outermost(
    count: int, within: Mapping[int, tuple[int, int]]
) -> tuple[Sequence[int], Sequence[int]]:
    """For each buffer, the outermost one that contains it, perhaps itself, and the offset in it."""
    hosts, begins = list(range(count)), [0] * count
    for buffer in within:
        while (found := within.get(hosts[buffer])) is not None:
            hosts[buffer] = found[0]
            begins[buffer] += found[1]
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
        """Lay out the arena: as the last time if all buffers fit, otherwise similarly if that is as good.

        Parameters
        ----------
        room : the size in bytes of an arena that exists in any case
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
        """A plan for exactly these sizes."""
        most, listed = self._most_alive(sizes), sizes.tolist()
        if self._model is not None:
            plan = self._model.plan_for(listed)
            if self._model.is_as_good(plan, most):
                return plan
        plan = self._packed(listed)
        if plan.size > most * _WORSE and plan.size - most > _LITTLE:
            plan = min(plan, self._packed_again(sizes), key=lambda plan: plan.size)
        self._model = _Model(self._moves, plan, most)
        return plan

    def stacking(self, sizes: Sizes) -> list[tuple[int, list[int]]]:
        """See `Lifetimes`."""
        self._made(sizes)
        assert self._model is not None
        return self._model.lower

    def _packed(self, sizes: Sequence[int]) -> MemoryPlan:
        """A plan that packs each buffer into free memory."""
        offsets, free = [0] * len(sizes), _FreeList()
        for buffer in self._moves:
            if buffer >= 0:
                offsets[buffer] = free.take(sizes[buffer])
            else:
                free.give(offsets[~buffer], sizes[~buffer])
        return MemoryPlan(offsets, free.size)

    def _packed_again(self, sizes: Sizes) -> MemoryPlan:
        """A plan that takes longer to make, and is mostly smaller."""
        offsets = largest_first(self._moves, sizes)
        ends = [offset + size for offset, size in zip(offsets, sizes.tolist(), strict=True)]
        hosts = [move for move in self._moves if move >= 0]
        return MemoryPlan(offsets, max([ends[host] for host in hosts], default=0))

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
    def lower(self) -> list[tuple[int, list[int]]]:
        """Each buffer with those directly below it, in the order of offsets.

        Only neighbours at birth matter: a later neighbour was above one that has died since.
        """
        offsets = self._plan.offsets
        lower: list[list[int]] = [[] for _ in offsets]
        alive: list[int] = []
        for buffer in self._moves:
            index = bisect_left(alive, offsets[max(buffer, ~buffer)], key=offsets.__getitem__)
            if buffer < 0:
                del alive[index]
                continue
            if index:
                lower[buffer].append(alive[index - 1])
            if index < len(alive):
                lower[alive[index]].append(buffer)
            alive.insert(index, buffer)
        return [(buffer, lower[buffer]) for buffer in np.argsort(offsets).tolist()]

    def plan_for(self, sizes: Sequence[int]) -> MemoryPlan:
        """A plan for other sizes."""
        offsets, ends = [0] * len(sizes), [0] * len(sizes)
        for buffer, lower in self.lower:
            offset = 0
            for below in lower:
                if ends[below] > offset:
                    offset = ends[below]
            offsets[buffer] = offset
            ends[buffer] = offset + sizes[buffer]
        return MemoryPlan(offsets, max(ends, default=0))

    def is_as_good(self, plan: MemoryPlan, most: int) -> bool:
        """Whether a plan is no larger than this one, or not much larger relative to its lower bound."""
        size = self._plan.size
        return plan.size <= size or plan.size * self._most <= size * most * _WORSE


def side_by_side(sizes: Sequence[int]) -> MemoryPlan:
    """A plan for buffers that all live at the same time."""
    offsets, size = [], 0
    for one in sizes:
        offsets.append(size)
        size += one
    return MemoryPlan(offsets, size)


class _FreeList:
    """The free ranges of the arena, sorted by offset."""

    def __init__(self) -> None:
        self.size = 0
        self._starts: list[int] = []
        self._sizes: list[int] = []

    def take(self, size: int) -> int:
        """The offset of the smallest free range that is large enough, or of new memory at the end."""
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
        if starts and starts[-1] + sizes[-1] == start:  # grow the last free range
            start = starts.pop()
            sizes.pop()
        self.size = start + size
        return start

    def give(self, start: int, size: int) -> None:
        """Free a range, and merge it with adjacent free ranges."""
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
