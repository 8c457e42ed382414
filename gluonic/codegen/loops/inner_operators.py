"""Operators that occur only in rewritten graphs; users never see them."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.codegen.lowerings.entry import lower
from gluonic.graph import Array, Entry, Node, Operator
from gluonic.graph.attributes import Axes, DType, Shape
from gluonic.graph.families import reduced_axes, reduction_shape
from gluonic.graph.rules import fixed_by, like, output_dtype
from gluonic.graph.view import NodeView
from gluonic.support.record import record


def apply(op: Operator, *inputs: Entry | None, name: str = "", **attributes: Any) -> Entry:
    """The result of an operator that is not in the registry; inputs that are None are absent."""
    given = [entry for entry in inputs if entry is not None]
    return Node(op.apply(attributes), name or op.name.strip("_"), given).entry()


def inner_operator(name: str, **options: Any) -> Callable[[Callable[..., Any]], Operator]:
    """Declare an operator that is not in the registry."""

    def make(kernel: Callable[..., Any]) -> Operator:
        return Operator(name, kernel, **options)

    return make


@inner_operator("_overwrite", shape=like("state"), dtype=like("state"))
def overwrite(state: Array, value: Array) -> Any:
    """The value, stored in the memory of the variable `state`."""
    return value


@inner_operator("_average", shape=reduction_shape, dtype=like("data"))
def average(
    data: Array, *, axis: Axes = None, keepdims: bool = False, exclude: bool = False
) -> Any:
    """The mean over axes; 0 if there are no elements."""
    axes = reduced_axes(axis, data.ndim, exclude)
    count = max(1, prod(data.shape[a] for a in axes))
    return data.sum(axis=axes, keepdims=keepdims) / count


@record
class EqualPiece:
    """One of equal pieces along an axis.

    Attributes
    ----------
    axis, index, count : the axis, the index of the piece, and the number of pieces
    drops : whether the axis is removed; one element of it is left
    """

    axis: int
    index: int
    count: int
    drops: bool

    @property
    def numbers(self) -> tuple[int, int, int, int]:
        """The cut as an attribute."""
        return self.axis, self.index, self.count, int(self.drops)

    @staticmethod
    def of(numbers: Sequence[int]) -> "list[EqualPiece]":
        """All cuts of an attribute."""
        rows = zip(*[iter(numbers)] * 4, strict=True)
        return [EqualPiece(axis, index, count, bool(drops)) for axis, index, count, drops in rows]


@inner_operator("_part", dtype=like("data"))
def part(data: Array, *, cuts: Shape) -> Any:
    """A part of an array: one of equal pieces along an axis, perhaps a piece of that piece, and so on."""
    for cut in EqualPiece.of(cuts):
        data = np.split(data, cut.count, cut.axis)[cut.index]
        if cut.drops:
            data = data.squeeze(cut.axis)
    return data


@part.infer_shape
def _(n: NodeView) -> None:
    shape = list(n.data)
    for cut in EqualPiece.of(n.cuts):
        shape[cut.axis] //= cut.count
        if cut.drops:
            del shape[cut.axis]
    n.output = tuple(shape)


def cut_out(data: Entry, cut: EqualPiece) -> Entry:
    """A part of an entry; cuts of a part are combined, so it is a part of the original array."""
    before: tuple[int, ...] = ()
    node = data.node
    if node.application is not None and node.application.op is part:
        before, data = node.application.settings["cuts"], node.inputs[0]
    return apply(part, data, cuts=(*before, *cut.numbers))


@inner_operator("_within", shape=like("data"), dtype=like("data"))
def within(data: Array, length: Array, *, axis: int, value: float) -> Any:
    """The elements of each row up to its length along an axis, and `value` after them."""
    positions = np.arange(data.shape[axis]).reshape(-1, *(1,) * (data.ndim - 1 - axis))
    return np.where(positions < np.expand_dims(length, axis), data, np.asarray(value, data.dtype))


@inner_operator("_concat_piece", count="num_args", dtype=like("grad"))
def concat_piece(grad: Array, *arg: Array, num_args: int, dim: int, index: int) -> Any:
    """The piece of `grad` that corresponds to one of several concatenated arrays."""
    ends = np.cumsum([part.shape[dim] for part in arg])
    return np.split(grad, ends[:-1], axis=dim)[index]


@concat_piece.infer_shape
def _(n: NodeView) -> None:
    n.output = n.arg[n.index]


@inner_operator("_index_of", dtype=output_dtype("int64"))
def index_of(data: Array, extreme: Array, *, axis: int) -> Any:
    """The first index along an axis where elements are an extreme, or NaN; the axis remains."""
    found = np.isnan(data) | (data == extreme)
    return found.argmax(axis=axis, keepdims=True)


@index_of.infer_shape
def _(n: NodeView) -> None:
    n.output = n.extreme


@inner_operator("_filled", count="num_args", reads_shapes=True, dtype=fixed_by("dtype"))
def filled(
    *like: Array, num_args: int, value: float, sources: Shape, axes: Shape, dtype: DType
) -> Any:
    """An array of one number. Each extent is that of an axis of an input or, if the input is -1, a number."""
    shape = [at if i < 0 else like[i].shape[at] for i, at in zip(sources, axes, strict=True)]
    return np.full(shape, np.float64(value)).astype(dtype)


@filled.infer_shape
def _(n: NodeView) -> None:
    pairs = zip(n.sources, n.axes, strict=True)
    n.output = tuple(at if i < 0 else n.like[i][at] for i, at in pairs)


lower(overwrite, loop="loops.semantics:overwrite")
lower(average, loop="loops.semantics:average_of")
lower(part, loop="loops.loop_slices:cut")
lower(within, loop="loops.loop_choices:within_lengths")
lower(index_of, loop="loops.loop_choices:index_of")
lower(filled, loop="loops.semantics:filled")
lower(concat_piece, loop="loops.loop_slices:concat_piece_of")
