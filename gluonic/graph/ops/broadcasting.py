"""Repeating axes of length one, and summing them up again."""

from math import prod
from typing import Any

import numpy as np

from gluonic.graph.attributes import Shape
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.rules import like
from gluonic.graph.summation import total
from gluonic.graph.view import NodeView, PartialShape, complete, peek, title_of, written


def _require_stretch(n: NodeView, shape: PartialShape, target: PartialShape) -> None:
    """Check that `shape` can be broadcast to `target`."""
    padded = (1,) * (len(target) - len(shape)) + tuple(shape)
    if len(padded) != len(target) or not all(map(_stretches, padded, target)):
        raise InferenceError(
            f"{title_of(n)}: the shape {written(shape)} cannot be broadcast to {written(target)}"
        )


def _stretches(extent: int | None, target: int | None) -> bool:
    """Whether an axis can be broadcast to an extent; a symbolic extent is compared with 1 last."""
    if target is None or (type(extent) is int and extent == 1):
        return True
    return extent == target or extent in (None, 1)


def _stretched(n: NodeView, shape: PartialShape, target: PartialShape) -> None:
    """Check that `shape` can be broadcast to `target`, the output's shape."""
    _require_stretch(n, shape, target)
    n.output = target


_SMALL = 1024  # the number of elements that are copied faster than NumPy makes a view


def _repeated(data: Array, shape: tuple[int, ...]) -> Array:
    """An array broadcast to a shape: a view, or a new array where that is small."""
    if prod(shape) > _SMALL:
        return np.broadcast_to(data, shape)
    made = np.empty(shape, data.dtype)
    made[...] = data
    return made


@operator("_reduce_like", dtype=like("lhs"))
def reduce_like(lhs: Array, rhs: Array) -> Any:
    """Sum `lhs` over the axes along which an array of the shape of `rhs` was broadcast to it."""
    if lhs.shape == rhs.shape:
        return lhs
    added = lhs.ndim - rhs.ndim
    repeated = tuple(
        i for i, n in enumerate(lhs.shape) if i < added or (rhs.shape[i - added] == 1 and n != 1)
    )
    return total(lhs, repeated).reshape(rhs.shape)


@reduce_like.infer_shape
def _(n: NodeView) -> None:
    like("rhs")(n)
    lhs, rhs = peek(n, "lhs"), peek(n, "rhs")
    if lhs is not None and rhs is not None:
        _require_stretch(n, rhs, lhs)


reduce_like.gradient(lhs=lambda F, n, g: F.broadcast_like(g, n.lhs))


@operator("broadcast_like", dtype=like("lhs"))
def broadcast_like(
    lhs: Array, rhs: Array, *, lhs_axes: Shape | None = None, rhs_axes: Shape | None = None
) -> Array:
    """Repeat the axes of length one of `lhs` until it has the shape of `rhs`.

    Parameters
    ----------
    lhs : the array to repeat
    rhs : the array whose shape is the target
    lhs_axes, rhs_axes : only these axes of `lhs` are broadcast to those of `rhs`
    """
    shape = list(lhs.shape) if lhs_axes and rhs_axes else list(rhs.shape)
    if lhs_axes and rhs_axes:
        for own, other in zip(lhs_axes, rhs_axes, strict=True):
            shape[own] = rhs.shape[other]
    return _repeated(lhs, tuple(shape))


@broadcast_like.infer_shape
def _(n: Any) -> None:
    if n.lhs_axes is None or n.rhs_axes is None:
        _stretched(n, n.lhs, n.rhs)
        return
    shape = list(n.lhs)
    if len(n.lhs_axes) != len(n.rhs_axes) or not n.lhs_axes:
        raise InferenceError(f"{title_of(n)}: lhs_axes and rhs_axes must name equally many axes")
    for own, other in zip(n.lhs_axes, n.rhs_axes, strict=True):
        if not (-len(shape) <= own < len(shape) and -len(n.rhs) <= other < len(n.rhs)):
            raise InferenceError(
                f"{title_of(n)}: there are no axes {own} of {written(n.lhs)}"
                f" and {other} of {written(n.rhs)}"
            )
        if shape[own] not in (1, None):
            raise InferenceError(
                f"{title_of(n)}: axis {own} of {written(n.lhs)} is not of length one"
            )
        shape[own] = n.rhs[other]
    n.output = tuple(shape)


broadcast_like.gradient(lhs=lambda F, n, g: F._reduce_like(g, n.lhs))


@operator("broadcast_to", dtype=like("data"))
def broadcast_to(data: Array, *, shape: Shape = ()) -> Array:
    """Repeat the axes of length one of `data` until it has the given shape; 0 keeps an axis."""
    return _repeated(data, complete(_filled(shape, data.shape)))


def _filled(shape: Shape, source: PartialShape) -> PartialShape:
    added = len(shape) - len(source)
    return tuple(
        source[i - added] if length == 0 and i >= added else length
        for i, length in enumerate(shape)
    )


@broadcast_to.infer_shape
def _(n: Any) -> None:
    _stretched(n, n.data, _filled(n.shape, n.data))


broadcast_to.gradient(data=lambda F, n, g: F._reduce_like(g, n.data))


@operator("broadcast_axis", "broadcast_axes", dtype=like("data"))
def broadcast_axis(data: Array, *, axis: Shape = (), size: Shape = ()) -> Array:
    """Repeat each `axis` of `data`, of length one, `size` times."""
    return _repeated(data, complete(_resized(data.shape, axis, size)))


def _resized(shape: PartialShape, axis: Shape, size: Shape) -> PartialShape:
    resized = list(shape)
    for a, length in zip(axis, size, strict=True):
        resized[a] = length
    return tuple(resized)


@broadcast_axis.infer_shape
def _(n: Any) -> None:
    if len(n.axis) != len(n.size):
        raise InferenceError(f"{title_of(n)}: axis={n.axis} and size={n.size} must be equally long")
    if not all(-len(n.data) <= a < len(n.data) for a in n.axis):
        raise InferenceError(f"{title_of(n)}: axis={n.axis} must name axes of {written(n.data)}")
    _stretched(n, n.data, _resized(n.data, n.axis, n.size))


broadcast_axis.gradient(data=lambda F, n, g: F._reduce_like(g, n.data))
