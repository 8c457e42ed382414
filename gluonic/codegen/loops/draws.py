"""Operators that draw random numbers from keys they are given, and their loops: rewritten graphs have them.

Which numbers an operator draws follows from its key alone: its gradient draws the same mask again instead of
reading one, and threads may share its elements.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.loops.loop import Loop, Read, Shape, identity
from gluonic.graph.attributes import DType
from gluonic.graph.attributes import Shape as ShapeAttribute
from gluonic.graph.axes import axis_of
from gluonic.graph.operator import Array, Operator
from gluonic.graph.ops.dropout import drop
from gluonic.graph.ops.layer_rules import both_ways, floating
from gluonic.graph.ops.random_numbers import UNIFORM, check, drawn_dtype, generated
from gluonic.graph.random_words import threshold_of, uniform
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


def _uniform(
    keys: Array,
    *,
    number: int,
    low: float,
    high: float,
    shape: ShapeAttribute,
    dtype: DType | None = None,
) -> Array:
    """Numbers distributed evenly between `low` and `high`, with the key of that number."""
    return low + (high - low) * uniform(int(keys[number]), shape, generated(dtype))


keyed_uniform = Operator("_keyed_uniform", _uniform, dtype=drawn_dtype)
keyed_uniform.gradient()


@keyed_uniform.infer_shape
def _(n: NodeView) -> None:
    check(n, UNIFORM)
    n.output = n.shape


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


def _uniform_loop(settings: dict[str, Any], inputs: Sequence[Shape], output: Shape) -> Loop:
    low, width = settings["low"], settings["high"] - settings["low"]
    kind = np.dtype(generated(settings["dtype"]))
    axes = identity(len(output))

    def expression(m: Any, key: Any) -> Any:
        return low + width * m.random_uniform(key, m.place(axes), kind)

    return Loop(output, (_key(settings, len(output)),), expression)


DRAWS: dict[str, Rule] = {"_keyed_Dropout": _dropout_loop, "_keyed_uniform": _uniform_loop}
