"""Powers and roots.

``x ** y`` is ``exp(y log(x))``. In float64 the logarithm is a pair of numbers with about 64 accurate
bits, for its error is multiplied by up to 745. float32 is computed in float64, without such a pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gluonic.codegen.maths.exponential import careful_exp, exp, power_of_two, scaled
from gluonic.codegen.maths.functions import lowers
from gluonic.codegen.maths.logarithm import as_float, lifted, log, split
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, Operand, Value

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter

# ln 2 in two parts, the first short enough that an exponent times it is exact.
_LN2 = (0.6931471805598903, 5.497923018708371e-14)
_THIRDS = (0.6666666666666666, 3.700743415417188e-17)
# (log(m) - 2 s - 2 s**3 / 3) / s**5 with s = (m - 1) / (m + 1), a polynomial in s**2
_CURVE = (
    0.3999999999999998,
    0.2857142857144387,
    0.22222222217778287,
    0.18181818845822673,
    0.1538455828153004,
    0.13336270828373048,
    0.11675641173741667,
    0.11982991458326113,
)

# The cube root of 1 + f for sqrt(1/2) <= 1 + f <= sqrt(2), to seven digits
_CUBE_ROOT = (
    0.9999990108869596,
    0.33332022614726,
    -0.11096387199734549,
    0.06229213544884025,
    -0.04478354580496942,
    0.026927624491932735,
)

_Pair = tuple[Value, Value]


def precise_log(m: Emitter, x: Value) -> _Pair:
    """Return the logarithm of a positive float64 as the sum of two."""
    normal, shift = lifted(m, x)
    whole, f = split(m, normal)
    e = as_float(m, whole) + shift
    below = f + 2
    inverse = 1 / below
    s = f * inverse
    s_lost = (m.fma(-s, below, f) - s * (f - (below - 2))) * inverse
    z = s * s
    z_lost = m.fma(s, s, -z) + 2 * s * s_lost
    third = z * _THIRDS[0]
    rest = m.fma(z, _THIRDS[0], -third) + z_lost * _THIRDS[0] + z * _THIRDS[1]
    rest = rest + z * z * m.horner(z, _CURVE)
    q = third + rest
    q_lost = rest - (q - third)
    product = s * q
    product_lost = m.fma(s, q, -product) + s * q_lost + s_lost * q
    return _sum_with_exponent(m, e, 2 * s, product, 2 * s_lost + product_lost)


def _sum_with_exponent(m: Emitter, e: Value, head: Value, middle: Value, tail: Value) -> _Pair:
    """Return ``e ln 2 + head + middle + tail``, in the order of decreasing magnitude."""
    part = head + middle
    tail = tail + (middle - (part - head))
    whole = e * _LN2[0]
    total = whole + part
    tail = tail + (part - (total - whole)) + e * _LN2[1]
    return total, tail


@lowers("power", FLOAT64)
def power64(m: Emitter, x: Value, y: Value) -> Value:
    """Return `x` to the power of `y`."""
    size = abs(x)
    total, tail = precise_log(m, size)
    usual = (size > 0) & (size < m.inf)
    total = m.where(usual, total, log(m, size))
    product = y * total
    rest = m.where(usual, m.fma(y, total, -product) + y * tail, 0)
    rest = m.where(abs(product) < 1000, rest, 0)
    factor, _, n = careful_exp(m, product, rest)
    return _with_sign(m, x, y, scaled(m, factor, n))


@lowers("power", FLOAT32)
def power32(m: Emitter, x: Value, y: Value) -> Value:
    """Return `x` to the power of `y`."""
    wide_x, wide_y = m.astype(x, FLOAT64), m.astype(y, FLOAT64)
    result = exp(m, wide_y * log(m, abs(wide_x)))
    return m.astype(_with_sign(m, wide_x, wide_y, result), FLOAT32)


def _with_sign(m: Emitter, x: Value, y: Value, result: Value) -> Value:
    """Return the power, given that of the absolute value, by C's rules for signs and special cases."""
    whole = m.trunc(y)
    odd = (m.trunc(whole * 0.5) * 2 != whole) & (abs(y) < m.inf)
    result = m.where(m.signbit(x) & odd & (whole == y), -result, result)
    result = m.where((x < 0) & (x > -m.inf) & (whole != y), m.nan, result)
    one = (y == 0) | (x == 1) | ((x == -1) & (abs(y) == m.inf))
    return m.where(one, 1, result)


@lowers("raised")
def raised(m: Emitter, x: Operand, y: Operand) -> Value:
    """Return ``x ** y`` like Python's operator: small constant powers become products."""
    if isinstance(x, Value) and isinstance(y, int | float) and not isinstance(y, bool):
        if y == 0.5 and x.dtype.kind == "f":
            return m.sqrt(x)
        if y == int(y) and 0 <= y <= 4:
            (base,) = m.common(x) if isinstance(y, int) else m.floating(x)
            return _multiplied(m, base, int(y))
        if y == -1 and x.dtype.kind == "f":
            return m.divide(1, x)
    first, second = m.common(x, y)
    if first.dtype.kind != "f":
        return m.integer_power(first, second)
    return m.power(first, second)


def _multiplied(m: Emitter, x: Value, n: int) -> Value:
    if n == 0:
        return m.constant(1, x.dtype)
    if n == 1:
        return x
    half = _multiplied(m, x, n // 2)
    return half * half * x if n % 2 else half * half


@lowers("integer_power")
def integer_power(m: Emitter, x: Value, n: Value) -> Value:
    """Raise integers to nonnegative powers, by squaring, with wraparound."""
    result, base, rest = m.constant(1, x.dtype), x, n
    bits = int(n.ref).bit_length() if n.is_literal else x.dtype.itemsize * 8
    for _ in range(bits):
        result = m.where((rest & 1) == 1, result * base, result)
        base, rest = base * base, m.right_shift(rest, 1)
    return result


@lowers("hypot", FLOAT64)
def hypot(m: Emitter, x: Value, y: Value) -> Value:
    """Return ``sqrt(x**2 + y**2)`` without intermediate overflow."""
    a, b = abs(x), abs(y)
    larger = m.maximum(a, b)
    scale = m.where(larger > 2.0**500, 2.0**-600, m.where(larger < 2.0**-500, 2.0**600, 1.0))
    back = m.where(larger > 2.0**500, 2.0**600, m.where(larger < 2.0**-500, 2.0**-600, 1.0))
    p, q = x * scale, y * scale
    result = m.sqrt(m.mad(p, p, q * q)) * back
    return m.where((a == m.inf) | (b == m.inf), m.inf, result)


@lowers("cbrt", FLOAT64)
def cbrt(m: Emitter, x: Value) -> Value:
    """Return the cube root: a polynomial, and one step of Halley's iteration."""
    size = abs(x)
    normal, shift = lifted(m, size)
    whole, f = split(m, normal)
    e = as_float(m, whole) + shift
    third = m.floor(e * (1 / 3) + 0.125)
    rest = e - third * 3
    two, four = rest > 1.5, rest > 0.5

    def by_rest(values: tuple[float, float, float]) -> Value:
        return m.where(two, values[2], m.where(four, m.constant(values[1], FLOAT64), values[0]))

    cube = (f + 1) * by_rest((1.0, 2.0, 4.0))
    y = m.horner(f, _CUBE_ROOT) * by_rest((1.0, 2 ** (1 / 3), 4 ** (1 / 3)))
    square = y * y
    lacking = m.fma(-square, y, cube) - m.fma(y, y, -square) * y
    y = m.mad(y, lacking / m.mad(square * 2, y, cube), y)
    result = m.copysign(y * power_of_two(m, third), x)
    return m.where((size > 0) & (size < m.inf), result, x)
