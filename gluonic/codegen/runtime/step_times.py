"""Runs of steps that report the begin and the end of each step to the profiler.

A second version of the run function calls the same steps and reads the clock between them. It is generated when
a graph is first profiled, in a separate module, so profiling measures the code that always runs.
"""

import time
from collections.abc import Callable, Sequence
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import numpy as np

from gluonic.codegen.native.executable import NativeFunction
from gluonic.codegen.native.foreign import checked
from gluonic.codegen.native.specialization import Specialization
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph.events import EVENTS, described

if TYPE_CHECKING:
    from gluonic.codegen.loops.fusion import Group

_HAS_CLOCK = hasattr(time, "clock_gettime")
"""Whether the C library has `clock_gettime`; if not, runs are timed as a whole."""

_NANOSECONDS = np.array([1_000_000_000, 1], np.int64)


class TimedRuns:
    """The timed versions of the native functions for one set of shapes."""

    def __init__(self, spec: Specialization, facts: Facts) -> None:
        self._code = spec.code
        self._details = {id(group): _details(group, facts) for group in spec.groups}
        self.functions = checked(
            [self._timed(number, groups) for number, groups in enumerate(spec.runs)],
            spec.code.steps,
            facts,
        )

    def note(self, group: "Group", begin: int, end: int) -> None:
        """Report a step to the profiler."""
        nodes = group.nodes
        name = nodes[0].operator_name if len(nodes) == 1 else group.label
        EVENTS.add("X", name, "operator", begin, end, self._details[id(group)])

    def _timed(self, number: int, groups: Sequence["Group"]) -> NativeFunction:
        """A run that reports its steps to the profiler."""
        part = self.part(number, groups)
        return lambda slots, table: part(slots, table, 0, len(groups), 0)

    def part(self, number: int, groups: Sequence["Group"]) -> Callable[..., None]:
        """A run of some of the steps that reports them to the profiler."""
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
            times += begin - times[0]  # the clocks may have different origins
            for group, start, stop in zip(called, times[:-1], times[1:], strict=True):
                self.note(group, int(start), int(stop))

        return timed


def _details(group: "Group", facts: Facts) -> dict[str, Any]:
    """The details of a step that the profiler shows."""
    shapes = facts.shapes
    return {
        **described(group.nodes),
        "shape": list(shapes[group.nodes[-1].entry()]),
        "inputs": [list(shapes[entry]) for entry in dict.fromkeys(group.inputs)],
    }
