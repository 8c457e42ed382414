"""Elements counted by intervals, and elements of a mask numbered."""

from __future__ import annotations

from math import prod

from gluonic.codegen.maths.values import FLOAT64, Value, arithmetic
from gluonic.codegen.threads.sorting import sorted_order
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import Operand, Scratch, ThreadPlan

# -- intervals ----------------------------------------------------------------------------------


def _edge(k: ThreadCode, first: float, last: float) -> None:
    """Write an edge of equal intervals, for comparisons and for the user."""
    step = (last - first) / k.m.astype(k["edges"] - 1, FLOAT64)
    edge = k.m.astype(k.thread, FLOAT64) * step + first
    edge = k.m.where(k.thread == k["edges"] - 1, last, edge)
    for operand in (0, 1):
        k.write(operand, k.thread, edge)


def _interval(k: ThreadCode) -> None:
    """Write the interval of an element; -1 outside."""
    value, count = k.read(0, k.thread), k["intervals"]
    below = k.first_beyond(count + 1, lambda place: k.read(1, place) <= value)
    inside = (value >= k.read(1, 0)) & (value <= k.read(1, count))
    k.write(2, k.thread, k.m.where(inside, k.m.minimum(below - 1, count - 1), -1))


def _count(k: ThreadCode) -> None:
    """Write how many of sorted places are this one."""

    def up_to(limit: Value) -> Value:
        return k.first_beyond(
            k["count"], lambda place: k.to_index(k.read(0, k.to_index(k.read(1, place)))) < limit
        )

    k.write(2, k.thread, up_to(k.thread + 1) - up_to(k.thread))


def histogram(plan: ThreadPlan) -> bool:
    """Elements counted by intervals."""
    data, settings = plan.inputs[0], plan.settings
    counts, shown = plan.outputs
    dtype = plan.dtype(data)
    if dtype.kind not in "fiu" or dtype.itemsize < 4:
        return False
    edges: Operand = plan.inputs[-1]
    if settings["bin_cnt"] is not None:
        kind = dtype if dtype.kind == "f" else FLOAT64
        edges = plan.scratch(plan.size(shown), arithmetic(kind))
        first, last = map(float, settings["range"])
        plan.kernel(_edge, (edges, shown), plan.size(shown), first, last, edges=plan.size(shown))
    else:
        plan.kernel(_copy, (edges, shown), plan.size(shown))
    places = plan.scratch(plan.size(data), plan.index)
    operands = (data, edges, places)
    plan.kernel(_interval, operands, places.count, intervals=plan.size(counts))
    order = sorted_order(plan, places, 1, places.count, 1, ascending=True)
    plan.kernel(_count, (places, order, counts), plan.size(counts), count=places.count)
    return True


def _copy(k: ThreadCode) -> None:
    k.write(1, k.thread, k.read(0, k.thread))


# -- masks --------------------------------------------------------------------------------------


def _is_unset(k: ThreadCode) -> None:
    k.write(1, k.thread, k.read(0, k.thread) == 0)


def _put_value(k: ThreadCode) -> None:
    """Write a value where the mask has its number; operands: values, unset, order, result."""
    outer, number, inner = k.digits(k.thread, [k["outer"], k["count"], k["inner"]])
    place = k.to_index(k.read(2, number))
    is_set = k.to_index(k.read(1, place)) == 0
    source = k.m.minimum(outer, k["outers"] - 1) * k["given"] + k.m.minimum(number, k["given"] - 1)
    source = source * k["inners"] + k.m.minimum(inner, k["inners"] - 1)
    with k.only_if(is_set):
        k.write(3, (outer * k["count"] + place) * k["inner"] + inner, k.read(0, source))


def _order_of_set(plan: ThreadPlan, mask: Operand) -> tuple[Scratch, Scratch]:
    """Whether each element of a mask is zero, and their indices, those that are not zero first."""
    unset = plan.scratch(plan.size(mask), plan.index)
    plan.kernel(_is_unset, (mask, unset), unset.count)
    return unset, sorted_order(plan, unset, 1, unset.count, 1, ascending=True)


def values_where(plan: ThreadPlan) -> bool:
    """A copy with consecutive values where a mask is not zero."""
    (data, mask, values), axis = plan.inputs, plan.settings["start_axis"]
    shape, masked, given = (plan.shape(entry) for entry in plan.inputs)
    outer, inner = prod(shape[:axis]), prod(shape[axis + len(masked) :])
    rank = len(shape) - len(masked) + 1
    if len(given) > rank or not plan.size(values) or not plan.size(mask):
        return False
    whole = (1,) * (rank - len(given)) + given
    ends = prod(whole[:axis]), prod(whole[axis + 1 :])
    if ends[0] not in (1, outer) or ends[1] not in (1, inner):
        return False
    plan.kernel(_copy, (data, plan.output), plan.size(data))
    unset, order = _order_of_set(plan, mask)
    numbers = {
        "outer": outer, "count": unset.count, "inner": inner,
        "outers": ends[0], "given": whole[axis], "inners": ends[1],
    }  # fmt: skip
    operands = (values, unset, order, plan.output)
    plan.kernel(_put_value, operands, plan.size(data), **numbers)
    return True
