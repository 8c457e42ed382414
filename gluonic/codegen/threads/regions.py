"""Pooling over regions of interest, forward and backward: a thread for each part, or for each pixel.

The gradient of a pixel is gathered from the parts of all regions, in order, so nothing is added atomically.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, pi
from typing import NamedTuple

from gluonic.codegen.maths.elements import as_stored
from gluonic.codegen.maths.values import Value
from gluonic.codegen.threads.scatters import add_at_flat
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import ThreadPlan


def sizes_of(plan: ThreadPlan, images: int = 0) -> dict[str, int]:
    """The extents of images and regions; the images are an input or, backwards, the output."""
    entry = plan.inputs[images]
    _, channels, height, width = plan.shape(entry)
    regions = plan.shape(plan.named["rois"])[0]
    batch = plan.shape(entry)[0]
    return {
        "batch": batch, "channels": channels, "height": height, "width": width, "regions": regions,
    }  # fmt: skip


def column_of(k: ThreadCode, rois: int, region: Value, column: int, columns: int) -> Value:
    """A number of a region."""
    return k.read(rois, region * columns + column)


def pixel_at(k: ThreadCode, image: Value, channel: Value, row: Value, column: Value) -> Value:
    """The flat index of a pixel."""
    return ((image * k["channels"] + channel) * k["height"] + row) * k["width"] + column


def between(k: ThreadCode, value: Value, low: float, high: Value | float) -> Value:
    """The nearest number between two."""
    return k.m.minimum(k.m.maximum(value, low), high)


# -- maxima -------------------------------------------------------------------------------------


def rounded(k: ThreadCode, value: Value) -> Value:
    """Halves away from zero, as C rounds."""
    return k.to_index(k.m.trunc(value + k.m.copysign(k.m.constant(0.5, value.dtype), value)))


def _bin(
    k: ThreadCode, start: Value, end: Value, index: Value, count: int, limit: Value
) -> tuple[Value, Value]:
    """The pixels of one of several parts of a range."""
    exact = k.read(0, 0).dtype
    size = k.m.astype(k.m.maximum(end - start + 1, 1), exact) / float(count)
    position = k.m.astype(index, exact)
    first = k.to_index(k.m.floor(position * size)) + start
    last = k.to_index(k.m.ceil((position + 1) * size)) + start
    low, high = (k.m.minimum(k.m.maximum(each, 0), limit) for each in (first, last))
    return low, high


def _maximum(k: ThreadCode, rows: int, columns: int, scale: float) -> None:
    """Write the maximum of a part, and where it is."""
    extents = [k["regions"], k["channels"], k.constant(rows), k.constant(columns)]
    region, channel, i, j = k.digits(k.thread, extents)
    image = k.to_index(column_of(k, 1, region, 0, 5))
    kind = k.dtypes[1]
    left, top, right, bottom = (
        rounded(k, as_stored(k.m, column_of(k, 1, region, c, 5) * scale, kind)) for c in range(1, 5)
    )
    first, last = _bin(k, top, bottom, i, rows, k["height"])
    begin, end = _bin(k, left, right, j, columns, k["width"])
    best = k.variable(k.m.constant(-inf, k.read(0, 0).dtype))
    place = k.variable(k.constant(-1))
    inside = (image >= 0) & (image < k["batch"])
    with k.only_if(inside), k.each(first, last) as row, k.each(begin, end) as column:
        at = pixel_at(k, image, channel, row, column)
        value = k.read(0, at)
        better = (value > best.now) | (place.now < 0) | k.m.isnan(value)
        better = better & ~(k.m.isnan(best.now) & (place.now >= 0))
        best.set(k.m.where(better, value, best.now))
        place.set(k.m.where(better, at, place.now))
    k.write(2, k.thread, k.m.where(place.now < 0, 0, best.now))
    k.write(3, k.thread, place.now)


def maxima(plan: ThreadPlan) -> bool:
    """Maxima over the parts of regions."""
    n = plan.settings
    statics = (*n["pooled_size"], n["spatial_scale"])
    operands = (*plan.inputs, *plan.outputs)
    plan.kernel(_maximum, operands, plan.size(plan.output), *statics, **sizes_of(plan))
    return True


def back_to_places(plan: ThreadPlan) -> bool:
    """The gradient of elements taken from flat places; negative ones are nowhere."""
    grad, _, places = plan.inputs
    add_at_flat(plan, grad, places, plan.output)
    return True


# -- means of interpolated points -----------------------------------------------------------------


class Side:
    """The points along one side of a region: some in each of several parts.

    Parameters
    ----------
    k : the kernel
    start, end : of the side, in pixels
    parts : the number of parts
    ratio : the points of a part; 0: as many as its length
    aligned : whether regions may be smaller than a pixel
    length : the pixels of the axis
    """

    def __init__(
        self,
        k: ThreadCode,
        start: Value,
        end: Value,
        parts: int,
        ratio: int,
        length: Value,
        *,
        aligned: bool,
    ) -> None:
        self.k, self.start, self.length = k, start, length
        whole = end - start if aligned else k.m.maximum(end - start, 1)
        self.size = whole / float(parts)
        points = k.constant(ratio) if ratio > 0 else k.to_index(k.m.ceil(self.size))
        self.points = k.m.maximum(points, 1)

    def position(self, part: Value, point: Value) -> Value:
        """Where a point is."""
        m, dtype = self.k.m, self.size.dtype
        count = m.astype(self.points, dtype)
        first = self.start + m.astype(part, dtype) * self.size
        return first + (m.astype(point, dtype) + 0.5) * self.size / count

    def neighbours(self, position: Value) -> tuple[Value, Value, Value, Value]:
        """Whether a point counts, the pixels around it, and how far it is from the first."""
        k = self.k
        length = k.m.astype(self.length, position.dtype)
        inside = (position >= -1) & (position <= length)
        within = between(k, position, 0, length - 1)
        below = k.to_index(within)
        share = within - k.m.astype(below, within.dtype)
        return inside, below, k.m.minimum(below + 1, self.length - 1), share

    def weight(self, part: Value, pixel: Value) -> Value:
        """The weight of a pixel in a part."""
        k = self.k
        total = k.variable(k.m.constant(0, self.size.dtype))
        with k.each(0, self.points) as point:
            inside, below, above, share = self.neighbours(self.position(part, point))
            own = k.m.where(below == pixel, 1 - share, 0) + k.m.where(above == pixel, share, 0)
            total.set(total.now + k.m.where(inside, own, 0))
        return total.now / k.m.astype(self.points, self.size.dtype)


class MeansOfParts(NamedTuple):
    """What the code of means over the parts of regions depends on.

    Attributes
    ----------
    parts : the parts of a region, down and across
    columns : those of the array of regions; the first of five is the image
    scale : from its numbers to pixels
    ratio : the points of a part along a side; 0: as many as its length
    aligned : whether pixels are where their centres are, and regions may be smaller than one
    sensitive : whether each part has channels of its own
    """

    parts: tuple[int, int]
    columns: int
    scale: float
    ratio: int
    aligned: bool
    sensitive: bool

    @classmethod
    def of(cls, plan: ThreadPlan) -> MeansOfParts:
        """Those of an operator."""
        n = plan.settings
        rows, across = n["pooled_size"]
        columns = plan.shape(plan.named["rois"])[1]
        scale, ratio = n["spatial_scale"], n["sample_ratio"]
        return cls((rows, across), columns, scale, ratio, n["aligned"], n["position_sensitive"])

    def sides(self, k: ThreadCode, region: Value) -> tuple[Side, Side]:
        """The sides of a region of the second operand: down and across."""
        dtype, shift = k.read(0, 0).dtype, 0.5 if self.aligned else 0.0
        first = self.columns - 4
        left, top, right, bottom = (
            k.m.astype(column_of(k, 1, region, first + c, self.columns), dtype) * self.scale - shift
            for c in range(4)
        )
        (rows, across), ratio = self.parts, self.ratio
        down = Side(k, top, bottom, rows, ratio, k["height"], aligned=self.aligned)
        return down, Side(k, left, right, across, ratio, k["width"], aligned=self.aligned)

    def image(self, k: ThreadCode, region: Value) -> Value:
        """The image of a region; the first if regions do not say."""
        return k.to_index(column_of(k, 1, region, 0, 5)) if self.columns == 5 else k.constant(0)


def _align(k: ThreadCode, form: MeansOfParts) -> None:
    """Write the mean of a part's points."""
    parts = form.parts
    extents = [k["regions"], k["shown"], k.constant(parts[0]), k.constant(parts[1])]
    region, channel, i, j = k.digits(k.thread, extents)
    if form.sensitive:
        channel = (channel * parts[0] + i) * parts[1] + j
    image = form.image(k, region)
    down, across = form.sides(k, region)
    total = k.variable(k.m.constant(0, k.read(0, 0).dtype))
    inside = (image >= 0) & (image < k["batch"])
    with k.only_if(inside), k.each(0, down.points) as y, k.each(0, across.points) as x:
        value = _interpolated(
            k,
            lambda row, column: k.read(0, pixel_at(k, image, channel, row, column)),
            down.neighbours(down.position(i, y)),
            across.neighbours(across.position(j, x)),
        )
        total.set(total.now + value)
    count = k.m.astype(down.points * across.points, total.dtype)
    k.write(2, k.thread, total.now / count)


def _interpolated(
    k: ThreadCode,
    read: Callable[[Value, Value], Value],
    down: tuple[Value, Value, Value, Value],
    across: tuple[Value, Value, Value, Value],
) -> Value:
    """The value between four pixels; 0 outside."""
    (in_y, top, bottom, dy), (in_x, left, right, dx) = down, across
    upper = read(top, left) * (1 - dx) + read(top, right) * dx
    lower = read(bottom, left) * (1 - dx) + read(bottom, right) * dx
    return k.m.where(in_y & in_x, upper * (1 - dy) + lower * dy, 0)


def _align_back(k: ThreadCode, form: MeansOfParts) -> None:
    """Write the gradient of a pixel."""
    image, channel, row, column = k.digits(
        k.thread, [k["batch"], k["channels"], k["height"], k["width"]]
    )
    parts = form.parts
    count = k.constant(parts[0] * parts[1])
    shown, own_part = k.divided(channel, count) if form.sensitive else (channel, channel)
    total = k.variable(k.m.constant(0, k.read(0, 0).dtype))
    with k.each(0, k["regions"]) as region, k.only_if(form.image(k, region) == image):
        down, across = form.sides(k, region)
        with k.each(0, parts[0]) as i:
            by_row = down.weight(i, row)
            with k.only_if(by_row != 0), k.each(0, parts[1]) as j:
                weight = by_row * across.weight(j, column)
                if form.sensitive:
                    weight = k.m.where(own_part == i * parts[1] + j, weight, 0)
                place = ((region * k["shown"] + shown) * parts[0] + i) * parts[1] + j
                total.set(total.now + weight * k.read(0, place))
    k.write(2, k.thread, total.now)


def means(plan: ThreadPlan) -> bool:
    """Means over the points in the parts of regions."""
    if not plan.size(plan.inputs[0]):
        return False
    operands, shown = (*plan.inputs, plan.output), plan.shape(plan.output)[1]
    threads, static = plan.size(plan.output), MeansOfParts.of(plan)
    plan.kernel(_align, operands, threads, static, shown=shown, **sizes_of(plan))
    return True


def means_back(plan: ThreadPlan) -> bool:
    """The gradient of such means."""
    grad, _, rois = plan.inputs
    operands, shown = (grad, rois, plan.output), plan.shape(grad)[1]
    threads, static = plan.size(plan.output), MeansOfParts.of(plan)
    plan.kernel(_align_back, operands, threads, static, shown=shown, **sizes_of(plan, 1))
    return True


# -- rotated regions ----------------------------------------------------------------------------


def _align_rotated(k: ThreadCode, parts: tuple[int, int], scale: float, ratio: int) -> None:
    """Write the mean of the points of a part of a rotated region."""
    extents = [k["regions"], k["channels"], k.constant(parts[0]), k.constant(parts[1])]
    region, channel, i, j = k.digits(k.thread, extents)
    image = k.to_index(column_of(k, 1, region, 0, 6))
    x, y, width, height = (column_of(k, 1, region, c, 6) * scale for c in range(1, 5))
    angle = column_of(k, 1, region, 5, 6) * (pi / 180)
    sine, cosine = k.m.sin(angle), k.m.cos(angle)
    down, across = (
        Side(k, k.m.maximum(size, 1) * -0.5, k.m.maximum(size, 1) * 0.5, count, ratio, length,
              aligned=True)
        for size, count, length in (
            (height, parts[0], k["height"]), (width, parts[1], k["width"]),
        )
    )  # fmt: skip
    total = k.variable(k.m.constant(0, k.read(0, 0).dtype))
    inside = (image >= 0) & (image < k["batch"])
    with k.only_if(inside), k.each(0, down.points) as p, k.each(0, across.points) as q:
        below, beside = down.position(i, p), across.position(j, q)
        value = _interpolated(
            k,
            lambda row, column: k.read(0, pixel_at(k, image, channel, row, column)),
            down.neighbours(below * cosine - beside * sine + y),
            across.neighbours(beside * cosine + below * sine + x),
        )
        total.set(total.now + value)
    k.write(2, k.thread, total.now / k.m.astype(down.points * across.points, total.dtype))


def rotated_means(plan: ThreadPlan) -> bool:
    """Means over the points in the parts of rotated regions."""
    if not plan.size(plan.inputs[0]):
        return False
    n, operands = plan.settings, (*plan.inputs, plan.output)
    rows, columns = n["pooled_size"]
    statics = (rows, columns), n["spatial_scale"], n["sampling_ratio"]
    plan.kernel(_align_rotated, operands, plan.size(plan.output), *statics, **sizes_of(plan))
    return True
