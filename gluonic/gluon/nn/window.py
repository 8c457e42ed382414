"""Shared parts of convolution and pooling layers: window extents, layouts, documentation."""

import inspect
from collections.abc import Sequence

from gluonic.graph.attributes import Positive
from gluonic.graph.errors import AttributeValueError, describe

Extents = int | Sequence[int]
PositiveExtents = Positive | Sequence[Positive]


def extents(size: Extents, rank: int, what: str) -> tuple[int, ...]:
    """Return one number for each of `rank` axes.

    Raises
    ------
    AttributeValueError
        for a sequence of another length
    """
    if isinstance(size, Sequence):
        if len(size) != rank:
            raise AttributeValueError(
                describe(f"{what} must be a number or {rank} numbers, not {tuple(size)}")
            )
        return tuple(int(n) for n in size)
    return (int(size),) * rank


def checked_layout(layout: str | None, allowed: Sequence[str], where: str) -> str:
    """Return the layout, for None the first of those allowed.

    Raises
    ------
    AttributeValueError
        for a layout that is not allowed
    """
    if layout is None:
        return allowed[0]
    if layout not in allowed:
        raise AttributeValueError(
            describe(f"the layout must be {' or '.join(allowed)}, not {layout!r}", where=where)
        )
    return layout


def add_parameters_of(base: type, cls: type) -> None:
    """Complete a one-line docstring by the sections of a base class's."""
    _, _, sections = inspect.cleandoc(base.__doc__ or "").partition("\n\n")
    cls.__doc__ = f"{cls.__doc__}\n\n{sections}"
