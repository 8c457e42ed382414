"""Native steps of recurrent networks: layers and directions one after the other."""

from collections.abc import Sequence
from typing import Any

from gluonic.codegen.loops.steps import Step
from gluonic.codegen.lowerings.entry import lowering_at
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.memory import aligned
from gluonic.codegen.matmul.blas import multiplies
from gluonic.codegen.recurrent.backward import backward_scratch
from gluonic.codegen.recurrent.forward import forward_scratch
from gluonic.codegen.recurrent.loops import CellSpec
from gluonic.codegen.recurrent.network import NetworkSpec, NetworkWriter
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.writers.element_writer import INDICES
from gluonic.graph import Entry, Node
from gluonic.graph.ops.rnn_cells import CELLS


class RecurrentStep(Step):
    """The forward pass of all layers of a network."""

    uses_workspace = True

    def __init__(self, node: Node, facts: Facts) -> None:
        application = node.applied
        settings: Any = application.settings
        outputs = [node.entry(i) for i in range(node.output_count)]
        self.operands = (*node.inputs, *outputs)
        names = (*application.inputs, *application.outputs)
        self.positions = {name: number for number, name in enumerate(names)}
        lengths = settings["use_sequence_length"]
        self.may_bail_out = lengths and settings["bidirectional"]
        self.cell = CellSpec(
            settings["mode"],
            CELLS[settings["mode"]].gates,
            settings["state_size"],
            2 if settings["bidirectional"] else 1,
            facts.dtypes[node.entry()],
            settings["projection_size"] or 0,
            lengths,
        )
        layers = settings["num_layers"]
        self.network = NetworkSpec(
            self.cell,
            layers,
            settings["p"] if layers > 1 else 0.0,
            facts.dtypes[self.entry("sequence_length")] if lengths else None,
        )

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "RecurrentStep | None":
        """The step of a network in a dtype that products support."""
        settings: Any = node.applied.settings
        has_draws = lowering_at(node).draws_apart is not None
        if has_draws and settings["p"] and settings["num_layers"] > 1:
            return None  # its draws alternate with those of Python
        given = dict(zip(node.applied.inputs, node.inputs, strict=True))
        lengths = given.pop("sequence_length", None)
        if lengths is not None and facts.dtypes[lengths].name not in INDICES:
            return None
        entries = [*given.values(), *(node.entry(i) for i in range(node.output_count))]
        dtype = facts.dtypes[node.entry()]
        if not multiplies(dtype) or any(facts.dtypes[e] != dtype for e in entries):
            return None
        if 0 in facts.shapes[node.inputs[0]]:
            return None
        return cls(node, facts)

    def entry(self, name: str) -> Entry:
        """An operand by name."""
        return self.operands[self.positions[name]]

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Steps, batch and features."""
        return facts.shapes[self.entry("data")]

    def _bytes(self, elements: int, batch: int) -> int:
        """The bytes of a workspace with the lengths of sequences, followed by `elements` elements."""
        lengths = aligned(batch * 8) if self.cell.has_lengths else 0
        return lengths + elements * self.cell.dtype.itemsize

    def workspace(self, facts: Facts) -> int:
        """The memory of a direction, of states between steps, and of a layer's input."""
        steps, batch, _ = self.numbers(facts)
        elements = forward_scratch(self.cell, steps, batch)
        states = (self.cell.part + self.cell.size) * self.cell.has_lengths
        return self._bytes(elements + (states + steps * self.network.masked) * batch, batch)

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the layers."""
        NetworkWriter(
            module, name, self.network, self.positions, may_bail_out=self.may_bail_out
        ).forward()


class RecurrentGradientStep(RecurrentStep):
    """The backward pass of all layers of a network."""

    def workspace(self, facts: Facts) -> int:
        """The memory of a direction, of the gradients of a cell and two layers' outputs, of a layer's input."""
        steps, batch, _ = self.numbers(facts)
        between = 2 * self.cell.shown if self.network.layers > 1 else 0
        elements = steps * (between + self.network.masked) + self.cell.size
        return self._bytes(backward_scratch(self.cell, steps, batch) + elements * batch, batch)

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the layers."""
        NetworkWriter(
            module, name, self.network, self.positions, may_bail_out=self.may_bail_out
        ).backward()
