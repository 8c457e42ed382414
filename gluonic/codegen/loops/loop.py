"""Operators as loops: their axes, the elements that they read and write, their expressions."""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any

from gluonic.codegen.maths.values import Dtype
from gluonic.codegen.scalar.program import ScalarProgram
from gluonic.codegen.scalar.recorder import recorded
from gluonic.codegen.shapes.symbolic import is_one
from gluonic.graph.attributes import Shape
from gluonic.graph.families import Expression
from gluonic.support.record import record

AxisMap = tuple[int | None, ...]


@record
class Read:
    """The element of an operand that is read at each point of a space.

    Attributes
    ----------
    axes : for each axis of the space, the corresponding axis of the operand; None if the element is repeated
    begin : the first index along each axis of the operand; if empty, 0 everywhere
    step : the step along each axis of the operand; if empty, 1 everywhere
    cut : the axes of the operand of which only a part is read
    """

    axes: AxisMap
    begin: tuple[int, ...] = ()
    step: tuple[int, ...] = ()
    cut: frozenset[int] = frozenset()

    @property
    def is_whole(self) -> bool:
        """Whether every axis is read from its first element with step 1."""
        return not self.begin


@record
class Loop:
    """An operator as a loop nest.

    Attributes
    ----------
    space : the extents of the axes that the loop runs over
    reads : for each input, how it is read; None for an input of which only the shape is read
    expression : one element: ``(m, *elements) -> element``, over the inputs that are read
    reduction : ``sum``, ``prod``, ``max`` or ``min``, over `axes`; None for no reduction
    axes : the axes of the space that are reduced
    finish : applied to the reduced element
    writes : for each axis of the space, the corresponding axis of the output; None if they are the same
    indexed : the axes of the space whose index the expression reads, with ``m.index(axis)``

    An expression may call ``m.extent(axes)`` for the number of elements along axes of the space, reduced or
    `indexed` ones. It is a run-time value, so one kernel serves all extents.
    """

    space: Shape
    reads: tuple[Read | None, ...]
    expression: Expression
    reduction: str | None = None
    axes: tuple[int, ...] = ()
    finish: Expression | None = None
    writes: AxisMap | None = None
    indexed: tuple[int, ...] = ()

    @property
    def written(self) -> AxisMap:
        """For each axis of the space, the corresponding axis of the result."""
        return identity(len(self.space)) if self.writes is None else self.writes

    @property
    def only_moves(self) -> bool:
        """Whether it only moves elements, or reduces them as they are."""
        return self.expression is element and self.finish is None

    def program(self, dtypes: Sequence[Dtype]) -> ScalarProgram:
        """The expression for elements of these dtypes.

        Raises
        ------
        NotLowered
            if it uses a function without machine code
        """
        return _recorded(self.expression, tuple(dtypes))

    def finishing(self, dtype: Dtype) -> ScalarProgram | None:
        """What is applied to a reduced element of a dtype; None for nothing."""
        return None if self.finish is None else _recorded(self.finish, (dtype,))


_recorded = lru_cache(maxsize=4096)(recorded)
LoopRule = Callable[[dict[str, Any], Sequence[Shape], Shape], Loop | None]
"""An operator's loop, from its attributes and the shapes of its inputs and output; None if it has none."""


def element(m: Any, x: Any) -> Any:
    """The expression of an operator that only moves elements."""
    return x


@cache
def identity(rank: int) -> AxisMap:
    """The map in which each axis of the space is the same axis of the operand.

    >>> identity(2)
    (0, 1)
    """
    return tuple(range(rank))


def stretched(shape: Shape, space: Shape) -> AxisMap:
    """The axes of an operand that is broadcast to `space` by NumPy's rules.

    >>> stretched((3, 1), (2, 3, 4))
    (None, 0, None)
    """
    added = len(space) - len(shape)
    return tuple(
        None if i < added or (is_one(shape[i - added]) and not is_one(length)) else i - added
        for i, length in enumerate(space)
    )


def kept_axes(space: Shape, axes: Sequence[int], reduced: Shape) -> AxisMap:
    """For each axis of `space`, the corresponding axis of `reduced`, its shape reduced over `axes`.

    >>> kept_axes((2, 3, 4), (1,), (2, 4)), kept_axes((2, 3, 4), (1,), (2, 1, 4))
    ((0, None, 1), (0, None, 2))
    """
    if len(reduced) == len(space):
        return tuple(None if i in axes else i for i in range(len(space)))
    remaining = iter(range(len(reduced)))
    return tuple(None if i in axes else next(remaining) for i in range(len(space)))


def reshape_map(shape: Shape, source: Shape) -> AxisMap | None:
    """For each axis of a reshaped array, the axis of its source, None for one of length 1.

    None if the shapes differ by more than axes of length 1.

    >>> reshape_map((2, 1, 3), (2, 3)), reshape_map((6,), (2, 3))
    ((0, None, 1), None)
    """
    own = [i for i, length in enumerate(shape) if not is_one(length)]
    other = [i for i, length in enumerate(source) if not is_one(length)]
    if [shape[i] for i in own] != [source[i] for i in other]:
        return None
    pairs = dict(zip(own, other, strict=True))
    return tuple(pairs.get(i) for i in range(len(shape)))


def composed(outer: AxisMap, inner: AxisMap) -> AxisMap:
    """The composition of two maps of axes: `inner` after `outer`.

    >>> composed((1, None, 0), (5, 7))
    (7, None, 5)
    """
    return tuple(None if axis is None else inner[axis] for axis in outer)
