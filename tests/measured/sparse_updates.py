"""Updates of dense and row_sparse weights by row_sparse gradients."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

WEIGHT = [[1.0, -2.0], [0.5, 0.25], [3.0, 1.0], [-1.0, 4.0], [0.1, 0.2]]
GRADIENTS = (([[0.5, -1.0], [2.0, 0.0]], [1, 3]), ([[0.25, 0.5], [1.0, -3.0]], [0, 3]))
SETTINGS: dict[str, tuple[dict[str, Any], ...]] = {
    "sgd": (
        {},
        {"momentum": 0.9, "wd": 0.1},
        {"momentum": 0.9, "wd": 0.1, "lazy_update": False},
        {"wd": 0.1, "clip_gradient": 0.4, "rescale_grad": 0.5},
    ),
    "adam": (
        {},
        {"wd": 0.1, "clip_gradient": 0.4},
        {"lazy_update": False, "wd": 0.1},
    ),
    "adagrad": ({}, {"clip_gradient": 0.4, "rescale_grad": 0.5}),
    "ftrl": ({}, {"wd": 0.1, "lamda1": 0.3}),
    "groupadagrad": ({}, {"clip_gradient": 0.4}),
}
WEIGHTS = ("default", "row_sparse")


def updated(mx: Any, name: str, settings: dict[str, Any], kind: str) -> Any:
    """The weight after two updates, and the states of it."""
    optimizer = mx.optimizer.create(name, learning_rate=0.1, **settings)
    updater = mx.optimizer.get_updater(optimizer)
    weight = mx.nd.array(WEIGHT).tostype(kind)
    for data, rows in GRADIENTS:
        grad = mx.nd.sparse.row_sparse_array((data, rows), shape=(5, 2))
        updater(0, grad, weight)
    states = updater.states[0]
    states = states if isinstance(states, (list, tuple)) else [states]
    return {
        "weight": weight,
        "states": [None if s is None else s for s in states],
        "kinds": [weight.stype, *(s.stype for s in states if s is not None)],
    }


def cases(mx: Any) -> dict[str, Callable[[], Any]]:
    """The cases by name."""
    return {
        f"{name} {settings} of {kind}": partial(updated, mx, name, settings, kind)
        for name, choices in SETTINGS.items()
        for settings in choices
        for kind in WEIGHTS
        if (name, kind) != ("groupadagrad", "row_sparse")  # MXNet cannot make its state
    }
