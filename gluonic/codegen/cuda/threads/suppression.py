"""Non-maximum suppression: boxes, the best first, of which each drops the worse ones that it covers."""

from __future__ import annotations

from math import inf
from types import SimpleNamespace
from typing import Any

from gluonic.codegen.cuda.threads.boxes import (
    area,
    as_center,
    as_corners,
    chosen,
    decoded,
    read_box,
    shared_area,
    write_box,
)
from gluonic.codegen.cuda.threads.sorting import sorted_order
from gluonic.codegen.cuda.threads.thread_code import THREADS, ThreadCode
from gluonic.codegen.cuda.threads.thread_step import Scratch, ThreadPlan
from gluonic.codegen.maths.values import FLOAT32, INT32, Dtype, Value, arithmetic
from gluonic.graph.ops.proposal import anchors_around
from gluonic.support.record import record

_WORD = 32
"""The boxes whose flags share a word."""


@record
class Candidates:
    """Boxes in the order of their scores, several batches of equally many.

    Attributes
    ----------
    batch, count : how many batches, and boxes in each
    order : the original index of each
    corners, classes : four numbers, and the class, of each
    limits : the number of those in each batch that take part
    """

    batch: int
    count: int
    order: Scratch
    corners: Scratch
    classes: Scratch
    limits: Scratch


def candidates(plan: ThreadPlan, batch: int, count: int, keys: Scratch, most: int) -> Candidates:
    """Order boxes by keys, the smallest first; those with an infinite key take no part, nor more than `most`."""
    order = sorted_order(plan, keys, batch, count, 1, ascending=True)
    limits = plan.scratch(batch, INT32)
    plan.kernel(_limit, (keys, order, limits), batch, count=count, most=most)
    corners = plan.scratch(batch * count * 4, keys.dtype)
    return Candidates(batch, count, order, corners, plan.scratch(batch * count, INT32), limits)


def _limit(k: ThreadCode) -> None:
    first = k.thread * k["count"]

    def takes_part(place: Value) -> Value:
        index = k.to_index(k.read(1, first + place))
        return k.read(0, first + index) < inf

    k.write(2, k.thread, k.m.minimum(k.first_beyond(k["count"], takes_part), k["most"]))


def _cover(k: ThreadCode, threshold: float, strict: bool) -> None:
    """Write which of 32 boxes a better box covers."""
    batch, i, word = k.digits(k.thread, [k["batch"], k["count"], k["words"]])
    first, limit = batch * k["count"], k.to_index(k.read(2, batch))
    bits = k.variable(k.m.constant(0, INT32))
    with k.only_if(i < limit):
        own, kind = read_box(k, 0, (first + i) * 4), k.read(1, first + i)
        with k.each(0, _WORD) as lane:
            j = word * _WORD + lane
            with k.only_if((j > i) & (j < limit)):
                other = read_box(k, 0, (first + j) * 4)
                shared = shared_area(k, own, other)
                share = shared / (area(k, own) + area(k, other) - shared)
                covers = share > threshold if strict else share >= threshold
                covers = covers & (kind == k.read(1, first + j))
                bit = k.m.left_shift(k.m.constant(1, INT32), k.m.astype(lane, INT32))
                bits.set(bits.now | k.m.where(covers, bit, 0))
    k.write(3, k.thread, bits.now)


def _drop(k: ThreadCode) -> None:
    """Write which boxes are dropped; a block of threads goes through the boxes of a batch together."""
    batch, lane = k.divided(k.thread, k.constant(THREADS))
    words, first = k["words"], batch * k["words"]
    rounds = k.divided(words + (THREADS - 1), k.constant(THREADS))[0]
    with k.each(0, rounds) as number:
        word = number * THREADS + lane
        with k.only_if(word < words):
            k.write(2, first + word, k.constant(0))
    k.barrier()
    with k.each(0, k.to_index(k.read(0, batch))) as i:
        own, bit = k.divided(i, k.constant(_WORD))
        flags = k.read(2, first + own)
        is_left = (k.m.right_shift(flags, k.m.astype(bit, INT32)) & 1) == 0
        k.barrier()
        with k.only_if(is_left), k.each(0, rounds) as number:
            word = number * THREADS + lane
            with k.only_if(word < words):
                covered = k.read(1, (batch * k["count"] + i) * words + word)
                k.write(2, first + word, k.read(2, first + word) | covered)
        k.barrier()


def _is_left(k: ThreadCode, operand: int, batch: Value, i: Value) -> Value:
    """Whether a box is not dropped."""
    word, bit = k.divided(i, k.constant(_WORD))
    flags = k.read(operand, batch * k["words"] + word)
    return (k.m.right_shift(flags, k.m.astype(bit, INT32)) & 1) == 0


def _keep(k: ThreadCode) -> None:
    """Write the place of a box that is left among all that are, and how many there are."""
    batch, i = k.divided(k.thread, k["count"])
    first, limit = batch * k["count"], k.to_index(k.read(0, batch))
    place = k.variable(k.constant(0))
    with k.each(0, k.m.minimum(i, limit)) as before:
        place.set(place.now + k.to_index(_is_left(k, 1, batch, before)))
    left = (i < limit) & _is_left(k, 1, batch, i)
    with k.only_if(left):
        k.write(2, first + place.now, i)
    with k.only_if(i == k["count"] - 1):
        k.write(3, batch, place.now + k.to_index(left))


@record
class Survivors:
    """What is left.

    Attributes
    ----------
    dropped : a bit for each box
    kept : the places, in the order of scores, of those that are left, one batch after the other
    counts : how many these are in each batch
    words : the words of bits of a batch
    """

    dropped: Scratch
    kept: Scratch
    counts: Scratch
    words: int


def survivors(plan: ThreadPlan, some: Candidates, threshold: float, *, strict: bool) -> Survivors:
    """Drop boxes that better ones of their class cover, by intersection over union."""
    words = -(-some.count // _WORD)
    covered = plan.scratch(some.batch * some.count * words, INT32)
    sizes = {"batch": some.batch, "count": some.count, "words": words}
    operands = (some.corners, some.classes, some.limits, covered)
    plan.kernel(_cover, operands, covered.count, float(threshold), strict, **sizes)
    dropped = plan.scratch(some.batch * words, INT32)
    plan.kernel(_drop, (some.limits, covered, dropped), some.batch * THREADS, **sizes)
    kept, counts = plan.scratch(some.batch * some.count, INT32), plan.scratch(some.batch, INT32)
    operands = (some.limits, dropped, kept, counts)
    plan.kernel(_keep, operands, some.batch * some.count, **sizes)
    return Survivors(dropped, kept, counts, words)


def _computed(plan: ThreadPlan) -> Dtype:
    return arithmetic(plan.dtype(plan.inputs[0]))


# -- boxes with scores --------------------------------------------------------------------------


def _score(k: ThreadCode, valid: float, score: int, kind: int, background: int) -> None:
    row = k.thread * k["width"]
    value = k.read(0, row + score)
    takes_part = value > valid
    if kind >= 0:
        takes_part = takes_part & (k.read(0, row + kind) != background)
    k.write(1, k.thread, k.m.where(takes_part, -value, inf))


def _outline(k: ThreadCode, start: int, kind: int, by_center: bool) -> None:
    batch, _ = k.divided(k.thread, k["count"])
    row = (batch * k["count"] + k.to_index(k.read(1, k.thread))) * k["width"]
    box = read_box(k, 0, row + start)
    write_box(k, 2, k.thread * 4, as_corners(box) if by_center else box)
    k.write(3, k.thread, k.m.astype(k.read(0, row + kind), INT32) if kind >= 0 else k.constant(0))


def _show(k: ThreadCode, start: int, change: str) -> None:
    """Write a row of the result: a box that is left, or minus ones."""
    batch, place = k.divided(k.thread, k["count"])
    first = batch * k["count"]
    is_there = place < k.to_index(k.read(3, batch))
    index = k.variable(k.constant(0))
    with k.only_if(is_there):
        i = k.to_index(k.read(2, first + place))
        index.set(k.to_index(k.read(1, first + i)))
    source, target = (first + index.now) * k["width"], k.thread * k["width"]
    with k.each(0, k["width"]) as column:
        value = k.read(0, source + column)
        k.write(4, target + column, k.m.where(is_there, value, -1))
        k.write(5, target + column, k.m.where(is_there, source + column, -1))
    if change:
        box = read_box(k, 0, source + start)
        turned = as_center(box) if change == "center" else as_corners(box)
        with k.only_if(is_there & (box[0] >= 0)):
            write_box(k, 4, target + start, turned)


def box_nms(plan: ThreadPlan) -> bool:
    """Boxes that no better one drops."""
    n, data = SimpleNamespace(**plan.settings), plan.inputs[0]
    if n.topk == 0 or not plan.size(data):
        return False
    count, width = plan.shape(data)[-2:]
    batch = plan.size(data) // (count * width)
    keys = plan.scratch(batch * count, _computed(plan))
    statics = n.valid_thresh, n.score_index, n.id_index, n.background_id
    plan.kernel(_score, (data, keys), keys.count, *statics, width=width)
    some = candidates(plan, batch, count, keys, n.topk if n.topk > 0 else count)
    sizes = {"count": count, "width": width}
    kind = -1 if n.force_suppress else n.id_index
    operands = (data, some.order, some.corners, some.classes)
    by_center = n.in_format == "center"
    plan.kernel(_outline, operands, keys.count, n.coord_start, kind, by_center, **sizes)
    left = survivors(plan, some, n.overlap_thresh, strict=True)
    change = n.out_format if n.in_format != n.out_format else ""
    shown = (data, some.order, left.kept, left.counts, *plan.outputs)
    plan.kernel(_show, shown, keys.count, n.coord_start, change, **sizes)
    return True


# -- objects of default boxes ---------------------------------------------------------------------


def _detect(k: ThreadCode, variances: tuple[float, ...], clips: bool, threshold: float) -> None:
    """Write class, probability and corners of a box, and its keys."""
    batch, i = k.divided(k.thread, k["count"])
    start = batch * k["classes"] * k["count"] + i
    best, kind = k.variable(k.read(0, start + k["count"])), k.variable(k.constant(0))
    with k.each(2, k["classes"]) as number:
        value = k.read(0, start + number * k["count"])
        better = value > best.now
        best.set(k.m.where(better, value, best.now))
        kind.set(k.m.where(better, number - 1, kind.now))
    anchor = as_center(read_box(k, 2, i * 4))
    box: Any = decoded(k, read_box(k, 1, k.thread * 4), anchor, variances, -1.0)
    if clips:
        box = [k.m.minimum(k.m.maximum(number, 0), 1) for number in box]
    for column, number in enumerate((kind.now, best.now, *box)):
        k.write(3, k.thread * 6 + column, number)
    is_object = best.now >= threshold
    k.write(4, k.thread, k.m.where(is_object, -best.now, inf))
    k.write(5, k.thread, k.m.where(is_object, 0.0, inf))


def _outline_of_object(k: ThreadCode, across: bool) -> None:
    batch, _ = k.divided(k.thread, k["count"])
    row = (batch * k["count"] + k.to_index(k.read(1, k.thread))) * 6
    write_box(k, 2, k.thread * 4, read_box(k, 0, row + 2))
    k.write(3, k.thread, k.constant(0) if across else k.read(0, row))


def _show_object(k: ThreadCode, drops: bool) -> None:
    """Write a row: those in order that are left or dropped, then the others, then minus ones.

    Operands: rows, their number, how many are in order, dropped, both orders, the result.
    """
    batch, place = k.divided(k.thread, k["count"])
    first = batch * k["count"]
    ordered = k.to_index(k.read(2, batch)) if drops else k.constant(0)
    in_order, is_there = place < ordered, place < k.to_index(k.read(1, batch))
    index = k.variable(k.to_index(k.read(5, k.thread)))
    with k.only_if(in_order):
        index.set(k.to_index(k.read(4, k.thread)))
    lost = in_order & ~_is_left(k, 3, batch, place) if drops else is_there & ~is_there
    if drops:
        lost = lost | ~in_order
    row = (first + index.now) * 6
    for column in range(6):
        value = k.read(0, row + column)
        if not column:
            value = k.m.where(lost, -1, value)
        k.write(6, k.thread * 6 + column, k.m.where(is_there, value, -1))


def detection(plan: ThreadPlan) -> bool:
    """The objects that default boxes predict."""
    n = SimpleNamespace(**plan.settings)
    batch, classes, count = plan.shape(plan.inputs[0])
    if not batch * count or classes < 2:
        return False
    dtype = _computed(plan)
    rows = plan.scratch(batch * count * 6, dtype)
    keys, present = plan.scratch(batch * count, dtype), plan.scratch(batch * count, dtype)
    sizes = {"count": count, "classes": classes}
    operands = (*plan.inputs, rows, keys, present)
    statics = n.variances, n.clip, n.threshold
    plan.kernel(_detect, operands, batch * count, *statics, **sizes)
    everything = candidates(plan, batch, count, present, count)
    drops = 0 < n.nms_threshold <= 1
    some = candidates(plan, batch, count, keys, n.nms_topk if n.nms_topk > 0 else count)
    operands = (rows, some.order, some.corners, some.classes)
    plan.kernel(_outline_of_object, operands, batch * count, n.force_suppress, count=count)
    left = survivors(plan, some, n.nms_threshold, strict=False)
    shown = (rows, everything.limits, some.limits, left.dropped, some.order, everything.order)
    numbers = {"count": count, "words": left.words}
    plan.kernel(_show_object, (*shown, plan.output), batch * count, drops, **numbers)
    return True


# -- proposals ----------------------------------------------------------------------------------


def _region(
    k: ThreadCode,
    anchors: tuple[tuple[float, ...], ...],
    stride: int,
    by_corners: bool,
    least_size: float,
) -> None:
    """Write the corners, the score and the key of an anchor."""
    count = len(anchors)
    extents = [k["batch"], k["height"], k["width"], k.constant(count)]
    batch, row, column, kind = k.digits(k.thread, extents)
    plane = k["height"] * k["width"]
    at = row * k["width"] + column
    height, width, scale = (k.read(2, batch * 3 + i) for i in range(3))
    shifts = [k.m.astype(index, FLOAT32) * float(stride) for index in (column, row)] * 2
    anchor = [
        shift + chosen(k, kind, [each[i] for each in anchors]) for i, shift in enumerate(shifts)
    ]
    first = (batch * (4 * count) + kind * 4) * plane + at
    change = [k.read(1, first + plane * i) for i in range(4)]
    box = _moved_region(k, anchor, change, by_corners)
    limits = [width - 1, height - 1] * 2
    box = [
        k.m.minimum(k.m.maximum(number, 0), limit)
        for number, limit in zip(box, limits, strict=True)
    ]
    score = k.read(0, (batch * (2 * count) + count + kind) * plane + at)
    inside = (row < k.to_index(height / stride)) & (column < k.to_index(width / stride))
    least = scale * least_size
    small = (box[2] - box[0] + 1 < least) | (box[3] - box[1] + 1 < least)
    grown = [number + sign * least * 0.5 for number, sign in zip(box, (-1, -1, 1, 1), strict=True)]
    box = [k.m.where(small, a, b) for a, b in zip(grown, box, strict=True)]
    score = k.m.where(inside & ~small, score, -1)
    write_box(k, 3, k.thread * 4, box)
    k.write(4, k.thread, -score)


def _moved_region(k: ThreadCode, box: Any, change: Any, by_corners: bool) -> list[Value]:
    if by_corners:
        return [a + b for a, b in zip(box, change, strict=True)]
    low, high = [], []
    for i in (0, 1):
        size = box[i + 2] - box[i] + 1
        middle = box[i] + (size - 1) * 0.5 + change[i] * size
        half = (k.m.exp(change[i + 2]) * size - 1) * 0.5
        low.append(middle - half)
        high.append(middle + half)
    return [*low, *high]


def _outline_of_region(k: ThreadCode) -> None:
    batch, _ = k.divided(k.thread, k["count"])
    index = batch * k["count"] + k.to_index(k.read(1, k.thread))
    left, top, right, bottom = read_box(k, 0, index * 4)
    write_box(k, 2, k.thread * 4, (left, top, right + 1, bottom + 1))
    k.write(3, k.thread, k.constant(0))


def _propose(k: ThreadCode) -> None:
    """Write a region that is left; they repeat if there are too few."""
    batch, number = k.divided(k.thread, k["wanted"])
    first = batch * k["count"]
    left = k.m.minimum(k.to_index(k.read(4, batch)), k["wanted"])
    _, number = k.divided(number, left)
    place = k.to_index(k.read(3, first + number))
    index = first + k.to_index(k.read(2, first + place))
    k.write(5, k.thread * 5, batch)
    write_box(k, 5, k.thread * 5 + 1, read_box(k, 0, index * 4))
    k.write(6, k.thread, -k.read(1, index))


def proposals(plan: ThreadPlan) -> bool:
    """Regions that may hold an object."""
    n = SimpleNamespace(**plan.settings)
    batch, _, height, width = plan.shape(plan.inputs[0])
    if plan.dtype(plan.inputs[0]) != FLOAT32 or not plan.size(plan.inputs[0]):
        return False
    table = anchors_around(n.ratios, n.scales, n.feature_stride)
    anchors = tuple(tuple(map(float, row)) for row in table)
    count = height * width * len(anchors)
    boxes, keys = plan.scratch(batch * count * 4, FLOAT32), plan.scratch(batch * count, FLOAT32)
    statics = anchors, n.feature_stride, n.iou_loss, float(n.rpn_min_size)
    sizes = {"batch": batch, "height": height, "width": width}
    plan.kernel(_region, (*plan.inputs, boxes, keys), keys.count, *statics, **sizes)
    most = n.rpn_pre_nms_top_n if n.rpn_pre_nms_top_n > 0 else count
    some = candidates(plan, batch, count, keys, most)
    operands = (boxes, some.order, some.corners, some.classes)
    plan.kernel(_outline_of_region, operands, keys.count, count=count)
    left = survivors(plan, some, n.threshold, strict=True)
    shown = (boxes, keys, some.order, left.kept, left.counts, *plan.outputs)
    wanted = n.rpn_post_nms_top_n
    plan.kernel(_propose, shown, batch * wanted, count=count, wanted=wanted)
    return True
