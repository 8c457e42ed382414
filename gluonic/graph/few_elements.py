"""Special functions of few elements without SciPy, which takes 0.2 seconds to import.

They compute in float64, as SciPy's do, so for float32 both give the same numbers; of those that SciPy computes
quicker, so many elements are computed here, in a process, as take about as long as the import.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.graph.error_function import erf, in_parts, ndtr
from gluonic.graph.operator import Array

_MOST = 1 << 21
"""Elements of the quickest of those that take longer than SciPy's."""
_SHIFTED_BY = 6
_STIRLING = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760)
"""Of digamma's asymptotic series: Bernoulli's numbers by their indices (Abramowitz and Stegun 6.3.18)."""


def _one_by_one(function: Callable[[float], float]) -> Callable[[Array], Array]:
    def call(x: Array) -> Array:
        return np.fromiter(map(function, x.ravel().tolist()), np.float32, x.size).reshape(x.shape)

    return call


def _digamma_of(x: Array, found: Array) -> None:
    """The derivative of `lgamma` of positive numbers: its recurrence, and its asymptotic series beyond that."""
    wide = x.astype(np.float64)
    total = 1 / wide
    for _ in range(1, _SHIFTED_BY):
        wide += 1
        total += 1 / wide
    wide += 1
    square = 1 / (wide * wide)
    series = np.full_like(wide, _STIRLING[-1])
    for factor in reversed(_STIRLING[:-1]):
        series *= square
        series += factor
    series *= square
    found[:] = np.log(wide) - 0.5 / wide - series - total


def _digamma(x: Array) -> Array:
    """The derivative of `lgamma` of positive numbers.

    >>> _digamma(np.array([1.0], np.float32))
    array([-0.5772157], dtype=float32)
    """
    if (x <= 0).any():
        raise ValueError("SciPy knows the poles and what is between them")
    return in_parts(_digamma_of, x)


_FUNCTIONS: dict[str, tuple[Callable[[Array], Array], int]] = {
    "erf": (erf, 0),
    "ndtr": (ndtr, 0),
    "gammaln": (_one_by_one(math.lgamma), 1),
    "digamma": (_digamma, 1),
}
"""And how much longer than the quickest they take; 0 is no longer than those of SciPy, but for few elements."""


class Computed:
    """How many elements there have been."""

    count = 0


def of_few(name: str, x: Any) -> Any:
    """A function of float32 elements; None where SciPy is to compute it."""
    if name not in _FUNCTIONS or getattr(x, "dtype", None) != np.float32:
        return None
    function, cost = _FUNCTIONS[name]
    Computed.count += cost * x.size
    if cost and Computed.count > _MOST:
        return None
    try:
        return function(x)
    except (ValueError, OverflowError):  # at poles
        return None
