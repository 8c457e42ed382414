"""Train by `Estimator`: two spirals told apart, with validation, checkpoints and an early end.

python examples/estimator/spirals.py                 # a few seconds
python examples/estimator/spirals.py --resume        # goes on from the newest checkpoint
"""

import argparse

import numpy as np

import gluonic as mx
from gluonic import gluon, nd
from gluonic.gluon import nn
from gluonic.gluon.contrib import estimator as est


def spirals(count: int, seed: int) -> gluon.data.DataLoader:
    """Points of two spirals, each with the number of its spiral."""
    random = np.random.default_rng(seed)
    label = random.integers(0, 2, count)
    turn = random.uniform(0.5, 2.5, count) * np.pi
    place = np.stack([np.cos(turn + np.pi * label), np.sin(turn + np.pi * label)], 1)
    points = place * turn[:, None] / 8 + random.normal(scale=0.02, size=(count, 2))
    data = gluon.data.ArrayDataset(nd.array(points), nd.array(label))
    return gluon.data.DataLoader(data, batch_size=64, shuffle=True)


class SlowDown(est.EpochEnd):
    """A handler of one's own: halve the learning rate every twenty epochs."""

    def epoch_end(self, estimator: est.Estimator, *args: object, **kwargs: object) -> None:
        self.epochs = getattr(self, "epochs", 0) + 1
        if self.epochs % 20 == 0:
            estimator.trainer.set_learning_rate(estimator.trainer.learning_rate / 2)


def main() -> None:
    """Train, and say how good the net has become."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", default="spirals-output", help="where checkpoints are kept")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()

    mx.random.seed(2)
    np.random.seed(2)
    net = nn.HybridSequential()
    net.add(nn.Dense(32, activation="relu"), nn.Dense(32, activation="relu"), nn.Dense(2))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    learner = est.Estimator(net, loss, mx.metric.Accuracy(), trainer=trainer)
    accuracy = learner.val_metrics[0]
    handlers = [
        SlowDown(),
        est.EarlyStoppingHandler(accuracy, patience=15, mode="max"),
        est.CheckpointHandler(
            options.folder, "spirals", accuracy, save_best=True, mode="max", max_checkpoints=2,
            resume_from_checkpoint=options.resume,
        ),
    ]  # fmt: skip
    learner.fit(spirals(1024, 0), spirals(256, 1), epochs=options.epochs, event_handlers=handlers)
    net.load_parameters(f"{options.folder}/spirals-best.params")
    learner.evaluate(spirals(512, 2), event_handlers=est.MetricHandler(learner.val_metrics))
    print(f"{accuracy.name} of the best net on new points: {accuracy.get()[1]:.3f}")


if __name__ == "__main__":
    main()
