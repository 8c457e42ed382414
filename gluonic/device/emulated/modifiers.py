"""What the modifiers of an opcode change: rounding, subnormal numbers, saturation."""

from __future__ import annotations

import numpy as np

from gluonic.device.emulated.arithmetic import Function, two_sum
from gluonic.device.emulated.formats import Array, directed
from gluonic.device.emulated.opcodes import Opcode


def saturated(function: Function, opcode: Opcode) -> Function:
    """An integer function with ``.sat``: of 32 bits, computed in 64."""
    if "sat" not in opcode.modifiers:
        return function
    ends = np.iinfo(np.int32)
    return lambda *x: np.clip(function(*[v.astype("i8") for v in x]), ends.min, ends.max).astype(
        "i4"
    )


def modified(function: Function, opcode: Opcode) -> Function:
    """A floating-point function with the modifiers for rounding, subnormal numbers and saturation."""
    mode = next((m for m in ("rz", "rm", "rp") if m in opcode.modifiers), "")
    if mode:
        function = _rounding(function, mode, opcode)
    if "ftz" in opcode.modifiers and opcode.types[-1] == "f32":
        inner = function
        function = lambda *x: flushed(inner(*map(flushed, x)))  # noqa: E731
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


_LEAST_NORMAL = np.finfo("f4").tiny


def flushed(x: Array) -> Array:
    """Numbers of float32, with zeros of their sign for subnormal ones."""
    if x.dtype != np.float32:
        return x
    small = np.abs(x) < _LEAST_NORMAL
    return np.where(small, np.copysign(np.float32(0), x), x) if small.any() else x


def _within_one(x: Array) -> Array:
    return np.clip(np.where(np.isnan(x), 0, x), 0, 1).astype(x.dtype)
