"""Say of each pixel whether it belongs to a disc, a square or the background: a small U-Net.

gluonic examples/images/segmentation.py [--steps 120]
"""

import argparse

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn

SIZE = 32

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--steps", type=int, default=120)
options = parser.parse_args()

mx.random.seed(2)
random = np.random.RandomState(2)


def pictures(count):
    """Noisy pictures with a disc and a square each, and the class of each pixel."""
    rows, columns = np.mgrid[:SIZE, :SIZE]
    classes = np.zeros((count, SIZE, SIZE), "float32")
    for mask in classes:
        top, left = random.randint(2, SIZE - 12, 2)
        mask[top : top + 9, left : left + 9] = 2
        row, column = random.randint(6, SIZE - 6, 2)
        mask[(rows - row) ** 2 + (columns - column) ** 2 < 25] = 1
    images = (classes > 0) + random.normal(scale=0.3, size=classes.shape)
    return mx.nd.array(images[:, None]), mx.nd.array(classes)


def convolved(channels):
    """Two convolutions, each with batch normalization."""
    block = nn.HybridSequential()
    for _ in range(2):
        block.add(nn.Conv2D(channels, 3, padding=1, use_bias=False), nn.BatchNorm())
        block.add(nn.Activation("relu"))
    return block


class UNet(gluon.HybridBlock):
    """Down to small images, and up again beside what was seen on the way."""

    def __init__(self, classes, width=8, depth=2, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.down, self.up = nn.HybridSequential(), nn.HybridSequential()
            for level in range(depth):
                self.down.add(convolved(width << level))
            self.bottom = convolved(width << depth)
            self.pool = nn.MaxPool2D()
            for level in reversed(range(depth)):
                self.up.add(nn.Conv2DTranspose(width << level, 2, strides=2))
                self.up.add(convolved(width << level))
            self.output = nn.Conv2D(classes, 1)

    def hybrid_forward(self, F, x):
        beside = []
        for block in self.down:
            x = block(x)
            beside.append(x)
            x = self.pool(x)
        x = self.bottom(x)
        for number in range(0, len(self.up), 2):
            x = F.concat(self.up[number](x), beside.pop(), dim=1)
            x = self.up[number + 1](x)
        return self.output(x)


net = UNet(3)
net.initialize(mx.init.Xavier())
net.hybridize()
schedule = mx.lr_scheduler.CosineScheduler(options.steps, base_lr=0.01)
trainer = gluon.Trainer(
    net.collect_params(), "adam", {"learning_rate": 0.01, "lr_scheduler": schedule}
)
loss = gluon.loss.SoftmaxCrossEntropyLoss(axis=1)
for step in range(options.steps):
    images, classes = pictures(16)
    with autograd.record():
        error = loss(net(images), classes)
    error.backward()
    trainer.step(16)
    if step % 40 == 39:
        print(f"step {step + 1}: loss {error.mean().asscalar():.3f}")

images, classes = pictures(64)
guessed, classes = net(images).asnumpy().argmax(1), classes.asnumpy()
for number, name in enumerate(("background", "disc", "square")):
    both = ((guessed == number) & (classes == number)).sum()
    either = ((guessed == number) | (classes == number)).sum()
    print(f"{name}: intersection over union {both / either:.3f}")
for row in guessed[0][::2]:
    print("".join(" .O##"[2 * number] * 2 if number else "  " for number in row[::2]))
