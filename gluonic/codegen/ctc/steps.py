"""The native step of connectionist temporal classification; a unit of work is a sequence."""

from collections.abc import Sequence

from gluonic.codegen.ctc.loops import CTCOperands, CtcWriter
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.memory import aligned
from gluonic.codegen.machine.target import host
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.writers.element_writer import INDICES
from gluonic.graph import Node

_DTYPES = {"float32", "float64"}
_NANOSECONDS_A_CLASS, _NANOSECONDS_A_STATE = 1.0, 6.0
"""Rough costs, in nanoseconds, of a class and of a state at each step of a sequence, on one thread."""


class CtcStep(Step):
    """Losses, and their gradients where these are read.

    Attributes
    ----------
    layout : the operands
    """

    uses_workspace = True
    may_bail_out = goes_on = True

    def __init__(self, node: Node, facts: Facts) -> None:
        settings = node.applied.settings
        results = [node.entry(i) for i in range(node.output_count)]
        self.operands = (*node.inputs, *results)
        self.is_empty = any(0 in facts.shapes[entry] for entry in self.operands[:2])
        self.layout = CTCOperands(
            dtype=facts.dtypes[results[0]],
            inputs=tuple(facts.dtypes[entry] for entry in node.inputs[1:]),
            has_data_lengths=settings["use_data_lengths"],
            has_label_lengths=settings["use_label_lengths"],
            blank_is_first=settings["blank_label"] == "first",
            has_gradient=len(results) > 1,
        )

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "CtcStep | None":
        """The step of the loss; None where there is nothing to walk along."""
        step = cls(node, facts)
        scores = (node.inputs[0], *(node.entry(i) for i in range(node.output_count)))
        dtypes = {facts.dtypes[entry].name for entry in scores}
        if len(dtypes) > 1 or not dtypes <= _DTYPES or step.is_empty:
            return None
        return step if all(dtype.name in INDICES for dtype in step.layout.inputs) else None

    def _extents(self, facts: Facts) -> tuple[int, int, int, int]:
        steps, batch, classes = facts.shapes[self.operands[0]]
        return steps, batch, classes, facts.shapes[self.operands[1]][1]

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Steps, sequences, classes, labels, and how long a row of states is in memory."""
        *_, labels = extents = self._extents(facts)
        return *extents, self._row(labels)

    def _row(self, labels: int) -> int:
        lanes = host().vector_bytes // self.layout.dtype.itemsize
        return ((2 * labels + 1) // lanes + 3) * lanes

    def units(self, facts: Facts) -> int:
        """One for each sequence."""
        return self._extents(facts)[1]

    def workspace(self, facts: Facts) -> int:
        """What `CtcWriter` keeps: classes of states, and two rows of states for each step and two more."""
        steps, _, _, labels = self._extents(facts)
        rows = (2 * steps + 2) * self._row(labels) * self.layout.dtype.itemsize
        return aligned((2 * labels + 1) * 8) + rows

    def nanoseconds(self, facts: Facts) -> float:
        """The time for exponentials of classes, and for the ways from state to state."""
        steps, batch, classes, labels = self._extents(facts)
        states = (2 * labels + 1) * _NANOSECONDS_A_STATE * (2 if self.layout.has_gradient else 1)
        return steps * batch * (classes * _NANOSECONDS_A_CLASS + states)

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the loop over sequences."""
        CtcWriter(module, name, self.layout).write()
