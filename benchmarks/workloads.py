"""The measured workloads: functions of a framework's namespace that return a call to time."""

from collections.abc import Callable
from typing import Any

import numpy as np

Call = Callable[[], Any]


def _random(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


# gluonic, and MXNet, which has the same API


def _hybrid(mx: Any, body: Callable[[Any, Any], Any]) -> Any:
    class Block(mx.gluon.HybridBlock):  # type: ignore[misc]
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return body(F, x)

    return Block()


def _chain(F: Any, x: Any) -> Any:
    y = F.tanh(x * 0.5 + 1.0)
    z = F.sigmoid(y * x - 0.3)
    return F.relu(z * y + F.exp(-z * z)) * 0.7 + x


def _normalize(F: Any, x: Any) -> Any:
    low, high = F.min(x), F.max(x)
    return F.broadcast_div(F.broadcast_sub(x, low), F.broadcast_sub(high, low))


def _softmax(F: Any, x: Any) -> Any:
    return F.softmax(x)


def _dense(mx: Any) -> Any:
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    net.add(nn.Dense(512, activation="relu"), nn.Dense(256, activation="relu"), nn.Dense(10))
    return net


def _lenet(mx: Any) -> Any:
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(20, 5, activation="relu"), nn.MaxPool2D(2, 2),
        nn.Conv2D(50, 5, activation="relu"), nn.MaxPool2D(2, 2),
        nn.Flatten(), nn.Dense(128, activation="relu"), nn.Dense(10),
    )  # fmt: skip
    return net


_NETS: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "chain 64K": (lambda mx: _hybrid(mx, _chain), (64, 1024)),
    "chain 4M": (lambda mx: _hybrid(mx, _chain), (4096, 1024)),
    "normalize 4M": (lambda mx: _hybrid(mx, _normalize), (4096, 1024)),
    "softmax 1M": (lambda mx: _hybrid(mx, _softmax), (1024, 1024)),
    "mlp": (_dense, (64, 784)),
    "lenet": (_lenet, (64, 1, 28, 28)),
}
WORKLOADS = [*_NETS, "mlp step", "lenet step"]


def _trained(mx: Any, net: Any, x: Any, hybridize: bool) -> Call:
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    if hybridize:
        loss.hybridize(static_alloc=True, static_shape=True, compile_at_once=True)
    labels = mx.nd.array(np.random.default_rng(1).integers(0, 10, len(x)))
    options = {"learning_rate": 0.05, "momentum": 0.9}
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", options)

    def step() -> None:
        with mx.autograd.record():
            value = loss(net(x), labels)
        value.backward()
        trainer.step(len(x))
        mx.nd.waitall()

    return step


def gluon(mx: Any, workload: str, *, hybridize: bool) -> Call:
    """A workload on gluonic, or on MXNet."""
    make, shape = _NETS[workload.removesuffix(" step")]
    net, x = make(mx), mx.nd.array(_random(*shape))
    net.initialize(mx.init.Xavier())
    if hybridize:
        net.hybridize(static_alloc=True, static_shape=True, compile_at_once=True)
    if workload.endswith(" step"):
        return _trained(mx, net, x, hybridize)

    def call() -> None:
        net(x).wait_to_read()

    return call


def numpy(workload: str) -> Call | None:
    """A workload written with NumPy, where that is natural."""
    bodies: dict[str, Callable[[Any], Any]] = {
        "chain": _numpy_chain,
        "normalize": lambda x: (x - x.min()) / (x.max() - x.min()),
        "softmax": _numpy_softmax,
    }
    body = bodies.get(workload.split()[0])
    if body is None:
        return None
    x = _random(*_NETS[workload][1])
    return lambda: body(x)


def _numpy_chain(x: Any) -> Any:
    y = np.tanh(x * np.float32(0.5) + 1)
    z = 1 / (1 + np.exp(-(y * x - np.float32(0.3))))
    return np.maximum(z * y + np.exp(-z * z), 0) * np.float32(0.7) + x


def _numpy_softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
