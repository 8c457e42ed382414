"""sin, cos and tan, with an argument reduction that is accurate for every argument.

``x = n pi/2 + r`` is computed with pi/2 in several parts: in float64 lanes for float32, in pairs of
floats for float64. Arguments too large for that, or so close to a multiple of pi/2 that digits would be
lost, are rare: if a vector has one, the C library computes its lanes, and on a GPU, which has none, a
reduction of any argument precedes the same polynomials.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from gluonic.codegen.maths.exponential import nearest
from gluonic.codegen.maths.functions import each_lane, lowers
from gluonic.codegen.maths.large_arguments import reduced_angle
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, INT32, INT64, Value

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter

# pi/2 in parts of 33, 33 and 53 bits: n times the first two is exact for |n| < 2**20.
_PARTS = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
# pi/2 as the sum of two float64.
_PAIR = (1.5707963267948966, 6.123233995736766e-17)

# (sin(r) - r) / r**3 and (cos(r) - 1 + r**2 / 2) / r**4, polynomials in r**2
_SIN = {
    FLOAT32: (-0.16666655242443085, 0.008332190103828907, -0.00019518405315466225),
    FLOAT64: (
        -0.16666666666666666,
        0.008333333333333038,
        -0.00019841269840956014,
        2.7557319069769086e-06,
        -2.5052069671695596e-08,
        1.6054138609820372e-10,
        -7.380419831903108e-13,
    ),
}
_COS = {
    FLOAT32: (0.04166664555668831, -0.00138873013202101, 2.4430661142105237e-05),
    FLOAT64: (
        0.041666666666666664,
        -0.0013888888888888378,
        2.4801587301164944e-05,
        -2.7557319052041255e-07,
        2.087671978743573e-09,
        -1.146658903493912e-11,
        4.579782498976556e-14,
    ),
}


def _reduced32(m: Emitter, x: Value) -> tuple[Value, Value, Value, Value]:
    """Return the quadrant, `r`, its rounding error, and the mask of lanes that are too hard."""
    wide = m.astype(x, FLOAT64)
    hard = abs(x) > 2.0**28
    wide = m.where(m.astype(hard, bool), 0, wide)
    n = nearest(m, wide * (2 / math.pi))
    exact = m.mad(n, -_PAIR[1], m.fma(n, -_PAIR[0], wide))
    r = m.astype(exact, FLOAT32)
    quadrant = m.astype(m.bitcast(n + 1.5 * 2.0**52, INT64), INT32)
    return quadrant, r, m.constant(0, FLOAT32), hard


def _reduced64(m: Emitter, x: Value) -> tuple[Value, Value, Value, Value]:
    """Return the quadrant, `r`, its rounding error, and the mask of lanes that are too hard."""
    hard = abs(x) > 2.0**20
    bounded = m.where(hard, 0, x)
    n = nearest(m, bounded * (2 / math.pi))
    first = bounded - n * _PARTS[0]  # exact
    second = n * _PARTS[1]  # exact
    middle = first - second
    back = middle - first
    lost = (first - (middle - back)) - (second + back)
    lost = lost - n * _PARTS[2]
    r = middle + lost
    lost = lost - (r - middle)
    hard = hard | ((abs(r) < 2.0**-30) & (n != 0))
    return m.bitcast(n + 1.5 * 2.0**52, INT64), r, lost, hard


def _sin_and_cos(m: Emitter, r: Value, lost: Value) -> tuple[Value, Value]:
    """Return sine and cosine of ``r + lost`` for ``|r| <= pi / 4``."""
    square = r * r
    sine = m.mad(square * r, m.horner(square, _SIN[r.dtype]), r)
    half = square * 0.5
    head = 1 - half
    rest = m.mad(square * square, m.horner(square, _COS[r.dtype]), (1 - head) - half)
    if not lost.is_literal:
        sine = m.mad(square * r, m.horner(square, _SIN[r.dtype]), lost) + r
        rest = m.mad(-r, lost, rest)
    return sine, head + rest


def _of_quadrant(m: Emitter, quadrant: Value, r: Value, lost: Value) -> Value:
    """Return the sine of ``quadrant * pi / 2 + r + lost``."""
    sine, cosine = _sin_and_cos(m, r, lost)
    value = m.where((quadrant & 1) == 0, sine, cosine)
    bits = INT32 if r.dtype == FLOAT32 else INT64
    sign = (quadrant & 2) << r.dtype.itemsize * 8 - 2
    return m.bitcast(m.bitcast(value, bits) ^ sign, r.dtype)


def _tangent(m: Emitter, quadrant: Value, r: Value, lost: Value) -> Value:
    """Return the tangent of ``quadrant * pi / 2 + r + lost``."""
    sine, cosine = _sin_and_cos(m, r, lost)
    odd = (quadrant & 1) != 0
    return m.where(odd, -cosine, sine) / m.where(odd, sine, cosine)


def _if_hard(
    m: Emitter, hard: Value, x: Value, usual: Value, symbol: str, by_angle: Callable[..., Value]
) -> Value:
    """Return `usual`; hard lanes by the C library, or from a reduction of any angle where there is none."""

    def alone() -> Value:
        return m.astype(by_angle(m, *reduced_angle(m, m.astype(x, FLOAT64))), x.dtype)

    return m.instead(hard, usual, alone if m.target.is_gpu else lambda: each_lane(m, symbol, x))


def _turned(m: Emitter, x: Value, quarters: int, symbol: str) -> Value:
    """Return the sine of ``x + quarters * pi / 2``."""

    def sine(m: Emitter, quadrant: Value, r: Value, lost: Value) -> Value:
        return _of_quadrant(m, quadrant + quarters, r, lost)

    reduce = _reduced32 if x.dtype == FLOAT32 else _reduced64
    *angle, hard = reduce(m, x)
    value = sine(m, *angle)
    if quarters == 0:
        value = m.where(x == 0, x, value)  # keeps -0.0
    return _if_hard(m, hard, x, value, symbol, sine)


@lowers("sin", FLOAT32, FLOAT64)
def sin(m: Emitter, x: Value) -> Value:
    """Return the sine."""
    return _turned(m, x, 0, "sin")


@lowers("cos", FLOAT32, FLOAT64)
def cos(m: Emitter, x: Value) -> Value:
    """Return the cosine."""
    return _turned(m, x, 1, "cos")


@lowers("tan", FLOAT64)
def tan(m: Emitter, x: Value) -> Value:
    """Return the tangent."""
    *angle, hard = _reduced64(m, x)
    value = m.where(x == 0, x, _tangent(m, *angle))
    return _if_hard(m, hard, x, value, "tan", _tangent)
