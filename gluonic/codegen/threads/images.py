"""Images that are resized or unfolded into columns, and grids of positions: a thread for each element."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from types import SimpleNamespace

from gluonic.codegen.maths.values import FLOAT64, Value
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import ThreadPlan
from gluonic.graph.attributes import Shape
from gluonic.graph.ops.resampling import Averaging, Interpolation, Resampling
from gluonic.graph.ops.windows import Windows, windows_of

# -- resizing -----------------------------------------------------------------------------------


def _exact(k: ThreadCode, value: Value) -> Value:
    return k.m.astype(value, FLOAT64)


def _range(k: ThreadCode, ends: tuple[Value, Value]) -> tuple[Value, Value]:
    first, end = (k.to_index(each) for each in ends)
    return first, end


def _resize(k: ThreadCode, resampling: Resampling, is_back: bool) -> None:
    """Write a pixel: the sum of those of the other size that it comes from, or that come from it."""
    image, row, column = k.digits(k.thread, [k["images"], k["height"], k["width"]])
    own = [_exact(k, index) for index in (row, column)]
    sizes = [(k["height"], k["other_height"]), (k["width"], k["other_width"])]
    ranges = []
    for index, (size, other) in zip(own, sizes, strict=True):
        ends = (
            resampling.targets(k.m, index, _exact(k, size), _exact(k, other))
            if is_back
            else resampling.sources(k.m, index, _exact(k, other), _exact(k, size))
        )
        ranges.append(_range(k, ends))

    def weight(axis: int, other: Value) -> Value:
        size, others = (_exact(k, each) for each in sizes[axis])
        index = _exact(k, other)
        if is_back:
            return resampling.weight(k.m, index, own[axis], size, others)  # type: ignore[no-any-return]
        return resampling.weight(k.m, own[axis], index, others, size)  # type: ignore[no-any-return]

    dtype = k.read(0, 0).dtype
    total = k.variable(k.m.constant(0, dtype))
    with k.each(*ranges[0]) as i:
        down = k.m.astype(weight(0, i), dtype)
        with k.each(*ranges[1]) as j:
            place = (image * k["other_height"] + i) * k["other_width"] + j
            total.set(total.now + down * k.m.astype(weight(1, j), dtype) * k.read(0, place))
    k.write(1, k.thread, total.now)


def _resized(plan: ThreadPlan, resampling: Resampling) -> bool:
    is_back = "grad" in plan.named
    source, target = plan.shape(plan.inputs[0]), plan.shape(plan.output)
    if 0 in source:
        return False
    numbers = {
        "images": prod(target[:2]),
        "height": target[2],
        "width": target[3],
        "other_height": source[2],
        "other_width": source[3],
    }
    operands = (plan.inputs[0], plan.output)
    plan.kernel(_resize, operands, plan.size(plan.output), resampling, is_back, **numbers)
    return True


def interpolated(plan: ThreadPlan) -> bool:
    """Images resized by interpolation, or the gradient."""
    return _resized(plan, Interpolation(plan.settings["align_corners"]))


def averaged(plan: ThreadPlan) -> bool:
    """Means over parts of images, or the gradient."""
    return _resized(plan, Averaging())


# -- windows as columns -------------------------------------------------------------------------


def _windows(plan: ThreadPlan) -> Windows:
    n = SimpleNamespace(**plan.settings)
    return windows_of(n.kernel, n.stride, n.pad, n.dilate)


def _window_numbers(windows: Windows, image: Shape) -> dict[str, int | Sequence[int]]:
    counts = windows.counts(image[2:])
    return {
        "batch": image[0],
        "channels": image[1],
        "size": image[2:],
        "count": [*counts],
        "tap": windows.kernel,
        "stride": windows.stride,
        "dilate": windows.dilate,
        "pad": windows.pad,
    }


def _unfold(k: ThreadCode, rank: int) -> None:
    """Write an element of a column."""
    taps, counts = k.numbers_of("tap", rank), k.numbers_of("count", rank)
    digits = k.digits(k.thread, [k["batch"], k["channels"], *taps, *counts])
    plane, inside = digits[0] * k["channels"] + digits[1], digits[0] >= 0
    place = plane
    for axis in range(rank):
        at = digits[2 + rank + axis] * k[f"stride{axis}"] - k[f"pad{axis}"]
        at = at + digits[2 + axis] * k[f"dilate{axis}"]
        inside = inside & (at >= 0) & (at < k[f"size{axis}"])
        place = place * k[f"size{axis}"] + at
    k.write(1, k.thread, k.read_if(inside, 0, place, 0))


def _fold(k: ThreadCode, taps: tuple[int, ...]) -> None:
    """Write a pixel: the sum of the elements of columns that it is in."""
    rank = len(taps)
    sizes, counts = k.numbers_of("size", rank), k.numbers_of("count", rank)
    batch, channel, *at = k.digits(k.thread, [k["batch"], k["channels"], *sizes])
    total = k.variable(k.m.constant(0, k.read(0, 0).dtype))
    rows = batch * k["channels"] + channel

    def go_on(axis: int, row: Value, column: Value) -> None:
        if axis == rank:
            columns = counts[0]
            for count in counts[1:]:
                columns = columns * count
            total.set(total.now + k.read(0, row * columns + column))
            return
        with k.each(0, taps[axis]) as tap:
            moved = at[axis] + k[f"pad{axis}"] - tap * k[f"dilate{axis}"]
            window, rest = k.divided(k.m.maximum(moved, 0), k[f"stride{axis}"])
            with k.only_if((moved >= 0) & (rest == 0) & (window < counts[axis])):
                go_on(axis + 1, row * taps[axis] + tap, column * counts[axis] + window)

    go_on(0, rows, k.constant(0))
    k.write(1, k.thread, total.now)


def unfolded(plan: ThreadPlan) -> bool:
    """Windows as columns."""
    windows, operands = _windows(plan), (plan.inputs[0], plan.output)
    numbers = _window_numbers(windows, plan.shape(plan.inputs[0]))
    plan.kernel(_unfold, operands, plan.size(plan.output), len(windows.kernel), **numbers)
    return True


def folded(plan: ThreadPlan) -> bool:
    """Sums of columns at the positions of their windows."""
    windows, operands = _windows(plan), (plan.inputs[0], plan.output)
    numbers = _window_numbers(windows, plan.shape(plan.output))
    taps = tuple(windows.kernel)
    plan.kernel(_fold, operands, plan.size(plan.output), taps, **numbers)
    return True


# -- grids of positions -------------------------------------------------------------------------


def _scale(k: ThreadCode, is_grid: bool) -> None:
    """Write a coordinate: a distance in pixels as a difference of positions, or a position."""
    _, axis, row, column = k.digits(k.thread, [k["batch"], k.constant(2), k["height"], k["width"]])
    length = k.m.where(axis == 0, k["width"], k["height"])
    value = k.read(0, k.thread)
    if is_grid:
        value = value + k.m.astype(k.m.where(axis == 0, column, row), value.dtype)
    factor = 2 / _exact(k, k.m.maximum(length - 1, 1))
    scaled = value * k.m.astype(factor, value.dtype)
    k.write(1, k.thread, scaled - 1 if is_grid else scaled)


def _scaled(plan: ThreadPlan, *, is_grid: bool) -> bool:
    batch, _, height, width = plan.shape(plan.output)
    numbers = {"batch": batch, "height": height, "width": width}
    operands = (plan.inputs[0], plan.output)
    plan.kernel(_scale, operands, plan.size(plan.output), is_grid, **numbers)
    return True


def scaled_flow(plan: ThreadPlan) -> bool:
    """Distances in pixels as differences of positions."""
    return _scaled(plan, is_grid=False)


def warped_grid(plan: ThreadPlan) -> bool:
    """Positions displaced by distances in pixels."""
    return plan.settings["transform_type"] == "warp" and _scaled(plan, is_grid=True)
