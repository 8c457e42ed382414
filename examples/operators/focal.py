"""An operator and a layer of one's own: the focal loss, which forgets easy examples, with its gradient.

gluonic examples/operators/focal.py [--steps 200]
"""

import argparse

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--steps", type=int, default=200)
options = parser.parse_args()

mx.random.seed(10)
random = np.random.RandomState(10)


class FocalLoss(mx.operator.CustomOp):
    """(1 - p)^gamma -log p, where p is the probability of the right answer (Lin et al., 2017)."""

    def __init__(self, gamma):
        super().__init__()
        self.gamma = gamma

    def forward(self, is_train, req, in_data, out_data, aux):
        score, label = in_data
        p = mx.nd.sigmoid(score * (2 * label - 1))
        self.assign(out_data[0], req[0], -((1 - p) ** self.gamma) * mx.nd.log(p))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        score, label = in_data
        sign = 2 * label - 1
        p = mx.nd.sigmoid(score * sign)
        slope = (1 - p) ** self.gamma * (self.gamma * p * mx.nd.log(p) + p - 1)
        self.assign(in_grad[0], req[0], out_grad[0] * slope * sign)
        self.assign(in_grad[1], req[1], mx.nd.zeros_like(label))


@mx.operator.register("focal_loss")
class FocalLossProp(mx.operator.CustomOpProp):
    """Names and shapes of the operator; attributes arrive as text."""

    def __init__(self, gamma="2"):
        super().__init__(need_top_grad=True)
        self.gamma = float(gamma)

    def list_arguments(self):
        return ["score", "label"]

    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0]], []

    def create_operator(self, ctx, shapes, dtypes):
        return FocalLoss(self.gamma)


class Bounded(gluon.HybridBlock):
    """A layer of one's own, with a parameter: a dense layer with outputs between bounds that are learned."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.dense = nn.Dense(units)
            self.bound = self.params.get("bound", shape=(1, units), init=mx.init.Constant(2))

    def hybrid_forward(self, F, x, bound):
        return F.broadcast_mul(F.tanh(self.dense(x)), F.abs(bound))


class Model(gluon.HybridBlock):
    """Scores in prediction, losses where labels are given."""

    def __init__(self, gamma, **kwargs):
        super().__init__(**kwargs)
        self.gamma = gamma
        with self.name_scope():
            self.layers = nn.HybridSequential()
            self.layers.add(nn.Dense(16, activation="relu"), Bounded(8), nn.Dense(1))

    def hybrid_forward(self, F, x, label=None):
        score = self.layers(x)
        return (
            score
            if label is None
            else F.Custom(score, label, op_type="focal_loss", gamma=self.gamma)
        )


def points(count):
    """One in eight is inside a circle."""
    x = random.uniform(-1, 1, (count, 2))
    return mx.nd.array(x), mx.nd.array((np.hypot(*x.T) < 0.4)[:, None])


score, label = mx.nd.array([[0.3], [-1.2]]), mx.nd.array([[1], [0]])
score.attach_grad()
with autograd.record():
    total = mx.nd.Custom(score, label, op_type="focal_loss", gamma=2).sum()
total.backward()
shift = 1e-2
sides = [
    mx.nd.Custom(score + d, label, op_type="focal_loss", gamma=2).asnumpy() for d in (shift, -shift)
]
wrong = np.abs((sides[0] - sides[1]) / (2 * shift) - score.grad.asnumpy()).max()
print(f"the gradient is within {wrong:.0e} of differences")

net = Model(gamma=2)
net.initialize(mx.init.Xavier())
net.hybridize()
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
for _ in range(options.steps):
    x, label = points(64)
    with autograd.record():
        error = net(x, label)
    error.backward()
    trainer.step(64)
x, label = points(1000)
right = (net(x).asnumpy() > 0) == (label.asnumpy() > 0.5)
print(f"{right.mean():.3f} of new points are right")
