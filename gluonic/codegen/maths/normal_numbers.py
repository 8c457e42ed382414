"""Normally and exponentially distributed numbers in compiled loops; see :mod:`gluonic.graph.normal_numbers`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gluonic.codegen.machine.values import FLOAT32, FLOAT64, INT32, INT64, Dtype, Value
from gluonic.codegen.maths.functions import lowers
from gluonic.codegen.maths.logarithm import as_float, assembled, split
from gluonic.codegen.maths.random_words import Place, random_number, random_words, shifted
from gluonic.graph.normal_numbers import (
    CURVES,
    MIDDLE,
    in_a_tail,
    in_the_middle,
)

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter

# The bits of doubles: an integer's upper half, its sign turned over, beside 2**84; its lower half beside 2**52.
_UPPER, _LOWER = 0x4530000080000000, 0x4330000000000000
_BESIDE = 2.0**84 + 2.0**63 + 2.0**52


def _bits(m: Emitter, key: Value, place: Place, dtype: Dtype) -> Value:
    """Return as many random bits for each element as it has itself, as a signed integer."""
    if dtype == FLOAT64:
        return random_number(m, m.astype(key, INT64), place.first, place.lanes)
    return random_words(m, key, place)


def _scaled(m: Emitter, integers: Value) -> Value:
    """Return integers as probabilities, in the middle of what each stands for."""
    if integers.dtype == INT32:
        found = m.astype(integers, FLOAT32)
    else:  # few processors convert 64-bit integers
        upper = m.bitcast(shifted(m, integers, 32) ^ _UPPER, FLOAT64)
        lower = m.bitcast((integers & 0xFFFFFFFF) | _LOWER, FLOAT64)
        found = (upper - _BESIDE) + lower
    return (found + 0.5) * 2.0 ** -CURVES[found.dtype].bits


def _left(m: Emitter, bits: Value) -> Value:
    """Return the probability that is left beyond each element."""
    last = 31 if bits.dtype == INT32 else 63
    return _scaled(m, ((1 << last) - 1) - (bits ^ (bits >> last)))


@lowers("random_normal")
def random_normal(m: Emitter, key: Value, place: Place, dtype: Dtype) -> Value:
    """Return numbers with mean 0 and variance 1, of 32 random bits as float32, of 64 as float64."""
    bits = _bits(m, key, place, dtype)
    q = _scaled(m, bits)
    e, f = split(m, _left(m, bits))
    root = m.sqrt(-assembled(m, as_float(m, e), f))
    room = MIDDLE**2 - q * q
    above, below = in_the_middle(m, q, room)
    far_above, far_below = in_a_tail(m, root)
    far = room < 0
    return m.where(far, m.copysign(far_above, q), above) / m.where(far, far_below, below)


@lowers("random_exponential")
def random_exponential(m: Emitter, key: Value, place: Place, dtype: Dtype) -> Value:
    """Return exponentially distributed numbers with mean 1."""
    left = _left(m, _bits(m, key, place, dtype))
    return 0 - m.log(left * 2)
