"""The steps of a direction of a recurrent layer backwards."""

from __future__ import annotations

from collections.abc import Sequence

from gluonic.codegen.cuda.threads.recurrent_code import Direction, StepCode, StepKind, states_before
from gluonic.codegen.cuda.threads.thread_steps import KernelThreads
from gluonic.codegen.maths.values import Value
from gluonic.codegen.recurrent import cells
from gluonic.codegen.threads.thread_plan import Operand, ThreadPlan


def _turned(k: KernelThreads) -> None:
    """Write an element of a transposed matrix."""
    row, column = k.divided(k.thread, k["rows"])
    k.write(1, k.thread, k.read(0, column * k["columns"] + row))


def _received(code: StepCode, is_last: bool) -> list[Value]:
    """The recurrent product of the gradients of the step after this one, of one element."""
    k = code.k
    if is_last:
        return []
    width = k["size"] * code.kind.gates
    following = k["step"] + 1

    def gradients(sequence: Value) -> tuple[str, Value]:
        return "recurrent_gradient", code.row(following, sequence) * width

    return code.dots("turned", [lambda unit: unit * width], width, gradients)


def _gradient_of_state(
    code: StepCode, products: Sequence[Value], sequence: Value, *, carries: bool
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


def _back(k: KernelThreads, kind: StepKind, is_last: bool, is_first: bool) -> None:
    """Write the gradients of a step of one element of the state."""
    code = StepCode(k, kind)
    products = _received(code, is_last)

    def compute(sequence: Value) -> None:
        carries = kind.mode == "gru"
        gradient = _gradient_of_state(code, products, sequence, carries=carries)
        row = code.row(k["step"], sequence) * k["part"] + code.unit
        _elements(code, sequence, gradient + code.get("grad_output", row), is_last, is_first)

    code.of_each_sequence(compute)


def _back_shown(k: KernelThreads, kind: StepKind, is_last: bool) -> None:
    """Write the gradient of one element of a projected state."""
    code = StepCode(k, kind)
    products = _received(code, is_last)

    def compute(sequence: Value) -> None:
        gradient = _gradient_of_state(code, products, sequence, carries=False)
        row = code.row(k["step"], sequence) * k["part"] + code.unit
        gradient = gradient + code.get("grad_output", row)
        exists = k["step"] < code.length(sequence)
        code.put("shown_gradient", row, k.m.where(exists, gradient, 0))

    code.of_each_sequence(compute)


def _back_projected(k: KernelThreads, kind: StepKind, is_last: bool, is_first: bool) -> None:
    """Write the gradients of a step of one element of a state that is projected."""
    code = StepCode(k, kind)

    def shown(sequence: Value) -> tuple[str, Value]:
        return "shown_gradient", code.row(k["step"], sequence) * k["part"]

    part = k["part"]
    (gradient,) = code.dots("project_turned", [lambda unit: unit * part], part, shown)
    code.of_each_sequence(lambda sequence: _elements(code, sequence, gradient, is_last, is_first))


def _elements(
    code: StepCode, sequence: Value, gradient: Value, is_last: bool, is_first: bool
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
    name, start = states_before(code, is_first)(sequence)
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
    code: StepCode,
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


def _before(k: KernelThreads, kind: StepKind) -> None:
    """Write an element of the state before a step; a thread for each."""
    code = StepCode(k, kind)
    row, p = k.divided(k.thread, k["part"])
    step, sequence = k.divided(row, k["batch"])
    first = code.get("state", sequence * k["part"] + p)
    earlier = code.row(k.m.maximum(step - 1, 0), sequence) * k["part"] + p
    value = k.m.where(step == 0, first, code.get("output", earlier))
    code.put("before", code.row(step, sequence) * k["part"] + p, value)


def _first_gradient(k: KernelThreads, kind: StepKind) -> None:
    """Write the gradient of an element of the state before the first step."""
    code = StepCode(k, kind)
    width, p = k["size"] * kind.gates, code.unit
    (product,) = code.dots(
        "turned",
        [lambda unit: unit * width],
        width,
        lambda sequence: ("recurrent_gradient", code.row(k.constant(0), sequence) * width),
    )

    def compute(sequence: Value) -> None:
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
    run = Direction(plan, named["gates"], **extra)
    run.add_plain(_before, run.steps * run.batch * run.part)
    for step in reversed(range(run.steps)):
        ends = step == run.steps - 1, step == 0
        if run.kind.projects:
            run.add(_back_shown, run.part, ends[0], step=step)
            run.add(_back_projected, run.size, *ends, step=step)
        else:
            run.add(_back, run.size, *ends, step=step)
    run.add(_first_gradient, run.part)
    return True
