"""The main job, end to end: one model, eager and hybridized, on the UCI handwritten digits.

``make demo`` runs it. The data (examples/digits/digits.npz) are the 1,797 test images of the «Optical
Recognition of Handwritten Digits» set: E. Alpaydin and C. Kaynak, UCI Machine Learning Repository, 1998,
https://archive.ics.uci.edu/dataset/80, each 8x8 with values 0 to 16.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tqdm import tqdm

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn

sys.path.insert(0, str(Path(__file__).parent))

from layers import Normalization, PythonSigmoid

OUTPUT = Path("demo-output")
EPOCHS, BATCH, TEST = 24, 64, 360
GOAL = 0.97

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
        """Train with a progress bar."""
        random = np.random.default_rng(1)
        batches = [
            chunk
            for _ in range(epochs)
            for chunk in np.array_split(
                random.permutation(len(self.images)), len(self.images) // BATCH
            )
        ]
        with tqdm(batches, desc="training", unit="step") as bar:
            for chosen in bar:
                bar.set_postfix(loss=f"{self.step(chosen):.4f}", refresh=False)


def milliseconds(call: Callable[[], object], times: int = 30) -> float:
    """The median time of a call, after three to warm up."""
    for _ in range(3):
        call()
    measured = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        measured.append(time.perf_counter() - start)
    return statistics.median(measured) * 1e3


def accuracy(net: gluon.HybridBlock, data: Data) -> float:
    """The share of images that the net labels right."""
    metric = mx.metric.Accuracy()
    metric.update([data[1]], [net(data[0])])
    return float(metric.get()[1])


def compare_speed(train: Data) -> None:
    """Time a training step and a prediction, eager and hybridized."""
    chosen = np.arange(BATCH)
    times = {}
    for mode in ("eager", "hybridized"):
        training = Training(build(), train)
        if mode == "hybridized":
            training.net.hybridize()
            training.loss.hybridize()
        images = train[0][:BATCH]
        times[mode] = (
            milliseconds(lambda t=training: t.step(chosen)),  # type: ignore[misc]
            milliseconds(lambda t=training, x=images: t.net(x).asnumpy()),  # type: ignore[misc]
        )
    print(f"\n{'':12}{'training step':>16}{'prediction':>16}   (batch of {BATCH}, milliseconds)")
    for mode, (step, prediction) in times.items():
        print(f"{mode:12}{step:16.2f}{prediction:16.2f}")
    ratios = [a / b for a, b in zip(*times.values(), strict=True)]
    print(f"{'speed-up':12}{ratios[0]:15.2f}x{ratios[1]:15.2f}x\n")


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
