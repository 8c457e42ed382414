"""Systems of equations and inverses in terms of others, for devices."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from gluonic.codegen.loops.inner_operators import apply, filled
from gluonic.codegen.loops.site import RewriteContext
from gluonic.graph import Entry
from gluonic.graph.attributes import Shape


def _shapes(site: RewriteContext) -> list[Shape]:
    return [site.facts.shapes[entry] for entry in site.node.inputs]


def _as(F: Any, x: Entry, *shape: int) -> Entry:
    found: Entry = F._np_reshape(x, newshape=shape)
    return found


def inverse_of_factor(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Inverses of matrices, given their Cholesky factors."""
    n, shape = site.n, _shapes(site)[0]
    if site.is_empty:
        return None
    rows, dtype = tuple(shape[:-1]), site.dtype.name
    sources = (-1,) * len(rows)
    ones = apply(filled, num_args=0, value=1.0, dtype=dtype, sources=sources, axes=rows)
    factor = n.A if n.lower else F.SwapAxis(n.A, dim1=-1, dim2=-2)
    inverse = F._linalg_trsm(factor, F._linalg_makediag(ones))
    return [F._linalg_gemm2(inverse, inverse, transpose_a=True)]


def solved_back(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The gradient of matrices, from that of the right-hand sides."""
    n, (solved, matrices, _) = site.n, _shapes(site)
    if site.is_empty:
        return None
    pair = n.solved, n.solution
    if len(solved) == len(matrices) - 1:
        pair = tuple(F.expand_dims(each, axis=-1) for each in pair)
    return [F._linalg_gemm2(*pair, transpose_b=True, alpha=-1.0)]


def inverse_map(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The inverse of a linear map between arrays."""
    shape, output = _shapes(site)[0], site.facts.shapes[site.node.entry()]
    side = prod(shape[: site.n.ind])
    if site.is_empty or side * side != prod(shape):
        return None
    return [_as(F, F._linalg_inverse(_as(F, site.n.a, side, side)), *output)]


def inverse_map_back(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The gradient through the inverse of a linear map."""
    n, shape = site.n, _shapes(site)[2]
    side = prod(shape[: n.ind])
    if site.is_empty:
        return None
    inverse, grad = (_as(F, each, side, side) for each in (n.inverse, n.grad))
    half = F._linalg_gemm2(inverse, grad, transpose_a=True)
    return [_as(F, F._linalg_gemm2(half, inverse, transpose_b=True, alpha=-1.0), *shape)]


def _order(rank: int, axes: Sequence[int]) -> tuple[int, ...]:
    """The order of axes that puts some behind the others."""
    behind = [axis % rank for axis in axes]
    return (*(i for i in range(rank) if i not in behind), *behind)


def _flat_map(F: Any, site: RewriteContext, a: Entry, shape: Shape, side: int) -> Entry:
    return _as(F, F.transpose(a, axes=_order(len(shape), site.n.a_axes)), side, side)


def solved_map(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The solution of a system that is an array of arrays."""
    n, (shape, right) = site.n, _shapes(site)
    side = prod(right)
    if site.is_empty or side * side != prod(shape):
        return None
    flat = F._npi_solve(_flat_map(F, site, n.a, shape, side), _as(F, n.b, side))
    return [_as(F, flat, *site.facts.shapes[site.node.entry()])]


def solved_map_back(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The gradient of the right-hand side of such a system."""
    n, (_, shape, right) = site.n, _shapes(site)
    side = prod(right)
    if site.is_empty:
        return None
    turned = F.transpose(_flat_map(F, site, n.a, shape, side))
    return [_as(F, F._npi_solve(turned, _as(F, n.grad, side)), *right)]


def solved_map_back_to_map(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The gradient of the map of such a system."""
    n, (solved, solution, shape) = site.n, _shapes(site)
    if site.is_empty:
        return None
    pair = _as(F, n.solved, prod(solved), 1), _as(F, n.solution, 1, prod(solution))
    order = _order(len(shape), n.a_axes)
    moved = _as(F, F.negative(F.dot(*pair)), *(shape[i] for i in order))
    return [F.transpose(moved, axes=tuple(order.index(i) for i in range(len(order))))]
