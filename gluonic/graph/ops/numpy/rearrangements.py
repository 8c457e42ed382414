"""Reordering, repetition and extraction of elements, with NumPy's rules."""

from typing import Any, Literal

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.attributes import Axes, Pairs, Shape
from gluonic.graph.axes import axes_of, product
from gluonic.graph.derivation import derived
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import REGISTRY, Array, operator
from gluonic.graph.rules import like, same
from gluonic.graph.view import NodeView, PartialShape, complete, peek, title_of, written

derived("_np_transpose", "transpose")


def moved_order(rank: int, source: Shape, destination: Shape, title: str) -> tuple[int, ...]:
    """The order of axes after some have moved.

    >>> moved_order(3, (0,), (-1,), "moveaxis")
    (1, 2, 0)
    """
    if len(source) != len(destination):
        raise InferenceError(
            f"{title}: source={source} and destination={destination} differ in length"
        )
    sources, positions = axes_of(source, rank, title), axes_of(destination, rank, title)
    order = [axis for axis in range(rank) if axis not in sources]
    for position, axis in sorted(zip(positions, sources, strict=True)):
        order.insert(position, axis)
    return tuple(order)


@operator(
    "_np_moveaxis",
    base=REGISTRY["transpose"],
    as_base=lambda n, shapes: {
        "axes": moved_order(len(shapes[0]), n.source, n.destination, "_np_moveaxis")
    },
)
def moveaxis(a: Array, *, source: Shape, destination: Shape) -> Any:
    """Move axes to other positions; the others keep their order."""
    return np.moveaxis(a, source, destination)


@moveaxis.infer_shape
def _(n: Any) -> None:
    known = peek(n, "a") or n.output
    order = moved_order(len(known), n.source, n.destination, title_of(n))
    if (output := peek(n, "output")) is not None:
        n.a = tuple(output[order.index(axis)] for axis in range(len(order)))
    n.output = tuple(n.a[axis] for axis in order)


moveaxis.gradient(a=lambda F, n, g: F._np_moveaxis(g, source=n.destination, destination=n.source))


def _as_reverse(n: Any, shapes: Any) -> dict[str, Any] | None:
    if len(shapes[0]) == 0:
        return None
    return {"axis": tuple(range(len(shapes[0]))) if n.axis is None else n.axis}


@operator("_npi_flip", base=REGISTRY["reverse"], as_base=_as_reverse)
def flip(data: Array, *, axis: Axes = None) -> Any:
    """Reverse the order of elements along axes; None means all."""
    return np.flip(data, axis)


@flip.infer_shape
def _(n: Any) -> None:
    same(n)
    if n.axis is not None:
        axes_of((n.axis,) if isinstance(n.axis, int) else n.axis, len(n.data), title_of(n))


flip.gradient(data=lambda F, n, g: F._npi_flip(g, axis=n.axis))


@operator("_np_roll")
def roll(data: Array, *, shift: int | Shape, axis: Axes = None) -> Any:
    """Shift elements along axes; those that leave at one end enter at the other.

    Parameters
    ----------
    data : any array
    shift : the distance, one number or one for each axis
    axis : the axes; None means the flattened array
    """
    return np.roll(data, shift, axis)


@roll.infer_shape
def _(n: Any) -> None:
    same(n)
    if n.axis is not None:
        axes_of((n.axis,) if isinstance(n.axis, int) else n.axis, len(n.data), title_of(n))


def _turned(shift: Any) -> Any:
    return tuple(-one for one in shift) if isinstance(shift, tuple) else -shift


roll.gradient(data=lambda F, n, g: F._np_roll(g, shift=_turned(n.shift), axis=n.axis))


def _plane(n: Any, rank: int) -> tuple[int, ...]:
    axes = (0, 1) if n.axes is None else n.axes
    found = axes_of(axes, rank, title_of(n))
    if len(found) != 2:
        raise InferenceError(f"{title_of(n)}: axes={n.axes} must name two axes")
    return found


@operator("_npi_rot90")
def rot90(data: Array, *, k: int = 1, axes: Shape | None = None) -> Any:
    """Rotate by 90 degrees in the plane of two axes, from the first towards the second.

    Parameters
    ----------
    data : at least two axes
    k : number of rotations
    axes : the plane; by default the first two axes
    """
    first, second = (0, 1) if axes is None else axes
    return np.rot90(data, k, (first, second))


@rot90.infer_shape
def _(n: Any) -> None:
    known = peek(n, "data") or n.output
    first, second = _plane(n, len(known))

    def turned(shape: PartialShape) -> PartialShape:
        if n.k % 2 == 0:
            return shape
        found = list(shape)
        found[first], found[second] = found[second], found[first]
        return tuple(found)

    if (output := peek(n, "output")) is not None:
        n.data = turned(output)
    n.output = turned(n.data)


rot90.gradient(data=lambda F, n, g: F._npi_rot90(g, k=-n.k, axes=n.axes))


@operator("_npi_broadcast_to", dtype=like("array"))
def broadcast_to(array: Array, *, shape: Shape = ()) -> Any:
    """Repeat axes of length one, and add axes in front, until the shape is as given; -2 keeps an axis."""
    return np.broadcast_to(array, complete(_kept(shape, array.shape)))


def _kept(shape: Shape, given: PartialShape) -> PartialShape:
    """A shape in which each -2 is replaced by the array's extent at that axis."""
    added = len(shape) - len(given)
    return tuple(
        given[i - added] if extent == -2 and i >= added else extent
        for i, extent in enumerate(shape)
    )


@broadcast_to.infer_shape
def _(n: Any) -> None:
    given, wanted = n.array, _kept(n.shape, n.array)
    added = len(wanted) - len(given)
    if added < 0 or any(
        extent not in (1, None) and wanted[added + i] not in (extent, None)
        for i, extent in enumerate(given)
    ):
        raise InferenceError(
            f"{title_of(n)}: the shape {written(given)} cannot be broadcast to {written(wanted)}"
        )
    n.output = wanted


broadcast_to.gradient(array=lambda F, n, g: F._reduce_like(g, n.array))


def diagonal_length(rows: int, columns: int, offset: int) -> int:
    """The number of elements of a diagonal of a matrix."""
    return max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)


def _diag_shape(n: Any) -> None:
    if len(n.data) == 1:
        extent = None if n.data[0] is None else n.data[0] + abs(n.k)
        n.output = (extent, extent)
    elif len(n.data) == 2:
        rows, columns = n.data
        n.output = (
            None if rows is None or columns is None else diagonal_length(rows, columns, n.k),
        )
    else:
        raise InferenceError(f"{title_of(n)}: {written(n.data)} must have one axis or two")


derived("_np_diag", "diag", shape=_diag_shape)


def _diagonal_shape(n: Any) -> PartialShape:
    data = n.data
    first, second = axes_of((n.axis1, n.axis2), len(data), title_of(n))
    others = tuple(extent for i, extent in enumerate(data) if i not in (first, second))
    if None in (data[first], data[second]):
        return (*others, None)
    rows, columns = complete((data[first], data[second]))
    return (*others, diagonal_length(rows, columns, n.offset))


@operator("_np_diagonal")
def diagonal(data: Array, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Extract diagonals, which become the last axis.

    Parameters
    ----------
    data : at least two axes
    offset : the diagonal: 0 is the main one, positive ones are above it, negative ones below
    axis1, axis2 : the axes of the matrices
    """
    return np.diagonal(data, offset, axis1, axis2)


@diagonal.infer_shape
def _(n: Any) -> None:
    n.output = _diagonal_shape(n)


def _set_diagonal(result: Array, value: Any, offset: int, axis1: int, axis2: int) -> Array:
    matrices = np.moveaxis(result, (axis1, axis2), (-2, -1))
    rows, columns = matrices.shape[-2:]
    along = np.arange(diagonal_length(rows, columns, offset))
    matrices[..., along + max(-offset, 0), along + max(offset, 0)] = value
    return result


@adjoint(diagonal)
def _(grad: Array, data: Array, *, offset: int, axis1: int, axis2: int) -> Any:
    """Put the gradient on the diagonal, zeros elsewhere."""
    return _set_diagonal(np.zeros_like(data), grad, offset, axis1, axis2)


@operator("_np_trace")
def trace(data: Array, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Sum along diagonals; see `_np_diagonal`."""
    return np.trace(
        data, offset, axis1, axis2, dtype=data.dtype if data.dtype.kind != "b" else None
    )


@trace.infer_shape
def _(n: Any) -> None:
    n.output = _diagonal_shape(n)[:-1]


@adjoint(trace)
def _(grad: Array, data: Array, *, offset: int, axis1: int, axis2: int) -> Any:
    """Put the gradient along the diagonal, zeros elsewhere."""
    return _set_diagonal(np.zeros_like(data), grad[..., None], offset, axis1, axis2)


@operator("_np_diagflat")
def diagflat(data: Array, *, k: int = 0) -> Any:
    """Put all elements on a diagonal of a matrix of zeros."""
    return np.diagflat(data, k)


@diagflat.infer_shape
def _(n: NodeView) -> None:
    size = product(n.data)
    extent = None if size is None else size + abs(n.k)
    n.output = (extent, extent)


@adjoint(diagflat)
def _(grad: Array, data: Array, *, k: int) -> Any:
    """Take the gradient's diagonal."""
    return np.diagonal(grad, k).reshape(data.shape)


@operator("_npi_tril")
def tril(data: Array, *, k: int = 0) -> Any:
    """Set elements above a diagonal of matrices to zero; a vector is first repeated as rows of a matrix.

    Parameters
    ----------
    data : at least one axis
    k : the last diagonal that is kept
    """
    return np.tril(data, k)


@tril.infer_shape
def _(n: NodeView) -> None:
    if len(n.data) == 0:
        raise InferenceError(f"{title_of(n)}: a number has no diagonal; give at least one axis")
    n.output = (n.data[0], n.data[0]) if len(n.data) == 1 else n.data
    if len(n.data) > 1:
        n.data = n.output


@adjoint(tril)
def _(grad: Array, data: Array, *, k: int) -> Any:
    """Drop the gradient of the zeros."""
    below = np.tril(grad, k)
    return below.sum(axis=0) if data.ndim == 1 else below


Border = Literal["constant", "edge", "reflect", "symmetric", "maximum", "minimum"]


def _as_pad(n: Any, shapes: Any) -> dict[str, Any] | None:
    """The attributes of the equivalent `Pad`; None if it has no such border, or reflects less far."""
    widths = [width for pair in n.pad_width for width in pair]
    if n.mode not in ("constant", "edge", "reflect") or not any(widths):
        return None
    if n.mode == "reflect" and any(
        extent <= max(pair) for extent, pair in zip(shapes[-1], n.pad_width, strict=True)
    ):
        return None
    return {"mode": n.mode, "pad_width": tuple(widths), "constant_value": n.constant_value}


@operator("_npi_pad", base=REGISTRY["Pad"], as_base=_as_pad)
def pad(
    data: Array,
    *,
    pad_width: Pairs,
    mode: Border = "constant",
    constant_value: float = 0.0,
    reflect_type: str = "even",
) -> Any:
    """Put a border around an array.

    Parameters
    ----------
    data : any array
    pad_width : the widths before and after the array, for each axis
    mode : the border's elements: a constant, the edge, the mirrored array with its edge (symmetric) or
        without (reflect), or the extreme elements along each axis
    constant_value : the constant
    reflect_type : ``"even"``
    """
    settings = {"constant_values": constant_value} if mode == "constant" else {}
    padded: Any = np.pad
    return padded(data, pad_width, mode, **settings)


@pad.infer_shape
def _(n: Any) -> None:
    if len(n.pad_width) != len(n.data):
        raise InferenceError(
            f"{title_of(n)}: pad_width={n.pad_width} must have a pair for each axis of {written(n.data)}"
        )
    if n.reflect_type != "even":
        raise InferenceError(f"{title_of(n)}: reflect_type={n.reflect_type!r} must be 'even'")
    pairs = list(zip(n.data, n.pad_width, strict=True))
    n.output = tuple(None if extent is None else extent + sum(pair) for extent, pair in pairs)
    ends = zip(n.output, n.pad_width, strict=True)
    n.data = tuple(None if extent is None else extent - sum(pair) for extent, pair in ends)


@adjoint(pad, homogeneous={"constant_value": 0.0}, base=REGISTRY["_backward_Pad"], as_base=_as_pad)
def _(
    grad: Array,
    data: Array,
    *,
    pad_width: Pairs,
    mode: Border,
    constant_value: float,
    reflect_type: str,
) -> Any:
    """Add the gradients of the border to those of the elements that it repeats."""
    if mode in ("maximum", "minimum"):
        raise InferenceError(f"_npi_pad: mode={mode!r} has no gradient")
    inside = tuple(
        slice(before, before + n) for (before, _), n in zip(pad_width, data.shape, strict=True)
    )
    if mode == "constant":
        return grad[inside]
    positions = np.pad(np.arange(data.size).reshape(data.shape), pad_width, mode).reshape(-1)
    found = np.zeros(data.size, grad.dtype)
    np.add.at(found, positions, grad.reshape(-1))
    return found.reshape(data.shape)
