"""Bindings: for one set of shapes, the run-time numbers of the machine code and the memory plan.

A new batch size needs only a new binding. See :mod:`gluonic.codegen.runtime.frame` for the memory of a call.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gluonic.codegen.launch.launch import Launch
from gluonic.codegen.machine.addresses import address_of
from gluonic.codegen.native.executable import Executable, NativeFunction
from gluonic.graph.attributes import Shape
from gluonic.graph.events import EVENTS
from gluonic.support.cached_property import cached_property

if TYPE_CHECKING:
    from gluonic.codegen.native.parts import RunPart
    from gluonic.codegen.native.specialization import Specialization
    from gluonic.codegen.runtime.step_times import TimedRuns
    from gluonic.codegen.shapes.facts import Facts

# A call needs little of the compiler: the rest is imported for what calls do not do.


class Binding:
    """Machine code for one set of shapes.

    Parameters
    ----------
    executable : the machine code
    launch : what the code is launched with
    signature : shape and dtype of each input; None for one that nothing reads
    details : finds the specialization, and the shapes and dtypes of all results

    Attributes
    ----------
    table_address : of the run-time numbers of all native steps
    persistent, transient : the memory plans of results that persist after a call, and of the others
    signature : shape and dtype of each input; None for one that is not read
    results : slot, shape and dtype of each computed output; no slot if Python allocates its memory
    """

    def __init__(
        self,
        executable: Executable,
        launch: Launch,
        signature: tuple[tuple[Shape | None, Any], ...],
        details: "Callable[[], tuple[Specialization, Facts]]",
    ) -> None:
        self.executable, self._find_details = executable, details
        self.launch, self.table_address = launch, address_of(launch.table)
        self.persistent, self.transient = launch.persistent, launch.transient
        self.signature = signature
        pairs = zip(executable.call.results, launch.results, strict=True)
        self.results = [(slot, shape, dtype) for (slot, dtype), shape in pairs]
        self.functions: Sequence[NativeFunction] = executable.functions
        if executable.call.has_foreign_steps:
            from gluonic.codegen.native.foreign import checked

            self.functions = checked(self.functions, self.specialization.steps, self.facts)

    @cached_property
    def _details(self) -> "tuple[Specialization, Facts]":
        return self._find_details()

    @property
    def specialization(self) -> "Specialization":
        """The specialization that the machine code belongs to."""
        return self._details[0]

    @property
    def facts(self) -> "Facts":
        """The shapes and dtypes of all results."""
        return self._details[1]

    @cached_property
    def timed(self) -> "TimedRuns":
        """The native functions with timed steps, for the profiler."""
        from gluonic.codegen.runtime.step_times import TimedRuns

        return TimedRuns(self.specialization, self.facts)

    @cached_property
    def _parts(self) -> "dict[int, list[RunPart]]":
        from gluonic.codegen.native.parts import divided

        return divided(self.specialization)

    def handing_over(self, finished: Callable[[int], None]) -> Sequence[NativeFunction]:
        """The native functions; they call `finished` with the index of each finished output."""
        spec = self.specialization
        if spec.call.has_foreign_steps:
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
