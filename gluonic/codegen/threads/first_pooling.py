"""MXNet's first pooling: padding takes part, and all elements equal to a maximum get its gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, prod
from types import SimpleNamespace

from gluonic.codegen.maths.values import Value
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import ThreadPlan
from gluonic.graph.attributes import Shape
from gluonic.graph.ops.pooling import pool_of
from gluonic.graph.ops.pooling_kernels import Pool

Inner = Callable[[Sequence[Value]], None]


def _each_tap(k: ThreadCode, kernel: tuple[int, ...], body: Inner) -> None:
    """Write loops over the taps of a window: ``body(tap)``."""

    def go_on(tap: tuple[Value, ...]) -> None:
        if len(tap) == len(kernel):
            body(tap)
            return
        with k.each(0, kernel[len(tap)]) as index:
            go_on((*tap, index))

    go_on(())


def _pool(k: ThreadCode, kernel: tuple[int, ...], kind: str) -> None:
    """Write the maximum, the sum or the mean of a window."""
    rank = len(kernel)
    plane, *window = k.digits(k.thread, [k["planes"], *k.numbers_of("count", rank)])
    dtype = k.read(0, 0).dtype
    total = k.variable(k.m.constant(-inf if kind == "max" else 0, dtype))

    def add(tap: Sequence[Value]) -> None:
        place, inside, exists = plane, plane >= 0, plane >= 0
        for axis in range(rank):
            at = window[axis] * k[f"stride{axis}"] + tap[axis]
            exists = exists & (at < k[f"size{axis}"] + k[f"pad{axis}"] * 2)
            at = at - k[f"pad{axis}"]
            inside = inside & (at >= 0) & (at < k[f"size{axis}"])
            place = place * k[f"size{axis}"] + at
        value = k.read_if(inside, 0, place, 0)
        new = k.m.maximum(total.now, value) if kind == "max" else total.now + value
        total.set(k.m.where(exists, new, total.now))

    _each_tap(k, kernel, add)
    count = float(prod(kernel)) if kind == "avg" else 1.0
    k.write(1, k.thread, total.now / count)


def _pool_back(k: ThreadCode, kernel: tuple[int, ...], kind: str) -> None:
    """Write the gradient of an element; operands: gradient, data, pooled, result."""
    rank = len(kernel)
    plane, *index = k.digits(k.thread, [k["planes"], *k.numbers_of("size", rank)])
    own = k.read(1, k.thread)
    total = k.variable(k.m.constant(0, own.dtype))

    def add(tap: Sequence[Value]) -> None:
        place, inside = plane, plane >= 0
        for axis in range(rank):
            at = index[axis] + k[f"pad{axis}"] - tap[axis]
            window, rest = k.divided(k.m.maximum(at, 0), k[f"stride{axis}"])
            inside = inside & (at >= 0) & (rest == 0) & (window < k[f"count{axis}"])
            place = place * k[f"count{axis}"] + window
        with k.only_if(inside):
            value = k.read(0, place)
            if kind == "max":
                value = k.m.where(k.read(2, place) == own, value, 0)
            total.set(total.now + value)

    _each_tap(k, kernel, add)
    count = float(prod(kernel)) if kind == "avg" else 1.0
    k.write(3, k.thread, total.now / count)


def _windows(plan: ThreadPlan, shape: Shape) -> Pool:
    n = SimpleNamespace(**plan.settings)
    partial = pool_of(
        shape,
        "",
        kernel=n.kernel,
        global_pool=n.global_pool,
        pooling_convention=n.pooling_convention,
        stride=n.stride,
        pad=n.pad,
        layout=None,
    )
    return partial.complete()


def pooled(plan: ThreadPlan) -> bool:
    """Windows reduced, or the gradient."""
    is_back = "grad" in plan.named
    data = plan.named["data"]
    shape = plan.shape(data)
    pool, kind = _windows(plan, shape), plan.settings["pool_type"]
    if not plan.size(data):
        return False
    numbers: dict[str, int | Sequence[int]] = {
        "planes": prod(shape[:2]),
        "size": shape[2:],
        "count": pool.counts,
        "stride": pool.stride,
        "pad": pool.pad,
    }
    operands = (*plan.inputs, plan.output)
    body = _pool_back if is_back else _pool
    plan.kernel(body, operands, plan.size(plan.output), tuple(pool.kernel), kind, **numbers)
    return True
