"""Nets of several kinds, in small sizes, with samples of their inputs."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import gluon
from gluonic.gluon.model_zoo import vision

Sample = Callable[[int], list[np.ndarray[Any, Any]]]
"""A function from the batch size to inputs."""


def _random(*shape: int) -> Sample:
    return lambda batch: [np.random.RandomState(batch).randn(batch, *shape).astype("float32")]


class Recurrent(gluon.HybridBlock):
    """An LSTM of two layers, and a classifier of its states."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.recurrent = gluon.rnn.LSTM(20, 2, layout="NTC")
            self.output = gluon.nn.Dense(3)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.output(self.recurrent(x))


class Encoder(gluon.HybridBlock):
    """A layer of a transformer for sequences of words."""

    def __init__(self, width: int = 32, heads: int = 4) -> None:
        super().__init__()
        self._heads = heads
        with self.name_scope():
            self.words = gluon.nn.Embedding(50, width)
            self.factors = gluon.nn.Dense(3 * width, flatten=False)
            self.joined = gluon.nn.Dense(width, flatten=False)
            self.norms = gluon.nn.LayerNorm(), gluon.nn.LayerNorm()
            self.register_child(self.norms[0])
            self.register_child(self.norms[1])
            self.wide = gluon.nn.Dense(2 * width, flatten=False)
            self.narrow = gluon.nn.Dense(width, flatten=False)

    def hybrid_forward(self, F: Any, words: Any) -> Any:
        x = self.words(words)

        def by_head(each: Any) -> Any:
            parts = F.transpose(F.reshape(each, (0, 0, self._heads, -1)), (0, 2, 1, 3))
            return F.reshape(parts, (-3, 0, 0))

        query, key, value = map(by_head, F.split(self.factors(x), 3, axis=-1))
        scores = F.softmax(F.batch_dot(query, key, transpose_b=True) * 0.3)
        heads = F.reshape(F.batch_dot(scores, value), (-4, -1, self._heads, 0, 0))
        heads = F.reshape(F.transpose(heads, (0, 2, 1, 3)), (0, 0, -3))
        x = self.norms[0](x + self.joined(heads))
        return self.norms[1](x + self.narrow(F.LeakyReLU(self.wide(x), act_type="gelu")))


class SeveralEnds(gluon.HybridBlock):
    """Two inputs, and outputs of which one is an input, one a parameter's values, and two are the same."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.dense = gluon.nn.Dense(5)
            self.shift = self.params.get("shift", shape=(2, 3), init=mx.init.Uniform())

    def hybrid_forward(self, F: Any, x: Any, y: Any, shift: Any) -> Any:
        z = self.dense(F.concat(x, y.astype("float32"), dim=1))
        return z, x, F.tanh(z), shift, z


def _digits() -> gluon.HybridBlock:
    net = gluon.nn.HybridSequential()
    net.add(
        gluon.nn.Conv2D(8, 3, activation="relu"),
        gluon.nn.MaxPool2D(),
        gluon.nn.BatchNorm(),
        gluon.nn.Dense(32, activation="relu"),
        gluon.nn.Dense(10),
    )
    return net


def _layers() -> gluon.HybridBlock:
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(64, activation="relu"), gluon.nn.Dense(10))
    return net


def _words(batch: int) -> list[np.ndarray[Any, Any]]:
    return [np.random.RandomState(batch).randint(0, 50, (batch, 12)).astype("float32")]


def _two(batch: int) -> list[np.ndarray[Any, Any]]:
    random = np.random.RandomState(batch)
    whole = random.randint(-9, 9, (batch, 2)).astype("int32")
    return [random.randn(batch, 3).astype("float32"), whole]


NETS: dict[str, tuple[Callable[[], gluon.HybridBlock], Sample]] = {
    "layers": (_layers, _random(64)),
    "digits": (_digits, _random(1, 8, 8)),
    "recurrent": (Recurrent, _random(7, 5)),
    "encoder": (Encoder, _words),
    "ends": (SeveralEnds, _two),
    "mobilenet": (vision.mobilenet0_25, _random(3, 64, 64)),
    "resnet": (vision.resnet18_v1, _random(3, 64, 64)),
    "squeezenet": (vision.squeezenet1_1, _random(3, 224, 224)),
}


def made(name: str) -> tuple[gluon.HybridBlock, Sample]:
    """A net with random weights, and its samples."""
    make, sample = NETS[name]
    mx.random.seed(7)
    net = make()
    net.initialize(mx.init.Xavier())
    net(*_arrays(sample(2)))
    net.hybridize()
    return net, sample


def _arrays(values: list[np.ndarray[Any, Any]]) -> list[mx.nd.NDArray]:
    return [mx.nd.array(value, dtype=value.dtype) for value in values]


def outputs(net: gluon.HybridBlock, values: list[np.ndarray[Any, Any]]) -> list[Any]:
    """What a net computes."""
    found = net(*_arrays(values))
    return [each.asnumpy() for each in (found if isinstance(found, (list, tuple)) else [found])]


def exported(net: gluon.HybridBlock, sample: Sample, path: Any, **options: Any) -> Any:
    """The files of a net's library, exported for a batch of two."""
    return net.export_library(str(path), *_arrays(sample(2)), **options)
