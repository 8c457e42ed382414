"""Each call of a hybridized net beside the eager net's call of the same number, from the first one on.

usage: python -m benchmarks.first_calls [--only lstm,u-net] [--calls 200] [--rounds 3] [--warm] [--step]

While machine code is made, is a hybridized net ever slower than the same net eager, and how long is the longest
call? Each round is a process with one thread and an empty code cache, or one that an earlier process filled;
the shortest of the rounds counts for each call.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import gluonic
from benchmarks.nets import NETS
from benchmarks.processes import output_of


def _call(name: str, *, hybridizes: bool, trains: bool) -> Callable[[], Any]:
    """A net's forward call, or its training step."""
    make, shape, words = NETS[name]
    random = np.random.default_rng(0)
    x = gluonic.nd.array(random.integers(0, words, shape) if words else random.normal(size=shape))
    net = make(gluonic)
    net.initialize(gluonic.init.Xavier())
    if hybridizes:
        net.hybridize()
    trainer = gluonic.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1e-3})

    def step() -> None:
        with gluonic.autograd.record():
            loss = (net(x) ** 2).mean()
        loss.backward()
        trainer.step(1)

    return step if trains else lambda: net(x)


def _measure(options: argparse.Namespace) -> None:
    """Print the times of all calls, in milliseconds, as JSON."""
    call = _call(options.only, hybridizes=options.side == "hybridized", trains=options.step)
    times = []
    for _ in range(options.calls):
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    print(json.dumps(times))


def _times(name: str, side: str, options: argparse.Namespace) -> list[float]:
    """The times of all calls in a process of its own, in milliseconds."""
    arguments = ["--side", side, "--only", name, "--calls", str(options.calls)]
    arguments += ["--step"] if options.step else []
    with tempfile.TemporaryDirectory() as cache:
        os.environ["GLUONIC_CACHE_DIR"] = cache
        for _ in range(1 + options.warm):
            output = output_of(sys.executable, __file__, *arguments)
    times: list[float] = json.loads(output.splitlines()[-1])
    return times


def _row(name: str, options: argparse.Namespace) -> str:
    best: dict[str, list[float]] = {}
    for _ in range(options.rounds):
        for side in ("eager", "hybridized"):
            times = _times(name, side, options)
            best[side] = [*map(min, times, best.get(side, times))]
    eager, hybridized = best["eager"], best["hybridized"]
    parts = [slice(1, 9), slice(9, 49), slice(49, None)]
    ratios = [
        statistics.median(hybridized[p]) / statistics.median(eager[p]) for p in parts if eager[p]
    ]
    longest = max(range(1, len(hybridized)), key=hybridized.__getitem__)
    return (
        f"{name:26}{'  '.join(f'{ratio:6.2f}' for ratio in ratios)}   call {longest + 1:4}: "
        f"{hybridized[longest]:7.1f} ms, {hybridized[longest] / statistics.median(eager):6.1f} eager ones"
    )


def main() -> None:
    """Print a table, or measure one side of a case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="parts of names, separated by commas")
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm", action="store_true", help="with code on disk")
    parser.add_argument("--step", action="store_true", help="training steps, not forward calls")
    parser.add_argument("--side", choices=["eager", "hybridized"], help="measure one case here")
    options = parser.parse_args()
    if options.side:
        _measure(options)
        return
    print(f"{'hybridized / eager, calls':26}   2-9   10-49     50-   the longest call")
    for name in NETS:
        if any(part in name for part in options.only.split(",")):
            print(_row(name, options), flush=True)


if __name__ == "__main__":
    main()
