"""Sums of all elements up to each one: rows are divided, and the sums of the parts before are added."""

from __future__ import annotations

from gluonic.codegen.maths.values import Value, arithmetic
from gluonic.codegen.threads.gathers import axis_sizes
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import Operand, Scratch, ThreadPlan

_PART = 128
"""The elements that a thread adds one after the other."""


def _place(k: ThreadCode, row: Value, number: Value, backwards: bool) -> Value:
    """Where an element is, in the order of the sums."""
    outer, inner = k.divided(row, k["inner"])
    if backwards:
        number = k["rows"] - 1 - number
    return (outer * k["rows"] + number) * k["inner"] + inner


def _add_part(k: ThreadCode, backwards: bool, adds_before: bool, shows: bool) -> None:
    """Add up a part of a row; operands: source, the sums up to each part if any, the result.

    The result has the running sums, or the sum of each part.
    """
    row, part = k.divided(k.thread, k["parts"])
    result = 1 + adds_before
    total = k.variable(k.m.constant(0, k.read(0, 0).dtype))
    if adds_before:
        with k.only_if(part > 0):
            total.set(k.read(1, row * k["parts"] + part - 1))
    first = part * k["part"]
    with k.each(first, k.m.minimum(first + k["part"], k["rows"])) as number:
        place = _place(k, row, number, backwards)
        total.set(total.now + k.read(0, place))
        if shows:
            k.write(result, place, total.now)
    if not shows:
        k.write(result, k.thread, total.now)


def _sums(
    plan: ThreadPlan, source: Operand, result: Operand, sizes: dict[str, int], backwards: bool
) -> None:
    rows, count = sizes["rows"], sizes["outer"] * sizes["inner"]
    numbers = {"rows": rows, "inner": sizes["inner"], "part": _PART}
    parts = -(-rows // _PART)
    before: tuple[Scratch, ...] = ()
    if parts > 1:
        dtype = arithmetic(plan.dtype(source))
        own, before = plan.scratch(count * parts, dtype), (plan.scratch(count * parts, dtype),)
        plan.kernel(
            _add_part, (source, own), own.count, backwards, False, False, parts=parts, **numbers
        )
        flat = {"outer": count, "rows": parts, "inner": 1}
        _sums(plan, own, before[0], flat, backwards=False)
    operands = (source, *before, result)
    statics = backwards, bool(before), True
    plan.kernel(_add_part, operands, count * parts, *statics, parts=parts, **numbers)


def _summed(plan: ThreadPlan, backwards: bool) -> bool:
    source, axis = plan.inputs[0], plan.settings["axis"]
    if plan.dtype(source) != plan.dtype(plan.output) or not plan.size(source):
        return False
    shape = plan.shape(source)
    sizes = axis_sizes(plan, source, axis if shape else None)
    _sums(plan, source, plan.output, sizes, backwards)
    return True


def forwards(plan: ThreadPlan) -> bool:
    """Sums up to each element."""
    return _summed(plan, backwards=False)


def backwards(plan: ThreadPlan) -> bool:
    """Sums from each element on."""
    return _summed(plan, backwards=True)
