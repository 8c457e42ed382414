"""Train on the digits 0 to 4, with augmentation; then reuse the features for 5 to 9, of which few are known.

gluonic examples/images/fine_tuning.py [--epochs 6] [--known 10]
"""

import argparse
import os
import tempfile
from pathlib import Path

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn
from mxnet.gluon.data.vision import transforms

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--epochs", type=int, default=6)
parser.add_argument("--known", type=int, default=10, help="images of each new digit to learn from")
options = parser.parse_args()

mx.random.seed(1)
np.random.seed(1)


class Shifted(gluon.Block):
    """An augmentation of one's own: move an image by a pixel in some direction."""

    def forward(self, image):
        down, right = np.random.randint(-1, 2, 2)
        return mx.nd.array(np.roll(image.asnumpy(), (down, right), axis=(0, 1)), dtype="uint8")


augmented = transforms.Compose([Shifted(), transforms.RandomLighting(0.1), transforms.ToTensor()])
plain = transforms.ToTensor()

with np.load(Path(__file__).parents[1] / "digits" / "digits.npz") as digits:
    images, labels = digits["images"].astype("uint8")[..., None] * 15, digits["labels"]


def dataset(chosen, first_label):
    """Images as data set, with labels from zero on."""
    chosen_labels = (labels[chosen] - first_label).astype("int32")
    return gluon.data.ArrayDataset(mx.nd.array(images[chosen], dtype="uint8"), chosen_labels)


class Classifier(gluon.HybridBlock):
    """Features, which are learned once, and an output layer for some classes."""

    def __init__(self, classes, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential()
            for channels in (16, 32):
                self.features.add(nn.Conv2D(channels, 3, padding=1, use_bias=False), nn.BatchNorm())
                self.features.add(nn.Activation("relu"), nn.MaxPool2D())
            self.features.add(nn.Flatten())
            self.output = nn.Dense(classes)

    def hybrid_forward(self, F, x):
        return self.output(self.features(x))


def train(net, parameters, data, epochs, rate):
    """Change some of the net's parameters."""
    loader = gluon.data.DataLoader(data.transform_first(augmented), 32, shuffle=True)
    trainer = gluon.Trainer(parameters, "adam", {"learning_rate": rate})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    for _ in range(epochs):
        for x, y in loader:
            with autograd.record():
                error = loss(net(x), y)
            error.backward()
            trainer.step(len(x))


def accuracy(net, data):
    """The share of images that are told right."""
    metric = mx.metric.Accuracy()
    for x, y in gluon.data.DataLoader(data.transform_first(plain), 128):
        metric.update(y, net(x))
    return metric.get()[1]


is_new, place = labels >= 5, np.arange(len(labels))
net = Classifier(5)
net.initialize(mx.init.Xavier())
net.hybridize()
train(net, net.collect_params(), dataset(~is_new & (place < 800), 0), options.epochs, 0.003)
print(f"digits 0 to 4: {accuracy(net, dataset(~is_new & (place >= 1200), 0)):.3f} right")

with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "features.params")
    net.features.save_parameters(file)
    tuned = Classifier(5)
    tuned.features.load_parameters(file)
tuned.output.initialize(mx.init.Xavier())
tuned.hybridize()

few = np.concatenate([np.flatnonzero(labels[:1200] == d)[: options.known] for d in range(5, 10)])
new = dataset(is_new & (place >= 1200), 5)
train(tuned, tuned.output.collect_params(), dataset(few, 5), 4 * options.epochs, 0.01)
print(f"digits 5 to 9, features frozen: {accuracy(tuned, new):.3f} right")
train(tuned, tuned.collect_params(), dataset(few, 5), 2 * options.epochs, 0.001)
print(f"digits 5 to 9, all of it tuned: {accuracy(tuned, new):.3f} right")
