"""The functions of ndarray that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.ndarray.array import NDArray

__all__: list[str] = [
    "add",
    "divide",
    "equal",
    "greater",
    "greater_equal",
    "lesser",
    "lesser_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "modulo",
    "multiply",
    "not_equal",
    "power",
    "subtract",
    "true_divide",
]

def add(lhs: Any, rhs: Any) -> Any:
    """Return the sum of two arrays, broadcast together, or of an array and a number."""

def divide(lhs: Any, rhs: Any) -> Any:
    """Return the quotient of two arrays, broadcast together, or of an array and a number."""

def equal(lhs: Any, rhs: Any) -> Any:
    """Return 1 where the two are equal and 0 elsewhere, of two arrays, broadcast together, or of an array and a number."""

def greater(lhs: Any, rhs: Any) -> Any:
    """Return 1 where the first is greater and 0 elsewhere, of two arrays, broadcast together, or of an array and a number."""

def greater_equal(lhs: Any, rhs: Any) -> Any:
    """Return 1 where the first is no smaller and 0 elsewhere, of two arrays, broadcast together, or of an array and a number."""

def lesser(lhs: Any, rhs: Any) -> Any:
    """Return 1 where the first is smaller and 0 elsewhere, of two arrays, broadcast together, or of an array and a number."""

def lesser_equal(lhs: Any, rhs: Any) -> Any:
    """Return 1 where the first is no greater and 0 elsewhere, of two arrays, broadcast together, or of an array and a number."""

def logical_and(lhs: Any, rhs: Any) -> Any:
    """Return 1 where both are true and 0 elsewhere, of two arrays, broadcast together, or of an array and a number."""

def logical_or(lhs: Any, rhs: Any) -> Any:
    """Return 1 where one is true and 0 elsewhere, of two arrays, broadcast together, or of an array and a number."""

def logical_xor(lhs: Any, rhs: Any) -> Any:
    """Return 1 where just one is true and 0 elsewhere, of two arrays, broadcast together, or of an array and a number."""

def maximum(lhs: Any, rhs: Any) -> Any:
    """Return the greater of two arrays, broadcast together, or of an array and a number."""

def minimum(lhs: Any, rhs: Any) -> Any:
    """Return the smaller of two arrays, broadcast together, or of an array and a number."""

def modulo(lhs: Any, rhs: Any) -> Any:
    """Return the remainder of the division of two arrays, broadcast together, or of an array and a number."""

def multiply(lhs: Any, rhs: Any) -> Any:
    """Return the product of two arrays, broadcast together, or of an array and a number."""

def not_equal(lhs: Any, rhs: Any) -> Any:
    """Return 1 where the two differ and 0 elsewhere, of two arrays, broadcast together, or of an array and a number."""

def power(base: Any, exp: Any) -> NDArray:
    """Return the power of two arrays, broadcast together, or of an array and a number."""

def subtract(lhs: Any, rhs: Any) -> Any:
    """Return the difference of two arrays, broadcast together, or of an array and a number."""

def true_divide(lhs: Any, rhs: Any) -> Any:
    """Return the quotient of two arrays, broadcast together, or of an array and a number."""
