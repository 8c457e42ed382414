"""Random bits as a function of a key and a position, for compiled loops; see :mod:`gluonic.graph.random_words`.

Registers mostly begin at an element of even number, so that each number that is made serves two lanes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gluonic.codegen.machine.values import (
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    Operand,
    Value,
    vector_type,
)
from gluonic.codegen.maths.functions import lowers
from gluonic.graph.random_words import EXPONENT, FIRST_FACTOR, SECOND_FACTOR, SHIFTS, STEP, WORD
from gluonic.graph.record import record

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter

_BITS = 64


@record
class Place:
    """Which elements registers hold: `lanes` of them from number `first` on."""

    first: Value
    lanes: int


def _signed(number: int) -> int:
    """The int64 of the same bits."""
    return number - (1 << _BITS) if number >> (_BITS - 1) else number


def random_number(m: Emitter, key: Value, first: Value, lanes: int) -> Value:
    """Return `lanes` numbers of SplitMix64, from number `first` on."""
    start = key + (first + 1) * _signed(STEP)
    if lanes > 1:
        steps = (_signed(lane * STEP % (1 << _BITS)) for lane in range(lanes))
        listed = ", ".join(f"i64 {step}" for step in steps)
        start = start + m.value(f"<{listed}>", INT64, lanes)
    first_shift, second_shift, third_shift = SHIFTS
    z = (start ^ shifted(m, start, first_shift)) * _signed(FIRST_FACTOR)
    z = (z ^ shifted(m, z, second_shift)) * _signed(SECOND_FACTOR)
    return z ^ shifted(m, z, third_shift)


def shifted(m: Emitter, value: Value, count: Operand) -> Value:
    """Shift right and bring in zeros."""
    return m.instruction("lshr", m.common(value, count))


@lowers("random_words")
def random_words(m: Emitter, key: Value, place: Place) -> Value:
    """Return 32 random bits for each element, as int32."""
    key, block = m.astype(key, INT64), shifted(m, place.first, 1)
    odd = m.not_equal(place.first & 1, 0)
    if place.lanes == 1:
        number = random_number(m, key, block, 1)
        return m.astype(shifted(m, number, m.where(odd, m.constant(WORD, INT64), 0)), INT32)
    numbers = random_number(m, key, block, place.lanes // 2)

    def across() -> Value:
        """The upper half of each number beside the lower half of the next."""
        after = random_number(m, key, block + 1, place.lanes // 2)
        return _words(m, shifted(m, numbers, WORD) | (after << WORD))

    return m.instead(odd, _words(m, numbers), across)


def _words(m: Emitter, numbers: Value) -> Value:
    """Both halves of each number, the lower ones first."""
    lanes = 2 * numbers.lanes
    ref = m.function.op(f"bitcast {numbers.type} {numbers.ref} to {vector_type(INT32, lanes)}")
    return m.value(ref, INT32, lanes)


@lowers("random_uniform")
def random_uniform(m: Emitter, key: Value, place: Place, dtype: np.dtype[np.float64]) -> Value:
    """Return numbers between 0 and 1, both excluded: of 23 random bits as float32, of 51 as float64."""
    if dtype == FLOAT64:
        number = random_number(m, m.astype(key, INT64), place.first, place.lanes)
        bits = shifted(m, number, 12) | (EXPONENT | 1)
        return m.bitcast(bits, FLOAT64) - 1.0
    words = m.instruction("lshr", m.common(random_words(m, key, place), 8))
    return m.cast("sitofp", words | 1, FLOAT32) * 2.0**-24
