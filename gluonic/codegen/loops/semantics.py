"""What each operator is as a loop: element-wise, a reduction, a move of elements, or a relabelling of them.

Any other operator runs as a whole. This is where the compiler knows operators that are loops by name.
"""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.codegen.loops.draws import DRAWS
from gluonic.codegen.loops.loop import (
    Expression,
    Loop,
    LoopRule,
    Read,
    Shape,
    element,
    identity,
    kept_axes,
    stretched,
)
from gluonic.codegen.loops.loop_choices import CHOICES
from gluonic.codegen.loops.loop_slices import SLICES
from gluonic.graph.application import Application
from gluonic.graph.families import reduced_axes
from gluonic.graph.ops.activation import LEAKY_ACTIVATIONS


def loop_of(
    application: Application, inputs: Sequence[Shape], outputs: Sequence[Shape]
) -> Loop | None:
    """The operator as a loop over inputs of such shapes; None if it is none."""
    op = application.op
    if op.scalar is not None:
        return _elementwise(application, inputs, outputs[0])
    if op.name in _REDUCTIONS:
        return _reduction(application, inputs[0], outputs[0])
    rule = _RULES.get(op.name)
    return None if rule is None else rule(application.settings, inputs, outputs[0])


def function_of(application: Application) -> Expression | None:
    """An operator as a function of one element of each input, whatever their shape; None if it is none."""
    op = application.op
    if op.scalar is None and op.name not in _FUNCTIONS_BY_ATTRIBUTES:
        return None
    shapes = [_SOME_SHAPE] * len(application.inputs)
    loop = loop_of(application, shapes, [_SOME_SHAPE] * len(application.outputs))
    return None if loop is None else loop.expression


_SOME_SHAPE = (2, 3)
_FUNCTIONS_BY_ATTRIBUTES = {"LeakyReLU"}
"""Operators of which attributes decide whether they are functions of one element."""


def relabels(application: Application) -> bool:
    """Whether the output is the first input's elements, in order, under another shape."""
    return application.op.relabels or application.op.name in _SAME_ELEMENTS


def rearranges(application: Application) -> bool:
    """Whether the output is the first input's elements, each once, under another shape or in another order."""
    return relabels(application) or application.op.name in _PERMUTATIONS


_SELECTING = frozenset(
    {
        *("abs", "negative", "relu", "sign", "round", "rint", "ceil", "floor", "trunc", "fix"),
        *("_maximum", "broadcast_maximum", "_maximum_scalar", "clip", "where", "max", "min"),
        *("_minimum", "broadcast_minimum", "_minimum_scalar"),
        *("_copy", "BlockGrad", "make_loss", "Cast", "amp_cast", "_cast_like"),
    }
)


def is_selection(application: Application) -> bool:
    """Whether results are elements that are read, or attributes, or whole numbers, up to the sign."""
    if application.op.name == "Activation":
        return bool(application.settings["act_type"] == "relu")
    return application.op.name in _SELECTING


_PERMUTATIONS = {"transpose", "SwapAxis"}
_SAME_ELEMENTS = {
    "_copy",
    "BlockGrad",
    "MakeLoss",
    "make_loss",
    "reshape_like",
    "_identity_with_attr_like_rhs",
    "_prelu_view_like",
}


def _elementwise(application: Application, inputs: Sequence[Shape], space: Shape) -> Loop:
    scalar, settings = application.op.scalar, application.settings
    assert scalar is not None

    def expression(m: Any, *elements: Any) -> Any:
        return scalar(m, *elements, **settings)

    return Loop(space, tuple(Read(stretched(shape, space)) for shape in inputs), expression)


def _divided(settings: dict[str, Any], axes: tuple[int, ...]) -> Expression:
    """The mean over `axes`, from a sum."""
    return lambda m, total: total / m.extent(axes)


def _averaged(settings: dict[str, Any], axes: tuple[int, ...]) -> Expression:
    """The mean over `axes`, which is 0 if there is nothing, from a sum."""
    return lambda m, total: total / m.maximum(m.extent(axes), 1)


def _norm_element(m: Any, x: Any, ord: int = 2) -> Any:
    if x.dtype.kind != "f":  # squares of small integers have no room in their dtype
        x = m.astype(x, "int64")
    return m.abs(x) if ord == 1 else x * x


def _norm_finish(settings: dict[str, Any], axes: tuple[int, ...]) -> Expression | None:
    return None if settings["ord"] == 1 else lambda m, total: m.sqrt(total)


_Finish = Callable[[dict[str, Any], tuple[int, ...]], Expression | None]
_REDUCTIONS: dict[str, tuple[str, Expression, _Finish | None]] = {
    "sum": ("sum", element, None),
    "mean": ("sum", element, _divided),
    "_average": ("sum", element, _averaged),
    "prod": ("prod", element, None),
    "max": ("max", element, None),
    "min": ("min", element, None),
    "nansum": ("sum", lambda m, x: m.where(m.isnan(x), 0.0, x), None),
    "nanprod": ("prod", lambda m, x: m.where(m.isnan(x), 1.0, x), None),
    "norm": ("sum", _norm_element, _norm_finish),
}


def _reduction(application: Application, shape: Shape, output: Shape) -> Loop:
    settings, name = application.settings, application.op.name
    axes = reduced_axes(settings["axis"], len(shape), settings.get("exclude", False))
    kind, expression, finish = _REDUCTIONS[name]
    if name == "norm":
        order = settings["ord"]
        expression = lambda m, x: _norm_element(m, x, order)  # noqa: E731
    written = kept_axes(shape, axes, output)
    end = None if finish is None else finish(settings, axes)
    return Loop(shape, (Read(identity(len(shape))),), expression, kind, axes, end, written)


def _only_first(read: Read, inputs: Sequence[Shape]) -> tuple[Read | None, ...]:
    return (read, *(None for _ in inputs[1:]))


def _broadcast(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    return Loop(output, _only_first(Read(stretched(inputs[0], output)), inputs), element)


def _transpose(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    rank = len(inputs[0])
    axes = settings["axes"] or tuple(reversed(range(rank)))
    return Loop(output, (Read(tuple(axis % rank for axis in axes)),), element)


def _swap_axes(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    order = list(identity(len(inputs[0])))
    first, second = settings["dim1"] % len(order), settings["dim2"] % len(order)
    order[first], order[second] = order[second], order[first]
    return Loop(output, (Read(tuple(order)),), element)


def _reduce_like(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    shape, target = inputs
    read = (Read(identity(len(shape))), None)
    written = stretched(target, shape)
    axes = tuple(i for i, axis in enumerate(written) if axis is None)
    if not axes:
        return Loop(output, read, element)
    return Loop(shape, read, element, "sum", axes, writes=written)


def _spread(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """The gradient of a sum: each element of the gradient goes to all that went into it."""
    axes = reduced_axes(settings["axis"], len(output), settings.get("exclude", False))
    return Loop(output, (Read(kept_axes(output, axes, inputs[0])), None), element)


def _spread_mean(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    loop = _spread(settings, inputs, output)
    axes = reduced_axes(settings["axis"], len(output), settings.get("exclude", False))
    return Loop(output, loop.reads, _divided(settings, axes))


def _constant(value: Any) -> LoopRule:
    def make(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
        number = value(settings) if callable(value) else value
        return Loop(output, tuple(None for _ in inputs), lambda m: number)

    return make


def _add_n(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    def expression(m: Any, *elements: Any) -> Any:
        total = elements[0]
        for other in elements[1:]:
            total = total + other
        return total

    return Loop(output, tuple(Read(identity(len(output))) for _ in inputs), expression)


def _where(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    condition = inputs[0]
    if len(condition) == len(output):
        read = Read(stretched(condition, output))
    else:  # one condition for each row
        read = Read((0, *(None for _ in output[1:])))
    whole = Read(identity(len(output)))
    return Loop(output, (read, whole, whole), lambda m, c, x, y: m.where(m.not_equal(c, 0), x, y))


def _leaky(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop | None:
    function = LEAKY_ACTIVATIONS.get(settings["act_type"])
    if function is None:
        return None
    slope = settings["slope"]
    read = (Read(identity(len(output))),)
    return Loop(output, read, lambda m, x: function.expression(m, x, slope))


def _div_sqrt_dim(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    last = (len(output) - 1,)

    def expression(m: Any, x: Any) -> Any:
        return x / m.sqrt(m.astype(m.extent(last), x.dtype))

    return Loop(output, (Read(identity(len(output))),), expression, indexed=last)


def _cast_as(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    return Loop(output, (Read(identity(len(output))), None), element)


def _overwrite(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    return Loop(output, (None, Read(identity(len(output)))), element)


_RULES: dict[str, LoopRule] = {
    "broadcast_to": _broadcast,
    "broadcast_axis": _broadcast,
    "broadcast_like": _broadcast,
    "_reduce_like": _reduce_like,
    "_backward_sum": _spread,
    "_backward_mean": _spread_mean,
    "transpose": _transpose,
    "SwapAxis": _swap_axes,
    **dict.fromkeys(("_zeros", "_zeros_without_dtype", "zeros_like"), _constant(0.0)),
    **dict.fromkeys(("_ones", "ones_like"), _constant(1.0)),
    "_full": _constant(lambda settings: settings["value"]),
    "add_n": _add_n,
    "where": _where,
    "LeakyReLU": _leaky,
    "_contrib_div_sqrt_dim": _div_sqrt_dim,
    "_cast_as": _cast_as,
    "_overwrite": _overwrite,
    **SLICES,
    **CHOICES,
    **DRAWS,
}
