"""Layers: their names, shapes, outputs in training and prediction, gradients and changed states."""

from __future__ import annotations

from typing import Any

import numpy as np


def _normal(*shape: int) -> Any:
    return np.random.RandomState(sum(shape)).randn(*shape).astype(np.float32)


# name: class, arguments, settings, shape of the input
CASES: dict[str, Any] = {
    "dense": ("Dense", [3], {"activation": "relu"}, (2, 5)),
    "dense kept axes": ("Dense", [3], {"flatten": False, "use_bias": False}, (2, 4, 5)),
    "dense flattened": ("Dense", [3], {}, (2, 2, 3)),
    "batch norm": ("BatchNorm", [], {}, (2, 3, 2, 2)),
    "batch norm last": ("BatchNorm", [], {"axis": 3, "epsilon": 0.1}, (2, 2, 2, 3)),
    "batch norm relu": ("BatchNormReLU", [], {}, (2, 3, 2, 2)),
    "instance norm": ("InstanceNorm", [], {}, (2, 3, 2, 2)),
    "instance norm last": ("InstanceNorm", [], {"axis": 3, "scale": True}, (2, 2, 2, 3)),
    "layer norm": ("LayerNorm", [], {}, (2, 3, 4)),
    "layer norm axis 1": ("LayerNorm", [], {"axis": 1, "in_channels": 3}, (2, 3, 2)),
    "group norm": ("GroupNorm", [2], {}, (2, 4, 2, 2)),
    "leaky": ("LeakyReLU", [0.2], {}, (2, 3)),
    "prelu": ("PReLU", [], {}, (2, 3)),
    "prelu channels": ("PReLU", [], {"in_channels": 3}, (2, 3)),
    "elu": ("ELU", [0.5], {}, (2, 3)),
    "gelu": ("GELU", [], {}, (2, 3)),
    "swish": ("Swish", [0.7], {}, (2, 3)),
    "softrelu": ("Activation", ["softrelu"], {}, (2, 3)),
    "flatten": ("Flatten", [], {}, (2, 3, 2)),
    "reflection": ("ReflectionPad2D", [1], {}, (1, 1, 3, 3)),
    "conv 1": ("Conv1D", [2, 3], {}, (2, 2, 6)),
    "conv 2": (
        "Conv2D",
        [2, (3, 2)],
        {"strides": 2, "padding": 1, "activation": "tanh"},
        (1, 3, 5, 4),
    ),
    "conv 2 groups": (
        "Conv2D",
        [4, 2],
        {"groups": 2, "dilation": 2, "use_bias": False},
        (1, 4, 4, 4),
    ),
    "conv 3": ("Conv3D", [2, 2], {}, (1, 2, 3, 3, 3)),
    "transposed 1": ("Conv1DTranspose", [2, 3], {"strides": 2}, (1, 2, 4)),
    "transposed 2": (
        "Conv2DTranspose",
        [2, 3],
        {"strides": 2, "padding": 1, "output_padding": 1},
        (1, 3, 3, 3),
    ),
    "transposed 3": ("Conv3DTranspose", [2, 2], {}, (1, 2, 2, 2, 2)),
    "average without padding": (
        "AvgPool2D",
        [3, 1, 1],
        {"count_include_pad": False},
        (1, 1, 4, 4),
    ),
}
for _rank in (1, 2, 3):
    _shape = (1, 2, *(5, 4, 3)[:_rank])
    for _kind in ("Max", "Avg"):
        CASES[f"{_kind} {_rank}"] = (f"{_kind}Pool{_rank}D", [], {}, _shape)
        CASES[f"{_kind} {_rank} ceil"] = (
            f"{_kind}Pool{_rank}D",
            [2, 2, 1],
            {"ceil_mode": True},
            _shape,
        )
        CASES[f"{_kind} {_rank} global"] = (f"Global{_kind}Pool{_rank}D", [], {}, _shape)


def build(mx: Any, case: str) -> tuple[Any, Any]:
    """Return the layer, its parameters set to known values, and an input."""
    name, arguments, settings, shape = CASES[case]
    layer = getattr(mx.gluon.nn, name)(*arguments, prefix="layer_", **settings)
    x = mx.nd.array(_normal(*shape))
    layer.initialize()
    layer(x)
    for key, parameter in sorted(layer.collect_params().items()):
        value = 0.3 * _normal(*parameter.shape)
        parameter.set_data(mx.nd.array(abs(value) + 1 if key.endswith("var") else value))
    return layer, x


def run(mx: Any, case: str, hybridize: bool = False) -> dict[str, Any]:
    """Run a layer in prediction and in training."""
    layer, x = build(mx, case)
    if hybridize:
        layer.hybridize()
    predicted = layer(x)
    x.attach_grad()
    with mx.autograd.record():
        trained = layer(x)
        total = (trained * trained).sum()
    total.backward()
    parameters = layer.collect_params()
    return {
        "repr": repr(layer),
        "parameters": {name: [list(p.shape), p.grad_req] for name, p in sorted(parameters.items())},
        "predicted": predicted,
        "trained": trained,
        "gradient": x.grad,
        "gradients": {n: p.grad() for n, p in sorted(parameters.items()) if p.grad_req != "null"},
        "states": {n: p.data() for n, p in sorted(parameters.items()) if "running" in n},
    }


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {case: lambda case=case: run(mx, case) for case in CASES}
