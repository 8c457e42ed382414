"""Operators on small integers, called eagerly: results, their dtypes and ranges."""

from __future__ import annotations

from typing import Any

import numpy as np


def _floats(*shape: int, seed: int = 0) -> Any:
    numbers = np.random.RandomState(sum(shape) + seed).uniform(-2.5, 3, shape)
    return np.round(numbers, 2).astype(np.float32)


def _integers(dtype: str, *shape: int, seed: int = 0) -> Any:
    ends = np.iinfo(dtype)
    least, greatest = max(ends.min, -3000000), min(ends.max, 3000000)
    return np.random.RandomState(sum(shape) + seed).randint(least, greatest, shape).astype(dtype)


def _ends(low: float, high: float) -> list[Any]:
    return [np.array([low], np.float32), np.array([high], np.float32)]


_RANGE, _OTHER, _BIAS = _ends(-2.5, 3.0), _ends(-1.0, 2.0), _ends(-0.5, 0.7)
_NONE: dict[str, Any] = {}
_CALIBRATED = {"min_calib_range": -3.0, "max_calib_range": 2.0}
_POSITIVE = {"min_calib_range": 0.0, "max_calib_range": 2.0}
_KINDS = ("int8", "uint8")
_DATA = _floats(2, 3, 4, 5)
_IMAGES = {kind: _integers(kind, 2, 3, 5, 6) for kind in _KINDS}
_WIDE = _integers("int32", 3, 7)
_CHANNELS = [
    *(np.array([1.0, 2.0, -0.5], np.float32), np.array([0.1, -0.2, 0.3], np.float32)),
    *(np.array([0.5, -1.0, 0.0], np.float32), np.array([1.0, 4.0, 0.25], np.float32)),
]
_POOLS: dict[str, dict[str, Any]] = {
    "plain": {"kernel": (2, 3)},
    "padded": {"kernel": (3, 3), "pad": (1, 1), "stride": (2, 2)},
    "without borders": {"kernel": (3, 3), "pad": (1, 1), "count_include_pad": False},
    "full": {"kernel": (2, 2), "stride": (2, 2), "pooling_convention": "full"},
    "global": {"kernel": (1, 1), "global_pool": True},
}
_LINEAR = [*_RANGE, *_OTHER, *_BIAS]
_COUNTS = np.histogram(np.random.RandomState(0).randn(5000), bins=801, range=(-4, 4))

# name: operator, inputs, attributes
CASES: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
    **{f"quantize {kind}": ("quantize", [_DATA, *_RANGE], {"out_type": kind}) for kind in _KINDS},
    **{
        f"{name} {kind} {word}": (name, inputs, {"out_type": kind, **settings})
        for name, inputs in (
            ("quantize_v2", [_DATA]),
            ("requantize", [_WIDE, *_ends(-2e3, 3e3)]),
        )
        for kind in (*_KINDS, "auto")
        for word, settings in (("", _NONE), ("both", _CALIBRATED), ("positive", _POSITIVE))
    },
    "quantize_v2 of integers": ("quantize_v2", [_IMAGES["int8"]], {}),
    "quantize_v2 of integers in a range": ("quantize_v2", [_IMAGES["int8"]], _CALIBRATED),
    "quantize_v2 of naturals": ("quantize_v2", [_IMAGES["uint8"]], {"out_type": "uint8"}),
    "quantize_asym": ("quantize_asym", [_floats(2, 3, 4)], {}),
    "quantize_asym in a range": ("quantize_asym", [_floats(2, 3, 4)], _CALIBRATED),
    **{f"dequantize {kind}": ("dequantize", [_IMAGES[kind], *_RANGE], {}) for kind in _KINDS},
    "rectifier": ("quantized_act", [_IMAGES["int8"], *_RANGE], {"act_type": "relu"}),
    **{f"flatten {kind}": ("quantized_flatten", [_IMAGES[kind], *_RANGE], {}) for kind in _KINDS},
    **{
        f"concat {one} {other} {dim}": (
            "quantized_concat",
            [_IMAGES[one], _IMAGES[other], *_RANGE, *_OTHER],
            {"num_args": 2, "dim": dim},
        )
        for one in _KINDS
        for other in _KINDS
        for dim in (1, 3)
    },
    **{
        f"sum {one} {other} in a range": (
            "quantized_elemwise_add",
            [_IMAGES[one], _IMAGES[other], *_RANGE, *_OTHER],
            _CALIBRATED,
        )
        for one in _KINDS
        for other in _KINDS
    },
    **{
        f"sum {one} {one}": (
            "quantized_elemwise_add",
            [_IMAGES[one], _IMAGES[one][::-1], *_RANGE, *_OTHER],
            _NONE,
        )
        for one in _KINDS
    },
    **{
        f"connected {kind} {word}": ("quantized_fully_connected", inputs, settings)
        for kind in _KINDS
        for word, inputs, settings in (
            (
                "bias",
                [_IMAGES[kind], _integers("int8", 4, 90), _integers("int8", 4), *_LINEAR],
                {"num_hidden": 4},
            ),
            (
                "last axis",
                [_IMAGES[kind], _integers("int8", 4, 6), *_LINEAR[:4]],
                {"num_hidden": 4, "no_bias": True, "flatten": False},
            ),
        )
    },
    **{
        f"pool {kind} {how} {word}": (
            "quantized_pooling",
            [_IMAGES[kind], *_RANGE],
            {"pool_type": how, **settings},
        )
        for kind in _KINDS
        for how in ("max", "avg")
        for word, settings in _POOLS.items()
        if (how, word) != ("avg", "full")  # MXNet's float32 mean is another one there
    },
    **{
        f"norm {kind}": (
            "quantized_batch_norm",
            [_IMAGES[kind], *_CHANNELS, *_RANGE],
            {"min_calib_range": -3.0, "max_calib_range": 5.0, "fix_gamma": False},
        )
        for kind in _KINDS
    },
    "embedding": (
        "quantized_embedding",
        [np.array([[0, 2], [9, -1]], np.float32), _integers("int8", 3, 2), *_RANGE],
        {"input_dim": 3, "output_dim": 2},
    ),
    **{
        f"threshold {bins}": (
            "calibrate_entropy",
            [_COUNTS[0].astype(np.float32), _COUNTS[1].astype(np.float32)],
            {"num_quantized_bins": bins},
        )
        for bins in (63, 255)
    },
}

# Where MXNet's numbers do not stand for the result; see docs/conformance.md.
SUMS_ONLY: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
    f"convolution {word}": (
        "quantized_conv",
        [_IMAGES["uint8"], _integers("int8", 4, 3, 3, 2), *_RANGE, *_OTHER],
        {"kernel": (3, 2), "num_filter": 4, "no_bias": True, **settings},
    )
    for word, settings in (
        ("plain", _NONE),
        ("moved", {"pad": (1, 1), "stride": (2, 1)}),
        ("dilated", {"dilate": (2, 2)}),
    )
}


def run(mx: Any, case: str) -> dict[str, Any]:
    """Call an operator."""
    name, inputs, settings = {**CASES, **SUMS_ONLY}[case]
    arrays = [mx.nd.array(value, dtype=value.dtype) for value in inputs]
    outputs = getattr(mx.nd.contrib, name)(*arrays, **settings)
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    shown = outputs[:1] if case in SUMS_ONLY else outputs
    return {
        "dtypes": [np.dtype(array.dtype).name for array in shown],
        "outputs": [array.asnumpy() for array in shown],
    }


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {case: lambda case=case: run(mx, case) for case in (*CASES, *SUMS_ONLY)}
