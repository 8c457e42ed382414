"""Reshaping: the same elements in the same order."""

from typing import Any

from gluonic.graph.attributes import Axes, Shape
from gluonic.graph.axes import axes_of, axis_of, completed, inserted, product, without
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.reshaping import legacy_reshaped, reshaped, reshaped_backwards
from gluonic.graph.rules import like, same
from gluonic.graph.view import NodeView, PartialShape, Unknown, peek, settings_of, title_of, written


def as_before(F: Any, n: NodeView, g: Any) -> Any:
    """Reshape the gradient of a reshaping operator to its input's shape."""
    return F.reshape_like(g, n.data)


@operator("Reshape", "reshape", is_view=True)
def reshape(
    data: Array,
    *,
    shape: Shape = (),
    reverse: bool = False,
    target_shape: Shape = (),
    keep_highest: bool = False,
) -> Array:
    """Give the elements another shape.

    Parameters
    ----------
    data : any array
    shape : the new extents, or codes

        ====== ==========================================================================
        0      keep the input's axis at this position
        -1     inferred from the number of elements; at most once
        -2     all remaining axes of the input
        -3     the product of the input's next two axes
        -4     the input's next axis, split into the two extents that follow (one may be -1)
        ====== ==========================================================================
    reverse : match `shape` and the input's axes from right to left
    target_shape : for old models; one 0 is inferred
    keep_highest : for old models: keep the first axis, whatever `target_shape` has there
    """
    return data.view()


@reshape.infer_shape
def _(n: NodeView) -> None:
    if n.shape:
        n.output = (reshaped_backwards if n.reverse else reshaped)(n.data, n.shape, title_of(n))
    elif n.target_shape:
        n.output = legacy_reshaped(n.data, n.target_shape, n.keep_highest, title_of(n))
    else:
        raise InferenceError(f"{title_of(n)}: needs shape=")
    n.data = completed(n.data, product(n.output))


reshape.gradient(data=as_before)


@operator("reshape_like", is_view=True)
def reshape_like(
    lhs: Array,
    rhs: Array,
    *,
    lhs_begin: int | None = None,
    lhs_end: int | None = None,
    rhs_begin: int | None = None,
    rhs_end: int | None = None,
) -> Array:
    """Replace the axes ``lhs_begin:lhs_end`` of `lhs` by the axes ``rhs_begin:rhs_end`` of `rhs`.

    Parameters
    ----------
    lhs : the elements
    rhs : the shape; its elements are not used
    lhs_begin, lhs_end, rhs_begin, rhs_end : half-open ranges of axes, negative ones counted from
        the end; by default all axes
    """
    return lhs.view()


def _axis_range(
    begin: int | None, end: int | None, shape: PartialShape, where: str
) -> tuple[int, int]:
    rank = len(shape)
    start, stop = (
        default if value is None else value + rank * (value < 0)
        for value, default in ((begin, 0), (end, rank))
    )
    if not 0 <= start < stop <= rank:
        raise InferenceError(f"{where} {begin}:{end} are no axes of {written(shape)}")
    return start, stop


def _ranges(n: NodeView) -> PartialShape:
    lhs, rhs = n.lhs, n.rhs
    first, last = _axis_range(n.lhs_begin, n.lhs_end, lhs, f"{title_of(n)}: lhs_begin:lhs_end")
    start, stop = _axis_range(n.rhs_begin, n.rhs_end, rhs, f"{title_of(n)}: rhs_begin:rhs_end")
    return (*lhs[:first], *rhs[start:stop], *lhs[last:])


@reshape_like.infer_shape
def _(n: NodeView) -> None:
    settings = settings_of(n).values()
    n.output = n.rhs if all(value is None for value in settings) else _ranges(n)
    given, wanted = product(n.lhs), product(n.output)
    if None not in (given, wanted) and given != wanted:
        raise InferenceError(
            f"{title_of(n)}: {written(n.lhs)} has not as many elements as {written(n.output)}"
        )


reshape_like.infer_dtype(like("lhs"))
reshape_like.gradient(lhs=lambda F, n, g: F.reshape_like(g, n.lhs))


@operator("_identity_with_attr_like_rhs", is_view=True)
def identity_like(lhs: Array, rhs: Array) -> Array:
    """`lhs` unchanged; its shape and dtype are those of `rhs`."""
    return lhs.view()


identity_like.infer_shape(same)
identity_like.gradient(lhs=lambda F, n, g: g)


@operator("_copyto", is_view=True)
def copy_to(data: Array) -> Any:
    """Copy an array, usually to another one."""
    return data.view()


copy_to.gradient(data=lambda F, n, g: g)


@operator("Flatten", "flatten", is_view=True)
def flatten(data: Array) -> Array:
    """Join all axes but the first: ``(batch, a, b, ...)`` becomes ``(batch, a*b*...)``."""
    return data.view()


@flatten.infer_shape
def _(n: NodeView) -> None:
    batch, *others = n.data
    n.output = (batch, product(others))
    n.data = (n.output[0], *others)
    n.data = completed(n.data, product(n.output))


flatten.gradient(data=as_before)


@operator("expand_dims", is_view=True)
def expand_dims(data: Array, *, axis: int) -> Array:
    """Insert an axis of length one before `axis`; -1 appends it."""
    return data.view()


@expand_dims.infer_shape
def _(n: NodeView) -> None:
    output = peek(n, "output")
    if output is not None:
        n.data = without(output, axis_of(n.axis, len(output), title_of(n)))
    n.output = inserted(n.data, axis_of(n.axis, len(n.data) + 1, title_of(n)), 1)


expand_dims.gradient(data=as_before)


@operator("squeeze", is_view=True)
def squeeze(data: Array, *, axis: Axes = None) -> Array:
    """Drop axes of length one: all of them, or those in `axis`; at least one axis remains."""
    return data.view()


def _squeezed(n: NodeView) -> tuple[int, ...]:
    """Find the axes to drop."""
    data = n.data
    if n.axis is None:
        if None in data:
            raise Unknown
        return tuple(i for i, extent in enumerate(data) if extent == 1)
    axes = axes_of((n.axis,) if isinstance(n.axis, int) else n.axis, len(data), title_of(n))
    for axis in axes:
        if data[axis] not in (1, None):
            raise InferenceError(
                f"{title_of(n)}: axis {axis} of {written(data)} is not of length one"
            )
    return axes


@squeeze.infer_shape
def _(n: NodeView) -> None:
    dropped = _squeezed(n)
    n.output = tuple(extent for i, extent in enumerate(n.data) if i not in dropped) or (1,)
    if len(dropped) < len(n.data):
        left = iter(n.output)
        n.data = tuple(1 if i in dropped else next(left) for i in range(len(n.data)))


squeeze.gradient(data=as_before)
