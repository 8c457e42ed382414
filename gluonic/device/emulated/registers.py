"""The text that reads and writes registers, and the constants that it needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from gluonic.device.emulated.formats import bits_of, reader, register_bits, unsigned, writer
from gluonic.device.emulated.special_registers import is_special
from gluonic.device.emulated.syntax import (
    Address,
    Immediate,
    Instruction,
    Operand,
    PtxFunction,
    Register,
    SymbolOperand,
    TensorAddress,
    Vector,
)

_BITS = "bits"
_DTYPES = {
    name: np.dtype(name.lower()) for name in ("U2", "U4", "U8", "I2", "I4", "I8", "F4", "F8")
}


class RegisterText:
    """The text of one function, so far.

    A register is a variable with its bits, such as ``r5``, and others with what these mean as a type, such as
    ``r5_f32``; those are made when they are first needed in a block of instructions.

    Attributes
    ----------
    kept : the registers whose values other blocks of instructions need, or that a guard may leave
    lines : the text of this block
    scope : what its names mean
    """

    def __init__(self, function: PtxFunction, addresses: dict[str, int], kept: set[str]) -> None:
        self.function, self.addresses, self.kept = function, addresses, kept
        self.names = {name: f"r{number}" for number, name in enumerate(function.registers)}
        self.scope: dict[str, Any] = dict(_DTYPES)
        self.lines: list[str] = []
        self.current = function.code[0] if function.code else None
        self._constants: dict[Any, str] = {}
        self._faces: dict[str, set[str]] = {}
        self._guarded = False

    def emit(self, line: str) -> None:
        """Add a line."""
        self.lines.append(line)

    def start_block(self) -> None:
        """Begin a block: its registers are known by their bits alone."""
        self.lines, self._faces = [], {}

    def finish_block(self) -> None:
        """Make the bits of the registers that other blocks need."""
        for register, faces in self._faces.items():
            if register in self.kept and _BITS not in faces:
                self._make_bits(register, faces)

    def guard(self, condition: str, effect: Any) -> None:
        """The text of an instruction for those threads for which a condition holds."""
        for register, faces in self._faces.items():
            if _BITS not in faces:
                self._make_bits(register, faces)
        self.emit("outer = m, a")
        self.emit(f"m = a = f.full() & {condition}")
        self.emit("if a.any():")
        start = len(self.lines)
        self._guarded = True
        effect()
        self._guarded = False
        self.lines[start:] = [" " + line for line in self.lines[start:]] or [" pass"]
        self.emit("m, a = outer")

    def unknown(self, what: str = "the whole instruction") -> NotImplementedError:
        """The error of what is not known here."""
        item: Instruction | None = self.current
        place = f"{self.function.name}: line {item.line if item else 0} of the PTX"
        opcode = item.opcode if item else ""
        return NotImplementedError(f"{place}: {opcode}: the emulated GPU does not know {what}")

    # -- constants --------------------------------------------------------------------------------

    def constant(self, key: Any, value: Any) -> str:
        """The name of a constant."""
        if key not in self._constants:
            name = f"k{len(self._constants)}"
            self._constants[key] = name
            self.scope[name] = value
        return self._constants[key]

    def initial(self, register: str) -> str:
        """What a register has before it is set."""
        kind = self.function.registers[register]
        dtype = "?" if kind == "pred" else f"u{register_bits(kind) // 8}"
        return self.constant(("initial", dtype), np.zeros((1, 1), dtype))

    def immediate(self, operand: Immediate, kind: str) -> str:
        """A number as an array of a type."""
        if kind == "pred":
            holds = bool(operand.value)
            return self.constant((kind, holds), np.full((1, 1), holds))
        size = bits_of(kind)
        raw = operand.value
        if operand.float_size and operand.float_size * 8 != size:
            number = np.array([raw], f"u{operand.float_size}").view(f"f{operand.float_size}")
            raw = int(number.astype(f"f{size // 8}").view(f"u{size // 8}")[0])
        register = f"b{max(16, size)}"
        bits = np.full((1, 1), raw % 2**size, unsigned(max(16, size)))
        return self.constant((kind, raw % 2**size), reader(kind, register)(bits))

    def address_of(self, symbol: SymbolOperand) -> int:
        """The address of a variable, in its space; that of a parameter is its number there."""
        names = [parameter.name for parameter in self.function.parameters]
        if symbol.name in names:
            return names.index(symbol.name)
        if symbol.name not in self.addresses:
            raise self.unknown(f"the symbol {symbol.name}")
        return self.addresses[symbol.name] + symbol.offset

    # -- registers --------------------------------------------------------------------------------

    def kind(self, register: Register) -> str:
        """The type of a register."""
        kind = self.function.registers.get(register.name)
        if kind is None:
            if not is_special(register.name):
                raise self.unknown(f"the register {register.name}")
            kind = "b64" if register.name in ("%clock64", "%globaltimer") else "b32"
        return kind

    def bits(self, operand: Operand, bits: int) -> str:
        """An operand as unsigned integers of a size, in bits; 1 for a predicate."""
        return self.read(operand, "pred" if bits == 1 else f"b{bits}")

    def read(self, operand: Operand, kind: str) -> str:
        """An operand as an array of a type."""
        if isinstance(operand, Immediate):
            return self.immediate(operand, kind)
        if isinstance(operand, SymbolOperand):
            return self.immediate(Immediate(self.address_of(operand)), kind)
        if not isinstance(operand, Register):
            raise self.unknown(f"{operand} as an operand")
        register = self.kind(operand)
        if kind == "pred":
            return f"{'~' if operand.negated else ''}{self._bits_of(operand)}"
        if bits_of(kind) > register_bits(register):
            raise self.unknown(f"{operand.name}, which is smaller than .{kind}")
        if _is_same(kind, register):
            return self._bits_of(operand)
        faces = self._faces.setdefault(operand.name, {_BITS})
        face = self._face(operand.name, kind)
        if kind in faces:
            return face
        text = self._converted(self._bits_of(operand), kind, register)
        if self._guarded or operand.name not in self.names:
            return text
        self.emit(f"{face} = {text}")
        faces.add(kind)
        return face

    def _face(self, register: str, kind: str) -> str:
        return f"{self.names.get(register, '')}_{kind}"

    def _converted(self, bits: str, kind: str, register: str) -> str:
        if _is_view(kind, register):
            return f"{bits}.view({_dtype_name(kind)})"
        return f"{self.constant(('read', kind, register), reader(kind, register))}({bits})"

    def _bits_of(self, register: Register) -> str:
        if register.name not in self.names:
            return f"S[{register.name!r}]"
        faces = self._faces.setdefault(register.name, {_BITS})
        if _BITS not in faces:
            self._make_bits(register.name, faces)
        return self.names[register.name]

    def _make_bits(self, register: str, faces: set[str]) -> None:
        kind = next(iter(faces))
        size = bits_of(kind) // 8
        self.emit(f"{self.names[register]} = {self._face(register, kind)}.view(U{size})")
        faces.add(_BITS)

    def write(self, target: Operand, value: str, kind: str) -> None:
        """Assign numbers of a type to a register."""
        if not isinstance(target, Register):
            raise self.unknown(f"{target} as a target")
        if target.name == "_":
            return
        register = self.kind(target)
        if kind != "pred" and not _is_same(kind, register):
            if _is_view(kind, register) and not self._guarded:
                self._write_face(target, value, kind)
                return
            value = f"{self.constant(('write', kind, register), writer(kind, register))}({value})"
        name = self.names[target.name]
        if target.name in self.kept:
            old = self._bits_of(target)
            self.emit(f"v = {value}")
            self.emit(f"{name} = v if m is None else where(m, v, {old})")
        else:
            self.emit(f"{name} = {value}")
        self._faces[target.name] = {_BITS}

    def _write_face(self, target: Register, value: str, kind: str) -> None:
        face = self._face(target.name, kind)
        if target.name in self.kept:
            old = face
            if kind not in self._faces.get(target.name, ()):
                old = f"{self._bits_of(target)}.view({_dtype_name(kind)})"
            self.emit(f"v = {value}")
            self.emit(f"{face} = v if m is None else where(m, v, {old})")
        else:
            self.emit(f"{face} = {value}")
        self._faces[target.name] = {kind}


def _is_same(kind: str, register: str) -> bool:
    """Whether numbers of a type are the bits of a register."""
    return (
        kind[0] in "ub"
        and kind.isalnum()
        and kind[1:].isdigit()
        and bits_of(kind) == register_bits(register)
    )


def _is_view(kind: str, register: str) -> bool:
    """Whether numbers of a type are the bits of a register, seen as another dtype."""
    simple = kind[1:].isdigit() and (kind[0] == "s" or kind in ("f32", "f64"))
    return simple and bits_of(kind) == register_bits(register)


def _dtype_name(kind: str) -> str:
    return f"{'I' if kind[0] == 's' else 'F'}{bits_of(kind) // 8}"


# -- which registers an instruction has -----------------------------------------------------------

_WITHOUT_TARGET = {"st", "bra", "brx", "red", "cp", "call", "prefetch"}


def written_registers(item: Instruction) -> set[str]:
    """The registers that an instruction writes."""
    return {name for operand in item.operands[: _target_count(item)] for name in _named(operand)}


def read_registers(item: Instruction) -> set[str]:
    """The registers that an instruction reads."""
    first = 0 if item.opcode.startswith("wgmma.mma_async") else _target_count(item)  # adds to it
    names = {name for operand in item.operands[first:] for name in _named(operand)}
    return names | {item.guard.name} if item.guard is not None else names


def _target_count(item: Instruction) -> int:
    """How many of the first operands are written."""
    without = item.opcode.split(".")[0] in _WITHOUT_TARGET or item.opcode.startswith(
        "mbarrier.init"
    )
    return 0 if without else 1


def _named(operand: Operand) -> list[str]:
    if isinstance(operand, Register):
        return [operand.name]
    if isinstance(operand, Address):
        return _named(operand.base)
    if isinstance(operand, TensorAddress):
        return _named(Vector((operand.tensor, *operand.coordinates)))
    if isinstance(operand, Vector):
        return [name for inner in operand.items for name in _named(inner)]
    return []
