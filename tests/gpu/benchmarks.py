"""How long calls take: alone until the result is there, in a row, and the first one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

import numpy as np

import gluonic as mx
from gluonic import autograd, nd
from gluonic.codegen.cuda.products.form import COPIED, FactorForm, TiledForm
from gluonic.codegen.cuda.products.kernel import write_product
from gluonic.codegen.cuda.ptx import KERNEL, kernel_text, target_of
from gluonic.codegen.cuda.tails.form import Tail
from gluonic.codegen.machine.jit import assembly
from gluonic.codegen.maths.values import FLOAT32
from gluonic.device import PreparedLaunch
from gluonic.device.devices import device
from tests.gpu.arrays import are_there, through_host, worst
from tests.gpu.kernels import empty_kernel
from tests.gpu.report import Report
from tests.gpu.workloads import FORWARD, ROUNDED, SLOW_EMULATED, STEPS, Call, forward, step


def measured(call: Call, wait: Callable[[], object], seconds: float) -> dict[str, Any]:
    """The times of a call, in microseconds; of the first, in milliseconds."""
    start = time.perf_counter()
    call()
    wait()
    first = time.perf_counter() - start
    end = time.perf_counter() + seconds
    for _ in range(300):
        call()
        if time.perf_counter() > end:
            break
    wait()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        call()
        wait()
        times.append(time.perf_counter() - start)
    latency = float(np.median(times))
    number = max(3, int(seconds / latency))
    start = time.perf_counter()
    for _ in range(number):
        call()
    queued = time.perf_counter() - start
    wait()
    whole = time.perf_counter() - start
    return {
        "latency_us": round(latency * 1e6, 1),
        "in_a_row_us": round(whole / number * 1e6, 1),
        "host_us": round(queued / number * 1e6, 1),
        "first_ms": round(first * 1e3, 1),
    }


def _eager(report: Report) -> None:
    """The host's time for an eager operator."""
    a, b = (nd.ones((3, 4), ctx=mx.gpu(0)) for _ in range(2))
    out, weight = (nd.ones((3, 4), ctx=mx.gpu(0)) for _ in range(2))
    weight.attach_grad()

    def backward() -> None:
        with autograd.record():
            loss = nd.relu(weight * a).sum()
        loss.backward()

    bodies: dict[str, Callable[[], Any]] = {
        "eager broadcast_add": lambda: nd.broadcast_add(a, b),
        "eager a + b": lambda: a + b,
        "eager relu": lambda: nd.relu(a),
        "eager sum": lambda: a.sum(),
        "eager dot": lambda: nd.dot(a, b, transpose_b=True),
        "eager slice": lambda: a[1:],
        "eager set": lambda: a.__setitem__(slice(None), 1),
        "eager zeros": lambda: nd.zeros((3, 4), ctx=mx.gpu(0)),
        "eager a + 1": lambda: a + 1,
        "eager a += b": lambda: a.__iadd__(b),
        "eager softmax": lambda: nd.softmax(a, axis=1),
        "eager out=": lambda: nd.broadcast_add(a, b, out=out),
        "eager forward, backward": backward,
    }
    for name, body in bodies.items():
        with report.going_on(name):
            report.add(name, **measured(body, nd.waitall, 0.02 if report.small else 0.1))


def _driver(report: Report) -> None:
    """What an eager operator's time consists of besides Python: launches, memory, fills."""
    gpu = device(0)
    empty, memory = empty_kernel(gpu), gpu.allocate(48)
    launches = [PreparedLaunch(empty, (1, 1, 1), (32, 1, 1), ((0, 0),))] * _TOGETHER
    one, together = gpu.prepared(launches[:1], 1), gpu.prepared(launches, 1)
    bodies: dict[str, tuple[Callable[[], Any], int]] = {
        "driver launch, one of many": (lambda: together(0), _TOGETHER),
        "driver prepared launch": (lambda: one(0), 1),
        "driver launch": (lambda: gpu.launch(empty, (1, 1, 1), (32, 1, 1), (0,)), 1),
        "driver allocation": (lambda: gpu.allocate(48), 1),
        "driver fill": (lambda: gpu.fill(memory.address, b"1234", 12), 1),
    }
    for name, (body, works) in bodies.items():
        with report.going_on(name):
            times = [
                _queued(body, _MOST_WAITING // works) for _ in range(3 if report.small else 50)
            ]
            gpu.synchronize()
            report.add(name, host_us=round(float(np.median(times)) / works * 1e6, 2))


def _compilation(report: Report) -> None:
    """How long a kernel of a product takes LLVM, and the driver: alone, and eight at once."""
    gpu = device(0)
    form = TiledForm(FLOAT32, Tail.plain(FLOAT32, FLOAT32), FactorForm(), FactorForm())
    start = time.perf_counter()
    text = assembly(
        kernel_text((write_product, form, COPIED[FLOAT32][0]), gpu.processor),
        target_of(gpu.processor),
    )
    report.add("LLVM, a product", ms=_milliseconds(start))
    for name, number in (("driver, a product", 1), ("driver, eight products at once", 8)):
        with report.going_on(name):
            start = time.perf_counter()
            # none is in the driver's cache
            texts = [f"{text}// {start} {i}\n" for i in range(number)]
            for wait in [gpu.begin_to_load(each, [KERNEL]) for each in texts]:
                wait()
            report.add(name, ms=_milliseconds(start))


def _milliseconds(start: float) -> float:
    return round((time.perf_counter() - start) * 1e3, 1)


_TOGETHER, _MOST_WAITING = 50, 500
"""So many launches at once, and so many works that wait: a driver that has a thousand lets the host wait."""


def _queued(call: Callable[[], object], number: int) -> float:
    """The host's time for a call, in seconds, when nothing waits before the first of so many."""
    nd.waitall()
    start = time.perf_counter()
    for _ in range(number):
        call()
    return (time.perf_counter() - start) / number


def whole(report: Report) -> None:
    """Measure the nets, smallest first; what a forward call computes is compared with the CPU's."""
    if not are_there(report):
        return
    _driver(report)
    _compilation(report)
    _eager(report)
    _nets(report, [*FORWARD, *STEPS])
    with mock.patch.dict("os.environ", {"GLUONIC_TF32": "1"}):
        _nets(report, ROUNDED, " tf32", 1e-2)


def without_graphs(report: Report) -> None:
    """The small nets again, with a launch for each kernel."""
    if are_there(report):
        names = ("chain_64K", "tiny_fwd", "mlp_fwd", "lenet_fwd", "lstm_unroll_fwd", "encoder_fwd")
        _nets(report, [*names, "resnet18_b1", "mlp_step", "lenet_step"])


def _nets(report: Report, names: Sequence[str], more: str = "", most: float = 1e-3) -> None:
    """Measure nets, whose rows are called `more` besides, and whose numbers differ by at most `most`."""
    small = report.small
    for name in names:
        if small and name in SLOW_EMULATED:
            continue
        with report.going_on(name + more):
            before = sum(through_host().values())
            gpu = mx.gpu(0)
            make = forward if name in FORWARD else step
            call = make(name, gpu, small=small)
            figures = measured(call, nd.waitall, 0.05 if small else 0.4)
            figures["through_host"] = sum(through_host().values()) - before
            checks = name in FORWARD and (small or np.prod(FORWARD[name].shape) <= 1 << 22)
            if checks:
                expected = forward(name, mx.cpu(), small=small)()
                far = worst([call().asnumpy()], [expected.asnumpy()])
                report.require(name + more, far < most, f"off by {far}", difference=far, **figures)
            else:
                report.add(name + more, **figures)
            del call
            gpu.empty_cache()
