"""Deformable convolution layers: outputs, gradients, names of parameters, symbols."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

# name: class, arguments, settings
CASES: dict[str, Any] = {
    "plain": ("DeformableConvolution", [4, 3], {}),
    "window": (
        "DeformableConvolution",
        [4, (3, 2)],
        {"strides": (2, 1), "padding": 1, "dilation": (1, 2), "activation": "relu"},
    ),
    "groups": ("DeformableConvolution", [4, 3], {"groups": 2, "num_deformable_group": 2}),
    "no bias": ("DeformableConvolution", [4, 3], {"use_bias": False, "offset_use_bias": False}),
    "known": ("DeformableConvolution", [4, 3], {"in_channels": 4}),
    "modulated": ("ModulatedDeformableConvolution", [4, 3], {}),
    "modulated window": (
        "ModulatedDeformableConvolution",
        [4, (3, 2)],
        {"strides": (2, 1), "padding": 1, "num_deformable_group": 2, "activation": "relu"},
    ),
    "modulated no bias": ("ModulatedDeformableConvolution", [4, 3], {"offset_use_bias": False}),
}


def layer_of(mx: Any, case: str) -> Any:
    """Return a layer."""
    name, arguments, settings = CASES[case]
    return getattr(mx.gluon.contrib.cnn, name)(*arguments, prefix="layer_", **settings)


def shape(mx: Any, case: str) -> dict[str, Any]:
    """Return what a layer is: its parameters and its graph."""
    layer = layer_of(mx, case)
    symbol = layer(mx.sym.Variable("data"))
    layer.infer_shape(mx.nd.ones((2, 4, 7, 6)))
    parameters = layer.collect_params()
    nodes = json.loads(symbol.tojson())["nodes"]
    return {
        "repr": repr(layer),
        "parameters": {key: list(p.shape) for key, p in parameters.items()},
        "order": list(parameters.keys()),
        "nodes": [[node["op"], node.get("attrs", {})] for node in nodes if node["op"] != "null"],
        "arguments": symbol.list_arguments(),
    }


def values(mx: Any, case: str, hybridize: bool = False) -> list[Any]:
    """Run a layer forward and backward; MXNet modulates on GPUs only."""
    random = np.random.RandomState(5)
    layer = layer_of(mx, case)
    layer.initialize()
    x = mx.nd.array(random.randn(2, 4, 7, 6))
    layer(x)
    for parameter in layer.collect_params().values():
        parameter.set_data(0.3 * random.randn(*parameter.shape))
    if hybridize:
        layer.hybridize()
    x.attach_grad()
    with mx.autograd.record():
        out = layer(x)
        total = (out * out).sum()
    total.backward()
    return [out, x.grad, *(p.grad() for p in layer.collect_params().values())]


COMPUTED = [case for case, (name, _, _) in CASES.items() if name == "DeformableConvolution"]


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    shapes = {case: lambda case=case: shape(mx, case) for case in CASES}
    return {**shapes, **{f"{case} values": lambda c=case: values(mx, c) for case in COMPUTED}}
