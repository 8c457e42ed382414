"""How much of the throughput of separate processes is left when they train together.

    mpirun -n 2 python -m benchmarks.distributed lenet

Each rank trains a net alone, and then with the others, in turn. The shortest time of gradients counts, and that
of updates, which all ranks begin together: the slowest rank's of each step, the shortest of the steps.
"""

import argparse
import os
from time import perf_counter
from typing import Any

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


class Times:
    """How long the steps took, in seconds: gradients, and updates."""

    def __init__(self) -> None:
        self.gradients: list[float] = []
        self.updates: list[float] = []

    def train(self, net: Any, trainer: Any, x: Any, y: Any, steps: int) -> None:
        """Train for some steps."""
        loss = gluon.loss.SoftmaxCrossEntropyLoss()
        for _ in range(steps):
            begin = perf_counter()
            with autograd.record():
                found = loss(net(x), y)
            found.backward()
            self.gradients.append(perf_counter() - begin)
            world().group.barrier()
            begin = perf_counter()
            trainer.step(len(x))
            self.updates.append(perf_counter() - begin)

    def shortest(self) -> tuple[float, float]:
        """The shortest gradients and updates, of the slowest rank in each step."""
        of_ranks = world().group.gather(np.array([[self.gradients, self.updates]]), lambda: "times")
        slowest = np.concatenate(of_ranks)
        return slowest[:, 0].min(), slowest[:, 1].max(0).min()


def main() -> None:
    """Measure, and print what rank 0 finds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=("lenet", "resnet", "language"))
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--store", default="dist_sync")
    parser.add_argument("--update-on-kvstore", type=int, default=1)
    options = parser.parse_args()
    group = world().group
    times = {"apart": Times(), "together": Times()}
    sides: dict[str, Any] = {}
    for side, store in (("apart", None), ("together", options.store)):
        mx.random.seed(0)
        net, x, y = {"lenet": lenet, "resnet": resnet, "language": language}[options.model]()
        net.initialize(mx.init.Xavier())
        net.hybridize(static_alloc=True)
        net(x)
        trainer = gluon.Trainer(
            net.collect_params(),
            "sgd",
            {"learning_rate": 0.01, "momentum": 0.9},
            kvstore=store,
            update_on_kvstore=bool(options.update_on_kvstore) if store else None,
        )
        sides[side] = (net, trainer, x, y)
        Times().train(*sides[side], 2)
    for _ in range(options.rounds):
        for side, given in sides.items():
            times[side].train(*given, options.steps)
    size = sum(p.data().size for p in sides["apart"][0].collect_params().values()) * 4 / 1e6
    (g, apart), (other, together) = (times[side].shortest() for side in sides)
    gradients = min(g, other)
    if group.rank == 0:
        print(
            f"{options.model}, {group.size} ranks, {size:.1f} MB: gradients {gradients * 1e3:.2f} ms"
        )
        print(f"updates {apart * 1e3:.2f} ms apart, {together * 1e3:.2f} ms together")
        print(f"efficiency {(gradients + apart) / (gradients + together):.2f}")


if __name__ == "__main__":
    main()
