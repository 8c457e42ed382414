"""Sums, products, extremes and means over axes."""

from typing import Any

from gluonic.numpy_functions.table import Operators, function


@function()
def sum(
    F: Operators,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: float | None = None,
    out: Any = None,
) -> Any:
    """Return the sum over axes.

    Parameters
    ----------
    a : array
    axis : an axis or several, negative ones counted from the end; none means all
    dtype : the dtype of the sum; that of `a` if not given, int64 for truth values
    keepdims : whether reduced axes remain, with length one
    initial : the start value of the reduction
    out : the array that receives the result
    """
    return F._np_sum(a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, out=out)


@function("np", "product")
def prod(
    F: Operators,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
) -> Any:
    """Return the product over axes; see `sum`."""
    return F._np_prod(a, axis=axis, dtype=dtype, keepdims=keepdims, out=out)


@function()
def mean(
    F: Operators,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
) -> Any:
    """Return the arithmetic mean over axes, of integers in float32; see `sum`."""
    return F._npi_mean(a, axis=axis, dtype=dtype, keepdims=keepdims, out=out)


@function("np", "amax")
def max(F: Operators, a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Return the largest element over axes; see `sum`."""
    return F._np_max(a, axis=axis, keepdims=keepdims, out=out)


@function("np", "amin")
def min(F: Operators, a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Return the smallest element over axes; see `sum`."""
    return F._np_min(a, axis=axis, keepdims=keepdims, out=out)
