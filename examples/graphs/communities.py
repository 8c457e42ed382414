"""Find the communities of a network from a few known members: graph convolutions over a sparse matrix.

gluonic examples/graphs/communities.py [--steps 100]
"""

import argparse

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon

MEMBERS, COMMUNITIES, KNOWN = 120, 4, 4

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--steps", type=int, default=100)
options = parser.parse_args()

mx.random.seed(7)
random = np.random.RandomState(7)


def network():
    """Who knows whom, mostly within communities, as a normalized csr matrix; and the communities."""
    labels = np.repeat(np.arange(COMMUNITIES), MEMBERS)
    same = labels[:, None] == labels
    linked = np.triu(random.uniform(size=same.shape) < np.where(same, 0.05, 0.005), 1)
    matrix = linked + linked.T + np.eye(len(labels))
    degree = matrix.sum(axis=1) ** -0.5
    return mx.nd.array(degree[:, None] * matrix * degree).tostype("csr"), labels


class GraphConvolution(gluon.HybridBlock):
    """Each member's new features are made of those of all whom it knows."""

    def __init__(self, inputs, outputs, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(inputs, outputs))

    def hybrid_forward(self, F, matrix, x, weight):
        return F.sparse.dot(matrix, F.dot(x, weight))


class Net(gluon.HybridBlock):
    """Two graph convolutions."""

    def __init__(self, inputs, hidden, outputs, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.first = GraphConvolution(inputs, hidden)
            self.second = GraphConvolution(hidden, outputs)

    def hybrid_forward(self, F, matrix, x):
        x = F.Dropout(F.relu(self.first(matrix, x)), 0.3)
        return self.second(matrix, x)


matrix, labels = network()
features = mx.nd.eye(len(labels))  # who one is: of no use alone
known = np.concatenate([np.flatnonzero(labels == n)[:KNOWN] for n in range(COMMUNITIES)])
is_known = np.zeros((len(labels), 1), "float32")
is_known[known] = 1
is_known = mx.nd.array(is_known)
target = mx.nd.array(labels)

net = Net(features.shape[1], 32, COMMUNITIES)
net.initialize(mx.init.Xavier())
net.hybridize()
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02, "wd": 1e-3})
loss = gluon.loss.SoftmaxCrossEntropyLoss()
for _ in range(options.steps):
    with autograd.record():
        error = loss(net(matrix, features), target, is_known)
    error.backward()
    trainer.step(len(known))

right = net(matrix, features).asnumpy().argmax(axis=1) == labels
print(f"{matrix.data.size} links, {len(known)} of {len(labels)} members known")
print(f"{np.delete(right, known).mean():.3f} of the others are put into their community")
