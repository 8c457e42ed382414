"""Operators that draw random numbers from keys they are given, and their loops: rewritten graphs have them.

Which numbers an operator draws follows from its key alone: its gradient draws the same mask again instead of
reading one, and threads may share its elements.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.loops.loop import Loop, Read, Shape, identity
from gluonic.graph.attributes import Shape as ShapeAttribute
from gluonic.graph.axes import axis_of
from gluonic.graph.operator import REGISTRY, Array, Operator, Run
from gluonic.graph.ops.dropout import drop
from gluonic.graph.ops.layer_rules import both_ways, floating
from gluonic.graph.ops.random_numbers import FORMS, STANDARD, Form, generated
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


_NO_KEYS = np.random.Generator(np.random.Philox(0))


@dataclass
class _KeyedRun(Run):
    """A run in which a key is given."""

    key: int

    def take_key(self) -> int:
        """Return it."""
        return self.key


@cache
def keyed(name: str) -> Operator:
    """The operator that draws, with a key, what a registered one draws that takes one."""
    op = REGISTRY[name]

    def kernel(*arrays: Array, number: int, **settings: Any) -> Any:
        *given, keys = arrays
        run = _KeyedRun(False, _NO_KEYS, int(keys[number]))
        return op.kernel(*given, run=run, **settings)

    own = [p for p in inspect.signature(op.kernel).parameters.values() if p.annotation is not Run]
    inputs = [p for p in own if p.kind is not p.KEYWORD_ONLY]
    keys = inspect.Parameter("keys", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Array)
    place = inspect.Parameter("number", inspect.Parameter.KEYWORD_ONLY, annotation=int)
    others = [p for p in own if p.kind is p.KEYWORD_ONLY and p.name != "ctx"]
    kernel.__signature__ = inspect.Signature([*inputs, keys, place, *others])  # type: ignore[attr-defined]
    return replace(
        op,
        name=f"_keyed{name}",
        kernel=kernel,
        aliases=(),
        attributes={},
        applications={},
        run_name=None,
        shape=op.shape or like(op.inputs[0]),
        dtype=op.dtype or like(op.inputs[0]),
    )


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


def _distribution_rule(name: str, form: Form) -> Rule:
    """The rule of an operator that draws from a distribution, whose parameters are attributes or arrays."""
    op, moved = REGISTRY[name], STANDARD[form.row.name].moved
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
        f"_keyed{name}": _distribution_rule(name, form)
        for name, form in FORMS.items()
        if form.row.name in STANDARD
    },
}
