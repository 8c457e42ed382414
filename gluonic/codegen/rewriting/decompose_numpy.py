"""Decompositions of NumPy's composite operators."""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.codegen.loops.inner_operators import apply, concat_piece
from gluonic.codegen.loops.site import RewriteContext
from gluonic.graph import Entry
from gluonic.graph.families import reduced_axes
from gluonic.graph.ops.numpy.moments import counts_of_variance
from gluonic.graph.ops.numpy.views import at_least as shape_of_at_least
from gluonic.graph.view import settings_of
from gluonic.graph.zeros import is_zero

_Rule = Callable[[Any, RewriteContext], Sequence[Entry] | None]


def _reduction(join: Callable[[Any, Entry, float], Entry] | None = None) -> _Rule:
    """A reduction over no axes is its input; an initial value is combined last."""

    def rule(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
        n, settings = site.n, settings_of(site.n)
        initial = settings.get("initial")
        reduces = n.axis != () and site.rank > 0
        if reduces and initial is None:
            return None
        found = n.a
        if reduces:
            found = getattr(F, site.node.operator_name)(n.a, **{**settings, "initial": None})
        if initial is None or join is None:
            return [found]
        return [F._cast_like(join(F, found, initial), found)]

    return rule


from_initial_sum = _reduction(lambda F, total, initial: total + initial)
from_initial_product = _reduction(lambda F, total, initial: total * initial)
from_initial_largest = _reduction(
    lambda F, found, initial: F._maximum_scalar(found, scalar=initial)
)
from_initial_smallest = _reduction(
    lambda F, found, initial: F._minimum_scalar(found, scalar=initial)
)
_as_it_is = _reduction()


def mean_of_integers(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The mean of a sum with overflow in its own dtype: loops would divide a sum without overflow."""
    if site.dtype.kind not in "iu":
        return None
    axes = {k: v for k, v in settings_of(site.n).items() if k in ("axis", "keepdims", "exclude")}
    (x,) = site.inputs
    total = F.sum if "exclude" in axes else F._np_sum
    count = total(F.ones_like(F.Cast(x, dtype="float64")), **axes)
    found = F.Cast(total(x, **axes), dtype="float64") / count
    return [F.Cast(found, dtype=site.dtype.name)]


def mean(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """A mean over no axes, or of integers."""
    return _as_it_is(F, site) or mean_of_integers(F, site)


def other_factors(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """For each factor the product of the others; not their derivatives."""
    n = site.n
    if n.directions:
        return None
    over = {"axis": reduced_axes(n.axis, site.rank, n.exclude), "keepdims": True}
    zeros = is_zero(F, n.data)
    nonzero = n.data + zeros
    others = F.broadcast_div(F.prod(nonzero, **over), nonzero)
    others_are_nonzero = F.broadcast_equal(F.sum(zeros, **over), zeros)
    return [F.where(others_are_nonzero, others, F.zeros_like(n.data))]


# -- shapes -------------------------------------------------------------------------------------


def _widened(F: Any, x: Entry, rank: int, least: int) -> Entry:
    """An entry of `rank` axes with axes of length one added, by NumPy's rules."""
    wide = shape_of_at_least(tuple(range(2, rank + 2)), least)
    for axis, extent in enumerate(wide):
        if extent == 1:
            x = F.expand_dims(x, axis=axis)
    return x


def _ranks(site: RewriteContext, first: int = 0) -> list[int]:
    return [len(site.facts.shapes[entry]) for entry in site.node.inputs[first:]]


def at_least(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """Arrays with the least rank in the operator's name."""
    least = int(site.node.operator_name[-2])
    pairs = zip(site.inputs, _ranks(site), strict=True)
    return [_widened(F, x, rank, least) for x, rank in pairs]


_Widening = Callable[[Any, Entry, int], Entry]


def _as_column(F: Any, x: Entry, rank: int) -> Entry:
    x = x if rank else F.expand_dims(x, axis=0)
    return F.expand_dims(x, axis=1) if rank < 2 else x


def _joining(widened: _Widening, axis: Callable[[int], int], least: int) -> tuple[_Rule, _Rule]:
    """A concatenation of arrays after their ranks are raised, and the pieces of its gradient."""

    def joined(F: Any, site: RewriteContext) -> Sequence[Entry]:
        ranks = _ranks(site)
        wide = [widened(F, x, rank) for x, rank in zip(site.inputs, ranks, strict=True)]
        return [F.Concat(*wide, dim=axis(max(ranks[0], least)))]

    def parts(F: Any, site: RewriteContext) -> Sequence[Entry]:
        grad, *given = site.inputs
        ranks = _ranks(site, 1)
        wide = [widened(F, x, rank) for x, rank in zip(given, ranks, strict=True)]
        count, dim = len(given), axis(max(ranks[0], least))
        pieces = [
            apply(concat_piece, grad, *wide, num_args=count, dim=dim, index=i) for i in range(count)
        ]
        return [F.reshape_like(piece, x) for piece, x in zip(pieces, given, strict=True)]

    return joined, parts


rows, rows_back = _joining(lambda F, x, rank: _widened(F, x, rank, 2), lambda rank: 0, 2)
side_by_side, side_by_side_back = _joining(
    lambda F, x, rank: _widened(F, x, rank, 1), lambda rank: min(rank - 1, 1), 1
)
in_depth, in_depth_back = _joining(lambda F, x, rank: _widened(F, x, rank, 3), lambda rank: 2, 3)
columns, columns_back = _joining(_as_column, lambda rank: 1, 2)


def concatenated(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """The concatenation of several flattened arrays."""
    return [F.Concat(*[F._np_reshape(x, newshape=(-1,)) for x in site.inputs], dim=0)]


def turned(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """A rotation by 90 degrees: a reflection and a swap of axes."""
    n, rank = site.n, site.rank
    first, second = (axis % rank for axis in (n.axes or (0, 1)))
    if n.k % 4 == 0:
        return [n.data]
    if n.k % 4 == 2:
        return [F.reverse(n.data, axis=(first, second))]
    if n.k % 4 == 1:
        return [F.SwapAxis(F.reverse(n.data, axis=(second,)), dim1=first, dim2=second)]
    return [F.reverse(F.SwapAxis(n.data, dim1=first, dim2=second), axis=(second,))]


def below_diagonal_back(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """The part of the gradient below the diagonal, summed if the rows are copies of one vector."""
    n = site.n
    below = F._npi_tril(n.grad, k=n.k)
    return [F.sum(below, axis=0) if _ranks(site)[1] == 1 else below]


# -- numbers ------------------------------------------------------------------------------------


def _variance_of(F: Any, site: RewriteContext) -> Entry | None:
    n = site.n
    if n.dtype is not None or site.dtype.kind != "f" or site.dtype.itemsize < 4 or n.axis == ():
        return None
    centred = F.broadcast_sub(n.a, F.mean(n.a, axis=n.axis, keepdims=True))
    squares = F.square(centred)
    mean: Entry = F._npi_mean(squares, axis=n.axis, keepdims=n.keepdims)
    if n.ddof == 0:
        return mean
    _, divisor = counts_of_variance(F, n, keepdims=n.keepdims)
    found: Entry = F._np_sum(squares, axis=n.axis, keepdims=n.keepdims) / divisor
    return found


def variance(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The mean of squared differences from the mean."""
    found = _variance_of(F, site)
    return None if found is None else [found]


def deviation(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The root of the variance."""
    found = _variance_of(F, site)
    return None if found is None else [F.sqrt(found)]


def running_sum(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Cumulative sums in another dtype, of the cast input."""
    wanted = site.facts.dtypes[site.node.entry()]
    if wanted == site.dtype:
        return None
    return [F._np_cumsum(F.Cast(site.n.a, dtype=wanted.name), axis=site.n.axis)]
