"""Boxes: their overlaps, offsets from anchors, and default boxes of feature maps."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from gluonic.codegen.maths.values import Operand, Value
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import ThreadPlan

Box = tuple[Value, Value, Value, Value]
"""Left, top, right, bottom; or x, y, width, height."""


def read_box(k: ThreadCode, operand: int, first: Value) -> Box:
    """Four numbers that follow each other."""
    a, b, c, d = (k.read(operand, first + i) for i in range(4))
    return a, b, c, d


def write_box(k: ThreadCode, operand: int, first: Value, box: Sequence[Operand]) -> None:
    """Write four numbers."""
    for i, number in enumerate(box):
        k.write(operand, first + i, number)


def as_corners(box: Box) -> Box:
    """A box given by centre and size."""
    x, y, width, height = box
    across, down = width * 0.5, height * 0.5
    return x - across, y - down, x + across, y + down


def as_center(box: Box) -> Box:
    """The centre and the size of a box."""
    left, top, right, bottom = box
    return (left + right) * 0.5, (top + bottom) * 0.5, right - left, bottom - top


def area(k: ThreadCode, box: Box) -> Value:
    """The area of a box; 0 if a side is negative."""
    width, height = box[2] - box[0], box[3] - box[1]
    return k.m.where((width < 0) | (height < 0), 0, width * height)


def shared_area(k: ThreadCode, a: Box, b: Box) -> Value:
    """The area of the intersection."""
    sides = [
        k.m.maximum(k.m.minimum(a[i + 2], b[i + 2]) - k.m.maximum(a[i], b[i]), 0) for i in (0, 1)
    ]
    return sides[0] * sides[1]


def overlap(k: ThreadCode, a: Box, b: Box) -> Value:
    """The intersection over union; 0 where there is no intersection."""
    shared = shared_area(k, a, b)
    union = area(k, a) + area(k, b) - shared
    return k.m.where(shared > 0, shared / k.m.where(shared > 0, union, 1), 0)


# -- overlaps -----------------------------------------------------------------------------------


def _overlap_of_pair(k: ThreadCode, by_center: bool) -> None:
    i, j = k.divided(k.thread, k["others"])
    boxes = [read_box(k, operand, index * 4) for operand, index in ((0, i), (1, j))]
    if by_center:
        boxes = [as_corners(box) for box in boxes]
    k.write(2, k.thread, overlap(k, *boxes))


def overlaps(plan: ThreadPlan) -> bool:
    """The overlap of every box with every other."""
    others = prod(plan.shape(plan.inputs[1])[:-1])
    operands = (*plan.inputs, plan.output)
    by_center = plan.settings["format"] == "center"
    plan.kernel(_overlap_of_pair, operands, plan.size(plan.output), by_center, others=others)
    return True


# -- offsets from anchors -----------------------------------------------------------------------


def encoded(k: ThreadCode, box: Box, anchor: Box) -> list[Value]:
    """A box, given by corners, as offsets from an anchor."""
    own, other = as_center(box), as_center(anchor)
    shifts = [(own[i] - other[i]) / other[i + 2] for i in (0, 1)]
    return [*shifts, *(k.m.log(own[i] / other[i]) for i in (2, 3))]


def decoded(
    k: ThreadCode, change: Sequence[Value], anchor: Box, factors: Sequence[float], clip: float
) -> Box:
    """The corners of a box given by offsets from an anchor's centre and size."""
    scaled = [number * factor for number, factor in zip(change, factors, strict=True)]
    growths = [k.m.minimum(each, clip) if clip > 0 else each for each in scaled[2:]]
    low, high = [], []
    for i in (0, 1):
        middle = scaled[i] * anchor[i + 2] + anchor[i]
        half = k.m.exp(growths[i]) * anchor[i + 2] * 0.5
        low.append(middle - half)
        high.append(middle + half)
    return low[0], low[1], high[0], high[1]


def _encode(k: ThreadCode, has_boxes: bool) -> None:
    batch, _ = k.divided(k.thread, k["anchors"])
    anchor = read_box(k, 2, k.thread * 4)
    box: Box = tuple(number * 0 for number in anchor)  # type: ignore[assignment]
    if has_boxes:
        index = k.clipped(k.to_index(k.read(1, k.thread)), k["boxes"])
        box = read_box(k, 3, (batch * k["boxes"] + index) * 4)
    trained = k.read(0, k.thread) > 0.5
    for i, offset in enumerate(encoded(k, box, anchor)):
        target = (offset - k.read(4, i)) / k.read(5, i)
        k.write(6, k.thread * 4 + i, k.m.where(trained, target, 0))
        k.write(7, k.thread * 4 + i, k.m.where(trained, k.constant(1), 0))


def encode(plan: ThreadPlan) -> bool:
    """Boxes as offsets from anchors."""
    anchors, boxes = plan.shape(plan.inputs[2])[1], plan.shape(plan.inputs[3])[1]
    threads = plan.size(plan.inputs[0])
    operands = (*plan.inputs, *plan.outputs)
    plan.kernel(_encode, operands, threads, boxes > 0, anchors=anchors, boxes=boxes)
    return True


def _decode(k: ThreadCode, factors: tuple[float, ...], clip: float, by_corners: bool) -> None:
    _, number = k.divided(k.thread, k["anchors"])
    anchor = read_box(k, 1, number * 4)
    if by_corners:
        anchor = as_center(anchor)
    box = decoded(k, read_box(k, 0, k.thread * 4), anchor, factors, clip)
    write_box(k, 2, k.thread * 4, box)


def decode(plan: ThreadPlan) -> bool:
    """Boxes from offsets from anchors."""
    settings = plan.settings
    factors = tuple(settings[f"std{i}"] for i in range(4))
    anchors = plan.shape(plan.inputs[1])[1]
    statics = factors, settings["clip"], settings["format"] == "corner"
    operands = (*plan.inputs, plan.output)
    plan.kernel(_decode, operands, plan.size(plan.output) // 4, *statics, anchors=anchors)
    return True


# -- default boxes ------------------------------------------------------------------------------


def chosen(k: ThreadCode, index: Value, numbers: Sequence[float]) -> Value:
    """One of several float32 numbers."""
    single = np.float32
    result = k.m.constant(float(single(numbers[0])), single)
    for i, number in enumerate(numbers[1:], 1):
        result = k.m.where(index == i, float(single(number)), result)
    return result


def _prior(
    k: ThreadCode,
    sizes: tuple[float, ...],
    ratios: tuple[float, ...],
    steps: tuple[float, ...],
    offsets: tuple[float, ...],
    clips: bool,
) -> None:
    count = len(sizes)
    row, column, kind = k.digits(k.thread, [k["height"], k["width"], k.constant(count)])
    single = np.float32
    y, x = (
        (k.m.astype(index, single) + float(single(offset))) * float(single(step))
        for index, offset, step in zip((row, column), offsets, steps, strict=True)
    )
    size, ratio = chosen(k, kind, sizes), chosen(k, kind, ratios)
    height, width = (k.m.astype(k[name], single) for name in ("height", "width"))
    across, down = size * height / width * ratio * 0.5, size / ratio * 0.5
    box = [x - across, y - down, x + across, y + down]
    if clips:
        box = [k.m.minimum(k.m.maximum(number, 0), 1) for number in box]
    write_box(k, 0, k.thread * 4, box)


def prior(plan: ThreadPlan) -> bool:
    """Default boxes around each pixel of a feature map."""
    n = plan.settings
    height, width = plan.shape(plan.inputs[0])[2:4]
    steps = n["steps"] if min(n["steps"]) > 0 else (1 / max(height, 1), 1 / max(width, 1))
    sizes = (*n["sizes"], *[n["sizes"][0]] * (len(n["ratios"]) - 1))
    ratios = (*[n["ratios"][0]] * len(n["sizes"]), *n["ratios"][1:])
    roots = tuple(float(np.sqrt(np.float32(ratio))) for ratio in ratios)
    statics = sizes, roots, steps, n["offsets"], n["clip"]
    threads = plan.size(plan.output) // 4
    plan.kernel(_prior, (plan.output,), threads, *statics, height=height, width=width)
    return True
