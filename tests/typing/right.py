"""Right uses: a type checker knows what each gives."""

from typing import Any, assert_type

import numpy as np

import gluonic as mx
from gluonic import autograd, gluon, nd, sym
from gluonic.gluon import nn
from gluonic.gluon.annotations import Functions
from gluonic.ndarray import NDArray
from gluonic.symbol import Symbol

x = nd.ones((2, 3))
assert_type(x, NDArray)
assert_type(x + 1, NDArray)
assert_type(1 - x, NDArray)
assert_type(x > 0, NDArray)
assert_type(x[0], NDArray)
assert_type(x.sum(axis=1), NDArray)
assert_type(x.reshape((3, 2)).T, NDArray)
assert_type(x.astype("float64"), NDArray)
assert_type(x.shape, tuple[int, ...])
assert_type(mx.nd.relu(x), NDArray)
assert_type(nd.concat(x, x, dim=0), NDArray)
assert_type(nd.transpose(x, axes=(1, 0)), NDArray)
assert_type(nd.contrib.box_iou(nd.ones((2, 4)), nd.ones((3, 4))), NDArray)
assert_type(nd.random.uniform(0, 1, shape=(2, 2)), NDArray)
numbers: np.ndarray[Any, Any] = x.asnumpy()

images, filters = nd.ones((1, 3, 8, 8)), nd.ones((4, 3, 3, 3))
assert_type(nd.Convolution(images, filters, kernel=(3, 3), num_filter=4, no_bias=True), NDArray)
assert_type(mx.random.uniform(shape=(2,)), NDArray)
activation = "relu"
assert_type(nd.Activation(x, act_type=activation), NDArray)

data = sym.var("data")
assert_type(data * 2 + data, Symbol)
layer = mx.sym.FullyConnected(data, num_hidden=4, name="layer")
assert_type(layer, Symbol)
assert_type(layer.list_arguments(), list[str])
assert_type(layer.sum(axis=1, keepdims=True), Symbol)
assert_type(-(abs(layer) ** 2) > 1, Symbol)
assert_type(layer.reshape(1, -1), Symbol)

a = mx.np.ones((2, 3))
assert_type(a, mx.np.ndarray)
assert_type(2 * (a @ a.T), mx.np.ndarray)
assert_type(a.sum(axis=0), mx.np.ndarray)
assert_type(a[0].reshape(3, 1), mx.np.ndarray)
assert_type(mx.np.mean(a, axis=(0, 1), keepdims=True), mx.np.ndarray)
assert_type(mx.npx.relu(a), mx.np.ndarray)
assert_type(mx.np.random.normal(0, 1, size=(2, 2)), mx.np.ndarray)
assert_type(mx.np.linalg.norm(a), mx.np.ndarray)
assert_type(mx.np.pi, float)


class Net(gluon.HybridBlock):
    """A net with a parameter of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = self.params.get("scale", shape=(1,))
        self.dense = nn.Dense(3, activation="relu")

    def hybrid_forward(self, F: Functions, x: Any, scale: Any) -> Any:
        """Compute."""
        filters = F.ones((1, 1, 1))
        y = F.Convolution(
            F.reshape(x, shape=(0, 1, -1)), filters, kernel=(1,), num_filter=1, no_bias=True
        )
        return F.broadcast_mul(F.contrib.quadratic(self.dense(y), a=2.0), scale)


net = Net()
net.initialize(mx.init.Normal(0.1))
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
with autograd.record():
    loss = gluon.loss.L2Loss()(net(x), x)
loss.backward()
trainer.step(2)
assert_type(net.scale.data(), NDArray)
assert_type(net.dense, nn.Dense)
assert_type(net.dense(x), NDArray)
assert_type(net.dense(data), Symbol)
assert_type(net.dense(a), mx.np.ndarray)
assert_type(gluon.loss.L2Loss()(x, x), NDArray)
assert_type(net(x), Any)  # a block of the program's may return lists
module = mx.mod.Module(layer, label_names=None)
metric = mx.metric.Accuracy()
metric.update([x], [x])
for batch in mx.io.NDArrayIter(np.ones((4, 2)), batch_size=2):
    assert_type(batch, mx.io.DataBatch)
for rows in gluon.data.DataLoader(gluon.data.ArrayDataset(x, x), batch_size=2):
    rows[0].asnumpy()
