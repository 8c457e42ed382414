"""Nets that are trained on a GPU have the losses of the CPU."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn, rnn
from gluonic.ndarray import Context, NDArray

STEPS = {"hybrid": 20, "eager": 2}
"""How many steps nets are trained, which take long on the emulator."""
Batch = Sequence[Any]


class ScaledLogits(mx.operator.CustomOp):
    """Multiply by a constant, in Python."""

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        """Write the output."""
        self.assign(out_data[0], req[0], in_data[0] * 2)

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        """Write the gradient."""
        self.assign(in_grad[0], req[0], out_grad[0] * 2)


@mx.operator.register("scaled_logits_on_a_device")
class ScaledLogitsProp(mx.operator.CustomOpProp):
    """The operator of `ScaledLogits`."""

    contexts: set[str] = set()

    def create_operator(self, ctx: Any, shapes: Any, dtypes: Any) -> ScaledLogits:
        """The operator."""
        self.contexts.add(str(ctx))
        return ScaledLogits()


class CustomNet(gluon.HybridBlock):
    """A net with an operator written in Python."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.hidden, self.out = nn.Dense(16, activation="tanh"), nn.Dense(5)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """The logits."""
        return F.Custom(self.out(self.hidden(x)), op_type="scaled_logits_on_a_device")


class LanguageModel(gluon.HybridBlock):
    """An LSTM language model."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.words = nn.Embedding(12, 8)
            self.lstm = rnn.LSTM(10, num_layers=1, layout="NTC")
            self.out = nn.Dense(12, flatten=False)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """The logits of the next words."""
        return self.out(self.lstm(self.words(x)))


class Encoder(gluon.HybridBlock):
    """A block of self-attention, with layer norm and dropout of nothing."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.qkv = nn.Dense(24, flatten=False)
            self.norm, self.norm2 = nn.LayerNorm(), nn.LayerNorm()
            self.up, self.down = nn.Dense(16, flatten=False), nn.Dense(8, flatten=False)
            self.out = nn.Dense(5)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """The logits."""
        query, key, value = F.split(self.qkv(x), num_outputs=3, axis=2)
        weights = F.softmax(F.batch_dot(query, key, transpose_b=True) / 8**0.5)
        x = self.norm(x + F.batch_dot(weights, value))
        return self.out(self.norm2(x + self.down(F.LeakyReLU(self.up(x), act_type="gelu"))))


def lenet() -> gluon.HybridBlock:
    """LeNet with a batch norm."""
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(4, 5, activation="tanh"),
        nn.BatchNorm(),
        nn.MaxPool2D(2, 2),
        nn.Conv2D(6, 3, activation="relu"),
        nn.MaxPool2D(2, 2),
        nn.Flatten(),
        nn.Dense(16, activation="relu"),
        nn.Dense(5),
    )
    return net


def _images() -> Batch:
    return np.random.rand(4, 1, 12, 12).astype("float32"), np.random.randint(0, 5, 4)


def _rows() -> Batch:
    return np.random.rand(8, 6).astype("float32"), np.random.randint(0, 5, 8)


def _words() -> Batch:
    words = np.random.randint(0, 12, (3, 6))
    return words[:, :-1].astype("float32"), words[:, 1:]


def _sequences() -> Batch:
    return np.random.rand(4, 5, 8).astype("float32"), np.random.randint(0, 5, 4)


NETS: dict[
    str, tuple[Callable[[], gluon.HybridBlock], Callable[[], Batch], str, dict[str, Any]]
] = {
    "LeNet": (lenet, _images, "sgd", {"learning_rate": 0.05, "momentum": 0.9, "wd": 1e-4}),
    "language model": (LanguageModel, _words, "adam", {"learning_rate": 0.02}),
    "encoder": (Encoder, _sequences, "adam", {"learning_rate": 0.005}),
    "custom": (CustomNet, _rows, "rmsprop", {"learning_rate": 0.005}),
}


def _losses(name: str, ctx: Context, mode: str) -> list[float]:
    make, batches, optimizer, settings = NETS[name]
    mx.random.seed(3)
    np.random.seed(3)
    net = make()
    net.initialize(mx.init.Xavier(), ctx=ctx)
    net.hybridize(mode == "hybrid")
    trainer = gluon.Trainer(net.collect_params(), optimizer, settings)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    losses = []
    for _ in range(STEPS[mode]):
        x, y = (nd.array(values, ctx=ctx) for values in batches())
        with autograd.record():
            value: NDArray = loss(net(x), y)
        value.backward()
        trainer.step(len(x))
        losses.append(float(value.mean().asscalar()))
    return losses


@pytest.mark.parametrize("mode", STEPS)
@pytest.mark.parametrize("name", NETS)
def test_losses_are_those_of_the_cpu(gpu: Context, name: str, mode: str) -> None:
    expected = _losses(name, mx.cpu(), mode)
    np.testing.assert_allclose(_losses(name, gpu, mode), expected, rtol=1e-4)
    assert ScaledLogitsProp.contexts <= {"cpu(0)", "gpu(0)"}
    assert name != "custom" or "gpu(0)" in ScaledLogitsProp.contexts


class Accumulated(gluon.HybridBlock):
    """A loop, whose body the host runs: what its gradient needs is no array of numbers."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Rows multiplied by what was added up before."""
        return F.contrib.foreach(
            lambda row, state: (row * state, row + state), x, F.sum(x, axis=0)
        )[0]


def test_a_loop_in_a_hybridized_net_has_the_gradient_of_the_cpu(gpu: Context) -> None:
    numbers, gradients = np.random.default_rng(1).random((3, 4), np.float32), []
    for ctx in (mx.cpu(), gpu):
        net, x = Accumulated(), nd.array(numbers, ctx=ctx)
        net.hybridize()
        x.attach_grad()
        with autograd.record():
            y = net(x)
        y.backward()
        gradients.append(x.grad.asnumpy())
    np.testing.assert_allclose(gradients[1], gradients[0], rtol=1e-5)
