"""Means over regions of interest on the host, where one thread does the work of many.

What a point of a region reads is found once for many channels, and the gradients of a region are added to its
pixels, so that no pixel looks through all regions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gluonic.codegen.maths.values import Value, arithmetic
from gluonic.codegen.threads import region_parts, regions
from gluonic.codegen.threads.gathers import write_zero
from gluonic.codegen.threads.region_parts import corners, part_of
from gluonic.codegen.threads.regions import MeansOfParts, Side, column_of
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import ThreadPlan

_CHANNELS = 8
"""How many channels a thread adds gradients to."""


def _fits(plan: ThreadPlan) -> bool:
    """Whether sums are kept in the result: on the host, if it has the dtype of the arithmetic."""
    dtype = plan.dtype(plan.output)
    return plan.is_host and dtype == arithmetic(dtype)


@contextmanager
def _points(
    k: ThreadCode, down: Side, across: Side, i: Value, j: Value
) -> Iterator[list[tuple[Value, Value]]]:
    """Write loops over the points of a part: four pixels of a plane, and the weight of each in the mean."""
    share = 1 / k.m.astype(down.points * across.points, down.size.dtype)
    with k.each(0, down.points) as y:
        in_y, top, bottom, dy = down.neighbours(down.position(i, y))
        with k.each(0, across.points) as x:
            in_x, left, right, dx = across.neighbours(across.position(j, x))
            with k.only_if(in_y & in_x):
                yield [
                    (row * k["width"] + column, by_row * by_column * share)
                    for row, by_row in ((top, 1 - dy), (bottom, dy))
                    for column, by_column in ((left, 1 - dx), (right, dx))
                ]


def _plane(
    k: ThreadCode,
    image: Value,
    shown: Value,
    part: tuple[Value, Value],
    own: tuple[int, int] | None,
) -> Value:
    """The first pixel of the plane that a part of a channel of the result reads: its own, or the channel's."""
    channel = shown if own is None else (shown * own[0] + part[0]) * own[1] + part[1]
    return (image * k["channels"] + channel) * k["height"] * k["width"]


def _place(
    k: ThreadCode, region: Value, shown: Value, i: Value, j: Value, parts: tuple[int, int]
) -> Value:
    return ((region * k["shown"] + shown) * parts[0] + i) * parts[1] + j


def _align(k: ThreadCode, form: MeansOfParts) -> None:
    """Write the means of a part of a region, in all channels."""
    parts = form.parts
    region, i, j = k.digits(k.thread, [k["regions"], *map(k.constant, parts)])
    image = form.image(k, region)
    with k.each(0, k["shown"]) as shown:
        k.write(2, _place(k, region, shown, i, j, parts), 0)
    inside = (image >= 0) & (image < k["batch"])
    down, across = form.sides(k, region)
    with (
        k.only_if(inside),
        _points(k, down, across, i, j) as pixels,
        k.each(0, k["shown"]) as shown,
    ):
        plane = _plane(k, image, shown, (i, j), parts if form.sensitive else None)
        place = _place(k, region, shown, i, j, parts)
        total = k.read(2, place)
        for pixel, weight in pixels:
            total = total + k.read(0, plane + pixel) * weight
        k.write(2, place, total)


def means(plan: ThreadPlan) -> bool:
    """Means over the points in the parts of regions."""
    if not _fits(plan):
        return regions.means(plan)
    sizes, static = regions.sizes_of(plan), MeansOfParts.of(plan)
    operands, shown = (*plan.inputs, plan.output), plan.shape(plan.output)[1]
    threads = sizes["regions"] * static.parts[0] * static.parts[1]
    plan.kernel(_align, operands, threads, static, shown=shown, **sizes)
    return True


def _align_back(k: ThreadCode, form: MeansOfParts) -> None:
    """Add the gradients of some channels of all regions of an image."""
    parts = form.parts
    image, block = k.divided(k.thread, k["blocks"])
    begin = block * _CHANNELS
    end = k.m.minimum(begin + _CHANNELS, k["shown"])
    with (
        k.each(0, k["regions"]) as region,
        k.only_if(form.image(k, region) == image),
    ):
        down, across = form.sides(k, region)
        with (
            k.each(0, parts[0]) as i,
            k.each(0, parts[1]) as j,
            _points(k, down, across, i, j) as pixels,
            k.each(begin, end) as shown,
        ):
            plane = _plane(k, image, shown, (i, j), parts if form.sensitive else None)
            grad = k.read(0, _place(k, region, shown, i, j, parts))
            for pixel, weight in pixels:
                k.write(2, plane + pixel, k.read(2, plane + pixel) + grad * weight)


def means_back(plan: ThreadPlan) -> bool:
    """The gradient of such means."""
    if not _fits(plan):
        return regions.means_back(plan)
    grad, _, rois = plan.inputs
    sizes, shown = regions.sizes_of(plan, 1), plan.shape(grad)[1]
    blocks = -(-shown // _CHANNELS)
    plan.kernel(write_zero, (plan.output,), plan.size(plan.output))
    operands, threads = (grad, rois, plan.output), sizes["batch"] * blocks
    plan.kernel(
        _align_back, operands, threads, MeansOfParts.of(plan), shown=shown, blocks=blocks, **sizes
    )
    return True


def _parts_back(k: ThreadCode, parts: int, groups: int, scale: float) -> None:
    """Add the gradients of a channel of all regions of an image, whose parts have channels of their own."""
    image, channel = k.divided(k.thread, k["shown"])
    with (
        k.each(0, k["regions"]) as region,
        k.only_if(k.to_index(column_of(k, 1, region, 0, 5)) == image),
    ):
        left, top, right, bottom = corners(k, 1, region, scale)
        with k.each(0, parts) as i, k.each(0, parts) as j:
            first, last = part_of(k, top, bottom, i, parts, k["height"])
            begin, end = part_of(k, left, right, j, parts, k["width"])
            across, down = (k.divided(each * groups, k.constant(parts))[0] for each in (j, i))
            own = (channel * groups + down) * groups + across
            plane = (image * k["channels"] + own) * k["height"]
            grad = k.read(0, ((region * k["shown"] + channel) * parts + i) * parts + j)
            share = grad / k.m.astype((last - first) * (end - begin), grad.dtype)
            with k.each(first, last) as row, k.each(begin, end) as column:
                place = (plane + row) * k["width"] + column
                k.write(2, place, k.read(2, place) + share)


def part_means_back(plan: ThreadPlan) -> bool:
    """The gradient of means over parts that have channels of their own."""
    if not _fits(plan):
        return region_parts.part_means(plan)
    sizes, shown = regions.sizes_of(plan, 1), plan.settings["output_dim"]
    operands = (plan.named["grad"], plan.named["rois"], plan.output)
    plan.kernel(write_zero, (plan.output,), plan.size(plan.output))
    statics = region_parts.part_statics(plan)
    plan.kernel(_parts_back, operands, sizes["batch"] * shown, *statics, shown=shown, **sizes)
    return True
