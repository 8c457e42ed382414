"""arcsin, arccos, arctan and arctan2.

arctan is an odd polynomial up to 1/2; ``arctan(t) = pi / 4 + arctan((t - 1) / (t + 1))`` and
``pi / 2 - arctan(1 / t)`` reduce larger arguments to that range. arcsin is an odd polynomial up to 1/2, and
``pi / 2 - 2 arcsin(sqrt((1 - x) / 2))`` beyond. Constants and roots are sums of two numbers. (W. J. Cody and
W. Waite, Software Manual for the Elementary Functions, 1980.)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gluonic.codegen.maths.functions import lowers
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, Dtype, Operand, Value

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter

_PI = {
    FLOAT32: (3.1415927410125732, -8.742277657347586e-08),
    FLOAT64: (math.pi, 1.2246467991473532e-16),
}
"""As the sum of two."""

# (arctan(u) - u) / u**3 for |u| <= 1/2, a polynomial in u**2
_ARCTAN = {
    FLOAT32: (
        -0.333333283662796,
        0.19999553263187408,
        -0.14273065328598022,
        0.10947991162538528,
        -0.0800727903842926,
        0.039014384150505066,
    ),
    FLOAT64: (
        -0.33333333333333315,
        0.19999999999993767,
        -0.14285714284998308,
        0.11111111070044799,
        -0.09090907705362228,
        0.07692277637925014,
        -0.06666224930222293,
        0.058778148359497,
        -0.05230040285320423,
        0.04589506930259412,
        -0.03711933021572881,
        0.023654920626156796,
        -0.008365149319286298,
    ),
}
# (arcsin(s) - s) / s**3 for |s| <= 1/2, a polynomial in s**2
_ARCSIN = {
    FLOAT32: (
        0.16666659712791443,
        0.0750051736831665,
        0.044514793902635574,
        0.03182386979460716,
        0.014382273890078068,
        0.037590913474559784,
    ),
    FLOAT64: (
        0.1666666666666676,
        0.0749999999997087,
        0.04464285717455601,
        0.030381942710090034,
        0.022372214930679448,
        0.017351612920068503,
        0.013980810870357943,
        0.011398982874035854,
        0.010779899674537019,
        0.0037075951873686334,
        0.021704889855713408,
        -0.020995875842560924,
        0.03262688330404909,
    ),
}


def _parts_of_pi(dtype: Dtype, share: float) -> tuple[float, float]:
    """A multiple of pi by a power of two, as the sum of two."""
    first, second = _PI[dtype]
    return first * share, second * share


def _angle(m: Emitter, above: Value, below: Operand) -> Value:
    """Return the angle of a point of the first quadrant; neither coordinate is negative, not both are 0."""
    dtype = above.dtype
    steep, middle = above * 0.5 > below, above > m.multiply(below, 0.5)
    upper = m.where(steep, m.negative(below), m.where(middle, above - below, above))
    u = upper / m.where(steep, above, m.where(middle, above + below, below))
    half, quarter = (_parts_of_pi(dtype, share) for share in (0.5, 0.25))
    head, tail = (
        m.where(steep, a, m.where(middle, b, m.constant(0, dtype)))
        for a, b in zip(half, quarter, strict=True)
    )
    square = u * u
    return head + m.mad(square * u, m.horner(square, _ARCTAN[dtype]), tail + u)


@lowers("arctan", FLOAT32, FLOAT64)
def arctan(m: Emitter, x: Value) -> Value:
    """Return the inverse tangent."""
    return m.copysign(_angle(m, abs(x), m.constant(1, x.dtype)), x)


@lowers("arctan2", FLOAT32, FLOAT64)
def arctan2(m: Emitter, y: Value, x: Value) -> Value:
    """Return the angle of the point (`x`, `y`), by C's rules for zeros and infinities."""
    above, below = abs(y), abs(x)
    largest = float(np.finfo(y.dtype).max) / 4
    smaller = m.where(m.maximum(above, below) > largest, m.constant(0.25, y.dtype), 1)
    equal = above == below
    first = m.where(equal, m.where(y == 0, m.constant(0, y.dtype), 1), above * smaller)
    angle = _angle(m, first, m.where(equal, m.constant(1, x.dtype), below * smaller))
    head, tail = _parts_of_pi(x.dtype, 1)
    return m.copysign(m.where(m.signbit(x), head - (angle - tail), angle), y)


def _arcsin_parts(m: Emitter, x: Value) -> tuple[Value, Value, Value]:
    """Return whether ``|x| > 1/2``; arcsin of ``|x|``, there half the angle to 1, as a sum of two."""
    size = abs(x)
    far = size > 0.5
    square = m.where(far, (1 - size) * 0.5, size * size)
    root = m.sqrt(square)
    s = m.where(far, root, size)
    lost = m.where(square > 0, m.fma(-root, root, square) / (root * 2), 0)
    return far, s, m.mad(s * square, m.horner(square, _ARCSIN[x.dtype]), m.where(far, lost, 0))


def _beside(m: Emitter, share: Value, x: Value, rest: Value) -> Value:
    """Return a multiple of pi (0, 1/2 or 1) plus ``x + rest``, with ``|x|`` no larger unless it is 0."""
    head, tail = (share * part for part in _PI[x.dtype])
    total = head + x
    return total + (((head - total) + x) + (tail + rest))


@lowers("arcsin", FLOAT32, FLOAT64)
def arcsin(m: Emitter, x: Value) -> Value:
    """Return the inverse sine."""
    far, s, rest = _arcsin_parts(m, x)
    share = m.where(far, m.constant(0.5, x.dtype), 0)
    return m.copysign(_beside(m, share, m.where(far, s * -2, s), m.where(far, rest * -2, rest)), x)


@lowers("arccos", FLOAT32, FLOAT64)
def arccos(m: Emitter, x: Value) -> Value:
    """Return the inverse cosine."""
    far, s, rest = _arcsin_parts(m, x)
    above = x > 0
    times = m.where(far, m.constant(2, x.dtype), 1)
    times = m.where(far ^ above, -times, times)
    share = m.where(far, m.where(above, m.constant(0, x.dtype), 1), 0.5)
    return _beside(m, share, s * times, rest * times)
