"""Calls of operators that have their own machine code, from extension libraries."""

import threading
from collections.abc import Sequence

from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.step_function import StepFunction
from gluonic.codegen.native.executable import NativeFunction
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import NativeCall, Node

_MOST_REMEMBERED = 16


class ForeignStep(Step):
    """A call of ``void function(void** operands, void* context)``; both addresses are run-time numbers."""

    is_foreign = True

    def __init__(self, node: Node) -> None:
        self.node = node
        self.outputs = tuple(node.entry(i) for i in range(node.output_count))
        self.operands = (*node.inputs, *self.outputs)
        self._calls: dict[object, NativeCall] = {}

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "ForeignStep | None":
        """The step of a node, if its operator has its own machine code."""
        if node.application is None or node.application.op.native is None:
            return None
        step = cls(node)
        return step if facts.decide(step.has_code) else None

    def has_code(self, facts: Facts) -> bool:
        """Whether the operator has machine code for these shapes."""
        return self.call(facts) is not None

    def call(self, facts: Facts) -> NativeCall | None:
        """The call for these shapes; `checked` keeps it alive as long as it is needed."""
        application = self.node.applied
        assert application.op.native is not None
        inputs, outputs = (
            tuple((facts.shapes[e], facts.dtypes[e]) for e in entries)
            for entries in (self.node.inputs, self.outputs)
        )
        key = inputs, outputs
        if key not in self._calls:
            made = application.op.native(application, inputs, outputs)
            if made is None:
                return None
            self._calls[key] = made
            if len(self._calls) > _MOST_REMEMBERED:
                del self._calls[next(iter(self._calls))]
        return self._calls[key]

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the call."""
        f = StepFunction(module, name)
        function = f.load("ptr", "%numbers")
        context = f.load("ptr", f.offset("%numbers", 1, "i64"))
        f.run(function, ("ptr", "%operands"), ("ptr", context))
        f.finish()

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The addresses of the function and of its context."""
        call = self.call(facts)
        assert call is not None
        return [call.function, call.context]


def checked(
    functions: Sequence[NativeFunction], steps: Sequence[Step], facts: Facts
) -> Sequence[NativeFunction]:
    """Check the results of foreign code after each run, one run at a time; without any, return `functions`.

    Parameters
    ----------
    functions : runs of steps
    steps : the steps of all runs
    """
    calls = [call for s in steps if isinstance(s, ForeignStep) and (call := s.call(facts))]
    if not calls:
        return functions
    lock = threading.Lock()  # a context serves one call at a time

    def guard(function: NativeFunction) -> NativeFunction:
        def run(slots: int, table: int) -> None:
            with lock:
                function(slots, table)
                for call in calls:
                    call.check()

        return run

    return [guard(function) for function in functions]
