"""digamma and trigamma, the first two derivatives of the logarithm of the gamma function.

From 2 on, both are computed as asymptotic series in ``1 / x``; the remainder after the first terms is a
rational function. Between 1 and 2, digamma is computed as a multiple of the distance from its root,
which keeps its relative accuracy there. ``psi(x + 1) = psi(x) + 1 / x`` reduces smaller numbers to that
interval, and ``psi(1 - x) = psi(x) + pi / tan(pi x)`` negative ones.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gluonic.codegen.maths.functions import NotLowered, lowers
from gluonic.codegen.maths.values import FLOAT64, Operand, Value

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter

_Quotient = tuple[tuple[float, ...], tuple[float, ...]]

# The positive root of digamma, as the sum of three float64.
_ROOT = (1.4616321449683622, 9.549995429965697e-17, 2.89392992820415e-33)
# digamma(1.5 + u) / (1.5 + u - root) for |u| <= 1/2
_NEAR: _Quotient = (
    (
        0.9510558760318328,
        1.032252020730703,
        0.37351069432671297,
        0.052058702817898816,
        0.002280148885614843,
        7.0867491321666065e-06,
    ),
    (
        1.0,
        1.5308032668770704,
        0.8216745936977159,
        0.18960431135371483,
        0.01802638874735651,
        0.0005144867743209989,
    ),
)
# (log(x) - 1 / (2 x) - digamma(x)) x**2 for x >= 2, in 1 / x**2
_FAR: _Quotient = (
    (
        0.0833333333333333,
        1.3440788464569056,
        6.626640784862231,
        11.844610868261524,
        6.966666107136741,
        0.8209077773195413,
        -0.015152143460034802,
    ),
    (
        1.0,
        16.228946157481992,
        81.09496498675995,
        149.5220199217188,
        95.41107095596676,
        15.104302045153654,
    ),
)
# (trigamma(x) - 1 / x - 1 / (2 x**2)) x**3 for x >= 2, in 1 / x**2
_FAR_OF_TRIGAMMA: _Quotient = (
    (
        0.16666666666666663,
        3.6662226022482517,
        26.0797367787412,
        73.31401405659675,
        79.36254797707852,
        26.550800246527658,
        1.2018430087804948,
    ),
    (
        1.0,
        22.19733561348821,
        160.77503065257824,
        469.06804247793315,
        551.0059606244429,
        226.0800369053312,
        21.16539803875883,
    ),
)


def _quotient(m: Emitter, x: Value, quotient: _Quotient) -> Value:
    above, below = quotient
    return m.horner(x, above) / m.horner(x, below)


def _reflected(m: Emitter, x: Value) -> tuple[Value, Value, Value]:
    """Return whether `x` is negative, ``1 - x`` where it is, and the angle ``pi x`` modulo whole turns."""
    negative = x < 0
    return negative, m.where(negative, 1 - x, x), (x - m.rint(x)) * math.pi


@lowers("digamma", FLOAT64)
def digamma(m: Emitter, x: Value) -> Value:
    """Return the derivative of ``log(gamma(x))``; infinite at 0 and at negative integers, as in MXNet."""
    negative, y, angle = _reflected(m, x)
    from_two = y >= 2
    middle = m.where(y < 1, y + 1, y)
    near = ((middle - _ROOT[0]) - _ROOT[1]) - _ROOT[2]
    near = near * _quotient(m, m.where(from_two, 0, middle - 1.5), _NEAR)
    near = m.where(y < 1, near - 1 / y, near)
    inverse = 1 / m.where(from_two, y, 2)
    square = inverse * inverse
    far = m.log(y) - m.mad(square, _quotient(m, square, _FAR), 0.5 * inverse)
    result = m.where(from_two, far, near)
    result = m.where(negative, result - math.pi / m.tan(angle), result)
    return m.where((x <= 0) & (x == m.floor(x)), m.inf, result)


@lowers("trigamma", FLOAT64)
def trigamma(m: Emitter, x: Value) -> Value:
    """Return the derivative of `digamma`; infinite at 0 and at negative integers."""
    negative, y, angle = _reflected(m, x)
    below_two = y < 2
    inverse = 1 / m.where(below_two, y + 2, y)
    square = inverse * inverse
    result = m.mad(square * inverse, _quotient(m, square, _FAR_OF_TRIGAMMA), 0.5 * square)
    result = inverse + result
    first, second = 1 / y, 1 / (y + 1)
    result = m.where(below_two, result + (second * second + first * first), result)
    turn = math.pi / m.sin(angle)
    return m.where(negative, turn * turn - result, result)


@lowers("polygamma")
def polygamma(m: Emitter, order: int, x: Operand) -> Value:
    """Return the derivative of `digamma` of an order, which must be 1."""
    if order != 1:
        raise NotLowered(f"polygamma of order {order} has no machine code")
    return m.trigamma(x)
