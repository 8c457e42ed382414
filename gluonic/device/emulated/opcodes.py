"""Opcodes, such as ``cvt.rn.f16.f32``, and their parts."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from gluonic.device.emulated.formats import TYPES


class Opcode(NamedTuple):
    """An opcode such as ``cvt.rn.f16.f32``: its name, its types, and the modifiers between."""

    name: str
    types: tuple[str, ...]
    modifiers: tuple[str, ...]


@cache
def split(opcode: str) -> Opcode:
    """The parts of an opcode."""
    name, *parts = opcode.split(".")
    types = tuple(part for part in parts if TYPES.match(part))
    return Opcode(name, types, tuple(part for part in parts if part not in types))


def is_float(kind: str) -> bool:
    """Whether a type is one of floating-point numbers."""
    return kind[0] in "ft" or kind.startswith("bf")
