"""The device itself, without arrays of `nd`: memory, copies, launches, graphs, errors, costs."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from gluonic.device import Device, DeviceArray, PreparedLaunch
from gluonic.device.devices import count, descriptions, device, driver_version, is_emulated
from gluonic.device.errors import DeviceError, DeviceMemoryError
from tests.gpu.kernels import add_kernel, empty_kernel
from tests.gpu.report import Report

_THREADS = (256, 1, 1)


def median_seconds(call: Callable[[], object], times: int) -> float:
    """The median time of a call."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return float(np.median(taken))


def facts(report: Report) -> None:
    """Which devices there are."""
    start = time.perf_counter()
    number = count()
    report.require("GPUs", number, "none", count=number, driver=driver_version())
    for ordinal, text in enumerate(descriptions()):
        report.add(f"gpu({ordinal})", description=text)
    asked = time.perf_counter()
    made = device(0)
    now = time.perf_counter()
    report.add(
        "first use",
        counting_ms=round((asked - start) * 1e3, 1),
        context_ms=round((now - asked) * 1e3, 1),
        processor=str(made.processor),
    )
    properties = getattr(made, "properties", None)
    report.add("host memory", reads_host_memory=getattr(properties, "reads_host_memory", None))
    info = made.memory_info()
    report.require("memory", 0 < info.free <= info.total, str(info), **info._asdict())


def copies(report: Report) -> None:
    """Arrays come back as they went, whatever their size; rates of large ones."""
    gpu = device(0)
    random = np.random.default_rng(0)
    largest = 10_007 if report.small else 64 << 20
    sizes = [1, 2, 3, 7, 63, 255, 256, 257, 4097, 65_536, 65_537, largest - 1, largest]
    for size in sizes:
        source = random.integers(0, 255, size).astype(np.uint8)
        there = DeviceArray.of_host(gpu, source)
        expected = source.copy()
        source[...] = 0  # the copy must not see this
        same = np.array_equal(there.to_host(), expected)
        report.require(f"to and from, {size} bytes", same)
        report.require(f"within, {size} bytes", np.array_equal(there.copy().to_host(), expected))
        start = size // 2
        there.part(start, (size - start,)).copy_from_host(expected[start:][::-1].copy())
        turned = np.concatenate([expected[:start], expected[start:][::-1]])
        report.require(f"part, {size} bytes", np.array_equal(there.to_host(), turned))
    for pattern in (b"\x05", b"\x05\x06", b"\x05\x06\x07\x08"):
        for number in (1, 3, 1001):
            there = DeviceArray.empty(gpu, (number * len(pattern) + 1,), "uint8")
            gpu.fill(there.address, b"\xff", there.nbytes)
            gpu.fill(there.address, pattern, number)
            expected_bytes = pattern * number + b"\xff"
            name = f"fill, {number} times {len(pattern)} bytes"
            report.require(name, there.to_host().tobytes() == expected_bytes)


def copy_rates(report: Report) -> None:
    """How fast memory is copied."""
    gpu = device(0)
    size = 1 << 16 if report.small else 1 << 28
    host = np.zeros(size, np.uint8)
    there, other = (DeviceArray.of_host(gpu, host) for _ in range(2))

    def waiting(call: Callable[[], object]) -> Callable[[], None]:
        def whole() -> None:
            call()
            gpu.synchronize()

        return whole

    times = 5
    within = median_seconds(waiting(lambda: other.copy_from(there)), 4 * times)
    rates: dict[str, Any] = {"within_GB_s": 2 * size / within / 1e9}
    half = there.part(0, (size // 4,))
    rates["in_GB_s"] = (
        half.nbytes
        / 1e9
        / median_seconds(waiting(lambda: half.copy_from_host(host[: size // 4])), times)
    )
    rates["out_GB_s"] = half.nbytes / 1e9 / median_seconds(half.to_host, times)
    report.add(f"rates, {size} bytes", **{name: round(rate, 2) for name, rate in rates.items()})
    small = there.part(0, (256,))
    report.add(
        "small copies",
        in_us=_each(lambda: small.copy_from_host(host[:256]), gpu, 500),
        out_us=_each(small.to_host, gpu, 500),
        within_us=_each(lambda: small.copy_from(other.part(0, (256,))), gpu, 500),
        fill_us=_each(lambda: gpu.fill(small.address, b"\0", 256), gpu, 500),
    )


def _each(call: Callable[[], object], gpu: Device, times: int) -> float:
    """The time on the host of each of many calls in a row, in microseconds."""
    for _ in range(20):
        call()
    gpu.synchronize()
    start = time.perf_counter()
    for _ in range(times):
        call()
    taken = time.perf_counter() - start
    gpu.synchronize()
    return round(taken / times * 1e6, 2)


def memory(report: Report) -> None:
    """Allocation, the pool, lack of memory."""
    gpu = device(0)
    addresses = [gpu.allocate(1000) for _ in range(20)]
    aligned = all(one.address % 256 == 0 for one in addresses)
    ends = sorted((one.address, one.address + one.size) for one in addresses)
    apart = all(end <= start for (_, end), (start, _) in pairwise(ends))
    report.require("buffers are aligned and apart", aligned and apart, str(ends))
    del addresses
    report.add(
        "cost of allocation",
        pooled_us=_each(lambda: gpu.allocate(1 << 20), gpu, 500),
    )

    def anew() -> None:
        gpu.allocate(3 << 20)
        gpu.empty_cache()

    report.add("cost without pool", allocate_and_free_us=round(median_seconds(anew, 20) * 1e6, 1))
    before = gpu.memory_info()
    held = gpu.allocate(64 << 20)
    during = gpu.memory_info()
    del held
    gpu.empty_cache()
    after = gpu.memory_info()
    report.require(
        "memory comes back",
        during.free <= before.free - (60 << 20) and abs(after.free - before.free) <= 32 << 20,
        f"{before} {during} {after}",
    )
    try:
        gpu.allocate(before.total * 2)
    except DeviceMemoryError as error:
        report.require("lack of memory", "memory" in str(error), str(error))
    report.require("memory after an error", gpu.allocate(1 << 20).size == 1 << 20)


def launches(report: Report) -> None:
    """Kernels written by hand: results, shared memory, cost of a launch, of loading."""
    gpu = device(0)
    add, empty = add_kernel(gpu), empty_kernel(gpu)
    for size in (1, 255, 1000, 100_003):
        there = DeviceArray.of_host(gpu, np.arange(size))
        grid = (-(-size // 256), 1, 1)
        gpu.launch(add, grid, _THREADS, [there.address, 7, size])
        gpu.launch(add, grid, _THREADS, [there.address, -(1 << 40), size])
        same = np.array_equal(there.to_host(), np.arange(size) + 7 - (1 << 40))
        report.require(f"kernel on {size} elements", same)
    most = gpu.processor.shared_bytes
    gpu.launch(empty, (1, 1, 1), _THREADS, [0], most)
    gpu.synchronize()
    report.add("the most shared memory", bytes=most)
    try:
        gpu.launch(empty, (1, 1, 1), _THREADS, [0], most + 1024)
        gpu.synchronize()
        report.require("too much shared memory is refused", False, "it was not")
    except DeviceError as error:
        report.require(
            "too much shared memory is refused", "shared memory" in str(error), str(error)
        )
    there = DeviceArray.of_host(gpu, np.arange(256))
    arguments = [there.address, 1, 256]
    report.add(
        "cost of a launch",
        host_us=_each(lambda: gpu.launch(add, (1, 1, 1), _THREADS, arguments), gpu, 2000),
        one_argument_us=_each(lambda: gpu.launch(empty, (1, 1, 1), _THREADS, [0]), gpu, 2000),
        waiting_us=round(
            1e6 * median_seconds(
                lambda: (gpu.launch(empty, (1, 1, 1), _THREADS, [0]), gpu.synchronize()), 300
            ),
            2,
        ),
    )  # fmt: skip
    number = iter(range(time.time_ns() % 1_000_000_000, 1 << 62))
    loading = median_seconds(lambda: add_kernel(gpu, next(number)), 5)
    again = median_seconds(lambda: add_kernel(gpu, 1), 5)
    report.add("cost of loading", new_ms=round(loading * 1e3, 2), same_ms=round(again * 1e3, 2))


def graphs(report: Report) -> None:
    """Launches that are prepared, and become a graph of the driver's."""
    for many in (1, 5) if report.small else (1, 3, 20, 200):
        _launches_together(report, many)


def _launches_together(report: Report, many: int) -> None:
    gpu = device(0)
    add, times = add_kernel(gpu), 1 if report.small else 50
    there, other = (DeviceArray.of_host(gpu, np.zeros(1000, np.int64)) for _ in range(2))
    first, *rest = (
        PreparedLaunch(add, (4, 1, 1), _THREADS, ((0, 0), (None, number), (None, 1000)))
        for number in range(many)
    )
    first = first._replace(arguments=((1, 0), *first.arguments[1:]))
    queue = gpu.prepared([first, *rest], 2)
    a, b = there.address, other.address
    for call in range(12):
        queue(a, a if call % 2 else b)
    report.require(f"{many} launches again", there.to_host()[0] == 12 * sum(range(many)))
    changing = itertools.cycle((a, b))
    whole = median_seconds(lambda: (queue(a, a), gpu.synchronize()), times)
    report.add(
        f"cost of {many} launches prepared",
        host_us=_each(lambda: queue(a, a), gpu, times),
        one_changes_us=_each(lambda: queue(a, next(changing)), gpu, times),
        all_change_us=_each(lambda: queue(next(changing), a), gpu, times),
        whole_us=round(whole * 1e6, 2),
    )


def faults(report: Report) -> None:
    """What goes wrong on the device; the process has none afterwards."""
    gpu = device(0)
    if hasattr(os, "fork"):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                gpu.allocate(10)
            except DeviceError as error:
                status = 0 if "forked" in str(error) else 2
            finally:
                os._exit(0 if is_emulated() else status)
        _, ended = os.waitpid(child, 0)
        report.require("a forked child gets an error", ended == 0, f"status {ended}")
    try:
        gpu.load(
            ".version 99.9\n.target sm_90\n.address_size 64\n.visible .entry k()\n{ ret; }\n", ["k"]
        )
        report.require("PTX of another version is refused", is_emulated(), "it was not")
    except DeviceError as error:
        report.require("PTX of another version is refused", True, text=str(error)[:600])
    add, empty = add_kernel(gpu), empty_kernel(gpu)
    text: Any = None
    try:
        gpu.launch(empty, (1, 1, 1), _THREADS, [0])
        gpu.launch(add, (1, 1, 1), _THREADS, [64, 1, 1])
        gpu.synchronize()
    except DeviceError as error:
        text = str(error)
    report.require("an address out of bounds is an error", text, "none", text=str(text)[:800])
    report.require("it names the kernel", "add" in str(text), str(text))


def whole(report: Report) -> None:
    """All checks of the device but those that break it."""
    for check in (memory, copies, copy_rates, launches, graphs):
        with report.going_on(check.__name__):
            check(report)
