"""Operators that MXNet has superseded, or that few programs use: results, states and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np


def _normal(*shape: int, seed: int = 0) -> Any:
    numbers = np.random.RandomState(sum(shape) + seed).randn(*shape)
    return np.round(numbers, 3).astype(np.float32)


def _positive(*shape: int, seed: int = 0) -> Any:
    return np.abs(_normal(*shape, seed=seed)) + np.float32(0.5)


_IMAGE = _normal(2, 4, 7, 6)
_TIES = np.array([[[[1, 1, 0, -1], [1, 0, 0, -1], [-1, -2, -3, -1], [-1, -1, -1, -1]]]], np.float32)
_POOLS: dict[str, dict[str, Any]] = {
    "plain": {"kernel": (3, 2)},
    "padded": {"kernel": (3, 2), "stride": (2, 2), "pad": (1, 1)},
    "full": {"kernel": (3, 3), "stride": (3, 3), "pooling_convention": "full"},
    "full padded": {
        "kernel": (3, 3),
        "stride": (2, 2),
        "pad": (1, 1),
        "pooling_convention": "full",
    },
    "global": {"global_pool": True},
}
_CHANNELS = [_positive(3), _normal(3), _normal(3, seed=1), _positive(3, seed=1)]
_HAWKES = [
    *(_positive(3, 2), _positive(2) * np.float32(0.3), _positive(2), _positive(3, 2, seed=1)),
    *(_positive(3, 4), np.array([[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]], np.int32)),
    *(np.array([1, 4, 0], np.float32), np.array([9, 10, 8], np.float32)),
]
_ROIS = np.array([[0, 1, 1, 9, 10], [1, 4, 3, 5, 3], [1, -9, -9, 30, 40]], np.float32)
_PARTS: dict[str, Any] = {"spatial_scale": 0.5, "output_dim": 2, "group_size": 2}
_NORMS: dict[str, dict[str, Any]] = {
    "plain": {},
    "scaled": {"fix_gamma": False, "momentum": 0.7},
    "global": {"fix_gamma": False, "use_global_stats": True},
    "shown": {"fix_gamma": False, "output_mean_var": True},
}
_SLOPES: dict[str, Any] = {"num_filter": 6, "kernel": (3, 2), "num_group": 2}

# name: namespace, operator, inputs, attributes, how many of the inputs have gradients
CASES: dict[str, tuple[str, str, list[Any], dict[str, Any], int]] = {
    "convolution": (
        *("nd", "Convolution_v1", [_IMAGE, _normal(6, 2, 3, 2), _normal(6)]),
        *({**_SLOPES, "stride": (2, 1), "pad": (1, 0)}, 3),
    ),
    "convolution dilated": (
        *("nd", "Convolution_v1", [_IMAGE, _normal(6, 2, 3, 2)]),
        *({**_SLOPES, "dilate": (2, 1), "no_bias": True}, 2),
    ),
    **{
        f"pooling {kind} {name}": ("nd", "Pooling_v1", [_IMAGE], {**pool, "pool_type": kind}, 1)
        for name, pool in _POOLS.items()
        for kind in ("max", "avg", "sum")
    },
    "pooling of equals": ("nd", "Pooling_v1", [_TIES], {"kernel": (2, 2)}, 1),
    "pooling of zeros around": (
        *("nd", "Pooling_v1", [_TIES]),
        *({"kernel": (3, 3), "pad": (1, 1), "stride": (2, 2)}, 1),
    ),
    **{
        f"norm {name}": (
            *("contrib", "BatchNormWithReLU", [_normal(2, 3, 4, 2), *_CHANNELS]),
            *(settings, 3),
        )
        for name, settings in _NORMS.items()
    },
    "hawkes": ("contrib", "hawkesll", _HAWKES, {}, 3),
    **{
        f"parts {name}": (
            *("contrib", "DeformablePSROIPooling", [_normal(2, 8, 7, 6), _ROIS, *moved]),
            *({**_PARTS, **settings}, 1 + 2 * len(moved)),
        )
        for name, moved, settings in (
            ("in place", [], {"pooled_size": 2, "sample_per_part": 2, "no_trans": True}),
            ("moved", [_normal(3, 2, 3, 3)], {"pooled_size": 3, "trans_std": 0.1}),
            (
                *("by class", [_normal(3, 4, 2, 2)]),
                {"pooled_size": 3, "part_size": 2, "sample_per_part": 3, "trans_std": 0.5},
            ),
        )
    },
}


def run(mx: Any, case: str) -> dict[str, Any]:
    """Call an operator in training mode, and go back from its first output."""
    namespace, name, inputs, settings, count = CASES[case]
    module = mx.nd if namespace == "nd" else mx.nd.contrib
    arrays = [mx.nd.array(value, dtype=value.dtype) for value in inputs]
    for array in arrays[:count]:
        array.attach_grad()
    with mx.autograd.record():
        outputs = getattr(module, name)(*arrays, **settings)
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    head = mx.nd.array(_normal(*outputs[0].shape))
    outputs[0].backward(head)
    mx.nd.waitall()  # MXNet writes states of normalization behind its own back
    return {
        "outputs": list(outputs),
        "inputs": arrays[count:],
        "gradients": [array.grad for array in arrays[:count]],
    }


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {case: lambda case=case: run(mx, case) for case in CASES}
