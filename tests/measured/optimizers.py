"""Optimizers: weights and states after some updates, as files too; schedules of learning rates."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

# name: optimizer, settings
CASES: dict[str, Any] = {
    "sgd": ("sgd", {}),
    "sgd momentum": ("sgd", {"momentum": 0.9}),
    "sgd all": (
        "sgd",
        {"momentum": 0.9, "wd": 0.1, "clip_gradient": 0.3, "rescale_grad": 0.5},
    ),
    "sgd half": ("sgd", {"momentum": 0.9, "multi_precision": True}),
    "nag": ("nag", {"momentum": 0.9}),
    "nag plain": ("nag", {"wd": 0.1}),
    "nag all": ("nag", {"momentum": 0.9, "wd": 0.3, "clip_gradient": 0.3, "rescale_grad": 0.5}),
    "nag half": ("nag", {"momentum": 0.9, "wd": 0.3, "multi_precision": True}),
    "signum": ("signum", {"wd_lh": 0.1, "wd": 0.05, "clip_gradient": 0.2}),
    "signsgd": ("signum", {"momentum": 0, "wd": 0.1}),
    "adam": ("adam", {}),
    "adam all": ("adam", {"wd": 0.1, "clip_gradient": 0.3, "rescale_grad": 2.0}),
    "adam half": ("adam", {"multi_precision": True}),
    "adamax": ("adamax", {"wd": 0.1, "clip_gradient": 0.3}),
    "nadam": ("nadam", {"wd": 0.1}),
    "adagrad": ("adagrad", {"wd": 0.1, "learning_rate": 0.5}),
    "adadelta": ("adadelta", {"wd": 0.1, "rho": 0.5}),
    "rmsprop": ("rmsprop", {}),
    "rmsprop all": ("rmsprop", {"clip_weights": 0.5, "wd": 0.1, "clip_gradient": 0.2}),
    "rmsprop centered": ("rmsprop", {"centered": True, "clip_weights": 0.5, "wd": 0.1}),
    "ftrl": ("ftrl", {"wd": 0.1, "lamda1": 0.3}),
    "ftml": ("ftml", {"wd": 0.1, "learning_rate": 0.1}),
    "dcasgd": ("dcasgd", {"wd": 0.1}),
    "lamb": ("lamb", {}),
    "lamb bounds": (
        "lamb",
        {"bias_correction": False, "lower_bound": 0.1, "upper_bound": 1.0, "wd": 0.1},
    ),
    "lars": ("lars", {"momentum": 0.9, "wd": 0.1}),
    "lbsgd": ("lbsgd", {"momentum": 0.9, "batch_scale": 2}),
    "lbsgd lars": ("lbsgd", {"warmup_strategy": "lars"}),
    "lbsgd sqrt": (
        "lbsgd",
        {"warmup_strategy": "sqrt", "batch_scale": 3, "warmup_epochs": 1, "updates_per_epoch": 8},
    ),
    "groupadagrad": ("groupadagrad", {}),
}
SCHEDULES: dict[str, Any] = {
    "factor": ("FactorScheduler", {"step": 3, "factor": 0.5, "stop_factor_lr": 0.1}),
    "factor warm": (
        "FactorScheduler",
        {"step": 3, "factor": 0.5, "warmup_steps": 5, "warmup_begin_lr": 0.1},
    ),
    "steps": (
        "MultiFactorScheduler",
        {"step": [2, 5, 9], "factor": 0.1, "warmup_steps": 2, "warmup_mode": "constant"},
    ),
    "poly": ("PolyScheduler", {"max_update": 10, "pwr": 3, "final_lr": 0.1, "warmup_steps": 3}),
    "cosine": ("CosineScheduler", {"max_update": 10, "final_lr": 0.1, "warmup_steps": 3}),
}


def _arrays(state: Any) -> list[Any]:
    if isinstance(state, (list, tuple)):
        return [array for one in state for array in _arrays(one)]
    return [] if state is None else [state]


def begun(mx: Any, case: str, schedule: str | None = None) -> tuple[Any, list[Any], Any]:
    """Update two weights six times; the updater, the weights, and what draws gradients."""
    random = np.random.RandomState(0)
    name, settings = CASES[case]
    if schedule is not None:
        kind, of_schedule = SCHEDULES[schedule]
        scheduler = getattr(mx.lr_scheduler, kind)(base_lr=1.0, **of_schedule)
        settings = {**settings, "learning_rate": 1.0, "lr_scheduler": scheduler}
    names = {0: "a_weight", 1: "a_bias"}
    updater = mx.optimizer.get_updater(mx.optimizer.create(name, param_idx2name=names, **settings))
    dtype = "float16" if settings.get("multi_precision") else "float32"
    weights = [mx.nd.array(random.randn(3, n), dtype=dtype) for n in (4, 2)]
    for _ in range(6):
        update(mx, updater, weights, random)
    return updater, weights, random


def update(mx: Any, updater: Any, weights: list[Any], random: Any) -> None:
    """Update the weights by the next gradients."""
    for index, weight in enumerate(weights):
        updater(index, mx.nd.array(random.randn(*weight.shape), dtype=weight.dtype), weight)


def run(mx: Any, case: str) -> dict[str, Any]:
    """Return weights and states after six updates."""
    updater, weights, _ = begun(mx, case)
    return {
        "weights": weights,
        "states": {index: _arrays(state) for index, state in updater.states.items()},
    }


def saved(mx: Any, case: str, schedule: str | None = None) -> dict[str, Any]:
    """Return what is saved after six updates, and the weights after one more."""
    updater, weights, random = begun(mx, case, schedule)
    files = {
        "states": base64.b64encode(updater.get_states()).decode(),
        "with optimizer": base64.b64encode(updater.get_states(dump_optimizer=True)).decode(),
    }
    update(mx, updater, weights, random)
    return {**files, "weights": weights}


def schedule(mx: Any, case: str) -> list[float]:
    """Return fourteen learning rates."""
    name, settings = SCHEDULES[case]
    scheduler = getattr(mx.lr_scheduler, name)(base_lr=1.0, **settings)
    return [float(scheduler(update)) for update in range(1, 15)]


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    runs = {case: lambda case=case: run(mx, case) for case in CASES}
    schedules = {f"schedule {case}": lambda case=case: schedule(mx, case) for case in SCHEDULES}
    files = {f"saved {case}": lambda case=case: saved(mx, case) for case in CASES}
    scheduled = {f"saved {case}": lambda case=case: saved(mx, "nag", case) for case in SCHEDULES}
    return {**runs, **schedules, **files, **scheduled}
