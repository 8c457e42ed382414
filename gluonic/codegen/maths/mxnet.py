"""Functions that MXNet defines differently from NumPy; `gluonic.graph.scalar_math` has them for NumPy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gluonic.codegen.maths.functions import lowers
from gluonic.codegen.maths.values import BOOL, FLOAT64, INT64, Operand, Value

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter


@lowers("quotient")
def quotient(m: Emitter, a: Operand, b: Operand) -> Value:
    """Division; integer quotients are rounded towards zero, and are 0 where the divisor is 0."""
    x, y = m.common(a, b)
    if x.dtype.kind == "f":
        return m.divide(x, y)
    return m.astype(m.trunc(m.astype(x, FLOAT64) / m.where(m.equal(y, 0), math.inf, y)), x.dtype)


@lowers("times")
def times(m: Emitter, number: Operand, x: Value) -> Value:
    """A number times `x`."""
    return number * x


@lowers("mod")
def mod(m: Emitter, a: Operand, b: Operand) -> Value:
    """The remainder with the sign of the divisor; 0 where the divisor is 0."""
    x, y = m.common(a, b)
    return m.where(m.equal(y, 0), m.like(0, y), x % m.where(m.equal(y, 0), m.like(1, y), y))


@lowers("like")
def like(m: Emitter, number: float, x: Value) -> Value:
    """A number in the dtype of `x`, converted like a C cast."""
    if x.dtype.kind == "f":
        return m.constant(number, x.dtype)
    with np.errstate(invalid="ignore"):
        return m.constant(np.float64(number).astype(x.dtype), x.dtype)


@lowers("operand")
def operand(m: Emitter, x: Value, is_int: bool) -> Value:
    """An array operand of an operation with a number: integers become float64 unless `is_int`, bool int64."""
    if x.dtype == BOOL:
        return m.astype(x, INT64 if is_int else FLOAT64)
    return m.astype(x, FLOAT64) if x.dtype.kind in "iu" and not is_int else x


@lowers("zeros_like")
def zeros_like(m: Emitter, x: Value) -> Value:
    """Zero, in the dtype of `x`."""
    return m.constant(0, x.dtype)


@lowers("ones_like")
def ones_like(m: Emitter, x: Value) -> Value:
    """One, in the dtype of `x`."""
    return m.constant(1, x.dtype)


@lowers("degrees")
def degrees(m: Emitter, x: Operand) -> Value:
    """Radians as degrees."""
    return m.floating(x)[0] * (180 / math.pi)


@lowers("radians")
def radians(m: Emitter, x: Operand) -> Value:
    """Degrees as radians."""
    return m.floating(x)[0] * (math.pi / 180)
