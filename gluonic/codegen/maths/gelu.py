"""gelu: a number times the normal distribution function at it; and its derivative.

With the absolute value `a` of a number it is ``-a P(-a)``, added to the number itself if that is positive. In
single precision ``a P(-a)`` is ``exp(-a**2 / 2)`` times a smooth curve from 0 to ``1 / sqrt(2 pi)``. Where an
instruction looks up numbers in a register, that curve is a piecewise polynomial of sixteen pieces; elsewhere it
is a rational function. The rounding error of ``a**2`` is compensated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gluonic.codegen.maths.error import ZERO_FROM, half_tail
from gluonic.codegen.maths.exponential import scaled
from gluonic.codegen.maths.functions import lowers
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, INT32, Value, literal
from gluonic.graph.error_function import LEAST, NORMAL_PEAK

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter

_SINGLE_ZERO_FROM = 14.5  # from here on single precision underflows
# For 0 <= a <= 14.5, to single precision, 1 / (exp(a**2 / 2) times half of erfc(a / sqrt(2))) is
# a slope times a, plus 2, minus a times a quotient of two polynomials.
_SLOPE = 2.5066282749176025  # sqrt(2 pi) in float32; the quotient corrects its last digits
_BEND_ABOVE = (95.63573450489922, 58.437446435920926, 16.392225485912217, 1.9997329639827042)
_BEND_BELOW = (104.99519077545477, 95.65127640762302, 41.169773952285276, 9.443393469638476, 1.0)
# (exp(r) - 1 - r) / r**2 for abs(r) <= ln 2 / 2
_EXP_SINGLE = (
    0.5000000095184878,
    0.1666651883945889,
    0.04166620580370643,
    0.00836888937307438,
    0.001395049103479885,
)
_LN2_SINGLE = (
    0.693359375,
    math.log(2) - 0.693359375,
)  # the first, times a power's exponent, is exact
_LIFT = 64  # added to exponents, it makes the smallest power of two a normal number
_LOWERED = -(2.0**-_LIFT)
_ROUNDER = 1.5 * 2.0**23 + 127 + _LIFT  # the sum's exponent bits are a rounded number

# The curve in sixteen pieces: a point in the piece; the curve's value there, which is a float32 to within a
# thousandth of a digit; coefficients for the powers of the distance from that point. With the offset, `a` is at
# least 1; the first bits of the sum select the piece, since there are four for each power of two.
_OFFSET = 1.125
_BITS_BEHIND = 21
_PIECES = (
    (0.0, 0.0, 0.5, -0.39894226, 0.24999827, -0.132928, 0.0617951, -0.0222762),
    (0.24998471, 0.103502825, 0.34018126, -0.25291944, 0.14901747, -0.074983, 0.0334835, -0.0141851),
    (0.5000101, 0.17481181, 0.23754908, -0.16474201, 0.09131733, -0.0434977, 0.018506, -0.00724968),
    (0.74999565, 0.22517361, 0.16990747, -0.11005375, 0.057441346, -0.0259131, 0.010451, -0.0039517),
    (1.125061, 0.27600434, 0.107011214, -0.06274089, 0.029974883, -0.0124807, 0.00474082, -0.00164652),
    (1.6250185, 0.3169137, 0.06172363, -0.03187757, 0.013594003, -0.00510288, 0.00175848, -0.000553836),
    (2.1250787, 0.3412357, 0.037944533, -0.017389027, 0.0066542844, -0.00226094, 0.000710169, -0.000204611),
    (2.6250246, 0.35656905, 0.024603793, -0.010080448, 0.0034813364, -0.00107547, 0.000308172, -8.13853e-5),
    (3.3750386, 0.37054068, 0.01393208, -0.004890968, 0.0014633462, -0.000395262, 0.000101366, -2.3971e-5),
    (4.3752275, 0.38073143, 0.007343209, -0.002146747, 0.0005407094, -0.000124071, 2.7081e-5, -5.50997e-6),
    (5.375186, 0.3863665, 0.00428242, -0.0010663932, 0.00023050587, -4.56901e-5, 8.63373e-6, -1.52064e-6),
    (6.3747187, 0.3897733, 0.0026939977, -0.00058223284, 0.000109805, -1.90771e-5, 3.16061e-6, -4.96133e-7),
    (7.8749695, 0.3927979, 0.0014923838, -0.0002681618, 4.2257074e-5, -6.16525e-6, 8.79589e-7, -1.1733e-7),
    (9.875563, 0.3949715, 0.0007810441, -0.00011416689, 1.4699417e-5, -1.75897e-6, 2.04527e-7, -2.25737e-8),
    (11.874464, 0.39617112, 0.00045727316, -5.62211e-5, 6.1043784e-6, -6.17477e-7, 6.04755e-8, -5.65668e-9),
    (13.68693, 0.3968459, 0.00030160072, -3.2379576e-5, 3.0745662e-6, -2.72376e-7, 2.33261e-8, -1.90625e-9),
)  # fmt: skip
_PIECES_BY_BITS = _PIECES[4:] + _PIECES[:4]  # the exponent of 1 ends with two ones


@lowers("gelu", FLOAT32)
def gelu_single(m: Emitter, x: Value) -> Value:
    """Return ``x`` times the normal distribution function at `x`."""
    if not m.target.has_fma:  # corrections would take longer than more precision
        return m.astype(gelu(m, m.astype(x, FLOAT64)), FLOAT32)
    a = m.minimum(abs(x), _SINGLE_ZERO_FROM)
    small, power = (_by_pieces if has_permute(m) else _by_quotient)(m, a)
    return _assembled(m, small, power, x)


@lowers("gelu_begun", FLOAT32)
def gelu_begun(m: Emitter, x: Value) -> Value:
    """Return 2 minus a number times a quotient of two polynomials of it."""
    return _bend(m, m.minimum(abs(x), _SINGLE_ZERO_FROM))


@lowers("gelu_ended", FLOAT32)
def gelu_ended(m: Emitter, bend: Value, x: Value) -> Value:
    """Return `gelu_single`, given the result of `gelu_begun`."""
    small, power = _by_quotient(m, m.minimum(abs(x), _SINGLE_ZERO_FROM), bend)
    return _assembled(m, small, power, x)


def _assembled(m: Emitter, small: Value, power: Value, x: Value) -> Value:
    return m.fma(small, power, m.where(x < 0, 0, x))


def _by_pieces(m: Emitter, a: Value) -> tuple[Value, Value]:
    """Return ``-a P(-a)`` divided by a power of two, and that power."""
    growth, _, power = _decay(m, a)
    index = m.bitcast(a + _OFFSET, INT32) >> _BITS_BEHIND
    centres, *columns = zip(*_PIECES_BY_BITS, strict=True)
    distance = a - _picked(m, centres, index)
    curve = _picked(m, _lowered(columns.pop()), index)
    while columns:
        curve = m.fma(curve, distance, _picked(m, _lowered(columns.pop()), index))
    return m.fma(curve, growth, curve), power


def _lowered(numbers: Sequence[float]) -> list[float]:
    return [number * _LOWERED for number in numbers]


def _bend(m: Emitter, a: Value) -> Value:
    return m.fma(-a, m.horner(a, _BEND_ABOVE) / m.horner(a, _BEND_BELOW), 2)


def _by_quotient(m: Emitter, a: Value, bend: Value | None = None) -> tuple[Value, Value]:
    """Return ``-a P(-a)`` divided by a power of two, and that power."""
    growth, growth_lost, power = _decay(m, a)
    bend = _bend(m, a) if bend is None else bend
    below = m.fma(a, _SLOPE, bend)
    below_lost = bend - m.fma(a, -_SLOPE, below)
    inverse = 1 / below
    ratio = a * inverse
    rest = m.fma(-ratio, below_lost, m.fma(-ratio, below, a))
    small_lost = m.fma(ratio, growth_lost, rest * inverse)
    small = ratio + m.fma(ratio, growth, m.fma(small_lost, growth, small_lost))
    return small * _LOWERED, power


def _decay(m: Emitter, a: Value) -> tuple[Value, Value, Value]:
    """Return `g`, its rounding error, and a power of two; ``exp(-a**2 / 2)`` is ``1 + g`` times the power."""
    half = a * -0.5
    exponent = half * a
    lost = m.fma(half, a, -exponent)
    shifted = m.fma(exponent, math.log2(math.e), _ROUNDER)
    n = shifted - _ROUNDER
    head, rest = m.fma(n, -_LN2_SINGLE[0], exponent), m.fma(n, -_LN2_SINGLE[1], lost)
    r = head + rest
    growth = m.fma(r * r, m.horner(r, _EXP_SINGLE), r)
    return growth, (head - r) + rest, m.bitcast(m.bitcast(shifted, INT32) << 23, FLOAT32)


def has_permute(m: Emitter) -> bool:
    """Whether an instruction looks up one of sixteen numbers in a register for each lane."""
    return "avx512f" in m.target.simd


def _picked(m: Emitter, numbers: Sequence[float], index: Value) -> Value:
    """Return, for each lane, the one of sixteen float32 numbers that the lowest bits of an integer select."""
    table = ", ".join(f"float {literal(number, FLOAT32)}" for number in numbers)
    kind, name = "<16 x float>", "llvm.x86.avx512.permvar.sf.512"

    def of_register(part: Value) -> Value:
        again = [lane % part.lanes for lane in range(16)]
        wide = m.spread(part, max(2, part.lanes))
        indices = m.function.shuffle(wide.type, wide.ref, "poison", again)
        ref = m.function.call(name, kind, [(kind, f"<{table}>"), ("<16 x i32>", indices)])
        return m.lanes_of(m.value(ref, FLOAT32, 16), 0, part.lanes)

    return m.by_register(index, of_register)


@lowers("gelu", FLOAT64)
def gelu(m: Emitter, x: Value) -> Value:
    """Return ``x`` times the normal distribution function at `x`."""
    a = m.minimum(abs(x), ZERO_FROM)
    square = a * a
    factor, lost, power = half_tail(m, square, m.fma(a, a, -square), a)
    product = a * factor
    rest = m.fma(a, factor, -product) + a * lost
    small = scaled(m, -product - rest, power)
    return m.where(x < 0, small, x + small)


@lowers("gelu_slope")
def gelu_slope(m: Emitter, x: Value) -> Value:
    """Return the derivative of `gelu`."""
    x = m.minimum(m.maximum(m.wide(x), LEAST), -LEAST)  # the derivative at infinity is no NaN
    below = 0.5 * (1 + m.erf(x * math.sqrt(0.5)))
    return below + x * m.exp(x * x * -0.5) * NORMAL_PEAK
