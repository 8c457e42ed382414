"""Which results live in a frame's memory, and for how long: the same for all shapes.

What is joined with others lives in the joined array's memory where it lies there in one piece, as images do
whose channels are joined if there is but one image; then nothing is copied.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from gluonic.codegen.data_movement.copies import JoinStep
from gluonic.codegen.launch.argument_table import UNITS, ArgumentTable
from gluonic.codegen.launch.arguments import Integers
from gluonic.codegen.loops.fusion import Group
from gluonic.codegen.machine.memory import ALIGNMENT, EMPTY, Lifetimes, MemoryPlan, side_by_side
from gluonic.graph import Entry
from gluonic.support.record import record


@record
class Joining:
    """Arrays that are joined.

    Attributes
    ----------
    step : the number of the step that does it
    whole : the number, among results that share the arena, of the joined array
    parts : those of the arrays, in order; None for one that lives elsewhere, or in another joined array
    """

    step: int
    whole: int
    parts: list[int | None]

    def places(self, numbers: Integers, table: ArgumentTable) -> Mapping[int, tuple[int, int]]:
        """For each part that may lie where it belongs the joined array, and where in it."""
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
    """Which buffer of a frame holds each result.

    What must outlast a call, such as packed filters, has memory of its own; all else shares an arena, which
    the next call may find full of something else.

    Parameters
    ----------
    groups : in the order in which they run, each with what it writes to memory
    prepacked : those that run only when a parameter may have changed
    elsewhere : results that live in memory of inputs or outputs, or are no numbers
    root : for a relabelled result the one whose memory it uses
    slots : where the address of a result, or of a step's workspace, stands in the address table

    Attributes
    ----------
    persistent : the results and workspaces whose memory outlasts the call
    transient : those that share an arena
    workspaces : the numbers of those that are workspaces, and whose each is
    """

    def __init__(
        self,
        groups: Sequence[tuple[Group, Sequence[Entry]]],
        prepacked: Collection[Group],
        elsewhere: Collection[Entry],
        root: dict[Entry, Entry],
        slots: dict[Any, int],
    ) -> None:
        steps: list[tuple[Sequence[Any], Sequence[Any]]] = []
        persistent: dict[Any, None] = {}
        living: set[Any] = set()
        numbers: dict[Any, int] = {}
        for group, written in groups:
            writes: list[Any] = [entry for entry in written if entry not in elsewhere]
            if group.step is not None:
                if group.step.keeps:
                    persistent.update(dict.fromkeys(writes))
                if group.step.uses_workspace:
                    writes.append(group.step)
                numbers[group.step] = len(numbers)
            if group in prepacked:
                persistent.update(dict.fromkeys(writes))
            living.update(writes)
            steps.append((group.inputs, [e for e in writes if e not in persistent]))
        self._lifetimes = Lifetimes(steps, living, root)
        self.persistent, self.transient = list(persistent), self._lifetimes.buffers
        self.persistent_slots = np.array([slots[e] for e in self.persistent], np.intp)
        self.transient_slots = np.array([slots[e] for e in self.transient], np.intp)
        self.workspaces = {i: numbers[e] for i, e in enumerate(self.all) if e in numbers}
        self._joinings = self._joined([group for group, _ in groups], numbers, root)

    @property
    def all(self) -> list[Any]:
        """All buffers, the persistent ones first."""
        return [*self.persistent, *self.transient]

    def plans(
        self, sizes: Integers, numbers: Integers, table: ArgumentTable
    ) -> tuple[MemoryPlan, MemoryPlan]:
        """Where persistent buffers lie, and where transient ones do.

        Parameters
        ----------
        sizes : of all buffers, whole cache lines
        numbers : what the table is filled with
        """
        count = len(self.persistent)
        within: dict[int, tuple[int, int]] = {}
        for joining in self._joinings:
            within.update(joining.places(numbers, table))
        lasting = side_by_side(sizes[:count].tolist()) if count else EMPTY
        return lasting, self._lifetimes.plan(sizes[count:], within)

    def note_room(self, size: int) -> None:
        """Note that there was memory for so large an arena."""
        self._lifetimes.room = max(self._lifetimes.room, size)

    def _joined(
        self, groups: Sequence[Group], steps: Mapping[Any, int], root: Mapping[Entry, Entry]
    ) -> list[Joining]:
        """The arrays that are joined; one that is joined twice lives in the first result."""
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
