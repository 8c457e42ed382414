"""Axes and extents in shape rules: negative axes, unknown extents, extents of slices."""

from collections.abc import Iterable
from math import prod
from typing import Any

from gluonic.graph.errors import InferenceError
from gluonic.graph.view import PartialShape, Unknown, written

Extent = int | None


def axis_of(axis: int, rank: int, title: str) -> int:
    """Count an axis from the front.

    >>> axis_of(-1, 3, "sum")
    2

    Raises
    ------
    InferenceError
        if the axis is out of range
    """
    if not -rank <= axis < rank:
        raise InferenceError(f"{title}: there is no axis {axis} in {rank} dimensions")
    return axis % rank


def axes_of(axes: Iterable[int], rank: int, title: str) -> tuple[int, ...]:
    """Count several axes from the front; duplicates are an error."""
    found = tuple(axis_of(axis, rank, title) for axis in axes)
    if len(set(found)) != len(found):
        raise InferenceError(f"{title}: the axes {tuple(axes)} name one axis twice")
    return found


def require_rank(shape: PartialShape, ranks: Iterable[int], where: str) -> None:
    """Refuse a shape whose rank is not among `ranks`."""
    allowed = tuple(ranks)
    if len(shape) not in allowed:
        wanted = " or ".join(map(str, allowed))
        raise InferenceError(f"{where} is {written(shape)} but must have {wanted} dimensions")


def replaced(shape: PartialShape, axis: int, extent: Extent) -> PartialShape:
    """Change the extent of a shape along one axis."""
    return (*shape[:axis], extent, *shape[axis + 1 :])


def without(shape: PartialShape, axis: int) -> PartialShape:
    """Remove an axis from a shape."""
    return (*shape[:axis], *shape[axis + 1 :])


def inserted(shape: PartialShape, axis: int, extent: Extent) -> PartialShape:
    """Insert an axis into a shape."""
    return (*shape[:axis], extent, *shape[axis:])


def product(extents: Iterable[Extent]) -> Extent:
    """Multiply extents; None if a factor is unknown."""
    factors = tuple(extents)
    return None if None in factors else prod(factors)  # type: ignore[arg-type]


def completed(shape: PartialShape, size: Extent) -> PartialShape:
    """Infer the one extent of a shape that is unknown from the number of elements, if it divides them.

    >>> completed((2, None, 3), 24), completed((2, None, 3), 25), completed((None, None), 4)
    ((2, 4, 3), (2, None, 3), (None, None))
    """
    if size is None or shape.count(None) != 1:
        return shape
    rest = prod([extent for extent in shape if extent is not None])
    if not rest or size % rest:
        return shape
    return tuple(size // rest if extent is None else extent for extent in shape)


def scaled(extent: Extent, factor: int) -> Extent:
    """Multiply an extent by a number."""
    return None if extent is None else extent * factor


def divided(extent: Extent, divisor: int, where: str) -> Extent:
    """Divide an extent into equal parts.

    Raises
    ------
    InferenceError
        if the remainder is not 0
    """
    if extent is None:
        return None
    if extent % divisor:
        raise InferenceError(f"{where} is {extent}, which is not a multiple of {divisor}")
    return extent // divisor


def extent_of(begin: Extent, end: Extent, step: Extent, size: Extent) -> Extent:
    """Count the elements that ``begin:end:step`` takes from an axis.

    >>> extent_of(None, None, -2, 5)
    3
    """
    if size is None:
        return None
    first, last, by = indices_of(slice(begin, end, step), size)
    if by < 0:
        first, last, by = last, first, -by
    count: int = (last - first + by - 1) // by if first < last else 0
    return count


def indices_of(part: slice, size: Any) -> tuple[Any, Any, int]:
    """Start, stop and step, as from `slice.indices`; also for extents that are symbolic expressions.

    >>> indices_of(slice(-2, None), 5)
    (3, 5, 1)
    """
    if isinstance(size, int):
        return part.indices(size)
    step = 1 if part.step is None else part.step
    low, high = (-1, size - 1) if step < 0 else (0, size)

    def bound(index: Any, otherwise: Any) -> Any:
        if index is None:
            return otherwise
        if index < 0:
            index = size + index
            return low if index < low else index
        return high if index >= high else index

    from_end = step < 0
    first = bound(part.start, high if from_end else low)
    return first, bound(part.stop, low if from_end else high), step


def known(*extents: Extent) -> tuple[int, ...]:
    """Return the extents, or raise `Unknown` if one is unknown."""
    if None in extents:
        raise Unknown
    return extents  # type: ignore[return-value]
