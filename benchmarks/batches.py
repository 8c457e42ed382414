"""The cost of a new batch size to a hybridized network: its first call less a later call of that size.

usage: python -m benchmarks.batches [--nets lenet,resnet18] [--train]
"""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn
from gluonic.gluon.model_zoo import vision

_FIRST = 24
"""The size of the first call; the measured sizes are smaller, so that memory is already allocated."""
_SIZES = (1, 2, 3, 5, 7, 11, 13, 17, 19, 23)
_ROUNDS = 3


class Encoder(gluon.HybridBlock):
    """A layer of a transformer."""

    def __init__(self, units: int = 256, heads: int = 4) -> None:
        super().__init__()
        self._heads = heads
        with self.name_scope():
            self.query, self.key, self.value, self.out = (
                nn.Dense(units, flatten=False) for _ in range(4)
            )
            self.norm, self.other_norm, self.gelu = nn.LayerNorm(), nn.LayerNorm(), nn.GELU()
            self.wide = nn.Dense(4 * units, flatten=False)
            self.narrow = nn.Dense(units, flatten=False)

    def _split(self, F: Any, x: Any) -> Any:
        x = F.transpose(F.reshape(x, (0, 0, self._heads, -1)), (0, 2, 1, 3))
        return F.reshape(x, (-1, 0, 0), reverse=True)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Attention, then two dense layers, each with a residual connection."""
        y = self.norm(x)
        query, key, value = (
            self._split(F, dense(y)) for dense in (self.query, self.key, self.value)
        )
        shares = F.softmax(F.batch_dot(query, key, transpose_b=True) / 8.0)
        joined = F.reshape(F.batch_dot(shares, value), (-1, self._heads, 0, 0), reverse=True)
        x = x + self.out(F.reshape(F.transpose(joined, (0, 2, 1, 3)), (0, 0, -1)))
        return x + self.narrow(self.gelu(self.wide(self.other_norm(x))))


class Unrolled(gluon.HybridBlock):
    """A cell, unrolled."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.cell = gluon.rnn.LSTMCell(128)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """All outputs."""
        return self.cell.unroll(20, x, layout="NTC", merge_outputs=True)[0]


def _layers(*layers: Any) -> Any:
    net = nn.HybridSequential()
    net.add(*layers)
    return net


def _mlp() -> Any:
    return _layers(nn.Dense(512, activation="relu"), nn.Dense(256, activation="relu"), nn.Dense(10))


def _lenet() -> Any:
    return _layers(
        *(nn.Conv2D(20, 5, activation="relu"), nn.MaxPool2D(2, 2)),
        *(nn.Conv2D(50, 5, activation="relu"), nn.MaxPool2D(2, 2)),
        *(nn.Dense(128, activation="relu"), nn.Dense(10)),
    )


NETS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "MLP": (_mlp, (784,)),
    "LeNet": (_lenet, (1, 28, 28)),
    "LSTM cell, 20 steps": (Unrolled, (20, 64)),
    "transformer encoder layer": (Encoder, (16, 256)),
    "MobileNet 1.0": (lambda: vision.get_model("mobilenet1.0", classes=10), (3, 32, 32)),
    "ResNet-18 v1": (lambda: vision.get_model("resnet18_v1", classes=10), (3, 32, 32)),
    "ResNet-50 v1": (lambda: vision.get_model("resnet50_v1", classes=10), (3, 32, 32)),
}


def _caller(net: Any, *, train: bool) -> Callable[[Any], None]:
    """A call of a net, or one with gradients."""

    def infer(x: Any) -> None:
        net(x).wait_to_read()

    def learn(x: Any) -> None:
        with autograd.record():
            loss = net(x)
        loss.backward()
        nd.waitall()

    return learn if train else infer


def extra_times(name: str, *, train: bool) -> list[float]:
    """For each size, the time of the first call less the median of the next ones, in milliseconds."""
    make, shape = NETS[name]
    net = make()
    net.initialize(mx.init.Xavier())
    net.hybridize(compile_at_once=True)
    call = _caller(net, train=train)

    def array(size: int) -> Any:
        return nd.array(np.random.default_rng(size).normal(size=(size, *shape)))

    call(array(_FIRST))
    found = []
    for size in _SIZES:
        times, x = [], array(size)
        for _ in range(1 + _ROUNDS):
            begin = time.perf_counter()
            call(x)
            times.append(time.perf_counter() - begin)
        found.append(1e3 * (times[0] - statistics.median(times[1:])))
    return found


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nets", default="", help="parts of names, separated by commas; all nets")
    parser.add_argument("--train", action="store_true", help="forward and backward")
    options = parser.parse_args()
    print(f"{'a new batch size, ms':30}{'median':>8}{'least':>8}")
    for name in NETS:
        if any(part.lower() in name.lower() for part in options.nets.split(",")):
            extra = extra_times(name, train=options.train)
            print(f"{name:30}{statistics.median(extra):8.2f}{min(extra):8.2f}", flush=True)


if __name__ == "__main__":
    main()
