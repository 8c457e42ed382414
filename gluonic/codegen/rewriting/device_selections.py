"""Operators that count, mark and choose elements, in terms of others, for devices."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from gluonic.codegen.loops.site import RewriteContext
from gluonic.graph import Entry
from gluonic.graph.attributes import Shape
from gluonic.graph.dtypes import is_floating
from gluonic.graph.ops.numpy.einsum import spelt_out


def nothing(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """A result without elements."""
    output = site.node.entry()
    is_empty = site.facts.decide(lambda facts: 0 in facts.shapes[output])
    return [site.constant(0.0)] if is_empty else None


def of_integers(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The position of an extreme of booleans."""
    if site.dtype.kind != "b":
        return None
    data, *others = site.inputs
    node = site.node.with_inputs([F.Cast(data, dtype="int32"), *others])
    return [node.entry()]


def stored(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The number of elements that are not zero."""
    counted = F.Cast(site.inputs[0] != 0, dtype="int64")
    if site.n.axis is None:
        return [F.reshape(F._np_sum(counted), shape=(1,))]
    return [F._np_sum(counted, axis=site.n.axis)]


def number_where(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """A number where a mask is not zero, the data elsewhere."""
    n, shapes = site.n, site.facts.shapes
    shape, own = (shapes[entry] for entry in site.node.inputs)
    behind = len(shape) - n.start_axis - len(own)
    mask = F._np_reshape(n.mask, newshape=(*(1,) * n.start_axis, *own, *(1,) * behind))
    return [F._npi_where_lscalar(mask, n.data, scalar=n.value)]


# -- sketches -----------------------------------------------------------------------------------


def sketch(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Columns added to fewer ones."""
    signed = F.broadcast_mul(site.n.data, _along_columns(F, site, "s", site.rank))
    like, index = site.constant(0.0), _along_columns(F, site, "h", 1)
    return [F._backward_take(signed, like, index, axis=-1, mode="clip")]


def sketch_back(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The gradients of columns, read where they were added."""
    read = F.take(site.n.grad, _along_columns(F, site, "h", 1), axis=-1)
    return [F.broadcast_mul(read, _along_columns(F, site, "s", site.rank))]


def _along_columns(F: Any, site: RewriteContext, name: str, rank: int) -> Entry:
    """A number for each column, with axes of length one before."""
    row: Entry = F._np_reshape(getattr(site.n, name), newshape=(*(1,) * (rank - 1), -1))
    return row


# -- the gradient of classifiers ----------------------------------------------------------------


def _by_class(site: RewriteContext, shape: Shape) -> tuple[int, int, int]:
    """The extents of scores before, along and after classes."""
    n = site.n
    if n.multi_output:
        return shape[0], shape[1], prod(shape[2:])
    axis = len(shape) - 1 if n.preserve_shape else 1
    return prod(shape[:axis]), prod(shape[axis:]), 1


def softmax_output_back(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Probabilities minus labels, weighted."""
    n, shapes = site.n, site.facts.shapes
    shape, own = (shapes[entry] for entry in site.node.inputs)
    if shape == own or not own or len(shape) < 2 or site.is_empty:
        return None
    if not (n.multi_output or n.use_ignore):
        return None
    rows, classes, spatial = _by_class(site, shape)
    flat = F._np_reshape(n.value, newshape=(rows, classes, spatial))
    label = F._np_reshape(F.Cast(n.label, dtype="int64"), newshape=(-1,))
    counted = label != int(n.ignore_label)
    labels = F._np_reshape(label, newshape=(-1, spatial))
    if prod(own) != rows * spatial:
        labels = F.slice_axis(labels, axis=0, begin=0, end=rows)
    if n.subtract:
        alpha = 0.0 if n.multi_output else n.smooth_alpha
        values = {"on_value": 1 - alpha, "off_value": alpha / max(1, classes - 1)}
        target = F.one_hot(labels, depth=classes, dtype=site.dtype.name, **values)
        flat = flat - F.transpose(target, axes=(0, 2, 1))
    share: Any = 1.0
    if n.normalization == "valid":
        total = F.Cast(F._np_sum(F.Cast(counted, dtype="int64")), dtype=site.dtype.name)
        share = 1 / F._maximum_scalar(total, scalar=1.0)
    else:
        size = spatial
        if n.normalization == "batch":
            size *= own[0] if n.multi_output else prod(own)
        share = 1 / max(1, size)
    flat = flat * n.grad_scale
    is_number = isinstance(share, float)
    flat = flat * share if is_number else F.broadcast_mul(flat, F.reshape(share, shape=(1, 1, 1)))
    if n.use_ignore:
        kept = F.Cast(labels != int(n.ignore_label), dtype=site.dtype.name)
        flat = F.broadcast_mul(flat, F.expand_dims(kept, axis=1))
    return [F._np_reshape(flat, newshape=tuple(shape))]


# -- sums of products ---------------------------------------------------------------------------


def simpler_einsum(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """A sum of products without diagonals and without axes that are broadcast."""
    shapes = [site.facts.shapes[entry] for entry in site.node.inputs]
    texts, result = spelt_out(site.n.subscripts, [len(shape) for shape in shapes], "")
    extents: dict[str, int] = {}
    for text, shape in zip(texts, shapes, strict=True):
        for letter, extent in zip(text, shape, strict=True):
            extents[letter] = max(extents.get(letter, 1), extent)
    pairs = zip(site.inputs, texts, shapes, strict=True)
    factors = [_simpler(F, entry, text, shape, extents) for entry, text, shape in pairs]
    if all(text == other for text, (_, other) in zip(texts, factors, strict=True)):
        return None
    left = {letter for _, text in factors for letter in text}
    if not left >= set(result) or not is_floating(site.dtype) or site.is_empty:
        return None
    subscripts = ",".join(text for _, text in factors) + "->" + result
    return [F._npi_einsum(*[entry for entry, _ in factors], subscripts=subscripts)]


def _simpler(
    F: Any, entry: Entry, text: str, shape: Shape, extents: dict[str, int]
) -> tuple[Entry, str]:
    """A factor without axes of length one that others stretch, and with its diagonals taken."""
    for axis in reversed(range(len(text))):
        if shape[axis] == 1 and extents[text[axis]] > 1:
            entry, text = F._np_squeeze(entry, axis=axis), text[:axis] + text[axis + 1 :]
            shape = shape[:axis] + shape[axis + 1 :]
    while len(set(text)) < len(text):
        letter = next(each for each in text if text.count(each) > 1)
        first, second = (i for i, each in enumerate(text) if each == letter)
        entry = F._np_diagonal(entry, axis1=first, axis2=second)
        text = "".join(each for each in text if each != letter) + letter
    return entry, text
