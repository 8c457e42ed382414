"""The greater and the lesser of each element of an array and a number; the extremes of no elements."""

from collections.abc import Callable
from typing import Any

import numpy as np

_ROW = 1 << 11
"""The length of rows: longer than ufuncs' buffers (`support.suppress_fp_warnings`); several fit the cache."""

_LARGE = 1 << 14
"""From this number of elements on, rows are faster than one loop."""


def extreme_of_nothing(name: str, dtype: np.dtype[Any]) -> Any:
    """The maximum, or minimum, of no elements."""
    if dtype.kind == "f":
        return -np.inf if name == "max" else np.inf
    if dtype.kind == "b":
        return name == "min"
    limits = np.iinfo(dtype)
    return int(limits.min if name == "max" else limits.max)


def with_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """`np.maximum` or `np.minimum`, faster for a large array and a Python number, with equal bits.

    NumPy has SIMD loops for two contiguous arrays only. So the number becomes a row, and the array a matrix.
    """

    def extremum(x: Any, y: Any) -> Any:
        if type(y) not in (int, float) or not _has_rows(x):
            return function(x, y)
        result = np.empty_like(x)
        whole = x.size // _ROW * _ROW
        given, found = x.reshape(-1), result.reshape(-1)
        row = np.full(_ROW, y, x.dtype)
        function(given[:whole].reshape(-1, _ROW), row, out=found[:whole].reshape(-1, _ROW))
        function(given[whole:], y, out=found[whole:])
        return result

    return extremum


def _has_rows(x: Any) -> bool:
    """Whether this is a large contiguous array of dtype float32 or float64."""
    return (
        type(x) is np.ndarray
        and x.size >= _LARGE
        and x.dtype in (np.float32, np.float64)
        and x.flags.c_contiguous
    )
