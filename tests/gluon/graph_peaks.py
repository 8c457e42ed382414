"""The peaks of memory of nets: eager, interpreted as graphs, and compiled.

``python -m tests.gluon.graph_peaks [NET ...] --batch 2`` compares them for nets of the model zoo, forward and
in training. Bytes of arrays are counted, not those of processes: `tracemalloc` sees NumPy's memory, and the
memory plan has the size of the arena. Forward, neither parameters nor packed copies of them are counted.
"""

from __future__ import annotations

import argparse
import gc
import os
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from unittest.mock import patch

import gluonic as mx
from gluonic import autograd, gluon
from gluonic.gluon.model_zoo import vision

MOST = 1.2
"""The largest ratio of a graph's peak to the eager peak."""
_EAGER_CALLS = 12
"""The eager calls until all operators have machine code, whose own memory is then not counted."""
ZOO = (
    "alexnet", "densenet121", "inceptionv3", "mobilenet1.0", "mobilenetv2_1.0", "resnet18_v1", "resnet50_v1",
    "resnet50_v2", "squeezenet1.0", "squeezenet1.1", "vgg11", "vgg11_bn",
)  # fmt: skip


class Peaks(NamedTuple):
    """The largest numbers of bytes at once, beside parameters and inputs."""

    eager: int
    interpreted: int
    compiled: int

    @property
    def worst(self) -> float:
        """The largest ratio to the eager peak."""
        return max(self.interpreted, self.compiled) / self.eager


def traced_peak(call: Callable[[], Any], *, repeats: int = 1) -> int:
    """The largest number of bytes during the last of some calls, with what earlier ones left."""
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(repeats):
            tracemalloc.reset_peak()
            call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def run_by(executor: str) -> Any:
    """A context in which graphs that are made are run by an executor."""
    return patch.dict(os.environ, GLUONIC_EXECUTOR=executor)


def forward_peaks(net: Any, *inputs: Any) -> Peaks:
    """The peaks of a net's forward runs."""

    def call() -> None:
        net(*inputs).wait_to_read()

    with run_by("mixed"):
        for _ in range(_EAGER_CALLS):
            call()
        eager = traced_peak(call)
        net.hybridize()
        interpreted = traced_peak(call)
    spans = net.explain(*inputs).memory
    arena = max((span.offset + span.size for span in spans), default=0)
    return Peaks(eager, interpreted, arena + net(*inputs).asnumpy().nbytes)


def training_peaks(make: Callable[[], Any], *inputs: Any) -> Peaks:
    """The peaks of training steps: the first one of a net that waits for its code, the third of compiled nets.

    What compiling has left is counted.
    """
    return Peaks(
        _training_peak(make, inputs, 1),
        _training_peak(make, inputs, 1, active=True),
        _training_peak(make, inputs, 3, active=True, compile_at_once=True),
    )


def _training_peak(
    make: Callable[[], Any], inputs: Sequence[Any], steps: int, **hybridized: bool
) -> int:
    with run_by("mixed"):
        net, loss = make(), gluon.loss.L2Loss()
        net.initialize()
        net(*inputs).wait_to_read()
        if hybridized:
            net.hybridize(**hybridized)

        def step() -> None:
            with autograd.record():
                made = net(*inputs)
                value = loss(made, mx.nd.zeros_like(made))
            value.backward()
            mx.nd.waitall()

        return traced_peak(step, repeats=steps)


def main() -> None:
    """Compare nets of the model zoo."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("nets", nargs="*", default=ZOO)
    parser.add_argument("--batch", type=int, default=2)
    options = parser.parse_args()
    print(f"{'MiB':24}{'eager':>10}{'interpreted':>13}{'compiled':>10}{'worst ratio':>13}")
    for name in options.nets:
        size = 299 if name.startswith("inception") else 224
        x = mx.nd.ones((options.batch, 3, size, size))
        net = vision.get_model(name)
        net.initialize()
        rows = {
            "forward": forward_peaks(net, x),
            "training": training_peaks(lambda: vision.get_model(name), x),  # noqa: B023
        }
        for what, peaks in rows.items():
            eager, interpreted, compiled = (peak / 2**20 for peak in peaks)
            print(
                f"{name + ', ' + what:24}{eager:10.1f}{interpreted:13.1f}{compiled:10.1f}{peaks.worst:13.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
