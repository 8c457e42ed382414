"""The same work gives the same bits each time: where threads race, it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import autograd, nd
from tests.gpu.arrays import are_there
from tests.gpu.report import Report
from tests.gpu.workloads import FORWARD, SLOW_EMULATED, STEPS, forward, gradients

_TIMES, _TIMES_EMULATED = 20, 3


def _gradient_of(body: Callable[..., Any], *arrays: Any) -> Callable[[], list[Any]]:
    """A call of a function of arrays on the GPU, and of its gradient."""
    there = [nd.array(array, ctx=mx.gpu(0), dtype=array.dtype) for array in arrays]
    for array in there:
        array.attach_grad()

    def call() -> list[Any]:
        with autograd.record():
            y = body(*there)
        y.backward()
        return [y, *[array.grad for array in there]]

    return call


def _single(small: bool) -> dict[str, Callable[[], list[Any]]]:
    """Operators whose results need many threads for one number."""
    size = 50 if small else 5000
    random = np.random.default_rng(0)
    x = random.standard_normal((size, 33)).astype(np.float32)
    table = random.standard_normal((17, 33)).astype(np.float32)
    rows = random.integers(0, 17, size).astype(np.float32)
    return {
        "sum of all": _gradient_of(lambda a: (a * a).sum(), x),
        "sum of columns": _gradient_of(lambda a: a.sum(axis=0), x),
        "product": _gradient_of(nd.dot, x.T.copy(), x),
        "embedding": _gradient_of(
            lambda i, w: nd.Embedding(i, w, input_dim=17, output_dim=33), rows, table
        ),
        "take": _gradient_of(lambda w, i: nd.take(w, i), table, rows),
        "softmax": _gradient_of(nd.softmax, x),
        "sort": _gradient_of(nd.sort, x),
        "norm": _gradient_of(nd.norm, x),
        "broadcast": _gradient_of(lambda a, b: nd.broadcast_mul(a, b), x, table[:1]),
    }


def whole(report: Report) -> None:
    """Repeat single operators, nets and their gradients."""
    if not are_there(report):
        return
    times = _TIMES_EMULATED if report.small else _TIMES
    works: dict[str, Callable[[], Callable[[], Any]]] = {}
    for name in _single(True):
        works[name] = lambda name=name: _single(report.small)[name]  # type: ignore[misc]
    heavy = {name for name in (*FORWARD, *STEPS) if "64M" in name or "net50" in name}
    for name in FORWARD.keys() - (SLOW_EMULATED if report.small else heavy):
        works[name] = lambda name=name: forward(name, mx.gpu(0), small=report.small)  # type: ignore[misc]
    for name in STEPS.keys() - (SLOW_EMULATED if report.small else heavy):
        works[name] = lambda name=name: gradients(name, mx.gpu(0), small=report.small)  # type: ignore[misc]
    for name in sorted(works):
        with report.going_on(name):
            call = works[name]()
            bits = [_bits(call()) for _ in range(times)]
            # the first calls may run operator by operator, with sums in another order
            kinds = len(set(bits[times // 2 :]))
            report.require(name, kinds == 1, f"{kinds} results in {times - times // 2} calls")


def _bits(arrays: Any) -> tuple[bytes, ...]:
    listed = arrays if isinstance(arrays, list) else [arrays]
    return tuple(array.asnumpy().tobytes() for array in listed)
