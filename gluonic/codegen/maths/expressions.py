"""What an operator's expression may call on any reader: numbers, promotion, functions composed of others.

Two readers derive from it: the :class:`~gluonic.codegen.maths.emitter.Emitter` writes instructions, the
:class:`~gluonic.codegen.scalar.recorder.Recorder` notes operations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeGuard

import numpy as np

from gluonic.codegen.maths.values import (
    BOOL,
    FLOAT32,
    FLOAT64,
    Dtype,
    Number,
    Operand,
    Value,
    arithmetic,
    literal,
)


class Expressions(ABC):
    """Reads expressions: ``expression(m, *values)``, with this object as `m`."""

    pi = float(np.pi)
    e = float(np.e)
    inf = float("inf")
    nan = float("nan")

    @abstractmethod
    def astype(self, a: Operand, dtype: Any) -> Value:
        """Convert like NumPy's ``astype`` on this machine."""

    @abstractmethod
    def __getattr__(self, name: str) -> Callable[..., Value]:
        """A function that is no method, by name."""

    # -- numbers and promotion ------------------------------------------------------------------

    def constant(self, number: Number, dtype: Any) -> Value:
        """Return a number as a value of one lane."""
        kind = arithmetic(np.dtype(dtype))
        return Value(self, literal(number, kind), kind, 1)

    def asarray(self, operand: Operand) -> Value:
        """Return a value unchanged, a number as a constant of NumPy's default dtype."""
        if isinstance(operand, Value):
            return operand
        return self.constant(operand, np.result_type(operand))

    def common(self, *operands: Operand, dtype: Dtype | None = None) -> list[Value]:
        """Convert operands to one dtype (by NumPy's promotion unless given)."""
        if dtype is None:
            if _are_alike(operands):
                return [*operands]
            dtype = _promoted(*[self.kind_of(operand) for operand in operands])
        return [
            self.astype(o, dtype) if isinstance(o, Value) else self.constant(o, dtype)
            for o in operands
        ]

    def kind_of(self, operand: Operand) -> Any:
        """What determines how an operand is promoted: a value's dtype, the type of a number."""
        return getattr(operand, "dtype", type(operand))

    def floating(self, *operands: Operand) -> list[Value]:
        """Convert operands to the floating dtype in which NumPy's float functions compute."""
        values = self.common(*operands)
        dtype = values[0].dtype
        if dtype.kind != "f":
            dtype = FLOAT64 if dtype.itemsize > 2 else FLOAT32
        return self.common(*values, dtype=dtype)

    def wide(self, a: Value) -> Value:
        """Return `a`: float16 is float32 in registers."""
        return a

    def attribute(self, number: float, a: Value) -> float:
        """Return `number`: where it meets float16 the graph has rounded it; see `rewriting.upcast`."""
        return number

    # -- functions composed of others -----------------------------------------------------------

    def truth(self, a: Operand) -> Value:
        """Return whether `a` is not zero."""
        return self.astype(self.asarray(a), BOOL)

    def logical_and(self, a: Operand, b: Operand) -> Value:
        """Return whether both are not zero."""
        return self.bitwise_and(self.truth(a), self.truth(b))

    def logical_or(self, a: Operand, b: Operand) -> Value:
        """Return whether one is not zero."""
        return self.bitwise_or(self.truth(a), self.truth(b))

    def logical_xor(self, a: Operand, b: Operand) -> Value:
        """Return whether exactly one is not zero."""
        return self.bitwise_xor(self.truth(a), self.truth(b))

    def logical_not(self, a: Operand) -> Value:
        """Return whether `a` is zero."""
        return self.invert(self.truth(a))

    def square(self, a: Operand) -> Value:
        """Return ``a * a``."""
        return self.multiply(a, a)

    def reciprocal(self, a: Operand) -> Value:
        """Return ``1 / a``."""
        return self.divide(1, a)

    def clip(self, a: Operand, low: Operand, high: Operand) -> Value:
        """Return `a` limited to the range from `low` to `high`."""
        return self.minimum(self.maximum(a, low), high)


def _are_alike(operands: Sequence[Operand]) -> TypeGuard[Sequence[Value]]:
    """Whether all operands are values of one dtype, the most common case."""
    dtype = getattr(operands[0], "dtype", None)
    for operand in operands:  # noqa: SIM110 (a generator takes twice as long)
        if type(operand) is not Value or operand.dtype != dtype:
            return False
    return True


@cache
def _promoted(*kinds: Dtype | type[Any]) -> Dtype:
    """Return the dtype that dtypes and types of Python numbers are brought to.

    NumPy 1 promotes by the value of a Python number, so int8 with 300 becomes int16; 1 always fits.
    """
    found = [kind(1) if isinstance(kind, type) else kind for kind in kinds]
    return arithmetic(np.result_type(*found))
