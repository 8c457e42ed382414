"""Whether a monitored metric has improved."""

import math
import warnings
from typing import Any

import numpy as np

from gluonic.metric import EvalMetric

MODES = {"min": np.less, "max": np.greater}


def comparison(monitor: EvalMetric, mode: str, handler: str) -> Any:
    """Return the comparison that decides whether a value is better than another: `np.less` or `np.greater`.

    Parameters
    ----------
    monitor : the metric that is monitored
    mode : ``"min"``, ``"max"``, or ``"auto"``, which is max, as in MXNet, and warns
    handler : the name of the handler, for warnings
    """
    if mode not in (*MODES, "auto"):
        warnings.warn(
            f"{handler}: there is no mode {mode!r}; auto is used", RuntimeWarning, stacklevel=3
        )
        mode = "auto"
    if mode == "auto":
        warnings.warn(
            f"{handler}: a greater {monitor.get()[0]} counts as better; mode='min' says the opposite, "
            "mode='max' that this is meant",
            stacklevel=3,
        )
        mode = "max"
    return MODES[mode]


def worst(better: Any) -> float:
    """Return the value that every other improves on."""
    return math.inf if better is np.less else -math.inf


def value_of(monitor: EvalMetric, handler: str) -> float | None:
    """Return a metric's value; None, with a warning, if nothing updates it."""
    name, value = monitor.get()
    if not math.isnan(value):
        return float(value)
    warnings.warn(
        f"{handler}: {name} has no value; monitor must be one of estimator.train_metrics or "
        "estimator.val_metrics",
        RuntimeWarning,
        stacklevel=3,
    )
    return None
