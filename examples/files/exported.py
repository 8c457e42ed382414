"""What can be done with two exported files: predict, cut the head off, train on, change the batch size.

gluonic examples/files/exported.py [--prefix mine --epoch 0]
"""

import argparse
import os
import tempfile

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument(
    "--prefix", help="of PREFIX-symbol.json and PREFIX-0000.params; a small net without it"
)
parser.add_argument("--epoch", type=int, default=0)
parser.add_argument("--shape", type=int, nargs="+", default=[3, 32, 32], help="of one input")
options = parser.parse_args()

mx.random.seed(9)


def write(prefix, x):
    """Export a small net."""
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Conv2D(8, 3, activation="relu"), nn.MaxPool2D(), nn.Flatten())
        net.add(nn.Dense(16, activation="relu"), nn.Dense(4))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    net(x)
    net.export(prefix)


with tempfile.TemporaryDirectory() as folder:
    prefix = options.prefix or os.path.join(folder, "net")
    x = mx.nd.random.uniform(shape=(2, *options.shape))
    if not options.prefix:
        write(prefix, x)
    names = [f"{prefix}-symbol.json", f"{prefix}-{options.epoch:04d}.params"]

    # As a block: call it, look at its parameters, train it on.
    net = gluon.SymbolBlock.imports(names[0], ["data"], names[1])
    scores = net(x).asnumpy()
    print(f"a block: {len(net.collect_params())} parameters, scores {scores.shape}")

    # As a symbol with arrays, in MXNet's older interface.
    symbol, arguments, states = mx.model.load_checkpoint(prefix, options.epoch)
    module = mx.mod.Module(symbol, data_names=["data"], label_names=None)
    module.bind([("data", x.shape)], for_training=False)
    module.set_params(arguments, states)
    module.forward(mx.io.DataBatch([x]))
    difference = np.abs(module.get_outputs()[0].asnumpy() - scores).max()
    print(f"a module: the same scores within {difference:.0e}")

    # Without its last layer: features for something else.
    layers = symbol.get_internals()
    last = symbol.get_children()[0]
    features = gluon.SymbolBlock(last, mx.sym.var("data"))
    features.load_parameters(names[1], ignore_extra=True, cast_dtype=True)
    print(f"{len(layers.list_outputs())} outputs inside, features {features(x).shape}")

    head = nn.HybridSequential()
    head.add(features, nn.Dense(2))
    head[1].initialize(mx.init.Xavier())
    head.hybridize()
    trainer = gluon.Trainer(head[1].collect_params(), "sgd", {"learning_rate": 0.1})
    label, losses = mx.nd.array([0, 1]), []
    for _ in range(30):
        with autograd.record():
            error = gluon.loss.SoftmaxCrossEntropyLoss()(head(x), label)
        error.backward()
        trainer.step(2)
        losses.append(error.mean().asscalar())
    print(f"a new head: loss {losses[0]:.2f}, then {losses[-1]:.2f}")
    print(f"another batch size: {head(mx.nd.random.uniform(shape=(7, *options.shape))).shape}")
