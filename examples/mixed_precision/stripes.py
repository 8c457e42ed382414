"""Train in mixed precision, and convert a net of float32: the direction of stripes in images.

python examples/mixed_precision/stripes.py
"""

import numpy as np

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.contrib import amp
from gluonic.gluon import nn

Data = tuple[nd.NDArray, nd.NDArray]


def stripes(count: int, seed: int) -> Data:
    """Images with stripes in four directions, among noise, and the directions' numbers."""
    random = np.random.default_rng(seed)
    label = random.integers(0, 4, count)
    y, x = np.mgrid[:16, :16] / 2.5
    angle = (label * np.pi / 4)[:, None, None]
    phase = random.uniform(0, 2 * np.pi, (count, 1, 1))
    waves = np.sin(2 * (x * np.cos(angle) + y * np.sin(angle)) + phase)
    noisy = waves + random.normal(scale=0.7, size=waves.shape)
    return nd.array(noisy[:, None]), nd.array(label)


def convolutions() -> nn.HybridSequential:
    """A small net."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(16, 5, strides=2, activation="relu"), nn.BatchNorm())
    net.add(nn.Conv2D(16, 3, activation="relu"), nn.GlobalMaxPool2D(), nn.Dense(4))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    return net


def train(net: nn.HybridSequential, data: Data, scaled: bool, steps: int = 60) -> None:
    """Train a net, with the loss scaled so that gradients of float16 do not vanish."""
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    if scaled:
        amp.init_trainer(trainer)
    for step in range(steps):
        part = slice(64 * step % len(data[0]), 64 * step % len(data[0]) + 64)
        with autograd.record():
            found = loss(net(data[0][part]), data[1][part])
            if scaled:
                with amp.scale_loss(found, trainer) as large:
                    large.backward()
        if not scaled:
            found.backward()
        trainer.step(64)


def report(title: str, net: gluon.HybridBlock, data: Data) -> None:
    """Say how many images a net sees right, and in which dtype it answers."""
    found = net(data[0])
    right = (found.asnumpy().argmax(1) == data[1].asnumpy()).mean()
    print(f"{title}: {right:.3f} right, answers in {np.dtype(found.dtype).name}")


def main() -> None:
    """Train in float32, convert, and train in mixed precision."""
    mx.random.seed(1)
    data, new = stripes(512, 0), stripes(256, 1)
    net = convolutions()
    train(net, data, scaled=False)
    report("float32", net, new)
    report("converted", amp.convert_hybrid_block(net, cast_optional_params=True), new)

    amp.init()  # from here on, for all nets that are made
    net = convolutions()
    train(net, data, scaled=True)
    report("mixed precision", net, new)


if __name__ == "__main__":
    main()
