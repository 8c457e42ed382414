"""Bindings: for one set of shapes, the run-time numbers of the machine code and the memory plan.

A new batch size needs only a new binding. See :mod:`gluonic.codegen.runtime.frame` for the memory of a call.
"""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.codegen.launch.arguments import launch_arguments
from gluonic.codegen.launch.launches import Launch, Launches
from gluonic.codegen.machine.addresses import address_of
from gluonic.codegen.native.foreign import NativeFunction, checked
from gluonic.codegen.native.parts import RunPart, divided
from gluonic.codegen.native.specialization import Specialization
from gluonic.codegen.runtime.step_times import TimedRuns
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.shapes.symbolic import ShapeEnv
from gluonic.graph.attributes import Shape
from gluonic.graph.events import EVENTS
from gluonic.support.cached_property import cached_property


class Binding:
    """A specialization for one set of shapes.

    Parameters
    ----------
    specialization : the machine code
    launch : what the code is launched with
    signature : shape and dtype of each input; None for one that nothing reads
    facts : finds the shapes and dtypes of all results; called only if Python runs some operator

    Attributes
    ----------
    table_address : of the run-time numbers of all native steps
    persistent, transient : the memory plans of results that persist after a call, and of the others
    signature : shape and dtype of each input; None for one that is not read
    results : slot, shape and dtype of each computed output; no slot if Python allocates its memory
    """

    def __init__(
        self,
        specialization: Specialization,
        launch: Launch,
        signature: tuple[tuple[Shape | None, Any], ...],
        facts: Callable[[], Facts],
    ) -> None:
        self.specialization, self._find_facts = specialization, facts
        spec = specialization
        self.launch, self.table_address = launch, address_of(launch.table)
        self.persistent, self.transient = launch.persistent, launch.transient
        self.signature = signature
        pairs = zip(spec.result_slots, launch.results, strict=True)
        self.results = [(slot, shape, dtype) for (slot, dtype), shape in pairs]
        self.functions: Sequence[NativeFunction] = spec.code.functions
        if spec.has_foreign_steps:
            self.functions = checked(self.functions, spec.code.steps, self.facts)

    @staticmethod
    def of(specialization: Specialization, facts: Facts) -> "Binding":
        """The binding for one set of shapes."""
        inputs = [facts.shapes.get(entry) for entry in specialization.input_entries]
        arguments = launch_arguments(specialization.launch, facts)
        table, buffers = specialization.code.table, specialization.buffers
        launch = Launches(arguments, table, buffers, ShapeEnv()).at()
        assert launch is not None
        signature = zip(inputs, specialization.input_dtypes, strict=True)
        return Binding(specialization, launch, tuple(signature), lambda: facts)

    @cached_property
    def facts(self) -> Facts:
        """The shapes and dtypes of all results."""
        return self._find_facts()

    @cached_property
    def timed(self) -> TimedRuns:
        """The native functions with timed steps, for the profiler."""
        return TimedRuns(self.specialization, self.facts)

    @cached_property
    def _parts(self) -> dict[int, list[RunPart]]:
        return divided(self.specialization)

    def handing_over(self, finished: Callable[[int], None]) -> Sequence[NativeFunction]:
        """The native functions; they call `finished` with the index of each finished output."""
        spec = self.specialization
        if spec.has_foreign_steps:
            return self.timed.functions if EVENTS.symbolic else self.functions

        def function(number: int) -> NativeFunction:
            parts = self._parts.get(number)
            if parts is None:  # the prepacked part
                return self.functions[number]
            run = spec.code.in_parts[number]
            if EVENTS.symbolic:
                run = self.timed.part(number, spec.runs[number])

            def call(slots: int, table: int) -> None:
                for part in parts:
                    run(slots, table, part.first, part.end, part.operand)
                    for output in part.finished:
                        finished(output)

            return call

        return [function(number) for number in range(len(spec.runs))]

    @property
    def name(self) -> str:
        """The name shown to users: that of the graph's first output."""
        outputs = self.specialization.outputs
        return outputs[0].node.name if outputs else "nothing"
