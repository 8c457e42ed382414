"""What instructions compute, on arrays: floating-point numbers, integers, bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from gluonic.device.emulated.formats import Array, unsigned
from gluonic.device.emulated.opcodes import Opcode

Function = Callable[..., Any]

# -- floating-point numbers -------------------------------------------------------------------


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """The nearest float64 of a sum, and its error (Knuth)."""
    total = a + b
    part = total - a
    error = (a - (total - part)) + (b - part)
    return total, np.where(np.isfinite(total), error, 0)


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """The nearest float64 of a product, and its error (Dekker); 0 where the splitting overflows."""
    product = a * b
    (high, low), (top, bottom) = _halves(a), _halves(b)
    error = ((high * top - product) + high * bottom + low * top) + low * bottom
    return product, np.where(np.isfinite(error), error, 0)


def _halves(x: Array) -> tuple[Array, Array]:
    scaled = x * 134217729.0
    high = scaled - (scaled - x)
    return high, x - high


def fma(a: Array, b: Array, c: Array) -> Any:
    """``a * b + c`` in float64, from which halves and float32 are rounded; of float64 within 2**-53."""
    if a.dtype != np.float64:
        total = a.astype("f8") * b.astype("f8")
        if total.shape == c.shape or c.size == 1:
            total += c
            return total
        return total + c
    product, lost = two_product(a, b)
    total, rest = two_sum(product, c)
    return np.asarray(total + (rest + lost))


def single(function: Function) -> Function:
    """A function whose results are rounded to float32."""
    return lambda *x: np.asarray(function(*x)).astype("f4", copy=False)


def extremum(pick: Function, signs: Function) -> Function:
    """A minimum or maximum for which -0 is less than 0."""

    def of_two(a: Array, b: Array) -> Array:
        result = np.asarray(pick(a, b))
        if np.all(result):
            return result
        bits = unsigned(a.dtype.itemsize * 8)
        zero = signs(*np.broadcast_arrays(a.view(bits), b.view(bits))).view(a.dtype)
        return np.where((a == 0) & (b == 0), zero, result)

    return lambda *x: reduce(of_two, x)


LEAST = extremum(np.fmin, np.bitwise_or)
MOST = extremum(np.fmax, np.bitwise_and)
LEAST_OR_NAN = extremum(np.minimum, np.bitwise_or)
MOST_OR_NAN = extremum(np.maximum, np.bitwise_and)


def inverse(x: Array) -> Any:
    """One by a number."""
    return x.dtype.type(1) / x


def inverse_root(x: Array) -> Any:
    """One by the root of a number."""
    return x.dtype.type(1) / np.sqrt(x)


# -- integers -----------------------------------------------------------------------------------


def quotient(a: Array, b: Array) -> Any:
    """A quotient of integers, rounded to zero."""
    return (a - np.fmod(a, b)) // b


def _shifted(shift: Function) -> Function:
    """A shift whose amounts beyond the size of the type shift everything out, as NumPy's do too."""

    def shifted(x: Array, amount: Array) -> Array:
        return np.asarray(shift(x, np.minimum(amount, x.dtype.itemsize * 8).astype(x.dtype)))

    return shifted


LEFT = _shifted(np.left_shift)
RIGHT = _shifted(np.right_shift)


def wide(function: Function) -> Function:
    """A function of integers of a type, computed in the one that is twice as large."""

    def computed(a: Array, b: Array, *c: Array) -> Any:
        dtype = np.dtype(f"{a.dtype.kind}{a.dtype.itemsize * 2}")
        return function(a.astype(dtype), b.astype(dtype), *c)

    return computed


def high(a: Array, b: Array) -> Any:
    """The upper half of products."""
    size = a.dtype.itemsize
    if size < 8:
        wide = np.dtype(f"{a.dtype.kind}{size * 2}")
        return (a.astype(wide) * b.astype(wide) >> wide.type(size * 8)).astype(a.dtype)
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    x, y = a.view("u8"), b.view("u8")
    cross = (x & low) * (y & low) >> half
    one = (x >> half) * (y & low) + cross
    other = (x & low) * (y >> half) + (one & low)
    high = (x >> half) * (y >> half) + (one >> half) + (other >> half)
    if a.dtype.kind == "i":
        high = high - np.where(a < 0, y, np.uint64(0)) - np.where(b < 0, x, np.uint64(0))
    return high.view(a.dtype)


def population(x: Array) -> Array:
    """The number of ones among bits."""
    total = np.zeros(x.shape, "u4")
    for byte in range(x.dtype.itemsize):
        total += _ONES[(x >> x.dtype.type(8 * byte)).astype("u1")]
    return total


_ONES = np.array([value.bit_count() for value in range(256)], "u4")
_REVERSED = np.array([int(f"{value:08b}"[::-1], 2) for value in range(256)], "u1")


def leading_zeros(x: Array) -> Any:
    """The number of zeros above the highest one."""
    x = x.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < x.dtype.itemsize * 8:
            x |= x >> x.dtype.type(shift)
    return x.dtype.itemsize * 8 - population(x)


def highest(x: Array) -> Any:
    """The position of the highest bit that differs from the sign; all ones where there is none."""
    if x.dtype.kind == "i":
        x = np.where(x < 0, ~x, x)
    bits = x.view(unsigned(x.dtype.itemsize * 8))
    return (x.dtype.itemsize * 8 - 1 - leading_zeros(bits).astype("i4")).astype("u4")


def reversed_bits(x: Array) -> Any:
    """The bits in the opposite order."""
    size = x.dtype.itemsize
    octets = np.ascontiguousarray(x)[..., None].view("u1")
    return np.ascontiguousarray(_REVERSED[octets][..., ::-1]).view(f"u{size}")[..., 0]


def bit_field(x: Array, start: Array, length: Array) -> Any:
    """The bits of a field, extended by their sign if the type has one."""
    bits = x.dtype.itemsize * 8
    start, length = start & np.uint32(255), np.minimum(length & np.uint32(255), bits)
    value = RIGHT(x, start)
    spare = np.uint32(bits) - length
    if x.dtype.kind != "i":
        return np.where(length == 0, x.dtype.type(0), RIGHT(LEFT(value, spare), spare))
    end = np.minimum(start + length, bits) - np.minimum(start, bits)
    spare = (np.uint32(bits) - np.minimum(end, bits)).astype("u4")
    within = RIGHT(LEFT(value, spare), spare)
    return np.where(length == 0, x.dtype.type(0), np.where(start >= bits, RIGHT(x, start), within))


def inserted(x: Array, into: Array, start: Array, length: Array) -> Any:
    """A number with some of its bits replaced by the lowest of another."""
    start, length = start & np.uint32(255), length & np.uint32(255)
    bits = x.dtype.itemsize * 8
    ones = ~LEFT(np.full(1, ~x.dtype.type(0)), np.minimum(length, bits))
    mask = LEFT(ones, start)
    return (into & ~mask) | (LEFT(x, start) & mask)


def permuted(a: Array, b: Array, chosen: Array) -> Array:
    """Four of the eight bytes of two words; bit 3 of a choice repeats the byte's sign."""
    both = (b.astype("u8") << np.uint64(32)) | a
    result: Array = np.zeros(1, "u4")
    for place in range(4):
        choice = (chosen >> np.uint32(4 * place)) & np.uint32(15)
        byte = (both >> ((choice & np.uint32(7)) * np.uint32(8)).astype("u8")) & np.uint64(255)
        sign = np.where(byte >= 128, np.uint32(255), np.uint32(0))
        byte = np.where(choice & np.uint32(8), sign, byte.astype("u4")).astype("u4")
        result = result | (byte << np.uint32(8 * place))
    return result


def funnel(opcode: Opcode) -> Function:
    """A shift of two words as one, of which the lower or the upper is kept."""

    def shifted(low: Array, high: Array, amount: Array) -> Any:
        amount = amount & np.uint32(31) if "wrap" in opcode.modifiers else np.minimum(amount, 32)
        both = (high.astype("u8") << np.uint64(32)) | low
        if "l" in opcode.modifiers:
            return (both << amount.astype("u8") >> np.uint64(32)).astype("u4")
        return (both >> amount.astype("u8")).astype("u4")

    return shifted


def dot(opcode: Opcode) -> Function:
    """Products of four bytes, added up."""
    kinds = ["i1" if kind == "s32" else "u1" for kind in opcode.types]

    def dot(a: Array, b: Array, c: Array) -> Any:
        octets = [
            np.ascontiguousarray(x)[..., None].view(kind).astype("i4")
            for x, kind in zip((a, b), kinds, strict=True)
        ]
        return (octets[0] * octets[1]).sum(-1, dtype="i4") + c.view("i4")

    return dot


def logic(a: Array, b: Array, c: Array, table: Array) -> Array:
    """Any function of three bits, by its table."""
    result: Array = np.zeros(1, "u4")
    for row in range(8):
        if int(table.flat[0]) >> row & 1:
            x, y, z = (v if row & bit else ~v for v, bit in ((a, 4), (b, 2), (c, 1)))
            result = result | (x & y & z)
    return result


def low24(x: Array) -> Array:
    """The lower 24 bits, as a number of the type."""
    if x.dtype.kind == "i":
        return x << np.int32(8) >> np.int32(8)
    return x & np.uint32(0xFFFFFF)
