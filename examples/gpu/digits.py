"""Train a net on handwritten digits, on a GPU if there is one: a script as they were written for MXNet.

gluonic examples/gpu/digits.py [--batch-size 64] [--epochs 5] [--width 16] [--cpu]
"""

import argparse
import time
from pathlib import Path

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument("--epochs", type=int, default=5)
parser.add_argument("--width", type=int, default=16, help="channels of the first layer")
parser.add_argument("--cpu", action="store_true", help="use the CPU, though there is a GPU")
options = parser.parse_args()

mx.random.seed(1)
np.random.seed(1)
ctx = mx.gpu() if mx.context.num_gpus() and not options.cpu else mx.cpu()

with np.load(Path(__file__).parents[1] / "digits" / "digits.npz") as digits:
    images = digits["images"][:, None].astype("float32") / 16
    labels = digits["labels"].astype("float32")
train_set = gluon.data.ArrayDataset(images[:1500], labels[:1500])
train_data = gluon.data.DataLoader(
    train_set, options.batch_size, shuffle=True, last_batch="discard"
)
new_images = mx.nd.array(images[1500:], ctx=ctx)

net = nn.HybridSequential()
with net.name_scope():
    for channels in (options.width, 2 * options.width):
        net.add(nn.Conv2D(channels, 3, padding=1, use_bias=False))
        net.add(nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D())
    net.add(nn.Flatten(), nn.Dense(128, activation="relu"), nn.Dropout(0.5), nn.Dense(10))
net.initialize(mx.init.Xavier(magnitude=2.24), ctx=ctx)
net.hybridize(static_alloc=True, static_shape=True)

loss = gluon.loss.SoftmaxCrossEntropyLoss()
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.003})
metric = mx.metric.Accuracy()
for epoch in range(options.epochs):
    metric.reset()
    start = time.time()
    for data, label in train_data:
        data = data.as_in_context(ctx)
        label = label.as_in_context(ctx)
        with autograd.record():
            output = net(data)
            error = loss(output, label)
        error.backward()
        trainer.step(data.shape[0])
        metric.update([label], [output])
    mx.nd.waitall()
    speed = len(train_data) * options.batch_size / (time.time() - start)
    print(f"[Epoch {epoch}] training: {metric.get()[1]:.3f}, {speed:,.0f} images/s on {ctx}")

right = (net(new_images).asnumpy().argmax(axis=1) == labels[1500:]).mean()
print(f"new images: {right:.3f} right")
