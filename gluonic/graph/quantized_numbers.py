"""Quantized numbers: small integers, and the ranges of floating-point numbers that they represent.

An array of int8, uint8 or int32 comes with two float32 arrays of one number, the minimum and the maximum of its
range; the larger of their absolute values is `span`. The integer nearest to ``x * levels / span`` represents x.
The levels are those of MXNet on CPUs (127.5 for int8, 255.5 for uint8), so that results agree.
"""

from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array
from gluonic.graph.singles import single
from gluonic.graph.view import NodeView, peek, title_of

INT8, UINT8, INT32 = np.dtype("int8"), np.dtype("uint8"), np.dtype("int32")
FLOAT32 = np.dtype("float32")
SMALL = (INT8, UINT8)
LEVELS = {INT8: np.float32(127.5), UINT8: np.float32(255.5), INT32: np.float32(2.0**31)}


def span(low: Any, high: Any) -> Any:
    """The larger absolute value of two numbers, or of two arrays of one number.

    >>> float(span(-3.0, 2.0))
    3.0
    """
    return np.maximum(np.abs(single(low)), np.abs(single(high)))


def ratio(levels: Any, size: Any) -> Any:
    """The number of levels per unit; zero if the range is empty, so that all numbers are level 0."""
    return _quotient(levels, size, np.float32(0))


def _quotient(levels: Any, size: Any, otherwise: Any) -> Any:
    """Levels divided by a size; another number if that is zero."""
    is_empty = size == 0
    return np.where(
        is_empty, otherwise, np.float32(levels) / np.where(is_empty, np.float32(1), size)
    )[()]


def per_unit(dtype: np.dtype[Any], low: Any, high: Any) -> Any:
    """The number of levels per unit for an array of `dtype`; for an empty range, oneDNN's layers take 2³¹.

    >>> float(per_unit(INT8, -0.5, 0.25))
    255.0
    """
    return per_size(dtype, span(low, high))


def per_size(dtype: np.dtype[Any], size: Any) -> Any:
    """The same for the span of an array, or for those of several."""
    return _quotient(LEVELS[dtype], size, LEVELS[INT32])


def rounded(values: Array, dtype: np.dtype[Any]) -> Array:
    """Round to the nearest integers, ties to even, clipped to the bounds of the dtype.

    >>> rounded(np.array([-300.0, 0.5, 1.5, 300.0]), INT8).tolist()
    [-128, 0, 2, 127]
    """
    bounds = np.iinfo(dtype)
    if dtype == INT32:  # its maximum is not exact in float32
        values = values.astype(np.float64)
    return np.clip(np.rint(values), bounds.min, bounds.max).astype(dtype)


def pair(low: Any, high: Any) -> tuple[Array, Array]:
    """A range as two arrays of one number."""
    least, most = single(low).reshape(1), single(high).reshape(1)
    return least, most


def product_range(
    data: tuple[Any, Any], weight: tuple[Any, Any], dtype: np.dtype[Any] = INT8
) -> tuple[Array, Array]:
    """The range of int32 for sums of products of data of `dtype` and weights of int8."""
    level = span(*data) / np.float32(np.iinfo(dtype).max) * (span(*weight) / np.float32(127))
    return pair(-level * LEVELS[INT32], level * LEVELS[INT32])


def summing_dtype(terms: int) -> np.dtype[Any]:
    """The floating-point dtype in which sums of `terms` products of small integers are exact."""
    return np.dtype("float32" if terms * 255 * 128 <= 2**24 else "float64")


def chosen(out_type: str, low: float | None, high: float | None) -> np.dtype[Any]:
    """The dtype of ``int8``, ``uint8`` or ``auto``, which depends on the range if that is known."""
    if out_type != "auto":
        return np.dtype(out_type)
    return UINT8 if low is not None and high is not None and low >= 0 else INT8


def require_small(n: NodeView, *names: str) -> None:
    """Refuse inputs that are known not to be int8 or uint8."""
    for name in names:
        dtype = peek(n, name)
        if dtype is not None and dtype not in SMALL:
            raise InferenceError(f"{title_of(n)}: {name} must be int8 or uint8, not {dtype.name}")


def result_dtype(
    low: float | None, high: float | None, *, unsigned: bool = False, floating: bool = False
) -> np.dtype[Any]:
    """The dtype of a fused layer's result.

    Parameters
    ----------
    low, high : the range of the result, if it is given; small integers need one
    unsigned : whether the small integers are uint8
    floating : whether the result is floating-point
    """
    if floating:
        return FLOAT32
    if low is None or high is None:
        return INT32
    return UINT8 if unsigned else INT8


class Ranged(NamedTuple):
    """An array of small integers, with the minimum and the maximum of the numbers that they represent."""

    array: Array
    low: Any
    high: Any

    @property
    def scale(self) -> Any:
        """The number of levels per unit."""
        return per_unit(self.array.dtype, self.low, self.high)


class ResultRange(NamedTuple):
    """The range of a fused layer's result, if it is given, and the dtype of the result."""

    low: float | None
    high: float | None
    dtype: np.dtype[Any]

    @property
    def scale(self) -> Any:
        """The number of levels per unit of small integers."""
        return per_unit(self.dtype, self.low, self.high)

    @property
    def ends(self) -> tuple[Array, Array]:
        """The range of small integers."""
        return pair(self.low, self.high)
