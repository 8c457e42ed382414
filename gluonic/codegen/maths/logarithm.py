"""log and functions computed from it: log2, log10, log1p, softrelu, and the inverse hyperbolics.

Integer arithmetic on its bits splits a positive number into ``2**e (1 + f)`` with
``sqrt(1/2) <= 1 + f < sqrt(2)``. A minimax approximation gives ``log(1 + f)``, with full relative
accuracy near ``f = 0``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gluonic.codegen.maths.exponential import exp_of_negative
from gluonic.codegen.maths.functions import lowers
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, INT32, INT64, Dtype, Operand, Value
from gluonic.support.record import record

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter


@record
class _Table:
    """The constants of a floating-point format: its layout, ``ln 2`` in two parts, the polynomials."""

    bits: Dtype
    fraction: int
    bias: int
    smallest_normal: float
    root_half: int
    ln2: tuple[float, float]
    curve: tuple[float, ...]


_TABLES = {
    # (log(1 + f) - f + f**2 / 2) / f**3, a polynomial in f
    FLOAT32: _Table(
        INT32,
        23,
        127,
        2.0**-126,
        0x3F3504F3,
        (0.693359375, math.log(2) - 0.693359375),
        (
            0.3333331048488617,
            -0.24999986588954926,
            0.20002231001853943,
            -0.1666925549507141,
            0.14218474924564362,
            -0.12384074926376343,
            0.11874540150165558,
            -0.11792686581611633,
            0.0691496953368187,
        ),
    ),
    # (log(1 + f) - 2 s) / s**3 with s = f / (2 + f), a polynomial in s**2
    FLOAT64: _Table(
        INT64,
        52,
        1023,
        2.0**-1022,
        0x3FE6A09E667F3BCD,
        (0.693145751953125, 1.4286068203094172e-06),
        (
            0.6666666666666666,
            0.40000000000004937,
            0.28571428569404084,
            0.22222222608313805,
            0.18181778231214188,
            0.1538699482305659,
            0.13252003961075015,
            0.13236156263790594,
        ),
    ),
}


def split(m: Emitter, x: Value) -> tuple[Value, Value]:
    """Split a normal ``x = 2**e (1 + f)``; return `e` (an integer) and `f`."""
    table = _TABLES[x.dtype]
    bits = m.bitcast(x, table.bits)
    e = (bits - table.root_half) >> table.fraction
    return e, m.bitcast(bits - (e << table.fraction), x.dtype) - 1


def as_float(m: Emitter, e: Value) -> Value:
    """Return a small integer as a float of the same size."""
    if e.dtype == INT32:
        return m.astype(e, FLOAT32)
    magic = 1.5 * 2.0**52  # few processors convert 64-bit integers; all can add to the bits
    return m.bitcast(e + 0x4338000000000000, FLOAT64) - magic


def lifted(m: Emitter, x: Value) -> tuple[Value, Value]:
    """Return `x` with denormals scaled to normal numbers, and the exponent of that scaling."""
    table = _TABLES[x.dtype]
    tiny = x < table.smallest_normal
    shift = table.fraction + 1
    return m.where(tiny, x * 2.0**shift, x), m.where(tiny, m.constant(-shift, x.dtype), 0)


def near_one(m: Emitter, f: Value) -> tuple[Value, Value]:
    """Return ``log(1 + f)`` as `f` plus a small correction."""
    table = _TABLES[f.dtype]
    square = f * f
    if f.dtype == FLOAT32:
        curve = m.horner(f, table.curve)
        return f, m.mad(square, -0.5, f * square * curve)
    s = f / (f + 2)
    s2 = s * s
    half = square * 0.5
    return f, m.mad(s, m.mad(s2, m.horner(s2, table.curve), half), -half)


def assembled(m: Emitter, e: Value, f: Value) -> Value:
    """Return ``e ln 2 + log(1 + f)``."""
    high, low = _TABLES[f.dtype].ln2
    head, tail = near_one(m, f)
    return m.mad(e, high, head + m.mad(e, low, tail))


def where_positive(m: Emitter, x: Value, result: Value) -> Value:
    """Return `result` where `x` is positive and finite, -inf at 0, NaN below, inf and NaN unchanged."""
    edge = m.where(x < 0, m.nan, m.where(x == 0, -m.inf, x))
    return m.where((x > 0) & (x < m.inf), result, edge)


@lowers("log", FLOAT32, FLOAT64)
def log(m: Emitter, x: Value) -> Value:
    """Return the natural logarithm."""
    normal, shift = lifted(m, x)
    e, f = split(m, normal)
    return where_positive(m, x, assembled(m, as_float(m, e) + shift, f))


def _other_base(m: Emitter, x: Value, scale: float, step: tuple[float, float]) -> Value:
    """Return ``log(x) * scale``; `step`, in two parts, is its increment per binary exponent."""
    normal, shift = lifted(m, x)
    e, f = split(m, normal)
    exponent = as_float(m, e) + shift
    head, tail = near_one(m, f)
    # head + tail times scale, with compensated rounding errors
    total = head + tail
    lost = (head - total) + tail
    product = total * scale
    error = m.fma(total, scale, -product)
    rest = lost * scale + error + total * _second_part(scale) + exponent * step[1]
    return where_positive(m, x, m.mad(exponent, step[0], product + rest))


def _second_part(scale: float) -> float:
    return {_LOG2_E: 2.0355273740931033e-17, _LOG10_E: 1.098319650216765e-17}[scale]


_LN2 = math.log(2)
_LOG2_E = math.log2(math.e)
_LOG10_E = math.log10(math.e)
_LOG10_2 = (0.3010299950838089, 5.801722962879576e-10)


@lowers("log2", FLOAT64)
def log2(m: Emitter, x: Value) -> Value:
    """Return the logarithm to base 2."""
    return _other_base(m, x, _LOG2_E, (1.0, 0.0))


@lowers("log10", FLOAT64)
def log10(m: Emitter, x: Value) -> Value:
    """Return the logarithm to base 10."""
    return _other_base(m, x, _LOG10_E, _LOG10_2)


@lowers("log1p", FLOAT32, FLOAT64)
def log1p(m: Emitter, x: Value) -> Value:
    """Return ``log(1 + x)`` without cancellation."""
    table = _TABLES[x.dtype]
    total = x + 1
    lost = m.where(x > 1, 1 - (total - x), x - (total - 1))
    e, f = split(m, total)
    scale = m.bitcast(m.maximum(table.bias - e, 0) << table.fraction, x.dtype)
    result = assembled(m, as_float(m, e), m.mad(lost, scale, f))
    result = where_positive(m, total, result)
    return m.where(abs(x) < 2.0 ** -(table.fraction + 2), x, result)


@lowers("softrelu", FLOAT32, FLOAT64)
def softrelu(m: Emitter, x: Value) -> Value:
    """Return ``log(1 + exp(x))`` on the whole range."""
    small = log1p(m, exp_of_negative(m, -abs(x)))
    return m.where(x > 0, x + small, m.where(m.isnan(x), x, small))


@lowers("logaddexp")
def logaddexp(m: Emitter, a: Operand, b: Operand) -> Value:
    """Return ``log(exp(a) + exp(b))``."""
    first, second = m.floating(a, b)
    larger = m.maximum(first, second)
    apart = m.where(first == second, 0, first - second)
    return larger + log1p(m, exp_of_negative(m, -abs(apart)))


def _log_of_large(m: Emitter, x: Value, usual: Value) -> Value:
    """Return ``log(2 x)`` for large `x`, and ``log(1 + usual)`` for others."""
    large = x > 2.0**54
    return log1p(m, m.where(large, x, usual)) + m.where(large, m.constant(_LN2, x.dtype), 0)


@lowers("arcsinh", FLOAT64)
def arcsinh(m: Emitter, x: Value) -> Value:
    """Return the inverse hyperbolic sine."""
    size = abs(x)
    square = size * size
    usual = size + square / (m.sqrt(square + 1) + 1)
    return m.copysign(_log_of_large(m, size, usual), x)


@lowers("arccosh", FLOAT64)
def arccosh(m: Emitter, x: Value) -> Value:
    """Return the inverse hyperbolic cosine."""
    above = x - 1
    usual = above + m.sqrt(above * (above + 2))
    return m.where(x < 1, m.nan, _log_of_large(m, x, usual))


@lowers("arctanh", FLOAT64)
def arctanh(m: Emitter, x: Value) -> Value:
    """Return the inverse hyperbolic tangent."""
    size = abs(x)
    twice = size * 2
    half = m.where(size < 0.5, m.mad(twice, size / (1 - size), twice), twice / (1 - size))
    return m.copysign(log1p(m, half) * 0.5, x)
