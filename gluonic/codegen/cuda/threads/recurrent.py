"""The steps of recurrent layers: a kernel a step, whose warps multiply and then compute the elements.

A warp computes one element of the state, with all its gates, of a few sequences: its lanes share the products of
the rows of the weights and of the states. So a step is one launch, and the order of additions is always the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gluonic.codegen.cuda.kernel_function import WARP
from gluonic.codegen.cuda.threads.thread_code import ThreadCode, Variable
from gluonic.codegen.cuda.threads.thread_step import Operand, ThreadPlan
from gluonic.codegen.maths.values import Value, scalar_type
from gluonic.codegen.recurrent import cells
from gluonic.graph import Entry
from gluonic.graph.ops.rnn_cells import CELLS
from gluonic.support.record import record

_MOST_SEQUENCES = 8
"""The most sequences of a warp."""


@record
class _Kind:
    """What the code of all kernels of a direction depends on.

    Attributes
    ----------
    mode, projects, has_lengths, backwards : see `recurrent_steps`
    names : those of the operands
    tile : the sequences of a warp
    """

    mode: str
    projects: bool
    has_lengths: bool
    backwards: bool
    names: tuple[str, ...]
    tile: int

    @property
    def gates(self) -> int:
        """The number of gates."""
        return CELLS[self.mode].gates


class _StepCode:
    """One kernel while it is being written.

    Parameters
    ----------
    k : the kernel
    kind : what it depends on
    """

    def __init__(self, k: ThreadCode, kind: _Kind) -> None:
        self.k, self.kind = k, kind
        warp, lane = k.divided(k.thread, k.constant(WARP))
        tiles = k.divided(k["batch"] + (kind.tile - 1), k.constant(kind.tile))[0]
        self.unit, tile = k.divided(warp, tiles)
        self.lane, self.first = lane, tile * kind.tile

    def operand(self, name: str) -> int:
        """The position of an operand."""
        return self.kind.names.index(name)

    def get(self, name: str, index: Value) -> Value:
        """An element of an operand."""
        return self.k.read(self.operand(name), index)

    def put(self, name: str, index: Value, value: Value) -> None:
        """Write an element of an operand."""
        self.k.write(self.operand(name), index, value)

    # -- sequences ----------------------------------------------------------------------------

    def length(self, sequence: Value) -> Value:
        """The number of steps of a sequence."""
        if not self.kind.has_lengths:
            return self.k["steps"]
        whole = self.k.to_index(self.get("sequence_length", sequence))
        return self.k.clipped(whole, self.k["steps"] + 1)

    def row(self, step: Value, sequence: Value) -> Value:
        """The row of a step in the order of the sequence."""
        if self.kind.backwards:
            length = self.length(sequence)
            step = self.k.m.where(step < length, length - 1 - step, step)
        return step * self.k["batch"] + sequence

    def of_each_sequence(self, body: Callable[[Value, Value], None]) -> None:
        """Write what the first lanes of the warp do, one for each of its sequences: ``body(sequence, lane)``."""
        own = self.first + self.lane
        with self.k.only_if((self.lane < self.kind.tile) & (own < self.k["batch"])):
            body(own, self.lane)

    # -- products -----------------------------------------------------------------------------

    def dots(
        self,
        weights: str,
        rows: Sequence[Value],
        length: Value,
        vectors: Callable[[Value], tuple[str, Value]],
    ) -> list[Value]:
        """The products of rows of weights with a vector of each sequence: those of the lane's sequence.

        Parameters
        ----------
        weights, rows : an operand, and the first element of each row there
        length : of rows and vectors
        vectors : the operand with the vector of a sequence, and its first element
        """
        k, last = self.k, self.k["batch"] - 1
        starts = [
            vectors(k.m.minimum(self.first + number, last)) for number in range(self.kind.tile)
        ]
        dtype = self.get(weights, rows[0]).dtype
        sums = [[k.variable(k.m.constant(0, dtype)) for _ in starts] for _ in rows]
        rounds, _ = k.divided(length + (WARP - 1), k.constant(WARP))
        with k.each(0, rounds) as number:
            place = number * WARP + self.lane
            with k.only_if(place < length):
                factors = [self.get(weights, row + place) for row in rows]
                for column, (name, start) in enumerate(starts):
                    x = self.get(name, start + place)
                    for row, factor in zip(sums, factors, strict=True):
                        row[column].set(k.m.fma(factor, x, row[column].now))
        return [self._of_lane([self._over_warp(each) for each in row]) for row in sums]

    def _over_warp(self, each: Variable) -> Value:
        """The sum over the lanes."""
        k, total = self.k, each.now
        distance = WARP // 2
        while distance:
            other = k.exchanged(scalar_type(total.dtype), total.ref, distance)
            total = total + k.m.value(other, total.dtype, 1)
            distance //= 2
        return total

    def _of_lane(self, values: Sequence[Value]) -> Value:
        """One of several values: that of the lane's sequence."""
        chosen = values[0]
        for number, value in enumerate(values[1:], 1):
            chosen = self.k.m.where(self.lane == number, value, chosen)
        return chosen


# -- forward ------------------------------------------------------------------------------------


def _states_before(code: _StepCode, is_first: bool) -> Callable[[Value], tuple[str, Value]]:
    """Where the state of a sequence before the step is."""
    k = code.k

    def place(sequence: Value) -> tuple[str, Value]:
        if is_first:
            return "state", sequence * k["part"]
        return "output", code.row(k["step"] - 1, sequence) * k["part"]

    return place


def _forward(k: ThreadCode, kind: _Kind, is_first: bool) -> None:
    """Write a step of one element of the state."""
    code = _StepCode(k, kind)
    j, size = code.unit, k["size"]
    rows = [(j + size * gate) * k["part"] for gate in range(kind.gates)]
    states = _states_before(code, is_first)
    products = code.dots("recurrent", rows, k["part"], states)

    def compute(sequence: Value, lane: Value) -> None:
        step, goal = k["step"], k["step"] * k["batch"] + sequence
        row = code.row(step, sequence)
        start = row * (size * kind.gates) + j
        own = [code.get("inputs", start + size * gate) for gate in range(kind.gates)]
        extra = [
            product + code.get("bias", j + size * gate) for gate, product in enumerate(products)
        ]
        found = _cell(code, is_first, sequence, own, extra, states)
        exists = step < code.length(sequence)
        for gate, value in enumerate(found.gates):
            place = goal * (size * kind.gates) + size * gate + j
            code.put("gates", place, k.m.where(exists, value, 0))
        if found.memory is not None:
            code.put("memory", goal * size + j, k.m.where(exists, found.memory, 0))
        if kind.projects:
            code.put("unprojected", sequence * size + j, found.state)
        else:
            code.put("output", row * size + j, k.m.where(exists, found.state, 0))

    code.of_each_sequence(compute)


def _cell(
    code: _StepCode,
    is_first: bool,
    sequence: Value,
    own: Sequence[Value],
    extra: Sequence[Value],
    states: Callable[[Value], tuple[str, Value]],
) -> cells.StepValues:
    """The step of one element."""
    k, kind, j = code.k, code.kind, code.unit
    totals = [a + b for a, b in zip(own, extra, strict=True)]
    if kind.mode == "lstm":
        before = sequence if is_first else (k["step"] - 1) * k["batch"] + sequence
        name = "state_cell" if is_first else "memory"
        return cells.lstm(k.m, totals, code.get(name, before * k["size"] + j))
    if kind.mode == "gru":
        name, start = states(sequence)
        return cells.gru(k.m, own, extra, code.get(name, start + j))
    return cells.plain(k.m, kind.mode, totals[0])


def _project(k: ThreadCode, kind: _Kind) -> None:
    """Write one element of a projected state."""
    code = _StepCode(k, kind)
    size, part, p = k["size"], k["part"], code.unit
    (product,) = code.dots(
        "project", [p * size], size, lambda sequence: ("unprojected", sequence * size)
    )

    def compute(sequence: Value, lane: Value) -> None:
        exists = k["step"] < code.length(sequence)
        row = code.row(k["step"], sequence)
        code.put("output", row * part + p, k.m.where(exists, product, 0))

    code.of_each_sequence(compute)


def _last(k: ThreadCode, kind: _Kind, is_cell: bool) -> None:
    """Write an element of the last state, or of the last cell state; a thread for each."""
    code = _StepCode(k, kind)
    width = k["size"] if is_cell else k["part"]
    sequence, j = k.divided(k.thread, width)
    length = code.length(sequence)
    step = k.m.maximum(length - 1, 0)
    names = ("state_cell", "memory") if is_cell else ("state", "output")
    row = step * k["batch"] + sequence if is_cell else code.row(step, sequence)
    value = code.get(names[1], row * width + j)
    first = code.get(names[0], k.thread)
    code.put("last_cell" if is_cell else "last_state", k.thread, k.m.where(length > 0, value, first))


class _Direction:
    """The launches of a direction.

    Parameters
    ----------
    plan : the kernels
    gates : the entry of the gates
    extra : scratch memory by name
    """

    def __init__(self, plan: ThreadPlan, gates: Entry, **extra: Operand) -> None:
        settings = plan.settings
        self.plan = plan
        self.steps, self.batch, self.width = plan.shape(gates)
        self.size = self.width // CELLS[settings["mode"]].gates
        self.part = plan.shape(plan.named["state"])[1]
        results = zip(plan.node.applied.outputs, plan.outputs, strict=True)
        self.arrays: dict[str, Operand] = {**plan.named, **dict(results), **extra}
        tile = 1
        while tile < min(self.batch, _MOST_SEQUENCES):
            tile *= 2
        names = ("mode", "projects", "has_lengths", "backwards")
        self.kind = _Kind(*[settings[name] for name in names], tuple(self.arrays), tile)

    def warps(self, units: int) -> int:
        """The threads of warps that each compute an element of some sequences."""
        return units * -(-self.batch // self.kind.tile) * WARP

    def add(self, body: Callable[..., None], threads: int, *statics: bool, step: int = 0) -> None:
        """Add a kernel."""
        numbers = {"steps": self.steps, "batch": self.batch, "size": self.size, "part": self.part}
        operands = [*self.arrays.values()]
        self.plan.kernel(body, operands, threads, self.kind, *statics, step=step, **numbers)


def forward(plan: ThreadPlan) -> bool:
    """The steps of a direction."""
    gates, dtype = plan.inputs[0], plan.dtype(plan.output)
    shape, projects = plan.shape(gates), plan.settings["projects"]
    size = shape[2] // CELLS[plan.settings["mode"]].gates
    extra = {"unprojected": plan.scratch(shape[1] * size, dtype)} if projects else {}
    run = _Direction(plan, gates, **extra)
    for step in range(run.steps):
        run.add(_forward, run.warps(run.size), step == 0, step=step)
        if projects:
            run.add(_project, run.warps(run.part), step=step)
    run.add(_last, run.batch * run.part, False)
    if "state_cell" in plan.named:
        run.add(_last, run.batch * run.size, True)
    return True


# -- backward -----------------------------------------------------------------------------------


def _turned(k: ThreadCode) -> None:
    """Write an element of a transposed matrix."""
    row, column = k.divided(k.thread, k["rows"])
    k.write(1, k.thread, k.read(0, column * k["columns"] + row))


def _received(code: _StepCode, is_last: bool) -> list[Value]:
    """The recurrent product of the gradients of the step after this one, of one element."""
    k = code.k
    if is_last:
        return []
    width = k["size"] * code.kind.gates
    following = k["step"] + 1

    def gradients(sequence: Value) -> tuple[str, Value]:
        return "recurrent_gradient", code.row(following, sequence) * width

    return code.dots("turned", [code.unit * width], width, gradients)


def _gradient_of_state(
    code: _StepCode, products: Sequence[Value], sequence: Value, *, carries: bool
) -> Value:
    """The gradient of the state after a step, from the steps after it or from outside."""
    k, p = code.k, code.unit
    own = code.get("grad_state", sequence * k["part"] + p)
    if not products:
        return own
    total = products[0]
    if carries:
        total = total + code.get("carried", sequence * k["part"] + p)
    return k.m.where(k["step"] + 1 < code.length(sequence), total, own)


def _back(k: ThreadCode, kind: _Kind, is_last: bool, is_first: bool) -> None:
    """Write the gradients of a step of one element of the state."""
    code = _StepCode(k, kind)
    products = _received(code, is_last)

    def compute(sequence: Value, lane: Value) -> None:
        carries = kind.mode == "gru"
        gradient = _gradient_of_state(code, products, sequence, carries=carries)
        row = code.row(k["step"], sequence) * k["part"] + code.unit
        _elements(code, sequence, gradient + code.get("grad_output", row), is_last, is_first)

    code.of_each_sequence(compute)


def _back_shown(k: ThreadCode, kind: _Kind, is_last: bool) -> None:
    """Write the gradient of one element of a projected state."""
    code = _StepCode(k, kind)
    products = _received(code, is_last)

    def compute(sequence: Value, lane: Value) -> None:
        gradient = _gradient_of_state(code, products, sequence, carries=False)
        row = code.row(k["step"], sequence) * k["part"] + code.unit
        gradient = gradient + code.get("grad_output", row)
        exists = k["step"] < code.length(sequence)
        code.put("shown_gradient", row, k.m.where(exists, gradient, 0))

    code.of_each_sequence(compute)


def _back_projected(k: ThreadCode, kind: _Kind, is_last: bool, is_first: bool) -> None:
    """Write the gradients of a step of one element of a state that is projected."""
    code = _StepCode(k, kind)

    def shown(sequence: Value) -> tuple[str, Value]:
        return "shown_gradient", code.row(k["step"], sequence) * k["part"]

    start = code.unit * k["part"]
    (gradient,) = code.dots("project_turned", [start], k["part"], shown)
    code.of_each_sequence(
        lambda sequence, lane: _elements(code, sequence, gradient, is_last, is_first)
    )


def _elements(
    code: _StepCode, sequence: Value, gradient: Value, is_last: bool, is_first: bool
) -> None:
    """Write the gradients of the gates of one element, and what the step before needs."""
    k, kind, j = code.k, code.kind, code.unit
    size, step, row = k["size"], k["step"], code.row(k["step"], sequence)
    goal = step * k["batch"] + sequence
    exists = step < code.length(sequence)
    gates = [
        code.get("gates", goal * (size * kind.gates) + size * gate + j)
        for gate in range(kind.gates)
    ]
    name, start = _states_before(code, is_first)(sequence)
    found = _step_gradients(
        code, sequence, gates, gradient, (name, start), is_last=is_last, is_first=is_first
    )
    for name_of, values in (
        ("inputs_gradient", found.inputs),
        ("recurrent_gradient", found.recurrent),
    ):
        for gate, value in enumerate(values):
            place = row * (size * kind.gates) + size * gate + j
            code.put(name_of, place, k.m.where(exists, value, 0))
    if found.hidden is not None and kind.projects:
        code.put("hidden", row * size + j, k.m.where(exists, found.hidden, 0))
    if found.carried is not None:
        code.put("carried", sequence * size + j, found.carried)
    if found.cell is not None:
        own = code.get("grad_cell", sequence * size + j)
        code.put("cell_gradient", sequence * size + j, k.m.where(exists, found.cell, own))


def _step_gradients(
    code: _StepCode,
    sequence: Value,
    gates: Sequence[Value],
    gradient: Value,
    state: tuple[str, Value],
    *,
    is_last: bool,
    is_first: bool,
) -> cells.StepGradients:
    k, kind, j = code.k, code.kind, code.unit
    if kind.mode not in ("lstm", "gru"):
        return cells.plain_back(k.m, kind.mode, gates[0], gradient)
    size = k["size"]
    goal = k["step"] * k["batch"] + sequence
    memory = code.get("memory", goal * size + j)
    if kind.mode == "gru":
        name, start = state
        return cells.gru_back(gates, memory, code.get(name, start + j), gradient)
    before = sequence if is_first else goal - k["batch"]
    cell = code.get("state_cell" if is_first else "memory", before * size + j)
    name = "grad_cell" if is_last else "cell_gradient"
    carried = code.get(name, sequence * size + j)
    return cells.lstm_back(k.m, gates, memory, cell, gradient, carried)


def _before(k: ThreadCode, kind: _Kind) -> None:
    """Write an element of the state before a step; a thread for each."""
    code = _StepCode(k, kind)
    row, p = k.divided(k.thread, k["part"])
    step, sequence = k.divided(row, k["batch"])
    first = code.get("state", sequence * k["part"] + p)
    earlier = code.row(k.m.maximum(step - 1, 0), sequence) * k["part"] + p
    value = k.m.where(step == 0, first, code.get("output", earlier))
    code.put("before", code.row(step, sequence) * k["part"] + p, value)


def _first_gradient(k: ThreadCode, kind: _Kind) -> None:
    """Write the gradient of an element of the state before the first step."""
    code = _StepCode(k, kind)
    width, p = k["size"] * kind.gates, code.unit
    (product,) = code.dots(
        "turned",
        [p * width],
        width,
        lambda sequence: ("recurrent_gradient", code.row(k.constant(0), sequence) * width),
    )

    def compute(sequence: Value, lane: Value) -> None:
        place = sequence * k["part"] + p
        total = product
        if kind.mode == "gru":
            total = total + code.get("carried", place)
        own = code.get("grad_state", place)
        code.put("state_gradient", place, k.m.where(code.length(sequence) > 0, total, own))

    code.of_each_sequence(compute)


def backward(plan: ThreadPlan) -> bool:
    """The steps of a direction backwards."""
    named, dtype = plan.named, plan.dtype(plan.output)
    rows, part = plan.shape(named["recurrent"])
    turned = plan.scratch(rows * part, dtype)
    plan.kernel(_turned, (named["recurrent"], turned), rows * part, rows=rows, columns=part)
    extra: dict[str, Operand] = {"turned": turned}
    if plan.settings["projects"]:
        project = named["project"]
        part, size = plan.shape(project)
        extra["project_turned"] = plan.scratch(part * size, dtype)
        operands = project, extra["project_turned"]
        plan.kernel(_turned, operands, part * size, rows=part, columns=size)
    if plan.settings["mode"] == "gru":
        extra["carried"] = plan.scratch(plan.size(named["state"]), dtype)
    run = _Direction(plan, named["gates"], **extra)
    run.add(_before, run.steps * run.batch * run.part)
    for step in reversed(range(run.steps)):
        ends = step == run.steps - 1, step == 0
        if run.kind.projects:
            run.add(_back_shown, run.warps(run.part), ends[0], step=step)
            run.add(_back_projected, run.warps(run.size), *ends, step=step)
        else:
            run.add(_back, run.warps(run.size), *ends, step=step)
    run.add(_first_gradient, run.warps(run.part))
    return True
