"""Functions of `mx.np` that NumPy computes: they take and return arrays of `mx.np`, without gradients."""

from collections.abc import Callable
from typing import Any

import numpy as np

_NAMES = """
allclose alltrue apply_along_axis apply_over_axes argpartition argwhere array_equal array_equiv choose compress
corrcoef correlate count_nonzero cov digitize divmod extract flatnonzero float_power frexp heaviside histogram2d
histogram_bin_edges histogramdd i0 in1d interp intersect1d isclose isin ix_ lexsort min_scalar_type modf msort
nanargmax nanargmin nancumprod nancumsum nanmax nanmedian nanmin nanpercentile nanprod nanquantile ndim
partition piecewise packbits poly polyadd polydiv polyfit polyint polymul polysub positive promote_types ptp
real result_type rollaxis roots searchsorted select setdiff1d setxor1d signbit size spacing take_along_axis
trapz tril_indices_from trim_zeros triu_indices_from union1d unpackbits unwrap vander
"""


def _in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """Test for each element whether it is in another array; the result has one axis."""
    return np.ravel(np.isin(ar1, ar2, assume_unique=assume_unique, invert=invert))


def _msort(a: Any) -> Any:
    """Return the array sorted along its first axis."""
    return np.sort(a, axis=0)


_REMOVED: dict[str, Callable[[], Callable[..., Any]]] = {
    "alltrue": lambda: np.all,
    "in1d": lambda: _in1d,
    "msort": lambda: _msort,
    "trapz": lambda: np.trapezoid,
}
"""Functions that NumPy 2 no longer has under that name."""


def _function(name: str) -> Callable[..., Any]:
    found: Callable[..., Any] | None = getattr(np, name, None)
    return _REMOVED[name]() if found is None else found


functions = {name: _function(name) for name in _NAMES.split()}
linalg_functions = {
    name: getattr(np.linalg, name)
    for name in ("cond", "lstsq", "matrix_power", "matrix_rank", "multi_dot", "qr")
}
globals().update(functions)
__all__ = [*functions]
