"""The error function, the normal distribution, GELU and its derivative of float32, from tables.

A table holds a function and its derivatives at points so close together that Taylor series between them are
exact. The first two functions are computed in float64, to ten digits: they take half as long as SciPy's, whose
import also takes 0.2 seconds, and return the same float32. The others are computed in float32.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gluonic.graph.operator import Array

_WIDE_APART, _CLOSE = 512, 2048
"""The numbers of points per unit: powers of two, so that distances from them are exact in float32."""
NORMAL_PEAK = 1 / math.sqrt(2 * math.pi)
"""The density of the standard normal distribution at 0."""
LEAST = -50.0
"""Below it, the normal probability is 0; products with a finite number are then 0, and NaN with -inf."""
_AT_ONCE = 32768
"""The number of elements of a block, which stays in the caches between steps."""

_Numbers = npt.NDArray[np.floating[Any]]


def _points(begin: float, end: float, per_unit: int) -> npt.NDArray[np.float64]:
    """Evenly spaced points; one of them is 0."""
    return np.arange(round(begin * per_unit), round(end * per_unit) + 1) / per_unit


class _Table(NamedTuple):
    """The Taylor series of a function at evenly spaced points.

    Attributes
    ----------
    begin, end : the points beyond which the function is constant
    per_unit : the number of points per unit
    first : the index of the first point, counted from the point 0
    series : the coefficients at all points, in units of the distance between points; constants last
    """

    begin: np.float32
    end: np.float32
    per_unit: np.float32
    first: np.float32
    series: list[_Numbers]

    @classmethod
    def of(cls, points: _Numbers, values: _Numbers, *derivatives: _Numbers, dtype: Any) -> "_Table":
        """Make a table, which computes in `dtype`, of a function's values and derivatives at such points."""
        per_unit = round(1 / (points[1] - points[0]))
        signed = np.where(values == 0, -0.0, values)  # adding 0.0 to it gives 0.0
        series = [
            (each / (math.factorial(k) * float(per_unit) ** k)).astype(dtype)
            for k, each in enumerate((signed, *derivatives))
        ]
        begin, end = np.float32(points[0]), np.float32(points[-1])
        return cls(begin, end, np.float32(per_unit), begin * np.float32(per_unit), series[::-1])

    def look_up(self, x: Array, found: Array) -> None:
        """Evaluate the function of float32 elements into `found`."""
        step = x.clip(self.begin, self.end)
        step *= self.per_unit
        near = np.rint(step)
        near += np.float32(0)  # the nearest point to -0.0 is 0.0, at the distance -0.0
        step -= near
        near -= self.first
        index = near.astype(np.int32).astype(np.intp)  # directly it takes twice as long
        highest, *between, values = self.series
        total = highest.take(index, mode="clip")
        taken = np.empty_like(total)
        step = step.astype(total.dtype, copy=False)
        for coefficients in between:
            total *= step
            total += coefficients.take(index, out=taken, mode="clip")
        total *= step
        np.add(total, values.take(index, out=taken, mode="clip"), out=found)


def _bell(x: _Numbers, peak: float, rate: float) -> Sequence[_Numbers]:
    """``peak * exp(-rate * x**2)`` with its first and second derivative."""
    values = peak * np.exp(-rate * x * x)
    slopes = -2 * rate * x * values
    return values, slopes, -2 * rate * (values + x * slopes)


@cache
def _table_of_erf() -> _Table:
    x = _points(-4, 4, _WIDE_APART)  # beyond, it is 1 in float32
    values = np.fromiter(map(math.erf, x.tolist()), np.float64)
    return _Table.of(x, values, *_bell(x, 2 / math.sqrt(math.pi), 1), dtype=np.float64)


@cache
def _table_of_ndtr() -> _Table:
    x = _points(-14.25, 6, _WIDE_APART)  # below, it is too small for float32
    values = 0.5 * np.fromiter(map(math.erfc, (-math.sqrt(0.5) * x).tolist()), np.float64)
    return _Table.of(x, values, *_bell(x, NORMAL_PEAK, 0.5), dtype=np.float64)


@cache
def _close_table_of_ndtr() -> _Table:
    x = _points(-14.25, 6, _CLOSE)
    density, slope, _ = _bell(x, NORMAL_PEAK, 0.5)
    return _Table.of(x, ndtr(x.astype(np.float32)), density, slope, dtype=np.float32)


@cache
def _table_of_gelu_slope() -> _Table:
    x = _points(-6, 6, _CLOSE)  # beyond, it is 1 in float32, or less than a ten-millionth
    density, _, _ = _bell(x, NORMAL_PEAK, 0.5)
    values = ndtr(x.astype(np.float32)) + x * density
    values[0] = 0
    return _Table.of(x, values, (2 - x * x) * density, dtype=np.float32)


def in_parts(function: Callable[[Array, Array], object], x: Array) -> Array:
    """Apply a function to float32, block by block; it also receives the array to write to."""
    given = x.reshape(-1)
    found = np.empty(x.size, np.float32)
    with np.errstate(invalid="ignore"):  # the index of NaN is arbitrary
        for begin in range(0, x.size, _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            function(given[part], found[part])
    return found.reshape(x.shape)


def erf(x: Array) -> Array:
    """Return the error function of float32.

    >>> erf(np.array([-0.0, 0.5, np.inf, np.nan], np.float32))
    array([-0.       ,  0.5204999,  1.       ,        nan], dtype=float32)
    """
    return in_parts(_table_of_erf().look_up, x)


def ndtr(x: Array) -> Array:
    """Return the cumulative distribution function of the standard normal distribution of float32.

    >>> ndtr(np.array([-np.inf, 0, 2, np.nan], np.float32))
    array([0.        , 0.5       , 0.97724986,        nan], dtype=float32)
    """
    return in_parts(_table_of_ndtr().look_up, x)


def gelu(x: Array) -> Array:
    """Return float32 times the cumulative probability of the standard normal distribution at it.

    >>> gelu(np.array([-np.inf, -1, 0, 2, np.inf], np.float32))
    array([-0.        , -0.15865526,  0.        ,  1.9544997 ,         inf],
          dtype=float32)
    """
    return in_parts(_gelu_of, x)


def _gelu_of(x: Array, found: Array) -> None:
    _close_table_of_ndtr().look_up(x, found)
    found *= x.clip(np.float32(LEAST), np.float32(np.inf))  # in half the time of `maximum`


def gelu_slope(x: Array) -> Array:
    """Return the derivative of `gelu`; its absolute error is less than 2e-7.

    >>> gelu_slope(np.array([-1, 0, 1, np.inf], np.float32))
    array([-0.08331547,  0.5       ,  1.0833155 ,  1.        ], dtype=float32)
    """
    return in_parts(_table_of_gelu_slope().look_up, x)
