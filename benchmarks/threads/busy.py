"""The costs and gains of threads: wake-up times of workers, speed-ups, and speed with a core taken away.

usage: python -m benchmarks.threads [--threads 2] [--seconds 2]
"""

import argparse
import ctypes
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import gluon, nd
from gluonic.codegen.machine import jit
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.target import host
from gluonic.codegen.machine.workers import workers
from gluonic.gluon import nn

_PATIENCE = 2_000_000
"""The nanoseconds that the caller waits for a worker."""


class _Meeting:
    """A step of two units: each records the time and its thread, and waits until the other has done so."""

    def __init__(self) -> None:
        self.module = LLVMModule(host())
        self._clock = self.module.import_function("clock_gettime", "i32", ["i32", "ptr"])
        self._thread = self.module.import_function("pthread_self", "i64", [])
        self._write_step()
        self._write_call()

    def _write_step(self) -> None:
        f = LLVMFunction(
            self.module, "meet", ["ptr %operands", "ptr %numbers", "i64 %begin", "i64 %end"]
        )
        notes = f.op("load ptr, ptr %operands")
        other = f.op(f"getelementptr i64, ptr {notes}, i64 {f.op('xor i64 %begin, 1')}")
        threads = f.op(f"getelementptr i64, ptr {notes}, i64 2")
        f.do(
            f"store i64 {self._self(f)}, ptr {f.op(f'getelementptr i64, ptr {threads}, i64 %begin')}"
        )
        own = f.op(f"getelementptr i64, ptr {notes}, i64 %begin")
        start = self._now(f)
        f.do(f"store atomic i64 {start}, ptr {own} seq_cst, align 8")
        wait, after = f.label("wait"), f.label("after")
        f.do(f"br label %{wait}")
        f.start(wait)
        noted = f.op(f"load atomic i64, ptr {other} seq_cst, align 8")
        waited = f.op(f"sub i64 {self._now(f)}, {start}")
        came, late = f.op(f"icmp ne i64 {noted}, 0"), f.op(f"icmp sgt i64 {waited}, {_PATIENCE}")
        f.do(f"br i1 {f.op(f'or i1 {came}, {late}')}, label %{after}, label %{wait}")
        f.start(after)
        f.finish()

    def _write_call(self) -> None:
        """Write the function that records the time and the thread, and then shares the step."""
        f = LLVMFunction(self.module, "call", ["ptr %share", "ptr %operands"])
        notes = f.op("load ptr, ptr %operands")
        for index, what in ((5, self._self(f)), (4, self._now(f))):
            f.do(f"store i64 {what}, ptr {f.op(f'getelementptr i64, ptr {notes}, i64 {index}')}")
        f.do(
            "call void %share(ptr @meet, ptr %operands, ptr null, i64 2, i64 1, i64 2, i64 1, i64 0)"
        )
        f.finish()

    def _self(self, f: LLVMFunction) -> str:
        return f.op(f"call i64 {self._thread}()")

    def _now(self, f: LLVMFunction) -> str:
        moment = f.slot("[2 x i64]", 8)
        f.op(f"call i32 {self._clock}(i32 {time.CLOCK_MONOTONIC}, ptr {moment})")
        seconds = f.op(f"load i64, ptr {moment}")
        address = f.op(f"getelementptr i64, ptr {moment}, i64 1")
        return f.op(
            f"add i64 {f.op(f'mul i64 {seconds}, 1000000000')}, {f.op(f'load i64, ptr {address}')}"
        )

    def load(self) -> Any:
        """The machine code."""
        module = self.module
        return jit.load(module.text(), ["call"], tuple(module.imports), symbols=module.symbols)


def wake_up_times(pause: float, count: int = 300) -> list[float]:
    """The microseconds from a call until a worker starts, if one does, sorted.

    Parameters
    ----------
    pause : the seconds between calls; after a long one workers sleep
    """
    library, notes = _Meeting().load(), np.zeros(6, np.int64)
    call = ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_size_t)(library["call"])
    operands = np.array([notes.ctypes.data], np.int64)
    found = []
    for _ in range(count):
        notes[:] = 0
        end = time.perf_counter() + pause
        while time.perf_counter() < end:
            pass
        call(workers().share, operands.ctypes.data)
        begun, threads, (start, caller) = notes[:2], notes[2:4], notes[4:]
        found += [(time - start) / 1e3 for time in begun[threads != caller]]
    return sorted(waited for waited in found if waited < _PATIENCE / 1e3)


class Chain(gluon.HybridBlock):
    """A few element-wise operators."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Arithmetic and exponentials."""
        y = F.tanh(x * 0.5 + 1.0)
        return F.sigmoid(y * x - 0.3) * y + x


class Normalize(gluon.HybridBlock):
    """All elements between 0 and 1."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Two reductions, and an expression of both."""
        return F.broadcast_div(F.broadcast_sub(x, F.min(x)), F.broadcast_sub(F.max(x), F.min(x)))


WORKLOADS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "chain of 64 K": (Chain, (64, 1024)),
    "chain of 4 M": (Chain, (4096, 1024)),
    "normalize 4 M": (Normalize, (4096, 1024)),
    "dense 256 x 1024 x 1024": (lambda: nn.Dense(1024), (256, 1024)),
    "convolution 64 of 64 x 56 x 56": (lambda: nn.Conv2D(64, 3, padding=1), (1, 64, 56, 56)),
}


def _call(name: str, threads: int) -> Callable[[], Any]:
    """A call of a workload that is compiled for a number of threads."""
    make, shape = WORKLOADS[name]
    net = make()
    net.initialize(mx.init.Xavier())
    net.hybridize(compile_at_once=True)
    x = nd.random.normal(shape=shape)
    os.environ["GLUONIC_NUM_THREADS"] = str(threads)
    net(x)
    return lambda: net(x)


def _times(calls: list[Callable[[], Any]], seconds: float) -> list[list[float]]:
    """The microseconds of calls that take turns."""
    found: list[list[float]] = [[] for _ in calls]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for call, times in zip(calls, found, strict=True):
            for _ in range(10):  # workers stay awake in between, as they do in a loop of a program
                start = time.perf_counter()
                call()
                times.append((time.perf_counter() - start) * 1e6)
    return found


@contextmanager
def _competitor(core: int) -> Iterator[None]:
    """Another process that occupies a core."""
    text = f"import os\nos.sched_setaffinity(0, [{core}])\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", text])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    for what, pause in (("that watches", 0.0), ("that sleeps", 0.001)):
        found = wake_up_times(pause)
        if found:
            tenth, half = found[len(found) // 10], statistics.median(found)
            print(
                f"a worker {what} begins after {found[0]:.1f} us (a tenth: {tenth:.1f}, half: {half:.1f})"
            )
    last = max(os.sched_getaffinity(0))
    heads = ["one thread", f"{options.threads} threads"]
    heads += [f"{head}, beside a busy process" for head in heads]
    print("\nshortest and mean microseconds: " + "; ".join(heads))
    for name in WORKLOADS:
        calls = [_call(name, 1), _call(name, options.threads)]
        free = _times(calls, options.seconds)
        with _competitor(last):
            busy = _times(calls, options.seconds)
        cells = [f"{min(t):9.0f} {statistics.mean(t):9.0f}" for t in (*free, *busy)]
        print(f"{name:32s} " + "  ".join(cells))


if __name__ == "__main__":
    main()
