"""The backward pass of one direction of a recurrent layer."""

from collections.abc import Mapping, Sequence

from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import Value
from gluonic.codegen.recurrent import cells
from gluonic.codegen.recurrent.loops import CellSpec, RecurrentWriter, Rows

BACKWARD_ARGUMENTS = (
    *("x", "width", "inputs", "recurrent", "project", "state", "cell", "gates", "memory", "output"),
    *(
        "gradients",
        "state_gradient",
        "cell_gradient",
        "inputs_gradient",
        "recurrent_gradient",
        "project_gradient",
    ),
    *("bias_gradient", "x_gradient", "lengths", "scratch", "steps", "batch", "backwards"),
)


def backward_scratch(cell: CellSpec, steps: int, batch: int) -> int:
    """The number of elements of scratch memory that a direction needs."""
    elements = steps * cell.width * (2 if cell.mode == "gru" else 1)
    if cell.projection:
        elements += cell.size + steps * (cell.part + cell.size)
    if cell.has_lengths:
        elements += cell.part + cell.width
    return elements * batch


class _Backward(RecurrentWriter):
    """Writes the backward pass of a direction.

    `state_gradient` and `cell_gradient` hold the gradients of the last state and, at the end, those of the
    first; the input's gradient is added to `x_gradient`. Scratch memory has the gradients of the gates of all
    steps, twice for ``gru``. With a projection, the gradient of a state before it follows, then, for all steps,
    the gradients after it, and these states; with lengths, the gradient of a state, and those of the gates of
    one step.
    """

    def write(self) -> None:
        """Write the function."""
        cell, width = self.cell, self.cell.width
        is_gru, projects = cell.mode == "gru", bool(cell.projection)
        gates = self.times(self.rows, width)
        own, recurrent, self.unprojected, self.shown, self.hidden, self.carried, self.gates, _ = (
            self.parts(
                "%scratch",
                gates if is_gru else 0,
                gates,
                self.times("%batch", cell.size * projects),
                self.times(self.rows, cell.part * projects),
                self.times(self.rows, cell.size * projects),
                self.times("%batch", cell.part),
                self.times("%batch", width),
                0,
            )
        )
        self.own, self.recurrent = own, recurrent
        with self.f.loop("0", "%steps") as done:
            number = self.minus(self.minus("%steps", 1), done)
            if projects:
                self._project(number)
            self._step(number)
            self._carry(number)
        self._parameters()
        self.f.finish()

    def _project(self, number: str) -> None:
        """Write the gradient of a state before its projection, from that of the projected one."""
        cell = self.cell
        shown = self._of_step(self.shown, number, cell.part)

        def add(rows: Mapping[str, str], i: str, lanes: int) -> None:
            self.put(self._gradient(rows, i, lanes), self.at(rows["shown"], i), lanes)

        self.over_elements(
            number,
            cell.part,
            {"shown": (shown, cell.part), "carried": ("%state_gradient", cell.part)},
            {"gradient": ("%gradients", cell.shown)},
            add,
            lambda rows: self.fill_row(rows["shown"], cell.part),
        )
        self.product(
            (shown, cell.part, False),
            ("%project", cell.size, False),
            (self.unprojected, cell.size),
            ("%batch", cell.size, cell.part),
            adds=False,
        )

    def _of_step(self, base: str, number: str, size: int) -> str:
        """The addresses of a step's arrays."""
        return self.at(base, self.times(number, self.times("%batch", size)))

    def _step(self, number: str) -> None:
        """Write the gradients of a step's gates."""
        cell, width = self.cell, self.cell.width
        rows: dict[str, tuple[str, str | int]] = {
            "before": (self.memory_before(number), cell.size),
            "gates": (self._of_step("%gates", number, width), width),
            "memory": (self.memory(number), cell.size),
            "carried": ("%state_gradient", cell.part),
            "cell": ("%cell_gradient", cell.size),
        }
        in_sequence: dict[str, tuple[str, str | int]] = {
            "own": (self.own, width),
            "extra": (self.recurrent, width),
        }
        if cell.projection:
            rows["gradient"] = (self.unprojected, cell.size)
            rows["hidden"] = (self._of_step(self.hidden, number, cell.size), cell.size)
        else:
            in_sequence["gradient"] = ("%gradients", cell.shown)
        if cell.has_lengths:
            rows["step"] = (self.gates, width)
        else:
            rows["state"] = self.before(number)
        body = {"lstm": self._lstm, "gru": self._gru}.get(cell.mode, self._plain)
        self.over_elements(
            number,
            cell.size,
            rows,
            in_sequence,
            body,
            self._leave_out,
            lambda n, at: {"state": self._state_row(number, n, at)},
        )

    def _state_row(self, number: str, n: str, at: str) -> str:
        """The state before a step in one of the sequences with lengths."""
        cell, is_first = self.cell, self.f.compare("eq", number, 0)
        is_forward = self.f.compare("eq", "%backwards", 0)
        before = self.plus(at, self.chosen(is_forward, "i64", -1, 1))
        row = self.plus(self.times(before, "%batch"), n)
        return self.chosen(
            is_first,
            "ptr",
            self.at("%state", self.times(n, cell.part)),
            self.at("%output", self.times(row, cell.shown)),
        )

    def _leave_out(self, rows: Mapping[str, str]) -> None:
        """Write zeros where a sequence has ended."""
        cell = self.cell
        for name in ("own", "step", *(["extra"] if cell.mode == "gru" else [])):
            self.fill_row(rows[name], cell.width)
        if cell.projection:
            self.fill_row(rows["hidden"], cell.size)

    def _carry(self, number: str) -> None:
        """Write the product that gives the gradient of the state before a step."""
        cell, width, is_gru = self.cell, self.cell.width, self.cell.mode == "gru"
        gradients = self._of_step(self.recurrent, self.step_at(number), width)
        goal = "%state_gradient"
        if cell.has_lengths:
            gradients, goal = self.gates, self.carried
        self.product(
            (gradients, width, False),
            ("%recurrent", cell.part, False),
            (goal, cell.part),
            ("%batch", cell.part, width),
            adds=is_gru and not cell.has_lengths,
        )
        if not cell.has_lengths:
            return

        def carry(rows: Mapping[str, str], i: str, lanes: int) -> None:
            total = self.element(self.at(rows["new"], i), lanes)
            there = self.at(rows["carried"], i)
            if is_gru:
                total = total + self.element(there, lanes)
            self.put(total, there, lanes)

        rows: Rows = {"new": (goal, cell.part), "carried": ("%state_gradient", cell.part)}
        self.over_elements(number, cell.part, rows, {}, carry)

    def _parameters(self) -> None:
        """Write the products that give the gradients of weights, biases and inputs."""
        cell, width = self.cell, self.cell.width
        x = "%x", "%width", False
        goal = "%inputs_gradient", "%width"
        self.product((self.own, width, True), x, goal, (width, "%width", self.rows), adds=False)
        self.product(
            (self.own, width, False),
            ("%inputs", "%width", False),
            ("%x_gradient", "%width"),
            (self.rows, "%width", width),
            adds=True,
        )
        self._recurrent_weights()
        if cell.projection:
            self.product(
                (self.shown, cell.part, True),
                (self.hidden, cell.size, False),
                ("%project_gradient", cell.size),
                (cell.part, cell.size, self.rows),
                adds=False,
            )
        self._biases([self.own, self.recurrent])

    def _recurrent_weights(self) -> None:
        cell, width = self.cell, self.cell.width
        block, shown = (self.times("%batch", size) for size in (width, cell.shown))
        goal = "%recurrent_gradient", str(cell.part)
        first = self.at(self.recurrent, self.times(self.step_at("0"), block))
        if cell.has_lengths:
            first = self.gates
        state = "%state", cell.part, False
        self.product((first, width, True), state, goal, (width, cell.part, "%batch"), adds=False)
        # the other steps read the outputs of the steps before them in the sequence
        is_forward = self.f.compare("eq", "%backwards", 0)
        gradients = self.chosen(is_forward, "ptr", self.at(self.recurrent, block), self.recurrent)
        outputs = self.chosen(is_forward, "ptr", "%output", self.at("%output", shown))
        rows = self.minus(self.rows, "%batch")
        others = outputs, cell.shown, False
        self.product((gradients, width, True), others, goal, (width, cell.part, rows), adds=True)

    def _biases(self, gradients: Sequence[str]) -> None:
        width = self.cell.width
        self.clear("%bias_gradient", str(2 * width * self.size))
        for number, base in enumerate(gradients):
            goal = self.at("%bias_gradient", number * width)
            with self.f.loop("0", self.rows) as row:
                here = self.at(base, self.times(row, width))

                def body(i: str, lanes: int, here: str = here, goal: str = goal) -> None:
                    there = self.at(goal, i)
                    total = self.element(there, lanes) + self.element(self.at(here, i), lanes)
                    self.put(total, there, lanes)

                self.spans("0", str(width), body)

    # -- what a step does with elements -------------------------------------------------------

    def _gradient(self, rows: Mapping[str, str], i: str, lanes: int) -> Value:
        """The gradient of a step's output."""
        carried = self.element(self.at(rows["carried"], i), lanes)
        return carried + self.element(self.at(rows["gradient"], i), lanes)

    def _gradient_of_state(self, rows: Mapping[str, str], i: str, lanes: int) -> Value:
        """The gradient of a state before any projection."""
        if self.cell.projection:
            return self.element(self.at(rows["gradient"], i), lanes)
        return self._gradient(rows, i, lanes)

    def _put_gradients(
        self,
        rows: Mapping[str, str],
        names: Sequence[str],
        gradients: Sequence[Value],
        i: str,
        lanes: int,
    ) -> None:
        """Write the gradients of gates to rows; the last rows belong to the product with the state."""
        for name in (*names, *(["step"] if self.cell.has_lengths else [])):
            for number, value in enumerate(gradients):
                self.put_gate(value, rows[name], number, i, lanes)

    def _plain(self, rows: Mapping[str, str], i: str, lanes: int) -> None:
        gate = self.element(self.at(rows["gates"], i), lanes)
        step = cells.plain_back(self.m, self.cell.mode, gate, self._gradient(rows, i, lanes))
        self._put_gradients(rows, ["own"], step.inputs, i, lanes)

    def _lstm(self, rows: Mapping[str, str], i: str, lanes: int) -> None:
        gates = [self.gate(rows["gates"], k, i, lanes) for k in range(4)]
        memory, carried, before = (
            self.element(self.at(rows[name], i), lanes) for name in ("memory", "cell", "before")
        )
        gradient = self._gradient_of_state(rows, i, lanes)
        step = cells.lstm_back(self.m, gates, memory, before, gradient, carried)
        self._put_gradients(rows, ["own"], step.inputs, i, lanes)
        assert step.cell is not None
        self.put(step.cell, self.at(rows["cell"], i), lanes)
        if self.cell.projection:
            assert step.hidden is not None
            self.put(step.hidden, self.at(rows["hidden"], i), lanes)

    def _gru(self, rows: Mapping[str, str], i: str, lanes: int) -> None:
        gates = [self.gate(rows["gates"], k, i, lanes) for k in range(3)]
        candidate, state = (
            self.element(self.at(rows[name], i), lanes) for name in ("memory", "state")
        )
        step = cells.gru_back(gates, candidate, state, self._gradient(rows, i, lanes))
        for number, value in enumerate(step.inputs):
            self.put_gate(value, rows["own"], number, i, lanes)
        self._put_gradients(rows, ["extra"], step.recurrent, i, lanes)
        assert step.carried is not None
        self.put(step.carried, self.at(rows["carried"], i), lanes)


def emit_backward(module: LLVMModule, cell: CellSpec) -> str:
    """Write the function of the backward pass on first use; return its name."""
    name = cell.symbol("backward")
    if name not in module.definitions:
        _Backward(module, name, BACKWARD_ARGUMENTS, cell).write()
    return name
