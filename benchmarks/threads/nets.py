"""The measured workloads: for each, a call on gluonic."""

from collections.abc import Callable
from typing import Any

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn

Call = Callable[[], Any]


class Chain(gluon.HybridBlock):
    """Element-wise operators."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Arithmetic and exponentials."""
        y = F.tanh(x * 0.5 + 1.0)
        z = F.sigmoid(y * x - 0.3)
        return F.relu(z * y + F.exp(-z * z)) * 0.7 + x


class Encoder(gluon.HybridBlock):
    """A layer of a transformer's encoder.

    Parameters
    ----------
    units : the elements of a position
    heads : the number of heads
    """

    def __init__(self, units: int = 256, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        with self.name_scope():
            self.query, self.key, self.value, self.out, self.last = (
                nn.Dense(units, flatten=False) for _ in range(5)
            )
            self.wide = nn.Dense(4 * units, flatten=False)
            self.first_norm, self.second_norm = nn.LayerNorm(), nn.LayerNorm()
            self.gelu = nn.GELU()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Attention, and two dense layers, each with a residual."""
        y = self.first_norm(x)
        query, key, value = (self._by_head(F, d(y)) for d in (self.query, self.key, self.value))
        weights = F.softmax(F.batch_dot(query, key, transpose_b=True) / 8.0)
        mixed = F.reshape(F.batch_dot(weights, value), (-1, self.heads, 0, 0), reverse=True)
        x = x + self.out(F.reshape(F.transpose(mixed, (0, 2, 1, 3)), (0, 0, -1)))
        return x + self.last(self.gelu(self.wide(self.second_norm(x))))

    def _by_head(self, F: Any, x: Any) -> Any:
        x = F.transpose(F.reshape(x, (0, 0, self.heads, -1)), (0, 2, 1, 3))
        return F.reshape(x, (-1, 0, 0), reverse=True)


def _zoo(name: str) -> Any:
    return gluon.model_zoo.vision.get_model(name)


NETS: dict[str, tuple[Callable[[], Any], tuple[int, ...], bool]] = {
    "resnet50": (lambda: _zoo("resnet50_v1"), (1, 3, 224, 224), False),
    "mobilenet": (lambda: _zoo("mobilenet1.0"), (1, 3, 224, 224), False),
    "resnet18 step": (lambda: _zoo("resnet18_v1"), (8, 3, 64, 64), True),
    "chain": (Chain, (4096, 1024), False),
    "encoder": (Encoder, (8, 128, 256), False),
}
"""For each workload, a net, the shape of its input, and whether a call is a step of training."""


class Workload:
    """A net and its input.

    Parameters
    ----------
    name : one of `NETS`
    """

    def __init__(self, name: str) -> None:
        make, shape, self.trains = NETS[name]
        self.net, self.input = make(), nd.random.normal(shape=shape)
        self.net.initialize(mx.init.Xavier())
        settings = {"learning_rate": 0.01}
        self.trainer = gluon.Trainer(self.net.collect_params(), "sgd", settings)

    def compiled(self, calls: int = 3) -> Call:
        """A call, compiled for as many threads as the environment says now, after so many calls."""
        self.net.hybridize(compile_at_once=True)
        call = self._step if self.trains else (lambda: self.net(self.input))
        for _ in range(calls):
            call()
        return call

    def _step(self) -> None:
        with autograd.record():
            loss = self.net(self.input).sum()
        loss.backward()
        self.trainer.step(self.input.shape[0])
