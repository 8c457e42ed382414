"""Special functions of few elements without SciPy, which takes 0.2 seconds to import.

They compute in float64, as SciPy's do, so for float32 both give the same numbers; of those that SciPy computes
quicker, so many elements are computed here, in a process, as take about as long as the import.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.graph.error_function import erf, ndtr
from gluonic.graph.operator import Array

_MOST = 1 << 21
"""Elements of the quickest of those that take longer than SciPy's."""
_SHIFTED_TO = 12.0
_STIRLING = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760)
"""Of digamma's asymptotic series: Bernoulli's numbers by their indices (Abramowitz and Stegun 6.3.18)."""


def _one_by_one(function: Callable[[float], float]) -> Callable[[Array], Array]:
    def call(x: Array) -> Array:
        return np.fromiter(map(function, x.ravel().tolist()), np.float32, x.size).reshape(x.shape)

    return call


def _digamma(x: float) -> float:
    """The derivative of `lgamma` of a positive number.

    >>> round(_digamma(1.0), 12)
    -0.577215664902
    """
    if x <= 0:
        raise ValueError("SciPy knows the poles and what is between them")
    total = 0.0
    while x < _SHIFTED_TO:
        total -= 1 / x
        x += 1
    square, power = 1 / (x * x), 1.0
    for factor in _STIRLING:
        power *= square
        total -= factor * power
    return total + math.log(x) - 0.5 / x


_FUNCTIONS: dict[str, tuple[Callable[[Array], Array], int]] = {
    "erf": (erf, 0),
    "ndtr": (ndtr, 0),
    "gammaln": (_one_by_one(math.lgamma), 1),
    "digamma": (_one_by_one(_digamma), 10),
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
