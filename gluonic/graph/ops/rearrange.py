"""Reordering, repetition, padding and diagonals."""

from typing import Any, Literal

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.attributes import Count, Positive, Shape
from gluonic.graph.axes import (
    Extent,
    axes_of,
    axis_of,
    divided,
    inserted,
    product,
    replaced,
    require_rank,
    scaled,
)
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import floating
from gluonic.graph.shape_semantics import is_np_shape
from gluonic.graph.summation import total
from gluonic.graph.view import NodeView, PartialShape, complete, peek, put, title_of, written


def inverse_permutation(axes: tuple[int, ...]) -> tuple[int, ...]:
    """Find the inverse of the permutation `axes`.

    >>> inverse_permutation((2, 0, 1))
    (1, 2, 0)
    """
    return tuple(int(i) for i in np.argsort([axis % len(axes) for axis in axes]))


@operator("transpose")
def transpose(data: Array, *, axes: Shape = ()) -> Any:
    """Permute the axes: axis i of the result is axis ``axes[i]`` of `data`; the default reverses them."""
    return np.transpose(data, axes or None)


def _permutation(axes: tuple[int, ...], rank: int, title: str) -> tuple[int, ...]:
    if not axes:
        return tuple(reversed(range(rank)))
    found = axes_of(axes, rank, title)
    if len(found) != rank:
        raise InferenceError(f"{title}: axes {axes} must name all {rank} axes")
    return found


@transpose.infer_shape
def _(n: NodeView) -> None:
    if (output := peek(n, "output")) is not None:
        order = _permutation(n.axes, len(output), title_of(n))
        n.data = tuple(output[axis] for axis in inverse_permutation(order))
    n.output = tuple(n.data[axis] for axis in _permutation(n.axes, len(n.data), title_of(n)))


transpose.gradient(data=lambda F, n, g: F.transpose(g, axes=inverse_permutation(n.axes)))


@operator("SwapAxis", "swapaxes")
def swap_axes(data: Array, *, dim1: int = 0, dim2: int = 0) -> Any:
    """Exchange two axes."""
    return np.swapaxes(data, dim1, dim2)


def _swapped(shape: PartialShape, n: NodeView) -> PartialShape:
    first, second = (axis_of(axis, len(shape), title_of(n)) for axis in (n.dim1, n.dim2))
    return replaced(replaced(shape, first, shape[second]), second, shape[first])


@swap_axes.infer_shape
def _(n: NodeView) -> None:
    if (output := peek(n, "output")) is not None:
        n.data = _swapped(output, n)
    n.output = _swapped(n.data, n)


swap_axes.gradient(data=lambda F, n, g: F.SwapAxis(g, dim1=n.dim1, dim2=n.dim2))


@operator("reverse", "flip")
def reverse(data: Array, *, axis: Shape) -> Any:
    """Reverse the order of the elements along one or several axes."""
    turned = [each % data.ndim for each in axis]
    return np.flip(data, tuple(each for each in set(turned) if turned.count(each) % 2))


@reverse.infer_shape
def _(n: NodeView) -> None:
    if (output := peek(n, "output")) is not None:
        n.data = output
    for axis in n.axis:
        axis_of(axis, len(n.data), title_of(n))
    n.output = n.data


reverse.gradient(data=lambda F, n, g: F.reverse(g, axis=n.axis))


@operator("depth_to_space")
def depth_to_space(data: Array, *, block_size: Positive) -> Any:
    """Move blocks of channels into height and width.

    ``(batch, channels, height, width)`` becomes ``(batch, channels / b², height * b, width * b)``,
    b being `block_size`; the first ``channels / b²`` channels are the blocks' upper left corners.
    """
    batch, channels, height, width = data.shape
    b = block_size
    blocks = data.reshape(batch, b, b, channels // b**2, height, width)
    return blocks.transpose(0, 3, 4, 1, 5, 2).reshape(
        batch, channels // b**2, height * b, width * b
    )


@operator("space_to_depth")
def space_to_depth(data: Array, *, block_size: Positive) -> Any:
    """Move blocks of height and width into channels: the inverse of `depth_to_space`."""
    batch, channels, height, width = data.shape
    b = block_size
    blocks = data.reshape(batch, channels, height // b, b, width // b, b)
    return blocks.transpose(0, 3, 5, 1, 2, 4).reshape(
        batch, channels * b**2, height // b, width // b
    )


def _require_blocks(shape: PartialShape, where: str) -> None:
    require_rank(shape, (4,), where)
    if 0 in shape[1:]:
        raise InferenceError(f"{where} is {written(shape)}: an empty image has no blocks")


def _deep(n: NodeView, wide: str) -> PartialShape:
    """Find the deep shape from the wide one."""
    shape, b = getattr(n, wide), n.block_size
    _require_blocks(shape, f"{title_of(n)}: {wide}")
    height, width = (divided(shape[i], b, f"{title_of(n)}: axis {i} of {wide}") for i in (2, 3))
    return (shape[0], scaled(shape[1], b * b), height, width)


def _wide(n: NodeView, deep: str) -> PartialShape:
    """Find the wide shape from the deep one."""
    shape, b = getattr(n, deep), n.block_size
    _require_blocks(shape, f"{title_of(n)}: {deep}")
    channels = divided(shape[1], b * b, f"{title_of(n)}: axis 1 of {deep}")
    return (shape[0], channels, scaled(shape[2], b), scaled(shape[3], b))


def _blocks_rule(deep: str, wide: str) -> Any:
    def rule(n: NodeView) -> None:
        if peek(n, deep) is not None:
            put(n, wide, _wide(n, deep))
        put(n, deep, _deep(n, wide))

    return rule


depth_to_space.infer_shape(_blocks_rule("data", "output"))
space_to_depth.infer_shape(_blocks_rule("output", "data"))
depth_to_space.gradient(data=lambda F, n, g: F.space_to_depth(g, block_size=n.block_size))
space_to_depth.gradient(data=lambda F, n, g: F.depth_to_space(g, block_size=n.block_size))


@operator("tile")
def tile(data: Array, *, reps: Shape) -> Any:
    """Put copies of the array side by side: ``reps[-1]`` along the last axis, and so on."""
    return np.tile(data, reps)


def _tile_axes(shape: PartialShape, reps: Shape) -> list[tuple[int, Extent]]:
    """Pair repetitions and extents, axis by axis; the shorter list is extended with ones in front."""
    rank = max(len(shape), len(reps))
    counts = (1,) * (rank - len(reps)) + tuple(reps)
    return list(zip(counts, (1,) * (rank - len(shape)) + shape, strict=True))


@tile.infer_shape
def _(n: NodeView) -> None:
    least = 0 if is_np_shape() else 1
    if any(count < least for count in n.reps):
        allowed = "negative" if least == 0 else "negative or zero"
        raise InferenceError(f"{title_of(n)}: reps {n.reps} must not be {allowed}")
    n.output = tuple(scaled(extent, count) for count, extent in _tile_axes(n.data, n.reps))


@adjoint(tile)
def _(grad: Array, data: Array, *, reps: Shape) -> Any:
    """Sum the gradients of the copies."""
    pairs = _tile_axes(data.shape, reps)
    parts: Any = [part for pair in pairs for part in pair]
    return total(grad.reshape(parts), tuple(range(0, len(parts), 2)))


@operator("repeat")
def repeat(data: Array, *, repeats: Count, axis: int | None = None) -> Any:
    """Repeat each element `repeats` times along an axis; None flattens the array first."""
    return np.repeat(data, repeats, axis) if repeats else data.ravel()[:0]


@repeat.infer_shape
def _(n: NodeView) -> None:
    if n.repeats == 0:  # MXNet then drops the axes
        n.output = (0,)
    elif n.axis is None:
        n.output = (scaled(product(n.data), n.repeats),)
    else:
        axis = axis_of(n.axis, len(n.data), title_of(n))
        n.output = replaced(n.data, axis, scaled(n.data[axis], n.repeats))


@adjoint(repeat)
def _(grad: Array, data: Array, *, repeats: Count, axis: int | None) -> Any:
    """Sum the gradients of the copies."""
    if repeats == 0:
        return np.zeros_like(data)
    axis_of_copies = data.ndim if axis is None else axis % data.ndim + 1
    copies: Any = inserted(data.shape, axis_of_copies, repeats)
    return total(grad.reshape(copies), (axis_of_copies,))


@operator("Pad", "pad", dtype=floating())
def pad(
    data: Array,
    *,
    mode: Literal["constant", "edge", "reflect"],
    pad_width: Shape,
    constant_value: float = 0,
) -> Any:
    """Add a border.

    Parameters
    ----------
    data : any array of a floating dtype
    mode : the content of the border: a constant, the outermost elements, or a mirror image without them
    pad_width : elements to add before and after each axis: (before0, after0, before1, after1, ...)
    constant_value : the value of a constant border
    """
    extra: dict[str, Any] = {"constant_values": constant_value} if mode == "constant" else {}
    return np.pad(data, _pairs(pad_width), mode, **extra)


def _pairs(widths: Shape) -> list[tuple[int, int]]:
    return list(zip(widths[::2], widths[1::2], strict=True))


@pad.infer_shape
def _(n: NodeView) -> None:
    data, widths = n.data, n.pad_width
    if len(widths) != 2 * len(data) or min(widths) < 0:
        raise InferenceError(
            f"{title_of(n)}: pad_width {widths} must have two numbers, not negative, for each of the"
            f" {len(data)} axes"
        )
    for axis, (pair, extent) in enumerate(zip(_pairs(widths), data, strict=True)):
        if n.mode == "reflect" and extent is not None and max(pair) >= max(extent, 1):
            raise InferenceError(
                f"{title_of(n)}: axis {axis} of length {extent} cannot be mirrored by {max(pair)}"
            )
    n.output = tuple(
        None if extent is None else extent + sum(pair)
        for extent, pair in zip(data, _pairs(widths), strict=True)
    )


@adjoint(pad, homogeneous={"constant_value": 0.0})
def _(grad: Array, data: Array, *, mode: str, pad_width: Shape, constant_value: float) -> Any:
    """Cut the border off, and add it to the elements that it was copied from."""
    for axis, (before, after) in enumerate(_pairs(pad_width)):
        along = np.moveaxis(grad, axis, 0)
        last = len(along) - after
        inner, head, tail = along[before:last], along[:before], along[last:]
        if mode != "constant":
            inner = inner.copy()
        if mode == "edge" and len(inner):
            inner[0] += head.sum(axis=0)
            inner[-1] += tail.sum(axis=0)
        elif mode == "reflect":
            inner[1 : before + 1] += head[::-1]
            inner[len(inner) - 1 - after : len(inner) - 1] += tail[::-1]
        grad = np.moveaxis(inner, 0, axis)
    return grad


@operator("diag")
def diag(data: Array, *, k: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Extract a diagonal, or make a matrix from one.

    Parameters
    ----------
    data : at least two axes: the diagonal of each matrix spanned by `axis1` and `axis2` becomes the
        last axis; one axis: the result is a square matrix with that diagonal and zeros
    k : the diagonal: 0 is the main one, positive ones are above it, negative ones below
    axis1, axis2 : the axes of the matrices, for at least two axes
    """
    return np.diag(data, k) if data.ndim == 1 else np.diagonal(data, k, axis1, axis2)


@diag.infer_shape
def _(n: NodeView) -> None:
    data = n.data
    if len(data) == 1:
        extent = None if data[0] is None else data[0] + abs(n.k)
        n.output = (extent, extent)
        return
    first, second = axes_of((n.axis1, n.axis2), len(data), title_of(n))
    others = tuple(extent for i, extent in enumerate(data) if i not in (first, second))
    if None in (data[first], data[second]):
        n.output = (*others, None)
        return
    rows, columns = complete((data[first], data[second]))
    length = min(rows, columns - n.k) if n.k >= 0 else min(rows + n.k, columns)
    if length < 0:
        raise InferenceError(f"{title_of(n)}: a {rows}x{columns} matrix has no diagonal {n.k}")
    n.output = (*others, length)


@adjoint(diag)
def _(grad: Array, data: Array, *, k: int, axis1: int, axis2: int) -> Any:
    """Put the gradient on the diagonal, zeros elsewhere."""
    if data.ndim == 1:
        return np.diagonal(grad, k)
    result = np.zeros_like(data)
    matrices = np.moveaxis(result, (axis1, axis2), (-2, -1))
    along = np.arange(grad.shape[-1])
    matrices[..., along + max(-k, 0), along + max(k, 0)] = grad
    return result
