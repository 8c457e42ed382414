"""A variational autoencoder of handwritten digits: it learns to draw them, and draws new ones at the end.

gluonic examples/generative/autoencoder.py [--epochs 15]
"""

import argparse
from pathlib import Path

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--epochs", type=int, default=15)
options = parser.parse_args()

mx.random.seed(6)
np.random.seed(6)
with np.load(Path(__file__).parents[1] / "digits" / "digits.npz") as digits:
    images = digits["images"].reshape(-1, 64).astype("float32") / 16


class Autoencoder(gluon.HybridBlock):
    """Encodes an image as a normal distribution, and decodes a sample of it."""

    def __init__(self, code=8, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.encoder, self.decoder = nn.HybridSequential(), nn.HybridSequential()
            self.encoder.add(nn.Dense(128, activation="relu"), nn.Dense(2 * code))
            self.decoder.add(nn.Dense(128, activation="relu"), nn.Dense(64))

    def hybrid_forward(self, F, x):
        """Scores of the pixels, and how far the distribution is from the standard one."""
        mean, spread = F.split(self.encoder(x), 2, axis=1)
        sample = mean + F.exp(0.5 * spread) * F.random.normal_like(mean)
        apart = 0.5 * F.sum(F.exp(spread) + F.square(mean) - 1 - spread, axis=1)
        return self.decoder(sample), apart


net = Autoencoder()
net.initialize(mx.init.Xavier())
net.hybridize()
pixels = gluon.loss.SigmoidBinaryCrossEntropyLoss()
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.003})
data = gluon.data.DataLoader(gluon.data.ArrayDataset(images[:1500]), 50, shuffle=True)
for epoch in range(options.epochs):
    total = 0.0
    for x in data:
        with autograd.record():
            scores, apart = net(x)
            error = 64 * pixels(scores, x) + apart
        error.backward()
        trainer.step(len(x))
        total += error.sum().asscalar()
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1}: loss {total / 1500:.2f}")

new = mx.nd.array(images[1500:])
redrawn = mx.nd.sigmoid(net(new)[0]).asnumpy()
ratio = np.square(redrawn - images[1500:]).mean() / np.square(images[1500:] - images.mean(0)).mean()
print(f"squared error {ratio:.3f} of that of the mean image")
made = mx.nd.sigmoid(net.decoder(mx.nd.random.normal(shape=(6, 8)))).asnumpy().reshape(-1, 8, 8)
for row in range(8):
    print(
        "   ".join(
            "".join(" .:*#"[int(4.99 * value)] * 2 for value in image[row]) for image in made
        )
    )
