"""Indices of elements, and elements that they name one by one: a thread for each."""

from __future__ import annotations

from math import prod

from gluonic.codegen.maths.values import INT64
from gluonic.codegen.threads.gathers import index_in
from gluonic.codegen.threads.scatters import add_at, write_rows
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import ThreadPlan


def _index_array(k: ThreadCode, axes: tuple[int, ...], rank: int) -> None:
    place, number = k.divided(k.thread, k.constant(len(axes)))
    indices = k.digits(place, k.numbers_of("extent", rank))
    result = indices[axes[0]]
    for i, axis in enumerate(axes[1:], 1):
        result = k.m.where(number == i, indices[axis], result)
    k.write(0, k.thread, result)


def index_array(plan: ThreadPlan) -> bool:
    """The index of each element."""
    shape, chosen = plan.shape(plan.inputs[0]), plan.settings["axes"]
    rank = len(shape)
    axes = tuple(range(rank)) if chosen is None else tuple(axis % rank for axis in chosen)
    if not axes:
        return not plan.size(plan.output)
    threads = plan.size(plan.output)
    plan.kernel(_index_array, (plan.output,), threads, axes, rank, extent=[*shape])
    return True


def _ravel(k: ThreadCode, rank: int) -> None:
    total = k.m.constant(0, INT64)
    for axis in range(rank):
        row = k.read(0, k["count"] * axis + k.thread)
        scaled = total * k.m.astype(k[f"extent{axis}"], INT64)
        if row.dtype.kind == "f":
            total = k.m.astype(k.m.astype(scaled, "float64") + row, INT64)
        else:
            total = scaled + k.m.astype(row, INT64)
    k.write(1, k.thread, total)


def raveled(plan: ThreadPlan) -> bool:
    """Flat indices."""
    shape = plan.settings["shape"]
    operands, count = (plan.inputs[0], plan.output), plan.size(plan.output)
    plan.kernel(_ravel, operands, count, len(shape), count=count, extent=[*shape])
    return True


def _unravel(k: ThreadCode, rank: int) -> None:
    """Write all indices of an element; quotients are cut off towards zero, as in C."""
    number = k.m.astype(k.read(0, k.thread), INT64)
    for axis in range(rank - 1, 0, -1):
        extent = k.m.astype(k[f"extent{axis}"], INT64)
        above = k.m.value(k.binary("sdiv", number.ref, extent.ref), INT64, 1)
        k.write(1, k["count"] * axis + k.thread, number - above * extent)
        number = above
    k.write(1, k.thread, number)


def unraveled(plan: ThreadPlan) -> bool:
    """The indices of flat indices."""
    shape = plan.settings["shape"]
    operands, count = (plan.inputs[0], plan.output), plan.size(plan.inputs[0])
    if 0 in shape[1:]:
        return False
    plan.kernel(_unravel, operands, count, len(shape), count=count, extent=[*shape])
    return True


def _one_hot(k: ThreadCode) -> None:
    row, column = k.divided(k.thread, k["columns"])
    k.write(1, k.thread, k.to_index(k.read(0, row)) == column)


def one_hot(plan: ThreadPlan) -> bool:
    """Rows that are 1 at one place."""
    columns, operands = plan.shape(plan.output)[1], (plan.inputs[0], plan.output)
    plan.kernel(_one_hot, operands, plan.size(plan.output), columns=columns)
    return True


def _fill_one(k: ThreadCode) -> None:
    row, column = k.divided(k.thread, k["columns"])
    is_there = column == index_in(k, 2, row, k["columns"], "clip")
    k.write(3, k.thread, k.m.where(is_there, k.read(1, row), k.read(0, k.thread)))


def one_element_filled(plan: ThreadPlan) -> bool:
    """A copy in which one element of each row is another."""
    columns = plan.shape(plan.output)[1]
    operands = (*plan.inputs, plan.output)
    plan.kernel(_fill_one, operands, plan.size(plan.output), columns=columns)
    return True


def _row_place(k: ThreadCode) -> None:
    k.write(1, k.thread, index_in(k, 0, k.thread, k["rows"], "clip"))


def rows_copied(plan: ThreadPlan) -> bool:
    """A copy in which some slices along the first axis are others; the last one wins."""
    old, indices, new = plan.inputs
    rows = plan.shape(old)[0]
    if not rows:
        return False
    inner = prod(plan.shape(old)[1:])
    write_rows(plan, _row_place, indices, new, old, inner, rows=rows)
    return True


def _edge(k: ThreadCode) -> None:
    row, column = (k.to_index(k.read(operand, k.thread)) for operand in (1, 2))
    inside = (row >= 0) & (row < k["rows"]) & (column >= 0) & (column < k["columns"])
    stored = k.read_if(inside, 0, row * k["columns"] + column, 0)
    k.write(3, k.thread, k.m.where(stored != 0, stored, -1))


def edges(plan: ThreadPlan) -> bool:
    """Elements by rows and columns; -1 where there is nothing."""
    rows, columns = plan.shape(plan.inputs[0])
    if plan.dtype(plan.output).kind not in "fi":
        return False
    operands = (*plan.inputs, plan.output)
    plan.kernel(_edge, operands, plan.size(plan.output), rows=rows, columns=columns)
    return True


def _retain(k: ThreadCode) -> None:
    """Keep an element if its row is listed."""
    row, _ = k.divided(k.thread, k["inner"])
    listed = k.variable(row < 0)
    with k.each(0, k["count"]) as number:
        listed.set(listed.now | (k.to_index(k.read(1, number)) == row))
    k.write(2, k.thread, k.m.where(listed.now, k.read(0, k.thread), 0))


def retained(plan: ThreadPlan) -> bool:
    """Some rows, and zeros in the others."""
    inner, count = prod(plan.shape(plan.output)[1:]), plan.size(plan.inputs[1])
    operands = (*plan.inputs, plan.output)
    plan.kernel(_retain, operands, plan.size(plan.output), inner=inner, count=count)
    return True


def _chosen_place(k: ThreadCode) -> None:
    row, _ = k.divided(k.thread, k["drawn"])
    k.write(1, k.thread, row * k["columns"] + index_in(k, 0, k.thread, k["columns"], "clip"))


def _gather_chosen(k: ThreadCode) -> None:
    row, _ = k.divided(k.thread, k["drawn"])
    place = row * k["columns"] + index_in(k, 1, k.thread, k["columns"], "clip")
    k.write(2, k.thread, k.read(0, place))


def _drawn(plan: ThreadPlan) -> dict[str, int]:
    data, chosen = plan.named["data"], plan.named["chosen"]
    columns = plan.shape(data)[-1]
    rows = max(prod(plan.shape(data)[:-1]), 1)
    return {"columns": columns, "drawn": plan.size(chosen) // rows}


def chosen(plan: ThreadPlan) -> bool:
    """Elements of rows, some of each."""
    if not plan.shape(plan.named["data"]):
        return False
    operands = (*plan.inputs, plan.output)
    plan.kernel(_gather_chosen, operands, plan.size(plan.output), **_drawn(plan))
    return True


def back_to_chosen(plan: ThreadPlan) -> bool:
    """The gradient of elements of rows."""
    grad, _, indices = plan.inputs
    add_at(plan, _chosen_place, indices, grad, plan.output, **_drawn(plan))
    return True
