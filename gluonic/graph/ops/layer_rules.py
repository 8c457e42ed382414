"""Inference rules and small tools that the layers of neural networks share."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from gluonic.graph.dtypes import is_floating
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, Rule
from gluonic.graph.rules import same
from gluonic.graph.view import NodeView, Unknown, peek, put, slots_of, title_of


def floating(rule: Rule = same) -> Rule:
    """The dtype rule `rule`, for an operator whose first input must be floating-point."""

    def checked(n: NodeView) -> None:
        try:
            rule(n)
        finally:
            require_floating(n)

    which = "all inputs and outputs have one dtype, which" if rule is same else "the first input"
    checked.__doc__ = f"The dtype rule: {which} is floating-point."
    return checked


def require_floating(n: NodeView) -> None:
    """Refuse a first input that is known not to be floating-point."""
    name, dtype = next(iter(slots_of(n).items()))
    if dtype is not None and not is_floating(dtype):
        raise InferenceError(
            f"{title_of(n)}: {name} must be float16, float32 or float64, not {dtype.name}"
        )


def wide(array: Array) -> Array:
    """Numbers of 16 bits as float32, to compute with; other dtypes unchanged."""
    return array.astype(np.float32) if array.dtype.itemsize == 2 else array


def accumulator(array: Array) -> np.dtype[Any]:
    """The dtype in which to sum: float64 for float64, else float32."""
    return np.dtype(np.float64 if array.dtype == np.float64 else np.float32)


def both_ways(n: NodeView, first: str, second: str) -> None:
    """Unify two slots, whichever of them is known."""
    for source, target in ((first, second), (second, first)):
        value = peek(n, source)
        if value is not None:
            put(n, target, value)
    if peek(n, first) is None:
        raise Unknown


def set_all(n: NodeView, names: Iterable[str], fact: Any) -> None:
    """Assign one shape or dtype to those of the named slots that this use has."""
    for name in names:
        if name in slots_of(n):
            put(n, name, fact)


__all__ = [
    "accumulator",
    "both_ways",
    "floating",
    "require_floating",
    "set_all",
    "wide",
]
