"""Launches of machine code: for one set of shapes, or for changing sizes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.codegen.launch.argument_table import SHARE, THREADS, WORKSPACE, ArgumentTable
from gluonic.codegen.launch.arguments import Integers, LaunchArguments
from gluonic.codegen.launch.buffer_assignment import BufferAssignment
from gluonic.codegen.launch.division import divide
from gluonic.codegen.machine.memory import ALIGNMENT, MemoryPlan
from gluonic.codegen.machine.workers import most_threads
from gluonic.codegen.shapes.lines import ShapesOfSizes
from gluonic.codegen.shapes.symbolic import valued
from gluonic.codegen.shapes.valuation import Sums
from gluonic.graph.attributes import Shape
from gluonic.support.record import record


@record
class Launch:
    """The launch arguments and the memory plan for one set of shapes.

    Attributes
    ----------
    table : the run-time numbers of all native steps
    persistent, transient : the memory plans of results that persist after a call, and of the others
    results : the shapes of the computed results
    """

    table: Integers
    persistent: MemoryPlan
    transient: MemoryPlan
    results: Sequence[Shape]

    @property
    def is_shared(self) -> bool:
        """Whether several threads share some step."""
        return bool(self.table[SHARE])


class Launches:
    """The launches for all sizes.

    Parameters
    ----------
    arguments : expressions of sizes
    table : the layout of the table of run-time numbers
    buffers : the results in the memory of frames
    """

    def __init__(
        self, arguments: LaunchArguments, table: ArgumentTable, buffers: BufferAssignment
    ) -> None:
        self._table, self._buffers = table, buffers
        sizes = arguments.sizes.copy()
        for buffer, step in buffers.workspaces.items():
            sizes[buffer] = arguments.workspaces[step]
        listed = table.listed(arguments.numbers, arguments.units, arguments.workspaces)
        self._integers = Sums([*listed, *sizes])
        self._nanoseconds = arguments.nanoseconds
        self._results = ShapesOfSizes(arguments.results)

    def at(self, values: Sequence[Any]) -> Launch:
        """The launch for one size.

        Parameters
        ----------
        values : the values of the expressions' atoms
        """
        table = self._table
        integers = self._integers.at(values)
        numbers, sizes = integers[: table.size], _aligned(integers[table.size :])
        if table.own_workspaces.size:
            numbers[table.own_workspaces] = _aligned(numbers[table.own_workspaces])
        if self._nanoseconds and (threads := most_threads()) > 1:
            times = [valued(time, values) for time in self._nanoseconds]
            if divide(numbers, table, times, threads):
                self._give_workspaces(numbers, sizes)
        persistent, transient = self._buffers.plans(sizes, numbers, table)
        return Launch(numbers, persistent, transient, self._results.at(values))

    def _give_workspaces(self, numbers: Integers, sizes: Integers) -> None:
        """Give each thread a workspace of its own, where it needs one."""
        phases = self._table.phases
        own = numbers[phases + WORKSPACE] * numbers[phases + THREADS]
        of_steps = np.maximum.reduceat(own, self._table.first_phases)
        for buffer, step in self._buffers.workspaces.items():
            sizes[buffer] = max(sizes[buffer], of_steps[step])


def _aligned(sizes: Integers) -> Integers:
    """Round sizes up to whole cache lines."""
    np.maximum(sizes, 1, out=sizes)
    sizes += ALIGNMENT - 1
    sizes &= -ALIGNMENT
    return sizes
