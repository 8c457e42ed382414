"""Functions of two numbers: on arrays of one shape, with broadcasting, and with a scalar."""

from collections.abc import Callable
from typing import Any, NamedTuple

from gluonic.graph.families import broadcast, broadcasting_rules, elementwise
from gluonic.graph.operator import GradientRule


class Binary(NamedTuple):
    """A row of the table: names of the three forms, documentation, expression and derivatives."""

    elementwise: tuple[str, ...]
    broadcasting: tuple[str, ...]
    scalar: tuple[str, ...]
    reversed_scalar: tuple[str, ...]
    documentation: str
    expression: Callable[..., Any]
    lhs: GradientRule | None = None
    rhs: GradientRule | None = None


BINARY = [
    Binary(
        ("elemwise_add", "_add", "_plus", "_Plus"),
        ("broadcast_add", "broadcast_plus"),
        ("_plus_scalar", "_PlusScalar"),
        (),
        "Sum",
        lambda m, lhs, rhs: lhs + rhs,
        lambda F, n, g: g,
        lambda F, n, g: g,
    ),
]
