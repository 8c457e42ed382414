"""erf, erfc and the inverse of erf.

Near 0 erf is an odd polynomial; elsewhere it is ``1 - exp(-q)`` with a polynomial `q`. erfc and gelu need the
tail of the normal distribution with full relative accuracy, down to the smallest numbers. It is
``exp(-a**2 / 2) G(t) / (a + 4)`` with a polynomial in ``t = (a - 4) / (a + 4)``; the rounding error of ``a**2``
is compensated. The inverse of erf is `x` times a polynomial in ``w = -log(1 - x**2)``, or in its root where it
is large (M. Giles, Approximating the Erfinv Function, GPU Computing Gems, 2011).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gluonic.codegen.maths.exponential import (
    careful_exp,
    exp_of_negative,
    scaled,
)
from gluonic.codegen.maths.functions import lowers
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, Value

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter

# erf(x) / x - 1 for |x| <= 1, a polynomial in x**2
_NEAR = {
    FLOAT32: (
        0.12837916612625122,
        -0.3761262595653534,
        0.11283581703901291,
        -0.026853593066334724,
        0.005187842063605785,
        -0.0008005566778592765,
        7.837788871256635e-05,
    ),
    FLOAT64: (
        0.12837916709551256,
        -0.37612638903183454,
        0.11283791670942431,
        -0.026866170642896234,
        0.005223977604656793,
        -0.0008548325868817665,
        0.00012055291971626122,
        -1.492468441554882e-05,
        1.6446816025262517e-06,
        -1.6204073487875979e-07,
        1.3701919713647954e-08,
        -7.763543265453866e-10,
    ),
}
# -log(erfc(c + u)) for 1 <= c + u <= end, a polynomial in u
_FAR = {
    FLOAT32: (
        1.0,
        4.0,
        (
            1.8496055603027344,
            2.638965368270874,
            0.8431304097175598,
            0.04146129637956619,
            -0.009833017364144325,
            0.0017879994120448828,
            -0.00017646054038777947,
        ),
    ),
    FLOAT64: (
        2.0,
        6.0,
        (
            5.364941264616638,
            4.4181608059944155,
            0.9237508418237591,
            0.016465118136857818,
            -0.003570756345313248,
            0.0007323993866700121,
            -0.0001353093399011528,
            2.0706425170153344e-05,
            -1.9521795231427903e-06,
            -2.0361994619424036e-07,
            1.7318339775765393e-07,
            -5.783104003800384e-08,
            1.3971445983792976e-08,
            -2.5122742415932536e-09,
            2.59987004151453e-10,
            3.243728170610747e-11,
            -3.0927476744414065e-11,
            1.1440348877359801e-11,
            -2.3742798881261892e-12,
            2.095378291761688e-13,
        ),
    ),
}
ZERO_FROM = 40.0  # from here on the tail underflows
_POLE = 4.0
_DENSITY = 0.3989422804014327  # 1 / sqrt(2 pi): the curve R satisfies R' = a R - this
# (a + 4) exp(a**2 / 2) times half of erfc(a / sqrt(2))
_TAIL_DOUBLE = (
    0.7552851304157515,
    -0.6078966419718921,
    0.3871374007422077,
    -0.18652185795965678,
    0.06039657489129152,
    -0.00754018896680056,
    -0.0034796923747047463,
    0.0016308184589520767,
    0.00013334439048316604,
    -0.00023109494385895784,
    -1.908749798854203e-06,
    3.514469282124519e-05,
    7.186136811161678e-07,
    -5.919993130419347e-06,
    -6.347044899012253e-07,
    1.0205514810238616e-06,
    2.801608148408241e-07,
    -1.5241956781974613e-07,
    -9.414897487465753e-08,
    9.759740592322417e-09,
    2.4831658905794727e-08,
    4.48878283694335e-09,
    -3.874884548303552e-09,
    -1.503835345378887e-09,
)
# erfinv(x) / x: for w < 6.25, a polynomial in w - 3.125;
_INVERSE_NEAR = (
    1.6536545626831027,
    0.24015818242558826,
    -0.006033670871427691,
    -0.0007407025341538717,
    0.00018673420802409372,
    -1.388252339601223e-05,
    -1.365469184242554e-06,
    4.2347881934456356e-07,
    -2.9070382901413837e-08,
    -4.112662156229495e-09,
    1.0512184494380304e-09,
    -5.4142317218396245e-11,
    -1.2976971530362117e-11,
    2.63033552407229e-12,
    -8.116782754851878e-14,
    -3.998650598073651e-14,
    6.5944483315475684e-15,
    -4.3232643126772417e-17,
    -1.3002145038329255e-16,
    1.578566283411793e-17,
    1.1437078053874759e-18,
    -3.5859180369249165e-19,
    -9.968535729713856e-22,
    3.394008612047486e-21,
)
# for w < 16, in sqrt(w) - 3.25;
_INVERSE_MIDDLE = (
    3.0838856104922208,
    1.0052589676941588,
    0.005370914553561847,
    -0.0037512085074826226,
    0.002491442097256589,
    -0.0016882755587380584,
    0.000953289359589341,
    -0.00035503748562794416,
    2.4031295069755675e-05,
    6.828462413902054e-05,
    -4.731919851006564e-05,
    1.2476132309536034e-05,
    2.9264621289610153e-06,
    -4.015563304914939e-06,
    1.4972454818422855e-06,
    2.00664472853756e-08,
    -2.697704000214415e-07,
    8.995177457978594e-08,
)
# beyond, in sqrt(w) - 5
_INVERSE_FAR = (
    4.849906401408584,
    1.010300464864544,
    -0.000138719318354737,
    -0.000215030119734981,
    7.5995277282441e-05,
    -1.9681772213328506e-05,
    4.526061030855773e-06,
    -9.93018981727177e-07,
    2.290101113090979e-07,
    -6.7592913445245e-08,
    2.9137555704524332e-08,
    -1.518300253151969e-08,
    7.627586440530212e-09,
    -3.5508304817940637e-09,
    1.5003484118427223e-09,
    -3.9144842235257696e-10,
    -2.5245293242634605e-11,
    3.192661475528424e-11,
)


@lowers("erf", FLOAT32, FLOAT64)
def erf(m: Emitter, x: Value) -> Value:
    """Return the error function."""
    centre, end, far = _FAR[x.dtype]
    size = abs(x)
    square = x * x
    near = m.mad(x, m.horner(square, _NEAR[x.dtype]), x)
    bounded = m.minimum(size, end)
    beyond = 1 - exp_of_negative(m, -m.horner(bounded - centre, far))
    return m.where(size < 1, near, m.copysign(beyond, x))


def half_tail(m: Emitter, square: Value, lost: Value, a: Value) -> tuple[Value, Value, Value]:
    """Return ``exp(-(square + lost) / 2)`` times the tail's curve at ``0 <= a <= 40``.

    The result is a factor, its rounding error, and a power of two: their product may be too small to keep
    its digits.
    """
    above, below = a - _POLE, a + _POLE
    inverse = 1 / below
    t = above * inverse
    decay, decay_lost, power = careful_exp(m, square * -0.5)
    upper = m.horner(t, _TAIL_DOUBLE[1:])
    curve = m.mad(upper, t, _TAIL_DOUBLE[0])
    ratio = curve * inverse
    # First order corrections: of the two sums, the last step, the two quotients, the square.
    below_lost = _lost_by_sum(m, a, _POLE, below)
    t_lost = m.fma(-t, below, above) + _lost_by_sum(m, a, -_POLE, above) - t * below_lost
    slope = ratio + below * (a * ratio - _DENSITY)
    curve_lost = m.fma(upper, t, _TAIL_DOUBLE[0] - curve)
    rest = (m.fma(-ratio, below, curve) + curve_lost - ratio * below_lost) * inverse
    rest = rest + slope * t_lost * (0.5 / _POLE) - ratio * lost * 0.5
    factor = decay * ratio
    rest = m.mad(decay, rest, m.mad(decay_lost, ratio, m.fma(decay, ratio, -factor)))
    return factor, rest, power


def _lost_by_sum(m: Emitter, a: Value, b: float, total: Value) -> Value:
    """Return the rounding error of ``total = a + b``."""
    part = total - a
    return (a - (total - part)) + (b - part)


@lowers("erfc", FLOAT64)
def erfc(m: Emitter, x: Value) -> Value:
    """Return ``1 - erf(x)`` without cancellation."""
    size = abs(x)
    far = m.minimum(size, ZERO_FROM / math.sqrt(2))
    square = 2 * (far * far)
    lost = 2 * m.fma(far, far, square * -0.5)
    factor, rest, power = half_tail(m, square, lost, far * math.sqrt(2))
    tail = scaled(m, factor + rest, power + 1)
    return m.where(x < 0, 2 - tail, m.where(size < 0.5, 1 - erf(m, x), tail))


@lowers("erfinv", FLOAT64)
def erfinv(m: Emitter, x: Value) -> Value:
    """Return the number whose error function is `x`; infinite at -1 and 1, NaN beyond."""
    size = abs(x)
    w = -m.log((1 - size) * (1 + size))
    root = m.sqrt(w)
    far = w >= 16
    centre = m.where(far, m.constant(5, FLOAT64), 3.25)
    high = m.constant(0, FLOAT64)
    for a, b in zip(reversed(_INVERSE_MIDDLE), reversed(_INVERSE_FAR), strict=True):
        high = m.mad(high, root - centre, m.where(far, m.constant(b, FLOAT64), a))
    near = m.horner(w - 3.125, _INVERSE_NEAR)
    result = m.where(w < 6.25, near, high) * x
    return m.where(size == 1, m.copysign(m.inf, x), result)
