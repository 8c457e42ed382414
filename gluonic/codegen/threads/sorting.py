"""Sorting. Equal elements keep their order.

On a GPU short runs are sorted by counting smaller elements, then runs are merged in pairs, by bisection: every
thread computes the position of one element, so that no two write to one place. On the host a thread merges the
runs of a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from gluonic.codegen.maths.values import Value, arithmetic
from gluonic.codegen.threads.gathers import axis_sizes
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import Operand, Scratch, ThreadPlan

_RUN, _LONGEST_RUN, _MOST_COMPARED = 128, 1024, 1 << 22
"""The elements that are sorted by counting, and how many if that takes few comparisons in all."""


def _is_before(k: ThreadCode, a: Value, b: Value, *, ascending: bool) -> Value:
    """Whether an element comes before another; NaN is larger than all numbers."""
    low, high = (a, b) if ascending else (b, a)
    if a.dtype.kind != "f":
        return low < high
    return (low < high) | (k.m.isnan(high) & ~k.m.isnan(low))


def _element(k: ThreadCode, row: Value, number: Value) -> Value:
    outer, inner = k.divided(row, k["inner"])
    return k.read(0, (outer * k["rows"] + number) * k["inner"] + inner)


def _count_in_run(k: ThreadCode, ascending: bool) -> None:
    """Write the index of an element at its position among those of its run."""
    row, number = k.divided(k.thread, k["rows"])
    own = _element(k, row, number)
    run, _ = k.divided(number, k["run"])
    begin = run * k["run"]
    count = k.variable(k.constant(0))
    with k.each(begin, k.m.minimum(begin + k["run"], k["rows"])) as other:
        value = _element(k, row, other)
        before = _is_before(k, value, own, ascending=ascending)
        ties = (other < number) & ~_is_before(k, own, value, ascending=ascending)
        count.set(count.now + k.to_index(before | ties))
    k.write(1, row * k["rows"] + begin + count.now, number)


def _merge(k: ThreadCode, ascending: bool) -> None:
    """Write an index at its position in the two runs together."""
    row, place = k.divided(k.thread, k["rows"])
    first, run = row * k["rows"], k["run"]
    pair, within = k.divided(place, run + run)
    begin = pair * (run + run)
    number = k.to_index(k.read(1, k.thread))
    own = _element(k, row, number)
    is_left = within < run
    other = k.m.where(is_left, begin + run, begin)
    length = k.m.minimum(k.m.maximum(k["rows"] - other, 0), run)

    def is_ahead(position: Value) -> Value:
        value = _element(k, row, k.to_index(k.read(1, first + other + position)))
        ahead = _is_before(k, value, own, ascending=ascending)
        return k.m.where(is_left, ahead, ~_is_before(k, own, value, ascending=ascending))

    ahead = k.first_beyond(length, is_ahead)
    own_place = k.m.where(is_left, within, within - run)
    k.write(2, first + begin + own_place + ahead, number)


def _sort_row(k: ThreadCode, ascending: bool) -> None:
    """Sort a row by merging runs of 1, 2, 4, … elements in pairs.

    Operands: source, indices; elements, and then again elements and indices, that are being merged.
    """
    rows, first = k["rows"], k.thread * k["rows"]
    with k.each(0, rows) as number:
        k.write(2, first + number, _element(k, k.thread, number))
        k.write(1, first + number, number)
    run = k.variable(k.constant(1))
    with k.as_long_as(lambda: run.now < rows):
        begin = k.variable(k.constant(0))
        with k.as_long_as(lambda: begin.now < rows):
            middle, stop = (k.m.minimum(begin.now + run.now * i, rows) for i in (1, 2))
            left, right = k.variable(begin.now), k.variable(middle)
            with k.each(begin.now, stop) as place:
                a, b = (k.read(2, first + k.m.minimum(i.now, rows - 1)) for i in (left, right))
                is_right = _is_before(k, b, a, ascending=ascending) | (left.now >= middle)
                is_right = is_right & (right.now < stop)
                source = k.m.where(is_right, right.now, left.now)
                k.write(3, first + place, k.m.where(is_right, b, a))
                k.write(4, first + place, k.read(1, first + source))
                step = k.to_index(is_right)
                right.set(right.now + step)
                left.set(left.now + (1 - step))
            begin.set(stop)
        with k.each(0, rows) as number:
            for operand, merged in ((2, 3), (1, 4)):
                k.write(operand, first + number, k.read(merged, first + number))
        run.set(run.now + run.now)


def sorted_order(
    plan: ThreadPlan, source: Operand, outer: int, rows: int, inner: int, *, ascending: bool
) -> Scratch:
    """Sort along the middle one of three axes; return the indices, those of a row one after the other.

    Parameters
    ----------
    source : what is sorted
    outer, rows, inner : its extents; rows of `rows` elements are sorted
    """
    count = outer * rows * inner
    order = plan.scratch(count, plan.index)
    if plan.is_host:
        keys = [plan.scratch(count, arithmetic(plan.dtype(source))) for _ in range(2)]
        own = (source, order, *keys, plan.scratch(count, plan.index))
        plan.kernel(_sort_row, own, outer * inner, ascending, rows=rows, inner=inner)
        return order
    is_quick = rows <= _LONGEST_RUN and count * rows <= _MOST_COMPARED
    run = rows if rows <= _RUN or is_quick else _RUN
    sizes = {"rows": rows, "inner": inner}
    plan.kernel(_count_in_run, (source, order), count, ascending, run=max(run, 1), **sizes)
    other = plan.scratch(count, plan.index) if run < rows else order
    while run < rows:
        plan.kernel(_merge, (source, order, other), count, ascending, run=run, **sizes)
        order, other = other, order
        run *= 2
    return order


# -- operators ----------------------------------------------------------------------------------


def _show(k: ThreadCode, shows_values: bool, shows_indices: bool) -> None:
    """Write the first elements, or their indices, in sorted order; operands: source, order, results."""
    outer, number, inner = k.digits(k.thread, [k["outer"], k["count"], k["inner"]])
    row = outer * k["inner"] + inner
    index = k.to_index(k.read(1, row * k["rows"] + number))
    if shows_values:
        k.write(2, k.thread, _element(k, row, index))
    if shows_indices:
        k.write(2 + shows_values, k.thread, index)


def _mask(k: ThreadCode) -> None:
    """Write whether an element is among the first; operands: source, order, result."""
    row, place = k.divided(k.thread, k["rows"])
    outer, inner = k.divided(row, k["inner"])
    index = k.to_index(k.read(1, k.thread))
    chosen = k.m.where(place < k["count"], k.constant(1), 0)
    k.write(2, (outer * k["rows"] + index) * k["inner"] + inner, chosen)


def _ordered(plan: ThreadPlan, count: int, ascending: bool, shown: str) -> bool:
    data = plan.inputs[0]
    sizes = axis_sizes(plan, data, plan.settings["axis"])
    rows = sizes["rows"]
    kept = min(count, rows) if count > 0 else rows
    order = sorted_order(plan, data, **sizes, ascending=ascending)
    if shown == "mask":
        numbers = {"rows": rows, "inner": sizes["inner"], "count": kept}
        plan.kernel(_mask, (data, order, plan.output), plan.size(data), **numbers)
        return True
    operands: tuple[Operand, ...] = (data, order, *plan.outputs)
    statics = shown != "indices", shown != "value"
    threads = sizes["outer"] * kept * sizes["inner"]
    plan.kernel(_show, operands, threads, *statics, count=kept, **sizes)
    return True


def sort(plan: ThreadPlan) -> bool:
    """Sorted elements, and their indices."""
    return _ordered(plan, 0, plan.settings["is_ascend"], "both")


def argsort(plan: ThreadPlan) -> bool:
    """The indices that sort."""
    return _ordered(plan, 0, plan.settings["is_ascend"], "indices")


def topk(plan: ThreadPlan) -> bool:
    """The first elements in sorted order."""
    shown = plan.settings["ret_typ"]
    shown = "both" if shown == "value" else shown  # the index of values is a hidden output
    return _ordered(plan, plan.settings["k"], plan.settings["is_ascend"], shown)


# -- sums by target -----------------------------------------------------------------------------


@contextmanager
def of_target(k: ThreadCode, targets: int, order: int, target: Value) -> Iterator[Value]:
    """Write a loop over the entries of a target, in order, by operands with their targets and their order."""

    def up_to(limit: Value) -> Value:
        return k.first_beyond(
            k["count"],
            lambda place: k.to_index(k.read(targets, k.to_index(k.read(order, place)))) < limit,
        )

    with k.each(up_to(target), up_to(target + 1)) as place:
        yield k.to_index(k.read(order, place))


def _add_up(k: ThreadCode, keeps_last: bool, has_start: bool) -> None:
    """Write the sum of the rows that belong to a target, or the last of them.

    Operands: rows, the targets of each, their order, what is there before if there is anything, the result.
    """
    target, inner = k.divided(k.thread, k["inner"])
    result, total = len(k.dtypes) - 1, k.variable(k.m.constant(0, k.read(0, 0).dtype))
    if has_start:
        total.set(k.read(3, k.thread))
    with of_target(k, 1, 2, target) as entry:
        value = k.read(0, entry * k["inner"] + inner)
        total.set(value if keeps_last else total.now + value)
    k.write(result, k.thread, total.now)


_COLUMNS = 64
"""The elements of a row that a thread of the host adds."""


def _add_rows(k: ThreadCode, keeps_last: bool) -> None:
    """Add some columns of all rows to those of their targets, or write them there.

    Operands: rows, the targets of each, the result.
    """
    begin = k.thread * _COLUMNS
    end = k.m.minimum(begin + _COLUMNS, k["inner"])
    with k.each(0, k["count"]) as row:
        target = k.to_index(k.read(1, row))
        with k.only_if(target >= 0), k.each(begin, end) as column:
            place = target * k["inner"] + column
            value = k.read(0, row * k["inner"] + column)
            k.write(2, place, value if keeps_last else k.read(2, place) + value)


def sums_by_target(
    plan: ThreadPlan,
    rows: Operand,
    targets: Scratch,
    result: Operand,
    inner: int,
    *,
    keeps_last: bool = False,
    start: Operand | None = None,
) -> None:
    """Add rows to those of the result that their targets name, in the order in which they come.

    Parameters
    ----------
    rows : of `inner` elements each
    targets : the index, for each, of a row of the result
    keeps_last : whether the last row that names a target overwrites it, instead
    start : what the result is where nothing is written; by default zero
    """
    threads = plan.size(result)
    if plan.is_host or not targets.count:
        source = (result,) if start is None else (start, result)
        plan.kernel(_fill, source, threads)
        if plan.is_host and targets.count:
            blocks, sizes = -(-inner // _COLUMNS), {"count": targets.count, "inner": inner}
            plan.kernel(_add_rows, (rows, targets, result), blocks, keeps_last, **sizes)
        return
    order = sorted_order(plan, targets, 1, targets.count, 1, ascending=True)
    before = () if start is None else (start,)
    operands = (rows, targets, order, *before, result)
    statics = keeps_last, start is not None
    plan.kernel(_add_up, operands, threads, *statics, count=targets.count, inner=inner)


def _fill(k: ThreadCode) -> None:
    """Write zeros, or what another array has."""
    is_zero = len(k.dtypes) == 1
    k.write(
        len(k.dtypes) - 1, k.thread, k.m.constant(0, np.int64) if is_zero else k.read(0, k.thread)
    )
