"""Reductions of arguments of any size: of angles, and of dividends. GPUs have no C library that does it.

They compute one element at a time, in integers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gluonic.codegen.maths.exponential import power_of_two
from gluonic.codegen.maths.logarithm import lifted
from gluonic.codegen.maths.values import FLOAT64, INT64, Value

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter

_LONG = np.dtype(np.uint64)
_WORD = 0xFFFFFFFF
_TWO_OVER_PI = (
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921c"
    "fe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980f"
    "ef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d08"
    "56033046fc7b6bab"
)
"""The binary digits of 2 / pi after the point."""
_WORDS = [0, 0, *(int(_TWO_OVER_PI[k : k + 8], 16) for k in range(0, len(_TWO_OVER_PI), 8))]
_DIGITS = 6
"""The words of 2 / pi that matter: 53 bits of the number, 61 that may cancel, 53 of the result, and some."""
_STEP = 50
"""The bits of a quotient that a step of a long division finds."""
_HALF_PI = (math.pi / 2, 6.123233995736766e-17)


def reduced_angle(m: Emitter, x: Value) -> tuple[Value, Value, Value]:
    """Return the quadrant of a float64 angle, the angle within it, and the rounding error of that.

    Those bits of 2 / pi are left out that contribute multiples of four quadrants to the product with `x`
    (M. Payne and R. Hanek, Radian Reduction for Trigonometric Functions, 1983).
    """
    bits = m.bitcast(x, _LONG)
    exponent = (bits >> 52) & 0x7FF
    number = (bits & ((1 << 52) - 1)) | 1 << 52
    product = _product(m, number, _digits_from(m, exponent - (1075 + 2 - 64)))
    upper, middle, lower = (
        product[2 * k + 1] << 32 | product[2 * k] for k in reversed(range(_DIGITS // 2))
    )
    fraction = m.bitcast(upper << 2 | middle >> 62, INT64)  # the top bits are the quadrant
    below = middle << 2 | lower >> 62
    quadrant = m.bitcast(upper >> 62, INT64) + m.where(fraction < 0, m.constant(1, INT64), 0)
    high = m.astype(fraction >> 32, FLOAT64) * 2.0**32
    low = m.astype(fraction & _WORD, FLOAT64)
    turn = high + low
    lost = ((high - turn) + low) + m.astype(below >> 11, FLOAT64) * 2.0**-53
    angle = turn * (_HALF_PI[0] * 2.0**-64)
    rest = m.fma(turn, _HALF_PI[0] * 2.0**-64, -angle)
    rest = rest + (turn * (_HALF_PI[1] * 2.0**-64) + lost * (_HALF_PI[0] * 2.0**-64))
    total = angle + rest
    rest = (angle - total) + rest
    negative = m.signbit(x)
    total = m.where(abs(x) < m.inf, m.where(negative, -total, total), m.nan)
    return m.where(negative, -quadrant, quadrant), total, m.where(negative, -rest, rest)


def _digits_from(m: Emitter, start: Value) -> list[Value]:
    """Return words of 2 / pi from a bit on, the lowest first."""
    words: list[Value] = [m.constant(word, _LONG) for word in _WORDS]
    index, shift = start >> 5, start & 31
    for bit in (32, 16, 8, 4, 2, 1):
        kept = min(_DIGITS + bit, len(words))
        ahead = (index & bit) != 0
        words = [
            m.where(ahead, words[k + bit], words[k]) if k + bit < len(words) else words[k]
            for k in range(kept)
        ]
    pairs = pairwise(words[: _DIGITS + 1])
    return [((a << 32 | b) >> (32 - shift)) & _WORD for a, b in pairs][::-1]


def _product(m: Emitter, number: Value, digits: Sequence[Value]) -> list[Value]:
    """Return the lowest words of the product of a number with as many words; the lowest are first."""
    found: list[Value] = [m.constant(0, _LONG)] * len(digits)
    for start, factor in enumerate((number & _WORD, number >> 32)):
        carry = m.constant(0, _LONG)
        for k in range(start, len(digits)):
            total = factor * digits[k - start] + found[k] + carry
            found[k], carry = total & _WORD, total >> 32
    return found


def long_remainder(m: Emitter, a: Value, b: Value) -> Value:
    """Return the remainder of two float64 with the sign of `a`, exactly, by long division."""
    (first, shift), (second, other) = (lifted(m, abs(x)) for x in (a, b))
    (dividend, e), (divisor, d) = (_mantissa_and_exponent(m, x) for x in (first, second))
    shifts = (e + m.whole(shift)) - (d + m.whole(other))
    slot = m.function.slot("double", 8)
    m.function.store("double", _rest(m, dividend, divisor).ref, slot)
    with m.function.loop("0", shifts.ref, _STEP) as number:
        rest = m.value(m.function.load("double", slot), FLOAT64, 1)
        bits = m.minimum(shifts - m.value(number, INT64, 1), _STEP)
        rest = rest * power_of_two(m, m.astype(bits, FLOAT64))
        m.function.store("double", _rest(m, rest, divisor).ref, slot)
    rest = m.value(m.function.load("double", slot), FLOAT64, 1)
    rest = rest * power_of_two(m, m.astype(d, FLOAT64)) * m.where(other < 0, 2.0**-53, 1.0)
    found = m.where(abs(a) < abs(b), a, m.copysign(rest, a))
    return m.where((abs(a) < m.inf) & (b != 0) & (b == b), found, m.nan)


def _mantissa_and_exponent(m: Emitter, x: Value) -> tuple[Value, Value]:
    """Split a positive normal float64 into a number from 1 to 2, and the exponent."""
    bits = m.bitcast(x, INT64)
    mantissa = m.bitcast((bits & ((1 << 52) - 1)) | (1023 << 52), FLOAT64)
    return mantissa, (bits >> 52) - 1023


def _rest(m: Emitter, a: Value, b: Value) -> Value:
    """Return the remainder of two positive float64 whose quotient has few bits."""
    quotient = m.trunc(a / b)
    rest = m.fma(-quotient, b, a)
    return m.where(rest < 0, rest + b, rest)  # rounding may have increased the quotient
