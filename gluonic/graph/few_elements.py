"""Special functions of few elements without SciPy, whose import takes 0.2 seconds.

They compute in float64, as SciPy's do, so both return the same float32. Functions that are faster in SciPy are
computed here until a process has spent about the time of the import on them.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.graph.error_function import erf, in_parts, ndtr
from gluonic.graph.operator import Array

_MOST = 1 << 21
"""The budget of a process, in elements of the fastest function that is slower than SciPy's."""
_SHIFTED_BY = 6
_STIRLING = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760)
"""Of digamma's asymptotic series: Bernoulli numbers over their indices (Abramowitz and Stegun 6.3.18)."""


def _one_by_one(function: Callable[[float], float]) -> Callable[[Array], Array]:
    def call(x: Array) -> Array:
        return np.fromiter(map(function, x.ravel().tolist()), np.float32, x.size).reshape(x.shape)

    return call


def _digamma_of(x: Array, found: Array) -> None:
    """The derivative of `lgamma` for positive numbers, by its recurrence and then its asymptotic series."""
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
    """The derivative of `lgamma` for positive numbers.

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
"""The functions, with their cost per element in units of the budget; 0 is for those no slower than SciPy's."""


class Computed:
    """The part of the budget that is spent."""

    count = 0


def of_few(name: str, x: Any) -> Any:
    """Apply a function to float32 elements; None if SciPy should compute it."""
    is_array = isinstance(x, np.ndarray | np.generic)
    if name not in _FUNCTIONS or not is_array or x.dtype != np.float32:
        return None
    function, cost = _FUNCTIONS[name]
    Computed.count += cost * x.size
    if cost and Computed.count > _MOST:
        return None
    try:
        return function(x)
    except (ValueError, OverflowError):  # at poles
        return None
