"""Two nets against each other: one draws points on a ring, the other tells them from real ones.

gluonic examples/generative/gan.py [--steps 450]
"""

import argparse

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn

BATCH = 128

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--steps", type=int, default=450)
options = parser.parse_args()

mx.random.seed(5)
np.random.seed(5)


def real(count):
    """Points near a circle."""
    angle = mx.nd.random.uniform(0, 2 * np.pi, shape=(count, 1))
    points = mx.nd.concat(mx.nd.cos(angle), mx.nd.sin(angle), dim=1)
    return points + mx.nd.random.normal(scale=0.05, shape=(count, 2))


def drawn(count):
    """Points of the generator."""
    return generator(mx.nd.random.normal(shape=(count, 4)))


def net(outputs):
    """Three dense layers."""
    block = nn.HybridSequential()
    block.add(nn.Dense(64), nn.LeakyReLU(0.2), nn.Dense(64), nn.LeakyReLU(0.2), nn.Dense(outputs))
    block.initialize(mx.init.Xavier())
    block.hybridize()
    return block


generator, critic = net(2), net(1)
loss = gluon.loss.SigmoidBinaryCrossEntropyLoss()
settings = {"learning_rate": 0.002, "beta1": 0.5}
generator_trainer = gluon.Trainer(generator.collect_params(), "adam", settings)
critic_trainer = gluon.Trainer(critic.collect_params(), "adam", settings)
ones, zeros = mx.nd.ones((BATCH, 1)), mx.nd.zeros((BATCH, 1))
for step in range(options.steps):
    with autograd.record():
        error = loss(critic(real(BATCH)), ones) + loss(critic(drawn(BATCH).detach()), zeros)
    error.backward()
    critic_trainer.step(BATCH)

    with autograd.record():
        fooled = loss(critic(drawn(BATCH)), ones)
    fooled.backward()
    generator_trainer.step(BATCH)
    if step % 150 == 149:
        print(
            f"step {step + 1}: losses {error.mean().asscalar():.2f}, {fooled.mean().asscalar():.2f}"
        )

points = drawn(1000).asnumpy()
radius, angle = np.hypot(*points.T), np.arctan2(*points.T)
on_the_ring = (np.abs(radius - 1) < 0.25).mean()
sectors = np.histogram(angle, 12, (-np.pi, np.pi))[0]
print(
    f"{on_the_ring:.3f} of the points are on the ring, {(sectors > 20).sum()} of 12 sectors are served"
)
canvas = np.histogram2d(points[:, 1], points[:, 0], (15, 30), [(-1.5, 1.5)] * 2)[0]
for row in canvas:
    print("".join(" .:*#"[min(4, int(count))] for count in row))
