"""The cost of an endless stream of new lengths: the time of calls relative to repeated lengths, and memory.

A net is called twice with each length of the stream, with other data: the second call is one of a fixed length.
So both sides do the same work. The stream is repeated with new nets, and of each call the least time counts.

usage: python -m benchmarks.lengths [--nets attention,tokens] [--calls 1000] [--longest 4000] [--train]
"""

import argparse
import resource
import time
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

import gluonic as mx
from benchmarks.batches import Encoder
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn, rnn

_UNITS = 32
_FIRST = 50
"""The number of calls before memory is first measured."""


class Averaged(gluon.HybridBlock):
    """A layer on each position, and a weighted sum over the sequence."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.wide, self.norm = nn.Dense(8 * _UNITS, flatten=False), nn.LayerNorm()
            self.narrow, self.last = nn.Dense(_UNITS, flatten=False), nn.Dense(10)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """A sum over the sequence, weighted by a score of each position."""
        y = self.norm(self.narrow(F.LeakyReLU(self.wide(x), act_type="gelu")) + x)
        shares = F.softmax(F.sum(y, axis=2), axis=1)
        return self.last(F.sum(F.broadcast_mul(y, F.expand_dims(shares, axis=2)), axis=1))


def _sequential(*layers: Any) -> Any:
    net = nn.HybridSequential()
    net.add(*layers)
    return net


def _signals() -> Any:
    return _sequential(
        *(nn.Conv1D(_UNITS, 5, padding=2, activation="relu"), nn.MaxPool1D(3, 2, 1)),
        *(nn.Conv1D(_UNITS, 5, strides=2, padding=2), nn.GlobalAvgPool1D()),
    )


def _lines_of_text() -> Any:
    return _sequential(
        *(nn.Conv2D(16, 3, padding=1, use_bias=False), nn.BatchNorm(), nn.Activation("relu")),
        *(nn.MaxPool2D(2, 2), nn.Conv2D(_UNITS, 3, padding=1), nn.AvgPool2D(3, 2, 1)),
        *(nn.Conv2D(_UNITS, 3, strides=2, padding=1), nn.GlobalAvgPool2D()),
    )


def _transposed() -> Any:
    return _sequential(
        nn.Conv2D(16, 3, strides=2, padding=1), nn.Conv2DTranspose(16, 4, strides=2, padding=1)
    )


NETS: dict[str, tuple[Callable[[], Any], Callable[[int], tuple[int, ...]]]] = {
    "tokens": (Averaged, lambda length: (1, length, _UNITS)),
    "attention": (lambda: Encoder(_UNITS, heads=1), lambda length: (1, length, _UNITS)),
    "convolution": (_signals, lambda length: (1, _UNITS, length)),
    "lines of text": (_lines_of_text, lambda length: (1, 1, 32, 8 + length // 8)),
    "transposed": (_transposed, lambda length: (1, 3, 8 + length // 50, 8 + length // 50)),
    "volumes": (lambda: nn.Conv3D(8, 3, padding=1), lambda length: (1, 3, 8, 8, 8 + length // 50)),
    "lstm": (lambda: rnn.LSTM(_UNITS, layout="NTC"), lambda length: (1, length, _UNITS)),
    "batches": (
        lambda: _sequential(nn.Dense(64, activation="relu"), nn.Dense(10)),
        lambda n: (n, 64),
    ),
}
"""Each net, and the shape of its data for a length."""


def _resident() -> float:
    """The resident memory of the process, in MiB."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def _timed(net: Any, x: Any, *, train: bool) -> float:
    begin = time.process_time()
    with autograd.record(train) if train else autograd.pause():
        y = net(x)
    if train:
        y.backward()
    y.wait_to_read()
    return time.process_time() - begin


def _stream(name: str, lengths: Sequence[int], longest: int, *, train: bool) -> tuple[Any, str]:
    """The processor seconds of the first and the second call with each length, and a text on what is kept."""
    mx.random.seed(1)
    random = np.random.default_rng(1)
    make, shape = NETS[name]
    net = make()
    net.initialize(mx.init.Xavier())
    net.hybridize(compile_at_once=True)
    elements = random.standard_normal(max(map(prod, map(shape, (1, longest))))).astype("f4")

    def of_length(length: int) -> Any:
        own = shape(int(length))
        return nd.array(elements[: prod(own)].reshape(own))

    for length in (longest, 1, 2, 3, longest // 2, longest // 3, longest // 10, longest // 50):
        _timed(net, of_length(length), train=train)
    seconds, before = np.empty((len(lengths), 2)), 0.0
    for number, length in enumerate(lengths):
        data = of_length(length), of_length(length)
        seconds[number] = [_timed(net, x, train=train) for x in data]
        if number == _FIRST:
            before = _resident()
    info = net.cache_info()
    memory = f"{before:.0f} to {_resident():.0f} MiB"
    return seconds, f"{memory}; {info.specializations} specializations, {info.bindings} bindings"


def measure(name: str, calls: int, longest: int, rounds: int, *, train: bool) -> None:
    """Print the ratio of the times, the growth of memory, and what is kept."""
    lengths = np.random.default_rng(2).integers(1, longest + 1, calls).tolist()
    streams = [_stream(name, lengths, longest, train=train) for _ in range(rounds)]
    least = np.min([seconds for seconds, _ in streams], axis=0)
    (new, again), slowest = 1e3 * least.mean(axis=0), 1e3 * np.subtract(*least.T).max()
    later, later_again = least[calls // 2 :].sum(axis=0)
    print(
        f"{name:13s} {'step' if train else 'forward':8s} new {new:7.3f} ms, again {again:7.3f} ms, "
        f"ratio {new / again:5.2f}, of the later half {later / later_again:5.2f}, "
        f"slowest {slowest:5.1f} ms more; {streams[-1][1]}",
        flush=True,
    )


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nets", default=",".join(NETS))
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--longest", type=int, default=4000)
    parser.add_argument("--train", action="store_true")
    options = parser.parse_args()
    for name in options.nets.split(","):
        measure(name, options.calls, options.longest, options.rounds, train=options.train)


if __name__ == "__main__":
    main()
