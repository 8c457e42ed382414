"""Launches of machine code: for one set of shapes, or for changing sizes."""

from collections.abc import Sequence
from operator import le
from typing import Any

import numpy as np

from gluonic.codegen.launch.argument_table import THREADS, WORKSPACE, ArgumentTable
from gluonic.codegen.launch.arguments import Integers, LaunchArguments
from gluonic.codegen.launch.buffer_assignment import BufferAssignment
from gluonic.codegen.launch.division import divide, takes_long
from gluonic.codegen.launch.launch import Launch
from gluonic.codegen.machine.memory import ALIGNMENT, MemoryPlan
from gluonic.codegen.machine.workers import most_threads
from gluonic.codegen.shapes.symbolic import ShapeEnv, at_least, written
from gluonic.codegen.shapes.valuation import Valuation, are_open, distinct
from gluonic.graph.attributes import Shape


class _Column:
    """Numbers, some of which are symbolic.

    Attributes
    ----------
    extents : the distinct symbolic ones
    """

    def __init__(self, numbers: Sequence[Any]) -> None:
        indices = are_open(numbers)
        self.extents, which = distinct([numbers[index] for index in indices], written)
        self._open = [*zip(indices, which, strict=True)]
        unknown = {*indices}
        fixed = [0 if index in unknown else number for index, number in enumerate(numbers)]
        self._fixed = np.array(fixed, np.int64)

    def at(self, extents: Sequence[int]) -> Integers:
        """All numbers, given the values of the symbolic ones."""
        found = self._fixed.copy()
        # Indexing with arrays is slower here: it finds none of its code in the caches.
        memory: Any = found
        numbers = memoryview(memory)
        for index, which in self._open:
            numbers[index] = extents[which]
        return found


class Launches:
    """The launches for all sizes.

    Parameters
    ----------
    arguments : expressions of sizes
    table : the layout of the table of run-time numbers
    buffers : the results in the memory of frames
    env : the symbols in the expressions, and their guards
    given : the shapes of inputs to be checked
    """

    def __init__(
        self,
        arguments: LaunchArguments,
        table: ArgumentTable,
        buffers: BufferAssignment,
        env: ShapeEnv,
        given: Sequence[Shape] = (),
    ) -> None:
        self._table, self._buffers, self._threads = table, buffers, most_threads()
        numbers, sizes = table_of(arguments, table), sizes_of(arguments, buffers)
        self._numbers, self._sizes = _Column(numbers), _Column(sizes)
        wanted = (
            self._numbers.extents,
            self._sizes.extents,
            arguments.nanoseconds,
            arguments.results,
            tuple(given),
        )
        self._valued = Valuation(env, wanted)
        self._kept: tuple[list[int], MemoryPlan, MemoryPlan] | None = None
        persistent = len(buffers.persistent)
        self._keeps = not buffers.has_joinings and not are_open(sizes[:persistent])

    def at(self, *sizes: int, given: Sequence[Shape] = ()) -> Launch | None:
        """The launch for sizes; None if these do not meet the guards, or inputs have other shapes."""
        valued = self._valued(*sizes)
        if valued is None or valued[4] != tuple(given):
            return None
        extents, open_sizes, times, results, _ = valued
        numbers = self._numbers.at(extents)
        threads = self._threads if takes_long(times) else 1
        if threads > 1 and divide(numbers, self._table, times, threads):
            bytes_of_buffers = self._sizes.at(open_sizes)
            self._give_workspaces(numbers, bytes_of_buffers)
            plans = self._buffers.plans(bytes_of_buffers, numbers, self._table)
        else:
            plans = self._plans(open_sizes, numbers)
        return Launch(numbers, *plans, results)

    def _plans(self, open_sizes: list[int], numbers: Integers) -> tuple[MemoryPlan, MemoryPlan]:
        """The memory plans: those kept for larger sizes if memory of that size is there already."""
        if self._kept is not None:
            largest, persistent, transient = self._kept
            has_room = transient.size <= self._buffers.room.size
            if has_room and all(map(le, open_sizes, largest)):
                return persistent, transient
        plans = self._buffers.plans(self._sizes.at(open_sizes), numbers, self._table)
        if self._keeps:
            self._kept = open_sizes, *plans
        return plans

    def _give_workspaces(self, numbers: Integers, sizes: Integers) -> None:
        """Give each thread a workspace of its own, where it needs one."""
        phases = self._table.phases
        own = numbers[phases + WORKSPACE] * numbers[phases + THREADS]
        of_steps = np.maximum.reduceat(own, self._table.first_phases)
        for buffer, step in self._buffers.workspaces.items():
            sizes[buffer] = max(sizes[buffer], of_steps[step])


def table_of(arguments: LaunchArguments, table: ArgumentTable) -> list[Any]:
    """The contents of the table with which one thread runs all units of each phase."""
    numbers = table.listed(arguments.numbers, arguments.units, arguments.workspaces)
    for index in table.own_workspaces.tolist():
        numbers[index] = _aligned(numbers[index])
    return numbers


def sizes_of(arguments: LaunchArguments, buffers: BufferAssignment) -> list[Any]:
    """The bytes of all buffers, rounded up to cache lines."""
    sizes = [_aligned(size) for size in arguments.sizes]
    for buffer, step in buffers.workspaces.items():
        sizes[buffer] = _aligned(arguments.workspaces[step])
    return sizes


def _aligned(size: Any) -> Any:
    """The size, possibly symbolic, rounded up to whole cache lines."""
    return -(-at_least(size, 1) // ALIGNMENT) * ALIGNMENT
