"""Fourier transforms along the last axis: a thread for each number of the result."""

from __future__ import annotations

from math import pi

from gluonic.codegen.maths.values import FLOAT64, Value
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import ThreadPlan


def _wave(k: ThreadCode, step: Value, number: Value) -> tuple[Value, Value]:
    """The cosine and the sine at a step of a wave that fits so many times into the row."""
    _, rest = k.divided(step * number, k["length"])
    turn = k.m.astype(rest, FLOAT64) / k.m.astype(k["length"], FLOAT64)
    dtype = k.read(0, 0).dtype
    angle = k.m.astype(turn * (2 * pi), dtype).within((0, 6.3))
    return k.m.cos(angle), k.m.sin(angle)


def _transform(k: ThreadCode) -> None:
    """Write the real or the imaginary part of a frequency."""
    row, number, part = k.digits(k.thread, [k["rows"], k["length"], k.constant(2)])
    total = k.variable(k.m.constant(0, k.read(0, 0).dtype))
    with k.each(0, k["length"]) as step:
        cosine, sine = _wave(k, step, number)
        value = k.read(0, row * k["length"] + step)
        total.set(total.now + value * k.m.where(part == 0, cosine, -sine))
    k.write(1, k.thread, total.now)


def _back(k: ThreadCode) -> None:
    """Write the real part of a number of the inverse."""
    row, step = k.divided(k.thread, k["length"])
    total = k.variable(k.m.constant(0, k.read(0, 0).dtype))
    with k.each(0, k["length"]) as number:
        cosine, sine = _wave(k, step, number)
        place = (row * k["length"] + number) * 2
        total.set(total.now + k.read(0, place) * cosine - k.read(0, place + 1) * sine)
    k.write(1, k.thread, total.now)


def transformed(plan: ThreadPlan) -> bool:
    """Frequencies of real numbers."""
    length = plan.shape(plan.inputs[0])[-1]
    rows, operands = plan.size(plan.inputs[0]) // max(length, 1), (plan.inputs[0], plan.output)
    plan.kernel(_transform, operands, plan.size(plan.output), rows=rows, length=length)
    return True


def transformed_back(plan: ThreadPlan) -> bool:
    """Real numbers of frequencies."""
    operands, length = (plan.inputs[0], plan.output), plan.shape(plan.output)[-1]
    plan.kernel(_back, operands, plan.size(plan.output), length=length)
    return True
