"""Functions of one number, applied to every element."""

from collections.abc import Callable
from typing import Any, NamedTuple

from gluonic.graph.families import elementwise
from gluonic.graph.operator import GradientRule


class Unary(NamedTuple):
    """A row of the table: the operator's names, its documentation, its expression and its derivative."""

    names: tuple[str, ...]
    documentation: str
    expression: Callable[..., Any]
    gradient: GradientRule | None


UNARY = [
    Unary(
        ("tanh",),
        "Hyperbolic tangent of every element.",
        lambda m, data: m.tanh(data),
        lambda F, n, g: g * (1 - n.output * n.output),
    ),
    Unary(
        ("exp",),
        "Exponential of every element.",
        lambda m, data: m.exp(data),
        lambda F, n, g: g * n.output,
    ),
    Unary(
        ("sigmoid",),
        "Logistic function ``1 / (1 + exp(-x))`` of every element.",
        lambda m, data: m.sigmoid(data),
        lambda F, n, g: g * n.output * (1 - n.output),
    ),
]


def _register(row: Unary) -> None:
    row.expression.__doc__, row.expression.__name__ = row.documentation, row.names[0]
    op = elementwise(*row.names)(row.expression)
    if row.gradient is None:
        op.gradient()
    else:
        op.gradient(data=row.gradient)


for _row in UNARY:
    _register(_row)
