"""One thread beside several, on free cores and while another process takes one.

usage: python -m benchmarks.threads.busy [--threads 2] [--seconds 2]
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gluonic as mx
from benchmarks.threads.nets import Chain
from gluonic import gluon, nd
from gluonic.gluon import nn


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
