"""Operators that are one step of an optimizer, into the weight itself: all arrays afterwards."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

_WEIGHT, _GRAD, _MEAN, _VARIANCE = (
    np.array(numbers, np.float32)
    for numbers in ([1.8, 0.4, -1.0], [2.2, -0.2, -0.9], [0.1, -0.3, 0.2], [1.4, 0.6, 0.7])
)
_ADAM: dict[str, Any] = {"beta1": 0.8, "beta2": 0.7, "epsilon": 0.01}
_LAMB: dict[str, Any] = {**_ADAM, "t": 3}
_MOMENTUM: dict[str, Any] = {"momentum": 0.9}
_RMS: dict[str, Any] = {"gamma1": 0.8, "epsilon": 0.01, "clip_weights": 1.5}

# name: states, attributes of its own
OPERATORS: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "sgd_update": ([], {}),
    "sgd_mom_update": ([_MEAN], _MOMENTUM),
    "nag_mom_update": ([_MEAN], _MOMENTUM),
    "signsgd_update": ([], {}),
    "signum_update": ([_MEAN], {**_MOMENTUM, "wd_lh": 0.05}),
    "adam_update": ([_MEAN, _VARIANCE], _ADAM),
    "ftml_update": ([_VARIANCE, _VARIANCE * 0.5, _MEAN], _LAMB),
    "rmsprop_update": ([_VARIANCE], _RMS),
    "rmspropalex_update": ([_VARIANCE + 2, _MEAN * 0.1, _MEAN], {**_RMS, "gamma2": 0.6}),
    "ftrl_update": ([_MEAN, _VARIANCE], {"lamda1": 0.02, "beta": 0.7}),
    "mp_sgd_update": ([], {}),
    "mp_sgd_mom_update": ([_MEAN], _MOMENTUM),
    "mp_nag_mom_update": ([_MEAN], _MOMENTUM),
    "lamb_update_phase1": ([_MEAN, _VARIANCE], _LAMB),
}
CASES: dict[str, tuple[str, float, float, float]] = {
    f"{name} wd={decay} clip={clip} rescale={rescale}": (name, decay, clip, rescale)
    for name, (decay, clip, rescale) in product(
        OPERATORS, product((0.0, 0.3), (-1.0, 0.4), (1.0, 0.5))
    )
}


def run(mx: Any, case: str) -> Any:
    """Take a step."""
    name, decay, clip, rescale = CASES[case]
    states, settings = OPERATORS[name]
    is_mixed = name.startswith("mp_")
    dtype = "float16" if is_mixed else "float32"
    arrays = [mx.nd.array(value, dtype=dtype) for value in (_WEIGHT, _GRAD)]
    arrays += [mx.nd.array(value) for value in [*states, *([_WEIGHT] if is_mixed else [])]]
    bound = "clip_grad" if name.startswith("ftml") else "clip_gradient"
    numbers = {"wd": decay, bound: clip, "rescale_grad": rescale, **settings}
    if not name.startswith("lamb"):
        numbers["lr"] = 0.1
    getattr(mx.nd, name)(*arrays, out=arrays[0], **numbers)
    return [array.asnumpy() for array in arrays]


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {case: lambda case=case: run(mx, case) for case in CASES}
