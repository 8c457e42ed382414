"""Buffer assignment: which results live in a frame's memory, and for how long. It is the same for all shapes.

Arrays that are concatenated are computed in the memory of the result, without a copy, if each is contiguous
there: for instance the channels of a single image.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gluonic.codegen.data_movement.copies import JoinStep
from gluonic.codegen.launch.argument_table import UNITS, ArgumentTable
from gluonic.codegen.launch.arguments import Integers
from gluonic.codegen.loops.fusion import Group
from gluonic.codegen.machine.memory import (
    ALIGNMENT,
    EMPTY,
    Lifetimes,
    MemoryPlan,
    Room,
    side_by_side,
)
from gluonic.graph import Entry
from gluonic.support.record import record


@record
class Joining:
    """A concatenation of arrays.

    Attributes
    ----------
    step : the index of the step that concatenates
    whole : the index of the result among the buffers in the arena
    parts : the indices of the arrays there; None for one with memory elsewhere or in another result
    """

    step: int
    whole: int
    parts: list[int | None]

    def hosts(self, numbers: Integers, table: ArgumentTable) -> Mapping[int, tuple[int, int]]:
        """For each part that can be computed in place, the index of the result and the offset in bytes."""
        if numbers[table.phases[table.first_phases[self.step]] + UNITS] != 1:
            return {}
        first = table.begins[self.step] + 1
        sizes = numbers[first : first + len(self.parts)].tolist()
        found, begin = {}, 0
        for part, size in zip(self.parts, sizes, strict=True):
            if part is not None and begin % ALIGNMENT == 0 and size % ALIGNMENT == 0:
                found[part] = self.whole, begin
            begin += size
        return found


class BufferAssignment:
    """The buffer of a frame that holds each result.

    Results that must persist after a call, such as packed filters, have their own memory. All others share an
    arena, which other calls may overwrite.

    Parameters
    ----------
    groups : the groups in execution order, each with the results that it writes to memory
    prepacked : the groups that run only when a parameter may have changed
    elsewhere : results in the memory of inputs or outputs, or that are Python objects
    root : for a reshaped result, the result whose memory it uses

    Attributes
    ----------
    persistent : the results and workspaces with persistent buffers
    transient : those with transient buffers, in the arena
    workspaces : the indices of the buffers that are workspaces, and the steps that they belong to
    """

    def __init__(
        self,
        groups: Sequence[tuple[Group, Sequence[Entry]]],
        prepacked: Collection[Group],
        elsewhere: Collection[Entry],
        root: dict[Entry, Entry],
    ) -> None:
        steps: list[tuple[Sequence[Any], Sequence[Any]]] = []
        persistent: dict[Any, None] = {}
        living: set[Any] = set()
        numbers: dict[Any, int] = {}
        lasting = {
            root.get(e, e) for group, _ in groups if group not in prepacked for e in group.inputs
        }
        for group, written in groups:
            writes: list[Any] = [entry for entry in written if entry not in elsewhere]
            if group.step is not None:
                if group.step.keeps:
                    persistent.update(dict.fromkeys(writes))
                if group.step.uses_workspace:
                    writes.append(group.step)
                numbers[group.step] = len(numbers)
            if group in prepacked:
                persistent.update(dict.fromkeys(e for e in writes if e in lasting))
            living.update(writes)
            steps.append((group.inputs, [e for e in writes if e not in persistent]))
        self._lifetimes = Lifetimes(steps, living, root)
        self.persistent, self.transient = list(persistent), self._lifetimes.buffers
        self.workspaces = {i: numbers[e] for i, e in enumerate(self.all) if e in numbers}
        self._joinings = self._joined([group for group, _ in groups], numbers, root)

    @property
    def all(self) -> list[Any]:
        """All buffers, the persistent ones first."""
        return [*self.persistent, *self.transient]

    def plans(
        self, sizes: Integers, numbers: Integers, table: ArgumentTable
    ) -> tuple[MemoryPlan, MemoryPlan]:
        """The memory plans of persistent and of transient buffers.

        Parameters
        ----------
        sizes : of all buffers, in bytes, rounded up to cache lines
        numbers : the contents of the table
        """
        count = len(self.persistent)
        within: dict[int, tuple[int, int]] = {}
        for joining in self._joinings:
            within.update(joining.hosts(numbers, table))
        lasting = side_by_side(sizes[:count].tolist()) if count else EMPTY
        return lasting, self._lifetimes.plan(sizes[count:], within)

    def stacking(self, sizes: Integers) -> list[tuple[int, list[int]]]:
        """The transient buffers as `Lifetimes.stacking` orders them; no array is computed in another's memory.

        Parameters
        ----------
        sizes : of the transient buffers, in bytes, rounded up to cache lines
        """
        return self._lifetimes.stacking(sizes)

    @property
    def has_joinings(self) -> bool:
        """Whether results may live in the memory of others, where shapes allow for it."""
        return bool(self._joinings)

    @property
    def room(self) -> Room:
        """The largest arena so far."""
        return self._lifetimes.room

    @room.setter
    def room(self, room: Room) -> None:
        self._lifetimes.room = room

    def _joined(
        self, groups: Sequence[Group], steps: Mapping[Any, int], root: Mapping[Entry, Entry]
    ) -> list[Joining]:
        """The concatenations; an array that is concatenated twice is computed in the first result."""
        numbers = {buffer: number for number, buffer in enumerate(self.transient)}
        free, found = set(numbers), []
        for group in groups:
            if not isinstance(group.step, JoinStep):
                continue
            *parts, whole = (root.get(entry, entry) for entry in group.step.operands)
            if whole not in numbers:
                continue
            own: list[int | None] = []
            for part in parts:
                own.append(numbers[part] if part in free else None)
                free.discard(part)
            found.append(Joining(steps[group.step], numbers[whole], own))
        return found
