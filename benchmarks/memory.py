"""Measure memory: the peaks of whole processes beside the real MXNet's, and what dropped nets leave behind.

    python -m benchmarks.memory [--mxnet PYTHON] [--rounds 3] [--threads 1] [--nets 1000]

Each measurement is a process of its own (`ru_maxrss`, the least of some rounds); ``import`` shows what
importing alone takes. ``--nets`` builds, trains and drops so many small nets and reports
the growth of memory per net.
"""

import argparse
import gc
import importlib
import os
import resource
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.processes import output_of

HERE = os.path.abspath(__file__)
_ONCE = 200
"""The number of nets after which all that is created once exists, such as operators' machine code."""


def _resnet(mx: Any, batch: int) -> None:
    net = mx.gluon.model_zoo.vision.resnet50_v1()
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True, compile_at_once=True)
    x = mx.nd.array(np.random.default_rng(0).standard_normal((batch, 3, 224, 224)))
    for _ in range(3):
        net(x).wait_to_read()


def _lenet(mx: Any) -> None:
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Conv2D(20, 5, activation="relu"), nn.MaxPool2D(2, 2))
        net.add(nn.Conv2D(50, 5, activation="relu"), nn.MaxPool2D(2, 2))
        net.add(nn.Flatten(), nn.Dense(128, activation="relu"), nn.Dense(10))
    x = mx.nd.array(np.random.default_rng(0).standard_normal((64, 1, 28, 28)))
    _train(mx, net, x, mx.nd.zeros(64), steps=10)


def _train(mx: Any, net: Any, x: Any, labels: Any, steps: int) -> None:
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True, compile_at_once=True)
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    loss.hybridize(static_alloc=True, static_shape=True, compile_at_once=True)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
    for _ in range(steps):
        with mx.autograd.record():
            value = loss(net(x), labels)
        value.backward()
        trainer.step(x.shape[0])
    mx.nd.waitall()


WORK: dict[str, Callable[[Any], None]] = {
    "import": lambda mx: None,
    "ResNet-50 v1, batch 1": lambda mx: _resnet(mx, 1),
    "ResNet-50 v1, batch 32": lambda mx: _resnet(mx, 32),
    "LeNet, training, batch 64": _lenet,
}


def _kilobytes() -> float:
    """The resident memory of the process, in KiB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1024


def growth_per_net(mx: Any, nets: int) -> float:
    """The growth of memory, in KiB, per small net that is built, trained and dropped."""

    def train_one(width: int) -> None:
        net = mx.gluon.nn.HybridSequential()
        net.add(mx.gluon.nn.Dense(width, activation="relu"), mx.gluon.nn.Dense(2))
        _train(mx, net, mx.nd.ones((4, 8)), mx.nd.zeros(4), steps=2)

    for number in range(_ONCE):
        train_one(3 + number % 5)
    gc.collect()
    before = _kilobytes()
    for number in range(nets):
        train_one(3 + number % 5)
    gc.collect()
    return (_kilobytes() - before) / nets


def _peak(python: str, side: str, work: str, threads: int) -> float:
    """The peak memory of a process that does this work, in KiB."""
    arguments = ("--peak", work, "--side", side)
    return float(output_of(python, HERE, *arguments, threads=threads).split()[-1])


def compare(mxnet: str, rounds: int, threads: int) -> None:
    """Print the peak of each piece of work in MiB, on both sides."""
    sides = {"gluonic": sys.executable, **({"mxnet": mxnet} if mxnet else {})}
    print(f"{'MiB':28}" + "".join(f"{side:>10}" for side in sides) + f"{'ratio':>8}")
    for work in WORK:
        peaks = []
        for side, python in sides.items():
            found = [_peak(python, side, work, threads) for _ in range(rounds)]
            peaks.append(min(found) / 1024)
        ratio = f"{peaks[0] / peaks[1]:8.2f}" if len(peaks) > 1 else ""
        print(f"{work:28}" + "".join(f"{peak:10.1f}" for peak in peaks) + ratio, flush=True)


def main() -> None:
    """Measure what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mxnet", default="", help="a Python that has the real MXNet")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--nets", type=int, default=0, help="how many nets to build and drop")
    parser.add_argument("--peak", choices=WORK, help="do this work here and print the peak")
    parser.add_argument("--side", choices=("gluonic", "mxnet"), default="gluonic")
    options = parser.parse_args()
    if options.peak:
        WORK[options.peak](importlib.import_module(options.side))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    elif options.nets:
        growth = growth_per_net(importlib.import_module(options.side), options.nets)
        print(f"each net leaves {growth:.1f} KiB")
    else:
        compare(options.mxnet, options.rounds, options.threads)


if __name__ == "__main__":
    main()
