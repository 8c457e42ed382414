"""Weighted means, and norms, as products, powers and sums."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.codegen.loops.site import RewriteContext
from gluonic.graph import Entry
from gluonic.graph.ops.numpy.norms import Norm, norm_gradient, norm_meant
from gluonic.graph.view import settings_of


def _is_single_or_double(site: RewriteContext) -> bool:
    return bool(site.dtype.kind == "f" and site.dtype.itemsize > 2)


def _sum(F: Any, x: Entry, axis: Any) -> Entry:
    """The sum over axes; there may be none."""
    return x if axis == () else F._np_sum(x, axis=axis)


def average(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The sum of products over the sum of weights."""
    n, axis = site.n, site.n.axis
    if not _is_single_or_double(site) or site.is_empty:
        return None
    if not n.weighted:
        mean = n.a if axis == () else F._npi_mean(n.a, axis=axis)
        return [mean, F._npi_mean(_sum(F, F.ones_like(n.a), axis))]
    sums = _sum(F, n.weights, axis if _ranks_are_equal(site) else None)
    products = F.broadcast_mul(n.a, F._weights_beside(n.weights, n.a, axis=axis))
    return [F.broadcast_div(_sum(F, products, axis), sums), sums]


def _ranks_are_equal(site: RewriteContext) -> bool:
    """Whether the last two inputs are arrays of one shape."""
    first, second = (len(site.facts.shapes[entry]) for entry in site.node.inputs[-2:])
    return first == second


def sums_back(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """The gradient of a sum of weights, repeated."""
    n = site.n
    if not _ranks_are_equal(site):
        return [F.broadcast_mul(F.ones_like(n.weights), n.grad)]
    return [n.grad if n.axis == () else F._backward_sum(n.grad, n.weights, axis=n.axis)]


def _of_vectors(F: Any, x: Entry, meant: Norm) -> Entry:
    axes: dict[str, Any] = {"axis": meant.axes, "keepdims": meant.keepdims}
    order: Any = meant.order
    found: Entry
    if order is None:
        return F.sqrt(F._np_sum(F.square(x), **axes))  # type: ignore[no-any-return]
    size = F.abs(x)
    if order in (np.inf, -np.inf):
        found = (F._np_max if order > 0 else F._np_min)(size, **axes)
    elif order == 0:
        found = F._np_sum(F._not_equal_scalar(x, scalar=0.0), **axes)
    elif order == 1:
        found = F._np_sum(size, **axes)
    else:
        powers = F._np_sum(F._power_scalar(size, scalar=order), **axes)
        found = F._power_scalar(powers, scalar=1.0 / order)
    return found


def norm(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Sums of powers, or extremes of sums."""
    n = site.n
    meant = norm_meant(settings_of(n), site.rank, "")
    if not _is_single_or_double(site) or meant.of_singular_values or site.is_empty:
        return None
    if not meant.of_matrices:
        return [_of_vectors(F, n.data, meant)]
    extreme = F._np_max if meant.order in (1, np.inf) else F._np_min
    sums = F._np_sum(F.abs(n.data), axis=meant.summed, keepdims=True)
    return [extreme(sums, axis=meant.axes, keepdims=meant.keepdims)]


def norm_back(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """The gradient of a norm, for the rank of the input."""
    n = site.n
    meant = norm_meant(settings_of(n), len(site.facts.shapes[site.node.inputs[1]]), "")
    return [norm_gradient(F, n.data, n.found, meant, n.grad)]
