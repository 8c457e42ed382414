"""Train on handwritten digits in several processes, each with its part of the images, alike to the last bit.

mpirun -n 2 gluonic examples/processes/digits.py [--epochs 10]     # alone, one process does all
"""

import argparse
from pathlib import Path

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--epochs", type=int, default=10)
parser.add_argument(
    "--batch-size", type=int, default=48, help="images of a step, of all processes together"
)
options = parser.parse_args()

store = mx.kv.create("dist_sync")
mx.random.seed(11)  # the same first weights everywhere; a store would send rank 0's otherwise

with np.load(Path(__file__).parents[1] / "digits" / "digits.npz") as digits:
    images = digits["images"][:, None].astype("float32") / 16
    labels = digits["labels"].astype("float32")
mine = slice(store.rank, 1488, store.num_workers)
part = gluon.data.ArrayDataset(images[mine], labels[mine])
loader = gluon.data.DataLoader(part, options.batch_size // store.num_workers, last_batch="discard")

net = nn.HybridSequential()
with net.name_scope():
    net.add(nn.Conv2D(16, 3, activation="relu"), nn.MaxPool2D(), nn.Flatten(), nn.Dense(10))
net.initialize(mx.init.Xavier())
net.hybridize()
net(mx.nd.array(images[:1]))
settings = {"learning_rate": 0.05, "momentum": 0.9}
trainer = gluon.Trainer(net.collect_params(), "sgd", settings, kvstore=store)
loss = gluon.loss.SoftmaxCrossEntropyLoss()
for _ in range(options.epochs):
    for x, y in loader:
        with autograd.record():
            error = loss(net(x), y)
        error.backward()
        trainer.step(options.batch_size)

right = (net(mx.nd.array(images[1500:])).asnumpy().argmax(axis=1) == labels[1500:]).mean()
weight = net.collect_params()[net[0].weight.name].data().asnumpy()
print(
    f"rank {store.rank} of {store.num_workers}: {right:.3f} right, first weight {weight.flat[0]:.6f}"
)
