"""The nets that are measured: those of benchmarks beside PyTorch and JAX, under the same names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn

Call = Callable[[], Any]


class Normalized(gluon.HybridBlock):
    """Numbers between 0 and 1."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        low, high = F.min(x), F.max(x)
        return F.broadcast_div(F.broadcast_sub(x, low), F.broadcast_sub(high, low))


class Chain(gluon.HybridBlock):
    """Element-wise operators."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        y = F.tanh(x * 0.5 + 1.0)
        z = F.sigmoid(y * x - 0.3)
        return F.relu(z * y + F.exp(-z * z)) * 0.7 + x


class Softmax(gluon.HybridBlock):
    """Softmax of rows."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.softmax(x)


class Attention(gluon.HybridBlock):
    """A layer of an encoder: attention, then two dense layers, each after a norm and beside a short cut."""

    def __init__(self, width: int = 256, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        with self.name_scope():
            self.q, self.k, self.v, self.o = (nn.Dense(width, flatten=False) for _ in range(4))
            self.first, self.second, self.gelu = nn.LayerNorm(), nn.LayerNorm(), nn.GELU()
            self.wide, self.narrow = (
                nn.Dense(4 * width, flatten=False),
                nn.Dense(width, flatten=False),
            )

    def _split(self, F: Any, x: Any) -> Any:
        x = F.transpose(F.reshape(x, (0, 0, self.heads, -1)), (0, 2, 1, 3))
        return F.reshape(x, (-1, 0, 0), reverse=True)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        y = self.first(x)
        q, k, v = (self._split(F, dense(y)) for dense in (self.q, self.k, self.v))
        weights = F.softmax(F.batch_dot(q, k, transpose_b=True) / 8.0)
        mixed = F.reshape(F.batch_dot(weights, v), (-1, self.heads, 0, 0), reverse=True)
        x = x + self.o(F.reshape(F.transpose(mixed, (0, 2, 1, 3)), (0, 0, -1)))
        return x + self.narrow(self.gelu(self.wide(self.second(x))))


class Recurrent(gluon.HybridBlock):
    """An LSTM cell, unrolled."""

    def __init__(self, steps: int = 20) -> None:
        super().__init__()
        self.steps = steps
        with self.name_scope():
            self.cell = gluon.rnn.LSTMCell(128)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.cell.unroll(self.steps, x, layout="NTC", merge_outputs=True)[0]


class Words(gluon.HybridBlock):
    """Two LSTM layers over embedded words, and scores of the last step."""

    def __init__(self, words: int = 10000, size: int = 512) -> None:
        super().__init__()
        self.words = words
        with self.name_scope():
            self.table = nn.Embedding(words, size)
            self.layers = gluon.rnn.LSTM(size, 2, layout="NTC", input_size=size)
            self.scores = nn.Dense(10)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        numbers = F.abs(x) * (self.words / 4)
        steps = self.layers(self.table(numbers))
        return self.scores(F.slice_axis(steps, axis=1, begin=-1, end=None))


class Sorted(gluon.HybridBlock):
    """Sorted rows."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.sort(x)


class Joined(gluon.HybridBlock):
    """Images with their channels twice."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.concat(x, x, dim=1)


def _layers(*layers: Any) -> Any:
    net = nn.HybridSequential()
    net.add(*layers)
    return net


def _mlp() -> Any:
    return _layers(nn.Dense(512, activation="relu"), nn.Dense(256, activation="relu"), nn.Dense(10))


def _lenet() -> Any:
    return _layers(
        nn.Conv2D(20, 5, activation="relu"), nn.MaxPool2D(2, 2),
        nn.Conv2D(50, 5, activation="relu"), nn.MaxPool2D(2, 2),
        nn.Flatten(), nn.Dense(128, activation="relu"), nn.Dense(10),
    )  # fmt: skip


def _zoo(name: str, classes: int = 1000) -> Callable[[], Any]:
    return lambda: gluon.model_zoo.vision.get_model(name, classes=classes)


class Workload(NamedTuple):
    """A net, the shapes of its input on a GPU and on the emulator, and the classes it is trained for."""

    make: Callable[[], Any]
    shape: tuple[int, ...]
    small: tuple[int, ...]
    classes: int = 0


FORWARD = {
    "chain_64K": Workload(Chain, (64, 1024), (4, 64)),
    "chain_4M": Workload(Chain, (4096, 1024), (4, 64)),
    "chain_64M": Workload(Chain, (65536, 1024), (4, 64)),
    "norm_4M": Workload(Normalized, (4096, 1024), (4, 64)),
    "norm_64M": Workload(Normalized, (65536, 1024), (4, 64)),
    "softmax_1024": Workload(Softmax, (32768, 1024), (4, 64)),
    "softmax_4096": Workload(Softmax, (8192, 4096), (4, 64)),
    "layer_norm_1024": Workload(nn.LayerNorm, (32768, 1024), (4, 64)),
    "layer_norm_4096": Workload(nn.LayerNorm, (8192, 4096), (4, 64)),
    "tiny_fwd": Workload(lambda: _layers(nn.Dense(5), Normalized(), nn.Dense(1)), (5, 2), (5, 2)),
    "mlp_fwd": Workload(_mlp, (64, 784), (2, 20)),
    "lenet_fwd": Workload(_lenet, (64, 1, 28, 28), (1, 1, 20, 20)),
    "lstm_unroll_fwd": Workload(Recurrent, (32, 20, 64), (2, 20, 4)),
    "words_fwd": Workload(Words, (32, 35), (2, 3)),
    "sorted_1K": Workload(Sorted, (1024, 1024), (2, 40)),
    "sorted_1M": Workload(Sorted, (1, 1 << 20), (1, 1100)),
    "joined_32M": Workload(Joined, (32, 256, 64, 64), (2, 2, 3, 3)),
    "encoder_fwd": Workload(Attention, (8, 128, 256), (1, 4, 256)),
    "encoder6_768_b8": Workload(
        lambda: _layers(*[Attention(768, 12) for _ in range(6)]), (8, 128, 768), (1, 2, 768),
    ),
    "resnet18_b1": Workload(_zoo("resnet18_v1"), (1, 3, 224, 224), (1, 3, 32, 32)),
    "resnet50_b1": Workload(_zoo("resnet50_v1"), (1, 3, 224, 224), (1, 3, 32, 32)),
    "resnet50_b32": Workload(_zoo("resnet50_v1"), (32, 3, 224, 224), (1, 3, 32, 32)),
    "mobilenet_b1": Workload(_zoo("mobilenet1.0"), (1, 3, 224, 224), (1, 3, 32, 32)),
}  # fmt: skip
"""Nets that are called."""

STEPS = {
    "mlp_step": Workload(_mlp, (64, 784), (2, 20), 10),
    "lenet_step": Workload(_lenet, (64, 1, 28, 28), (1, 1, 20, 20), 10),
    "lenet_step_b512": Workload(_lenet, (512, 1, 28, 28), (1, 1, 20, 20), 10),
    "words_step": Workload(Words, (32, 35), (2, 3), 10),
    "resnet18_step_b8": Workload(_zoo("resnet18_v1", 10), (8, 3, 64, 64), (1, 3, 32, 32), 10),
    "resnet50_step_b32": Workload(_zoo("resnet50_v1"), (32, 3, 224, 224), (1, 3, 32, 32), 1000),
}
"""Nets that are trained for a step."""

ROUNDED = ("encoder6_768_b8", "resnet50_b32", "resnet50_step_b32")
"""Nets that are measured again with TF32."""

SLOW_EMULATED = {name for name in (*FORWARD, *STEPS) if "net50" in name or "mobile" in name} | {
    "encoder6_768_b8",
    "resnet18_b1",
    "resnet18_step_b8",
    "words_fwd",
    "words_step",
}
"""What takes the emulator too long."""


def _random(shape: tuple[int, ...], context: mx.Context) -> Any:
    numbers = np.random.default_rng(0).standard_normal(shape, np.float32)
    return nd.array(numbers, ctx=context)


def _ready(net: Any, context: mx.Context) -> Any:
    mx.random.seed(1)
    net.initialize(mx.init.Xavier(), ctx=context)
    net.hybridize(static_alloc=True, static_shape=True)
    return net


def forward(name: str, context: mx.Context, *, small: bool) -> Call:
    """A call of a net."""
    work = FORWARD[name]
    net, x = _ready(work.make(), context), _random(work.small if small else work.shape, context)
    return lambda: net(x)


def _losses(name: str, context: mx.Context, *, small: bool) -> tuple[Any, Call]:
    """A net, and a call that computes its loss and the gradients."""
    work = STEPS[name]
    shape = work.small if small else work.shape
    net, x = _ready(work.make(), context), _random(shape, context)
    labels = nd.array(np.random.default_rng(1).integers(0, work.classes, shape[0]), ctx=context)
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    loss_of.hybridize(static_alloc=True, static_shape=True)

    def call() -> Any:
        with autograd.record():
            loss = loss_of(net(x), labels)
        loss.backward()
        return loss

    return net, call


def gradients(name: str, context: mx.Context, *, small: bool) -> Call:
    """A call of a net and its gradient, which returns the loss and the gradients."""
    net, call = _losses(name, context, small=small)

    def whole() -> list[Any]:
        loss = call()
        parameters = net.collect_params().values()
        return [loss, *[p.grad() for p in parameters if p.grad_req != "null"]]

    return whole


def step(name: str, context: mx.Context, *, small: bool) -> Call:
    """A training step of a net."""
    net, call = _losses(name, context, small=small)
    options = {"learning_rate": 0.05, "momentum": 0.9}
    trainer = gluon.Trainer(net.collect_params(), "sgd", options)
    batch = (STEPS[name].small if small else STEPS[name].shape)[0]

    def whole() -> None:
        call()
        trainer.step(batch)

    return whole
