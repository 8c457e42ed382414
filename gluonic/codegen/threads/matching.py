"""Pairs of rows and columns, the best first; and default boxes that objects belong to."""

from __future__ import annotations

from math import inf
from types import SimpleNamespace

from gluonic.codegen.maths.values import FLOAT32, INT32, Value, arithmetic
from gluonic.codegen.threads.boxes import encoded, overlap, read_box
from gluonic.codegen.threads.sorting import sorted_order
from gluonic.codegen.threads.thread_code import THREADS, ThreadCode
from gluonic.codegen.threads.thread_plan import Operand, ThreadPlan

# -- greedy pairs -------------------------------------------------------------------------------


def _key(k: ThreadCode, threshold: float, ascending: bool) -> None:
    """Write what pairs are ordered by; infinity for those that stay unmatched."""
    value = k.read(0, k.thread)
    good = value < threshold if ascending else value > threshold
    k.write(1, k.thread, k.m.where(good, value if ascending else -value, inf))


def _pair(k: ThreadCode, most: int) -> None:
    """Match the rows and columns of a matrix; operands: keys, order, both results."""
    rows, columns = k["rows"], k["columns"]
    first, count = k.thread * rows * columns, rows * columns
    for operand, extent in ((2, rows), (3, columns)):
        with k.each(0, extent) as number:
            k.write(operand, k.thread * extent + number, k.constant(-1))
    limit = k.constant(most) if most > 0 else k.m.minimum(rows, columns)
    left, place = k.variable(limit), k.variable(k.constant(0))

    def goes_on() -> Value:
        there = k.m.minimum(place.now, count - 1)
        key = k.read(0, first + k.to_index(k.read(1, first + there)))
        return (left.now > 0) & (place.now < count) & (key < inf)

    with k.as_long_as(goes_on):
        i, j = k.divided(k.to_index(k.read(1, first + place.now)), columns)
        row, column = k.thread * rows + i, k.thread * columns + j
        is_free = (k.read(2, row) < 0) & (k.read(3, column) < 0)
        with k.only_if(is_free):
            k.write(2, row, j)
            k.write(3, column, i)
            left.set(left.now - 1)
        place.set(place.now + 1)


def greedy_pairs(plan: ThreadPlan) -> bool:
    """Rows and columns matched, the best pair first."""
    data, n = plan.inputs[0], plan.settings
    rows, columns = plan.shape(data)[-2:]
    count = rows * columns
    if not plan.size(data):
        return False
    keys = plan.scratch(plan.size(data), arithmetic(plan.dtype(data)))
    plan.kernel(_key, (data, keys), keys.count, n["threshold"], n["is_ascend"])
    order = sorted_order(plan, keys, keys.count // count, count, 1, ascending=True)
    most = n["topk"] + 1 if n["topk"] > 0 else 0
    operands: tuple[Operand, ...] = (keys, order, *plan.outputs)
    plan.kernel(_pair, operands, keys.count // count, most, rows=rows, columns=columns)
    return True


# -- targets of default boxes ---------------------------------------------------------------------


def _count_objects(k: ThreadCode) -> None:
    """Write the number of objects before the first one of class -1."""
    count = k.variable(k["objects"])
    with k.each(0, k["objects"]) as number:
        kind = k.read(0, (k.thread * k["objects"] + number) * k["width"])
        ended = (kind == -1) & (number < count.now)
        count.set(k.m.where(ended, number, count.now))
    k.write(1, k.thread, count.now)


def _share(k: ThreadCode) -> None:
    """Write the overlap of a box with an object; -1 where there is none."""
    batch, box, number = k.digits(k.thread, [k["batch"], k["boxes"], k["objects"]])
    shared = k.variable(k.m.constant(-1.0, FLOAT32))
    with k.only_if(number < k.to_index(k.read(2, batch))):
        own = read_box(k, 0, box * 4)
        other = read_box(k, 1, (batch * k["objects"] + number) * k["width"] + 1)
        shared.set(k.m.astype(overlap(k, own, other), FLOAT32))
    k.write(3, k.thread, shared.now)


def _best_object(k: ThreadCode, threshold: float) -> None:
    """Write the object that a box overlaps most, by how much, and whether that is enough."""
    best, number = k.variable(k.m.constant(-1.0, FLOAT32)), k.variable(k.constant(0))
    with k.each(0, k["objects"]) as other:
        value = k.read(0, k.thread * k["objects"] + other)
        better = value > best.now
        best.set(k.m.where(better, value, best.now))
        number.set(k.m.where(better, other, number.now))
    k.write(1, k.thread, number.now)
    k.write(2, k.thread, best.now)
    k.write(3, k.thread, (best.now > threshold) if threshold > 0 else k.constant(0))


def _give_best_boxes(k: ThreadCode) -> None:
    """Give each object the free box that it overlaps most, the best pair first; a block for an image.

    Operands: overlaps, number of objects, each thread's best pair, their overlaps, which box and which object
    is taken, the results.
    """
    batch, lane = k.divided(k.thread, k.constant(THREADS))
    boxes, objects = k["boxes"], k["objects"]
    rounds = k.divided(boxes + (THREADS - 1), k.constant(THREADS))[0]
    own = batch * THREADS
    with k.each(0, k.to_index(k.read(1, batch))):
        best, place = k.variable(k.m.constant(0.0, FLOAT32)), k.variable(k.constant(-1))
        with k.each(0, rounds) as number:
            box = number * THREADS + lane
            with k.only_if(box < boxes), k.each(0, k.to_index(k.read(1, batch))) as other:
                at = box * objects + other
                taken = k.read(4, batch * boxes + box) | k.read(5, batch * objects + other)
                value = k.read(0, batch * boxes * objects + at)
                better = (taken == 0) & (value > best.now)
                best.set(k.m.where(better, value, best.now))
                place.set(k.m.where(better, at, place.now))
        k.write(2, own + lane, place.now)
        k.write(3, own + lane, best.now)
        k.barrier()
        with k.each(0, THREADS) as other:
            value, at = k.read(3, own + other), k.to_index(k.read(2, own + other))
            better = (value > best.now) | ((value == best.now) & (at >= 0) & (at < place.now))
            better = better | ((place.now < 0) & (at >= 0))
            best.set(k.m.where(better, value, best.now))
            place.set(k.m.where(better, at, place.now))
        k.barrier()
        with k.only_if((lane == 0) & (best.now > 1e-6)):
            box, other = k.divided(place.now, objects)
            k.write(4, batch * boxes + box, k.constant(1))
            k.write(5, batch * objects + other, k.constant(1))
            k.write(6, batch * boxes + box, other)
            k.write(7, batch * boxes + box, k.constant(1))
        k.barrier()


def _give_best_boxes_in_turn(k: ThreadCode) -> None:
    """Do the same for an image in one thread.

    Operands: overlaps, number of objects, which box and which object is taken, the results.
    """
    boxes, objects, batch = k["boxes"], k["objects"], k.thread
    limit = k.to_index(k.read(1, batch))
    with k.each(0, limit):
        best, place = k.variable(k.m.constant(0.0, FLOAT32)), k.variable(k.constant(-1))
        with k.each(0, boxes) as box, k.each(0, limit) as other:
            at = box * objects + other
            taken = k.read(2, batch * boxes + box) | k.read(3, batch * objects + other)
            value = k.read(0, batch * boxes * objects + at)
            better = (taken == 0) & (value > best.now)
            best.set(k.m.where(better, value, best.now))
            place.set(k.m.where(better, at, place.now))
        with k.only_if(best.now > 1e-6):
            box, other = k.divided(place.now, objects)
            k.write(2, batch * boxes + box, k.constant(1))
            k.write(3, batch * objects + other, k.constant(1))
            k.write(4, batch * boxes + box, other)
            k.write(5, batch * boxes + box, k.constant(1))


def _none(k: ThreadCode) -> None:
    k.write(0, k.thread, k.constant(0))


def _target(k: ThreadCode, variances: tuple[float, ...], ignored: float, mines: bool) -> None:
    """Write the targets of a box.

    Operands: boxes, objects, their number, the box's object, whether it belongs to it, the results.
    """
    batch, box = k.divided(k.thread, k["boxes"])
    has_objects = k.to_index(k.read(2, batch)) > 0
    matched = has_objects & (k.to_index(k.read(4, k.thread)) != 0)
    number = k.to_index(k.read(3, k.thread))
    row = (batch * k["objects"] + number) * k["width"]
    other = ignored if mines else k.m.where(has_objects, 0.0, ignored)
    kind = k.variable(k.m.astype(k.m.asarray(other), FLOAT32))
    offsets = [k.variable(k.m.constant(0.0, FLOAT32)) for _ in range(4)]
    with k.only_if(matched):
        kind.set(k.read(1, row) + 1)
        found = encoded(k, read_box(k, 1, row + 1), read_box(k, 0, box * 4))
        for variable, offset, variance in zip(offsets, found, variances, strict=True):
            variable.set(offset / variance)
    for i, variable in enumerate(offsets):
        k.write(5, k.thread * 4 + i, variable.now)
        k.write(6, k.thread * 4 + i, matched)
    k.write(7, k.thread, kind.now)


def _background(k: ThreadCode, threshold: float) -> None:
    """Write the share of the background in a box's classes; infinity if it cannot be background."""
    batch, box = k.divided(k.thread, k["boxes"])
    first = batch * k["classes"] * k["boxes"] + box
    largest = k.variable(k.read(0, first))
    with k.each(1, k["classes"]) as number:
        largest.set(k.m.maximum(largest.now, k.read(0, first + number * k["boxes"])))
    total = k.variable(k.m.constant(0, largest.dtype))
    with k.each(0, k["classes"]) as number:
        total.set(total.now + k.m.exp(k.read(0, first + number * k["boxes"]) - largest.now))
    share = k.m.exp(k.read(0, first) - largest.now) / total.now
    possible = (k.to_index(k.read(1, k.thread)) == 0) & (k.read(2, k.thread) < threshold)
    k.write(3, k.thread, k.m.where(possible, share, inf))


def _count_matched(k: ThreadCode, ratio: float) -> None:
    """Write how many boxes of an image are to be background."""
    count = k.variable(k.constant(0))
    with k.each(0, k["boxes"]) as box:
        count.set(count.now + k.to_index(k.read(0, k.thread * k["boxes"] + box)))
    wanted = k.m.astype(count.now, "float64") * ratio
    some = k.to_index(k.read(1, k.thread)) > 0
    k.write(2, k.thread, k.m.where(some, k.to_index(wanted), 0))


def _mine(k: ThreadCode) -> None:
    """Make one of the boxes that look least like background background."""
    batch, place = k.divided(k.thread, k["boxes"])
    first = batch * k["boxes"]
    box = first + k.to_index(k.read(1, k.thread))
    chosen = (place < k.to_index(k.read(2, batch))) & (k.read(0, box) < inf)
    with k.only_if(chosen):
        k.write(3, box, k.constant(0))


def targets(plan: ThreadPlan) -> bool:
    """The training targets of default boxes."""
    n, (anchor, label, scores) = SimpleNamespace(**plan.settings), plan.inputs
    batch, objects, width = plan.shape(label)
    boxes, classes = plan.shape(anchor)[1], plan.shape(scores)[1]
    if any(plan.dtype(entry) != FLOAT32 for entry in plan.inputs) or not batch * boxes * objects:
        return False
    sizes = {"batch": batch, "boxes": boxes, "objects": objects, "width": width}
    count, matched = plan.scratch(batch, INT32), plan.scratch(batch * boxes, INT32)
    shared = plan.scratch(batch * boxes * objects, FLOAT32)
    best, most = plan.scratch(batch * boxes, INT32), plan.scratch(batch * boxes, FLOAT32)
    plan.kernel(_count_objects, (label, count), batch, objects=objects, width=width)
    plan.kernel(_share, (anchor, label, count, shared), shared.count, **sizes)
    threshold = float(n.overlap_threshold)
    operands: tuple[Operand, ...] = (shared, best, most, matched)
    plan.kernel(_best_object, operands, best.count, threshold, objects=objects)
    taken = plan.scratch(batch * boxes, INT32), plan.scratch(batch * objects, INT32)
    for each in taken:
        plan.kernel(_none, (each,), each.count)
    if plan.is_host:
        operands = (shared, count, *taken, best, matched)
        plan.kernel(_give_best_boxes_in_turn, operands, batch, **sizes)
    else:
        parts = plan.scratch(batch * THREADS, INT32), plan.scratch(batch * THREADS, FLOAT32)
        operands = (shared, count, *parts, *taken, best, matched)
        plan.kernel(_give_best_boxes, operands, batch * THREADS, **sizes)
    mines = n.negative_mining_ratio > 0
    operands = (anchor, label, count, best, matched, *plan.outputs)
    statics = n.variances, n.ignore_label, mines
    plan.kernel(_target, operands, best.count, *statics, **sizes)
    if mines:
        shares, wanted = plan.scratch(batch * boxes, FLOAT32), plan.scratch(batch, INT32)
        limit = float(n.negative_mining_thresh)
        operands = (scores, matched, most, shares)
        plan.kernel(_background, operands, shares.count, limit, classes=classes, **sizes)
        ratio = float(n.negative_mining_ratio)
        plan.kernel(_count_matched, (matched, count, wanted), batch, ratio, boxes=boxes)
        order = sorted_order(plan, shares, batch, boxes, 1, ascending=True)
        operands = (shares, order, wanted, plan.outputs[2])
        plan.kernel(_mine, operands, shares.count, boxes=boxes)
    return True
