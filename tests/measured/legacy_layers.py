"""Layers from before Gluon whose arithmetic no formula states: values and gradients for one to five axes."""

from __future__ import annotations

from typing import Any

import numpy as np

SHAPES = [(3,), (2, 3), (2, 3, 2), (2, 3, 2, 2), (2, 3, 2, 1, 2)]
_LOSSES = ("LinearRegressionOutput", "MAERegressionOutput", "LogisticRegressionOutput")
_HINGES: list[dict[str, Any]] = [
    {},
    {"use_linear": True},
    {"margin": 0.3, "regularization_coefficient": 0.7},
    {"margin": 0.3, "regularization_coefficient": 0.7, "use_linear": True},
]
_IGNORED: dict[str, Any] = {"use_ignore": True, "ignore_label": 1}
_SOFTMAX: list[dict[str, Any]] = [
    {},
    {"grad_scale": 0.5},
    _IGNORED,
    {"smooth_alpha": 0.1},
    {"normalization": "batch"},
    {"normalization": "valid"},
    {"normalization": "valid", **_IGNORED},
    {"normalization": "batch", "grad_scale": 0.5, **_IGNORED},
    {"out_grad": True},
]
_LAYOUTS: list[dict[str, Any]] = [{}, {"multi_output": True}, {"preserve_shape": True}]
_RESPONSES: list[dict[str, Any]] = [
    {"nsize": 3},
    {"nsize": 1, "alpha": 0.1, "beta": 0.5, "knorm": 1.0},
    {"nsize": 5, "alpha": 0.2},
]
_PAIRS: list[dict[str, Any]] = [
    {"kernel_size": 1, "max_displacement": 1, "pad_size": 1},
    {"kernel_size": 3, "max_displacement": 1, "stride1": 2, "pad_size": 2, "is_multiply": False},
]


def _normal(*shape: int, seed: int = 0) -> Any:
    numbers = np.random.RandomState(sum(shape) + seed).randn(*shape)
    return np.round(numbers, 2).astype(np.float32)


def _classes(shape: tuple[int, ...]) -> Any:
    return np.random.RandomState(len(shape)).randint(0, 2, shape).astype(np.float32)


def _add(cases: dict[str, Any], name: str, inputs: list[Any], settings: dict[str, Any]) -> None:
    shapes = " ".join("x".join(map(str, array.shape)) for array in inputs)
    written = " ".join(f"{key}={value}" for key, value in settings.items())
    cases[f"{name} {shapes} {written}".strip()] = (name, inputs, settings)


def _losses_for(cases: dict[str, Any], shape: tuple[int, ...]) -> None:
    data = _normal(*shape)
    for normalization in ("null", "batch", "valid"):
        for threshold in (0.0, 0.3):
            settings = {"grad_scale": 0.5, "normalization": normalization}
            _add(cases, "MakeLoss", [data], {**settings, "valid_thresh": threshold})
    for name in ("make_loss", "BlockGrad", "smooth_l1"):
        _add(cases, name, [data], {})
    for name in _LOSSES:
        _add(cases, name, [data, _normal(*shape, seed=1)], {"grad_scale": 0.5})
        _add(cases, name, [_normal(shape[0], 1), _normal(shape[0])], {})
    for settings in _HINGES:
        _add(cases, "SVMOutput", [data, _classes(shape[:-1] or (1,))], settings)
    labels = [_classes(s) for s in (shape[:-1], shape[:1] + shape[2:]) if s]
    for layout in _LAYOUTS:
        for settings in _SOFTMAX:
            for label in [*labels, np.abs(_normal(*shape, seed=2))]:
                _add(cases, "SoftmaxOutput", [data, label], {**layout, **settings})


def _normalizations_for(cases: dict[str, Any], shape: tuple[int, ...]) -> None:
    data, channels = _normal(*shape), shape[1] if len(shape) > 1 else 3
    scale, shift = _normal(channels, seed=3), _normal(channels, seed=4)
    for mode in ("instance", "channel"):
        _add(cases, "SoftmaxActivation", [data], {"mode": mode})
    for mode in ("instance", "channel", "spatial"):
        _add(cases, "L2Normalization", [data], {"mode": mode, "eps": 0.1})
    for settings in _RESPONSES:
        _add(cases, "LRN", [data], settings)
    for name in ("InstanceNorm", "LayerNorm"):
        axis = {} if name == "InstanceNorm" else {"axis": 1 if len(shape) > 1 else 0}
        _add(cases, name, [data, scale, shift], {"eps": 0.1, **axis})
    for settings in ({"axis": 0}, {"temperature": 0.5}):
        for name in ("softmax", "log_softmax", "softmin"):
            _add(cases, name, [data], settings)


def _all_cases() -> dict[str, tuple[str, list[Any], dict[str, Any]]]:
    cases: dict[str, Any] = {}
    for shape in SHAPES:
        _losses_for(cases, shape)
        _normalizations_for(cases, shape)
    for settings in _PAIRS:
        _add(cases, "Correlation", [_normal(1, 2, 4, 4), _normal(1, 2, 4, 4, seed=1)], settings)
    return cases


CASES = _all_cases()


def run(mx: Any, case: str) -> Any:
    """Call a layer in training mode and go back; None where it is refused."""
    name, inputs, settings = CASES[case]
    arrays = [mx.nd.array(value) for value in inputs]
    for array in arrays:
        array.attach_grad()
    try:
        with mx.autograd.record():
            output = getattr(mx.nd, name)(*arrays, **settings)
        output.backward(mx.nd.array(_normal(*output.shape, seed=5)))
        return [output.asnumpy(), *(array.grad.asnumpy() for array in arrays)]
    except mx.MXNetError:
        return None


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {case: lambda case=case: run(mx, case) for case in CASES}
