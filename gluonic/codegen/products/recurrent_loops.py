"""One layer of a recurrent network in one direction, over all steps, forwards and back.

The projections of all inputs are one product; each step then is a product with the state before it and one
loop over the state's elements. Inner functions do a direction; they are written once for a kind of cell and a
size of state, and called for each layer and direction.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from gluonic.codegen.images.convolution_products import call_gemm
from gluonic.codegen.images.window_loops import WindowWriter
from gluonic.codegen.machine.assembler import Function, Module
from gluonic.codegen.machine.values import Dtype, Value
from gluonic.graph.record import record

FORWARD_ARGUMENTS = (
    *("x", "width", "inputs", "recurrent", "bias", "state", "cell", "gates", "memory", "output"),
    *("scratch", "steps", "batch", "backwards"),
)
BACKWARD_ARGUMENTS = (
    *("x", "width", "inputs", "recurrent", "state", "cell", "gates", "memory", "output", "slopes"),
    *("state_slope", "cell_slope", "inputs_slope", "recurrent_slope", "bias_slope", "x_slope"),
    *("scratch", "steps", "batch", "backwards"),
)
Rows: TypeAlias = Mapping[str, tuple[str, str | int]]
_NUMBERS = ("width", "steps", "batch", "backwards")


@record
class RecurrentCell:
    """What code is written for.

    Attributes
    ----------
    mode : ``lstm``, ``gru``, ``rnn_tanh`` or ``rnn_relu``
    gates : how many gates it has
    size : of the state
    directions : how many share an output
    dtype : of everything
    """

    mode: str
    gates: int
    size: int
    directions: int
    dtype: Dtype

    @property
    def width(self) -> int:
        """The elements of all gates."""
        return self.gates * self.size

    @property
    def shown(self) -> int:
        """The elements of an output."""
        return self.directions * self.size

    def symbol(self, way: str) -> str:
        """The name of the function that goes a way."""
        return f"rnn_{self.mode}_{self.size}_{self.directions}_{self.dtype.name}_{way}"


class RecurrentWriter(WindowWriter):
    """A writer of a direction's function."""

    def __init__(
        self, module: Module, name: str, names: Sequence[str], cell: RecurrentCell
    ) -> None:
        super().__init__(module, name, cell.dtype)
        listed = [f"{'i64' if n in _NUMBERS else 'ptr'} %{n}" for n in names]
        self.f = Function(module, name, listed, internal=True)
        self.m = type(self.m)(self.f)
        self.cell = cell
        self.rows = self.times("%steps", "%batch")

    def product(
        self,
        a: tuple[str, str | int, bool],
        b: tuple[str, str | int, bool],
        c: tuple[str, str | int],
        extents: tuple[str | int, str | int, str | int],
        *,
        adds: bool,
    ) -> None:
        """Write ``c = a · b`` or ``c += a · b``; factors are (address, leading dimension, transposed)."""
        rows, columns, inner = (str(n) for n in extents)
        left, right = ((where, str(lead), turned) for where, lead, turned in (a, b))
        beta = 1.0 if adds else 0.0
        goal = c[0], str(c[1])
        call_gemm(self, self.dtype, left, right, goal, (rows, columns, inner), beta)

    def step_at(self, number: str) -> str:
        """Where in the sequence the step of that number is: second directions begin at the end."""
        mirrored = self.minus(self.minus("%steps", 1), number)
        is_first = self.f.op("icmp eq i64 %backwards, 0")
        return self.f.op(f"select i1 {is_first}, i64 {number}, i64 {mirrored}")

    def chosen(self, condition: str, kind: str, yes: str | int, no: str | int) -> str:
        """One of two values."""
        return self.f.op(f"select i1 {condition}, {kind} {yes}, {kind} {no}")

    def before(self, number: str) -> tuple[str, str, str]:
        """The state before a step with the distance of its rows, and the memory before it."""
        cell, batch = self.cell, "%batch"
        is_first = self.f.op(f"icmp eq i64 {number}, 0")
        last = self.most(self.minus(number, 1), 0)
        shown = self.times(self.step_at(last), self.times(batch, cell.shown))
        memory = self.times(last, self.times(batch, cell.size))
        return (
            self.chosen(is_first, "ptr", "%state", self.at("%output", shown)),
            self.chosen(is_first, "i64", cell.size, cell.shown),
            self.chosen(is_first, "ptr", "%cell", self.at("%memory", memory)),
        )

    def gate(self, row: str, gate: int, index: str, lanes: int) -> Value:
        """Elements of a gate of a row."""
        return self.element(self.at(row, self.plus(index, gate * self.cell.size)), lanes)

    def put_gate(self, value: Value, row: str, gate: int, index: str, lanes: int) -> None:
        """Write elements of a gate of a row."""
        self.put(value, self.at(row, self.plus(index, gate * self.cell.size)), lanes)

    def over_elements(self, rows: Rows, body: Callable[..., None]) -> None:
        """Loop over the batch and the state's elements; `rows` are arrays with the distance of their rows."""
        with self.f.loop("0", "%batch") as n:
            here = {
                name: self.at(address, self.times(n, stride))
                for name, (address, stride) in rows.items()
            }
            self.spans("0", str(self.cell.size), lambda i, lanes: body(here, i, lanes))


class _Forward(RecurrentWriter):
    """Writes a direction forwards.

    Scratch memory has room for the gates of all steps, and of one more.
    """

    def write(self) -> None:
        """Write the function."""
        cell, width = self.cell, self.cell.width
        is_gru = cell.mode == "gru"
        state_bias = self.at("%bias", width)
        self._spread("%scratch", self.rows, ["%bias"] if is_gru else ["%bias", state_bias])
        x, inputs = ("%x", "%width", False), ("%inputs", "%width", True)
        self.product(x, inputs, ("%scratch", width), (self.rows, width, "%width"), adds=True)
        extra = self.at("%scratch", self.times(self.rows, width))
        block = self.times("%batch", width)
        with self.f.loop("0", "%steps") as number:
            at = self.step_at(number)
            own = self.at("%scratch", self.times(at, block))
            state, lead, memory = self.before(number)
            goal = own
            if is_gru:
                goal = extra
                self._spread(extra, "%batch", [state_bias])
            self.product(
                (state, lead, False),
                ("%recurrent", cell.size, True),
                (goal, width),
                ("%batch", width, cell.size),
                adds=True,
            )
            rows: Rows = {
                "own": (own, width),
                "extra": (extra, width),
                "state": (state, lead),
                "before": (memory, cell.size),
                "gates": (self.at("%gates", self.times(number, block)), width),
                "memory": (self._memory(number), cell.size),
                "output": (
                    self.at("%output", self.times(at, self.times("%batch", cell.shown))),
                    cell.shown,
                ),
            }
            body = {"lstm": self._lstm, "gru": self._gru}.get(cell.mode, self._plain)
            self.over_elements(rows, body)
        self.f.finish()

    def _memory(self, number: str) -> str:
        return self.at("%memory", self.times(number, self.times("%batch", self.cell.size)))

    def _spread(self, goal: str, rows: str, biases: Sequence[str]) -> None:
        """Put the sum of biases into every row."""
        with self.f.loop("0", rows) as row:
            there = self.at(goal, self.times(row, self.cell.width))

            def body(i: str, lanes: int) -> None:
                total = self.element(self.at(biases[0], i), lanes)
                for bias in biases[1:]:
                    total = total + self.element(self.at(bias, i), lanes)
                self.put(total, self.at(there, i), lanes)

            self.spans("0", str(self.cell.width), body)

    def _plain(self, rows: Mapping[str, str], i: str, lanes: int) -> None:
        total = self.element(self.at(rows["own"], i), lanes)
        is_tanh = self.cell.mode == "rnn_tanh"
        value = self.m.tanh(total) if is_tanh else self.m.maximum(total, 0.0)
        for name in ("gates", "output"):
            self.put(value, self.at(rows[name], i), lanes)

    def _lstm(self, rows: Mapping[str, str], i: str, lanes: int) -> None:
        totals = [self.gate(rows["own"], k, i, lanes) for k in range(4)]
        enter, forget, leave = (self.m.sigmoid(totals[k]) for k in (0, 1, 3))
        new = self.m.tanh(totals[2])
        memory = forget * self.element(self.at(rows["before"], i), lanes) + enter * new
        for number, gate in enumerate((enter, forget, new, leave)):
            self.put_gate(gate, rows["gates"], number, i, lanes)
        self.put(memory, self.at(rows["memory"], i), lanes)
        self.put(leave * self.m.tanh(memory), self.at(rows["output"], i), lanes)

    def _gru(self, rows: Mapping[str, str], i: str, lanes: int) -> None:
        own, extra = ([self.gate(rows[n], k, i, lanes) for k in range(3)] for n in ("own", "extra"))
        reset, update = (self.m.sigmoid(own[k] + extra[k]) for k in (0, 1))
        new = self.m.tanh(own[2] + reset * extra[2])
        state = self.element(self.at(rows["state"], i), lanes)
        for number, gate in enumerate((reset, update, new)):
            self.put_gate(gate, rows["gates"], number, i, lanes)
        self.put(extra[2], self.at(rows["memory"], i), lanes)
        self.put(new + update * (state - new), self.at(rows["output"], i), lanes)


class _Backward(RecurrentWriter):
    """Writes a direction back.

    `state_slope` and `cell_slope` hold the gradients of the last state, and of the first in the end; to
    `x_slope` is added. Scratch memory has room for the slopes of the gates of all steps, for ``gru`` twice.
    """

    def write(self) -> None:
        """Write the function."""
        cell, width, f = self.cell, self.cell.width, self.f
        is_gru = cell.mode == "gru"
        size = self.times(self.rows, width)
        recurrent = self.at("%scratch", size) if is_gru else "%scratch"
        block = self.times("%batch", width)
        with f.loop("0", "%steps") as done:
            number = self.minus(self.minus("%steps", 1), done)
            at = self.step_at(number)
            state, lead, before = self.before(number)
            shown = self.times(at, self.times("%batch", cell.shown))
            memory = self.times(number, self.times("%batch", cell.size))
            own, extra = (self.at(base, self.times(at, block)) for base in ("%scratch", recurrent))
            rows: Rows = {
                "own": (own, width),
                "extra": (extra, width),
                "state": (state, lead),
                "before": (before, cell.size),
                "gates": (self.at("%gates", self.times(number, block)), width),
                "memory": (self.at("%memory", memory), cell.size),
                "slope": (self.at("%slopes", shown), cell.shown),
                "carried": ("%state_slope", cell.size),
                "cell": ("%cell_slope", cell.size),
            }
            body = {"lstm": self._lstm, "gru": self._gru}.get(cell.mode, self._plain)
            self.over_elements(rows, body)
            weight = "%recurrent", cell.size, False
            extents = "%batch", cell.size, width
            goal = "%state_slope", cell.size
            self.product((extra, width, False), weight, goal, extents, adds=is_gru)
        self._parameters(recurrent, block)
        f.finish()

    def _parameters(self, recurrent: str, block: str) -> None:
        """Write the products that make the gradients of weights, of biases and of what the layer reads."""
        cell, width = self.cell, self.cell.width
        x = "%x", "%width", False
        goal = "%inputs_slope", "%width"
        self.product(("%scratch", width, True), x, goal, (width, "%width", self.rows), adds=False)
        self.product(
            ("%scratch", width, False),
            ("%inputs", "%width", False),
            ("%x_slope", "%width"),
            (self.rows, "%width", width),
            adds=True,
        )
        first = self.at(recurrent, self.times(self.step_at("0"), block))
        goal = "%recurrent_slope", str(cell.size)
        state = "%state", cell.size, False
        self.product((first, width, True), state, goal, (width, cell.size, "%batch"), adds=False)
        # the other steps read the outputs of those before them: neighbours in the sequence
        is_forward = self.f.op("icmp eq i64 %backwards, 0")
        shown = self.times("%batch", cell.shown)
        slopes = self.chosen(is_forward, "ptr", self.at(recurrent, block), recurrent)
        outputs = self.chosen(is_forward, "ptr", "%output", self.at("%output", shown))
        rows = self.minus(self.rows, "%batch")
        others = outputs, cell.shown, False
        self.product((slopes, width, True), others, goal, (width, cell.size, rows), adds=True)
        self._biases(["%scratch", recurrent])

    def _biases(self, slopes: Sequence[str]) -> None:
        width = self.cell.width
        self.clear("%bias_slope", str(2 * width * self.size))
        for number, base in enumerate(slopes):
            goal = self.at("%bias_slope", number * width)
            with self.f.loop("0", self.rows) as row:
                here = self.at(base, self.times(row, width))

                def body(i: str, lanes: int, here: str = here, goal: str = goal) -> None:
                    there = self.at(goal, i)
                    total = self.element(there, lanes) + self.element(self.at(here, i), lanes)
                    self.put(total, there, lanes)

                self.spans("0", str(width), body)

    def _slope(self, rows: Mapping[str, str], i: str, lanes: int) -> Value:
        carried = self.element(self.at(rows["carried"], i), lanes)
        return carried + self.element(self.at(rows["slope"], i), lanes)

    def _plain(self, rows: Mapping[str, str], i: str, lanes: int) -> None:
        gate = self.element(self.at(rows["gates"], i), lanes)
        slope = self._slope(rows, i, lanes)
        if self.cell.mode == "rnn_tanh":
            result = slope * (1 - gate * gate)
        else:
            result = self.m.where(gate > 0, slope, 0.0)
        self.put(result, self.at(rows["own"], i), lanes)

    def _lstm(self, rows: Mapping[str, str], i: str, lanes: int) -> None:
        enter, forget, new, leave = (self.gate(rows["gates"], k, i, lanes) for k in range(4))
        shown = self.m.tanh(self.element(self.at(rows["memory"], i), lanes))
        slope = self._slope(rows, i, lanes)
        carried = self.element(self.at(rows["cell"], i), lanes)
        total = carried + slope * leave * (1 - shown * shown)
        before = self.element(self.at(rows["before"], i), lanes)
        slopes = (
            total * new * enter * (1 - enter),
            total * before * forget * (1 - forget),
            total * enter * (1 - new * new),
            slope * shown * leave * (1 - leave),
        )
        for number, value in enumerate(slopes):
            self.put_gate(value, rows["own"], number, i, lanes)
        self.put(total * forget, self.at(rows["cell"], i), lanes)

    def _gru(self, rows: Mapping[str, str], i: str, lanes: int) -> None:
        reset, update, new = (self.gate(rows["gates"], k, i, lanes) for k in range(3))
        candidate = self.element(self.at(rows["memory"], i), lanes)
        state = self.element(self.at(rows["state"], i), lanes)
        slope = self._slope(rows, i, lanes)
        new_slope = slope * (1 - update) * (1 - new * new)
        update_slope = slope * (state - new) * update * (1 - update)
        reset_slope = new_slope * candidate * reset * (1 - reset)
        for name, last in (("own", new_slope), ("extra", new_slope * reset)):
            for number, value in enumerate((reset_slope, update_slope, last)):
                self.put_gate(value, rows[name], number, i, lanes)
        self.put(slope * update, self.at(rows["carried"], i), lanes)


def emit_forward(module: Module, cell: RecurrentCell) -> str:
    """Write the function of a direction forwards, once; returns its name."""
    name = cell.symbol("forward")
    if name not in module.definitions:
        _Forward(module, name, FORWARD_ARGUMENTS, cell).write()
    return name


def emit_backward(module: Module, cell: RecurrentCell) -> str:
    """Write the function of a direction back, once; returns its name."""
    name = cell.symbol("backward")
    if name not in module.definitions:
        _Backward(module, name, BACKWARD_ARGUMENTS, cell).write()
    return name


def call(f: Function, name: str, names: Sequence[str], values: Mapping[str, str]) -> None:
    """Write the call of a direction's function."""
    listed = ", ".join(f"{'i64' if n in _NUMBERS else 'ptr'} {values[n]}" for n in names)
    f.do(f"call void @{name}({listed})")
