"""The layers of ``gluon.nn`` with their options: outputs, gradients, and moving averages."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from tests.oracle.blocks import gradients, set_parameters

Options = dict[str, tuple[Any, ...]]
Shape = tuple[int, ...]

_FLAGS = (False, True)
_ACTIVATIONS = (None, "relu", "sigmoid", "tanh", "softrelu", "softsign")
_SCALED: Options = {"center": _FLAGS, "scale": _FLAGS, "epsilon": (1e-5, 0.1)}
_BATCH_NORM: Options = {
    **_SCALED, "momentum": (0.9, 0.5), "use_global_stats": _FLAGS, "axis": (1, -1)
}  # fmt: skip
_WINDOW: Options = {
    "kernel_size": (1, 3),
    "strides": (1, 2),
    "padding": (0, 1),
    "dilation": (1, 2),
    "groups": (1, 2),
    "use_bias": _FLAGS,
}
_TRANSPOSED: Options = {**_WINDOW, "output_padding": (0, 1)}
_POOLED: Options = {
    "pool_size": (2, 3), "strides": (None, 1, 2), "padding": (0, 1), "ceil_mode": _FLAGS
}  # fmt: skip
_AVERAGED: Options = {**_POOLED, "count_include_pad": _FLAGS}
_LAYOUTS = ("NCW", "NCHW", "NCDHW")

# class: the extents of images it takes (or shapes of inputs), fixed arguments, options
_LAYERS: list[tuple[str, tuple[Shape, ...], dict[str, Any], Options]] = [
    (
        "Dense",
        ((3, 4), (3, 2, 5)),
        {"units": 6},
        {"activation": _ACTIVATIONS, "use_bias": _FLAGS, "flatten": _FLAGS},
    ),
    ("Dropout", ((3, 4),), {"rate": 0}, {"axes": ((), (1,))}),
    ("Flatten", ((3, 4), (3, 4, 2, 5)), {}, {}),
    ("BatchNorm", ((5, 4), (3, 4, 6), (2, 4, 5, 4)), {}, _BATCH_NORM),
    ("LayerNorm", ((3, 4), (3, 4, 5)), {}, {**_SCALED, "axis": (-1, 1, 0)}),
    ("InstanceNorm", ((3, 4, 6), (2, 4, 5, 3)), {}, {**_SCALED, "axis": (1, -1)}),
    ("GroupNorm", ((3, 4, 6), (2, 4, 5, 3)), {}, {**_SCALED, "num_groups": (1, 2, 4)}),
    ("Activation", ((3, 4),), {}, {"activation": _ACTIVATIONS[1:]}),
    ("LeakyReLU", ((3, 4),), {}, {"alpha": (0, 0.3)}),
    ("PReLU", ((3, 4), (2, 4, 5)), {}, {"in_channels": (1, 4)}),
    ("ELU", ((3, 4),), {}, {"alpha": (1.0, 0.3)}),
    ("SELU", ((3, 4),), {}, {}),
    ("GELU", ((3, 4),), {}, {}),
    ("Swish", ((3, 4),), {}, {"beta": (1.0, 0.3)}),
    ("ReflectionPad2D", ((2, 3, 5, 4),), {}, {"padding": (0, 1, 3, (0, 0, 0, 0, 1, 2, 3, 1))}),
    *[
        (f"Conv{len(image)}D{kind}", ((2, 4, *image),), {"channels": 6}, options)
        for image in ((7,), (7, 6), (5, 6, 7))
        for kind, options in (("", _WINDOW), ("Transpose", _TRANSPOSED))
    ],
    *[
        (f"{kind}Pool{len(image)}D", ((2, 3, *image),), {}, options)
        for image in ((7,), (7, 6), (5, 6, 7))
        for kind, options in (
            ("Max", _POOLED),
            ("Avg", _AVERAGED),
            ("GlobalMax", {}),
            ("GlobalAvg", {}),
        )
    ],
]


def _cases() -> dict[str, tuple[str, Shape, dict[str, Any]]]:
    found = {}
    for name, shapes, fixed, options in _LAYERS:
        for shape, *chosen in itertools.product(shapes, *options.values()):
            settings = dict(zip(options, chosen))  # noqa: B905 (as many)
            text = " ".join(f"{k}={v}" for k, v in settings.items())
            found[f"{name} {shape} {text}".strip()] = (name, shape, {**fixed, **settings})
    return found


CASES = _cases()
NAMES = list(CASES)


def run(
    mx: Any, name: str, folder: Path, hybridize: bool = False, dtype: str = "float32"
) -> dict[str, Any]:
    """Run a layer forward and backward, and predict with what it has learnt of its input."""
    kind, shape, settings = CASES[name]
    layer = getattr(mx.gluon.nn, kind)(prefix="layer_", **settings)
    draw = np.random.RandomState(len(shape))
    x = mx.nd.array(draw.randn(*shape), dtype=dtype)
    layer.initialize()
    layer.cast(dtype)
    layer(x)  # gives all parameters their shapes
    set_parameters(layer, draw, dtype)
    for key, parameter in layer.collect_params().items():
        if key.endswith("running_var"):
            parameter.set_data(abs(parameter.data()) + 0.5)
    if hybridize:
        layer.hybridize()
    x.attach_grad()
    with mx.autograd.record():
        trained = layer(x)
    trained.backward(mx.nd.array(draw.randn(*trained.shape), dtype=dtype))
    found = {"trained": trained, **gradients(layer, x, []), "predicted": layer(x)}
    for key, parameter in layer.collect_params().items():
        if "running" in key:
            found[f"averages/{key}"] = parameter.data()
    return found
