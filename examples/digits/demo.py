"""The main job, end to end: one model, eager and hybridized, on the UCI handwritten digits.

``make demo`` runs it. The data (examples/digits/digits.npz) are the 1,797 test images of the «Optical
Recognition of Handwritten Digits» set: E. Alpaydin and C. Kaynak, UCI Machine Learning Repository, 1998,
https://archive.ics.uci.edu/dataset/80, each 8x8 with values 0 to 16.
"""

import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tqdm.auto import tqdm

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn

sys.path.insert(0, str(Path(__file__).parent))

from layers import Normalization, PythonSigmoid

OUTPUT = Path("demo-output")
EPOCHS, BATCH, TEST = 24, 64, 360
GOAL = 0.97
CALLS, IN_A_ROW, MOST_CALLS = 40, 10, 500

Data = tuple[nd.NDArray, nd.NDArray]


def load() -> tuple[Data, Data]:
    """The images, scaled to [0, 1], and labels: for training and for testing."""
    with np.load(Path(__file__).parent / "digits.npz") as file:
        images = file["images"].astype(np.float32)[:, np.newaxis] / 16
        labels = file["labels"].astype(np.float32)
    order = np.random.default_rng(7).permutation(len(images))
    train, test = order[TEST:], order[:TEST]
    return (
        (nd.array(images[train]), nd.array(labels[train])),
        (nd.array(images[test]), nd.array(labels[test])),
    )


def build() -> nn.HybridSequential:
    """A convolution, the tutorial's normalization layer, and an operator written in Python."""
    net = nn.HybridSequential(prefix="digits_")
    with net.name_scope():
        net.add(
            nn.Conv2D(32, 3, padding=1, activation="relu"),
            nn.MaxPool2D(2),
            nn.Conv2D(64, 3, padding=1, activation="relu"),
            nn.Flatten(),
            Normalization(hidden_units=128, scales=nd.array([4])),
            PythonSigmoid(),
            nn.Dense(10),
        )
    net.initialize(mx.init.Xavier())
    return net


class Training:
    """A net with its loss and trainer.

    Parameters
    ----------
    net : the net to train
    data : the images and labels
    """

    def __init__(self, net: nn.HybridSequential, data: Data) -> None:
        self.net, (self.images, self.labels) = net, data
        self.loss = gluon.loss.SoftmaxCrossEntropyLoss()
        self.trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.002})

    def step(self, chosen: np.ndarray) -> float:
        """Train on some of the images; the mean loss."""
        batch = nd.array(chosen, dtype="int32")
        images, labels = self.images.take(batch), self.labels.take(batch)
        with autograd.record():
            loss = self.loss(self.net(images), labels)
        loss.backward()
        self.trainer.step(len(chosen))
        return float(loss.mean().asscalar())

    def run(self, epochs: int) -> None:
        """Train with a progress bar, at a terminal."""
        random = np.random.default_rng(1)
        batches = [
            chunk
            for _ in range(epochs)
            for chunk in np.array_split(
                random.permutation(len(self.images)), len(self.images) // BATCH
            )
        ]
        with tqdm(batches, desc="training", unit="step", disable=None) as bar:
            for chosen in bar:
                bar.set_postfix(loss=f"{self.step(chosen):.4f}", refresh=False)


def milliseconds(call: Callable[[], object]) -> float:
    """The time of a call."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def steady(call: Callable[[], object]) -> float:
    """The median time of a call, in milliseconds, after some to warm up."""
    return statistics.median([milliseconds(call) for _ in range(2 * CALLS)][CALLS:])


class Times(NamedTuple):
    """How long a call takes, eager and hybridized, in milliseconds.

    Attributes
    ----------
    eager : the median of eager calls
    first, first_count : the median and the number of hybridized calls before any machine code ran
    compiling : the time that compiling took, or finding the code on disk
    is_from_disk : whether the code was found there
    later : the median of calls after these
    """

    eager: float
    first: float
    first_count: int
    compiling: float
    is_from_disk: bool
    later: float


def time_both(call: Callable[[], object], blocks: Sequence[gluon.HybridBlock]) -> Times:
    """Time a call of blocks, eager and hybridized.

    The first calls of a hybridized net run operator by operator. How many depends on the net, so it is called
    until some calls in a row were neither interpreted nor compiled.
    """
    eager = steady(call)
    for block in blocks:
        block.hybridize()
    start = before = counts(blocks)
    first: list[float] = []
    unchanged = 0
    for _ in range(MOST_CALLS):
        took = milliseconds(call)
        after = counts(blocks)
        if after.compiled == start.compiled:
            first.append(took)
        unchanged = unchanged + 1 if after == before else 0
        if unchanged == IN_A_ROW:
            break
        before = after
    return Times(
        eager=eager,
        first=statistics.median(first) if first else math.nan,
        first_count=len(first),
        compiling=(after.seconds - start.seconds) * 1e3,
        is_from_disk=0 < after.from_disk - start.from_disk == after.compiled - start.compiled,
        later=steady(call),
    )


class Counts(NamedTuple):
    """What was counted for blocks so far: see `HybridBlock.cache_info`."""

    interpreted: int
    compiled: int
    from_disk: int
    seconds: float


def counts(blocks: Sequence[gluon.HybridBlock]) -> Counts:
    """Add up what was counted for some blocks."""
    infos = [block.cache_info() for block in blocks]
    return Counts(
        sum(info.interpreted for info in infos),
        sum(info.specializations for info in infos),
        sum(info.disk_hits for info in infos),
        sum(info.seconds for info in infos),
    )


def accuracy(net: gluon.HybridBlock, data: Data) -> float:
    """The share of images that the net labels right."""
    metric = mx.metric.Accuracy()
    metric.update([data[1]], [net(data[0])])
    return float(metric.get()[1])


def compare_speed(train: Data) -> None:
    """Time a training step and a prediction, eager, hybridized and compiled."""
    chosen, images = np.arange(BATCH), train[0][:BATCH]
    training, predicting = Training(build(), train), build()
    times = (
        time_both(lambda: training.step(chosen), [training.net, training.loss]),
        time_both(lambda: predicting(images).asnumpy(), [predicting]),
    )
    print(f"\n{'':26}{'training step':>16}{'prediction':>16}   (batch of {BATCH})")
    show("eager", [f"{t.eager:.2f} ms" for t in times])
    show("hybridized, first calls", [f"{t.first:.2f} ms" if t.first_count else "" for t in times])
    show("  how many these are", [f"{t.first_count}" for t in times])
    show("hybridized, later calls", [f"{t.later:.2f} ms" for t in times])
    show("  speed-up", [f"{t.eager / t.later:.2f}x" for t in times])
    what = "reading code from disk" if all(t.is_from_disk for t in times) else "compiling, once"
    show(what, [f"{t.compiling:.0f} ms" for t in times])
    show("  saved again after", [f"{paid_back(t)} calls" for t in times])
    print()


def show(title: str, fields: Sequence[str]) -> None:
    """Print a row of the table."""
    print(f"{title:26}{''.join(f'{field:>16}' for field in fields)}")


def paid_back(times: Times) -> str:
    """The number of later calls that save as much time as compiling took."""
    saved = times.eager - times.later
    return f"{math.ceil(times.compiling / saved):,}" if saved > 0 else "no number of"


def prove_round_trip(net: nn.HybridSequential, test: Data) -> tuple[str, str]:
    """Export the net, load it back and check that it predicts the same, bit by bit."""
    symbol_file, parameter_file = net.export(str(OUTPUT / "digits"))
    loaded = gluon.SymbolBlock.imports(symbol_file, ["data"], parameter_file)
    before, after = net(test[0]).asnumpy(), loaded(test[0]).asnumpy()
    if not np.array_equal(before, after):
        raise AssertionError(f"predictions differ by {np.abs(before - after).max()}")
    print(f"exported and loaded back: {before.size} predictions, all identical")
    return symbol_file, parameter_file


def main() -> None:
    """Run the demo."""
    OUTPUT.mkdir(exist_ok=True)
    mx.random.seed(1)
    train, test = load()
    print(f"{len(train[0])} images to train on, {len(test[0])} to test with")
    compare_speed(train)

    net = build()
    net.hybridize()
    training = Training(net, train)
    training.loss.hybridize()
    training.run(EPOCHS)
    reached = accuracy(net, test)
    print(f"test accuracy: {reached:.2%}")
    if reached < GOAL:
        raise AssertionError(f"the test accuracy is below {GOAL:.0%}")

    files = prove_round_trip(net, test)
    symbol = mx.sym.load(files[0])
    picture = mx.viz.plot_network(
        symbol, title="digits", save_format="svg", shape={"data": (BATCH, 1, 8, 8)}
    )
    drawn = picture.render(str(OUTPUT / "digits"), cleanup=True)
    print("graph:     ", Path(files[0]).resolve())
    print("parameters:", Path(files[1]).resolve())
    print("picture:   ", Path(drawn).resolve())


if __name__ == "__main__":
    main()
