"""Optimizers' states of row_sparse weights: what is saved of them, and the weights after one more update."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "adam": ("adam", {"learning_rate": 0.1, "wd": 0.01}),
    "momentum": ("sgd", {"learning_rate": 0.1, "momentum": 0.9, "wd": 0.01}),
    "ftrl": ("ftrl", {"learning_rate": 0.1, "lamda1": 0.001}),
    "adagrad": ("adagrad", {"learning_rate": 0.1}),
}


def begun(mx: Any, case: str) -> tuple[Any, Any, Any]:
    """Update a row_sparse weight three times; the updater, the weight, and what draws gradients."""
    random = np.random.RandomState(0)
    name, settings = CASES[case]
    updater = mx.optimizer.get_updater(mx.optimizer.create(name, **settings))
    weight = mx.nd.array(random.randn(5, 2)).tostype("row_sparse")
    for _ in range(3):
        update(mx, updater, weight, random)
    return updater, weight, random


def update(mx: Any, updater: Any, weight: Any, random: Any) -> None:
    """Update two rows of the weight by the next gradient."""
    rows = np.sort(random.choice(5, 2, replace=False))
    values = random.randn(2, 2).astype("float32")
    gradient = mx.nd.sparse.row_sparse_array((values, rows), shape=(5, 2))
    updater(0, gradient, weight)


def saved(mx: Any, case: str) -> dict[str, Any]:
    """Return what is saved after three updates, and the weight after one more."""
    updater, weight, random = begun(mx, case)
    files = {
        "states": base64.b64encode(updater.get_states()).decode(),
        "with optimizer": base64.b64encode(updater.get_states(dump_optimizer=True)).decode(),
    }
    update(mx, updater, weight, random)
    return {**files, "weight": weight}


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {case: lambda case=case: saved(mx, case) for case in CASES}
