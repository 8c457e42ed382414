"""Means over parts of regions that have channels of their own, forward and backward."""

from __future__ import annotations

from gluonic.codegen.maths.values import Value
from gluonic.codegen.threads.regions import between, column_of, pixel_at, rounded, sizes_of
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import ThreadPlan


def part_of(
    k: ThreadCode, start: Value, end: Value, index: Value, count: int, length: Value
) -> tuple[Value, Value]:
    """The pixels that one of several parts of a range averages over."""
    dtype = start.dtype
    size = k.m.maximum(end - start, 0.1) / float(count)
    position = k.m.astype(index, dtype)
    limit = k.m.astype(length, dtype)
    first = between(k, k.m.floor(position * size + start), 0, limit)
    last = between(k, k.m.ceil((position + 1) * size + start), 0, limit)
    return k.to_index(first), k.to_index(last)


def corners(k: ThreadCode, rois: int, region: Value, scale: float) -> list[Value]:
    """Left, top, right and bottom of a region, in pixels."""
    whole = [rounded(k, column_of(k, rois, region, c, 5)) for c in range(1, 5)]
    kind = k.read(rois, 0).dtype
    pairs = zip(whole, (0, 0, 1, 1), strict=True)
    return [k.m.astype(each + extra, kind) * scale for each, extra in pairs]


def _part_mean(k: ThreadCode, parts: int, groups: int, scale: float) -> None:
    """Write the mean of a part."""
    extents = [k["regions"], k["shown"], k.constant(parts), k.constant(parts)]
    region, channel, i, j = k.digits(k.thread, extents)
    image = k.to_index(column_of(k, 1, region, 0, 5))
    left, top, right, bottom = corners(k, 1, region, scale)
    first, last = part_of(k, top, bottom, i, parts, k["height"])
    begin, end = part_of(k, left, right, j, parts, k["width"])
    row_group, column_group = (k.divided(each * groups, k.constant(parts))[0] for each in (i, j))
    own = (channel * groups + row_group) * groups + column_group
    total = k.variable(k.m.constant(0, k.read(0, 0).dtype))
    inside = (image >= 0) & (image < k["batch"])
    with k.only_if(inside), k.each(first, last) as row, k.each(begin, end) as column:
        total.set(total.now + k.read(0, pixel_at(k, image, own, row, column)))
    count = k.m.maximum(last - first, 1) * k.m.maximum(end - begin, 1)
    k.write(2, k.thread, total.now / k.m.astype(count, total.dtype))


def _part_mean_back(k: ThreadCode, parts: int, groups: int, scale: float) -> None:
    """Write the gradient of a pixel."""
    image, own, row, column = k.digits(
        k.thread, [k["batch"], k["channels"], k["height"], k["width"]]
    )
    channel, row_group, column_group = k.digits(
        own, [k["shown"], k.constant(groups), k.constant(groups)]
    )
    total = k.variable(k.m.constant(0, k.read(0, 0).dtype))
    with k.each(0, k["regions"]) as region:
        is_own = k.to_index(column_of(k, 1, region, 0, 5)) == image
        with k.only_if(is_own), k.each(0, parts) as i, k.each(0, parts) as j:
            left, top, right, bottom = corners(k, 1, region, scale)
            first, last = part_of(k, top, bottom, i, parts, k["height"])
            begin, end = part_of(k, left, right, j, parts, k["width"])
            rows, columns = (k.divided(each * groups, k.constant(parts))[0] for each in (i, j))
            has = (rows == row_group) & (columns == column_group)
            has = has & (row >= first) & (row < last) & (column >= begin) & (column < end)
            with k.only_if(has):
                place = ((region * k["shown"] + channel) * parts + i) * parts + j
                count = k.m.astype((last - first) * (end - begin), total.dtype)
                total.set(total.now + k.read(0, place) / count)
    k.write(2, k.thread, total.now)


def part_statics(plan: ThreadPlan) -> tuple[int, int, float]:
    """The parts along a side of a region, the groups of channels, and the scale."""
    n = plan.settings
    return n["pooled_size"], n["group_size"] or n["pooled_size"], n["spatial_scale"]


def part_means(plan: ThreadPlan) -> bool:
    """Means over parts of regions that have channels of their own, or their gradient."""
    statics, n = part_statics(plan), plan.settings
    is_back = "grad" in plan.named
    body, first = (_part_mean_back, plan.named["grad"]) if is_back else (_part_mean, plan.inputs[0])
    operands = (first, plan.named["rois"], plan.output)
    sizes = sizes_of(plan, int(is_back))
    plan.kernel(body, operands, plan.size(plan.output), *statics, shown=n["output_dim"], **sizes)
    return True
