"""NumPy's products as the two with machine code: of an array and a matrix, and batched matrix products."""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.codegen.loops.site import RewriteContext
from gluonic.graph import Entry
from gluonic.support.record import record


def _ranks(site: RewriteContext, index: int = 0) -> tuple[int, int]:
    """The ranks of both factors; the first is the input at index `index`."""
    inputs = site.node.inputs[index : index + 2]
    first, second = (len(site.facts.shapes[entry]) for entry in inputs)
    return first, second


def _summed(F: Any, a: Entry, b: Entry) -> Entry:
    """The inner product of two vectors, of rank 0."""
    found: Entry = F._np_sum(F.elemwise_mul(a, b))
    return found


def _last_but_one_first(F: Any, b: Entry, rank: int) -> Entry:
    found: Entry = F.transpose(b, axes=(rank - 2, *range(rank - 2), rank - 1)) if rank > 2 else b
    return found


def dot(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """The product over the last axis of the one and the last but one of the other."""
    a, b = site.n.a, site.n.b
    rank_a, rank_b = _ranks(site)
    if 0 in (rank_a, rank_b):
        return [F.broadcast_mul(a, b)]
    if rank_a == rank_b == 1:
        return [_summed(F, a, b)]
    return [F.dot(a, _last_but_one_first(F, b, rank_b))]


def _dot_back(F: Any, site: RewriteContext, which: int) -> Sequence[Entry]:
    n, (rank_a, rank_b) = site.n, _ranks(site, 1)
    target, other = (n.a, n.b)[which], (n.b, n.a)[which]
    if 0 in (rank_a, rank_b) or rank_a == rank_b == 1:
        return [F._reduce_like(F.broadcast_mul(n.grad, other), target)]
    b = _last_but_one_first(F, n.b, rank_b)
    if which == 0:
        return [F._backward_dot_lhs(n.grad, n.a, b)]
    found = F._backward_dot_rhs(n.grad, n.a, b)
    if rank_b > 2:
        found = F.transpose(found, axes=(*range(1, rank_b - 1), 0, rank_b - 1))
    return [found]


def dot_back_to_first(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """The gradient of the first factor of `dot`."""
    return _dot_back(F, site, 0)


def dot_back_to_second(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """The gradient of the second factor of `dot`."""
    return _dot_back(F, site, 1)


def _are_pairs(site: RewriteContext, first: int = 0) -> bool:
    """Whether both factors have the same number of matrices."""
    a, b = (site.facts.shapes[entry] for entry in site.node.inputs[first : first + 2])
    return len(a) == len(b) > 2 and a[:-2] == b[:-2]


def matmul(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The products of pairs of matrices, if both factors have the same number."""
    if _ranks(site)[1] <= 2:
        return dot(F, site)
    return [F.batch_dot(site.n.a, site.n.b)] if _are_pairs(site) else None


def matmul_back_to_first(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The gradient of the first factor of `matmul`."""
    if _ranks(site, 1)[1] <= 2:
        return _dot_back(F, site, 0)
    return [F.batch_dot(site.n.grad, site.n.b, transpose_b=True)] if _are_pairs(site, 1) else None


def matmul_back_to_second(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The gradient of the second factor of `matmul`."""
    if _ranks(site, 1)[1] <= 2:
        return _dot_back(F, site, 1)
    return [F.batch_dot(site.n.a, site.n.grad, transpose_a=True)] if _are_pairs(site, 1) else None


@record
class _Contraction:
    """A product summed over pairs of axes: the order of the factors' axes, and the product.

    Attributes
    ----------
    axes_a, axes_b : the corresponding axes
    rank_a, rank_b : the ranks of the factors
    """

    axes_a: Sequence[int]
    axes_b: Sequence[int]
    rank_a: int
    rank_b: int

    @property
    def order_a(self) -> list[int]:
        """The axes of the first factor; those that are summed over are last."""
        return [i for i in range(self.rank_a) if i not in self.axes_a] + list(self.axes_a)

    @property
    def order_b(self) -> list[int]:
        """The axes of the second factor; those that are summed over are first."""
        return list(self.axes_b) + [i for i in range(self.rank_b) if i not in self.axes_b]

    @property
    def has_rows_and_columns(self) -> bool:
        """Whether axes are summed over, and some of both factors are left."""
        count = len(self.axes_a)
        return 0 < count < min(self.rank_a, self.rank_b)

    def ordered(self, F: Any, a: Entry, b: Entry) -> tuple[Entry, Entry]:
        """The factors with their axes in order."""
        return F.transpose(a, axes=tuple(self.order_a)), F.transpose(b, axes=tuple(self.order_b))

    def joined(self, F: Any, a: Entry, b: Entry) -> tuple[Entry, Entry]:
        """Ordered factors with the axes that are summed over merged."""
        count = len(self.axes_a)
        for left in range(count, 1, -1):
            a = F.reshape(a, shape=(*[0] * (self.rank_a - count + left - 2), -3))
            b = F.reshape(b, shape=(-3, *[0] * (self.rank_b - count + left - 2)))
        return a, b


def _outer(F: Any, a: Entry, b: Entry, rank_b: int) -> Entry:
    """The outer product."""
    for _ in range(rank_b):
        a = F.expand_dims(a, axis=-1)
    found: Entry = F.broadcast_mul(a, b)
    return found


def _product(F: Any, site: RewriteContext, made: _Contraction) -> Sequence[Entry] | None:
    a, b = site.n.a, site.n.b
    if not made.axes_a:
        return [_outer(F, a, b, made.rank_b)]
    if made.rank_a == made.rank_b == 1:
        return [_summed(F, a, b)]
    if not made.has_rows_and_columns:
        return None
    return [F.dot(*made.joined(F, *made.ordered(F, a, b)))]


def _product_back(
    F: Any, site: RewriteContext, made: _Contraction, which: int
) -> Sequence[Entry] | None:
    n = site.n
    if not made.has_rows_and_columns:
        return None
    ordered = made.ordered(F, n.a, n.b)
    back = F._backward_dot_rhs if which else F._backward_dot_lhs
    found = F.reshape_like(back(n.grad, *made.joined(F, *ordered)), ordered[which])
    order = made.order_b if which else made.order_a
    return [F.transpose(found, axes=tuple(order.index(i) for i in range(len(order))))]


def _named_axes(site: RewriteContext, first: int = 0) -> _Contraction:
    n, (rank_a, rank_b) = site.n, _ranks(site, first)
    axes_a = [axis % rank_a for axis in n.a_axes_summed]
    return _Contraction(axes_a, [axis % rank_b for axis in n.b_axes_summed], rank_a, rank_b)


def _inner_axes(site: RewriteContext, first: int = 0) -> _Contraction:
    count, (rank_a, rank_b) = site.n.axes, _ranks(site, first)
    return _Contraction(range(rank_a - count, rank_a), range(count), rank_a, rank_b)


def _rules(axes: Callable[..., _Contraction]) -> tuple[Any, Any, Any]:
    """The rules of a product and of its two gradients."""
    return (
        lambda F, site: _product(F, site, axes(site)),
        lambda F, site: _product_back(F, site, axes(site, 1), 0),
        lambda F, site: _product_back(F, site, axes(site, 1), 1),
    )


tensordot, tensordot_back_to_first, tensordot_back_to_second = _rules(_named_axes)
inner_axes, inner_axes_back_to_first, inner_axes_back_to_second = _rules(_inner_axes)
