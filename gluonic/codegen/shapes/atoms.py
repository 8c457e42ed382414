"""The functions of atoms, and their expressions in Python.

An atom is a value that is not a linear combination of sizes; see :mod:`gluonic.codegen.shapes.symbolic`.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any


def quotient(x: Any, y: Any) -> Any:
    """A quotient, rounded down."""
    return x // y


def product(*factors: Any) -> Any:
    """The product of some factors."""
    return prod(factors)


def chosen(x: Any, bound: Any, yes: Any, no: Any) -> Any:
    """One of two values, depending on whether a number has reached a bound."""
    return yes if x >= bound else no


_TEXTS: dict[Callable[..., Any], Callable[[Sequence[str]], str]] = {
    quotient: " // ".join,
    product: " * ".join,
    chosen: lambda operands: "{2} if {0} >= {1} else {3}".format(*operands),
}


def written_as_python(
    function: Callable[..., Any], operands: Sequence[str], name: Callable[[Any], str]
) -> str:
    """An expression for the value of a function.

    Parameters
    ----------
    operands : the expressions of its operands
    name : returns a name for a function that has no such expression
    """
    text = _TEXTS.get(function)
    return f"{name(function)}({', '.join(operands)})" if text is None else text(operands)
