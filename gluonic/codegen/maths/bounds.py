"""Value-range analysis: the bounds of values, as far as their computation implies them.

A sigmoid is between 0 and 1, and so is its square. The exponential of that needs no check for overflow and no
reduction of its argument. Bounds hold for every lane that is not NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np

from gluonic.codegen.maths.values import UNBOUNDED, Bounds, Dtype, Value

_GREATEST_POWER = 80.0  # e to this power is finite in all formats
_EXP_ERROR = 2.0**-20


def bounds_of(operation: str, values: Sequence[Value]) -> Bounds:
    """Return the bounds of the result of ``fadd``, ``fsub`` or ``fmul`` on values."""
    first, second = values
    if operation == "fmul":
        return _rounded(_of_product(first, second), first.dtype)
    added = second.bounds if operation == "fadd" else negated(second.bounds)
    return _rounded(_of_sum(first.bounds, added), first.dtype)


def bounds_of_fma(first: Value, second: Value, addend: Value) -> Bounds:
    """Return the bounds of a fused multiply-add."""
    if addend.bounds == UNBOUNDED:
        return UNBOUNDED
    return _rounded(_of_sum(_of_product(first, second), addend.bounds), first.dtype)


def _of_sum(first: Bounds, second: Bounds) -> Bounds:
    if UNBOUNDED in (first, second):
        return UNBOUNDED
    return first[0] + second[0], first[1] + second[1]


def _of_product(first: Value, second: Value) -> Bounds:
    if first.ref == second.ref:
        least, most = size_of(first.bounds)
        return least * least, most * most
    if UNBOUNDED in (first.bounds, second.bounds):
        return UNBOUNDED
    corners = [a * b for a, b in product(first.bounds, second.bounds)]
    possible = [corner for corner in corners if not math.isnan(corner)]  # zero times infinity
    return min(possible, default=-math.inf), max(possible, default=math.inf)


def _rounded(bounds: Bounds, dtype: Dtype) -> Bounds:
    """Return the bounds after rounding of numbers that are within `bounds`."""
    largest, least, share = _format(dtype)
    low, high = min(bounds[0], largest), max(bounds[1], -largest)
    return (
        low - abs(low) * share - least if low > -largest else -math.inf,
        high + abs(high) * share + least if high < largest else math.inf,
    )


@cache
def _format(dtype: Dtype) -> tuple[float, float, float]:
    """Return half of the largest number, the smallest normal one, and the machine epsilon."""
    info = np.finfo(dtype)
    return float(info.max) / 2, float(info.tiny), float(info.eps)


def bounds_of_exp(bounds: Bounds) -> Bounds:
    """Return the bounds of the exponential, computed at least to single precision."""
    low, high = (math.exp(bound) if bound < _GREATEST_POWER else math.inf for bound in bounds)
    return low * (1 - _EXP_ERROR), high * (1 + _EXP_ERROR)


def negated(bounds: Bounds) -> Bounds:
    """Return the bounds of the negative."""
    low, high = bounds
    return -high, -low


def size_of(bounds: Bounds) -> Bounds:
    """Return the bounds of the absolute value."""
    low, high = bounds
    return max(low, -high, 0.0), max(-low, high)


def extreme_of(relation: str, first: Bounds, second: Bounds) -> Bounds:
    """Return the bounds of the larger (``>``) or the smaller (``<``) of two."""
    choose = max if relation == ">" else min
    return choose(first[0], second[0]), choose(first[1], second[1])


def never_holds(relation: str, first: Bounds, second: Bounds) -> bool:
    """Whether a comparison is known to be false; with NaN all but ``!=`` are."""
    (low, high), (below, above) = first, second
    if relation == "==":
        return high < below or low > above
    return {
        "<": low >= above,
        "<=": low > above,
        ">": high <= below,
        ">=": high < below,
    }.get(relation, False)
