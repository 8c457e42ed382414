"""Train a net on handwritten digits, and write it as WebAssembly, with a page that recognizes what one draws.

python examples/web/digits.py && python -m http.server --directory digits-page
"""

import shutil
from pathlib import Path

import numpy as np

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn

PAGE = Path("digits-page")
EPOCHS, BATCH, TRAINED = 6, 50, 1500

mx.random.seed(1)
np.random.seed(1)
with np.load(Path(__file__).parents[1] / "digits" / "digits.npz") as digits:
    images = digits["images"][:, None].astype("float32") / 16
    labels = digits["labels"].astype("float32")
training = gluon.data.ArrayDataset(images[:TRAINED], labels[:TRAINED])
batches = gluon.data.DataLoader(training, BATCH, shuffle=True)

net = nn.HybridSequential(prefix="digits_")
with net.name_scope():
    net.add(nn.Conv2D(16, 3, padding=1, activation="relu"), nn.MaxPool2D())
    net.add(nn.BatchNorm(), nn.Dense(64, activation="relu"), nn.Dropout(0.3), nn.Dense(10))
net.initialize(mx.init.Xavier())
net.hybridize()
loss = gluon.loss.SoftmaxCrossEntropyLoss()
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.003})
for _ in range(EPOCHS):
    for data, label in batches:
        with autograd.record():
            error = loss(net(data), label)
        error.backward()
        trainer.step(len(data))
right = (net(nd.array(images[TRAINED:])).asnumpy().argmax(axis=1) == labels[TRAINED:]).mean()
print(f"new images: {right:.3f} right")

PAGE.mkdir(exist_ok=True)
files = net.export_library(str(PAGE / "digits.wasm"), nd.array(images[:1]), most=1)
shutil.copy(Path(__file__).with_name("index.html"), PAGE)
print(f"{files.library}: {files.library.stat().st_size:,} bytes")
