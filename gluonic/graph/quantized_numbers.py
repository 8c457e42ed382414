"""Quantized numbers: small integers, and the ranges of floating-point numbers that they represent.

An array of int8, uint8 or int32 comes with two float32 arrays of one number, the minimum and the maximum of its
range; the larger of their absolute values is `span`. The integer nearest to ``x * levels / span`` represents x.
The levels are those of MXNet on CPUs (127.5 for int8, 255.5 for uint8), so that results agree.
"""

from typing import Any

import numpy as np

from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array
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
    sizes = np.abs(np.asarray([low, high], np.float32))
    return np.float32(sizes.max())


def ratio(levels: Any, size: Any) -> Any:
    """The number of levels per unit; zero if the range is empty, so that all numbers are level 0."""
    return np.float32(levels) / size if size else np.float32(0)


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
    return np.full(1, low, np.float32), np.full(1, high, np.float32)


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
