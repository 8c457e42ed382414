"""Objects in images: boxes without those that better ones cover, from scores, default boxes or anchors."""

from __future__ import annotations

from math import inf
from types import SimpleNamespace
from typing import Any

from gluonic.codegen.maths.values import FLOAT32, INT32, Dtype, Value, arithmetic
from gluonic.codegen.threads.boxes import (
    as_center,
    as_corners,
    chosen,
    decoded,
    read_box,
    write_box,
)
from gluonic.codegen.threads.suppression import candidates, is_left, survivors
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import Operand, ThreadPlan
from gluonic.graph.ops.proposal import anchors_around


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


def _all_boxes(k: ThreadCode) -> None:
    k.write(1, k.thread, k.read(0, k.thread))
    k.write(2, k.thread, k.thread)


def box_nms(plan: ThreadPlan) -> bool:
    """Boxes that no better one drops."""
    n, data = SimpleNamespace(**plan.settings), plan.inputs[0]
    if n.topk == 0 or not plan.size(data):
        plan.kernel(_all_boxes, (data, *plan.outputs), plan.size(data))
        return True
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
    shown: tuple[Operand, ...] = (data, some.order, left.kept, left.counts, *plan.outputs)
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
    lost = in_order & ~is_left(k, 3, batch, place) if drops else is_there & ~is_there
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
    operands: tuple[Operand, ...] = (*plan.inputs, rows, keys, present)
    statics = n.variances, n.clip, n.threshold
    plan.kernel(_detect, operands, batch * count, *statics, **sizes)
    everything = candidates(plan, batch, count, present, count)
    drops = 0 < n.nms_threshold <= 1
    some = candidates(plan, batch, count, keys, n.nms_topk if n.nms_topk > 0 else count)
    operands = (rows, some.order, some.corners, some.classes)
    plan.kernel(_outline_of_object, operands, batch * count, n.force_suppress, count=count)
    left = survivors(plan, some, n.nms_threshold, strict=False)
    orders = some.order, everything.order
    shown = rows, everything.limits, some.limits, left.dropped, *orders, plan.output
    numbers = {"count": count, "words": left.words}
    plan.kernel(_show_object, shown, batch * count, drops, **numbers)
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
    shown: tuple[Operand, ...] = (boxes, keys, some.order, left.kept, left.counts, *plan.outputs)
    wanted = n.rpn_post_nms_top_n
    plan.kernel(_propose, shown, batch * wanted, count=count, wanted=wanted)
    return True
