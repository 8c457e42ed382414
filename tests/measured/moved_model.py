"""A small net for handwritten digits, trained and exported by MXNet 1.9.1, with the scores that it computes.

    PYTHON tests/measured/moved_model.py

in an environment with MXNet writes the folder moved_model again: the two files of ``net.export``, a few images,
and their scores. docs/leaving.md moves the net to other runtimes.
"""

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).with_suffix("")
DIGITS = Path(__file__).parents[2] / "examples/digits/digits.npz"
SHOWN = 5


def main() -> None:
    import mxnet as mx  # tests are collected where there is none
    from mxnet import autograd, gluon, nd
    from mxnet.gluon import nn

    mx.random.seed(1)
    with np.load(DIGITS) as file:
        images = nd.array(file["images"].astype(np.float32)[:, np.newaxis] / 16)
        labels = nd.array(file["labels"].astype(np.float32))
    net = nn.HybridSequential(prefix="digits_")
    with net.name_scope():
        net.add(nn.Conv2D(8, 3, padding=1, activation="relu"), nn.BatchNorm(), nn.MaxPool2D())
        net.add(nn.Dropout(0.2), nn.Dense(10))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    for _ in range(20):
        for start in range(0, len(images), 64):
            with autograd.record():
                value = loss(net(images[start : start + 64]), labels[start : start + 64])
            value.backward()
            trainer.step(64)
    print("accuracy", (net(images).argmax(axis=1) == labels).mean().asscalar())
    net.export(str(FOLDER / "digits"))
    shown = images[:SHOWN]
    np.save(FOLDER / "images.npy", shown.asnumpy())
    np.save(FOLDER / "scores.npy", net(shown).asnumpy())


if __name__ == "__main__":
    main()
