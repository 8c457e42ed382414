"""exp and what is made of it: exp2, expm1, tanh, sinh, cosh, sigmoid.

The argument is split to ``n ln 2 + r`` with ``|r| <= ln 2 / 2``; a minimax polynomial gives
``exp(r) - 1``, which keeps all its digits near 0, and a power of two scales it back. Each function
is written once for float32 and float64; the tables below hold what differs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gluonic.codegen.maths import lowers
from gluonic.codegen.values import FLOAT32, FLOAT64, INT32, INT64, Dtype, Value, vector_type

if TYPE_CHECKING:
    from gluonic.codegen.emitter import Emitter


@dataclass(frozen=True)
class _Table:
    """What one format needs.

    ``ln2`` in two parts, the first short enough that ``n`` times it is exact; the polynomial
    ``(exp(r) - 1 - r) / r**2``; the range outside which exp is 0 or infinite, and above which
    half of it is infinite too; where tanh is 1; 1.5 times the power of two whose unit in the last
    place is 1.
    """

    ln2: tuple[float, float]
    curve: tuple[float, ...]
    low: float
    high: float
    half_high: float
    tanh_one: float
    magic: float
    bits: Dtype
    fraction: int
    bias: int


_TABLES = {
    FLOAT32: _Table(
        ln2=(0.693359375, math.log(2) - 0.693359375),
        curve=(
            0.5,
            0.1666666716337204,
            0.041666485369205475,
            0.008333196863532066,
            0.0013933052541688085,
            0.00019954267190769315,
        ),
        low=-104.0,
        high=89.0,
        half_high=89.5,
        tanh_one=10.0,
        magic=1.5 * 2.0**23,
        bits=INT32,
        fraction=23,
        bias=127,
    ),
    FLOAT64: _Table(
        ln2=(0.693145751953125, 1.4286068203094172e-06),
        curve=(
            0.5,
            0.16666666666666666,
            0.04166666666666667,
            0.00833333333333438,
            0.0013888888888883336,
            0.00019841269837425008,
            2.480158732510106e-05,
            2.7557325406891837e-06,
            2.755727521245134e-07,
            2.5047576299827946e-08,
            2.09138420849934e-09,
            1.7309026100677015e-10,
        ),
        low=-746.0,
        high=710.0,
        half_high=710.6,
        tanh_one=20.0,
        magic=1.5 * 2.0**52,
        bits=INT64,
        fraction=52,
        bias=1023,
    ),
}


def nearest(m: Emitter, x: Value) -> Value:
    """Round to the nearest whole number; `x` is smaller than half the format's largest odd."""
    if m.target.simd & {"sse4.1", "neon"}:
        return m.rint(x)
    magic = _TABLES[x.dtype].magic
    return (x + magic) - magic


def reduced(m: Emitter, x: Value) -> tuple[Value, Value]:
    """Split ``x = n ln 2 + r``; return the whole number `n` and `r`."""
    table = _TABLES[x.dtype]
    n = nearest(m, x * math.log2(math.e))
    r = m.mad(n, -table.ln2[0], x)
    return n, m.mad(n, -table.ln2[1], r)


def expm1_near_zero(m: Emitter, r: Value) -> Value:
    """Return ``exp(r) - 1`` for ``|r| <= ln 2 / 2``."""
    return m.mad(r * r, m.horner(r, _TABLES[r.dtype].curve), r)


def power_of_two(m: Emitter, n: Value) -> Value:
    """Return ``2 ** n`` for a whole `n` within the range of normal numbers."""
    table = _TABLES[n.dtype]
    # In float64 the whole number lies in the low bits of n plus the magic number.
    whole = m.whole(n) if n.dtype == FLOAT32 else m.bitcast(n + table.magic, INT64)
    return m.bitcast((whole + table.bias) << table.fraction, n.dtype)


def scaled(m: Emitter, p: Value, n: Value) -> Value:
    """Return ``p * 2 ** n`` rounded once, down to denormals and up to infinity."""
    if _has_scalef(m, p):
        return _scalef(m, p, n)
    half = nearest(m, n * 0.5)
    return p * power_of_two(m, half) * power_of_two(m, n - half)


def _has_scalef(m: Emitter, p: Value) -> bool:
    size = p.lanes * p.dtype.itemsize
    return {"avx512f", "avx512vl"} <= m.target.simd and size >= 16


def _scalef(m: Emitter, p: Value, n: Value) -> Value:
    """Scale with AVX-512's own instruction, register by register."""
    size = min(64, p.lanes * p.dtype.itemsize)
    lanes = size // p.dtype.itemsize
    kind, mask = vector_type(p.dtype, lanes), f"i{max(8, lanes)}"
    suffix = f"{'ps' if p.dtype == FLOAT32 else 'pd'}.{size * 8}"
    name = f"llvm.x86.avx512.mask.scalef.{suffix}"
    n = m.spread(n, p.lanes)
    parts = []
    for start in range(0, p.lanes, lanes):
        pieces = [m.lanes_of(v, start, lanes) for v in (p, n)]
        arguments = [*((kind, v.ref) for v in pieces), (kind, "zeroinitializer"), (mask, "-1")]
        if size == 64:
            arguments.append(("i32", "4"))  # the rounding mode of the thread
        parts.append(m.value(m.function.call(name, kind, arguments), p.dtype, lanes))
    return m.joined(parts)


def exp_of_negative(m: Emitter, x: Value) -> Value:
    """Return exp for ``x <= 0``."""
    low = _TABLES[x.dtype].low
    n, r = reduced(m, m.where(x < low, low, x))
    return scaled(m, expm1_near_zero(m, r) + 1, n)


def careful_exp(
    m: Emitter, x: Value, extra: Value | None = None, curve: tuple[float, ...] | None = None
) -> tuple[Value, Value, Value]:
    """Return `p`, what rounding took from it, and `n` with ``exp(x + extra) = p * 2 ** n``."""
    table = _TABLES[x.dtype]
    x = m.where(x < table.low, table.low, x)
    x = m.where(x > table.high, table.high, x)
    n = nearest(m, x * math.log2(math.e))
    head = m.mad(n, -table.ln2[0], x)
    r = m.mad(n, -table.ln2[1], head)
    lost = m.mad(n, -table.ln2[1], head - r)
    total = r + 1
    rest = m.mad(r * r, m.horner(r, curve or table.curve), (r - (total - 1)) + lost)
    if extra is not None:
        rest = m.mad(total + rest, extra, rest)
    result = total + rest
    return result, (total - result) + rest, n


@lowers("exp", FLOAT32, FLOAT64)
def exp(m: Emitter, x: Value) -> Value:
    """Return e to the power of `x`."""
    high = _TABLES[x.dtype].high
    return exp_of_negative(m, m.where(x > high, high, x))


@lowers("exp2", FLOAT32, FLOAT64)
def exp2(m: Emitter, x: Value) -> Value:
    """Return 2 to the power of `x`."""
    table = _TABLES[x.dtype]
    low, high = round(table.low / table.ln2[0]), round(table.high / table.ln2[0])
    x = m.where(x < low, low, x)
    x = m.where(x > high, high, x)
    n = nearest(m, x)
    return scaled(m, expm1_near_zero(m, (x - n) * math.log(2)) + 1, n)


def _quarter_of_expm1(m: Emitter, x: Value) -> Value:
    """Return ``(exp(x) - 1) / 4``, which overflows later than any caller does."""
    table = _TABLES[x.dtype]
    x = m.where(x < -3 * table.tanh_one, -3 * table.tanh_one, x)
    n, r = reduced(m, m.where(x > table.half_high, table.half_high, x))
    quarter = power_of_two(m, n - 2)
    return m.mad(quarter, expm1_near_zero(m, r), quarter - 0.25)


def _unless_tiny(m: Emitter, x: Value, result: Value) -> Value:
    """Return `result`, or `x` itself where it is so small that the function is the identity."""
    return m.where(abs(x) < 2.0 ** -(_TABLES[x.dtype].fraction + 2), x, result)


@lowers("expm1", FLOAT32, FLOAT64)
def expm1(m: Emitter, x: Value) -> Value:
    """Return ``exp(x) - 1`` without cancellation."""
    return _unless_tiny(m, x, _quarter_of_expm1(m, x) * 4)


@lowers("sinh", FLOAT64)
def sinh(m: Emitter, x: Value) -> Value:
    """Return the hyperbolic sine."""
    quarter = _quarter_of_expm1(m, abs(x))
    result = m.mad(quarter, 2, 0.5 * quarter / (quarter + 0.25))
    return _unless_tiny(m, x, m.copysign(result, x))


@lowers("cosh", FLOAT32, FLOAT64)
def cosh(m: Emitter, x: Value) -> Value:
    """Return the hyperbolic cosine."""
    limit = _TABLES[x.dtype].half_high
    size = abs(x)
    n, r = reduced(m, m.where(size > limit, limit, size))
    half = scaled(m, expm1_near_zero(m, r) + 1, n - 1)
    return half + 0.25 / half


@lowers("tanh", FLOAT32, FLOAT64)
def tanh(m: Emitter, x: Value) -> Value:
    """Return the hyperbolic tangent.

    With ``g = exp(2|x|) - 1`` it is ``g / (g + 2)``; what rounding takes from `g` and ``g + 2`` is
    put back, using that ``1 / (g + 2)`` is half of one minus the result.
    """
    table = _TABLES[x.dtype]
    size = abs(x)
    size = m.where(size > table.tanh_one, table.tanh_one, size)
    n, r = reduced(m, size + size)
    scale = power_of_two(m, n)
    head = m.mad(scale, r, scale - 1)
    tail = scale * (r * r * m.horner(r, table.curve))
    grown = head + tail
    below = grown + 2
    result = grown / below
    lost = (head - grown) + tail - result * (grown - (below - 2))
    lost = m.where(grown < 2, lost, 0)
    return m.copysign(m.mad(lost, m.mad(result, -0.5, 0.5), result), x)


@lowers("sigmoid", FLOAT32, FLOAT64)
def sigmoid(m: Emitter, x: Value) -> Value:
    """Return ``1 / (1 + exp(-x))``, accurate where it is close to 0 too."""
    factor, _, n = careful_exp(m, -abs(x))
    small = scaled(m, factor, n)
    below = small + 1
    part = small / below
    part = m.mad(part * (small - (below - 1)), part - 1, part)  # puts back what `below` lost
    return m.where(x < 0, part, 1 - part)
