"""Diagonals and triangles of matrices: vectors taken from them, matrices made of them, and systems solved."""

from __future__ import annotations

from math import prod

from gluonic.codegen.maths.values import FLOAT64, Value
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import ThreadPlan


def _keep_triangle(k: ThreadCode, lower: bool, diagonal: float) -> None:
    _, i, j = k.digits(k.thread, [k["count"], k["side"], k["side"]])
    kept = (j < i) if lower else (i < j)
    value = k.read(0, k.thread)
    others = k.m.where(i == j, value * diagonal, 0) if diagonal else k.m.constant(0, value.dtype)
    k.write(1, k.thread, k.m.where(kept, value, others))


def triangle(plan: ThreadPlan) -> bool:
    """One triangle of each matrix."""
    side, settings = plan.shape(plan.output)[-1], plan.settings
    count = plan.size(plan.output)
    statics = settings["lower"], settings["diagonal"]
    operands = (plan.inputs[0], plan.output)
    plan.kernel(_keep_triangle, operands, count, *statics, count=count, side=side)
    return True


def _place(k: ThreadCode, i: Value, j: Value, is_triangle: bool) -> tuple[Value, Value]:
    """Whether a vector has the element (i, j) of the part below an offset diagonal, and where."""
    if not is_triangle:
        return i == j, i
    return j <= i, k.divided(i * (i + 1), k.constant(2))[0] + j


def _turned(is_above: bool, i: Value, j: Value) -> tuple[Value, Value]:
    return (j, i) if is_above else (i, j)


def _make(k: ThreadCode, is_triangle: bool, is_above: bool) -> None:
    """Write an element of a matrix: that of the vector, or zero."""
    matrix, i, j = k.digits(k.thread, [k["count"], k["side"], k["side"]])
    row, column = _turned(is_above, i, j)
    row = row - k["offset"]
    inside, place = _place(k, row, column, is_triangle)
    k.write(1, k.thread, k.read_if(inside & (row >= 0), 0, matrix * k["length"] + place, 0))


def _row_of(k: ThreadCode, place: Value) -> Value:
    """The row of a triangle that has an element of its vector."""
    root = k.m.sqrt(k.m.astype(place, FLOAT64) * 8 + 1)
    return k.to_index(k.m.floor((root - 1) * 0.5))


def _extract(k: ThreadCode, is_triangle: bool, is_above: bool) -> None:
    """Write an element of a vector."""
    matrix, place = k.divided(k.thread, k["length"])
    row = _row_of(k, place) if is_triangle else place
    column = place - k.divided(row * (row + 1), k.constant(2))[0] if is_triangle else place
    i, j = _turned(is_above, row + k["offset"], column)
    k.write(1, k.thread, k.read(0, (matrix * k["side"] + i) * k["side"] + j))


def _converted(plan: ThreadPlan, *, makes: bool) -> bool:
    matrices, vectors = (plan.output, plan.inputs[0]) if makes else (plan.inputs[0], plan.output)
    offset, is_triangle = plan.settings["offset"], "lower" in plan.settings
    is_above = offset > 0 or (offset == 0 and not plan.settings.get("lower", True))
    side, length = plan.shape(matrices)[-1], plan.shape(vectors)[-1]
    count = prod(plan.shape(matrices)[:-2])
    sizes = {"side": side, "length": length, "offset": abs(offset), "count": count}
    operands, threads = (plan.inputs[0], plan.output), plan.size(plan.output)
    plan.kernel(_make if makes else _extract, operands, threads, is_triangle, is_above, **sizes)
    return True


def extracted(plan: ThreadPlan) -> bool:
    """Diagonals, or triangles, as vectors."""
    return _converted(plan, makes=False)


def made(plan: ThreadPlan) -> bool:
    """Matrices of which vectors are a diagonal, or a triangle."""
    return _converted(plan, makes=True)


def _solve(k: ThreadCode, lower: bool, transpose: bool, rightside: bool, alpha: float) -> None:
    """Write a column of the solution, or a row if the matrix is to the right of it."""
    matrix, number = k.divided(k.thread, k["others"])
    side, start = k["side"], matrix * k["side"] * k["side"]
    first = matrix * (side * k["others"])

    def factor(i: Value, j: Value) -> Value:
        i, j = (j, i) if transpose != rightside else (i, j)
        return k.read(0, start + i * side + j)

    def place(i: Value) -> Value:
        return first + (number * side + i if rightside else i * k["others"] + number)

    goes_down = lower != (transpose != rightside)
    with k.each(0, side) as step:
        i = step if goes_down else side - 1 - step
        total = k.variable(k.read(1, place(i)) * alpha)
        with k.each(0, step) as earlier:
            j = earlier if goes_down else side - 1 - earlier
            total.set(total.now - factor(i, j) * k.read(2, place(j)))
        k.write(2, place(i), total.now / factor(i, i))


def solved(plan: ThreadPlan) -> bool:
    """Triangular systems of equations: a thread for each right-hand side."""
    settings, (factor, other) = plan.settings, plan.inputs
    side = plan.shape(factor)[-1]
    others = plan.shape(other)[-2 if settings["rightside"] else -1]
    statics = [settings[name] for name in ("lower", "transpose", "rightside", "alpha")]
    threads = prod(plan.shape(other)[:-2]) * others
    operands = (factor, other, plan.output)
    plan.kernel(_solve, operands, threads, *statics, side=side, others=others)
    return True
