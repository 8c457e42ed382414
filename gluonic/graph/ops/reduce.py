"""Reductions over axes: one table, one shape rule."""

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from gluonic.graph.attributes import Axes, DType
from gluonic.graph.extrema import extreme_of_nothing
from gluonic.graph.families import reduced_axes, reduced_shape, reduction_shape, wide
from gluonic.graph.operator import Array, GradientRule, Operator, operator
from gluonic.graph.other_factors import derivatives_of_product
from gluonic.graph.rules import like
from gluonic.graph.summation import total
from gluonic.graph.view import NodeView, complete, settings_of
from gluonic.graph.zeros import ones_for_zeros


def _attributes_of(n: NodeView) -> dict[str, Any]:
    return {
        key: settings_of(n)[key] for key in ("axis", "keepdims", "exclude") if key in settings_of(n)
    }


def _spread(F: Any, n: NodeView, value: Any) -> Any:
    """Repeat an array of the output's shape along the reduced axes."""
    return F._backward_sum(value, n.data, **_attributes_of(n))


def _count(data: Array, axes: tuple[int, ...]) -> int:
    return math.prod([data.shape[a] for a in axes])


def _mean(data: Array, axes: tuple[int, ...], keepdims: bool) -> Any:
    """The mean; the sum of integers is in their own dtype and wraps around."""
    found = total(data, axes, keepdims)
    whole = found.astype(data.dtype) if data.dtype.kind in "iu" else found
    return whole / _count(data, axes)


def _without_nan(data: Array, replacement: float) -> Array:
    if data.dtype.kind != "f":
        return data
    return np.where(np.isnan(data), data.dtype.type(replacement), data)


def _product(data: Array, axes: tuple[int, ...], keepdims: bool) -> Any:
    wide = {"float16": np.float32, "float32": np.float64}.get(data.dtype.name)
    return data.prod(axis=axes, dtype=wide, keepdims=keepdims)


def _extreme(name: str) -> Callable[[Array, tuple[int, ...], bool], Array]:
    def reduce(data: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
        if data.size == 0 and _count(data, axes) == 0:
            shape = complete(reduced_shape(data.shape, axes, keepdims))
            return np.full(shape, extreme_of_nothing(name, data.dtype), data.dtype)
        return getattr(np, name)(data, axis=axes, keepdims=keepdims)  # type: ignore[no-any-return]

    return reduce


class Reduction(NamedTuple):
    """A row of the table: names, documentation, the kernel over sorted axes, and the derivative."""

    names: tuple[str, ...]
    documentation: str
    kernel: Callable[[Array, tuple[int, ...], bool], Array]
    gradient: GradientRule


def _where_extreme(F: Any, n: NodeView, g: Any) -> Any:
    return _spread(F, n, g) * F._equal(n.data, _spread(F, n, n.output))


def _nansum_gradient(F: Any, n: NodeView, g: Any) -> Any:
    return _spread(F, n, g) * F._equal(n.data, n.data)


def _prod_back(F: Any, n: NodeView, g: Any, factors: Any) -> Any:
    others = F._backward_prod(factors, axis=n.axis, exclude=n.exclude)
    return _spread(F, n, g) * others


def _nanprod_gradient(F: Any, n: NodeView, g: Any) -> Any:
    counts = F._equal(n.data, n.data)
    factors = F.where(counts, n.data, F.ones_like(n.data))
    return F.where(counts, _prod_back(F, n, g, factors), F.zeros_like(n.data))


REDUCTIONS = [
    Reduction(
        ("sum", "sum_axis"),
        "The sum",
        total,
        lambda F, n, g: _spread(F, n, g),
    ),
    Reduction(
        ("mean",),
        "The arithmetic mean",
        _mean,
        lambda F, n, g: F._backward_mean(g, n.data, **_attributes_of(n)),
    ),
    Reduction(
        ("prod",),
        "The product",
        _product,
        lambda F, n, g: _prod_back(F, n, g, n.data),
    ),
    Reduction(
        ("max", "max_axis"),
        "The largest element",
        _extreme("max"),
        _where_extreme,
    ),
    Reduction(
        ("min", "min_axis"),
        "The smallest element",
        _extreme("min"),
        _where_extreme,
    ),
    Reduction(
        ("nansum",),
        "The sum of the elements that are not NaN",
        lambda data, axes, keepdims: total(_without_nan(data, 0), axes, keepdims),
        _nansum_gradient,
    ),
    Reduction(
        ("nanprod",),
        "The product of the elements that are not NaN",
        lambda data, axes, keepdims: _product(_without_nan(data, 1), axes, keepdims),
        _nanprod_gradient,
    ),
]

_DOCUMENTATION = """{what} over the given axes.

Parameters
----------
data : any array
axis : an axis or several, negative ones counted from the end; None means all
keepdims : whether reduced axes remain, with length one
exclude : reduce the axes *not* named by `axis`

Returns
-------
output : of the dtype of `data`; of shape (1,) if all axes are reduced
"""


def _register(row: Reduction) -> Operator:
    def kernel(
        data: Array, *, axis: Axes = None, keepdims: bool = False, exclude: bool = False
    ) -> Array:
        return row.kernel(data, reduced_axes(axis, data.ndim, exclude, row.names[0]), keepdims)

    kernel.__name__ = row.names[0]
    kernel.__doc__ = _DOCUMENTATION.format(what=row.documentation)
    op = operator(*row.names, reduction=row.names[0], shape=reduction_shape, dtype=like("data"))(
        kernel
    )
    op.gradient(data=row.gradient)
    return op


for _row in REDUCTIONS:
    _register(_row)


def _expander(name: str, of: str, normalize: bool) -> None:
    """Register the gradient of a linear reduction, whose own gradient is that reduction."""

    def kernel(
        grad: Array,
        data: Array,
        *,
        axis: Axes = None,
        keepdims: bool = False,
        exclude: bool = False,
    ) -> Array:
        axes = reduced_axes(axis, data.ndim, exclude)
        kept = grad.reshape(complete(reduced_shape(data.shape, axes, True)))
        if normalize:
            kept = kept / max(_count(data, axes), 1)
        return np.broadcast_to(kept, data.shape)

    kernel.__name__, kernel.__doc__ = name, f"The gradient of `{of}`."
    op = operator(name, shape=like("data"), dtype=like("grad"))(kernel)
    op.gradient(grad=lambda F, n, g: F.reshape_like(getattr(F, of)(g, **_attributes_of(n)), n.grad))


_expander("_backward_sum", "sum", normalize=False)
_expander("_backward_mean", "mean", normalize=True)


@operator("_backward_prod", count="num_directions")
def other_factors(
    data: Array,
    *directions: Array,
    num_directions: int,
    axis: Axes = None,
    exclude: bool = False,
) -> Any:
    """For each factor the product of the others, or its derivative along the given directions.

    Parameters
    ----------
    data : the factors
    directions : arrays of the same shape
    num_directions : their number
    axis, exclude : the axes along which factors are multiplied, see `prod`
    """
    axes = reduced_axes(axis, data.ndim, exclude)
    if directions:
        widest = np.result_type(data.dtype, np.float64)
        numbers = [array.astype(widest, copy=False) for array in (data, *directions)]
        return derivatives_of_product(numbers[0], numbers[1:], axes)
    zeros = data == 0
    nonzero = np.where(zeros, data.dtype.type(1), data)
    others = _product(nonzero, axes, True).astype(data.dtype) / nonzero
    others_are_nonzero = zeros.sum(axes, keepdims=True) == zeros
    return np.where(others_are_nonzero, others, data.dtype.type(0))


def _derived(F: Any, n: NodeView, *directions: Any) -> Any:
    """The derivative along these directions, instead of those that it has."""
    return F._backward_prod(n.data, *directions, axis=n.axis, exclude=n.exclude)


other_factors.gradient(
    data=lambda F, n, g: _derived(F, n, *n.directions, g),
    directions=lambda F, n, g: [
        _derived(F, n, *n.directions[:i], *n.directions[i + 1 :], g)
        for i in range(n.num_directions)
    ],
)


@operator("norm", reduction="norm", shape=reduction_shape)
def norm(
    data: Array,
    *,
    ord: Literal[2, 1] = 2,
    axis: Axes = None,
    out_dtype: DType | None = None,
    keepdims: bool = False,
) -> Any:
    """The norm of vectors: the root of the sum of squares, or the sum of absolute values.

    Parameters
    ----------
    data : any array
    ord : 2 or 1
    axis : the axes of a vector; None means all
    out_dtype : the dtype of the output; by default that of `data`
    keepdims : whether reduced axes remain, with length one
    """
    axes = reduced_axes(axis, data.ndim, title="norm")
    if ord == 1:
        return total(np.abs(wide(data)), axes, keepdims)
    return np.sqrt(total(np.square(wide(data)), axes, keepdims))


@norm.infer_dtype
def _(n: NodeView) -> None:
    if n.out_dtype is not None:
        n.output = n.out_dtype
    else:
        like("data")(n)


def _norm_gradient(F: Any, n: Any, g: Any) -> Any:
    if n.ord == 1:
        return F._cast_like(_spread(F, n, g), n.data) * F.sign(n.data)
    norms = ones_for_zeros(F, n.output)
    return n.data * F._cast_like(_spread(F, n, g / norms), n.data)


norm.gradient(data=_norm_gradient)
