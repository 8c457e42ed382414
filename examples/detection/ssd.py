"""Finding objects: a small single shot detector (W. Liu and others, 2016) trained from a file of records.

``python examples/detection/ssd.py`` draws noise with squares and discs, writes it with their boxes to files of
records, trains on one for some seconds, and says how many objects of the other are found.
"""

import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn

SIDE, CLASSES, BATCH = 64, 2, 32
MEAN, STD = np.full(3, 128.0), np.full(3, 64.0)


def records(folder: str, count: int, seed: int, **settings: Any) -> mx.image.ImageDetIter:
    """Draw pictures of an object each, write them, and iterate over what was written."""
    draw, path = np.random.default_rng(seed), str(Path(folder, f"{seed}.rec"))
    index = path.replace("rec", "idx")
    file = mx.recordio.MXIndexedRecordIO(index, path, "w")
    for key in range(count):
        picture = draw.integers(0, 90, (SIDE, SIDE, 3)).astype(np.uint8)
        size, kind = draw.integers(16, 32), draw.integers(CLASSES)
        x, y = draw.integers(0, SIDE - size, 2)
        distance = np.abs(np.mgrid[:size, :size] - (size - 1) / 2)
        inside = np.hypot(*distance) < (size / 2 if kind else SIDE)
        picture[y : y + size, x : x + size][inside] = draw.integers(120, 256, 3)
        label = [2, 5, kind, x / SIDE, y / SIDE, (x + size) / SIDE, (y + size) / SIDE]
        file.write_idx(key, mx.recordio.pack_img((0, label, key, 0), picture))
    file.close()
    return mx.image.ImageDetIter(
        BATCH,
        (3, SIDE, SIDE),
        path_imgrec=path,
        path_imgidx=index,
        mean=MEAN,
        std=STD,
        **settings,
    )


class Detector(gluon.HybridBlock):
    """Two boxes at each place of an 8 by 8 map: which class they hold, and how it lies beside them."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.features = nn.HybridSequential()
            for channels in (16, 32, 32):
                self.features.add(nn.Conv2D(channels, 3, padding=1), nn.BatchNorm())
                self.features.add(nn.Activation("relu"), nn.MaxPool2D())
            self.classes = nn.Conv2D(2 * (CLASSES + 1), 3, padding=1)
            self.offsets = nn.Conv2D(2 * 4, 3, padding=1)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        x = self.features(x)
        anchors = F.contrib.MultiBoxPrior(x, sizes=(0.3, 0.45))
        scores = self.classes(x).transpose((0, 2, 3, 1)).reshape((0, -1, CLASSES + 1))
        return (
            anchors,
            scores.transpose((0, 2, 1)),
            self.offsets(x).transpose((0, 2, 3, 1)).flatten(),
        )


def train(net: Detector, batches: mx.image.ImageDetIter, epochs: int) -> None:
    """Train: boxes around objects learn them, and of the others the three times as many that err most."""
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 5e-3})
    entropy, distance = gluon.loss.SoftmaxCELoss(axis=1), gluon.loss.HuberLoss()
    for _ in range(epochs):
        batches.reset()
        for batch in batches:
            assert batch.label is not None
            with autograd.record():
                anchors, scores, offsets = net(batch.data[0])
                wanted, mask, kinds = nd.contrib.MultiBoxTarget(
                    anchors,
                    batch.label[0],
                    scores,
                    negative_mining_ratio=3,
                    negative_mining_thresh=0.5,
                )
                loss = entropy(scores, kinds.expand_dims(1), (kinds >= 0).expand_dims(1))
                loss = loss + distance(offsets * mask, wanted * mask)
            loss.backward()
            trainer.step(BATCH)


def found(net: Detector, batches: mx.image.ImageDetIter) -> float:
    """The part of the objects whose class the likeliest box has, most of which it covers."""
    hits = []
    for batch in batches:
        assert batch.label is not None
        anchors, scores, offsets = net(batch.data[0])
        boxes = nd.contrib.MultiBoxDetection(scores.softmax(axis=1), offsets, anchors)[:, 0]
        truth = batch.label[0][:, 0]
        overlap = nd.contrib.box_iou(boxes[:, 2:], truth[:, 1:]).asnumpy().diagonal()
        hits.append((overlap > 0.5) & (boxes[:, 0] == truth[:, 0]).asnumpy().astype(bool))
    return float(np.mean(hits))


def main(pictures: int = 256, epochs: int = 6) -> float:
    """Train on some pictures; the part of the objects of others that is found then."""
    for seed in (random.seed, np.random.seed, mx.random.seed):
        seed(0)
    net = Detector()
    net.initialize(mx.init.Xavier())
    net.hybridize()
    with tempfile.TemporaryDirectory() as folder:
        train(
            net, records(folder, pictures, 1, shuffle=True, rand_mirror=True, rand_crop=0.3), epochs
        )
        return found(net, records(folder, 96, 2))


if __name__ == "__main__":
    print(f"{main():.0%} of the objects are found")
