"""Spread, quantiles, counts and sums along axes; differences and polynomials."""

from typing import Any

import numpy as np

from gluonic.graph.arithmetic import is_number
from gluonic.numpy_functions.table import Operators, add, function


def _spread(name: str, what: str) -> None:
    def over_axes(
        F: Operators,
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> Any:
        operator = getattr(F, f"_npi_{name}")
        return operator(a, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims, out=out)

    over_axes.__doc__ = (
        f"Return the {what} over axes, divided by their number of elements less `ddof`."
    )
    add(name, over_axes)


_spread("std", "standard deviation")
_spread("var", "variance")


def _truth(operator: str, what: str, *names: str) -> None:
    def over_axes(
        F: Operators, a: Any, axis: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        return getattr(F, operator)(a, axis=axis, keepdims=keepdims, out=out)

    over_axes.__doc__ = f"Return whether {what}, over axes."
    for name in names:
        add(name, over_axes)


_truth("_np_all", "no element is 0", "all")
_truth("_np_any", "an element is not 0", "any", "sometrue")


@function()
def cumsum(
    F: Operators, a: Any, axis: int | None = None, dtype: Any = None, out: Any = None
) -> Any:
    """Return running sums along an axis, or of the flattened array."""
    return F._np_cumsum(a, axis=axis, dtype=dtype, out=out)


@function()
def average(
    F: Operators,
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: bool = False,
    out: Any = None,
) -> Any:
    """Return the weighted mean over axes.

    Parameters
    ----------
    a : any array
    axis : an axis or several; none means all
    weights : of the shape of `a`, or one for each index along the axis; none means all are 1
    returned : whether the sums of the weights are returned, too
    out : the array that receives the result
    """
    if weights is None:
        return F._npi_average(a, axis=axis, returned=returned, weighted=False, out=out)
    return F._npi_average(a, weights, axis=axis, returned=returned, out=out)


@function()
def percentile(
    F: Operators,
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = None,
    interpolation: str = "linear",
    keepdims: bool = False,
) -> Any:
    """Return percentiles of the elements over axes.

    Parameters
    ----------
    a : any array
    q : the percentage, or several
    axis : an axis or several; none means all
    out : the array that receives the result
    overwrite_input : None
    interpolation : "linear", "lower", "higher", "midpoint" or "nearest"
    keepdims : whether reduced axes remain, with length one
    """
    if overwrite_input is not None:
        raise NotImplementedError("np.percentile: overwrite_input= is not there")
    given = {"axis": axis, "interpolation": interpolation, "keepdims": keepdims, "out": out}
    if is_number(q):
        return F._npi_percentile(a, q_scalar=float(q), **given)
    shares = F.array_of(q, "float32") if isinstance(q, (list, tuple)) else q
    return F._npi_percentile(a, shares, **given)


@function()
def quantile(
    F: Operators,
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = None,
    interpolation: str = "linear",
    keepdims: bool = False,
) -> Any:
    """Return quantiles of the elements over axes; `q` is between 0 and 1. See `percentile`."""
    if isinstance(q, (list, tuple)):
        shares: Any = [100 * share for share in q]
    else:
        shares = q * 100
    return percentile(F, a, shares, axis, out, overwrite_input, interpolation, keepdims)


@function()
def bincount(F: Operators, x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """Return the count of each integer, or the sum of its weights."""
    if minlength < 0:
        raise ValueError("np.bincount: minlength must not be negative")
    if weights is None:
        return F._npi_bincount(x, minlength=minlength, has_weights=False)
    return F._npi_bincount(x, weights, minlength=minlength, has_weights=True)


@function()
def histogram(
    F: Operators,
    a: Any,
    bins: Any = 10,
    range: Any = None,
    normed: Any = None,
    weights: Any = None,
    density: Any = None,
) -> Any:
    """Return the number of elements in each bin, and the edges of the bins.

    Parameters
    ----------
    a : any array
    bins : number of bins of equal width, or an array of edges
    range : the range of the bins; required with a number of bins
    normed, weights, density : None or False
    """
    if normed or density or weights is not None:
        raise NotImplementedError("np.histogram: normed=, weights= and density= are not there")
    if F.is_array(bins):
        return F._npi_histogram(a, bins)
    if isinstance(bins, (int, np.integer)):
        if range is None:
            raise NotImplementedError("np.histogram: automatic range is not there: give range=")
        return F._npi_histogram(a, bin_cnt=int(bins), range=range)
    raise NotImplementedError("np.histogram: bins are a number, or an array of edges")


@function()
def diff(
    F: Operators, a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None
) -> Any:
    """Return the differences of consecutive elements along an axis, applied `n` times."""
    if prepend is not None or append is not None:
        raise NotImplementedError("np.diff: prepend= and append= are not there")
    return F._npi_diff(a, n=n, axis=axis)


@function()
def ediff1d(F: Operators, ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Return the differences of consecutive flattened elements, between `to_begin` and `to_end`."""
    given = [edge for edge in (to_begin, to_end) if F.is_array(edge)]
    return F._npi_ediff1d(
        ary, *given, **_edge(F, "to_begin", to_begin), **_edge(F, "to_end", to_end)
    )


def _edge(F: Operators, name: str, value: Any) -> dict[str, Any]:
    """The attributes for the values at an end."""
    if F.is_array(value):
        return {f"{name}_arr_given": True, f"{name}_scalar": None}
    if value is not None and not is_number(value):
        raise TypeError(f"np.ediff1d: {name}={value!r} must be an array or a number")
    return {f"{name}_arr_given": False, f"{name}_scalar": value}


@function()
def polyval(F: Operators, p: Any, x: Any) -> Any:
    """Return the values at `x` of a polynomial with coefficients `p`, the one of the highest power first."""
    if F.is_array(p) and F.is_array(x):
        return F._npi_polyval(p, x)
    if F.is_array(p) or F.is_array(x):
        raise TypeError("np.polyval: type not supported: p and x are arrays, or none of them is")
    return np.polyval(p, x)


@function("np", "round", "round_")
def around(F: Operators, x: Any, decimals: int = 0, out: Any = None, **kwargs: Any) -> Any:
    """Return the elements rounded to `decimals` decimals, halves to the even digit."""
    if is_number(x):
        return np.around(x, decimals)
    return F._npi_around(x, decimals=decimals, out=out)


@function()
def nan_to_num(
    F: Operators,
    x: Any,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    **kwargs: Any,
) -> Any:
    """Return finite numbers as they are, others replaced.

    Parameters
    ----------
    x : array, or a number
    copy : False writes into `x`
    nan, posinf, neginf : the replacements; by default the largest and smallest numbers of the dtype
    """
    if is_number(x):
        return np.nan_to_num(x, copy, nan, posinf, neginf)
    if not F.is_array(x):
        raise TypeError(f"type {type(x)} not supported")
    into = (
        x
        if not copy and not F.is_symbolic and x.dtype not in (np.int8, np.uint8, np.int32, np.int64)
        else None
    )
    return F._npi_nan_to_num(x, copy=copy, nan=nan, posinf=posinf, neginf=neginf, out=into)
