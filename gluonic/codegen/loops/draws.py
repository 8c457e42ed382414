"""Operators that draw random numbers from keys they are given, and their loops: rewritten graphs have them.

Which numbers an operator draws follows from its key alone: its gradient draws the same mask again instead of
reading one, and threads may share its elements.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.loops.loop import Loop, Read, Shape, identity
from gluonic.graph.attributes import Shape as ShapeAttribute
from gluonic.graph.axes import axis_of
from gluonic.graph.operator import REGISTRY, Array, Operator, Run
from gluonic.graph.ops.dropout import drop
from gluonic.graph.ops.layer_rules import both_ways, floating
from gluonic.graph.ops.random_numbers import FORMS, STANDARD, draw_with_key, generated
from gluonic.graph.random_words import threshold_of
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView

Rule = Callable[[dict[str, Any], Sequence[Shape], Shape], Loop | None]


def _dropout(
    data: Array, keys: Array, *, number: int, p: float, axes: ShapeAttribute = ()
) -> Array:
    """Dropout with the key of that number."""
    return drop(data, int(keys[number]), p, axes)[0]


keyed_dropout = Operator("_keyed_Dropout", _dropout, dtype=floating(like("data")))


@keyed_dropout.infer_shape
def _(n: NodeView) -> None:
    both_ways(n, "data", "output")
    for axis in n.axes:
        axis_of(axis, len(n.data), n._title)


def _gradient(F: Any, n: NodeView, g: Any) -> Any:
    return apply(keyed_dropout, g, n.keys, **n._settings)


keyed_dropout.gradient(data=_gradient)


def _keyed(op: Operator) -> Operator:
    """The operator that draws the same numbers of a distribution with a key."""
    form = FORMS[op.name]

    def kernel(*arrays: Array, number: int, **settings: Any) -> Any:
        *given, keys = arrays
        shape, dtype, values = form.asked(given, settings)
        return draw_with_key(form.row.name, int(keys[number]), shape, dtype, *values)

    own = [p for p in inspect.signature(op.kernel).parameters.values() if p.annotation is not Run]
    inputs = [p for p in own if p.kind is not p.KEYWORD_ONLY]
    keys = inspect.Parameter("keys", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Array)
    number = inspect.Parameter("number", inspect.Parameter.KEYWORD_ONLY, annotation=int)
    others = [p for p in own if p.kind is p.KEYWORD_ONLY and p.name != "ctx"]
    kernel.__signature__ = inspect.Signature([*inputs, keys, number, *others])  # type: ignore[attr-defined]
    made = Operator(f"_keyed{op.name}", kernel, shape=op.shape, dtype=op.dtype)
    made.gradient()
    return made


keyed_distributions = {
    name: _keyed(REGISTRY[name]) for name, form in FORMS.items() if form.row.name in STANDARD
}
"""By the name of the operator that draws without."""


def _key(settings: dict[str, Any], rank: int) -> Read:
    """How the key is read: the same everywhere."""
    return Read((None,) * rank, (settings["number"],), (1,), frozenset({0}))


def _dropout_loop(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    rank, p = len(output), settings["p"]
    shared = {axis % rank for axis in settings["axes"]}
    own = tuple(axis for axis in range(rank) if axis not in shared)
    smallest = threshold_of(p)
    scale, dropped = (np.inf, np.nan) if p == 1 else (1 / (1 - p), 0.0)

    def expression(m: Any, x: Any, key: Any) -> Any:
        kept = m.greater_equal(m.random_words(key, m.place(own)), smallest)
        return x * m.where(kept, m.constant(scale, x.dtype), dropped)

    reads = Read(identity(rank)), _key(settings, rank)
    return Loop(output, reads, expression, indexed=tuple(range(rank)) if shared else ())


def _distribution_rule(op: Operator) -> Rule:
    """The rule of an operator that draws from a distribution, whose parameters are attributes or arrays."""
    form = FORMS[op.name]
    moved = STANDARD[form.row.name].moved
    has_arrays = op.inputs == form.names
    has_data = bool(op.inputs) and not has_arrays

    def rule(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
        axes, key = identity(len(output)), _key(settings, len(output))
        own = () if has_data else (None,) * len(settings["shape"])
        read = Read((*axes[: len(axes) - len(own)], *own))
        numbers = [] if has_arrays else [settings[name] for name in form.names]

        def expression(m: Any, *elements: Any) -> Any:
            *given, key = elements
            dtype = np.dtype(generated(given[0].dtype if has_data else settings["dtype"]))
            drawn = getattr(m, f"random_{form.row.name}")(key, m.place(axes), dtype)
            values = [m.astype(x, dtype) for x in given] if has_arrays else numbers
            return moved(drawn, *values)

        return Loop(output, (*[read] * len(op.inputs), key), expression)

    return rule


DRAWS: dict[str, Rule] = {
    "_keyed_Dropout": _dropout_loop,
    **{
        keyed.name: _distribution_rule(REGISTRY[name])
        for name, keyed in keyed_distributions.items()
    },
}
