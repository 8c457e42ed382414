"""Random numbers as a function of a key and a position, so that who computes an element can draw its number.

An operator that draws takes one key off the generator that `mx.random.seed` seeds. The bits of its elements are
the numbers that SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
2014) gives when started with the key: its step is an addition, so the n-th number follows from `n` at once. Of
each number's 64 bits the lower half serves an element, the upper half the next. Here it is with NumPy; compiled
loops have it from :mod:`gluonic.codegen.maths.random_words`.
"""

import sys
from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

from gluonic.graph.attributes import Shape
from gluonic.graph.operator import Array

STEP, FIRST_FACTOR, SECOND_FACTOR = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
SHIFTS = 30, 27, 31
WORD = 32

AT_ONCE = 16384
_STEPS = np.arange(1, AT_ONCE + 1, dtype=np.uint64) * np.uint64(STEP)
_ALL = (1 << 64) - 1
_CONSTANTS = [  # NumPy takes arrays faster than numbers
    np.array(n, np.uint64) for n in (SHIFTS[0], FIRST_FACTOR, SHIFTS[1], SECOND_FACTOR, SHIFTS[2])
]

EXPONENT = 0x3FF << 52
"""The bits of 1 as float64."""

_UNUSED, _ODD, _UNIT = (
    np.array(8, np.uint32),
    np.array(1, np.uint32),
    np.array(2.0**-24, np.float32),
)
_MANTISSA, _ODD_EXPONENT, _ONE = (
    np.array(12, np.uint64),
    np.array(EXPONENT | 1, np.uint64),
    np.array(1.0),
)


def numbers_of(key: int, count: int, first: int = 0) -> Array:
    """The numbers that SplitMix64 gives when started with a key, as uint64, from number `first` on."""
    found = np.empty(count, np.uint64)
    for _ in _parts(count, key + first * STEP, found):
        pass
    return found


def _parts(count: int, start: int, found: Array | None = None) -> Iterator[tuple[int, Array]]:
    """The numbers from a start on part by part, so that they stay cached, with where each part begins.

    Parts lie in the memory `found`, or all in the same.
    """
    first, factor, second, second_factor, third = _CONSTANTS
    most = min(count, AT_ONCE)
    scratch, same = np.empty(most, np.uint64), np.empty(0 if found is not None else most, np.uint64)
    for begin in range(0, count, AT_ONCE):
        size = min(count - begin, AT_ONCE)
        z = same[:size] if found is None else found[begin : begin + size]
        shifted = scratch[:size]
        np.add(_STEPS[:size], np.array((start + begin * STEP) & _ALL, np.uint64), z)
        np.right_shift(z, first, shifted)
        np.bitwise_xor(z, shifted, z)
        np.multiply(z, factor, z)
        np.right_shift(z, second, shifted)
        np.bitwise_xor(z, shifted, z)
        np.multiply(z, second_factor, z)
        np.right_shift(z, third, shifted)
        np.bitwise_xor(z, shifted, z)
        yield begin, z


def _halves(numbers: Array) -> Array:
    """Both halves of each number, the lower ones first, as uint32."""
    if sys.byteorder == "big":
        numbers = numbers << np.uint64(WORD) | numbers >> np.uint64(WORD)
    words: Array = numbers.view(np.uint32)
    return words


def words_of(key: int, shape: Shape) -> Array:
    """32 random bits for each element, as int32."""
    count = prod(shape)
    words: Array = _halves(numbers_of(key, (count + 1) // 2)).view(np.int32)
    return words[:count].reshape(shape)


def drawn(key: int, shape: Shape, dtype: Any, *fills: Callable[[Array, Array], None]) -> Array:
    """Random floats, part by part.

    Parameters
    ----------
    fills : called one after the other with the random bits of a part's elements, signed integers of their size,
        and the part, to write its numbers; the bits may be overwritten
    """
    result = np.empty(shape, dtype)
    found = result.reshape(-1)
    is_double = found.dtype == np.float64
    each = 1 if is_double else 2
    for begin, numbers in _parts((found.size + each - 1) // each, key):
        part = found[each * begin : each * (begin + numbers.size)]
        bits = numbers.view(np.int64) if is_double else _halves(numbers).view(np.int32)
        for fill in fills:
            fill(bits[: part.size], part)
    return result


def threshold_of(p: float) -> int:
    """The smallest word, as int32, of an element that is kept when each is dropped with probability `p`."""
    return min(round(p * (1 << WORD)), (1 << WORD) - 1) - (1 << (WORD - 1))


def kept(key: int, shape: Shape, p: float) -> Array:
    """For each element whether it is kept when each is dropped with probability `p`."""
    result = np.empty(shape, bool)
    found, smallest = result.reshape(-1), np.array(threshold_of(p), np.int32)
    for begin, numbers in _parts((found.size + 1) // 2, key):
        part = found[2 * begin : 2 * begin + 2 * numbers.size]
        np.greater_equal(_halves(numbers).view(np.int32)[: part.size], smallest, part)
    return result


def fill_uniformly(bits: Array, part: Array) -> None:
    """Write odd multiples of 2**-24, or 2**-52, from 0 to 1: neither is among them."""
    if part.dtype == np.float64:
        numbers = np.right_shift(bits.view(np.uint64), _MANTISSA, part.view(np.uint64))
        np.bitwise_or(numbers, _ODD_EXPONENT, numbers)  # from 1 to 2
        np.subtract(part, _ONE, part)
        return
    words = bits.view(np.uint32)
    np.right_shift(words, _UNUSED, words)
    part[:] = np.bitwise_or(words, _ODD, words).view(np.int32)
    np.multiply(part, _UNIT, part)


def uniform(key: int, shape: Shape, dtype: Any) -> Array:
    """Numbers between 0 and 1, both excluded, of 23 random bits as float32, of 51 as float64."""
    return drawn(key, shape, dtype, fill_uniformly)
