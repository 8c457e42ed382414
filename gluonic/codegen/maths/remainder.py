"""Remainders and integer quotients, with NumPy's signs: for integers without traps, for floats exactly.

A float remainder is ``a - trunc(a / b) b``, as a fused multiply-add. That is exact if the quotient has
few bits; if it has many, the C library's ``fmod`` computes the vector, or a long division on a GPU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gluonic.codegen.maths.functions import each_lane, lowers
from gluonic.codegen.maths.large_arguments import long_remainder
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, Operand, Value

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter


def _arguments(m: Emitter, a: Operand, b: Operand) -> tuple[Value, Value]:
    first, second = m.common(a, b)
    if first.dtype == np.bool_:
        first, second = m.astype(first, np.int8), m.astype(second, np.int8)
    return first, second


@lowers("fmod")
def fmod(m: Emitter, a: Operand, b: Operand) -> Value:
    """Return the remainder with the sign of `a`."""
    first, second = _arguments(m, a, b)
    if first.dtype.kind == "f":
        return _float_remainder(m, first, second)
    return _integer_remainder(m, first, second)


@lowers("remainder")
def remainder(m: Emitter, a: Operand, b: Operand) -> Value:
    """Return the remainder with the sign of `b`."""
    first, second = _arguments(m, a, b)
    rest = fmod(m, first, second)
    turned = m.where((rest < 0) != (second < 0), rest + second, rest)
    if first.dtype.kind == "f":
        return m.where(rest == 0, m.copysign(rest, second), turned)
    return m.where(rest == 0, rest, turned) if first.dtype.kind == "i" else rest


@lowers("floor_divide")
def floor_divide(m: Emitter, a: Operand, b: Operand) -> Value:
    """Return the quotient rounded down."""
    first, second = _arguments(m, a, b)
    rest = fmod(m, first, second)
    turned = (rest != 0) & ((rest < 0) != (second < 0))
    if first.dtype.kind != "f":
        quotient = _quotient(m, first, second)
        return m.where(second == 0, 0, m.where(turned, quotient - 1, quotient))
    quotient = (first - rest) / second
    quotient = m.where(turned, quotient - 1, quotient)
    whole = m.floor(quotient)
    whole = m.where(quotient - whole > 0.5, whole + 1, whole)
    whole = m.where(quotient == 0, m.copysign(quotient, first / second), whole)
    return m.where(second == 0, first / second, whole)


def _float_remainder(m: Emitter, a: Value, b: Value) -> Value:
    quotient = m.trunc(a / b)
    rest = m.fma(-quotient, b, a)
    # Rounding may have increased the quotient to the next integer.
    over = (rest != 0) & (m.signbit(rest) != m.signbit(a))
    rest = m.copysign(m.where(over, abs(b) - abs(rest), rest), a)
    hard = m.invert(abs(quotient) < (2.0**22 if a.dtype == FLOAT32 else 2.0**51)) | m.isnan(rest)

    def alone() -> Value:
        wide = [m.astype(value, FLOAT64) for value in (a, b)]
        return m.astype(long_remainder(m, *wide), a.dtype)

    return m.instead(hard, rest, alone if m.target.is_gpu else lambda: each_lane(m, "fmod", a, b))


def _safe_divisor(m: Emitter, b: Value) -> Value:
    """Return `b`, or 1 where it is 0 or -1: dividing some numbers by these traps."""
    refused = (b == 0) | (b == -1) if b.dtype.kind == "i" else b == 0
    return m.where(refused, m.constant(1, b.dtype), b)


def _quotient(m: Emitter, a: Value, b: Value) -> Value:
    """Return the integer quotient rounded towards zero; `b` is not 0."""
    signed = a.dtype.kind == "i"
    result = m.instruction("sdiv" if signed else "udiv", [a, _safe_divisor(m, b)])
    return m.where(b == -1, -a, result) if signed else result


def _integer_remainder(m: Emitter, a: Value, b: Value) -> Value:
    name = "srem" if a.dtype.kind == "i" else "urem"
    return m.instruction(name, [a, _safe_divisor(m, b)])
