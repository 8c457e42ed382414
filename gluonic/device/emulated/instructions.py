"""What the instructions that only compute do, as a table: a row says how NumPy computes a family of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gluonic.device.emulated.formats import TYPES, Array, bits_of, directed, unsigned

Function = Callable[..., Any]


class Opcode(NamedTuple):
    """An opcode such as ``cvt.rn.f16.f32``: its name, its types, and the modifiers between."""

    name: str
    types: tuple[str, ...]
    modifiers: tuple[str, ...]


class Meaning(NamedTuple):
    """How to compute an instruction: the types of its operands, of its result, and the function."""

    sources: tuple[str, ...]
    result: str
    function: Function


class Row(NamedTuple):
    """A family of instructions.

    Attributes
    ----------
    sources : a letter for each operand: t the last type of the opcode, d its first, w twice as large as t,
        u an unsigned integer of 32 bits, b the bits of t, p a predicate
    result : such a letter
    integers, floats : what computes it on integers and on floating-point numbers; it gets arrays of these types
    special : what makes the function where it depends on the opcode
    """

    sources: str
    result: str = "t"
    integers: Function | None = None
    floats: Function | None = None
    special: Callable[[Opcode], Function] | None = None


def split(opcode: str) -> Opcode:
    """The parts of an opcode."""
    name, *parts = opcode.split(".")
    types = tuple(part for part in parts if TYPES.match(part))
    return Opcode(name, types, tuple(part for part in parts if part not in types))


def meaning(text: str) -> Meaning | None:
    """How to compute an instruction, or None if it is not in the table."""
    opcode = split(text)
    names = (f"{opcode.name}.{m}" for m in opcode.modifiers)
    row = next((ROWS[name] for name in (*names, opcode.name) if name in ROWS), None)
    if opcode.name == "cvt" and opcode.types[0].endswith("x2"):
        row = PAIRS
    if row is None or not opcode.types:
        return None
    kinds = _kinds(opcode)
    function: Function | None
    if row.special is not None:
        function = row.special(opcode)
    elif _is_float(opcode.types[-1]):
        function = row.floats and _modified(row.floats, opcode)
    else:
        function = row.integers and _saturated(row.integers, opcode)
    if function is None:
        return None
    return Meaning(tuple(kinds[letter] for letter in row.sources), kinds[row.result], function)


def _kinds(opcode: Opcode) -> dict[str, str]:
    """The types that the letters of rows mean."""
    first, last = opcode.types[0], opcode.types[-1]
    bits = bits_of(last)
    wide = last if _is_float(last) else f"{last[0]}{bits * 2}"
    return {"t": last, "d": first, "w": wide, "u": "u32", "b": f"b{bits}", "p": "pred"}


def _is_float(kind: str) -> bool:
    return kind[0] in "ft" or kind.startswith("bf")


# -- modifiers ----------------------------------------------------------------------------------


def _saturated(function: Function, opcode: Opcode) -> Function:
    """An integer function with ``.sat``: of 32 bits, computed in 64."""
    if "sat" not in opcode.modifiers:
        return function
    ends = np.iinfo(np.int32)
    return lambda *x: np.clip(function(*[v.astype("i8") for v in x]), ends.min, ends.max).astype(
        "i4"
    )


def _modified(function: Function, opcode: Opcode) -> Function:
    """A floating-point function with the modifiers for rounding, subnormal numbers and saturation."""
    mode = next((m for m in ("rz", "rm", "rp") if m in opcode.modifiers), "")
    if mode:
        function = _rounding(function, mode, opcode)
    if "ftz" in opcode.modifiers and opcode.types[-1] == "f32":
        inner = function
        function = lambda *x: _flushed(inner(*map(_flushed, x)))  # noqa: E731
    if "sat" in opcode.modifiers:
        within = function
        function = lambda *x: _within_one(within(*x))  # noqa: E731
    if "relu" in opcode.modifiers:
        positive = function
        function = lambda *x: np.fmax(positive(*x), np.float32(0))  # noqa: E731
    return function


def _rounding(function: Function, mode: str, opcode: Opcode) -> Function:
    if opcode.types[-1] != "f32" or opcode.name not in ("add", "sub", "mul", "fma", "mad"):
        raise NotImplementedError(f"{mode} of {opcode.name}.{opcode.types[-1]}")

    def rounded(*x: Array) -> Array:
        doubles = [v.astype("f8") for v in x]
        if opcode.name == "mul":
            return directed(doubles[0] * doubles[1], 0.0, mode, "f4")
        sign = -1 if opcode.name == "sub" else 1
        terms = (
            (doubles[0] * doubles[1], doubles[2])
            if len(x) == 3
            else (doubles[0], sign * doubles[1])
        )
        return directed(*two_sum(*terms), mode, "f4")

    return rounded


def _flushed(x: Array) -> Array:
    if x.dtype != np.float32:
        return x
    return np.where(np.abs(x) < np.finfo("f4").tiny, np.copysign(np.float32(0), x), x)


def _within_one(x: Array) -> Array:
    return np.clip(np.where(np.isnan(x), 0, x), 0, 1).astype(x.dtype)


# -- floating-point functions -------------------------------------------------------------------


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


def _fma(a: Array, b: Array, c: Array) -> Array:
    """``a * b + c`` in float64, from which halves and float32 are rounded; of float64 within 2**-53."""
    if a.dtype != np.float64:
        total = np.multiply(a, b, dtype="f8")
        total += c
        return total
    product, lost = two_product(a, b)
    total, rest = two_sum(product, c)
    return np.asarray(total + (rest + lost))


def _extremum(pick: Function, signs: Function, propagates: bool) -> Function:
    """A minimum or maximum for which -0 is less than 0."""

    def extremum(*x: Array) -> Array:
        result = x[0]
        for other in x[1:]:
            both, result, one = None, pick(result, other), result
            if not np.all(result):
                bits = unsigned(one.dtype.itemsize * 8)
                both = signs(*np.broadcast_arrays(one.view(bits), other.view(bits))).view(one.dtype)
                result = np.where((one == 0) & (other == 0), both, result)
        return np.asarray(result)

    del propagates
    return extremum


_LEAST = _extremum(np.fmin, np.bitwise_or, False)
_MOST = _extremum(np.fmax, np.bitwise_and, False)
_LEAST_OR_NAN = _extremum(np.minimum, np.bitwise_or, True)
_MOST_OR_NAN = _extremum(np.maximum, np.bitwise_and, True)


def _inverse(x: Array) -> Any:
    return x.dtype.type(1) / x


def _inverse_root(x: Array) -> Any:
    return x.dtype.type(1) / np.sqrt(x)


# -- integer functions --------------------------------------------------------------------------


def _quotient(a: Array, b: Array) -> Any:
    return (a - np.fmod(a, b)) // b


def _shifted(shift: Function) -> Function:
    """A shift whose amounts beyond the size of the type shift everything out, as NumPy's do too."""

    def shifted(x: Array, amount: Array) -> Array:
        return np.asarray(shift(x, np.minimum(amount, x.dtype.itemsize * 8).astype(x.dtype)))

    return shifted


_LEFT = _shifted(np.left_shift)
_RIGHT = _shifted(np.right_shift)


def _wide(function: Function) -> Function:
    """A function of integers of a type, computed in the one that is twice as large."""

    def computed(a: Array, b: Array, *c: Array) -> Any:
        dtype = np.dtype(f"{a.dtype.kind}{a.dtype.itemsize * 2}")
        return function(a.astype(dtype), b.astype(dtype), *c)

    return computed


def _high(a: Array, b: Array) -> Any:
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


def _population(x: Array) -> Array:
    """The number of ones among bits."""
    total = np.zeros(x.shape, "u4")
    for byte in range(x.dtype.itemsize):
        total += _ONES[(x >> x.dtype.type(8 * byte)).astype("u1")]
    return total


_ONES = np.array([value.bit_count() for value in range(256)], "u4")
_REVERSED = np.array([int(f"{value:08b}"[::-1], 2) for value in range(256)], "u1")


def _leading_zeros(x: Array) -> Any:
    x = x.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < x.dtype.itemsize * 8:
            x |= x >> x.dtype.type(shift)
    return x.dtype.itemsize * 8 - _population(x)


def _highest(x: Array) -> Any:
    """The position of the highest bit that differs from the sign; all ones where there is none."""
    if x.dtype.kind == "i":
        x = np.where(x < 0, ~x, x)
    bits = x.view(unsigned(x.dtype.itemsize * 8))
    return (x.dtype.itemsize * 8 - 1 - _leading_zeros(bits).astype("i4")).astype("u4")


def _reversed_bits(x: Array) -> Any:
    size = x.dtype.itemsize
    octets = np.ascontiguousarray(x)[..., None].view("u1")
    return np.ascontiguousarray(_REVERSED[octets][..., ::-1]).view(f"u{size}")[..., 0]


def _field(x: Array, start: Array, length: Array) -> Any:
    """The bits of a field, extended by their sign if the type has one."""
    bits = x.dtype.itemsize * 8
    start, length = start & np.uint32(255), np.minimum(length & np.uint32(255), bits)
    value = _RIGHT(x, start)
    spare = np.uint32(bits) - length
    if x.dtype.kind != "i":
        return np.where(length == 0, x.dtype.type(0), _RIGHT(_LEFT(value, spare), spare))
    end = np.minimum(start + length, bits) - np.minimum(start, bits)
    spare = (np.uint32(bits) - np.minimum(end, bits)).astype("u4")
    within = _RIGHT(_LEFT(value, spare), spare)
    return np.where(length == 0, x.dtype.type(0), np.where(start >= bits, _RIGHT(x, start), within))


def _inserted(x: Array, into: Array, start: Array, length: Array) -> Any:
    start, length = start & np.uint32(255), length & np.uint32(255)
    bits = x.dtype.itemsize * 8
    ones = ~_LEFT(np.full(1, ~x.dtype.type(0)), np.minimum(length, bits))
    mask = _LEFT(ones, start)
    return (into & ~mask) | (_LEFT(x, start) & mask)


def _permuted(a: Array, b: Array, chosen: Array) -> Array:
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


def _funnel(opcode: Opcode) -> Function:
    """A shift of two words as one, of which the lower or the upper is kept."""

    def shifted(low: Array, high: Array, amount: Array) -> Any:
        amount = amount & np.uint32(31) if "wrap" in opcode.modifiers else np.minimum(amount, 32)
        both = (high.astype("u8") << np.uint64(32)) | low
        if "l" in opcode.modifiers:
            return (both << amount.astype("u8") >> np.uint64(32)).astype("u4")
        return (both >> amount.astype("u8")).astype("u4")

    return shifted


def _dot(opcode: Opcode) -> Function:
    """Products of four bytes, added up."""
    kinds = ["i1" if kind == "s32" else "u1" for kind in opcode.types]

    def dot(a: Array, b: Array, c: Array) -> Any:
        octets = [
            np.ascontiguousarray(x)[..., None].view(kind).astype("i4")
            for x, kind in zip((a, b), kinds, strict=True)
        ]
        return (octets[0] * octets[1]).sum(-1, dtype="i4") + c.view("i4")

    return dot


def _logic(a: Array, b: Array, c: Array, table: Array) -> Array:
    """Any function of three bits, by its table."""
    result: Array = np.zeros(1, "u4")
    for row in range(8):
        if int(table.flat[0]) >> row & 1:
            x, y, z = (v if row & bit else ~v for v, bit in ((a, 4), (b, 2), (c, 1)))
            result = result | (x & y & z)
    return result


# -- comparisons and conversions ----------------------------------------------------------------

_COMPARISONS: Mapping[str, Function] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
    "num": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    "nan": lambda a, b: np.isnan(a) | np.isnan(b),
    "equ": lambda a, b: ~((a < b) | (a > b)),
    "neu": np.not_equal,
    "ltu": lambda a, b: ~(a >= b),
    "leu": lambda a, b: ~(a > b),
    "gtu": lambda a, b: ~(a <= b),
    "geu": lambda a, b: ~(a < b),
}
COMBINATIONS: Mapping[str, Function] = {
    "and": np.logical_and,
    "or": np.logical_or,
    "xor": np.logical_xor,
}


def comparison(opcode: Opcode) -> Function:
    """What compares: without a NaN unless the comparison is an unordered one."""
    name = opcode.modifiers[0]
    if name == "ne" and _is_float(opcode.types[-1]):
        return lambda a, b: (a < b) | (a > b)
    return _COMPARISONS[name]


_TO_INTEGRAL: Mapping[str, Function] = {
    "rni": np.rint,
    "rzi": np.trunc,
    "rmi": np.floor,
    "rpi": np.ceil,
}


def _conversion(opcode: Opcode) -> Function:
    """Conversion of the second type into the first."""
    to, source = opcode.types[0], opcode.types[-1]
    mode = opcode.modifiers[0] if opcode.modifiers else ""
    if not _is_float(source):
        if _is_float(to):
            return _from_integer(to, mode)
        dtype = _integer(to)
        clip = _clipped(dtype) if "sat" in opcode.modifiers else None
        return lambda x: (x if clip is None else clip(x)).astype(dtype)
    if not _is_float(to):
        return _to_integer(to, source, mode, "ftz" in opcode.modifiers)
    convert: Function = lambda x: x  # noqa: E731
    if mode in _TO_INTEGRAL:
        convert = _TO_INTEGRAL[mode]
    elif to == "tf32":
        convert = _to_tf32
    elif mode in ("rz", "rm", "rp"):
        if to != "f32":
            convert = _directed_narrow(to, mode)
        else:
            convert = lambda x: directed(x.astype("f8"), 0.0, mode, "f4")  # noqa: E731
    return _modified(
        convert, Opcode("cvt", (to, source), tuple(m for m in opcode.modifiers if m != mode))
    )


def _directed_narrow(to: str, mode: str) -> Function:
    if to == "f16":
        return lambda x: directed(x.astype("f8"), 0.0, mode, "f2").astype("f4")
    if to != "bf16" or mode != "rz":
        raise NotImplementedError(f"cvt.{mode}.{to}")
    return lambda x: (np.ascontiguousarray(x).view("u4") & np.uint32(0xFFFF0000)).view("f4")


def _to_tf32(x: Array) -> Array:
    """Ten bits of mantissa, ties away from zero."""
    bits = np.ascontiguousarray(x).view("u4")
    return np.where(np.isfinite(x), (bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000), bits).view(
        "f4"
    )


def _from_integer(to: str, mode: str) -> Function:
    dtype = "f8" if to in ("f64", "f16", "bf16") else "f4"
    if mode in ("rz", "rm", "rp"):
        if to == "f32":
            return lambda x: _directed_integer(x, mode)
        raise NotImplementedError(f"cvt.{mode}.{to} of integers")
    return lambda x: x.astype(dtype)


def _directed_integer(x: Array, mode: str) -> Array:
    near = x.astype("f8")
    back = near.astype("f16") if np.dtype("f16").itemsize > 8 else near
    return directed(near, (x - back).astype("f8"), mode, "f4")


def _integer(kind: str) -> np.dtype[Any]:
    return np.dtype(f"{'i' if kind[0] == 's' else 'u'}{bits_of(kind) // 8}")


def _clipped(dtype: np.dtype[Any]) -> Function:
    ends = np.iinfo(dtype)

    def clipped(x: Array) -> Array:
        limits = np.iinfo(x.dtype)
        return np.clip(x, max(ends.min, limits.min), min(ends.max, limits.max))

    return clipped


def _to_integer(to: str, source: str, mode: str, flush: bool) -> Function:
    """To the nearest number of the type; NaN to 0, or where 64 bits take part to the highest bit alone."""
    dtype = _integer(to)
    ends = np.iinfo(dtype)
    wide = bits_of(to) == 64 or source == "f64"
    no_number = dtype.type((ends.min if to[0] == "s" else (ends.max >> 1) + 1) if wide else 0)
    integral = _TO_INTEGRAL[mode]

    def convert(x: Array) -> Array:
        value = integral(_flushed(x) if flush else x).astype("f8")
        within = np.where(
            value >= float(ends.max),
            ends.max,
            np.where(value <= ends.min, ends.min, value.astype(dtype)),
        )
        return np.where(np.isnan(value), no_number, within.astype(dtype))

    return convert


def _chosen_by_sign(a: Array, b: Array, c: Array) -> Array:
    return np.where(c >= 0, a, b)


def _class_test(opcode: Opcode) -> Function:
    tests: Mapping[str, Function] = {
        "finite": np.isfinite,
        "infinite": np.isinf,
        "number": lambda x: ~np.isnan(x),
        "notanumber": np.isnan,
        "normal": lambda x: np.isfinite(x) & (np.abs(x) >= np.finfo(x.dtype).tiny),
        "subnormal": lambda x: (x != 0) & (np.abs(x) < np.finfo(x.dtype).tiny),
    }
    return tests[opcode.modifiers[0]]


def _packed(opcode: Opcode) -> Function:
    """Two numbers in one register, the first in the upper half."""
    return lambda high, low: np.stack(np.broadcast_arrays(low, high), -1)


# -- the table ----------------------------------------------------------------------------------

ROWS: Mapping[str, Row] = {
    "add": Row("tt", "t", np.add, np.add),
    "sub": Row("tt", "t", np.subtract, np.subtract),
    "mul": Row("tt", "t", np.multiply, np.multiply),
    "mul.hi": Row("tt", "t", _high),
    "mul.wide": Row("tt", "w", _wide(np.multiply)),
    "mul24": Row("tt", "t", lambda a, b: _low24(a) * _low24(b)),
    "mad": Row("ttt", "t", lambda a, b, c: a * b + c, _fma),
    "mad.hi": Row("ttt", "t", lambda a, b, c: _high(a, b) + c),
    "mad.wide": Row("ttw", "w", _wide(lambda a, b, c: a * b + c)),
    "mad24": Row("ttt", "t", lambda a, b, c: _low24(a) * _low24(b) + c),
    "fma": Row("ttt", "t", None, _fma),
    "sad": Row("ttt", "t", lambda a, b, c: c + (np.maximum(a, b) - np.minimum(a, b))),
    "div": Row("tt", "t", _quotient, np.divide),
    "rem": Row("tt", "t", np.fmod),
    "abs": Row("t", "t", np.abs, np.abs),
    "neg": Row("t", "t", np.negative, np.negative),
    "min": Row("tt", "t", np.minimum, _LEAST),
    "max": Row("tt", "t", np.maximum, _MOST),
    "min.NaN": Row("tt", "t", None, _LEAST_OR_NAN),
    "max.NaN": Row("tt", "t", None, _MOST_OR_NAN),
    "copysign": Row("tt", "t", None, lambda sign, x: np.copysign(x, sign)),
    "sqrt": Row("t", "t", None, np.sqrt),
    "rsqrt": Row("t", "t", None, _inverse_root),
    "rcp": Row("t", "t", None, _inverse),
    "ex2": Row("t", "t", None, np.exp2),
    "lg2": Row("t", "t", None, np.log2),
    "sin": Row("t", "t", None, np.sin),
    "cos": Row("t", "t", None, np.cos),
    "tanh": Row("t", "t", None, np.tanh),
    "testp": Row("t", "p", special=_class_test),
    "and": Row("tt", "t", np.bitwise_and),
    "or": Row("tt", "t", np.bitwise_or),
    "xor": Row("tt", "t", np.bitwise_xor),
    "not": Row("t", "t", np.invert),
    "cnot": Row("t", "t", lambda x: (x == 0).astype(x.dtype)),
    "lop3": Row("tttu", "t", _logic),
    "shl": Row("tu", "t", _LEFT),
    "shr": Row("tu", "t", _RIGHT),
    "shf": Row("ttu", "t", special=_funnel),
    "bfe": Row("tuu", "t", _field),
    "bfi": Row("ttuu", "t", _inserted),
    "prmt": Row("ttt", "t", _permuted),
    "popc": Row("t", "u", _population),
    "clz": Row("t", "u", _leading_zeros),
    "bfind": Row("t", "u", _highest),
    "brev": Row("t", "t", _reversed_bits),
    "dp4a": Row("tdu", "t", special=_dot),
    "selp": Row("ttp", "t", lambda a, b, p: np.where(p, a, b), lambda a, b, p: np.where(p, a, b)),
    "slct": Row("ddt", "d", _chosen_by_sign, _chosen_by_sign),
    "cvt": Row("t", "d", special=_conversion),
}
PAIRS = Row("tt", "d", special=_packed)


def _low24(x: Array) -> Array:
    if x.dtype.kind == "i":
        return x << np.int32(8) >> np.int32(8)
    return x & np.uint32(0xFFFFFF)
