"""The forward pass of one direction of a recurrent layer."""

from collections.abc import Mapping, Sequence

from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import Value
from gluonic.codegen.recurrent import cells
from gluonic.codegen.recurrent.loops import CellSpec, RecurrentWriter, Rows
from gluonic.codegen.recurrent.packed_states import PackedStates, packed_elements

FORWARD_ARGUMENTS = (
    *("x", "width", "inputs", "recurrent", "project", "bias", "state", "cell", "gates", "memory"),
    *("output", "last_state", "last_cell", "lengths", "scratch", "steps", "batch", "backwards"),
)


def forward_scratch(cell: CellSpec, steps: int, batch: int) -> int:
    """The number of elements of scratch memory that a direction needs."""
    elements = (steps + 1) * cell.width
    if cell.projection:
        elements += cell.size + cell.part * cell.has_lengths
    return elements * batch + packed_elements(cell)


class _Forward(RecurrentWriter):
    """Writes the forward pass of a direction.

    If sequences have lengths, `last_state` and `last_cell` hold the state from step to step; nothing else
    writes to them. Scratch memory has the packed weights, then the gates of all steps and of one more, then the
    values to be projected, then, with lengths, their projection.
    """

    def write(self) -> None:
        """Write the function."""
        cell, width = self.cell, self.cell.width
        is_gru = cell.mode == "gru"
        state_bias = self.at("%bias", width)
        weights, sums, extra, self.hidden, self.projected = self.parts(
            "%scratch",
            packed_elements(cell),
            self.times(self.rows, width),
            self.times("%batch", width),
            self.times("%batch", cell.size),
            0,
        )
        self._spread(sums, self.rows, ["%bias"] if is_gru else ["%bias", state_bias])
        x, inputs = ("%x", "%width", False), ("%inputs", "%width", True)
        self.product(x, inputs, (sums, width), (self.rows, width, "%width"), adds=True)
        if cell.has_lengths:
            self._begin()
        packed = PackedStates(self, weights) if packed_elements(cell) else None
        with self.f.loop("0", "%steps") as number:
            state, lead = ("%last_state", cell.part) if cell.has_lengths else self.before(number)
            goal = extra
            if is_gru:
                self._spread(extra, "%batch", [state_bias])
            elif not cell.has_lengths:
                goal = self.at(sums, self.times(self.step_at(number), self.times("%batch", width)))
            self._add_state(packed, (state, lead), goal, adds=is_gru or not cell.has_lengths)
            self._step(number, sums, extra, (state, lead))
            if cell.projection:
                self._project(number)
        self.f.finish()

    def _add_state(
        self, packed: PackedStates | None, state: tuple[str, str | int], goal: str, *, adds: bool
    ) -> None:
        """Write the product of the state before a step with its weights."""
        cell, width = self.cell, self.cell.width

        def unpacked() -> None:
            weights, extents = ("%recurrent", cell.part, True), ("%batch", width, cell.part)
            self.product((*state, False), weights, (goal, width), extents, adds=adds)

        if packed is None:
            unpacked()
        else:
            self.either(packed.pays, lambda: packed.product(state, goal, adds=adds), unpacked)

    def _begin(self) -> None:
        """Copy the initial state to the location that the first step reads."""
        cell = self.cell
        self._copy("%last_state", "%state", cell.part)
        if cell.mode == "lstm":
            self._copy("%last_cell", "%cell", cell.size)

    def _copy(self, goal: str, source: str, size: int) -> None:
        self.f.copy(goal, source, self.times("%batch", size * self.size))

    def _step(self, number: str, sums: str, extra: str, state: tuple[str, str | int]) -> None:
        """Write a step's element-wise part: from the sums of its gates to the new state."""
        cell, width = self.cell, self.cell.width
        block = self.times("%batch", width)
        memory = "%last_cell" if cell.has_lengths else self.memory_before(number)
        rows: dict[str, tuple[str, str | int]] = {
            "extra": (extra, width),
            "state": state,
            "before": (memory, cell.size),
            "gates": (self.at("%gates", self.times(number, block)), width),
            "memory": (self.memory(number), cell.size),
        }
        in_sequence: dict[str, tuple[str, str | int]] = {"own": (sums, width)}
        body = {"lstm": self._lstm, "gru": self._gru}.get(cell.mode, self._plain)
        if cell.projection:
            rows["output"] = (self.hidden, cell.size)
        else:
            in_sequence["output"] = ("%output", cell.shown)
        self.over_elements(number, cell.size, rows, in_sequence, body, self._leave_out)

    def _leave_out(self, rows: Mapping[str, str]) -> None:
        """Write zeros where a sequence has ended."""
        cell = self.cell
        self.fill_row(rows["gates"], cell.width)
        if cell.mode in ("lstm", "gru"):
            self.fill_row(rows["memory"], cell.size)
        if not cell.projection:
            self._show_nothing(rows)

    def _project(self, number: str) -> None:
        """Write the product that projects a step's state."""
        cell = self.cell
        goal, lead = self.projected, cell.part
        if not cell.has_lengths:
            at = self.times(self.step_at(number), self.times("%batch", cell.shown))
            goal, lead = self.at("%output", at), cell.shown
        self.product(
            (self.hidden, cell.size, False),
            ("%project", cell.size, True),
            (goal, lead),
            ("%batch", cell.part, cell.size),
            adds=False,
        )
        if not cell.has_lengths:
            return

        def show(rows: Mapping[str, str], i: str, lanes: int) -> None:
            value = self.element(self.at(rows["projected"], i), lanes)
            for name in ("output", "state"):
                self.put(value, self.at(rows[name], i), lanes)

        rows: Rows = {"projected": (goal, lead), "state": ("%last_state", cell.part)}
        in_sequence: Rows = {"output": ("%output", cell.shown)}
        self.over_elements(number, cell.part, rows, in_sequence, show, self._show_nothing)

    def _show_nothing(self, rows: Mapping[str, str]) -> None:
        """Write zeros where a sequence has no output."""
        self.fill_row(rows["output"], self.cell.part)

    def _spread(self, goal: str, rows: str, biases: Sequence[str]) -> None:
        """Write the sum of biases to every row."""
        with self.f.loop("0", rows) as row:
            there = self.at(goal, self.times(row, self.cell.width))

            def body(i: str, lanes: int) -> None:
                total = self.element(self.at(biases[0], i), lanes)
                for bias in biases[1:]:
                    total = total + self.element(self.at(bias, i), lanes)
                self.put(total, self.at(there, i), lanes)

            self.spans("0", str(self.cell.width), body)

    # -- what a step does with elements -------------------------------------------------------

    def _sum(self, rows: Mapping[str, str], gate: int, i: str, lanes: int) -> Value:
        """The sum of a gate; its two products are stored separately where sequences have lengths."""
        own = self.gate(rows["own"], gate, i, lanes)
        if not self.cell.has_lengths:
            return own
        return own + self.gate(rows["extra"], gate, i, lanes)

    def _show(self, state: Value, rows: Mapping[str, str], i: str, lanes: int) -> None:
        """Write a new state."""
        self.put(state, self.at(rows["output"], i), lanes)
        if self.cell.has_lengths and not self.cell.projection:
            self.put(state, self.at(rows["state"], i), lanes)

    def _plain(self, rows: Mapping[str, str], i: str, lanes: int) -> None:
        step = cells.plain(self.m, self.cell.mode, self._sum(rows, 0, i, lanes))
        self._put(step, rows, i, lanes)

    def _lstm(self, rows: Mapping[str, str], i: str, lanes: int) -> None:
        totals = [self._sum(rows, k, i, lanes) for k in range(4)]
        before = self.element(self.at(rows["before"], i), lanes)
        self._put(cells.lstm(self.m, totals, before), rows, i, lanes)

    def _gru(self, rows: Mapping[str, str], i: str, lanes: int) -> None:
        own, extra = ([self.gate(rows[n], k, i, lanes) for k in range(3)] for n in ("own", "extra"))
        state = self.element(self.at(rows["state"], i), lanes)
        self._put(cells.gru(self.m, own, extra, state), rows, i, lanes)

    def _put(self, step: cells.StepValues, rows: Mapping[str, str], i: str, lanes: int) -> None:
        """Write the gates of a step, its memory, and the new state."""
        for number, gate in enumerate(step.gates):
            self.put_gate(gate, rows["gates"], number, i, lanes)
        if step.memory is not None:
            is_carried = self.cell.has_lengths and self.cell.mode == "lstm"
            for name in ("memory", *(["before"] if is_carried else [])):
                self.put(step.memory, self.at(rows[name], i), lanes)
        self._show(step.state, rows, i, lanes)


def emit_forward(module: LLVMModule, cell: CellSpec) -> str:
    """Write the function of the forward pass on first use; return its name."""
    name = cell.symbol("forward")
    if name not in module.definitions:
        _Forward(module, name, FORWARD_ARGUMENTS, cell).write()
    return name
