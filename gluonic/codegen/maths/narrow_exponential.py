"""exp of arguments in a narrow known range: a polynomial around the middle of the range.

There is no integer to split off and no power of two to scale with, which saves half of the work, and nothing
can overflow.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from gluonic.codegen.maths.values import FLOAT32, Bounds, Value

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter

_WIDEST = 1.0009
_FARTHEST = 80.0
_CURVE = (
    1.0000002682691806,
    0.4999994753883514,
    0.16665674948557666,
    0.041672522538039686,
    0.008417602346989708,
    0.0013792479400430181,
)
"""``(exp(t) - 1) / t`` to 2.7e-8 of ``exp(t)`` for ``|t| <= 0.5005`` (``minimax.fit``)."""


def is_narrow(x: Value) -> bool:
    """Whether `x` is known to be in a range where :func:`narrow_exp` is accurate."""
    low, high = x.bounds
    return x.dtype == FLOAT32 and high - low <= _WIDEST and -_FARTHEST < low <= high < _FARTHEST


def narrow_exp(m: Emitter, x: Value) -> Value:
    """Return e to the power of `x`."""
    middle, power = _middle(x.bounds)
    return m.horner(x - middle, (power, *(power * c for c in _CURVE)))


@lru_cache(256)
def _middle(bounds: Bounds) -> tuple[float, float]:
    """Return a float32 near the middle whose exponential is almost exactly a float32, and that exponential."""
    middle = np.float32(sum(bounds) / 2)
    step = np.spacing(np.maximum(np.abs(middle), np.float32(0.25)))
    candidates = middle + step * np.arange(-2048, 2049, dtype=np.float32)
    powers = np.exp(candidates.astype(np.float64))
    best = np.argmin(np.abs(powers / powers.astype(np.float32) - 1))
    return float(candidates[best]), float(np.float32(powers[best]))
