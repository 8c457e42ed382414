"""The gamma function and the logarithm of its absolute value.

From 8.5 on, both are Stirling's series with a logarithm of about 64 bits. Smaller numbers are brought to an
interval about 2, or 3/2, by ``gamma(x + 1) = x gamma(x)``; there a quotient of polynomials approximates
gamma, or ``gammaln(x) / ((x - 1) (x - 2))``, whose zeros are exact so. Negative ones are reflected:
``gamma(x) gamma(-x) = -pi / (x sin(pi x))``. (M. Abramowitz and I. Stegun, Handbook of Mathematical Functions,
6.1.15, 6.1.17, 6.1.40.)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gluonic.codegen.maths.exponential import careful_exp, scaled
from gluonic.codegen.maths.functions import lowers
from gluonic.codegen.maths.logarithm import log
from gluonic.codegen.maths.power import precise_log
from gluonic.codegen.maths.trigonometric import sin
from gluonic.codegen.maths.values import FLOAT64, Value

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter

_FAR = 8.5
# log(sqrt(2 pi)), as the sum of two
_SHIFT = (0.9189385332046728, -3.878294158067242e-17)
# (gammaln(x) - (x - 1/2) log(x) + x - log(sqrt(2 pi))) x for x >= 8, a polynomial in 1 / x**2
_SERIES = (
    0.08333333333333333,
    -0.002777777777766804,
    0.0007936507860817849,
    -0.0005952357800989725,
    0.000841384344264309,
    -0.0018859944909855415,
    0.004979488103356471,
)
# gamma(2 + u) for |u| <= 1/2
_NEAR_TWO = (
    (
        1.0,
        0.35722375138206686,
        0.11212035110836349,
        0.0019107451554663737,
        -0.003150326196663353,
        -0.002097025071247736,
        -0.00033537393607570385,
        -6.506424990662285e-05,
    ),
    (
        1.0,
        -0.06556058371639976,
        -0.2720019915228505,
        0.06233249950047586,
        0.013617079201242296,
        -0.006201274984026936,
        0.0006178019148172338,
    ),
)
# gammaln(x) / ((x - 1) (x - 2)) for 3/4 <= x <= 9/4
_LOG_NEAR = (
    (
        2.5529165132001994,
        67.22425511397658,
        364.60932925065356,
        623.9166637728982,
        373.04580925775,
        74.70784955763983,
        3.84867590047523,
        0.011911128556437006,
    ),
    (
        1.0,
        45.19484290868671,
        374.44800130969855,
        957.1558592802594,
        888.8923988516214,
        310.84455789387465,
        37.24633877492134,
        1.081537450840719,
    ),
)


def _quotient(m: Emitter, x: Value, quotient: tuple[tuple[float, ...], ...]) -> Value:
    above, below = quotient
    return m.horner(x, above) / m.horner(x, below)


def _lowered(m: Emitter, x: Value, end: float) -> tuple[Value, Value]:
    """Return a number up to `end`, by steps of one, and the product of the numbers stepped to."""
    y, product = m.minimum(x, _FAR), m.constant(1, FLOAT64)
    for _ in range(math.ceil(_FAR - end)):
        high = y > end
        y = m.where(high, y - 1, y)
        product = m.where(high, product * y, product)
    return y, product


def _sum(a: Value, b: Value) -> tuple[Value, Value]:
    """Return the sum of two, and its rounding error."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _log_far(m: Emitter, x: Value) -> tuple[Value, Value]:
    """Return gammaln of ``x >= 8.5`` as the sum of two."""
    total, tail = precise_log(m, x)
    share = x - 0.5
    product = share * total
    lost = m.fma(share, total, -product) + share * tail
    inverse = 1 / x
    series = m.horner(inverse * inverse, _SERIES) * inverse
    found = product
    for part in (-x, m.constant(_SHIFT[0], FLOAT64), series):
        found, error = _sum(found, part)
        lost = lost + error
    return found, lost + _SHIFT[1]


def _sine_of_turn(m: Emitter, x: Value) -> Value:
    """Return the sine of ``pi x``."""
    nearest = m.rint(x)
    odd = m.rint(nearest * 0.5) * 2 != nearest
    found = sin(m, ((x - nearest) * math.pi).within((-1.6, 1.6)))
    return m.where(odd, -found, found)


def _is_pole(m: Emitter, x: Value) -> Value:
    return (x <= 0) & (m.floor(x) == x)


@lowers("gamma", FLOAT64)
def gamma(m: Emitter, x: Value) -> Value:
    """Return the gamma function; NaN at negative integers, infinite at 0, as in C."""
    size, negative = abs(x), x < 0
    far = size > _FAR
    reflected = -math.pi / _sine_of_turn(m, size)
    y, product = _lowered(m, size, 2.5)
    low, lowest = y < 1.5, y < 0.5
    divisor = m.where(lowest, y * (y + 1), m.where(low, y, 1))
    y = m.where(lowest, y + 2, m.where(low, y + 1, y))
    above, below = _quotient(m, y - 2, _NEAR_TWO) * product, divisor
    near = m.where(negative, reflected * below / (above * size), above / below)
    exponent, lost = _log_far(m, m.minimum(m.where(far, size, _FAR), 1e6))
    sign = m.where(negative, m.constant(-1, FLOAT64), 1)
    factor, rest, power = careful_exp(m, exponent * sign, lost * sign)
    factor = (factor + rest) * m.where(negative, reflected / size, 1)
    result = m.where(far, scaled(m, factor, power), near)
    edge = m.where(x == 0, m.copysign(m.inf, x), m.nan)
    return m.where(_is_pole(m, x), edge, result)


@lowers("gammaln", FLOAT64)
def gammaln(m: Emitter, x: Value) -> Value:
    """Return the logarithm of the gamma function's absolute value."""
    size, negative = abs(x), x < 0
    y, product = _lowered(m, size, 2.25)
    low = y < 0.75
    factor = log(m, m.where(low, y, product))
    y = m.where(low, y + 1, y)
    near = (y - 1) * (y - 2) * _quotient(m, y, _LOG_NEAR)
    near = near + m.where(low, -factor, factor)
    far = m.where(size > _FAR, size, _FAR)
    total, lost = _log_far(m, m.minimum(far, 1e20))
    beyond = m.where(far > 1e17, far * (log(m, far) - 1), total + lost)
    result = m.where(size > _FAR, beyond, near)
    turn = math.pi / (size * abs(_sine_of_turn(m, size)))
    result = m.where(negative, log(m, turn) - result, result)
    return m.where(_is_pole(m, x) | (size == m.inf), m.inf, result)
