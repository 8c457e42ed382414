"""Slices of arrays: reading them, writing them, and the gradients of both."""

from typing import Any

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.attributes import OptionalInts, Shape
from gluonic.graph.axes import Extent, axis_of, extent_of, replaced, require_rank
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, PartialShape, settings_of, title_of, written

Index = tuple[slice, ...]


def _given(step: OptionalInts) -> OptionalInts:
    """The steps, if any is given; otherwise an empty tuple."""
    return step if any(each is not None for each in step) else ()


def _index(begin: OptionalInts, end: OptionalInts, step: OptionalInts) -> Index:
    steps = _given(step) or (None,) * len(begin)
    return tuple(slice(*each) for each in zip(begin, end, steps, strict=True))


def _sliced(n: NodeView, shape: PartialShape) -> PartialShape:
    """Find the shape of the slice ``begin:end:step`` of a shape."""
    fits = len(n.begin) == len(n.end) <= len(shape)
    if not fits or len(_given(n.step)) not in (0, len(n.begin)):
        raise InferenceError(
            f"{title_of(n)}: begin {n.begin}, end {n.end} and step {n.step} must have the same length,"
            f" at most the number of axes of {written(shape)}"
        )
    if 0 in n.step:
        raise InferenceError(f"{title_of(n)}: step {n.step} must not be 0")
    index = _index(n.begin, n.end, n.step)
    extents = [
        extent_of(each.start, each.stop, each.step, extent)
        for each, extent in zip(index, shape, strict=False)
    ]
    return (*extents, *shape[len(index) :])


@operator("slice", "crop")
def slice_(data: Array, *, begin: OptionalInts, end: OptionalInts, step: OptionalInts = ()) -> Any:
    """Slice an array, as Python's ``data[begin[0]:end[0]:step[0], ...]`` does.

    Parameters
    ----------
    data : any array
    begin, end : a number or None for each of the first axes; negative ones count from the end
    step : likewise; not 0, by default 1 everywhere
    """
    return data[_index(begin, end, step)]


@slice_.infer_shape
def _(n: NodeView) -> None:
    n.output = _sliced(n, n.data)


@adjoint(slice_)
def _(grad: Array, data: Array, *, begin: OptionalInts, end: OptionalInts, step: Any) -> Any:
    """Put the gradient at the slice, zeros elsewhere."""
    result = np.zeros_like(data)
    result[_index(begin, end, step)] = grad
    return result


@operator("_slice_assign", "_crop_assign")
def slice_assign(
    lhs: Array, rhs: Array, *, begin: OptionalInts, end: OptionalInts, step: OptionalInts = ()
) -> Any:
    """Copy `lhs` with the slice ``begin:end:step`` replaced by `rhs`."""
    result = lhs.copy()
    result[_index(begin, end, step)] = rhs
    return result


@slice_assign.infer_shape
def _(n: NodeView) -> None:
    like("lhs")(n)
    n.rhs = _sliced(n, n.lhs)


def _piece(n: NodeView) -> dict[str, OptionalInts]:
    return {"begin": n.begin, "end": n.end, "step": n.step}


slice_assign.gradient(
    lhs=lambda F, n, g: F._slice_assign_scalar(g, scalar=0.0, **_piece(n)),
    rhs=lambda F, n, g: F.slice(g, **_piece(n)),
)


@operator("_slice_assign_scalar", "_crop_assign_scalar")
def slice_assign_scalar(
    data: Array,
    *,
    scalar: float = 0,
    begin: OptionalInts,
    end: OptionalInts,
    step: OptionalInts = (),
) -> Any:
    """Copy `data` with the slice ``begin:end:step`` set to a number."""
    result = data.copy()
    result[_index(begin, end, step)] = scalar
    return result


@slice_assign_scalar.infer_shape
def _(n: NodeView) -> None:
    like("data")(n)
    _sliced(n, n.data)


slice_assign_scalar.gradient(
    data=lambda F, n, g: F._slice_assign_scalar(g, scalar=0.0, **_piece(n))
)


@operator("slice_axis")
def slice_axis(data: Array, *, axis: int, begin: int, end: int | None) -> Any:
    """Take the elements ``begin:end`` along one axis.

    Parameters
    ----------
    data : any array
    axis : the axis
    begin : the first index; negative ones count from the end
    end : the end, exclusive; None takes all remaining elements
    """
    return data[_along(axis, data.ndim, begin, end)]


def _along(axis: int, rank: int, begin: int, end: int | None) -> Index:
    """The index of the slice ``begin:end`` along one axis."""
    return (slice(None),) * (axis % rank) + (slice(begin, end),)


def _range_length(n: NodeView, extent: Extent) -> Extent:
    """Count the elements ``begin:end`` of an axis; refuse an empty range, as in MXNet."""
    if extent is None or extent == 0:
        return extent
    start: int = n.begin + extent * (n.begin < 0)
    stop: int = extent if n.end is None else n.end + extent * (n.end < 0)
    if not 0 <= start < stop <= extent:
        raise InferenceError(
            f"{title_of(n)}: {n.begin}:{n.end} is not a range of elements of an axis of {extent}"
        )
    return stop - start


@slice_axis.infer_shape
def _(n: NodeView) -> None:
    axis = axis_of(n.axis, len(n.data), title_of(n))
    n.output = replaced(n.data, axis, _range_length(n, n.data[axis]))
    n.data = replaced(n.output, axis, n.data[axis])


@adjoint(slice_axis)
def _(grad: Array, data: Array, *, axis: int, begin: int, end: int | None) -> Any:
    """Put the gradient at the slice, zeros elsewhere."""
    result = np.zeros_like(data)
    result[_along(axis, data.ndim, begin, end)] = grad
    return result


@operator("slice_like")
def slice_like(data: Array, shape_like: Array, *, axes: Shape = ()) -> Any:
    """Slice an array to the lengths of another.

    Parameters
    ----------
    data : any array
    shape_like : an array with the new lengths; its elements are not used
    axes : the axes to slice along; by default all, and both arrays have the same number of axes
    """
    rank = data.ndim
    cut = {axis % rank for axis in axes} if axes else range(rank)
    return data[tuple(slice(shape_like.shape[i] if i in cut else None) for i in range(rank))]


@slice_like.infer_shape
def _(n: NodeView) -> None:
    data, other = n.data, n.shape_like
    rank = len(data)
    if not n.axes:
        require_rank(other, (rank,), f"{title_of(n)}: shape_like, unless axes are given,")
    shape = data
    for axis in [axis_of(each, rank, title_of(n)) for each in n.axes or range(rank)]:
        if axis >= len(other):
            raise InferenceError(
                f"{title_of(n)}: shape_like is {written(other)}, without axis {axis}"
            )
        wanted, extent = other[axis], data[axis]
        if wanted is not None and extent is not None and wanted > extent:
            raise InferenceError(
                f"{title_of(n)}: axis {axis} of data has {extent} elements, shape_like {wanted}"
            )
        shape = replaced(shape, axis, wanted)
    n.output = shape


slice_like.infer_dtype(like("data"))


@adjoint(slice_like)
def _(grad: Array, data: Array, shape_like: Array, *, axes: Shape) -> Any:
    """Put the gradient at the slice, zeros elsewhere."""
    result = np.zeros_like(data)
    result[tuple(slice(extent) for extent in grad.shape)] = grad
    return result


@operator("Crop", count="num_args")
def crop(
    *arg: Array,
    num_args: int,
    offset: Shape = (0, 0),
    h_w: Shape = (0, 0),
    center_crop: bool = False,
) -> Any:
    """Crop images to a window (for old models; `slice` and `slice_like` do more).

    Parameters
    ----------
    arg : the images, (batch, channels, height, width), and optionally an array of the wanted size
    num_args : 2, or 1 if `h_w` gives the size
    offset : the upper left corner of the window
    h_w : its height and width
    center_crop : centre the window instead
    """
    return arg[0][_window(offset, h_w, center_crop, *(each.shape for each in arg))]


def _window(
    offset: Shape, size: Shape, center: bool, data: PartialShape, like: PartialShape = ()
) -> Index:
    """The index of the window."""
    wanted: Any = like[2:] or size
    corner = [(a - b) // 2 for a, b in zip(data[2:], wanted, strict=True)] if center else offset
    return (
        slice(None),
        slice(None),
        *(slice(start, start + length) for start, length in zip(corner, wanted, strict=True)),
    )


@crop.infer_shape
def _(n: NodeView) -> None:
    shapes = n.arg
    if not 1 <= len(shapes) <= 2:
        raise InferenceError(f"{title_of(n)}: takes one or two inputs, not {len(shapes)}")
    if shapes[0] is None:
        return
    require_rank(shapes[0], (4,), f"{title_of(n)}: the image")
    size: PartialShape = n.h_w
    if len(shapes) == 2:
        if shapes[1] is None:
            return
        require_rank(shapes[1], (4,), f"{title_of(n)}: the second input")
        size = shapes[1][2:]
    start = (0, 0) if n.center_crop else n.offset
    for length, first, extent in zip(size, start, shapes[0][2:], strict=True):
        if None not in (length, extent) and not (length > 0 and first + length <= extent):  # type: ignore[operator]
            raise InferenceError(
                f"{title_of(n)}: {written(shapes[0])} has no window of {written(size)} at {start}"
            )
    n.output = (*shapes[0][:2], *size)


@crop.all_gradients
def _(F: Any, n: NodeView, heads: Any) -> dict[str, Any]:
    return {
        "arg": [F._backward_Crop(heads[0], *n.arg, **settings_of(n)), *[None] * (n.num_args - 1)]
    }


@operator("_backward_Crop", count="num_args")
def crop_back(
    grad: Array, *arg: Array, num_args: int, offset: Shape, h_w: Shape, center_crop: bool
) -> Any:
    """Put the gradient at the window, zeros elsewhere."""
    result = np.zeros_like(arg[0])
    result[_window(offset, h_w, center_crop, *(each.shape for each in arg))] = grad
    return result


@crop_back.infer_shape
def _(n: NodeView) -> None:
    if n.arg[0] is not None:
        n.output = n.arg[0]


@crop_back.all_gradients
def _(F: Any, n: NodeView, heads: Any) -> dict[str, Any]:
    return {"grad": F.Crop(heads[0], *n.arg[1:], **settings_of(n))}
