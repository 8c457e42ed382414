"""A recurrent network: its layers and directions one after the other."""

from collections.abc import Mapping, Sequence

from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import INT64, Dtype
from gluonic.codegen.recurrent.backward import BACKWARD_ARGUMENTS, emit_backward
from gluonic.codegen.recurrent.forward import FORWARD_ARGUMENTS, emit_forward
from gluonic.codegen.recurrent.loops import CellSpec, call
from gluonic.codegen.writers.element_writer import ElementWriter
from gluonic.support.record import record


@record
class NetworkSpec:
    """The properties that the code depends on.

    Attributes
    ----------
    cell : the cell of each layer and direction
    layers : number of layers
    p : the probability of dropping an input of a layer above another
    lengths : the dtype of the lengths of sequences, if they have any
    """

    cell: CellSpec
    layers: int
    p: float
    lengths: Dtype | None

    @property
    def masked(self) -> int:
        """The number of elements that a layer reads in a step if dropout masks them; otherwise 0."""
        return self.cell.shown if self.p else 0


class NetworkWriter(ElementWriter):
    """Writes the calls for all layers and directions.

    Parameters
    ----------
    positions : the indices of operands by name
    may_bail_out : whether the flag for a bail-out to the interpreter follows them
    """

    def __init__(
        self,
        module: LLVMModule,
        name: str,
        network: NetworkSpec,
        positions: Mapping[str, int],
        *,
        may_bail_out: bool,
    ) -> None:
        super().__init__(module, name, network.cell.dtype)
        self.given, self.cell = network, network.cell
        self.length, self.batch, self.features = (self.number(i) for i in range(3))
        self.rows = self.times(self.length, self.batch)
        self.known = {n: self.operand(i) for n, i in positions.items()}
        self.bail_out = self.operand(len(positions)) if may_bail_out else ""
        self.lengths = self.scratch = self.operand(len(positions) + may_bail_out)
        if network.lengths is not None:
            lines = self.f.bits(self.plus(self.times(self.batch, 8), 63), -64)
            self.scratch = self.moved(self.lengths, lines)

    def _part(self, name: str, number: int, size: str) -> str:
        """The part of an array that belongs to a layer and direction; any address if there is no array."""
        if name not in self.known:
            return self.scratch
        return self.at(self.known[name], self.times(size, number))

    def _width(self, layer: int) -> str:
        return str(self.cell.shown) if layer else self.features

    def _weights(self, base: str, layer: int, direction: int) -> tuple[str, str, str, str]:
        """The weights of inputs, of the state and of its projection, and the biases, of a layer's direction."""
        cell, count = self.cell, self.given.layers
        row = cell.width * cell.part + cell.projection * cell.size
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
        project = self.at(state, cell.width * cell.part)
        return inputs, state, project, self.at(self.at(base, matrices), own)

    def _common(self, layer: int, direction: int) -> dict[str, str]:
        """The arguments that both passes have."""
        cell, number = self.cell, layer * self.cell.directions + direction
        inputs, recurrent, project, bias = self._weights(self.known["parameters"], layer, direction)
        return {
            "x": self._read_by(layer),
            "width": self._width(layer),
            "inputs": inputs,
            "recurrent": recurrent,
            "project": project,
            "bias": bias,
            "state": self._part("state", number, self.times(self.batch, cell.part)),
            "cell": self._part("state_cell", number, self.times(self.batch, cell.size)),
            "gates": self._part("gates", number, self.times(self.rows, cell.width)),
            "memory": self._part("memory", number, self.times(self.rows, cell.size)),
            "output": self.at(self._output(layer), direction * cell.part),
            "lengths": self.lengths,
            "scratch": self.scratch,
            "steps": self.length,
            "batch": self.batch,
            "backwards": str(direction),
        }

    def _read_by(self, layer: int) -> str:
        """The input of a layer."""
        if layer == 0:
            return self.known["data"]
        return self.masked if self.given.p else self._output(layer - 1)

    def _mask(self, layer: int) -> str:
        """The mask of a layer's input."""
        return self._part("mask", layer - 1, self.times(self.rows, self.cell.shown))

    def _multiply(self, layer: int, goal: str, source: str, *, keep: bool = False) -> None:
        """Multiply a layer's input by its mask; with `keep`, the given mask is kept for the backward pass."""
        mask = self._mask(layer)
        size = self.times(self.rows, self.cell.shown)
        given = self._part("masks", layer - 1, size) if keep else mask

        def body(i: str, lanes: int) -> None:
            kept = self.element(self.at(given, i), lanes)
            if keep:
                self.put(kept, self.at(mask, i), lanes)
            self.put(self.element(self.at(source, i), lanes) * kept, self.at(goal, i), lanes)

        self.spans("0", size, body)

    def _output(self, layer: int) -> str:
        if layer == self.given.layers - 1:
            return self.known["output"]
        return self._part("hidden", layer, self.times(self.rows, self.cell.shown))

    def _write_lengths(self) -> None:
        """Write the lengths of sequences as integers, limited to the length of the data."""
        dtype, f = self.given.lengths, self.f
        if dtype is None:
            return
        with f.loop("0", self.batch) as n:
            value = self.element_of(self.known["sequence_length"], n, dtype).astype(INT64).ref
            if self.bail_out:  # no second direction begins after the last step
                with f.when(f.compare("sgt", value, self.length), seldom=True):
                    f.store("i64", 1, self.bail_out, 8)
            bounded = self.least(value, self.length)
            f.store("i64", bounded, self.moved(self.lengths, n, 8), 8)

    def _kept(self, count: str | int, size: str | int) -> str:
        """Reserve `count` rows of a size in the workspace; the rest is for directions."""
        here = self.scratch
        self.scratch = self.at(here, self.times(count, size))
        return here

    def forward(self) -> None:
        """Write all layers from the first on."""
        function, cell = emit_forward(self.f.module, self.cell), self.cell
        self.masked = self._kept(self.rows, self.given.masked)
        lasts = [self._kept(self.batch, n * cell.has_lengths) for n in (cell.part, cell.size)]
        with self.f.loop("%begin", "%end"):
            self._write_lengths()
            for layer in range(self.given.layers):
                if layer and self.given.p:
                    self._multiply(layer, self.masked, self._output(layer - 1), keep=True)
                for direction in range(cell.directions):
                    number = layer * cell.directions + direction
                    values = self._common(layer, direction)
                    values["last_state"], values["last_cell"] = self._lasts(number, lasts)
                    call(self.f, function, FORWARD_ARGUMENTS, values)
                    if not cell.has_lengths:
                        self._show(values, number)
        self.f.finish()

    def _lasts(self, number: int, otherwise: Sequence[str]) -> list[str]:
        """The last states that the user sees."""
        sizes = self.cell.part, self.cell.size
        names = "state_output", "statecell_output"
        return [
            self._part(name, number, self.times(self.batch, size)) if name in self.known else other
            for name, size, other in zip(names, sizes, otherwise, strict=True)
        ]

    def _show(self, values: Mapping[str, str], number: int) -> None:
        """Copy the last states to the user's outputs."""
        cell, last = self.cell, self.minus(self.length, 1)
        if "state_output" in self.known:
            at = "0" if values["backwards"] == "1" else last
            first = self.at(values["output"], self.times(at, self.times(self.batch, cell.shown)))
            with self.f.loop("0", self.batch) as n:
                there = self.at(values["last_state"], self.times(n, cell.part))
                here = self.at(first, self.times(n, cell.shown))
                self.f.copy(there, here, str(cell.part * self.size))
        if "statecell_output" in self.known:
            size = self.times(self.batch, cell.size)
            here = self.at(values["memory"], self.times(last, size))
            self.f.copy(values["last_cell"], here, self.times(size, self.size))

    def backward(self) -> None:
        """Write all layers from the last on."""
        function = emit_backward(self.f.module, self.cell)
        cell, layers = self.cell, self.given.layers
        own_cell = self._kept(self.batch, cell.size)
        buffers = [self._kept(self.rows, cell.shown) for _ in range(2 if layers > 1 else 0)]
        self.masked = self._kept(self.rows, self.given.masked)
        with self.f.loop("%begin", "%end"):
            self._write_lengths()
            gradients = self.known["grad_output"]
            for layer in reversed(range(layers)):
                goal = buffers[layer % 2] if layer else self.known["data_gradient"]
                elements = self.times(self.rows, self._width(layer))
                self.clear(goal, self.times(elements, self.size))
                if layer and self.given.p:
                    self._multiply(layer, self.masked, self._output(layer - 1))
                for direction in range(cell.directions):
                    values = self._common(layer, direction)
                    values["gradients"] = self.at(gradients, direction * cell.part)
                    values["x_gradient"] = goal
                    self._give_gradients(values, layer, direction, own_cell)
                    call(self.f, function, BACKWARD_ARGUMENTS, values)
                if layer and self.given.p:
                    self._multiply(layer, goal, goal)
                gradients = goal
        self.f.finish()

    def _give_gradients(
        self, values: dict[str, str], layer: int, direction: int, own_cell: str
    ) -> None:
        """Write the gradients of states and parameters; their memory first holds those of the last states."""
        number = layer * self.cell.directions + direction
        weights = self._weights(self.known["parameters_gradient"], layer, direction)
        names = "inputs_gradient", "recurrent_gradient", "project_gradient", "bias_gradient"
        values.update(zip(names, weights, strict=True))
        for name, source, gradient, elements in (
            ("state_gradient", "grad_state_output", "state_gradient", self.cell.part),
            ("cell_gradient", "grad_statecell_output", "state_cell_gradient", self.cell.size),
        ):
            size = self.times(self.batch, elements)
            goal = self._part(gradient, number, size) if gradient in self.known else own_cell
            values[name] = goal
            if source in self.known:
                self.f.copy(goal, self._part(source, number, size), self.times(size, self.size))
            else:
                self.clear(goal, self.times(size, self.size))
