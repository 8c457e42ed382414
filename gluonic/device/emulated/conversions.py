"""Comparisons of numbers, and their conversions from one type to another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gluonic.device.emulated.arithmetic import Function
from gluonic.device.emulated.formats import Array, bits_of, directed
from gluonic.device.emulated.modifiers import flushed, modified
from gluonic.device.emulated.opcodes import Opcode, is_float

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
    if name == "ne" and is_float(opcode.types[-1]):
        return lambda a, b: (a < b) | (a > b)
    return _COMPARISONS[name]


_TO_INTEGRAL: Mapping[str, Function] = {
    "rni": np.rint,
    "rzi": np.trunc,
    "rmi": np.floor,
    "rpi": np.ceil,
}


def conversion(opcode: Opcode) -> Function:
    """Conversion of the second type into the first."""
    to, source = opcode.types[0], opcode.types[-1]
    mode = opcode.modifiers[0] if opcode.modifiers else ""
    if not is_float(source):
        if is_float(to):
            return _from_integer(to, mode)
        dtype = _integer(to)
        clip = _clipped(dtype) if "sat" in opcode.modifiers else None
        return lambda x: (x if clip is None else clip(x)).astype(dtype)
    if not is_float(to):
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
    if to in ("f32", "f64"):
        exact, dtype = convert, np.dtype(f"f{bits_of(to) // 8}")
        convert = lambda x: exact(x).astype(dtype, copy=False)  # noqa: E731
    return modified(
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
        value = integral(flushed(x) if flush else x).astype("f8")
        within = np.where(
            value >= float(ends.max),
            ends.max,
            np.where(value <= ends.min, ends.min, value.astype(dtype)),
        )
        return np.where(np.isnan(value), no_number, within.astype(dtype))

    return convert


def chosen_by_sign(a: Array, b: Array, c: Array) -> Array:
    """The first where the third is not negative, else the second."""
    return np.where(c >= 0, a, b)


def class_test(opcode: Opcode) -> Function:
    """What tells numbers of some class."""
    tests: Mapping[str, Function] = {
        "finite": np.isfinite,
        "infinite": np.isinf,
        "number": lambda x: ~np.isnan(x),
        "notanumber": np.isnan,
        "normal": lambda x: np.isfinite(x) & (np.abs(x) >= np.finfo(x.dtype).tiny),
        "subnormal": lambda x: (x != 0) & (np.abs(x) < np.finfo(x.dtype).tiny),
    }
    return tests[opcode.modifiers[0]]


def packed(opcode: Opcode) -> Function:
    """Two numbers in one register, the first in the upper half."""
    return lambda high, low: np.stack(np.broadcast_arrays(low, high), -1)
