"""Reductions to truth values, variances, indices of extremes, percentiles and counts."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from gluonic.graph.attributes import Axes, DType
from gluonic.graph.derivation import BOOL, FLOAT32, INT64
from gluonic.graph.dtypes import is_floating
from gluonic.graph.errors import InferenceError
from gluonic.graph.families import index_of_extreme, wide
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.numpy.reductions import axes_to_reduce, reduction, shape_left
from gluonic.graph.rules import like, output_dtype
from gluonic.graph.view import NodeView, peek, title_of
from gluonic.graph.zeros import ones_for_zeros


def _truth(names: tuple[str, ...], find: Callable[..., Any], what: str) -> None:
    def kernel(data: Array, *, axis: Axes = None, keepdims: bool = False) -> Any:
        return find(data, axis=axes_to_reduce(axis, data.ndim, names[0]), keepdims=keepdims)

    kernel.__doc__ = f"""Whether {what} over the given axes.

    Parameters
    ----------
    data : any array
    axis : an axis or several; None means all
    keepdims : whether reduced axes remain, with length one
    """
    operator(*names, shape=reduction("data"), dtype=output_dtype(BOOL))(kernel).gradient()


_truth(("_np_any", "_np_sometrue"), np.any, "any element is not 0")
_truth(("_np_all",), np.all, "all elements are not 0")


for _name in ("_npi_argmax", "_npi_argmin"):
    _shape = reduction("data", of_nothing=False)
    index_of_extreme(_name, "int64", __name__, shape=_shape, dtype=output_dtype(INT64))


def _spread_dtype(n: Any) -> None:
    if n.dtype is None:
        like("a")(n)
    else:
        n.output = n.dtype


def counts_of_variance(F: Any, n: Any, keepdims: bool) -> tuple[Any, Any]:
    """The number of elements over the axes, and the divisor of a variance, in hybrid code."""
    count = F._np_sum(F.ones_like(n.a), axis=n.axis, keepdims=keepdims)
    return count, F._maximum_scalar(count - float(n.ddof), scalar=0.0)


def _variance_back(F: Any, n: Any, g: Any) -> Any:
    """The derivative of the variance, times `g`."""
    axes = {"axis": n.axis, "keepdims": n.keepdims}
    centred = F.broadcast_sub(n.a, F._npi_mean(n.a, axis=n.axis, keepdims=True))
    found = 2.0 * centred * F._cast_like(F._backward_mean(g, n.a, **axes), n.a)
    if n.ddof == 0:
        return found
    count, divisor = counts_of_variance(F, n, keepdims=True)
    return F.broadcast_mul(found, count / divisor)


def _deviation(name: str, find: Callable[..., Any], what: str) -> Any:
    def kernel(
        a: Array,
        *,
        axis: Axes = None,
        dtype: DType | None = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> Any:
        return find(wide(a), axis=axes_to_reduce(axis, a.ndim, name), ddof=ddof, keepdims=keepdims)

    kernel.__doc__ = f"""The {what} over the given axes.

    Parameters
    ----------
    a : any array
    axis : an axis or several; None means all
    dtype : the dtype of the result, by default that of `a`
    ddof : the divisor is the number of elements minus this number
    keepdims : whether reduced axes remain, with length one
    """
    return operator(f"_npi_{name}", shape=reduction("a"), dtype=_spread_dtype)(kernel)


_deviation("var", np.var, "variance").gradient(a=_variance_back)
_deviation("std", np.std, "standard deviation").gradient(
    a=lambda F, n, g: _variance_back(F, n, F._cast_like(g * 0.5 / ones_for_zeros(F, n.output), n.a))
)

Interpolation = Literal["linear", "lower", "higher", "midpoint", "nearest"]


@operator("_npi_percentile", absent=lambda n: ("q",) if n.q_scalar is not None else ())
def percentile(
    a: Array,
    q: Array | None = None,
    *,
    axis: Axes = None,
    interpolation: Interpolation = "linear",
    keepdims: bool = False,
    q_scalar: float | None = None,
) -> Any:
    """The percentiles of the elements.

    Parameters
    ----------
    a : any array
    q : the percentages; absent with `q_scalar`
    axis : an axis or several; None means all
    interpolation : the method for a percentile between two elements
    keepdims : whether reduced axes remain, with length one
    q_scalar : a single percentage

    Returns
    -------
    output : with the axes of `q`, then the remaining axes of `a`; float64 for float64, else float32
    """
    shares: Any = q if q_scalar is None else q_scalar
    axes = axes_to_reduce(axis, a.ndim, "_npi_percentile")
    kept = wide(a)
    return np.percentile(kept, shares, axis=axes, method=interpolation, keepdims=keepdims)


@percentile.infer_shape
def _(n: Any) -> None:
    axes = axes_to_reduce(n.axis, len(n.a), title_of(n))
    shares = () if n.q_scalar is not None else n.q
    n.output = (*shares, *shape_left(n.a, axes, n.keepdims))


@percentile.infer_dtype
def _(n: Any) -> None:
    n.output = n.a if is_floating(n.a) and n.a.itemsize > 4 else FLOAT32


percentile.gradient()  # no gradient, as in MXNet


@operator(
    "_npi_bincount",
    dynamic=True,
    absent=lambda n: () if n.has_weights else ("weights",),
)
def bincount(
    data: Array, weights: Array | None = None, *, minlength: int = 0, has_weights: bool = False
) -> Any:
    """Count how often each integer occurs.

    Parameters
    ----------
    data : non-negative integers, one axis
    weights : the weight of each element; by default 1
    minlength : the minimum length of the result
    """
    return np.bincount(data, weights, minlength)


@bincount.infer_shape
def _(n: NodeView) -> None:
    if len(n.data) != 1:
        raise InferenceError(f"{title_of(n)}: data must have one axis")
    n.output = (None,)


@bincount.infer_dtype
def _(n: Any) -> None:
    source = "weights" if n.has_weights else "data"
    if n.data.kind not in "iu":
        raise InferenceError(f"{title_of(n)}: data must be integers, not {n.data.name}")
    n.output = n.weights if n.has_weights else peek(n, source)


bincount.gradient()
