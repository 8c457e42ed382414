"""Patches of images compared with displaced patches of others: a thread for each, or for each pixel."""

from __future__ import annotations

from types import SimpleNamespace

from gluonic.codegen.maths.values import Value
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import ThreadPlan
from gluonic.graph import Entry


def _patches(plan: ThreadPlan, image: Entry, result: Entry) -> dict[str, int]:
    n = SimpleNamespace(**plan.settings)
    batch, channels, height, width = plan.shape(image)
    _, moves, down, across = plan.shape(result)
    radius = n.max_displacement // n.stride2
    return {
        "batch": batch, "channels": channels, "height": height, "width": width, "moves": moves,
        "down": down, "across": across, "side": 2 * radius + 1, "radius": radius,
        "reach": n.max_displacement, "step": n.stride1, "grid": n.stride2, "pad": n.pad_size,
        "kernel": n.kernel_size,
    }  # fmt: skip


def _read_padded(k: ThreadCode, operand: int, plane: Value, row: Value, column: Value) -> Value:
    inside = (row >= 0) & (row < k["height"]) & (column >= 0) & (column < k["width"])
    return k.read_if(inside, operand, (plane * k["height"] + row) * k["width"] + column, 0)


def _displacement(k: ThreadCode, move: Value) -> tuple[Value, Value]:
    down, across = k.divided(move, k["side"])
    return (down - k["radius"]) * k["grid"], (across - k["radius"]) * k["grid"]


def _compare(k: ThreadCode, multiplies: bool) -> None:
    """Write how much a patch is like a displaced one."""
    batch, move, y, x = k.digits(k.thread, [k["batch"], k["moves"], k["down"], k["across"]])
    down, across = _displacement(k, move)
    total = k.variable(k.m.constant(0, k.read(0, 0).dtype))
    top, left = (index * k["step"] + k["reach"] - k["pad"] for index in (y, x))
    with k.each(0, k["kernel"]) as i, k.each(0, k["kernel"]) as j, k.each(0, k["channels"]) as c:
        plane = batch * k["channels"] + c
        first = _read_padded(k, 0, plane, top + i, left + j)
        second = _read_padded(k, 1, plane, top + i + down, left + j + across)
        total.set(total.now + (first * second if multiplies else k.m.abs(first - second)))
    count = k["kernel"] * k["kernel"] * k["channels"]
    k.write(2, k.thread, total.now / k.m.astype(count, total.dtype))


def compared(plan: ThreadPlan) -> bool:
    """Patches of one image compared with displaced patches of another."""
    numbers = _patches(plan, plan.inputs[0], plan.output)
    operands, multiplies = (*plan.inputs, plan.output), plan.settings["is_multiply"]
    plan.kernel(_compare, operands, plan.size(plan.output), multiplies, **numbers)
    return True


def _compare_back(k: ThreadCode, multiplies: bool, is_second: bool) -> None:
    """Write the gradient of a pixel of one of the images; operands: gradient, images, result."""
    extents = [k["batch"], k["channels"], k["height"], k["width"]]
    batch, channel, row, column = k.digits(k.thread, extents)
    plane = batch * k["channels"] + channel
    own = k.read(2 if is_second else 1, k.thread)
    total = k.variable(k.m.constant(0, k.read(0, 0).dtype))
    shift = k["reach"] - k["pad"]
    with k.each(0, k["moves"]) as move:
        down, across = _displacement(k, move)
        sign = -1 if is_second else 1
        other = _read_padded(
            k, 1 if is_second else 2, plane, row + down * sign, column + across * sign
        )
        first = (row - down, column - across) if is_second else (row, column)
        spread = k.variable(k.m.constant(0, total.dtype))
        with k.each(0, k["kernel"]) as i, k.each(0, k["kernel"]) as j:
            at = [index - tap - shift for index, tap in zip(first, (i, j), strict=True)]
            (y, rest_y), (x, rest_x) = (k.divided(k.m.maximum(a, 0), k["step"]) for a in at)
            there = (at[0] >= 0) & (at[1] >= 0) & (rest_y == 0) & (rest_x == 0)
            there = there & (y < k["down"]) & (x < k["across"])
            place = ((batch * k["moves"] + move) * k["down"] + y) * k["across"] + x
            spread.set(spread.now + k.read_if(there, 0, place, 0))
        if multiplies:
            factor = other
        else:
            is_above = (own <= other) if is_second else (own >= other)
            factor = k.m.where(is_above, k.m.constant(1, own.dtype), -1)
            if is_second:
                factor = -factor
        total.set(total.now + spread.now * factor)
    count = k["kernel"] * k["kernel"] * k["channels"]
    k.write(3, k.thread, total.now / k.m.astype(count, total.dtype))


def compared_back(plan: ThreadPlan) -> bool:
    """The gradients of both images."""
    grad, *images = plan.inputs
    numbers, multiplies = _patches(plan, images[0], grad), plan.settings["is_multiply"]
    for is_second, output in enumerate(plan.outputs):
        operands, threads = (*plan.inputs, output), plan.size(output)
        plan.kernel(_compare_back, operands, threads, multiplies, bool(is_second), **numbers)
    return True
