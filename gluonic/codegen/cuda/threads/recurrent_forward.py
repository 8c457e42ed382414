"""The steps of a direction of a recurrent layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from gluonic.codegen.cuda.threads.recurrent_code import Direction, StepCode, StepKind, states_before
from gluonic.codegen.cuda.threads.thread_steps import KernelThreads
from gluonic.codegen.maths.values import Value
from gluonic.codegen.recurrent import cells
from gluonic.codegen.threads.thread_plan import ThreadPlan
from gluonic.graph.ops.rnn_cells import CELLS


def _row_of_gate(k: KernelThreads, gate: int, unit: Value) -> Value:
    """Where the weights of a gate of an element begin."""
    return (unit + k["size"] * gate) * k["part"]


def _forward(k: KernelThreads, kind: StepKind, is_first: bool) -> None:
    """Write a step of one element of the state."""
    code = StepCode(k, kind)
    j, size = code.unit, k["size"]
    rows = [partial(_row_of_gate, k, gate) for gate in range(kind.gates)]
    states = states_before(code, is_first)
    products = code.dots("recurrent", rows, k["part"], states)

    def compute(sequence: Value) -> None:
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
    code: StepCode,
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


def _project(k: KernelThreads, kind: StepKind) -> None:
    """Write one element of a projected state."""
    code = StepCode(k, kind)
    size, part, p = k["size"], k["part"], code.unit
    (product,) = code.dots(
        "project",
        [lambda unit: unit * size],
        size,
        lambda sequence: ("unprojected", sequence * size),
    )

    def compute(sequence: Value) -> None:
        exists = k["step"] < code.length(sequence)
        row = code.row(k["step"], sequence)
        code.put("output", row * part + p, k.m.where(exists, product, 0))

    code.of_each_sequence(compute)


def _last(k: KernelThreads, kind: StepKind, is_cell: bool) -> None:
    """Write an element of the last state, or of the last cell state; a thread for each."""
    code = StepCode(k, kind)
    width = k["size"] if is_cell else k["part"]
    sequence, j = k.divided(k.thread, width)
    length = code.length(sequence)
    step = k.m.maximum(length - 1, 0)
    names = ("state_cell", "memory") if is_cell else ("state", "output")
    row = step * k["batch"] + sequence if is_cell else code.row(step, sequence)
    value = code.get(names[1], row * width + j)
    first = code.get(names[0], k.thread)
    code.put(
        "last_cell" if is_cell else "last_state", k.thread, k.m.where(length > 0, value, first)
    )


def forward(plan: ThreadPlan) -> bool:
    """The steps of a direction."""
    gates, dtype = plan.inputs[0], plan.dtype(plan.output)
    shape, projects = plan.shape(gates), plan.settings["projects"]
    size = shape[2] // CELLS[plan.settings["mode"]].gates
    extra = {"unprojected": plan.scratch(shape[1] * size, dtype)} if projects else {}
    run = Direction(plan, gates, **extra)
    for step in range(run.steps):
        run.add(_forward, run.size, step == 0, rows=run.kind.gates, step=step)
        if projects:
            run.add(_project, run.part, step=step)
    run.add_plain(_last, run.batch * run.part, False)
    if "state_cell" in plan.named:
        run.add_plain(_last, run.batch * run.size, True)
    return True
