"""Metrics: name and value, local and global, after each update and each kind of reset."""

from __future__ import annotations

from typing import Any

import numpy as np

_random = np.random.RandomState(0)


def _probabilities(classes: int) -> Any:
    drawn = _random.rand(6, classes) + 0.1
    return drawn / drawn.sum(1, keepdims=True)


_CLASSES = [(_random.randint(0, 5, 6).astype(np.float32), _probabilities(5)) for _ in range(3)]
_BINARY = [(_random.randint(0, 2, 6).astype(np.float32), _probabilities(2)) for _ in range(3)]
_TABLES = [(_random.rand(6, 2), _random.rand(6, 2)) for _ in range(3)]
_VECTORS = [(_random.rand(6), _random.rand(6)) for _ in range(3)]

# name: metric, settings, labels and predictions
CASES: dict[str, Any] = {
    "accuracy": ("acc", {}, _CLASSES),
    "top 3": ("top_k_acc", {"top_k": 3}, _CLASSES),
    "f1": ("f1", {}, _BINARY),
    "f1 micro": ("f1", {"average": "micro"}, _BINARY),
    "mcc": ("mcc", {}, _BINARY),
    "mcc micro": ("mcc", {"average": "micro"}, _BINARY),
    "pcc": ("pcc", {}, _BINARY),
    "pcc classes": ("pcc", {}, _CLASSES),
    "perplexity": ("perplexity", {"ignore_label": None}, _CLASSES),
    "perplexity ignoring": ("perplexity", {"ignore_label": 2}, _CLASSES),
    "cross entropy": ("ce", {}, _CLASSES),
    "nll": ("nll_loss", {}, _CLASSES),
    "mae": ("mae", {}, _TABLES),
    "mae vectors": ("mae", {}, _VECTORS),
    "mse": ("mse", {}, _TABLES),
    "rmse": ("rmse", {}, _TABLES),
    "pearson": ("pearsonr", {}, _TABLES),
    "loss": ("loss", {}, _TABLES),
    "torch": ("torch", {}, _TABLES),
    "several": (["acc", "ce"], {}, _CLASSES),
}


def run(mx: Any, case: str) -> list[Any]:
    """Update, reset, and look at the values in between."""
    name, settings, pairs = CASES[case]
    metric = mx.metric.create(name, **settings)
    found = []
    for label, pred in pairs:
        metric.update([mx.nd.array(label)], [mx.nd.array(pred)])
        found.append([metric.get(), metric.get_global()])
    metric.reset_local()
    metric.update([mx.nd.array(pairs[0][0])], [mx.nd.array(pairs[0][1])])
    found.append([metric.get_name_value(), metric.get_global_name_value()])
    metric.reset()
    found.append([str(metric)])
    return found


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {case: lambda case=case: run(mx, case) for case in CASES}
