"""Which results live in the memory of frames, and for how long: the same for all shapes.

What is joined with others lives in the joined array's memory where it lies there in one piece, as images do
whose channels are joined if there is but one image; then nothing is copied.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from gluonic.codegen.data_movement.copies import JoinStep
from gluonic.codegen.loops.fusion import Group
from gluonic.codegen.machine.memory import ALIGNMENT, Lifetimes, MemoryPlan, side_by_side
from gluonic.codegen.sizes.division import Divisions, aligned, workspace_bytes
from gluonic.codegen.sizes.figures import Figures, integers
from gluonic.codegen.sizes.number_table import NumberTable
from gluonic.graph.node import Entry
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

    def places(self, figures: Figures, table: NumberTable) -> Mapping[int, tuple[int, int]]:
        """For each part that may lie where it belongs the joined array, and where in it."""
        if figures.units[table.first_phases[self.step]] != 1:
            return {}
        first = table.first_numbers[self.step] + 1
        sizes = figures.numbers[first : first + len(self.parts)].tolist()
        found, begin = {}, 0
        for part, size in zip(self.parts, sizes, strict=True):
            if part is not None and begin % ALIGNMENT == 0 and size % ALIGNMENT == 0:
                found[part] = self.whole, begin
            begin += size
        return found


class Residence:
    """Who lives where.

    What must outlast a call, such as packed filters, has memory of its own; all else shares an arena, which
    the next call may find full of something else.

    Parameters
    ----------
    groups : in the order in which they run, each with what it writes to memory
    settled : those that run only when a parameter may have changed
    elsewhere : results that live in memory of inputs or outputs, or are no numbers
    root : for a relabelled result the one whose memory it uses
    slots : where the address of a result, or of a step's workspace, stands in the address table

    Attributes
    ----------
    lasting : the results and workspaces whose memory outlasts the call
    passing : those that share an arena
    """

    def __init__(
        self,
        groups: Sequence[tuple[Group, Sequence[Entry]]],
        settled: Collection[Group],
        elsewhere: Collection[Entry],
        root: dict[Entry, Entry],
        slots: dict[Any, int],
    ) -> None:
        steps: list[tuple[Sequence[Any], Sequence[Any]]] = []
        lasting: dict[Any, None] = {}
        living: set[Any] = set()
        numbers: dict[Any, int] = {}
        for group, written in groups:
            writes: list[Any] = [entry for entry in written if entry not in elsewhere]
            if group.step is not None:
                if group.step.keeps:
                    lasting.update(dict.fromkeys(writes))
                if group.step.uses_workspace:
                    writes.append(group.step)
                numbers[group.step] = len(numbers)
            if group in settled:
                lasting.update(dict.fromkeys(writes))
            living.update(writes)
            steps.append((group.inputs, [e for e in writes if e not in lasting]))
        self._lifetimes = Lifetimes(steps, living, root)
        self.lasting, self.passing = list(lasting), self._lifetimes.residents
        self.lasting_slots = np.array([slots[e] for e in self.lasting], np.intp)
        self.passing_slots = np.array([slots[e] for e in self.passing], np.intp)
        owners = [(i, numbers[e]) for i, e in enumerate(self.all) if e in numbers]
        self._joinings = self._joined([group for group, _ in groups], numbers, root)
        self._workspaces = integers([i for i, _ in owners])
        self._owners = integers([step for _, step in owners])

    @property
    def all(self) -> list[Any]:
        """All residents, those that last first."""
        return [*self.lasting, *self.passing]

    def plans(
        self, figures: Figures, table: NumberTable, divisions: Divisions
    ) -> tuple[MemoryPlan, MemoryPlan]:
        """Where those that last live, and those that do not."""
        sizes = figures.sizes.copy()
        sizes[self._workspaces] = workspace_bytes(figures, table, divisions)[self._owners]
        whole = aligned(sizes).tolist()
        count = len(self.lasting)
        within: dict[int, tuple[int, int]] = {}
        for joining in self._joinings:
            within.update(joining.places(figures, table))
        return side_by_side(whole[:count]), self._lifetimes.plan(whole[count:], within)

    def _joined(
        self, groups: Sequence[Group], steps: Mapping[Any, int], root: Mapping[Entry, Entry]
    ) -> list[Joining]:
        """The arrays that are joined; one that is joined twice lives in the first result."""
        numbers = {resident: number for number, resident in enumerate(self.passing)}
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
