"""Sums, and elements, written to computed places: sorted by place first, so no two threads write to one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import prod

from gluonic.codegen.threads.gathers import (
    axis_sizes,
    index_in,
    nd_position,
    nd_sizes,
    write_zero,
)
from gluonic.codegen.threads.sorting import sums_by_target
from gluonic.codegen.threads.thread_code import Body, ThreadCode
from gluonic.codegen.threads.thread_plan import Operand, Scratch, ThreadPlan
from gluonic.graph import Entry


def _targets(
    plan: ThreadPlan,
    body: Body,
    indices: Operand,
    count: int,
    *statics: Hashable,
    **numbers: int | Sequence[int],
) -> Scratch:
    """The place of each row, written by a kernel."""
    places = plan.scratch(count, plan.index)
    plan.kernel(body, (indices, places), count, *statics, **numbers)
    return places


# -- one axis -----------------------------------------------------------------------------------


def _row_of_slice(k: ThreadCode, mode: str) -> None:
    outer, number = k.divided(k.thread, k["picks"])
    k.write(1, k.thread, outer * k["rows"] + index_in(k, 0, number, k["rows"], mode))


def add_slices(plan: ThreadPlan) -> bool:
    """The gradient of slices along an axis, or of rows of a table."""
    grad, mode = plan.inputs[0], plan.settings.get("mode", "clip")
    indices = plan.named["indices" if "indices" in plan.named else "data"]
    sizes = axis_sizes(plan, plan.output, plan.settings.get("axis", 0))
    outer, rows, inner = (sizes[name] for name in ("outer", "rows", "inner"))
    count = plan.size(indices)
    if mode == "raise" or not rows:
        return False
    places = _targets(plan, _row_of_slice, indices, outer * count, mode, rows=rows, picks=count)
    sums_by_target(plan, grad, places, plan.output, inner)
    return True


# -- several axes -------------------------------------------------------------------------------


def _nd_row(k: ThreadCode, named: int) -> None:
    k.write(1, k.thread, nd_position(k, 0, k.thread, named))


def _scattered(
    plan: ThreadPlan, rows: Entry, indices: Entry, *, start: Entry | None, keeps_last: bool
) -> bool:
    named, *picks = plan.shape(indices)
    shape = plan.shape(plan.output)
    sizes = nd_sizes(plan, shape, indices)
    count = prod(picks)
    if 0 in shape[:named]:
        return not count
    places = _targets(plan, _nd_row, indices, count, named, **sizes)
    inner = prod(shape[named:])
    sums_by_target(plan, rows, places, plan.output, inner, keeps_last=keeps_last, start=start)
    return True


def sums_nd(plan: ThreadPlan) -> bool:
    """Sums at indices along the first axes."""
    names = ("grad", "indices") if "grad" in plan.named else ("data", "indices")
    rows, indices = (plan.named[name] for name in names)
    return _scattered(plan, rows, indices, start=None, keeps_last=False)


def written_nd(plan: ThreadPlan) -> bool:
    """Elements written at indices along the first axes, into zeros or a copy; the last one wins."""
    if "lhs" in plan.named:
        start, rows = plan.named["lhs"], plan.named["rhs"]
        return _scattered(plan, rows, plan.named["indices"], start=start, keeps_last=True)
    rows, indices = plan.inputs
    return _scattered(plan, rows, indices, start=None, keeps_last=True)


# -- flat places --------------------------------------------------------------------------------


def _whole(k: ThreadCode) -> None:
    k.write(1, k.thread, k.to_index(k.read(0, k.thread)))


def add_at_flat(plan: ThreadPlan, values: Entry, places: Entry, result: Entry) -> None:
    """Add values to the elements at flat places; at negative ones there is nothing."""
    add_at(plan, _whole, places, values, result)


def add_at(
    plan: ThreadPlan,
    body: Body,
    indices: Entry,
    values: Entry,
    result: Entry,
    **numbers: int | Sequence[int],
) -> None:
    """Add values to the elements whose places a body writes, from an index for each."""
    targets = _targets(plan, body, indices, plan.size(indices), **numbers)
    sums_by_target(plan, values, targets, result, 1)


def write_rows(
    plan: ThreadPlan,
    body: Body,
    indices: Entry,
    new: Entry,
    start: Entry,
    inner: int,
    **numbers: int | Sequence[int],
) -> None:
    """Copy an array to the output, with rows in the places that a body writes; the last one wins."""
    targets = _targets(plan, body, indices, plan.size(indices), **numbers)
    sums_by_target(plan, new, targets, plan.output, inner, keeps_last=True, start=start)


# -- places that differ -------------------------------------------------------------------------


def _put_along(k: ThreadCode) -> None:
    outer, _, inner = k.digits(k.thread, [k["outer"], k["count"], k["inner"]])
    row = index_in(k, 1, k.thread, k["rows"], "clip")
    k.write(2, (outer * k["rows"] + row) * k["inner"] + inner, k.read(0, k.thread))


def back_along_axis(plan: ThreadPlan) -> bool:
    """The gradient of elements along an axis, each of which was chosen once at most."""
    grad, data, index = plan.inputs
    sizes = axis_sizes(plan, data, plan.settings["axis"])
    count = axis_sizes(plan, index, plan.settings["axis"])["rows"]
    plan.kernel(write_zero, (plan.output,), plan.size(plan.output))
    plan.kernel(_put_along, (grad, index, plan.output), plan.size(grad), count=count, **sizes)
    return True
