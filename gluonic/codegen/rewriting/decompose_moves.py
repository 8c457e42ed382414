"""Moves of elements, by slices and padding: rolls along axes, extraction and creation of diagonals."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from gluonic.codegen.loops.inner_operators import apply, filled
from gluonic.codegen.loops.site import RewriteContext
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry
from gluonic.graph.axes import axes_of
from gluonic.graph.ops.numpy.rearrangements import diagonal_length
from gluonic.support.record import record

_SAME, _MERGED = 0, -3  # in the shapes that `reshape` takes: an unchanged axis, two axes merged


def roll(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The last elements before the first ones, one axis after the other."""
    n, shape = site.n, site.facts.shapes[site.node.inputs[0]]
    if 0 in shape or not shape:
        return None
    if n.axis is None:
        total = sum(n.shift) if isinstance(n.shift, tuple) else n.shift
        shift = _within(site, total, range(len(shape)))
        flat = _rolled(F, F._np_reshape(n.data, newshape=(-1,)), 0, shift)
        return [F.reshape_like(flat, n.data)]
    axes = n.axis if isinstance(n.axis, tuple) else (n.axis,)
    shifts = n.shift if isinstance(n.shift, tuple) else (n.shift,) * len(axes)
    if len(shifts) == 1:
        shifts = shifts * len(axes)
    if len(shifts) != len(axes):
        return None
    found = n.data
    for axis, shift in zip(axes, shifts, strict=True):
        positive = axis % len(shape)
        found = _rolled(F, found, positive, _within(site, shift, (positive,)))
    return [found]


def _within(site: RewriteContext, shift: int, axes: Sequence[int]) -> int:
    """The shift modulo the extent; the same for all extents larger than the shift."""
    data = site.node.inputs[0]

    def question(facts: Facts) -> int:
        extent = prod(facts.shapes[data][axis] for axis in axes)
        return shift if -extent < shift < extent else shift % extent

    return site.facts.decide(question)


def _rolled(F: Any, x: Entry, axis: int, shift: int) -> Entry:
    if shift == 0:
        return x
    last = F.slice_axis(x, axis=axis, begin=-shift, end=None)
    found: Entry = F.Concat(last, F.slice_axis(x, axis=axis, begin=0, end=-shift), dim=axis)
    return found


@record
class _Diagonal:
    """Diagonals of matrices.

    Attributes
    ----------
    rows, columns, offset : the extents of the matrices, and the index of the diagonal
    batch : the number of batch axes
    dtype : of the elements
    """

    rows: int
    columns: int
    offset: int
    batch: int
    dtype: Any

    @property
    def length(self) -> int:
        """The number of elements of a diagonal."""
        return diagonal_length(self.rows, self.columns, self.offset)

    @property
    def begin(self) -> int:
        """The index of its first element in row-major order."""
        return self.offset if self.offset >= 0 else -self.offset * self.columns

    @property
    def _merged(self) -> tuple[int, ...]:
        return (*(_SAME,) * self.batch, _MERGED)

    def taken(self, F: Any, x: Entry) -> Entry:
        """Extract the diagonals: elements one row and one column apart."""
        ahead, step = (None,) * self.batch, self.columns + 1
        end = self.begin + (self.length - 1) * step + 1
        flat = F.reshape(x, shape=self._merged)
        steps = (*(1,) * self.batch, step)
        found: Entry = F.slice(flat, begin=(*ahead, self.begin), end=(*ahead, end), step=steps)
        return found

    def put(self, F: Any, x: Entry) -> Entry:
        """Create matrices: each element is followed by the zeros up to the next one."""
        found = self._with_zeros(F, F.expand_dims(x, axis=-1), self.batch + 1, behind=self.columns)
        found = F.reshape(found, shape=self._merged)
        lacking = self.rows * self.columns - self.begin - self.length * (self.columns + 1)
        if lacking < 0:
            found = F.slice_axis(found, axis=self.batch, begin=0, end=lacking)
        found = self._with_zeros(F, found, self.batch, self.begin, max(lacking, 0))
        shape = (*(_SAME,) * self.batch, self.rows, self.columns)
        matrices: Entry = F.reshape(found, shape=shape)
        return matrices

    def _with_zeros(self, F: Any, x: Entry, axis: int, before: int = 0, behind: int = 0) -> Entry:
        ends = [self._zeros(x, axis, width) if width else None for width in (before, behind)]
        parts = [part for part in (ends[0], x, ends[1]) if part is not None]
        return F.Concat(*parts, dim=axis) if len(parts) > 1 else x

    def _zeros(self, x: Entry, axis: int, width: int) -> Entry:
        """`width` zeros along an axis; the axes before have the extents of `x`."""
        sources, axes = (*(0,) * axis, -1), (*range(axis), width)
        settings = {"sources": sources, "axes": axes, "dtype": self.dtype.name}
        return apply(filled, x, num_args=1, value=0.0, **settings)


def _matrices(site: RewriteContext, index: int, offset: int) -> tuple[_Diagonal, tuple[int, ...]]:
    """The diagonals of an input, and the order of axes that puts its matrices last."""
    shape, n = site.facts.shapes[site.node.inputs[index]], site.n
    first, second = axes_of((n.axis1, n.axis2), len(shape), "")
    order = (*(i for i in range(len(shape)) if i not in (first, second)), first, second)
    made = _Diagonal(shape[first], shape[second], offset, len(shape) - 2, site.dtype)
    return made, order


_Rule = Callable[[Any, RewriteContext], Sequence[Entry] | None]


def _taking(offset: str, *, sums: bool = False) -> tuple[_Rule, _Rule]:
    """The rules of an operator that extracts diagonals, perhaps to sum them, and of its gradient."""

    def take(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
        made, order = _matrices(site, 0, getattr(site.n, offset))
        if made.length == 0 or site.is_empty or (sums and site.dtype.kind == "b"):
            return None
        found = made.taken(F, F.transpose(site.n.data, axes=order))
        return [F._np_sum(found, axis=-1) if sums else found]

    def back(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
        made, order = _matrices(site, 1, getattr(site.n, offset))
        if made.length == 0 or site.is_empty:
            return None
        grad = site.n.grad
        if sums:
            wide = F.expand_dims(grad, axis=-1)
            grad = F.broadcast_axis(wide, axis=(made.batch,), size=(made.length,))
        inverse = tuple(order.index(i) for i in range(len(order)))
        return [F.transpose(made.put(F, grad), axes=inverse)]

    return take, back


diagonal, diagonal_back = _taking("offset")
trace, trace_back = _taking("offset", sums=True)
_diag_of_matrices, _diag_of_matrices_back = _taking("k")


def _of_vector(site: RewriteContext, index: int) -> _Diagonal | None:
    """The diagonal that consists of all elements of an input; None if there are none."""
    shape = site.facts.shapes[site.node.inputs[index]]
    if 0 in shape:
        return None
    size = 1
    for extent in shape:
        size = size * extent
    extent = size + abs(site.n.k)
    return _Diagonal(extent, extent, site.n.k, 0, site.dtype)


def diagflat(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """A matrix with all elements on a diagonal."""
    made = _of_vector(site, 0)
    return None if made is None else [made.put(F, F._np_reshape(site.n.data, newshape=(-1,)))]


def diagflat_back(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The diagonal of the gradient."""
    made = _of_vector(site, 1)
    return None if made is None else [F.reshape_like(made.taken(F, site.n.grad), site.n.data)]


def diag(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The diagonals of matrices, or the matrix with a given diagonal."""
    return diagflat(F, site) if site.rank == 1 else _diag_of_matrices(F, site)


def diag_back(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The gradient of `diag`."""
    is_vector = len(site.facts.shapes[site.node.inputs[1]]) == 1
    return diagflat_back(F, site) if is_vector else _diag_of_matrices_back(F, site)
