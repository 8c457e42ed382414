"""What training needs besides kernels: mixed precision, copies beside computing, enough memory."""

from __future__ import annotations

import ctypes
import gc
import importlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.codegen import FALLBACKS
from gluonic.contrib import amp
from gluonic.contrib.amp import switching
from gluonic.device.devices import is_emulated
from gluonic.gluon import nn
from tests.gpu.report import Report
from tests.gpu.torch_workloads import torch_on_gpu

MIB = 1 << 20


def whole(report: Report) -> None:
    """Try all of it."""
    for one in (_precision, _copies, _growth, _lacking, _memory, _memory_of_torch):
        with report.going_on(one.__name__.strip("_")):
            one(report)


# ------------------------------------------------------------------------------- mixed precision


def _net(channels: int) -> gluon.HybridBlock:
    net = nn.HybridSequential()
    for width in (channels, 2 * channels):
        net.add(nn.Conv2D(width, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"))
        net.add(nn.MaxPool2D())
    net.add(nn.Flatten(), nn.Dense(10))
    mx.random.seed(1)
    net.initialize(mx.init.Xavier(), ctx=mx.gpu(0))
    net.hybridize()
    return net


@contextmanager
def _casting(dtype: str) -> Iterator[None]:
    """Mixed precision of a dtype; none for float32."""
    if dtype != "float32":
        amp.init(dtype)
    yield
    switching.end()


def _precision(report: Report) -> None:
    """Training in float16 and bfloat16, beside float32: the last losses, times of steps."""
    size, steps = ((4, 3, 8, 8), 3) if report.small else ((64, 3, 32, 32), 60)
    expected = _trained(report, "float32", size, steps, None)
    for low in ("float16", "bfloat16"):
        _trained(report, low, size, steps, expected)


def _trained(
    report: Report, dtype: str, size: tuple[int, ...], steps: int, expected: float | None
) -> float:
    """Train a net; write a row; return the last loss."""
    numbers = np.random.default_rng(0)
    images, labels = numbers.random(size, np.float32), numbers.integers(0, 10, size[0])
    FALLBACKS.clear()
    with _casting(dtype):
        net, loss = _net(size[0] // 2), gluon.loss.SoftmaxCrossEntropyLoss()
        x, y = (nd.array(array, ctx=mx.gpu(0)) for array in (images, labels))
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.02})
        if dtype != "float32":
            amp.init_trainer(trainer)
        host, whole = _timed(lambda: _step(net, loss, trainer, x, y, dtype), steps)
        last = float(loss(net(x), y).mean().asscalar())
    near = expected is None or abs(last - expected) < 0.05 * expected + 0.05
    figures = {"step_us": whole, "host_us": host, "through_host": sum(FALLBACKS.values())}
    detail = f"the last loss is {last}, in float32 {expected}"
    report.require(f"{dtype}, {size[0]} images", near, detail, loss=round(last, 4), **figures)
    return last


def _step(net: Any, loss: Any, trainer: Any, x: Any, y: Any, dtype: str = "float32") -> None:
    with autograd.record():
        value = loss(net(x), y)
        if dtype == "float32":
            autograd.backward(value)
        else:
            with amp.scale_loss(value, trainer) as scaled:
                autograd.backward(scaled)
    trainer.step(len(x))


def _timed(call: Callable[[], object], times: int) -> tuple[float, float]:
    """The host's time of a call in a row, and the whole time, in microseconds, after a third of the calls."""
    for _ in range(times // 3 + 1):
        call()
    nd.waitall()
    start = time.perf_counter()
    for _ in range(times):
        call()
    queued = time.perf_counter() - start
    nd.waitall()
    return tuple(  # type: ignore[return-value]
        round(seconds / times * 1e6, 1) for seconds in (queued, time.perf_counter() - start)
    )


# ---------------------------------------------------------------------------------------- copies


def _copies(report: Report) -> None:
    """Batches that are copied while the GPU computes: page-locked ones should take no time of their own."""
    shape, width = ((2, 3, 8, 8), 16) if report.small else ((32, 3, 224, 224), 4096)
    factor = nd.ones((width, width), ctx=mx.gpu(0))
    plain = nd.random.uniform(shape=shape)
    for name, batch in (("pinned", plain.as_in_context(mx.cpu_pinned())), ("pageable", plain)):
        computing, copying, both = (
            _milliseconds(
                factor, batch, products, copies
            )  # seconds of the GPU, of the bus, together
            for products, copies in ((4, 0), (0, 4), (4, 4))
        )
        there = batch.as_in_context(mx.gpu(0))
        report.require(
            f"copies of {name} memory",
            (there.asnumpy() == plain.asnumpy()).all(),
            "other numbers",
            computing_ms=computing,
            copying_ms=copying,
            both_ms=both,
        )


def _milliseconds(factor: Any, batch: Any, products: int, copies: int) -> float:
    """How long products and copies take that are asked for in turns."""
    best = np.inf
    for _ in range(4):
        nd.waitall()
        start = time.perf_counter()
        kept = []
        for turn in range(max(products, copies)):
            if turn < products:
                kept.append(nd.dot(factor, factor))
            if turn < copies:
                kept.append(batch.as_in_context(mx.gpu(0)))
        nd.waitall()
        best = min(best, time.perf_counter() - start)
    return round(best * 1e3, 3)


# ---------------------------------------------------------------------------------------- memory


def _growth(report: Report) -> None:
    """Many steps of a small net: neither the memory in use nor the number of objects grows."""
    steps = 30 if report.small else 10_000
    net = nn.HybridSequential()
    net.add(nn.Dense(16, activation="relu", in_units=8), nn.BatchNorm(), nn.Dense(4, in_units=16))
    net.initialize(ctx=mx.gpu(0))
    net.hybridize()
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-3})
    x, y = nd.random.uniform(shape=(4, 8), ctx=mx.gpu(0)), nd.zeros((4,), ctx=mx.gpu(0))
    counts = []
    start = time.perf_counter()
    for number in range(steps):
        _step(net, loss, trainer, x, y)
        if number in (steps // 3, steps - 1):
            nd.waitall()
            gc.collect()
            counts.append((mx.context.gpu_memory_info(0)[0], len(gc.get_objects())))
    taken = time.perf_counter() - start
    (free, objects), (free_later, objects_later) = counts
    report.require(
        f"{steps} steps",
        free_later >= free and objects_later < objects + 500,
        f"free bytes {free}, later {free_later}; objects {objects}, later {objects_later}",
        step_us=round(taken / steps * 1e6, 1),
        objects_more=objects_later - objects,
    )


def _lacking(report: Report) -> None:
    """Where memory is lacking, an error says so, and what fits works afterwards."""
    _, total = mx.context.gpu_memory_info(0)
    held = nd.zeros((total // 16,), ctx=mx.gpu(0))
    said = ""
    try:
        nd.ones((total // 4,), ctx=mx.gpu(0)) + held[0]
    except mx.base.MXNetError as error:
        said = str(error)
    report.require("an error names what is free", "are free" in said, said or "there is none")
    filled = []
    try:
        while True:
            filled.append(nd.ones((total // 64,), ctx=mx.gpu(0)))
    except mx.base.MXNetError as error:
        said = str(error)
    report.add("memory that was full", arrays=len(filled))
    del filled, held
    net, loss = _net(2), gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.02})
    x, y = nd.random.uniform(shape=(2, 3, 8, 8), ctx=mx.gpu(0)), nd.zeros((2,), ctx=mx.gpu(0))
    _step(net, loss, trainer, x, y)
    report.require("a step after that", np.isfinite(loss(net(x), y).asnumpy()).all(), "no numbers")


def _taken() -> int:
    """The memory that the driver has given to processes, in bytes; kept blocks count."""
    if is_emulated():
        free, total = mx.context.gpu_memory_info(0)
        return int(total - free)
    driver: Any = importlib.import_module("gluonic.device.cuda.driver").driver()
    free_now, all_of_it = ctypes.c_size_t(), ctypes.c_size_t()
    driver.call("cuMemGetInfo_v2", ctypes.byref(free_now), ctypes.byref(all_of_it))
    return all_of_it.value - free_now.value


def _memory(report: Report) -> None:
    """What a training step of ResNet-50 takes from the driver, kernels' code included."""
    gc.collect()
    mx.gpu(0).empty_cache()
    before = _taken()
    images = (1, 3, 32, 32) if report.small else (32, 3, 224, 224)
    net: Any = _net(2) if report.small else gluon.model_zoo.vision.resnet50_v1(classes=1000)
    net.initialize(mx.init.Xavier(), ctx=mx.gpu(0), force_reinit=True)
    net.hybridize()
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    settings = {"learning_rate": 0.01, "momentum": 0.9}
    trainer = gluon.Trainer(net.collect_params(), "sgd", settings)
    x, y = nd.random.uniform(shape=images, ctx=mx.gpu(0)), nd.zeros(images[:1], ctx=mx.gpu(0))
    for _ in range(3):
        _step(net, loss, trainer, x, y)
    nd.waitall()
    report.add("a step of ResNet-50", taken_mib=round((_taken() - before) / MIB, 1))


def _memory_of_torch(report: Report) -> None:
    """The same for PyTorch."""
    torch = torch_on_gpu(report)
    if torch is None:
        return
    mx.gpu(0).empty_cache()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    with torch.device("cuda"):
        net, loss_of = _resnet50(torch), torch.nn.CrossEntropyLoss()
        optimizer = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)
        x, y = torch.randn(32, 3, 224, 224), torch.zeros(32, dtype=torch.long)
        for _ in range(3):
            optimizer.zero_grad()
            loss_of(net(x), y).backward()
            optimizer.step()
        torch.cuda.synchronize()
    figures = {
        "allocated_mib": round(torch.cuda.max_memory_allocated() / MIB, 1),
        "reserved_mib": round(torch.cuda.max_memory_reserved() / MIB, 1),
    }
    report.add("PyTorch: a step of ResNet-50", **figures)


def _resnet50(torch: Any) -> Any:
    nn = torch.nn

    def layers(before: int, after: int, size: int, stride: int = 1) -> list[Any]:
        convolution = nn.Conv2d(before, after, size, stride, size // 2, bias=False)
        return [convolution, nn.BatchNorm2d(after)]

    class Block(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, before: int, inner: int, stride: int) -> None:
            super().__init__()
            first = [*layers(before, inner, 1, stride), nn.ReLU(inplace=True)]
            second = [*layers(inner, inner, 3), nn.ReLU(inplace=True)]
            self.body = nn.Sequential(*first, *second, *layers(inner, 4 * inner, 1))
            other = before != 4 * inner
            self.beside = nn.Sequential(*(layers(before, 4 * inner, 1, stride) if other else []))

        def forward(self, x: Any) -> Any:
            return torch.relu_(self.body(x) + self.beside(x))

    parts = [*layers(3, 64, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    before = 64
    for stage, count in enumerate((3, 4, 6, 3)):
        inner = 64 << stage
        for number in range(count):
            parts.append(Block(before, inner, 2 if stage and not number else 1))
            before = 4 * inner
    return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, 1000))
