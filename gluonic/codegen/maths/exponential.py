"""exp and functions computed from it: exp2, expm1, tanh, sinh, cosh, sigmoid.

The argument is reduced to ``n ln 2 + r`` with ``|r| <= ln 2 / 2``. A minimax polynomial gives ``exp(r)``,
or ``exp(r) - 1``, which has full relative accuracy near 0; a power of two scales the result. Adding 1.5
times the power of two whose unit in the last place is 1 rounds to an integer and leaves it in the lowest
bits; shifted into the exponent field, they are that power of two. Each function is written once for
float32 and float64; the tables below hold the differences.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gluonic.codegen.maths.bounds import bounds_of_exp
from gluonic.codegen.maths.functions import lowers
from gluonic.codegen.maths.narrow_exponential import is_narrow, narrow_exp
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, INT32, INT64, Dtype, Value, vector_type
from gluonic.support.record import record

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter


@record
class _Table:
    """The constants of a floating-point format.

    ``ln2`` in two parts, the first short enough that ``n`` times it is exact; half of it, with the
    digits that small `n` need; the polynomials
    ``(exp(r) - 1 - r) / r**2``, to more digits than the format has and to as many, and
    ``(exp(2r) - 1 - 2r) / (2 r**2)`` for ``|r| <= ln 2 / 4``; the range outside which exp is 0 or
    infinite, and the limit above which half of it is infinite, too; the arguments from which tanh and
    sigmoid are 1; 1.5 times the power of two whose unit in the last place is 1; a power of two that
    makes the smallest denormal normal.
    """

    ln2: tuple[float, float]
    half_ln2: tuple[float, ...]
    curve: tuple[float, ...]
    short_curve: tuple[float, ...]
    tanh_curve: tuple[float, ...]
    low: float
    high: float
    half_high: float
    tanh_one: float
    sigmoid_one: float
    magic: float
    lift: int
    bits: Dtype
    fraction: int
    bias: int


_TABLES = {
    FLOAT32: _Table(
        ln2=(0.693359375, math.log(2) - 0.693359375),
        half_ln2=(math.log(2) / 2,),
        curve=(
            0.5,
            0.1666666716337204,
            0.041666485369205475,
            0.008333196863532066,
            0.0013933052541688085,
            0.00019954267190769315,
        ),
        short_curve=(
            0.4999999403953552,
            0.1666651964187622,
            0.041668228805065155,
            0.008368843235075474,
            0.0013824012130498886,
        ),
        tanh_curve=(
            1.0,
            0.6666616797447205,
            0.3333315849304199,
            0.1338672637939453,
            0.04459719732403755,
        ),
        low=-104.0,
        high=89.0,
        half_high=89.5,
        tanh_one=10.0,
        sigmoid_one=40.0,
        magic=1.5 * 2.0**23,
        lift=64,
        bits=INT32,
        fraction=23,
        bias=127,
    ),
    FLOAT64: _Table(
        ln2=(0.693145751953125, 1.4286068203094172e-06),
        half_ln2=(math.log(2) / 2, 1.1595234069231498e-17),
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
        short_curve=(
            0.5000000000000011,
            0.1666666666666643,
            0.04166666666652687,
            0.008333333333483966,
            0.0013888888944387572,
            0.00019841269528556144,
            2.4801492384862926e-05,
            2.755756717750656e-06,
            2.7630485335094585e-07,
            2.5006044599392634e-08,
        ),
        tanh_curve=(
            1.000000000000001,
            0.6666666666666673,
            0.3333333333325875,
            0.13333333333307126,
            0.044444444583903814,
            0.01269841273462651,
            0.003174592551805327,
            0.0007054651546479749,
            0.00014144711018765918,
            2.571571072853369e-05,
        ),
        low=-746.0,
        high=710.0,
        half_high=710.6,
        tanh_one=20.0,
        sigmoid_one=40.0,
        magic=1.5 * 2.0**52,
        lift=512,
        bits=INT64,
        fraction=52,
        bias=1023,
    ),
}


def nearest(m: Emitter, x: Value) -> Value:
    """Round to the nearest integer; `x` is smaller than half the format's largest odd integer."""
    if m.target.simd & {"sse4.1", "neon"}:
        return m.rint(x)
    magic = _TABLES[x.dtype].magic
    return (x + magic) - magic


def reduced(m: Emitter, x: Value) -> tuple[Value, Value]:
    """Split ``x = n ln 2 + r``; return the integer `n` and `r`."""
    n = nearest(m, x * math.log2(math.e))
    return n, _remainder(m, x, n)


def _remainder(m: Emitter, x: Value, n: Value) -> Value:
    """Return ``x - n ln 2``."""
    first, second = _TABLES[x.dtype].ln2
    return m.mad(n, -second, m.mad(n, -first, x))


def _reduced_to_bits(m: Emitter, x: Value, offset: int) -> tuple[Value, Value]:
    """Split ``x = n ln 2 + r``; return bits, the lowest of which are ``n + offset``, and `r`."""
    start = _TABLES[x.dtype].magic + offset
    shifted = m.mad(x, math.log2(math.e), start)
    return m.bitcast(shifted, _TABLES[x.dtype].bits), _remainder(m, x, shifted - start)


def _power_of_bits(m: Emitter, bits: Value, dtype: Dtype) -> Value:
    """Return two to the power of the integer in the lowest bits, minus the exponent's bias."""
    return m.bitcast(bits << _TABLES[dtype].fraction, dtype)


def expm1_near_zero(m: Emitter, r: Value) -> Value:
    """Return ``exp(r) - 1`` for ``|r| <= ln 2 / 2``."""
    return m.mad(r * r, m.horner(r, _TABLES[r.dtype].curve), r)


def _exp_near_zero(m: Emitter, r: Value) -> Value:
    """Return ``exp(r)`` for ``|r| <= ln 2 / 2``."""
    return m.horner(r, (1.0, 1.0, *_TABLES[r.dtype].short_curve))


def power_of_two(m: Emitter, n: Value) -> Value:
    """Return ``2 ** n`` for an integer `n` within the range of normal numbers."""
    table = _TABLES[n.dtype]
    return _power_of_bits(m, m.bitcast(n + (table.magic + table.bias), table.bits), n.dtype)


def scaled(m: Emitter, p: Value, n: Value) -> Value:
    """Return ``p * 2 ** n`` rounded once, down to denormals and up to infinity."""
    if has_scalef(m, p):
        return _scalef(m, p, n)
    table = _TABLES[p.dtype]
    return _scaled_in_halves(m, p, m.bitcast(n + (table.magic + 2 * table.bias), table.bits))


def _scaled_in_halves(m: Emitter, p: Value, bits: Value) -> Value:
    """Return ``p * 2 ** n``, given bits, the lowest of which are `n` plus twice the bias."""
    one = m.constant(1, bits.dtype)
    half = m.value(
        m.function.op(f"lshr {bits.type} {bits.ref}, {m.widened(one, bits.lanes)}"),
        bits.dtype,
        bits.lanes,
    )
    first, second = (_power_of_bits(m, part, p.dtype) for part in (half, bits - half))
    return p * first * second


def has_scalef(m: Emitter, p: Value) -> bool:
    """Whether an instruction multiplies values of this dtype and length by powers of two."""
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
    table = _TABLES[x.dtype]
    x = m.maximum(x, table.low)
    if has_scalef(m, x):
        n, r = reduced(m, x)
        return _scalef(m, _exp_near_zero(m, r), n)
    bits, r = _reduced_to_bits(m, x, table.lift + table.bias)
    return _exp_near_zero(m, r) * _power_of_bits(m, bits, x.dtype) * 2.0**-table.lift


def careful_exp(m: Emitter, x: Value, extra: Value | None = None) -> tuple[Value, Value, Value]:
    """Return `p`, its rounding error, and `n` with ``exp(x + extra) = p * 2 ** n``."""
    table = _TABLES[x.dtype]
    x = m.maximum(x, table.low)
    x = m.minimum(x, table.high)
    n = nearest(m, x * math.log2(math.e))
    head = m.mad(n, -table.ln2[0], x)
    r = m.mad(n, -table.ln2[1], head)
    lost = m.mad(n, -table.ln2[1], head - r)
    total = r + 1
    rest = m.mad(r * r, m.horner(r, table.curve), (r - (total - 1)) + lost)
    if extra is not None:
        rest = m.mad(total + rest, extra, rest)
    result = total + rest
    return result, (total - result) + rest, n


@lowers("exp", FLOAT32, FLOAT64)
def exp(m: Emitter, x: Value) -> Value:
    """Return e to the power of `x`."""
    return _exp(m, x).within(bounds_of_exp(x.bounds))


def _exp(m: Emitter, x: Value) -> Value:
    if is_narrow(x):
        return narrow_exp(m, x)
    if has_scalef(m, x):
        return _exp_everywhere(m, x)
    table = _TABLES[x.dtype]
    limit = (table.bias - 2) * math.log(2)  # the result is a normal number
    if -limit <= x.bounds[0] <= x.bounds[1] <= limit:
        bits, r = _reduced_to_bits(m, x, table.bias)
        return _exp_near_zero(m, r) * _power_of_bits(m, bits, x.dtype)
    bits, r = _reduced_to_bits(m, x, 0)
    near = m.bitcast(_exp_near_zero(m, r), table.bits)
    usual = m.bitcast(near + (bits << table.fraction), x.dtype)
    return m.instead(m.any_beyond(x, limit), usual, lambda: _exp_everywhere(m, x))


def _exp_everywhere(m: Emitter, x: Value) -> Value:
    """Return exp on the whole range, including denormals and infinity."""
    table = _TABLES[x.dtype]
    x = m.maximum(x, table.low)
    x = m.minimum(x, table.high)
    if has_scalef(m, x):
        n, r = reduced(m, x)
        return _scalef(m, _exp_near_zero(m, r), n)
    bits, r = _reduced_to_bits(m, x, 2 * table.bias)
    return _scaled_in_halves(m, _exp_near_zero(m, r), bits)


@lowers("exp2", FLOAT32, FLOAT64)
def exp2(m: Emitter, x: Value) -> Value:
    """Return 2 to the power of `x`."""
    table = _TABLES[x.dtype]
    low, high = round(table.low / table.ln2[0]), round(table.high / table.ln2[0])
    n = nearest(m, x := m.clip(x, low, high))
    return scaled(m, expm1_near_zero(m, (x - n) * math.log(2)) + 1, n)


def _quarter_of_expm1(m: Emitter, x: Value) -> Value:
    """Return ``(exp(x) - 1) / 4``, which overflows later than the result of any caller."""
    table = _TABLES[x.dtype]
    n, r = reduced(m, m.clip(x, -3 * table.tanh_one, table.half_high))
    quarter = power_of_two(m, n - 2)
    return m.mad(quarter, expm1_near_zero(m, r), quarter - 0.25)


def _unless_tiny(m: Emitter, x: Value, result: Value) -> Value:
    """Return `result`, or `x` where it is so small that the function is the identity."""
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
    n, r = reduced(m, m.minimum(abs(x), _TABLES[x.dtype].half_high))
    half = scaled(m, expm1_near_zero(m, r) + 1, n - 1)
    return half + 0.25 / half


@lowers("tanh", FLOAT32, FLOAT64)
def tanh(m: Emitter, x: Value) -> Value:
    """Return the hyperbolic tangent."""
    return tanh_ended(m, tanh_begun(m, x), x)


@lowers("tanh_begun", FLOAT32, FLOAT64)
def tanh_begun(m: Emitter, x: Value) -> Value:
    """Return ``(exp(2|x|) - 1) / 2``."""
    table = _TABLES[x.dtype]
    size = m.minimum(abs(x), table.tanh_one)
    shifted = m.mad(size, 2 * math.log2(math.e), table.magic + table.bias)
    n = shifted - (table.magic + table.bias)
    r = size
    for part in table.half_ln2:
        r = m.mad(n, -part, r)
    scale = _power_of_bits(m, m.bitcast(shifted, table.bits), x.dtype)
    near = m.mad(r * r, m.horner(r, table.tanh_curve), r)
    return m.mad(scale, near, m.mad(scale, 0.5, -0.5))


@lowers("tanh_ended", FLOAT32, FLOAT64)
def tanh_ended(m: Emitter, grown: Value, x: Value) -> Value:
    """Return ``g / (g + 1)``, which is ``w - w**2 / (g + 1)`` with the smaller `w` of `g` and 1."""
    smaller = m.minimum(grown, 1)
    size = m.mad(-smaller, m.ratio(smaller, grown + 1), smaller)
    return _with_sign_of(m, size, x).within((-1.0, 1.0))


def _with_sign_of(m: Emitter, size: Value, x: Value) -> Value:
    """Return a value that is not negative with the sign of `x`."""
    bits = _TABLES[x.dtype].bits
    sign = m.bitcast(x, bits) & int(np.iinfo(bits).min)
    return m.bitcast(m.bitcast(size, bits) | sign, x.dtype)


@lowers("sigmoid", FLOAT32, FLOAT64)
def sigmoid(m: Emitter, x: Value) -> Value:
    """Return ``1 / (1 + exp(-x))``, with full relative accuracy near 0, too.

    With ``x = n ln 2 + r`` it is ``2**n / (2**n + exp(-r))``. Both terms are scaled up, for ``2**n`` may
    underflow, and multiplied by 1.5. Otherwise the divisor could be just above a power of two, where its
    relative rounding error is largest, while the quotient is just below one, where the error weighs most.
    """
    table = _TABLES[x.dtype]
    x = m.clip(x, table.low, table.sigmoid_one)
    bits, r = _reduced_to_bits(m, x, table.lift + table.bias)
    one = 1.5 * 2.0**table.lift
    curve = (1.0, *table.short_curve)
    slope = m.horner(r, tuple(-one * (-1) ** k * c for k, c in enumerate(curve)))
    power = m.bitcast(bits << table.fraction | 1 << table.fraction - 1, x.dtype)  # 1.5 * 2**n
    return m.ratio(power, m.mad(slope, r, power + one)).within((0.0, 1.0))
