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


@elementwise("clip")
def clip(m: Any, data: Any, *, a_min: float, a_max: float) -> Any:
    """Numbers below `a_min` become `a_min`, numbers above `a_max` become `a_max`."""
    low, high = m.like(a_min, data), m.like(a_max, data)
    return m.where(data > high, high, m.where(data < low, low, data))


clip.gradient(data=lambda F, n, g: g * (n.data >= n.a_min) * (n.data <= n.a_max))


@elementwise("smooth_l1")
def smooth_l1(m: Any, data: Any, *, scalar: float = 1.0) -> Any:
    """``(scalar * x)**2 / 2`` where ``abs(x) < 1 / scalar**2``, and ``abs(x) - 1 / (2 * scalar**2)`` elsewhere."""
    square = scalar * scalar
    return m.where(m.abs(data) < 1 / square, 0.5 * square * data * data, m.abs(data) - 0.5 / square)


smooth_l1.gradient(
    data=lambda F, n, g: g * F.clip(n.data * n.scalar**2, a_min=-1.0, a_max=1.0),
)
