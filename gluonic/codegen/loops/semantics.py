"""Operators as loops: element-wise, a reduction, a permutation of elements, or a reshape.

Any other operator runs as a whole. An operator's entry in `lowerings/` names its loop here.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from gluonic.codegen.loops.loop import Loop, LoopRule, Read, element, identity, kept_axes, stretched
from gluonic.codegen.lowerings.entry import lowering_of, rule_at
from gluonic.graph import Application
from gluonic.graph.attributes import Shape
from gluonic.graph.families import Expression, reduced_axes
from gluonic.graph.ops.activation import LEAKY_ACTIVATIONS


def loop_of(
    application: Application, inputs: Sequence[Shape], outputs: Sequence[Shape]
) -> Loop | None:
    """The operator as a loop over inputs of these shapes; None if it is none."""
    op = application.op
    if op.scalar is not None:
        return _elementwise(application, inputs, outputs[0])
    rule = lowering_of(op).loop
    if rule is None:
        return None
    loop: Loop | None = rule_at(rule)(application.settings, inputs, outputs[0])
    return loop


def function_of(application: Application) -> Expression | None:
    """An operator as a function of one element of each input, for all shapes; None for other operators."""
    op = application.op
    if op.scalar is None and not lowering_of(op).is_function:
        return None
    shapes = [_SOME_SHAPE] * len(application.inputs)
    loop = loop_of(application, shapes, [_SOME_SHAPE] * len(application.outputs))
    return None if loop is None else loop.expression


_SOME_SHAPE = (2, 3)


def is_view(application: Application) -> bool:
    """Whether the output is the first input's elements, in order, under another shape."""
    return application.op.is_view or lowering_of(application.op).is_view


def is_permutation(application: Application) -> bool:
    """Whether the output is the first input's elements, each once, under another shape or in another order."""
    return is_view(application) or lowering_of(application.op).permutes


def is_selection(application: Application) -> bool:
    """Whether each result is an input element, an attribute, or an integer, up to its sign."""
    selects = lowering_of(application.op).selects
    return selects(application.settings) if callable(selects) else selects


def _elementwise(application: Application, inputs: Sequence[Shape], space: Shape) -> Loop:
    reads = tuple(Read(stretched(shape, space)) for shape in inputs)
    return Loop(space, reads, _expression_of(application))


@lru_cache(maxsize=4096)
def _expression_of(application: Application) -> Expression:
    """One function for all loops of an operator, so that it is recorded once."""
    scalar, settings = application.op.scalar, application.settings
    assert scalar is not None

    def expression(m: Any, *elements: Any) -> Any:
        return scalar(m, *elements, **settings)

    return expression


def _divided(settings: dict[str, Any], axes: tuple[int, ...]) -> Expression:
    """The mean over `axes`, from a sum."""
    return lambda m, total: total / m.extent(axes)


def _averaged(settings: dict[str, Any], axes: tuple[int, ...]) -> Expression:
    """The mean over `axes` from a sum; 0 if there are no elements."""
    return lambda m, total: total / m.maximum(m.extent(axes), 1)


def _norm_element(m: Any, x: Any, ord: int = 2) -> Any:
    if x.dtype.kind != "f":  # squares of small integers would overflow their dtype
        x = m.astype(x, "int64")
    return m.abs(x) if ord == 1 else x * x


def _norm_finish(settings: dict[str, Any], axes: tuple[int, ...]) -> Expression | None:
    return None if settings["ord"] == 1 else lambda m, total: m.sqrt(total)


_Finish = Callable[[dict[str, Any], tuple[int, ...]], Expression | None]


def _reduction(kind: str, expression: Expression, finish: _Finish | None = None) -> LoopRule:
    def make(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
        (shape,) = inputs
        axes = reduced_axes(settings["axis"], len(shape), settings.get("exclude", False))
        end = None if finish is None else finish(settings, axes)
        reads, written = (Read(identity(len(shape))),), kept_axes(shape, axes, output)
        return Loop(shape, reads, expression, kind, axes, end, written)

    return make


sum_over = _reduction("sum", element)
mean = _reduction("sum", element, _divided)
average_of = _reduction("sum", element, _averaged)
prod = _reduction("prod", element)
largest = _reduction("max", element)
smallest = _reduction("min", element)
any_over = _reduction(
    "sum",
    lambda m, x: m.astype(m.not_equal(x, 0), "int64"),
    lambda settings, axes: lambda m, count: m.not_equal(count, 0),
)
all_over = _reduction(
    "sum",
    lambda m, x: m.astype(m.equal(x, 0), "int64"),
    lambda settings, axes: lambda m, count: m.equal(count, 0),
)
nansum = _reduction("sum", lambda m, x: m.where(m.isnan(x), 0.0, x))
nanprod = _reduction("prod", lambda m, x: m.where(m.isnan(x), 1.0, x))


def norm(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop | None:
    """The sum of magnitudes, or the root of the sum of squares."""
    order = settings["ord"]
    rule = _reduction("sum", lambda m, x: _norm_element(m, x, order), _norm_finish)
    return rule(settings, inputs, output)


def _only_first(read: Read, inputs: Sequence[Shape]) -> tuple[Read | None, ...]:
    return (read, *(None for _ in inputs[1:]))


def broadcast(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """Elements repeated along axes."""
    return Loop(output, _only_first(Read(stretched(inputs[0], output)), inputs), element)


def transpose(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """Elements with permuted axes."""
    rank = len(inputs[0])
    axes = settings["axes"] or tuple(reversed(range(rank)))
    return Loop(output, (Read(tuple(axis % rank for axis in axes)),), element)


def swap_axes(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """Elements with two axes exchanged."""
    order = list(identity(len(inputs[0])))
    first, second = settings["dim1"] % len(order), settings["dim2"] % len(order)
    order[first], order[second] = order[second], order[first]
    return Loop(output, (Read(tuple(order)),), element)


def reduce_like(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """Sums over the axes of extent 1 in the other array."""
    shape, target = inputs
    read = (Read(identity(len(shape))), None)
    written = stretched(target, shape)
    axes = tuple(i for i, axis in enumerate(written) if axis is None)
    if not axes:
        return Loop(output, read, element)
    return Loop(shape, read, element, "sum", axes, writes=written)


def spread(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """The gradient of a sum: each element of the output's gradient is repeated for all its terms."""
    axes = reduced_axes(settings["axis"], len(output), settings.get("exclude", False))
    return Loop(output, (Read(kept_axes(output, axes, inputs[0])), None), element)


def spread_mean(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """The gradient of a mean."""
    loop = spread(settings, inputs, output)
    axes = reduced_axes(settings["axis"], len(output), settings.get("exclude", False))
    return Loop(output, loop.reads, _divided(settings, axes))


def _constant(value: Any) -> LoopRule:
    def make(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
        number = value(settings) if callable(value) else value
        return Loop(output, tuple(None for _ in inputs), lambda m: number)

    return make


zeros = _constant(0.0)
ones = _constant(1.0)
filled = _constant(lambda settings: settings["value"])
filled_like = _constant(lambda settings: settings["fill_value"])


def add_n(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """The sum of arrays."""

    def expression(m: Any, *elements: Any) -> Any:
        total = elements[0]
        for other in elements[1:]:
            total = total + other
        return total

    return Loop(output, tuple(Read(identity(len(output))) for _ in inputs), expression)


def where(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """Elements of one array or the other."""
    condition = inputs[0]
    if len(condition) == len(output):
        read = Read(stretched(condition, output))
    else:  # one condition for each row
        read = Read((0, *(None for _ in output[1:])))
    whole = Read(identity(len(output)))
    return Loop(output, (read, whole, whole), lambda m, c, x, y: m.where(m.not_equal(c, 0), x, y))


def leaky(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop | None:
    """Leaky rectifiers whose slope is an attribute."""
    function = LEAKY_ACTIVATIONS.get(settings["act_type"])
    if function is None:
        return None
    slope = settings["slope"]
    read = (Read(identity(len(output))),)
    return Loop(output, read, lambda m, x: function.expression(m, x, slope))


def div_sqrt_dim(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """Elements divided by the square root of the last extent."""
    last = (len(output) - 1,)

    def expression(m: Any, x: Any) -> Any:
        return x / m.sqrt(m.astype(m.extent(last), x.dtype))

    return Loop(output, (Read(identity(len(output))),), expression, indexed=last)


def cast_as(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """Elements in another dtype."""
    return Loop(output, (Read(identity(len(output))), None), element)


def overwrite(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    """Elements written to the memory of a state."""
    return Loop(output, (None, Read(identity(len(output)))), element)
