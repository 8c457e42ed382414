"""Images sampled at fractional positions: a thread for each sample, or for each pixel of the gradient."""

from __future__ import annotations

from math import prod

from gluonic.codegen.maths.values import Value
from gluonic.codegen.threads.sorting import of_target, sorted_order
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import ThreadPlan
from gluonic.graph.ops.sampling import pixels_along

_CORNERS = 4


def _corner(
    k: ThreadCode, grid: int, batch: Value, position: Value, orders: tuple[int, int], corner: int
) -> tuple[Value, Value]:
    """One of the four pixels around a position, and its weight."""
    places, weights = [], []
    for axis, name in ((1, "height"), (0, "width")):
        at = k.read(grid, (batch * 2 + axis) * k["positions"] + position)
        extent = k.m.astype(k[name], at.dtype)
        side = corner // 2 if axis else corner % 2
        place, weight = pixels_along(k.m, at, extent, orders[axis])[side]
        places.append(k.to_index(place))
        weights.append(weight)
    return places[0] * k["width"] + places[1], weights[0] * weights[1]


def _sample(k: ThreadCode, orders: tuple[int, int]) -> None:
    """Write a sample."""
    plane, position = k.divided(k.thread, k["positions"])
    batch, _ = k.divided(plane, k["channels"])
    first = plane * k["height"] * k["width"]
    total = k.m.constant(0, k.read(0, 0).dtype)
    for corner in range(_CORNERS):
        pixel, weight = _corner(k, 1, batch, position, orders, corner)
        total = total + k.read(0, first + pixel) * weight
    k.write(2, k.thread, total)


def _sizes(plan: ThreadPlan, images: int) -> dict[str, int]:
    _, channels, height, width = plan.shape(plan.inputs[images])
    positions = prod(plan.shape(plan.named["grid"])[2:])
    return {"channels": channels, "height": height, "width": width, "positions": positions}


def _orders(plan: ThreadPlan) -> tuple[int, int]:
    return plan.settings.get("x_order", 0), plan.settings.get("y_order", 0)


def sampled(plan: ThreadPlan) -> bool:
    """Samples of images."""
    if not plan.size(plan.inputs[0]):
        return False
    operands, threads = (*plan.inputs, plan.output), plan.size(plan.output)
    plan.kernel(_sample, operands, threads, _orders(plan), **_sizes(plan, 0))
    return True


def _pixel_of_corner(k: ThreadCode, orders: tuple[int, int]) -> None:
    """Write the pixel, of all images, that a corner is."""
    batch, position, number = k.digits(k.thread, [k["batch"], k["positions"], k.constant(_CORNERS)])
    pixel = _corner(k, 0, batch, position, orders, 0)[0]
    for corner in range(1, _CORNERS):
        other = _corner(k, 0, batch, position, orders, corner)[0]
        pixel = k.m.where(number == corner, other, pixel)
    k.write(1, k.thread, batch * k["height"] * k["width"] + pixel)


def _back(k: ThreadCode, orders: tuple[int, int]) -> None:
    """Write the gradient of a pixel; operands: gradient, grid, pixels of corners, their order, result."""
    plane, pixel = k.divided(k.thread, k["height"] * k["width"])
    batch, _ = k.divided(plane, k["channels"])

    def share(entry: Value) -> Value:
        sample, number = k.divided(entry, k.constant(_CORNERS))
        _, position = k.divided(sample, k["positions"])
        weight = _corner(k, 1, batch, position, orders, 0)[1]
        for corner in range(1, _CORNERS):
            other = _corner(k, 1, batch, position, orders, corner)[1]
            weight = k.m.where(number == corner, other, weight)
        return k.read(0, plane * k["positions"] + position) * weight

    target = batch * k["height"] * k["width"] + pixel
    total = k.variable(k.m.constant(0, k.read(0, 0).dtype))
    with of_target(k, 2, 3, target) as entry:
        total.set(total.now + share(entry))
    k.write(4, k.thread, total.now)


def sampled_back(plan: ThreadPlan) -> bool:
    """The gradient of the pixels."""
    grad, data, grid = plan.inputs
    batch = plan.shape(data)[0]
    if not plan.size(data) or not plan.size(grad):
        return False
    sizes, orders = _sizes(plan, 1), _orders(plan)
    pixels = plan.scratch(batch * sizes["positions"] * _CORNERS, plan.index)
    plan.kernel(_pixel_of_corner, (grid, pixels), pixels.count, orders, batch=batch, **sizes)
    order = sorted_order(plan, pixels, 1, pixels.count, 1, ascending=True)
    operands = (grad, grid, pixels, order, plan.output)
    threads = plan.size(plan.output)
    plan.kernel(_back, operands, threads, orders, count=pixels.count, **sizes)
    return True
