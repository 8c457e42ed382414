"""What each operator is as a loop: which axes it runs over, which elements it reads, what it computes.

An operator is element-wise, a reduction, a mere move of elements, or a relabelling of the same elements; any
other runs as a whole. This is the only place where the compiler knows operators by name.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gluonic.graph.families import reduced_axes
from gluonic.graph.operator import Application

Shape = tuple[int, ...]
AxisMap = tuple[int | None, ...]
Expression = Callable[..., Any]


@dataclass(frozen=True)
class Loop:
    """An operator as a loop nest.

    Attributes
    ----------
    space : the extents of the axes that the loop runs over
    reads : for each input, for each axis of the space the axis of the input it moves along (None: none, the
        element is repeated); None for an input of which only the shape counts
    expression : one element: ``(m, *elements) -> element``, over the inputs that are read
    reduction : ``sum``, ``prod``, ``max`` or ``min`` for a reduction over `axes`
    axes : the axes of the space that are reduced
    finish : applied to the reduced element
    writes : for each axis of the space the axis of the output it moves along; None for all in order

    An expression may ask ``m.extent(axes)`` for the number of elements along axes of the space, which only
    a run tells: one kernel serves all extents.
    """

    space: Shape
    reads: tuple[AxisMap | None, ...]
    expression: Expression
    reduction: str | None = None
    axes: tuple[int, ...] = ()
    finish: Expression | None = None
    writes: AxisMap | None = None

    @property
    def written(self) -> AxisMap:
        """How the result lies in the space."""
        return tuple(range(len(self.space))) if self.writes is None else self.writes

    @property
    def is_move(self) -> bool:
        """Whether the loop computes nothing."""
        return self.expression is _element and self.reduction is None


def _element(m: Any, x: Any) -> Any:
    return x


def stretched(shape: Shape, space: Shape) -> AxisMap:
    """How an operand is read that is broadcast to `space` as NumPy does.

    >>> stretched((3, 1), (2, 3, 4))
    (None, 0, None)
    """
    added = len(space) - len(shape)
    return tuple(
        None if i < added or (shape[i - added] == 1 and length != 1) else i - added
        for i, length in enumerate(space)
    )


def loop_of(
    application: Application, inputs: Sequence[Shape], outputs: Sequence[Shape]
) -> Loop | None:
    """The operator as a loop over inputs of such shapes; None if it is none."""
    op = application.op
    if op.scalar is not None:
        return _elementwise(application, inputs, outputs[0])
    if op.reduction in _REDUCTIONS:
        return _reduction(application, inputs[0], outputs[0])
    special = _SPECIAL.get(op.name)
    return None if special is None else special(application.settings, inputs, outputs[0])


def relabels(application: Application) -> bool:
    """Whether the output is the first input's elements, in order, under another shape."""
    return application.op.relabels or application.op.name in _SAME_ELEMENTS


_SAME_ELEMENTS = {
    "_copy",
    "BlockGrad",
    "MakeLoss",
    "make_loss",
    "reshape_like",
    "_identity_with_attr_like_rhs",
}


def _elementwise(application: Application, inputs: Sequence[Shape], space: Shape) -> Loop:
    scalar, settings = application.op.scalar, application.settings
    assert scalar is not None

    def expression(m: Any, *elements: Any) -> Any:
        return scalar(m, *elements, **settings)

    return Loop(space, tuple(stretched(shape, space) for shape in inputs), expression)


def _divided(axes: tuple[int, ...]) -> Expression:
    """The mean over `axes`, from a sum."""
    return lambda m, total: total / m.extent(axes)


_REDUCTIONS: dict[str, tuple[str, Expression, Callable[[tuple[int, ...]], Expression] | None]] = {
    "sum": ("sum", _element, None),
    "mean": ("sum", _element, _divided),
    "prod": ("prod", _element, None),
    "max": ("max", _element, None),
    "min": ("min", _element, None),
    "nansum": ("sum", lambda m, x: m.where(m.isnan(x), 0.0, x), None),
    "nanprod": ("prod", lambda m, x: m.where(m.isnan(x), 1.0, x), None),
}


def _reduction(application: Application, shape: Shape, output: Shape) -> Loop:
    settings = application.settings
    axes = reduced_axes(settings["axis"], len(shape), settings.get("exclude", False))
    kind, expression, finish = _REDUCTIONS[application.op.reduction or ""]
    written = kept_axes(shape, axes, output)
    reads = (_identity(shape),)
    return Loop(shape, reads, expression, kind, axes, finish and finish(axes), written)


def _identity(shape: Shape) -> AxisMap:
    return tuple(range(len(shape)))


def _broadcast(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    return Loop(output, _only_first(stretched(inputs[0], output), inputs), _element)


def _only_first(read: AxisMap, inputs: Sequence[Shape]) -> tuple[AxisMap | None, ...]:
    return (read, *(None for _ in inputs[1:]))


def _transpose(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    rank = len(inputs[0])
    axes = settings["axes"] or tuple(reversed(range(rank)))
    return Loop(output, (tuple(axis % rank for axis in axes),), _element)


def _swap_axes(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    order = list(_identity(inputs[0]))
    first, second = settings["dim1"] % len(order), settings["dim2"] % len(order)
    order[first], order[second] = order[second], order[first]
    return Loop(output, (tuple(order),), _element)


def _reduce_like(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    shape, target = inputs
    if shape == target:
        return Loop(output, (_identity(output), None), _element)
    written = stretched(target, shape)
    axes = tuple(i for i, read in enumerate(written) if read is None)
    return Loop(shape, (_identity(shape), None), _element, "sum", axes, writes=written)


def _spread(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """The gradient of a sum: each element of the gradient goes to all that went into it."""
    axes = reduced_axes(settings["axis"], len(output), settings.get("exclude", False))
    return Loop(output, (kept_axes(output, axes, inputs[0]), None), _element)


def _spread_mean(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    axes = reduced_axes(settings["axis"], len(output), settings.get("exclude", False))
    reads = (kept_axes(output, axes, inputs[0]), None)
    return Loop(output, reads, _divided(axes))


def kept_axes(space: Shape, axes: Sequence[int], reduced: Shape) -> AxisMap:
    """How something of the shape `reduced`, left of `space` by a reduction over `axes`, is read over `space`.

    >>> kept_axes((2, 3, 4), (1,), (2, 4)), kept_axes((2, 3, 4), (1,), (2, 1, 4))
    ((0, None, 1), (0, None, 2))
    """
    if len(reduced) == len(space):
        return tuple(None if i in axes else i for i in range(len(space)))
    remaining = iter(range(len(reduced)))
    return tuple(None if i in axes else next(remaining) for i in range(len(space)))


def _zero_like(value: float) -> Callable[[dict[str, Any], Sequence[Shape], Shape], Loop]:
    def make(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
        return Loop(output, tuple(None for _ in inputs), lambda m: value)

    return make


_SPECIAL: dict[str, Callable[[dict[str, Any], Sequence[Shape], Shape], Loop]] = {
    "broadcast_to": _broadcast,
    "broadcast_axis": _broadcast,
    "broadcast_like": _broadcast,
    "_reduce_like": _reduce_like,
    "_backward_sum": _spread,
    "_backward_mean": _spread_mean,
    "transpose": _transpose,
    "SwapAxis": _swap_axes,
    "zeros_like": _zero_like(0.0),
    "ones_like": _zero_like(1.0),
}
