"""The networks of the model zoo: digests of their graphs, parameters and files, and their outputs."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

NAMES = [
    *[f"resnet{layers}_v{version}" for version in (1, 2) for layers in (18, 34, 50, 101, 152)],
    *[f"vgg{layers}{bn}" for bn in ("", "_bn") for layers in (11, 13, 16, 19)],
    *[f"densenet{layers}" for layers in (121, 161, 169, 201)],
    *["alexnet", "squeezenet1.0", "squeezenet1.1", "inceptionv3"],
    *[f"mobilenet{part}" for part in ("1.0", "0.75", "0.5", "0.25")],
    *[f"mobilenetv2_{part}" for part in ("1.0", "0.75", "0.5", "0.25")],
]


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def describe(mx: Any, name: str) -> dict[str, Any]:
    """Return digests of the names and shapes in a network's graph."""
    net = mx.gluon.model_zoo.vision.get_model(name, classes=10, prefix="net_")
    size = 299 if name == "inceptionv3" else 224
    symbol = net(mx.sym.var("data"))
    arguments, outputs, states = symbol.infer_shape(data=(1, 3, size, size))
    files = {key: p.name for key, p in net._collect_params_with_prefix().items()}
    return {
        "parameters": sum(int(np.prod(shape)) for shape in arguments[1:]),
        "output": [list(shape) for shape in outputs],
        "arguments": _digest([symbol.list_arguments(), [list(s) for s in arguments]]),
        "states": _digest([symbol.list_auxiliary_states(), [list(s) for s in states]]),
        "nodes": _digest(symbol.get_internals().list_outputs()),
        "files": _digest(sorted(files.items())),
    }


def run(mx: Any, name: str, size: int, **settings: Any) -> Any:
    """Return the scores that a network with known parameters gives to a known image."""
    net = mx.gluon.model_zoo.vision.get_model(name, classes=5, prefix="net_", **settings)
    net.initialize()
    random = np.random.RandomState(1)
    image = mx.nd.array(random.rand(1, 3, size, size))
    net(image)
    parameters = net.collect_params()
    for key in sorted(parameters.keys()):
        shape = parameters[key].shape
        value = random.randn(*shape) / np.sqrt(max(1, np.prod(shape[1:])))
        if len(shape) == 1:
            value = 0.1 * value + key.endswith(("gamma", "var"))
        parameters[key].set_data(mx.nd.array(value))
    return net, image


RUNS: dict[str, Any] = {
    "resnet18_v1": (32, {"thumbnail": True}),
    "resnet18_v2": (32, {"thumbnail": True}),
    "resnet50_v1": (32, {}),
    "resnet50_v2": (32, {}),
    "mobilenet0.25": (32, {}),
    "mobilenetv2_0.25": (32, {}),
}


def scores(mx: Any, name: str) -> Any:
    """Return the scores of a case of `RUNS`."""
    size, settings = RUNS[name]
    net, image = run(mx, name, size, **settings)
    return net(image)


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    graphs = {name: lambda name=name: describe(mx, name) for name in NAMES}
    runs = {f"{name} scores": lambda name=name: scores(mx, name) for name in RUNS}
    return {**graphs, **runs}
