"""What PTX consists of: modules, functions, variables, instructions, operands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple


class Register(NamedTuple):
    """A register, or a special one such as ``%tid.x``; `negated` where ``!`` stands before it."""

    name: str
    negated: bool = False


class Immediate(NamedTuple):
    """A number: an integer, or the bits of a floating-point one with their size in bytes."""

    value: int
    float_size: int = 0


class SymbolOperand(NamedTuple):
    """A variable, function or label, and an offset in bytes from it."""

    name: str
    offset: int = 0


class Address(NamedTuple):
    """What stands in brackets; the offset is in bytes."""

    base: Register | SymbolOperand | Immediate
    offset: int = 0


class TensorAddress(NamedTuple):
    """An address of a description of a tensor, and the coordinates of an element."""

    tensor: Operand
    coordinates: tuple[Operand, ...]


class Vector(NamedTuple):
    """What stands in braces, parentheses, or on the sides of a bar."""

    items: tuple[Operand, ...]


Operand = Register | Immediate | SymbolOperand | Address | TensorAddress | Vector


class Instruction(NamedTuple):
    """One instruction.

    Attributes
    ----------
    line : that of the text, from 1
    opcode : its name and modifiers, such as ``ld.global.b32``
    operands : those after the opcode, the target first
    guard : the predicate behind ``@``
    """

    line: int
    opcode: str
    operands: tuple[Operand, ...]
    guard: Register | None = None


class Variable(NamedTuple):
    """Memory that a module or function declares; sizes are in bytes, `size` is 0 where a launch decides."""

    name: str
    space: str
    alignment: int
    size: int
    contents: tuple[int | tuple[SymbolOperand, int], ...] = ()
    element_size: int = 1


@dataclass
class PtxFunction:
    """A function.

    Attributes
    ----------
    parameters, results : their names and the sizes of their elements, in order
    registers : the type of each register, such as ``b32``
    code : instructions in order
    labels : the index, in `code`, of the instruction that each label marks
    tables : the labels that a ``brx.idx`` chooses from
    """

    name: str
    is_kernel: bool
    line: int
    parameters: list[Variable] = field(default_factory=list)
    results: list[Variable] = field(default_factory=list)
    registers: dict[str, str] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    code: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    tables: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class PtxModule:
    """A module: its functions and the variables outside them, by name."""

    functions: dict[str, PtxFunction] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)


def type_size(name: str) -> int:
    """The size of a type such as ``b32``, in bytes."""
    return max(1, int(re.sub(r"\D", "", name)) // 8)
