"""Samples of the optimizers' steps."""

from typing import Any

import numpy as np
import numpy.typing as npt

from tests.graph.samples.sample import Sample, uniform

HALF = ("float32", "float16")
COMMON = {"wd": 0.1, "rescale_grad": 0.5, "clip_gradient": 0.3}


def arrays(*kinds: str, seed: int = 0) -> list[npt.NDArray[Any]]:
    """Arrays (3, 2): ``+x`` is positive, ``x32`` in float32, ``copy32`` a copy of the first."""
    made: list[npt.NDArray[Any]] = []
    for i, kind in enumerate(kinds):
        if kind == "copy32":
            made.append(made[0].astype("float32"))
            continue
        low = 0.3 if kind.startswith("+") else -1.0
        array = uniform(3, 2, low=low, seed=10 * seed + i)
        made.append(array.astype("float32") if kind.endswith("32") else array)
    return made


def _single(states: tuple[str, ...], **attributes: Any) -> list[Sample]:
    inputs = arrays("w", "g", *states)
    required = {k: v for k, v in attributes.items() if k in ("lr", "t", "wd")}
    return [
        Sample(inputs, required, dtypes=HALF),
        Sample(inputs, {**COMMON, **attributes}, dtypes=HALF),
        Sample(inputs, {**COMMON, **attributes, "clip_gradient": -1.0}),
    ]


def _mixed(states: tuple[str, ...], **attributes: Any) -> list[Sample]:
    inputs = arrays("w", "g", *(f"{s}32" for s in states), "copy32")
    return [
        Sample(inputs, attributes, dtypes=HALF),
        Sample(inputs, {**attributes, **COMMON}, dtypes=HALF),
    ]


def _groups(states: tuple[str, ...], mixed: bool, *last: npt.NDArray[Any]) -> list[Any]:
    kinds = (*(f"{s}32" for s in states), "copy32") if mixed else states
    return [a for seed in (1, 2) for a in arrays("w", "g", *kinds, seed=seed)] + list(last)


def _several(states: tuple[str, ...], **attributes: Any) -> dict[bool, list[Sample]]:
    return {
        mixed: [
            Sample(_groups(states, mixed), attributes, dtypes=HALF),
            Sample(
                _groups(states, mixed),
                {**attributes, "rescale_grad": 0.5, "clip_gradient": 0.3},
                dtypes=HALF,
            ),
        ]
        for mixed in (False, True)
    }


PAIR: dict[str, Any] = {"lrs": (0.1, 0.2), "wds": (0.01, 0.02), "num_weights": 2}
LOADED = (np.array([0.1, 0.2]), np.array([0.01, 0.02]))
SCALE = np.array([0.5])
LAMB: dict[str, Any] = {
    "learning_rates": (0.1, 0.2),
    "wds": (0.01, 0.02),
    "step_count": (1, 3),
    "num_tensors": 2,
}
_sgd, _sgd_mom = _several((), **PAIR), _several(("m",), **PAIR, momentum=0.9)
_lamb = _several(("m", "+v"), **LAMB)

SAMPLES: dict[str, list[Sample]] = {
    "sgd_update": _single((), lr=0.1),
    "sgd_mom_update": _single(("m",), lr=0.1, momentum=0.9),
    "nag_mom_update": _single(("m",), lr=0.1, momentum=0.9),
    "adam_update": _single(("m", "+v"), lr=0.1, beta1=0.8, beta2=0.95, epsilon=1e-3),
    "rmsprop_update": _single(("+n",), lr=0.1, gamma1=0.8, clip_weights=0.4),
    "rmspropalex_update": [
        Sample([*arrays("w", "g", "+n"), 0.1 * arrays("g")[0], *arrays("d")], attributes)
        for attributes in (
            {"lr": 0.1},
            {"lr": 0.1, "gamma1": 0.8, "gamma2": 0.7, "clip_weights": 0.4, **COMMON},
        )
    ],
    "ftrl_update": _single(("z", "+n"), lr=0.1, lamda1=0.3, beta=0.7),
    "signsgd_update": _single((), lr=0.1),
    "signum_update": _single(("m",), lr=0.1, momentum=0.9, wd_lh=0.05),
    "ftml_update": [
        Sample(arrays("w", "g", "+d", "+v", "z"), {"lr": 0.1, "t": 3, **attributes}, dtypes=HALF)
        for attributes in ({}, {"wd": 0.1, "rescale_grad": 0.5, "clip_grad": 0.3})
    ],
    "lamb_update_phase1": [
        *_single(("m", "+v"), t=3, wd=0.1),
        Sample(arrays("w", "g", "m", "+v"), {"t": 3, "wd": 0.1, "bias_correction": False}),
    ],
    "lamb_update_phase2": [
        Sample([*arrays("w", "g"), np.array([r1]), np.array([2.0])], {"lr": 0.1, **bounds})
        for r1 in (0.0, 1.5)
        for bounds in ({}, {"lower_bound": 1.0, "upper_bound": 1.2})
    ],
    "_sparse_adagrad_update": _single(("+v",), lr=0.1, epsilon=0.01),
    "_contrib_group_adagrad_update": [
        Sample([*arrays("w", "g"), uniform(3, 1, low=0.3)], settings, dtypes=HALF)
        for settings in ({"lr": 0.1}, {"lr": 0.1, "rescale_grad": 0.5, "clip_gradient": 0.3})
    ],
    "_adamw_update": [
        Sample(
            [*arrays("w", "g", "m", "+v"), np.array([scale])], {"lr": 0.1, "eta": 0.5, "wd": 0.1}
        )
        for scale in (0.5, 2.0)
    ],
    "mp_sgd_update": _mixed((), lr=0.1),
    "mp_sgd_mom_update": _mixed(("m",), lr=0.1, momentum=0.9),
    "mp_nag_mom_update": _mixed(("m",), lr=0.1, momentum=0.9),
    "_mp_adamw_update": [
        Sample(
            [*arrays("w", "g", "m32", "+v32", "copy32"), SCALE.astype("float32")],
            {"lr": 0.1, "eta": 0.5, "wd": 0.1},
            dtypes=HALF,
        )
    ],
    "mp_lamb_update_phase1": [
        Sample(arrays("w", "g", "m32", "+v32", "copy32"), {"t": 3, **COMMON}, dtypes=HALF)
    ],
    "mp_lamb_update_phase2": [
        Sample(
            [*arrays("w", "g32"), *np.array([[1.5], [2]], "float32"), *arrays("w32")],
            {"lr": 0.1},
            dtypes=HALF,
        )
    ],
    **{f"multi_{'mp_' * mixed}sgd_update": samples for mixed, samples in _sgd.items()},
    **{f"multi_{'mp_' * mixed}sgd_mom_update": samples for mixed, samples in _sgd_mom.items()},
    **{f"_multi_{'mp_' * mixed}lamb_update": samples for mixed, samples in _lamb.items()},
    **{
        f"preloaded_multi_{'mp_' * mixed}sgd_update": [
            Sample(_groups((), mixed, *LOADED), {"num_weights": 2})
        ]
        for mixed in (False, True)
    },
    **{
        f"preloaded_multi_{'mp_' * mixed}sgd_mom_update": [
            Sample(_groups(("m",), mixed, *LOADED), {"num_weights": 2, "momentum": 0.9})
        ]
        for mixed in (False, True)
    },
    **{
        f"_multi_{'mp_' * mixed}adamw_update": [
            Sample(_groups(("m", "+v"), mixed, SCALE), {**PAIR, "etas": (0.5, 1.0)}),
            Sample(_groups(("m", "+v"), mixed, np.array([np.nan])), {**PAIR, "etas": (0.5, 1.0)}),
        ]
        for mixed in (False, True)
    },
    "reset_arrays": [Sample(arrays("a", "b"))],
}
