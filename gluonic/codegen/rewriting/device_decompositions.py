"""Operators that NumPy computes on processors, in terms of others, for devices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from gluonic.codegen.loops.site import RewriteContext
from gluonic.codegen.maths.values import Dtype
from gluonic.graph import Entry
from gluonic.graph.attributes import Shape
from gluonic.graph.dtypes import is_floating
from gluonic.support.record import record


def _shape(site: RewriteContext, index: int = 0) -> Shape:
    return site.facts.shapes[site.node.inputs[index]]


def _output_shape(site: RewriteContext) -> Shape:
    return site.facts.shapes[site.node.entry()]


def _as(F: Any, x: Entry, shape: Sequence[int]) -> Entry:
    """An array under another shape."""
    found: Entry = F._np_reshape(x, newshape=tuple(shape))
    return found


# -- parts --------------------------------------------------------------------------------------


def unequal_parts(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Parts along an axis that begin at given indices, or are as equal as possible."""
    n, shape = site.n, _shape(site)
    axis = n.axis % len(shape)
    extent, bounds = shape[axis], [*n.indices, shape[axis]]
    if n.sections > 0:
        short, longer = divmod(extent, n.sections)
        bounds = [i * short + min(i, longer) for i in range(n.sections + 1)]
    if any(begin >= end for begin, end in pairwise(bounds)) or 0 in shape:
        return None
    parts = [F.slice_axis(n.data, axis=axis, begin=a, end=b) for a, b in pairwise(bounds)]
    return [F._np_squeeze(part, axis=axis) for part in parts] if n.squeeze_axis else parts


def whole_sequences(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """A mask without lengths: the input."""
    return None if site.n.use_sequence_length else [site.n.data]


def nothing_repeated(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Elements that are repeated no times: an empty array, or, backwards, zeros."""
    return None if site.n.repeats else [site.constant(0.0)]


# -- enlarged images ----------------------------------------------------------------------------


def _repetitions(site: RewriteContext, image: Shape, sizes: Shape) -> tuple[int, int]:
    height, width = (new // max(1, size) for new, size in zip(sizes, image[2:], strict=True))
    return height, width


def enlarged(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Images whose pixels are repeated, joined or added."""
    n, sizes = site.n, _output_shape(site)[2:]
    if site.is_empty or n.sample_type == "bilinear":
        return None
    images = []
    for number, image in enumerate(site.inputs):
        for axis, count in enumerate(_repetitions(site, _shape(site, number), sizes), 2):
            image = F.repeat(image, repeats=count, axis=axis)
        images.append(image)
    if len(images) == 1:
        return images
    is_joined = n.multi_input_mode == "concat"
    return [F.Concat(*images, dim=1) if is_joined else F.add_n(*images)]


def enlarged_back(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The sums over the repetitions of pixels."""
    n, begin, found = site.n, 0, []
    grad, sizes = site.inputs[0], _shape(site)[2:]
    if site.is_empty:
        return None
    for number in range(1, len(site.inputs)):
        batch, channels, height, width = shape = _shape(site, number)
        part = grad
        if n.multi_input_mode == "concat" and len(site.inputs) > 2:
            part = F.slice_axis(grad, axis=1, begin=begin, end=begin + channels)
        begin += channels
        down, across = _repetitions(site, shape, sizes)
        blocks = _as(F, part, (batch, channels, height, down, width, across))
        found.append(F.sum(blocks, axis=(3, 5)))
    return found


# -- products -----------------------------------------------------------------------------------


def khatri_rao(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Matrices multiplied column by column."""
    if site.is_empty:
        return None
    first, *others = site.inputs
    rows, columns = _shape(site)
    for number, matrix in enumerate(others, 1):
        rows *= _shape(site, number)[0]
        both = F.broadcast_mul(F.expand_dims(first, axis=1), F.expand_dims(matrix, axis=0))
        first = _as(F, both, (rows, columns))
    return [first]


def _product(
    F: Any,
    a: tuple[Entry, Shape],
    b: tuple[Entry, Shape],
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Entry:
    """The products of the matrices in the last two axes; the axes before are those of `a`."""
    (left, shape), (right, other) = a, b
    rows = shape[-1] if transpose_a else shape[-2]
    columns = other[-2] if transpose_b else other[-1]
    flat = [
        _as(F, each, (-1, *its[-2:])) if len(its) != 3 else each
        for each, its in ((left, shape), (right, other))
    ]
    found = F.batch_dot(*flat, transpose_a=transpose_a, transpose_b=transpose_b)
    return _as(F, found, (*shape[:-2], rows, columns))


def _with_rows_at(F: Any, x: Entry, shape: Shape, axis: int) -> tuple[Entry, Shape]:
    """Matrices whose rows are along an axis, with the rows last but one; and their shape."""
    rank = len(shape)
    if axis % rank == rank - 2:
        return x, shape
    order = _order(rank, axis % rank)
    return F.transpose(x, axes=order), tuple(shape[i] for i in order)


def _order(rank: int, axis: int) -> tuple[int, ...]:
    """The order of axes that puts one of them last but one."""
    others = [i for i in range(rank - 1) if i != axis]
    return (*others, axis, rank - 1)


def general_product(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Products of matrices, perhaps with another term."""
    n, rank = site.n, site.rank
    if site.is_empty:
        return [site.constant(0.0) if len(site.inputs) == 2 else site.inputs[2] * n.beta]
    factors = [_with_rows_at(F, site.inputs[i], _shape(site, i), n.axis) for i in (0, 1)]
    product = _product(F, *factors, transpose_a=n.transpose_a, transpose_b=n.transpose_b)
    if n.axis % rank != rank - 2:
        order = _order(rank, n.axis % rank)
        product = F.transpose(product, axes=tuple(order.index(i) for i in range(rank)))
    scaled = product if n.alpha == 1 else product * n.alpha
    return [scaled if len(site.inputs) == 2 else scaled + site.inputs[2] * n.beta]


def symmetric_product(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Matrices times their own transposes."""
    n = site.n
    if site.is_empty:
        return [site.constant(0.0)]
    factor = n.A, _shape(site)
    turned = {"transpose_a": n.transpose, "transpose_b": not n.transpose}
    return [_product(F, factor, factor, **turned) * n.alpha]


def triangular_product(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Products with triangular matrices."""
    n = site.n
    if site.is_empty:
        return [site.constant(0.0)]
    triangle = F._linalg_triangle(n.A, lower=n.lower), _shape(site)
    other = n.B, _shape(site, 1)
    if n.rightside:
        product = _product(F, other, triangle, transpose_b=n.transpose)
    else:
        product = _product(F, triangle, other, transpose_a=n.transpose)
    return [product * n.alpha]


@record
class _Matrices:
    """The factors of a product of stacks of matrices, with all batch axes of both, and their shapes.

    Attributes
    ----------
    own : the shapes of the factors as matrices, with ones for batch axes that they lack
    whole : these shapes with the batch axes of the product
    """

    own: tuple[Shape, Shape]
    whole: tuple[Shape, Shape]

    @staticmethod
    def of(site: RewriteContext, first: int = 0) -> _Matrices | None:
        """The factors of a use, from an input on; None if there is nothing to multiply."""
        shapes = [_shape(site, first), _shape(site, first + 1)]
        if site.is_empty or not all(shapes) or not _are_floating(site):
            return None
        if len(shapes[0]) == 1:
            shapes[0] = (1, *shapes[0])
        if len(shapes[1]) == 1:
            shapes[1] = (*shapes[1], 1)
        rank = max(map(len, shapes))
        a, b = ((1,) * (rank - len(shape)) + shape for shape in shapes)
        batch = tuple(max(pair) for pair in zip(a[:-2], b[:-2], strict=True))
        return _Matrices((a, b), ((*batch, *a[-2:]), (*batch, *b[-2:])))

    def factor(self, F: Any, entry: Entry, index: int) -> tuple[Entry, Shape]:
        """A factor with all batch axes."""
        entry, own, whole = _as(F, entry, self.own[index]), self.own[index], self.whole[index]
        return (entry if own == whole else F.broadcast_to(entry, shape=whole)), whole


def matrix_product(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Products of matrices whose batch axes are broadcast."""
    known = _Matrices.of(site)
    if known is None:
        return None
    factors = [known.factor(F, entry, i) for i, entry in enumerate(site.inputs)]
    return [_as(F, _product(F, *factors), _output_shape(site))]


def _matrix_product_back(F: Any, site: RewriteContext, which: int) -> Sequence[Entry] | None:
    known = _Matrices.of(site, 1)
    if known is None:
        return None
    (*batch, rows, _), (*_, columns) = known.whole
    shape = (*batch, rows, columns)
    grad = _as(F, site.inputs[0], shape), shape
    other = known.factor(F, site.inputs[2 - which], 1 - which)
    if which == 0:
        found = _product(F, grad, other, transpose_b=True)
    else:
        found = _product(F, other, grad, transpose_a=True)
    own = _as(F, site.inputs[1 + which], known.own[which])
    return [_as(F, F._reduce_like(found, own), _shape(site, 1 + which))]


def matrix_product_back_to_first(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The gradient of the first factor of such products."""
    return _matrix_product_back(F, site, 0)


def matrix_product_back_to_second(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The gradient of the second factor of such products."""
    return _matrix_product_back(F, site, 1)


def _are_floating(site: RewriteContext) -> bool:
    dtypes: set[Dtype] = {site.facts.dtypes[entry] for entry in site.node.inputs}
    return len(dtypes) == 1 and is_floating(dtypes.pop())


def sum_of_logarithms(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The sums of the logarithms of diagonals."""
    if site.is_empty:
        return None
    diagonals = F._linalg_extractdiag(site.n.A)
    sums = F.sum(F.log(diagonals), axis=-1)
    return [_as(F, sums, _output_shape(site))]
