"""Each family of instructions computes what the manual of PTX says, on any numbers."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.device.ptx_of_one import bits_of, dtype_of, run_one

COUNT = 16
FEW = settings(max_examples=6, deadline=None, database=None)
FLOATS = ("f16", "bf16", "f32", "f64")
NUMBERS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
Numbers = npt.NDArray[Any]


def integers(kind: str) -> st.SearchStrategy[int]:
    """All integers of a type, the extreme ones more often."""
    ends = np.iinfo(dtype_of(kind))
    return st.integers(int(ends.min), int(ends.max))


def elements(kind: str) -> st.SearchStrategy[Any]:
    """All numbers of a type; of halves, their bits."""
    if kind == "pred":
        return st.integers(0, 1)
    if kind in ("f16", "bf16"):
        return integers("u16")
    return st.floats(width=32 if kind == "f32" else 64) if kind[0] == "f" else integers(kind)


def drawn(data: st.DataObject, kind: str) -> Numbers:
    """An array of numbers of a type."""
    values = data.draw(st.lists(elements(kind), min_size=COUNT, max_size=COUNT))
    if kind in ("f16", "bf16"):
        return np.array(values, "u2").view(NUMBERS[kind])
    return np.array(values, dtype_of(kind))


def wrapped(value: int, kind: str) -> int:
    """An integer modulo the size of a type."""
    bits = bits_of(kind)
    value %= 1 << bits
    return value - (1 << bits) if kind[0] == "s" and value >> (bits - 1) else value


def truncated(a: int, b: int) -> int:
    """A quotient rounded to zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def unsigned_bits(x: int, kind: str) -> int:
    """The bits of an integer."""
    return x % (1 << bits_of(kind))


SIZES = (16, 32, 64)
SIGNED = [f"{sign}{size}" for sign in "us" for size in SIZES]
BITS = [f"b{size}" for size in SIZES]
Integer = Callable[..., int]
Cases = list[tuple[str, tuple[str, ...], str, Integer]]


def integer_cases() -> Cases:
    """Instructions on integers: text, types of operands and result, and what they are in Python's integers."""
    cases: Cases = []
    for kind in SIGNED:
        size = bits_of(kind)
        two, three = (kind, kind), (kind, kind, kind)
        cases += [
            (f"add.{kind}", two, kind, lambda a, b: a + b),
            (f"sub.{kind}", two, kind, lambda a, b: a - b),
            (f"mul.lo.{kind}", two, kind, lambda a, b: a * b),
            (f"mul.hi.{kind}", two, kind, lambda a, b, n=size: a * b >> n),
            (f"mad.lo.{kind}", three, kind, lambda a, b, c: a * b + c),
            (f"div.{kind}", two, kind, lambda a, b: truncated(a, b or 1)),
            (f"rem.{kind}", two, kind, lambda a, b: a - (b or 1) * truncated(a, b or 1)),
            (f"min.{kind}", two, kind, min),
            (f"max.{kind}", two, kind, max),
            (f"sad.{kind}", three, kind, lambda a, b, c: abs(a - b) + c),
            (f"shr.{kind}", (kind, "u32"), kind, lambda a, n, s=size: a >> min(n, s)),
        ]
        if size < 64:
            wide = f"{kind[0]}{size * 2}"
            cases += [
                (f"mul.wide.{kind}", two, wide, lambda a, b: a * b),
                (f"mad.wide.{kind}", (kind, kind, wide), wide, lambda a, b, c: a * b + c),
            ]
        if size > 16:
            cases.append(
                (
                    f"bfe.{kind}",
                    (kind, "u32", "u32"),
                    kind,
                    lambda a, s, n, k=kind: field(a, s, n, k),
                )
            )
        if kind[0] == "s":
            cases += [
                (f"abs.{kind}", (kind,), kind, abs),
                (f"neg.{kind}", (kind,), kind, lambda a: -a),
            ]
    for kind in BITS:
        size = bits_of(kind)
        two = (kind, kind)
        cases += [
            (f"and.{kind}", two, kind, lambda a, b: a & b),
            (f"or.{kind}", two, kind, lambda a, b: a | b),
            (f"xor.{kind}", two, kind, lambda a, b: a ^ b),
            (f"not.{kind}", (kind,), kind, lambda a: ~a),
            (f"cnot.{kind}", (kind,), kind, lambda a: int(a == 0)),
            (f"shl.{kind}", (kind, "u32"), kind, lambda a, n, s=size: a << min(n, s)),
            (f"selp.{kind}", (kind, kind, "pred"), kind, lambda a, b, p: a if p else b),
        ]
        if size > 16:
            cases += [
                (f"popc.{kind}", (kind,), "u32", lambda a: a.bit_count()),
                (f"clz.{kind}", (kind,), "u32", lambda a, s=size: s - a.bit_length()),
                (f"brev.{kind}", (kind,), kind, lambda a, s=size: int(f"{a:0{s}b}"[::-1], 2)),
                (
                    f"bfi.{kind}",
                    (kind, kind, "u32", "u32"),
                    kind,
                    lambda a, b, p, n, s=size: inserted(a, b, p & 255, n & 255, s),
                ),
            ]
    cases += [
        ("prmt.b32", ("b32", "b32", "b32"), "b32", permuted),
        (
            "shf.l.wrap.b32",
            ("b32", "b32", "u32"),
            "b32",
            lambda a, b, n: ((b << 32 | a) << (n & 31)) >> 32,
        ),
        ("shf.r.wrap.b32", ("b32", "b32", "u32"), "b32", lambda a, b, n: (b << 32 | a) >> (n & 31)),
        (
            "shf.l.clamp.b32",
            ("b32", "b32", "u32"),
            "b32",
            lambda a, b, n: ((b << 32 | a) << min(n, 32)) >> 32,
        ),
        (
            "shf.r.clamp.b32",
            ("b32", "b32", "u32"),
            "b32",
            lambda a, b, n: (b << 32 | a) >> min(n, 32),
        ),
        ("dp4a.s32.s32", ("b32", "b32", "s32"), "s32", lambda a, b, c: dot(a, b, True) + c),
        ("dp4a.u32.u32", ("b32", "b32", "u32"), "u32", lambda a, b, c: dot(a, b, False) + c),
        ("add.sat.s32", ("s32", "s32"), "s32", lambda a, b: min(max(a + b, -(2**31)), 2**31 - 1)),
        ("slct.b32.s32", ("b32", "b32", "s32"), "b32", lambda a, b, c: a if c >= 0 else b),
        (
            "lop3.b32 {0}, {1}, {2}, {3}, 0xE8",
            ("b32",) * 3,
            "b32",
            lambda a, b, c: a & b | a & c | b & c,
        ),
        ("bfind.u32", ("u32",), "u32", lambda a: a.bit_length() - 1),
        ("bfind.s32", ("s32",), "u32", lambda a: (a if a >= 0 else ~a).bit_length() - 1),
    ]
    return cases


def field(a: int, start: int, length: int, kind: str) -> int:
    """Some bits of a number, extended by their highest one if the type has a sign."""
    size = bits_of(kind)
    start, length = start & 255, length & 255
    if length == 0:
        return 0
    last = min(start + length - 1, size - 1)
    bits = unsigned_bits(a, kind)
    sign = bits >> last & 1 if kind[0] == "s" else 0
    return sum(
        (bits >> (start + i) & 1 if i < length and start + i < size else sign) << i
        for i in range(size)
    )


def inserted(a: int, b: int, start: int, length: int, size: int) -> int:
    """A number with some bits replaced by the lowest of another."""
    for i in range(length):
        if start + i < size:
            b = b & ~(1 << (start + i)) | (a >> i & 1) << (start + i)
    return b


def permuted(a: int, b: int, chosen: int) -> int:
    """Four bytes among eight."""
    octets = (b << 32 | a).to_bytes(8, "little")
    result = 0
    for place in range(4):
        choice = chosen >> 4 * place & 15
        octet = octets[choice & 7]
        result |= (octet if choice < 8 else 255 * (octet >> 7)) << 8 * place
    return result


def dot(a: int, b: int, signed: bool) -> int:
    """The products of bytes, added up."""
    octets = [np.array([x], "u4").view("i1" if signed else "u1").astype(int) for x in (a, b)]
    return int((octets[0] * octets[1]).sum())


@pytest.mark.parametrize(
    ("text", "kinds", "result", "expected"),
    integer_cases(),
    ids=lambda x: x if type(x) is str else "",
)
@given(data=st.data())
@FEW
def test_integers(
    text: str, kinds: tuple[str, ...], result: str, expected: Integer, data: st.DataObject
) -> None:
    operands = [drawn(data, kind) for kind in kinds]
    if text.startswith(("div", "rem")):
        operands[1] = np.where(operands[1] == 0, operands[1].dtype.type(1), operands[1])
    instruction = (
        text
        if "{" in text
        else f"{text} {{0}}, " + ", ".join(f"{{{i + 1}}}" for i in range(len(kinds)))
    )
    computed = run_one(instruction, kinds, result, operands)
    for values, value in zip(zip(*operands, strict=True), computed, strict=True):
        assert int(value) == wrapped(expected(*map(int, values)), result), values


# -- floating-point numbers ---------------------------------------------------------------------


def as_bits(x: Numbers, kind: str) -> Numbers:
    """The bits of numbers, all NaNs alike."""
    bits = np.ascontiguousarray(x).view(f"u{bits_of(kind) // 8}")
    with np.errstate(invalid="ignore"):  # NumPy warns of signalling NaNs
        is_nan = np.isnan(x.astype("f8"))
    return np.where(is_nan, bits.dtype.type(0x7F), bits)


def run_floats(text: str, kind: str, operands: list[Numbers], result: str | None = None) -> Numbers:
    """An instruction on numbers of a type."""
    instruction = f"{text} {{0}}, " + ", ".join(f"{{{i + 1}}}" for i in range(len(operands)))
    raw = [x.view(dtype_of(kind)) for x in operands]
    computed = run_one(instruction, [kind] * len(operands), result or kind, raw)
    return computed if result else np.asarray(computed).view(NUMBERS[kind])


def least(a: float, b: float) -> float:
    """The smaller number, not a NaN if there is another, -0 before 0."""
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return min(a, b, key=lambda x: (x, math.copysign(1, x)))


def most(a: float, b: float) -> float:
    """The larger number, as `least` has the smaller."""
    return -least(-a, -b)


def or_nan(pick: Callable[[float, float], float]) -> Callable[[float, float], float]:
    """A choice that is NaN where one of the numbers is."""
    return lambda a, b: math.nan if math.isnan(a) or math.isnan(b) else pick(a, b)


def divided(a: float, b: float) -> float:
    """A quotient, of zero too."""
    with np.errstate(all="ignore"):
        return float(np.float64(a) / np.float64(b))


def root(a: float) -> float:
    """A square root; NaN of negative numbers."""
    return math.sqrt(a) if a >= 0 else math.nan


EXACT: Mapping[str, tuple[int, Callable[..., float]]] = {
    "add.rn": (2, lambda a, b: a + b),
    "sub.rn": (2, lambda a, b: a - b),
    "mul.rn": (2, lambda a, b: a * b),
    "div.rn": (2, divided),
    "sqrt.rn": (1, root),
    "rcp.rn": (1, lambda a: divided(1.0, a)),
    "min": (2, least),
    "max": (2, most),
    "min.NaN": (2, or_nan(least)),
    "max.NaN": (2, or_nan(most)),
    "abs": (1, abs),
    "neg": (1, lambda a: -a),
    "copysign": (2, lambda a, b: math.copysign(b, a)),
}


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("text", EXACT)
@given(data=st.data())
@FEW
def test_floating_point_numbers(text: str, kind: str, data: st.DataObject) -> None:
    count, function = EXACT[text]
    operands = [drawn(data, kind) for _ in range(count)]
    computed = run_floats(f"{text}.{kind}", kind, operands)
    with np.errstate(all="ignore"):
        doubles = [function(*map(float, values)) for values in zip(*operands, strict=True)]
        expected = np.array(doubles, "f8").astype(NUMBERS[kind])
    np.testing.assert_array_equal(as_bits(computed, kind), as_bits(expected, kind))


@pytest.mark.parametrize("kind", FLOATS)
@given(data=st.data())
@FEW
def test_products_with_sums_round_once(kind: str, data: st.DataObject) -> None:
    a, b, c = (drawn(data, kind) for _ in range(3))
    computed = run_floats(f"fma.rn.{kind}", kind, [a, b, c])
    for operands, result in zip(zip(a, b, c, strict=True), computed, strict=True):
        x, y, z = map(float, operands)
        if not all(map(math.isfinite, (x, y, z))):
            with np.errstate(all="ignore"):
                expected = np.float64(x) * np.float64(y) + np.float64(z)
            np.testing.assert_equal(float(result), float(expected))
        elif math.isfinite(result) and abs(x) < 1e290 and abs(y) < 1e290:
            exact = Fraction(x) * Fraction(y) + Fraction(z)
            error = abs(Fraction(float(result)) - exact)
            for end in (-math.inf, math.inf):
                with np.errstate(over="ignore"):
                    neighbour = float(np.nextafter(result, NUMBERS[kind](end)))
                if math.isfinite(neighbour):
                    assert error <= abs(Fraction(neighbour) - exact) * Fraction(1.000001), operands


def next_to(x: float, mode: str, exact: float, dtype: Any) -> Numbers:
    """A number rounded up, down or to zero, from its exact value."""
    near = np.asarray(exact, dtype)
    while float(near) > exact and (mode == "rm" or (mode == "rz" and exact > 0)):
        near = np.nextafter(near, dtype(-np.inf))
    while float(near) < exact and (mode == "rp" or (mode == "rz" and exact < 0)):
        near = np.nextafter(near, dtype(np.inf))
    return near


@pytest.mark.parametrize("mode", ["rz", "rm", "rp"])
@given(data=st.data())
@FEW
def test_directed_rounding(mode: str, data: st.DataObject) -> None:
    a, b = drawn(data, "f32"), drawn(data, "f32")
    wide = drawn(data, "f64")
    product = run_floats(f"mul.{mode}.f32", "f32", [a, b])
    narrow = run_one(f"cvt.{mode}.f32.f64 {{0}}, {{1}}", ["f64"], "f32", [wide])
    with np.errstate(all="ignore"):
        expected = [
            next_to(0, mode, float(x) * float(y), np.float32) for x, y in zip(a, b, strict=True)
        ]
        np.testing.assert_array_equal(product, np.array(expected, "f4"))
        expected = [next_to(0, mode, float(x), np.float32) for x in wide]
        np.testing.assert_array_equal(narrow, np.array(expected, "f4"))


APPROXIMATE: Mapping[str, Callable[[Numbers], Numbers]] = {
    "ex2.approx": np.exp2,
    "lg2.approx": np.log2,
    "sin.approx": np.sin,
    "cos.approx": np.cos,
    "rcp.approx": lambda x: np.asarray(1 / x),
    "rsqrt.approx": lambda x: np.asarray(1 / np.sqrt(x)),
    "sqrt.approx": np.sqrt,
    "tanh.approx": np.tanh,
}


@pytest.mark.parametrize("text", APPROXIMATE)
@given(data=st.data())
@FEW
def test_approximations(text: str, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.floats(-30, 30, width=32), min_size=COUNT, max_size=COUNT))
    x = np.array(values, "f4")
    x[np.abs(x) < 1e-30] = 0
    computed = run_floats(f"{text}.f32", "f32", [x])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(
            computed, APPROXIMATE[text](x.astype("f8")).astype("f4"), rtol=2e-6, atol=2e-6
        )


ORDERED: Mapping[str, Callable[[float, float], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


@pytest.mark.parametrize("kind", [*SIGNED, *FLOATS])
@given(data=st.data())
@FEW
def test_comparisons(kind: str, data: st.DataObject) -> None:
    a, b = drawn(data, kind), drawn(data, kind)
    b[: COUNT // 2] = np.roll(a, 1)[: COUNT // 2]
    raw = [x.view(dtype_of(kind)) for x in (a, b)]
    pairs = list(
        zip(
            map(float if kind in FLOATS else int, a),
            map(float if kind in FLOATS else int, b),
            strict=True,
        )
    )
    unordered = np.array([x != x or y != y for x, y in pairs])
    for name, compare in ORDERED.items():
        holds = np.array([compare(x, y) for x, y in pairs]) & ~unordered
        computed = run_one(f"setp.{name}.{kind} {{0}}, {{1}}, {{2}}", [kind, kind], "pred", raw)
        np.testing.assert_array_equal(computed, holds)
        if kind in FLOATS:
            computed = run_one(
                f"setp.{name}u.{kind} {{0}}, {{1}}, {{2}}", [kind, kind], "pred", raw
            )
            np.testing.assert_array_equal(computed, holds | unordered)
    if kind in FLOATS:
        for name, expected in (("nan", unordered), ("num", ~unordered)):
            computed = run_one(f"setp.{name}.{kind} {{0}}, {{1}}, {{2}}", [kind, kind], "pred", raw)
            np.testing.assert_array_equal(computed, expected)


@pytest.mark.parametrize("combination", ["and", "or", "xor"])
def test_comparisons_are_combined_with_predicates(combination: str) -> None:
    a, b, p = (
        np.array([1, 1, 2, 2], "u4"),
        np.array([2, 2, 1, 1], "u4"),
        np.array([0, 1, 0, 1], "u1"),
    )
    function = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}[combination]
    text = f"setp.lt.{combination}.u32 {{0}}, {{1}}, {{2}}, {{3}}"
    computed = run_one(text, ["u32", "u32", "pred"], "pred", [a, b, p])
    np.testing.assert_array_equal(computed, function(a < b, p))
    computed = run_one(text.replace("{3}", "!{3}"), ["u32", "u32", "pred"], "pred", [a, b, p])
    np.testing.assert_array_equal(computed, function(a < b, 1 - p))


# -- conversions --------------------------------------------------------------------------------

ROUNDINGS: Mapping[str, Callable[[float], float]] = {
    "rni": lambda x: float(np.rint(x)),
    "rzi": lambda x: float(np.trunc(x)),
    "rmi": lambda x: float(np.floor(x)),
    "rpi": lambda x: float(np.ceil(x)),
}


@pytest.mark.parametrize("to", SIGNED)
@pytest.mark.parametrize("source", SIGNED)
@given(data=st.data())
@FEW
def test_integers_become_others(source: str, to: str, data: st.DataObject) -> None:
    x = drawn(data, source)
    computed = run_one(f"cvt.{to}.{source} {{0}}, {{1}}", [source], to, [x])
    np.testing.assert_array_equal(computed, [wrapped(int(v), to) for v in x])
    ends = np.iinfo(dtype_of(to))
    computed = run_one(f"cvt.sat.{to}.{source} {{0}}, {{1}}", [source], to, [x])
    np.testing.assert_array_equal(
        computed, [min(max(int(v), int(ends.min)), int(ends.max)) for v in x]
    )


@pytest.mark.parametrize("to", FLOATS)
@pytest.mark.parametrize("source", SIGNED)
@given(data=st.data())
@FEW
def test_integers_become_floating_point_numbers(source: str, to: str, data: st.DataObject) -> None:
    x = drawn(data, source)
    computed = run_one(f"cvt.rn.{to}.{source} {{0}}, {{1}}", [source], to, [x])
    with np.errstate(over="ignore"):
        exact = x if to == "f32" else np.array([float(int(v)) for v in x])
        expected = exact.astype(NUMBERS[to])
    np.testing.assert_array_equal(np.asarray(computed).view(NUMBERS[to]), expected)


@pytest.mark.parametrize("source", FLOATS)
@given(data=st.data())
@FEW
def test_floating_point_numbers_become_integers(source: str, data: st.DataObject) -> None:
    x = drawn(data, source)
    for to in SIGNED:
        ends = np.iinfo(dtype_of(to))
        wide = bits_of(to) == 64 or source == "f64"
        no_number = (int(ends.min) if to[0] == "s" else 1 << (bits_of(to) - 1)) if wide else 0
        for mode, rounded in ROUNDINGS.items():
            text = f"cvt.{mode}.{to}.{source} {{0}}, {{1}}"
            computed = run_one(text, [source], to, [x.view(dtype_of(source))])
            for value, result in zip(map(float, x), computed, strict=True):
                if math.isnan(value):
                    expected = no_number
                elif math.isinf(value):
                    expected = int(ends.max if value > 0 else ends.min)
                else:
                    expected = min(max(int(rounded(value)), int(ends.min)), int(ends.max))
                assert int(result) == expected, (text, value)


@pytest.mark.parametrize("to", FLOATS)
@pytest.mark.parametrize("source", FLOATS)
@given(data=st.data())
@FEW
def test_floating_point_numbers_become_others(source: str, to: str, data: st.DataObject) -> None:
    x = drawn(data, source)
    mode = ".rn" if bits_of(to) < bits_of(source) or {source, to} == {"f16", "bf16"} else ""
    if source == to:
        mode = ".rni"
    computed = run_one(
        f"cvt{mode}.{to}.{source} {{0}}, {{1}}", [source], to, [x.view(dtype_of(source))]
    )
    with np.errstate(all="ignore"):
        doubles = np.rint(x.astype("f8")) if source == to else x.astype("f8")
        expected = doubles.astype(NUMBERS[to])
    np.testing.assert_array_equal(
        as_bits(np.asarray(computed).view(NUMBERS[to]), to), as_bits(expected, to)
    )


@pytest.mark.parametrize("kind", ["f16x2", "bf16x2"])
@given(data=st.data())
@FEW
def test_pairs_are_computed_side_by_side(kind: str, data: st.DataObject) -> None:
    half = kind[:-2]
    a, b = (np.concatenate([drawn(data, half), drawn(data, half)]) for _ in range(2))
    raw = [np.ascontiguousarray(x).view("u4") for x in (a, b)]
    computed = run_one(f"add.rn.{kind} {{0}}, {{1}}, {{2}}", [kind, kind], kind, raw)
    with np.errstate(all="ignore"):
        expected = (a.astype("f8") + b.astype("f8")).astype(NUMBERS[half])
    np.testing.assert_array_equal(
        as_bits(np.ascontiguousarray(computed).view(NUMBERS[half]), half), as_bits(expected, half)
    )
    high, low = drawn(data, "f32"), drawn(data, "f32")
    packed = run_one(f"cvt.rn.{kind}.f32 {{0}}, {{1}}, {{2}}", ["f32", "f32"], kind, [high, low])
    with np.errstate(all="ignore"):
        expected = np.stack([low, high], -1).astype(NUMBERS[half]).reshape(-1)
    np.testing.assert_array_equal(
        as_bits(np.ascontiguousarray(packed).view(NUMBERS[half]), half), as_bits(expected, half)
    )
    text = (
        f"setp.lt.{kind} %p7|%p8, {{1}}, {{2}}; selp.b32 %r7, 1, 0, %p7; selp.b32 %r8, 1, 0, %p8;"
    )
    both = run_one(f"{text} mad.lo.u32 {{0}}, %r8, 2, %r7", [kind, kind], "u32", raw)
    with np.errstate(all="ignore"):
        low, high = np.reshape(a < b, (-1, 2)).T
    np.testing.assert_array_equal(both, low + 2 * high)


@given(data=st.data())
@FEW
def test_registers_are_taken_apart_and_put_together(data: st.DataObject) -> None:
    x = drawn(data, "u64")
    text = "mov.b64 {{%r7, %r8}}, {1}; mov.b64 {0}, {{%r8, %r7}}"
    computed = run_one(text, ["u64"], "u64", [x])
    np.testing.assert_array_equal(computed, (x >> np.uint64(32)) | (x << np.uint64(32)))


@given(data=st.data())
@FEW
def test_subnormal_numbers_are_flushed_and_results_saturated(data: st.DataObject) -> None:
    a, b = drawn(data, "f32"), drawn(data, "f32")
    tiny = np.finfo("f4").tiny

    def flushed(x: Numbers) -> Numbers:
        return np.where(np.abs(x) < tiny, np.copysign(np.float32(0), x), x)

    with np.errstate(all="ignore"):
        total = flushed(flushed(a) + flushed(b))
        np.testing.assert_array_equal(run_floats("add.rn.ftz.f32", "f32", [a, b]), total)
        saturated = np.nan_to_num(np.clip(a + b, 0, 1), nan=0.0)
        np.testing.assert_array_equal(run_floats("add.rn.sat.f32", "f32", [a, b]), saturated)
