"""The throughput of processes that train together, relative to that of separate processes.

    mpirun -n 2 python -m benchmarks.distributed --write docs/distributed.md

Each rank trains a net alone, with the others as they do by default, and with the others while sums begin during
backward, in turn, some steps each. All ranks begin each step together; it takes as long as its
slowest rank does. Efficiency is the time of a step alone, divided by that of one together. With `--write` the
table replaces the one in that file.
"""

import argparse
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

os.environ.setdefault("GLUONIC_NUM_THREADS", "1")
import numpy as np

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.distributed import world
from gluonic.gluon import nn, rnn
from gluonic.gluon.model_zoo import vision


def lenet() -> tuple[Any, Any, Any]:
    """LeNet on batches of 64 digits."""
    net = nn.HybridSequential()
    for channels in (20, 50):
        net.add(nn.Conv2D(channels, 5, activation="tanh"), nn.MaxPool2D(2, 2))
    net.add(nn.Dense(500, "tanh"), nn.Dense(10))
    return net, nd.random.normal(shape=(64, 1, 28, 28)), nd.zeros((64,))


def resnet() -> tuple[Any, Any, Any]:
    """ResNet-18 on batches of 16 small pictures."""
    return vision.resnet18_v1(classes=10), nd.random.normal(shape=(16, 3, 64, 64)), nd.zeros((16,))


class LanguageModel(gluon.HybridBlock):
    """The next of 2,000 words: an embedding, an LSTM, a layer of scores."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.words = nn.Embedding(2000, 128)
            self.lstm = rnn.LSTM(128, layout="NTC", input_size=128)
            self.scores = nn.Dense(2000, flatten=False)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Scores of the next words: (batch, time, 2000)."""
        return self.scores(self.lstm(self.words(x)))


def language() -> tuple[Any, Any, Any]:
    """A language model on batches of 16 sentences of 20 words."""
    return LanguageModel(), nd.arange(320).reshape((16, 20)), nd.zeros((16, 20))


MODELS: dict[str, tuple[str, Callable[[], tuple[Any, Any, Any]]]] = {
    "lenet": ("LeNet, 64 digits", lenet),
    "resnet": ("ResNet-18, 16 pictures of 64×64", resnet),
    "language": ("language model (LSTM), 16 sentences of 20 words", language),
}
SIDES = {"alone": None, "default": "", "during": "1"}
"""How ranks train, with the value of `GLUONIC_OVERLAP`; by default it is not set: shared memory is used."""
_BEGIN, _END = "<!-- benchmarks.distributed -->", "<!-- end of benchmarks.distributed -->"
_COLUMNS = (
    "net",
    "gradients, MB",
    "step alone, ms",
    "together",
    "together, sums during backward",
    "efficiency",
    "of the shortest steps",
    "hidden, busy, waited, ms",
)


class Side:
    """A net that is trained in one of the ways.

    Attributes
    ----------
    seconds : how long each step took on this rank
    overlapped : seconds that were hidden, busy and waited in each step, if sums begin during backward
    """

    def __init__(self, make: Callable[[], tuple[Any, Any, Any]], early: str | None) -> None:
        mx.random.seed(0)
        self.net, self.x, self.y = make()
        self.net.initialize(mx.init.Xavier())
        self.net.hybridize(compile_at_once=True)
        self.net(self.x)
        self.store = None if early is None else mx.kv.create("dist_sync")
        self.early = early
        self.loss = gluon.loss.SoftmaxCrossEntropyLoss()
        self.trainer = gluon.Trainer(
            self.net.collect_params(),
            "sgd",
            {"learning_rate": 0.01, "momentum": 0.9},
            kvstore=self.store,
        )
        self.seconds: list[float] = []
        self.overlapped: list[tuple[float, float, float]] = []
        self.train(4)
        self.seconds.clear()
        self.overlapped.clear()

    def train(self, steps: int) -> None:
        """Train for some steps."""
        os.environ.pop("GLUONIC_OVERLAP", None)
        if self.early:
            os.environ["GLUONIC_OVERLAP"] = self.early
        for _ in range(steps):
            world().group.barrier()
            begin = perf_counter()
            with autograd.record():
                found = self.loss(self.net(self.x), self.y)
            found.backward()
            self.trainer.step(len(self.x))
            self.seconds.append(perf_counter() - begin)
            known = None if self.store is None else self.store.overlapped
            if known is not None:
                self.overlapped.append((known.hidden, known.busy, known.waited))

    def slowest(self) -> Any:
        """The time of each step on the slowest rank."""
        return np.concatenate(
            world().group.gather(np.array([self.seconds]), lambda: "times of steps")
        ).max(0)

    def megabytes(self) -> float:
        """The size of the gradients."""
        elements: int = sum(p.data().size for p in self.net.collect_params().values())
        return elements * 4 / 1e6


class Found(NamedTuple):
    """The measurements of a net: the seconds of steps by side, and those that overlapped."""

    megabytes: float
    steps: dict[str, Any]
    overlapped: Any


def measured(make: Callable[[], tuple[Any, Any, Any]], seconds: float, steps: int) -> Found:
    """Train all sides in turn until the time is up."""
    group = world().group
    sides = {name: Side(make, early) for name, early in SIDES.items()}
    end = perf_counter() + seconds
    while all(group.gather(np.array([perf_counter() < end]), lambda: "whether to go on")):
        for side in sides.values():
            side.train(steps)
    times = {name: side.slowest() for name, side in sides.items()}
    overlapped = np.median(sides["during"].overlapped, axis=0)
    return Found(sides["alone"].megabytes(), times, overlapped)


def row(name: str, found: Found) -> Iterator[str]:
    """The cells of a net."""
    median = {side: float(np.median(times)) for side, times in found.steps.items()}
    least = {side: float(np.min(times)) for side, times in found.steps.items()}
    yield name
    yield f"{found.megabytes:.1f}"
    yield from (f"{median[side] * 1e3:.1f}" for side in ("alone", "default", "during"))
    for of in (median, least):
        yield f"{of['alone'] / of['default']:.2f} ({of['alone'] / of['during']:.2f})"
    yield ", ".join(f"{seconds * 1e3:.1f}" for seconds in found.overlapped)


def table(rows: list[list[str]]) -> str:
    """The table in Markdown."""
    lines = [_COLUMNS, ["---", *["--:"] * (len(_COLUMNS) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def write(path: Path, text: str) -> None:
    """Write the table between its markers."""
    before, _, rest = path.read_text().partition(_BEGIN)
    after = rest.partition(_END)[2]
    path.write_text(f"{before}{_BEGIN}\n\n{text}\n\n{_END}{after}")


def main() -> None:
    """Measure, and print what rank 0 finds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*", default=list(MODELS), metavar="model")
    parser.add_argument("--seconds", type=float, default=40, help="for each net")
    parser.add_argument("--steps", type=int, default=10, help="of one side before the next's")
    parser.add_argument("--write", type=Path, help="the file whose table to replace")
    options = parser.parse_args()
    rows = []
    for model in options.models:
        name, make = MODELS[model]
        rows.append(list(row(name, measured(make, options.seconds, options.steps))))
    if world().group.rank == 0:
        print(table(rows))
        if options.write is not None:
            write(options.write, table(rows))


if __name__ == "__main__":
    main()
