"""Norms of vectors and of matrices."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gluonic.graph.attributes import Axes
from gluonic.graph.axes import axes_of
from gluonic.graph.builder import F as GRAPH
from gluonic.graph.errors import InferenceError
from gluonic.graph.families import wide
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Graph, Node
from gluonic.graph.operator import Array, Run, operator
from gluonic.graph.ops.numpy.reductions import axes_to_reduce, shape_left
from gluonic.graph.rules import like
from gluonic.graph.summation import total
from gluonic.graph.view import settings_of, title_of
from gluonic.graph.zeros import ones_for_zeros
from gluonic.support.record import record

OF_ALL, BY_ORDER, BY_SQUARES, NUCLEAR = -2, -1, 1, 2
"""Values of the attribute `flag`; 0 means the same as -1."""
_OF_SUMS = (1, -1, np.inf, -np.inf)
_OF_SINGULAR_VALUES = (2, -2, "nuc")


@record
class Norm:
    """A kind of norm, and the axes that it reduces.

    Attributes
    ----------
    order : the order; ``"nuc"``: the sum of singular values; None: the root of the sum of squares
    axes : the axis of vectors, or rows and columns of matrices; None means all
    keepdims : whether reduced axes remain
    """

    order: float | str | None
    axes: tuple[int, ...] | None
    keepdims: bool

    @property
    def of_matrices(self) -> bool:
        """Whether it is a matrix norm that is not a vector norm of all elements."""
        return self.order is not None and self.axes is not None and len(self.axes) == 2

    @property
    def of_singular_values(self) -> bool:
        """Whether it is computed from singular values."""
        return self.of_matrices and self.order in _OF_SINGULAR_VALUES

    @property
    def is_known(self) -> bool:
        """Whether the norm is defined."""
        return not self.of_matrices or self.of_singular_values or self.order in _OF_SUMS

    @property
    def summed(self) -> int:
        """The axis that norms by sums of rows or columns sum over."""
        assert self.axes is not None
        return self.axes[0 if self.order in (1, -1) else 1]


def norm_meant(settings: Mapping[str, Any], rank: int, title: str) -> Norm:
    """The norm that the attributes mean for an array of a rank.

    Raises
    ------
    InferenceError
        if the norm is not defined
    """
    if settings["flag"] == OF_ALL:
        return Norm(None, None, settings["keepdims"])
    axis = settings["axis"]
    if axis is None:
        if rank == 0:
            raise InferenceError(f"{title}: this norm needs an array with axes, not a number")
        axis = tuple(range(max(rank - 2, 0), rank))
    found = _along(axis, settings, title)
    axes_of(found.axes or (), rank, title)
    return found


def _along(axis: int | tuple[int, ...], settings: Mapping[str, Any], title: str) -> Norm:
    """The norm that the attributes mean for these axes."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    order, flag, keepdims = settings["ord"], settings["flag"], settings["keepdims"]
    if not 1 <= len(axes) <= 2:
        raise InferenceError(f"{title}: axis={axis} must be one axis, or two")
    if flag == NUCLEAR and len(axes) == 1:
        raise InferenceError(f"{title}: vectors have no nuclear norm: give two axes")
    if flag == BY_SQUARES or (len(axes) == 1 and order == 2):
        return Norm(None, axes, keepdims)
    found = Norm("nuc" if flag == NUCLEAR else order, axes, keepdims)
    if not found.is_known:
        raise InferenceError(f"{title}: ord={order} is no norm of matrices")
    return found


@operator("_npi_norm", outputs=("output0",), dtype=like("data", "output0"))
def norm(
    data: Array, *, ord: float = 2.0, axis: Axes = None, keepdims: bool = False, flag: int = 0
) -> Any:
    """The norms of vectors or matrices.

    Parameters
    ----------
    data : floating array
    ord : the order of the norm; for matrices 1, -1, 2, -2, or infinite
    axis : the axis of vectors, or rows and columns of matrices; by default the only axis of a vector, the
        last two of other arrays
    keepdims : whether reduced axes remain, with length one
    flag : -1 or 0: the norm of order `ord`; 1: the root of the sum of squares; -2: that of all elements;
        2: the sum of singular values

    Returns
    -------
    output0 : of the dtype of `data`
    """
    settings = {"ord": ord, "axis": axis, "keepdims": keepdims, "flag": flag}
    meant = norm_meant(settings, data.ndim, "_npi_norm")
    if meant.order is None:
        axes = axes_to_reduce(meant.axes, data.ndim)
        return np.sqrt(total(np.square(wide(data)), axes, keepdims))
    named = meant.axes or ()
    order: Any = meant.order
    return np.linalg.norm(wide(data), order, named if len(named) > 1 else named[0], keepdims)


@norm.infer_shape
def _(n: Any) -> None:
    rank = len(n.data)
    meant = norm_meant(settings_of(n), rank, title_of(n))
    axes = axes_to_reduce(meant.axes, rank, title_of(n))
    n.output0 = shape_left(n.data, axes, n.keepdims)


def _of_power(F: Any, x: Any, found: Any, order: Any, spread: Any, g: Any) -> Any:
    """The gradient of vector norms."""
    if order == 0:
        return F.zeros_like(x)
    size, sign = F.abs(x), F.sign(x)
    if order in (np.inf, -np.inf):
        return sign * F._equal(size, spread(found)) * spread(g)
    if order == 1:
        return sign * spread(g)
    power = F._power_scalar(ones_for_zeros(F, size), scalar=order - 1.0)
    inverse = F._power_scalar(ones_for_zeros(F, found), scalar=1.0 - order)
    return sign * power * spread(g * inverse)


def _of_singular_values(F: Any, x: Any, meant: Norm) -> Any:
    """The gradient of matrix norms: the sum of outer products of the singular vectors that contribute."""
    left, values, right = F._npi_svd(F._np_moveaxis(x, source=meant.axes, destination=(-2, -1)))
    if meant.order == "nuc":
        counts = F.ones_like(values)
    else:
        extreme = F._np_max if meant.order == 2 else F._np_min
        counts = F.broadcast_equal(values, extreme(values, axis=-1, keepdims=True))
    scaled = F.broadcast_mul(left, F.expand_dims(counts, axis=-2))
    product = F._npi_matmul(scaled, right)
    return F._np_moveaxis(product, source=(-2, -1), destination=meant.axes)


def norm_gradient(F: Any, x: Any, found: Any, meant: Norm, g: Any) -> Any:
    """The gradient of a norm, in hybrid code.

    Parameters
    ----------
    F : the namespace of operators
    x, found : the array, and its norms
    meant : the kind of norm
    g : the gradient of the norms
    """

    def spread(value: Any, axis: Any = meant.axes, keepdims: bool = meant.keepdims) -> Any:
        return F._backward_sum(value, x, axis=axis, keepdims=keepdims)

    if meant.order is None:
        return x * spread(g / ones_for_zeros(F, found))
    if not meant.of_matrices:
        return _of_power(F, x, found, meant.order, spread, g)
    if meant.of_singular_values:
        return _of_singular_values(F, x, meant) * spread(g)
    sums = F._np_sum(F.abs(x), axis=meant.summed, keepdims=True)
    counts = F._equal(spread(sums, meant.summed, True), spread(found))
    return F.sign(x) * counts * spread(g)


@operator("_backward_npi_norm", shape=like("data"), dtype=like("data"))
def norm_back(
    grad: Array,
    data: Array,
    found: Array,
    *,
    ord: float = 2.0,
    axis: Axes = None,
    keepdims: bool = False,
    flag: int = 0,
    run: Run,
) -> Any:
    """The gradient through `_npi_norm`, where it depends on the number of axes."""
    settings = {"ord": ord, "axis": axis, "keepdims": keepdims, "flag": flag}
    meant = norm_meant(settings, data.ndim, "_backward_npi_norm")
    given = [Node(None, name) for name in ("grad", "data", "found")]
    g, x, norms = (node.entry() for node in given)
    graph = Graph([norm_gradient(GRAPH, x, norms, meant, g)])
    return interpret(graph, dict(zip(given, (grad, data, found), strict=True)), run)[0]


def _meant_for_any_rank(n: Any) -> Norm | None:
    """The norm that the attributes mean; None where that depends on the number of axes."""
    if n.flag == OF_ALL:
        return Norm(None, None, n.keepdims)
    return None if n.axis is None else _along(n.axis, settings_of(n), title_of(n))


@norm.all_gradients
def _(F: Any, n: Any, heads: Any) -> dict[str, Any]:
    meant = _meant_for_any_rank(n)
    if meant is None:
        return {"data": F._backward_npi_norm(heads[0], n.data, n.output0, **settings_of(n))}
    return {"data": norm_gradient(F, n.data, n.output0, meant, heads[0])}
