"""Native steps of recurrent networks: layers and directions one after the other."""

from collections.abc import Hashable, Sequence
from typing import Any

from gluonic.codegen.images.window_loops import WindowWriter
from gluonic.codegen.loops.facts import Facts
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import Module
from gluonic.codegen.machine.blas import gemm
from gluonic.codegen.machine.values import INT64
from gluonic.codegen.maths.random_words import Place
from gluonic.codegen.products.recurrent_loops import (
    BACKWARD_ARGUMENTS,
    FORWARD_ARGUMENTS,
    RecurrentCell,
    call,
    emit_backward,
    emit_forward,
)
from gluonic.graph.node import Entry, Node
from gluonic.graph.ops.recurrent import dropout_scale
from gluonic.graph.ops.rnn_cells import CELLS
from gluonic.graph.random_words import threshold_of


class RecurrentStep(Step):
    """All layers of a network, forwards."""

    uses_workspace = True

    def __init__(self, node: Node, facts: Facts) -> None:
        application = node.application
        assert application is not None
        settings: Any = application.settings
        self.node, self.layers = node, settings["num_layers"]
        self.p = settings["p"] if self.layers > 1 else 0.0
        self.first_key = settings.get("number", 0)
        directions = 2 if settings["bidirectional"] else 1
        mode, size = settings["mode"], settings["state_size"]
        self.cell = RecurrentCell(
            mode, CELLS[mode].gates, size, directions, facts.dtypes[node.entry()]
        )
        outputs = [node.entry(i) for i in range(node.output_count)]
        self.operands = (*node.inputs, *outputs)
        names = (*application.inputs, *application.outputs)
        self.positions = {name: number for number, name in enumerate(names)}

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "RecurrentStep | None":
        """The step of a network without projections and lengths of sequences."""
        assert node.application is not None
        settings: Any = node.application.settings
        if settings["projection_size"] or settings["use_sequence_length"]:
            return None
        if node.operator_name == "RNN" and settings["p"] and settings["num_layers"] > 1:
            return None  # it draws in turn with something that Python runs
        given = zip(node.application.inputs, node.inputs, strict=True)
        entries = [entry for name, entry in given if name != "keys"]
        entries += [node.entry(i) for i in range(node.output_count)]
        dtype = facts.dtypes[node.entry()]
        if gemm(dtype) is None or any(facts.dtypes[e] != dtype for e in entries):
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

    def variant(self, facts: Facts) -> Hashable:
        """Whether there is anything to do."""
        return 0 in facts.shapes[self.entry("data")]

    def workspace(self, facts: Facts) -> int:
        """The gates of all steps and of one more, and what a layer reads of the one below."""
        steps, batch, _ = self.numbers(facts)
        elements = (steps + 1) * self.cell.width + steps * self._masked
        return elements * batch * self.cell.dtype.itemsize

    @property
    def _masked(self) -> int:
        """So many elements a layer reads of a step, if not as the layer below left them."""
        return self.cell.shown if self.p else 0

    def emit(self, module: Module, name: str) -> None:
        """Write the layers."""
        _NetworkWriter(module, name, self).forward()


class RecurrentGradientStep(RecurrentStep):
    """All layers of a network, back."""

    def workspace(self, facts: Facts) -> int:
        """The slopes of all gates, of a cell, and of the outputs of two layers; what a layer reads."""
        steps, batch, _ = self.numbers(facts)
        gates = (2 if self.cell.mode == "gru" else 1) * self.cell.width
        between = 2 * self.cell.shown if self.layers > 1 else 0
        elements = steps * (gates + between + self._masked) + self.cell.size
        return elements * batch * self.cell.dtype.itemsize

    def emit(self, module: Module, name: str) -> None:
        """Write the layers."""
        _NetworkWriter(module, name, self).backward()


class _NetworkWriter(WindowWriter):
    """Writes the calls for all layers and directions."""

    def __init__(self, module: Module, name: str, step: RecurrentStep) -> None:
        super().__init__(module, name, step.cell.dtype)
        self.given, self.cell = step, step.cell
        self.length, self.batch, self.features = (self.number(i) for i in range(3))
        self.rows = self.times(self.length, self.batch)
        self.scratch = self.operand(len(step.operands))
        self.known = {n: self.operand(i) for n, i in step.positions.items()}

    def _part(self, name: str, number: int, size: str) -> str:
        """The part of an array that belongs to a layer and direction; any address if there is no array."""
        if name not in self.known:
            return self.scratch
        return self.at(self.known[name], self.times(size, number))

    def _width(self, layer: int) -> str:
        return str(self.cell.shown) if layer else self.features

    def _weights(self, base: str, layer: int, direction: int) -> tuple[str, str, str]:
        """The weights of inputs and of the state, and the biases, of a layer in a direction."""
        cell, count = self.cell, self.given.layers
        row = cell.width * cell.size
        first = self.plus(self.times(self.features, cell.width), row)
        other = cell.width * cell.shown + row
        directions = cell.directions
        begin = self.times(first, direction if layer == 0 else directions)
        if layer:
            begin = self.plus(begin, ((layer - 1) * directions + direction) * other)
        matrices = self.plus(self.times(first, directions), (count - 1) * directions * other)
        own = (layer * directions + direction) * 2 * cell.width
        inputs = self.at(base, begin)
        state = self.at(inputs, self.times(self._width(layer), cell.width))
        return inputs, state, self.at(self.at(base, matrices), own)

    def _common(self, layer: int, direction: int) -> dict[str, str]:
        """The arguments that both ways have."""
        cell, number = self.cell, layer * self.cell.directions + direction
        state_size = self.times(self.batch, cell.size)
        inputs, recurrent, bias = self._weights(self.known["parameters"], layer, direction)
        return {
            "x": self._read_by(layer),
            "width": self._width(layer),
            "inputs": inputs,
            "recurrent": recurrent,
            "bias": bias,
            "state": self._part("state", number, state_size),
            "cell": self._part("state_cell", number, state_size),
            "gates": self._part("gates", number, self.times(self.rows, cell.width)),
            "memory": self._part("memory", number, self.times(self.rows, cell.size)),
            "output": self.at(self._output(layer), direction * cell.size),
            "scratch": self.scratch,
            "steps": self.length,
            "batch": self.batch,
            "backwards": str(direction),
        }

    def _read_by(self, layer: int) -> str:
        """What a layer reads."""
        if layer == 0:
            return self.known["data"]
        return self.masked if self.given.p else self._output(layer - 1)

    def _mask(self, layer: int) -> str:
        """The mask of what a layer reads."""
        return self._part("mask", layer - 1, self.times(self.rows, self.cell.shown))

    def _multiply(self, layer: int, goal: str, source: str, *, draw: bool = False) -> None:
        """Multiply by the mask of what a layer reads, which is drawn first if asked for."""
        mask, m = self._mask(layer), self.m
        if draw:
            place = self.moved(self.known["keys"], str(self.given.first_key + layer - 1), 8)
            key = m.value(self.f.op(f"load i64, ptr {place}"), INT64, 1)
            smallest, scale = threshold_of(self.given.p), dropout_scale(self.given.p)

        def body(i: str, lanes: int) -> None:
            if draw:
                words = m.random_words(key, Place(m.value(i, INT64, 1), lanes))
                kept = m.where(words >= smallest, m.constant(scale, self.dtype), 0.0)
                self.put(kept, self.at(mask, i), lanes)
            else:
                kept = self.element(self.at(mask, i), lanes)
            self.put(self.element(self.at(source, i), lanes) * kept, self.at(goal, i), lanes)

        self.spans("0", self.times(self.rows, self.cell.shown), body)

    def _output(self, layer: int) -> str:
        if layer == self.given.layers - 1:
            return self.known["output"]
        return self._part("hidden", layer, self.times(self.rows, self.cell.shown))

    def _over_units(self) -> Any:
        return self.f.loop("%begin", "%end")

    def forward(self) -> None:
        """Write all layers from the first on."""
        function = emit_forward(self.f.module, self.cell)
        steps = self.times(self.rows, self.cell.width)
        self.masked = self.at(
            self.scratch, self.plus(steps, self.times(self.batch, self.cell.width))
        )
        with self._over_units():
            for layer in range(self.given.layers):
                if layer and self.given.p:
                    self._multiply(layer, self.masked, self._output(layer - 1), draw=True)
                for direction in range(self.cell.directions):
                    values = self._common(layer, direction)
                    call(self.f, function, FORWARD_ARGUMENTS, values)
                    self._show(values, layer * self.cell.directions + direction)
        self.f.finish()

    def _show(self, values: dict[str, str], number: int) -> None:
        """Copy the last states to where the user sees them."""
        cell, state_size = self.cell, self.times(self.batch, self.cell.size)
        last = self.minus(self.length, 1)
        if "state_output" in self.known:
            goal = self._part("state_output", number, state_size)
            at = "0" if values["backwards"] == "1" else last
            first = self.at(values["output"], self.times(at, self.times(self.batch, cell.shown)))
            with self.f.loop("0", self.batch) as n:
                there = self.at(goal, self.times(n, cell.size))
                here = self.at(first, self.times(n, cell.shown))
                self.f.copy(there, here, str(cell.size * self.size))
        if "statecell_output" in self.known:
            goal = self._part("statecell_output", number, state_size)
            here = self.at(values["memory"], self.times(last, state_size))
            self.f.copy(goal, here, self.times(state_size, self.size))

    def backward(self) -> None:
        """Write all layers from the last on."""
        function = emit_backward(self.f.module, self.cell)
        cell, layers = self.cell, self.given.layers
        gates = (2 if cell.mode == "gru" else 1) * cell.width
        own_cell = self.at(self.scratch, self.times(self.rows, gates))
        between = self.at(own_cell, self.times(self.batch, cell.size))
        size = self.times(self.rows, cell.shown)
        buffers = [self.at(between, self.times(size, n)) for n in range(2 if layers > 1 else 0)]
        self.masked = self.at(between, self.times(size, 2))
        with self._over_units():
            slopes = self.known["output_slope"]
            for layer in reversed(range(layers)):
                goal = buffers[layer % 2] if layer else self.known["data_gradient"]
                elements = self.times(self.rows, self._width(layer))
                self.clear(goal, self.times(elements, self.size))
                if layer and self.given.p:
                    self._multiply(layer, self.masked, self._output(layer - 1))
                for direction in range(cell.directions):
                    values = self._common(layer, direction)
                    values["slopes"] = self.at(slopes, direction * cell.size)
                    values["x_slope"] = goal
                    self._give_slopes(values, layer, direction, own_cell)
                    call(self.f, function, BACKWARD_ARGUMENTS, values)
                if layer and self.given.p:
                    self._multiply(layer, goal, goal)
                slopes = goal
        self.f.finish()

    def _give_slopes(
        self, values: dict[str, str], layer: int, direction: int, own_cell: str
    ) -> None:
        """Where the gradients of states and parameters go; those of the last states lie there first."""
        number = layer * self.cell.directions + direction
        size = self.times(self.batch, self.cell.size)
        inputs, recurrent, bias = self._weights(self.known["parameters_gradient"], layer, direction)
        values["inputs_slope"], values["recurrent_slope"] = inputs, recurrent
        values["bias_slope"] = bias
        for name, source, gradient in (
            ("state_slope", "state_output_slope", "state_gradient"),
            ("cell_slope", "statecell_output_slope", "state_cell_gradient"),
        ):
            goal = self._part(gradient, number, size) if gradient in self.known else own_cell
            values[name] = goal
            if source in self.known:
                self.f.copy(goal, self._part(source, number, size), self.times(size, self.size))
            else:
                self.clear(goal, self.times(size, self.size))
