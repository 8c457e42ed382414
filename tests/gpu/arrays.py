"""What the parts that use arrays of `nd` share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gluonic import nd
from gluonic.codegen import FALLBACKS
from gluonic.ndarray.context import gpu
from tests.gpu.report import SKIPPED, Report

Array = npt.NDArray[Any]


def are_there(report: Report) -> bool:
    """Whether arrays are on the GPU; if the host has them, comparing would show nothing, and a row says so."""
    try:
        array = nd.ones((1,), ctx=gpu(0))
    except Exception as error:
        report.add("arrays", "failed", f"{type(error).__name__}: {error}")
        return False
    if hasattr(array, "elements"):
        report.add("arrays", SKIPPED, "arrays of gpu(0) are in the host's memory")
        return False
    return True


def through_host() -> dict[str, int]:
    """The calls of each operator that the host computed for the GPU, so far."""
    calls: dict[str, int] = {}
    for (name, _), number in FALLBACKS.items():
        calls[name] = calls.get(name, 0) + number
    return calls


def difference(ours: Array, expected: Array) -> float:
    """The largest difference, as a share of the largest finite number; infinite where shapes or dtypes differ.

    NaN and infinities must be in the same places.
    """
    if ours.shape != expected.shape or ours.dtype != expected.dtype:
        return float("inf")
    if ours.dtype.kind not in "fV":
        return 0.0 if np.array_equal(ours, expected) else float("inf")
    one, other = ours.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(other)
    if not np.array_equal(one[~finite], other[~finite], equal_nan=True):
        return float("inf")
    if not np.isfinite(one[finite]).all():
        return float("inf")
    largest = max(np.abs(other[finite]).max(initial=0.0), 1e-3)
    return float(np.abs(one[finite] - other[finite]).max(initial=0.0) / largest)


def worst(ours: Sequence[Array], expected: Sequence[Array]) -> float:
    """The largest of several differences."""
    if len(ours) != len(expected):
        return float("inf")
    return max(map(difference, ours, expected), default=0.0)
