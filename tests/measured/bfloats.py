"""Operators of bfloat16, and mixed precision with it."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

# The name that MXNet's programs use for it.
KIND = np.dtype([("bfloat16", np.uint16)])


def _numbers(*shape: int) -> Any:
    return np.random.RandomState(sum(shape)).uniform(-3, 3, shape).astype(np.float32)


_CALLS: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
    "sum": ("elemwise_add", [_numbers(3, 4), _numbers(3, 4)[::-1]], {}),
    "scaled": ("_mul_scalar", [_numbers(3, 4)], {"scalar": 1.7}),
    "rectified": ("Activation", [_numbers(3, 4)], {"act_type": "relu"}),
    "connected": (
        "FullyConnected",
        [_numbers(3, 4), _numbers(5, 4), _numbers(5)],
        {"num_hidden": 5},
    ),
    "convolved": (
        "Convolution",
        [_numbers(1, 2, 5, 5), _numbers(3, 2, 3, 3), _numbers(3)],
        {"kernel": (3, 3), "num_filter": 3},
    ),
    "pooled": ("Pooling", [_numbers(1, 2, 4, 4)], {"kernel": (2, 2), "pool_type": "max"}),
    "joined": ("Concat", [_numbers(3, 4), _numbers(2, 4)], {"dim": 0}),
    "reshaped": ("Reshape", [_numbers(3, 4)], {"shape": (2, 6)}),
    "softmax": ("softmax", [_numbers(3, 4)], {}),
}
CASES = [*(f"call {name}" for name in _CALLS), "casts", "eager net", "hybrid net", "training"]


def _call(mx: Any, name: str) -> Any:
    operator, values, settings = _CALLS[name]
    arrays = [mx.nd.amp_cast(mx.nd.array(value), dtype=KIND) for value in values]
    space = mx.nd._internal if operator.startswith("_") else mx.nd
    return mx.nd.amp_cast(getattr(space, operator)(*arrays, **settings), dtype="float32")


def _casts(mx: Any) -> dict[str, Any]:
    values = mx.nd.array([1.0, 1.00390625, 1.01171875, -3.14159, 1e30, 1e-30, 0.0])
    narrow = values.astype(KIND)
    return {"back": narrow.astype("float32"), "integers": narrow[:4].astype("int32")}


def _net(mx: Any, hybridize: bool) -> Any:
    net = mx.gluon.nn.HybridSequential()
    net.add(
        mx.gluon.nn.Conv2D(3, 3, in_channels=2, activation="relu"),
        mx.gluon.nn.Flatten(),
        mx.gluon.nn.Dense(4, in_units=27),
    )
    net.initialize()
    for param in net.collect_params().values():
        param.set_data(mx.nd.array(_numbers(*param.shape)))
    if hybridize:
        net.hybridize()
    return net


def _predicted(mx: Any, hybridize: bool) -> Any:
    output = _net(mx, hybridize)(mx.nd.array(_numbers(2, 2, 5, 5)))
    return mx.nd.amp_cast(output, dtype="float32")


def _trained(mx: Any) -> Any:
    net = _net(mx, hybridize=False)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1e-4})
    for _ in range(2):
        with mx.autograd.record():
            output = net(mx.nd.array(_numbers(2, 2, 5, 5)))
            loss = (mx.nd.amp_cast(output, dtype="float32") ** 2).sum()
        loss.backward()
        trainer.step(1)
    return [p.data() for p in net.collect_params().values()]


def run(mx: Any, case: str) -> Any:
    """Compute a case; mixed precision must be switched on for the last three."""
    kind, _, name = case.partition(" ")
    if kind == "call":
        return _call(mx, name)
    if kind == "casts":
        return _casts(mx)
    amp = importlib.import_module(f"{mx.__name__}.contrib.amp")
    amp.init(target_dtype="bfloat16")
    return _trained(mx) if kind == "training" else _predicted(mx, kind == "hybrid")


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {case: lambda case=case: run(mx, case) for case in CASES}
