"""Runs of steps that tell the profiler when each step began and ended.

A second form of a run's function calls the same steps and reads the clock between them. It is made when a
graph is first profiled, in a module of its own, so the code that is measured is the code that always runs.
"""

import time
from collections.abc import Callable, Sequence
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import numpy as np

from gluonic.codegen.native.foreign import NativeFunction, checked
from gluonic.codegen.native.specialization import Specialization
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph.events import EVENTS, described

if TYPE_CHECKING:
    from gluonic.codegen.loops.fusion import Group

_HAS_CLOCK = hasattr(time, "clock_gettime")
"""Whether the C library has the clock; if not, runs are timed as a whole."""

_NANOSECONDS = np.array([1_000_000_000, 1], np.int64)


class TimedRuns:
    """The functions of machine code for one set of shapes, as the profiler has them called."""

    def __init__(self, spec: Specialization, facts: Facts) -> None:
        self._code = spec.code
        self._details = {id(group): _details(group, facts) for group in spec.groups}
        self.functions = checked(
            [self._timed(number, groups) for number, groups in enumerate(spec.runs)],
            spec.code.steps,
            facts,
        )

    def note(self, group: "Group", begin: int, end: int) -> None:
        """Tell the profiler about a step."""
        nodes = group.nodes
        name = nodes[0].operator_name if len(nodes) == 1 else group.label
        EVENTS.add("X", name, "operator", begin, end, self._details[id(group)])

    def _timed(self, number: int, groups: Sequence["Group"]) -> NativeFunction:
        """A run that tells the profiler about its steps."""
        part = self.part(number, groups)
        return lambda slots, table: part(slots, table, 0, len(groups), 0)

    def part(self, number: int, groups: Sequence["Group"]) -> Callable[..., None]:
        """A run of which some steps are called, and that tells the profiler about them."""
        function = self._code.timed[number] if _HAS_CLOCK else self._code.in_parts[number]

        def timed(slots: int, table: int, first: int, end: int, operand: int) -> None:
            called = groups[first:end]
            begin = perf_counter_ns()
            if not _HAS_CLOCK:
                function(slots, table, first, end, operand)
                EVENTS.add("X", f"{len(called)} steps", "operator", begin, perf_counter_ns())
                return
            stamps = np.empty((len(called) + 1, 2), np.int64)
            function(slots, table, first, end, operand, stamps.ctypes.data)
            times = stamps @ _NANOSECONDS
            times += begin - times[0]  # the clocks may have different beginnings
            for group, start, stop in zip(called, times[:-1], times[1:], strict=True):
                self.note(group, int(start), int(stop))

        return timed


def _details(group: "Group", facts: Facts) -> dict[str, Any]:
    """What the profiler shows about a step."""
    shapes = facts.shapes
    return {
        **described(group.nodes),
        "shape": list(shapes[group.nodes[-1].entry()]),
        "inputs": [list(shapes[entry]) for entry in dict.fromkeys(group.inputs)],
    }
