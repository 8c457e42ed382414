"""Forecast series and their uncertainty: a recurrent net gives mean and deviation of each hour to come.

gluonic examples/sequences/forecasting.py [--steps 150]
"""

import argparse

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn, rnn

SEEN, AHEAD = 48, 24

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--steps", type=int, default=150)
options = parser.parse_args()

mx.random.seed(4)
random = np.random.RandomState(4)


def series(count):
    """Hourly values with a daily rhythm, a level and noise of their own each; and the hours of the day."""
    hours = random.randint(0, 24, (count, 1)) + np.arange(SEEN + AHEAD)
    level, height = random.uniform(2, 6, (2, count, 1))
    noise = random.normal(scale=0.1 * height, size=hours.shape)
    values = level + height * np.sin(hours * np.pi / 12) + noise
    rhythm = np.stack([np.sin(hours * np.pi / 12), np.cos(hours * np.pi / 12)], axis=2)
    return mx.nd.array(values), mx.nd.array(rhythm)


class Forecaster(gluon.HybridBlock):
    """Reads what is known of a series; a dense layer says what each hour to come is in this state."""

    def __init__(self, width=32, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.reader = rnn.GRU(width, layout="NTC", input_size=3)
            self.hours = nn.Dense(width, activation="relu", flatten=False)
            self.output = nn.Dense(2, flatten=False)

    def hybrid_forward(self, F, values, rhythm):
        """Means and deviations of the hours to come, in the units of the series."""
        scale = F.mean(F.abs(values), axis=1, keepdims=True)
        known = F.expand_dims(F.broadcast_div(values, scale), 2)
        seen, ahead = (
            F.slice_axis(rhythm, axis=1, begin=b, end=e) for b, e in ((0, SEEN), (SEEN, None))
        )
        state = F.slice_axis(self.reader(F.concat(known, seen, dim=2)), axis=1, begin=-1, end=None)
        day_before = F.slice_axis(known, axis=1, begin=-24, end=None)
        hours = F.concat(F.tile(state, (1, AHEAD, 1)), ahead, day_before, dim=2)
        mean, deviation = F.split(self.output(self.hours(hours)), 2, axis=2, squeeze_axis=True)
        deviation = F.Activation(deviation, "softrelu") + 1e-3
        return F.broadcast_mul(mean, scale), F.broadcast_mul(deviation, scale)


def surprise(mean, deviation, truth):
    """The negative logarithm of the normal density, but for a constant."""
    return mx.nd.log(deviation) + 0.5 * mx.nd.square((truth - mean) / deviation)


net = Forecaster()
net.initialize(mx.init.Xavier())
net.hybridize()
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01, "clip_gradient": 1.0})
for step in range(options.steps):
    values, rhythm = series(32)
    with autograd.record():
        mean, deviation = net(values[:, :SEEN], rhythm)
        error = surprise(mean, deviation, values[:, SEEN:])
    error.backward()
    trainer.step(32 * AHEAD)
    if step % 50 == 49:
        print(f"step {step + 1}: loss {error.mean().asscalar():.3f}")

values, rhythm = series(256)
mean, deviation = (x.asnumpy() for x in net(values[:, :SEEN], rhythm))
truth, day_before = values.asnumpy()[:, SEEN:], values.asnumpy()[:, SEEN - 24 : SEEN]
ratio = np.abs(truth - mean).mean() / np.abs(truth - day_before).mean()
inside = (np.abs(truth - mean) < 1.645 * deviation).mean()
print(f"error {ratio:.3f} of that of yesterday's values")
print(f"{inside:.3f} of the values are within the interval that should hold 0.9 of them")
