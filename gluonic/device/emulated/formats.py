"""The types of PTX as arrays: how the bits of registers are read as numbers, and numbers written as bits.

A register is an array of unsigned integers with an axis of blocks and one of threads, either of which may have
length 1 where all blocks or threads have the same value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Unary = Callable[[Array], Array]

TYPES = re.compile(r"(?:[busf](?:8|16|32|64|128)|bf16|tf32|pred)(?:x2)?$")


@cache
def bits_of(kind: str) -> int:
    """The size of a type, in bits; a pair has both numbers'."""
    if kind == "pred":
        return 1
    if kind == "tf32":
        return 32
    number = int(re.search(r"\d+", kind)[0])  # type: ignore[index]
    return number * 2 if kind.endswith("x2") else number


def unsigned(bits: int) -> np.dtype[Any]:
    """The dtype of the bits of a type with that size."""
    return np.dtype(f"u{bits // 8}")


@cache
def reader(kind: str, register: str) -> Unary:
    """What reads registers of a type as numbers of a type, which is at most as large."""
    if kind == "pred":
        return _itself
    bits = bits_of(kind)
    resized = _itself if bits == register_bits(register) else _cast(unsigned(bits))
    if kind.endswith("x2"):
        half = reader(kind[:-2], "b16")
        return lambda x: half(np.ascontiguousarray(resized(x))[..., None].view("u2"))
    if kind == "bf16":
        return lambda x: (resized(x).astype("u4") << np.uint32(16)).view("f4")
    if kind == "f16":
        return lambda x: resized(x).view("f2").astype("f4")
    if kind[0] in "ub":
        return resized
    dtype = np.dtype(
        f"f{bits // 8}" if kind == "tf32" else f"{'i' if kind[0] == 's' else 'f'}{bits // 8}"
    )
    return lambda x: resized(x).view(dtype)


@cache
def writer(kind: str, register: str) -> Unary:
    """What writes numbers of a type into registers of a type: rounded to nearest, extended by sign or zeros."""
    if kind == "pred":
        return _itself
    bits, to = bits_of(kind), register_bits(register)
    if kind.endswith("x2"):
        half = writer(kind[:-2], "b16")
        return lambda x: np.ascontiguousarray(half(x)).view("u4")[..., 0]
    dtype = unsigned(bits)
    if kind == "bf16":
        write: Unary = bfloat_bits
    elif kind == "f16":
        write = _half_bits
    elif kind[0] in "ft":
        number = np.dtype(f"f{bits // 8}")
        write = lambda x: x.astype(number, copy=False).view(dtype)  # noqa: E731
    else:
        number = np.dtype(f"i{bits // 8}") if kind[0] == "s" else dtype
        wide = np.dtype(f"i{to // 8}") if kind[0] == "s" else unsigned(to)
        return lambda x: x.astype(number, copy=False).astype(wide, copy=False).view(unsigned(to))
    return write if bits == to else lambda x: write(x).astype(unsigned(to))


def register_bits(kind: str) -> int:
    """The size of a register of a type in bits; the smallest has 16."""
    return 1 if kind == "pred" else max(16, bits_of(kind))


def bfloat_bits(x: Array) -> Array:
    """Numbers in float32 or float64 as the bits of the nearest bfloat16, ties to even."""
    if x.dtype == np.float64:
        x = round_to_odd(x)
    bits = np.ascontiguousarray(x).view("u4")
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(x), np.uint16(0x7FFF), rounded.astype("u2"))


def round_to_odd(x: Array) -> Array:
    """Numbers of float64 in float32: inexact ones to an odd last bit, so that they can be rounded again."""
    near = x.astype("f4")
    bits = near.view("u4")
    inexact = (near != x) & ~np.isnan(x) & (bits & np.uint32(1) == 0)
    away = np.abs(near.astype("f8")) < np.abs(x)
    return np.where(inexact, bits + np.where(away, 1, -1).astype("u4"), bits).view("f4")


def directed(x: Array, error: Array | float, mode: str, dtype: Any) -> Array:
    """Numbers of float64, of which ``x + error`` is the exact value, rounded up, down or to zero.

    Parameters
    ----------
    mode : ``rp``, ``rm`` or ``rz``
    dtype : that of the result
    """
    near = x.astype(dtype)
    back = near.astype("f8")
    above = (back > x) | ((back == x) & (np.asarray(error) < 0))
    below = (back < x) | ((back == x) & (np.asarray(error) > 0))
    if mode == "rz":
        down, up = above & (back > 0), below & (back < 0)
    else:
        down, up = above & (mode == "rm"), below & (mode == "rp")
    infinite = near.dtype.type(np.inf)
    near = np.where(down, np.nextafter(near, -infinite), near)
    return np.where(up, np.nextafter(near, infinite), near)


def _half_bits(x: Array) -> Array:
    return x.astype("f2").view("u2")


def _itself(x: Array) -> Array:
    return x


def _cast(dtype: np.dtype[Any]) -> Unary:
    return lambda x: x.astype(dtype)
