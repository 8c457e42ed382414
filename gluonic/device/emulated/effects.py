"""The text of instructions that do not only compute: moves, memory, warps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from gluonic.device.emulated import atomics
from gluonic.device.emulated.conversions import COMBINATIONS, comparison
from gluonic.device.emulated.formats import bits_of, reader, unsigned, writer
from gluonic.device.emulated.instructions import meaning
from gluonic.device.emulated.matrix_text import MatrixText
from gluonic.device.emulated.memory import LOCAL_WINDOW, SHARED_WINDOW
from gluonic.device.emulated.opcodes import split
from gluonic.device.emulated.registers import read_registers
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
    type_size,
)

_SPACES = {"global", "shared", "local", "const", "param"}
_ORDERED = {"volatile", "relaxed", "acquire", "release", "mmio"}
_NO_EFFECT = {
    "membar", "fence", "prefetch", "prefetchu", "nanosleep", "griddepcontrol", "discard", "setmaxnreg",
}  # fmt: skip


class EffectText(MatrixText):
    """The text of instructions.

    Parameters
    ----------
    functions : those that the function may call
    """

    def __init__(
        self,
        function: PtxFunction,
        addresses: dict[str, int],
        kept: set[str],
        functions: Mapping[str, PtxFunction],
    ) -> None:
        super().__init__(function, addresses, kept)
        self.functions = functions
        self._all_read = {name for item in function.code for name in read_registers(item)}

    def effect(self, item: Instruction) -> None:
        """Add what an instruction does, other than going somewhere."""
        name = split(item.opcode).name
        handler = _HANDLERS.get(name)
        if handler is not None:
            handler(self, item)
        elif name not in _NO_EFFECT:
            self.compute(item)

    def compute(self, item: Instruction) -> None:
        """An instruction of the table."""
        computed = meaning(item.opcode)
        if computed is None:
            raise self.unknown()
        target, *operands = item.operands
        function = self.constant(("function", item.opcode), computed.function)
        sources = [
            self.read(operand, kind)
            for operand, kind in zip(operands, computed.sources, strict=True)
        ]
        self.write(target, f"{function}({', '.join(sources)})", computed.result)

    # -- moves ------------------------------------------------------------------------------------

    def move(self, item: Instruction) -> None:
        """Copies of registers, halves of registers, and addresses of variables."""
        target, source = item.operands
        opcode = split(item.opcode)
        bits = bits_of(opcode.types[-1])
        if isinstance(target, Vector):
            part = bits // len(target.items)
            value = self.bits(source, bits)
            for number, register in enumerate(target.items):
                if isinstance(register, Register) and register.name != "_":
                    shift = self.constant(
                        ("shift", bits, number * part), unsigned(bits).type(number * part)
                    )
                    self.write(register, f"({value} >> {shift}).astype('u{part // 8}')", f"b{part}")
        elif isinstance(source, Vector):
            part = bits // len(source.items)
            terms = []
            for number, operand in enumerate(source.items):
                shift = self.constant(
                    ("shift", bits, number * part), unsigned(bits).type(number * part)
                )
                terms.append(f"({self.bits(operand, part)}.astype('u{bits // 8}') << {shift})")
            self.write(target, " | ".join(terms), f"b{bits}")
        else:
            kind = "pred" if bits == 1 else f"b{bits}"
            self.write(target, self.read(source, kind), kind)

    def compare(self, item: Instruction) -> None:
        """A comparison, with which another predicate may be combined; of pairs, each half has a result."""
        opcode = split(item.opcode)
        kind = opcode.types[-1]
        target, *operands = item.operands
        function = self.constant(("compare", item.opcode), comparison(opcode))
        value = f"{function}({self.read(operands[0], kind)}, {self.read(operands[1], kind)})"
        combine = next((COMBINATIONS[m] for m in opcode.modifiers if m in COMBINATIONS), None)
        targets = target.items if isinstance(target, Vector) else (target,)
        if combine is None and len(targets) == 1:
            self.write(target, value, "pred")
            return
        self.emit(f"t = {value}")
        values = ("t[..., 0]", "t[..., 1]") if kind.endswith("x2") else ("t", "~t")
        for value, one in zip(values, targets, strict=False):
            if combine is not None:
                name = self.constant(("combine", combine), combine)
                value = f"{name}({value}, {self.read(operands[2], 'pred')})"
            self.write(one, value, "pred")

    def convert_address(self, item: Instruction) -> None:
        """Addresses of one space as generic ones, or the reverse."""
        parts = item.opcode.split(".")
        window = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW}
        start = next((window[part] for part in parts if part in window), 0)
        if "to" in parts:
            start = -start
        value = self.bits(item.operands[1], 64)
        if start:
            value = f"{value} + {self.immediate(Immediate(start), 'b64')}"
        self.write(item.operands[0], value, "b64")

    def call(self, item: Instruction) -> None:
        """A call of a function of the module; results and arguments go through parameters."""
        groups = [operand for operand in item.operands if isinstance(operand, Vector)]
        callee = next((o for o in item.operands if isinstance(o, SymbolOperand)), None)
        if callee is None or callee.name not in self.functions:
            raise self.unknown("only functions of the module can be called")
        function = self.functions[callee.name]
        first = isinstance(item.operands[0], Vector)
        results = groups[0].items if first else ()
        arguments = groups[1 if first else 0].items if len(groups) > first else ()
        passed = []
        for own, parameter in zip(arguments, function.parameters, strict=True):
            if isinstance(own, SymbolOperand):
                passed.append((own.name, parameter.name))
        self.emit(f"Q = {{(y, o): v for x, y in {passed} for (n, o), v in P.items() if n == x}}")
        self.emit(f"calls[{callee.name!r}](c, f.callee(), Q)")
        for own, result in zip(results, function.results, strict=True):
            if isinstance(own, SymbolOperand):
                self.emit(
                    f"P.update({{({own.name!r}, o): v for (n, o), v in Q.items() if n == {result.name!r}}})"
                )

    # -- memory -----------------------------------------------------------------------------------

    def _access(self, opcode: str) -> tuple[str, str, str]:
        """The space of an access, its type, and its mode."""
        parts = opcode.split(".")
        space = next((part.split("::")[0] for part in parts if part.split("::")[0] in _SPACES), "")
        mode = "nc" if "nc" in parts else "ordered" if _ORDERED & set(parts) else ""
        return space, split(opcode).types[-1], mode

    def load(self, item: Instruction) -> None:
        """A load."""
        space, kind, mode = self._access(item.opcode)
        target, source = item.operands
        targets = target.items if isinstance(target, Vector) else (target,)
        if space == "param":
            self._load_parameter(targets, source, kind)
            return
        size = type_size(kind)
        stored = kind if kind[0] == "s" else f"b{size * 8}"
        where = self.address(source, space)
        self.emit(
            f"q = M.load({space!r}, {where}, {size}, {len(targets)}, a, {item.line}, {mode!r})"
        )
        for number, register in enumerate(targets):
            value = f"q[{number}].view('i{size}')" if kind[0] == "s" else f"q[{number}]"
            self.write(register, value, stored)

    def _load_parameter(self, targets: Sequence[Operand], source: Operand, kind: str) -> None:
        if not isinstance(source, Address) or not isinstance(source.base, SymbolOperand):
            raise self.unknown("parameters at computed addresses")
        size = type_size(kind)
        for number, register in enumerate(targets):
            key = (source.base.name, source.offset + number * size)
            value = f"P[{key!r}].astype('u{size}')"
            self.write(
                register,
                f"{value}.view('i{size}')" if kind[0] == "s" else value,
                kind if kind[0] == "s" else f"b{size * 8}",
            )

    def store(self, item: Instruction) -> None:
        """A store."""
        space, kind, mode = self._access(item.opcode)
        target, source = item.operands
        sources = source.items if isinstance(source, Vector) else (source,)
        size = type_size(kind)
        values = [self.bits(operand, size * 8) for operand in sources]
        if space == "param":
            if not isinstance(target, Address) or not isinstance(target.base, SymbolOperand):
                raise self.unknown("parameters at computed addresses")
            for number, value in enumerate(values):
                key = (target.base.name, target.offset + number * size)
                old = self.constant(("initial", f"u{size}"), np.zeros((1, 1), f"u{size}"))
                self.emit(f"v = {value}")
                self.emit(f"P[{key!r}] = v if a is None else where(a, v, P.get({key!r}, {old}))")
            return
        where, listed = self.address(target, space), ", ".join(values)
        self.emit(f"M.store({space!r}, {where}, {size}, [{listed}], a, {item.line}, {mode!r})")

    def atomic(self, item: Instruction) -> None:
        """An atomic operation, whose old value is made only where it is needed."""
        space, kind, _ = self._access(item.opcode)
        opcode = split(item.opcode)
        name = next((m for m in opcode.modifiers if m in atomics.NAMES), "")
        if not name:
            raise self.unknown("this atomic operation")
        operands = list(item.operands)
        target = operands.pop(0) if opcode.name == "atom" else None
        register = f"b{max(16, bits_of(kind))}"
        values = [self.bits(operand, bits_of(kind)) for operand in operands[1:]]
        converters = (
            self.constant(("read", kind, register), reader(kind, register)),
            self.constant(("write", kind, register), writer(kind, register)),
        )
        read_later = isinstance(target, Register) and target.name in self._all_read
        where = self.address(operands[0], space)
        text = (
            f"atomic(c, {name!r}, {space!r}, {where}, {bits_of(kind) // 8}, [{', '.join(values)}], "
            f"{', '.join(converters)}, a, {item.line}, {read_later})"
        )
        if read_later and target is not None:
            self.write(target, text, f"b{bits_of(kind)}")
        else:
            self.emit(text)

    # -- warps ------------------------------------------------------------------------------------

    def shuffled(self, item: Instruction) -> None:
        """A value of another lane."""
        target, value, distance, limits, mask = item.operands
        targets = target.items if isinstance(target, Vector) else (target,)
        arguments = ", ".join(self.bits(operand, 32) for operand in (value, distance, limits, mask))
        self.emit(f"w, t = shuffle(c, {item.opcode.split('.')[2]!r}, {arguments}, a, {item.line})")
        self.write(targets[0], "w", "b32")
        if len(targets) > 1:
            self.write(targets[1], "t", "pred")

    def voted(self, item: Instruction) -> None:
        """A question to all lanes."""
        target, condition, mask = item.operands
        mode = item.opcode.split(".")[2]
        arguments = f"{self.read(condition, 'pred')}, {self.bits(mask, 32)}, a, {item.line}"
        if mode == "ballot":
            self.write(target, f"ballot(c, {arguments})", "b32")
        else:
            self.write(target, f"vote(c, {mode!r}, {arguments})", "pred")

    def active(self, item: Instruction) -> None:
        """The lanes that run."""
        self.write(item.operands[0], "active_lanes(c, a)", "b32")

    def matched(self, item: Instruction) -> None:
        """The lanes with the same value."""
        target, value, mask = item.operands
        targets = target.items if isinstance(target, Vector) else (target,)
        opcode = split(item.opcode)
        self.emit(
            f"w, t = match(c, {opcode.modifiers[0]!r}, {self.bits(value, bits_of(opcode.types[-1]))}, "
            f"{self.bits(mask, 32)}, a, {item.line})"
        )
        self.write(targets[0], "w", "b32")
        if len(targets) > 1:
            self.write(targets[1], "t", "pred")

    def reduced(self, item: Instruction) -> None:
        """A reduction over the lanes."""
        target, value, mask = item.operands
        opcode = split(item.opcode)
        name = next(m for m in opcode.modifiers if m != "sync")
        kind = opcode.types[-1]
        self.write(
            target,
            f"reduce(c, {name!r}, {self.read(value, kind)}, {self.bits(mask, 32)}, a, {item.line})",
            kind,
        )

    # -- copies -----------------------------------------------------------------------------------

    def copied(self, item: Instruction) -> None:
        """A copy from global to shared memory that goes on meanwhile."""
        parts = item.opcode.split(".")
        if item.opcode == _BOX_COPY:
            self._copied_box(item)
            return
        if "bulk" in parts or "mbarrier" in parts:
            raise self.unknown()
        if "commit_group" in parts:
            self.emit("c.copies.commit()")
        elif "wait_all" in parts:
            self.emit("c.copies.wait_for_all()")
        elif "wait_group" in parts:
            pending = item.operands[0]
            if not isinstance(pending, Immediate):
                raise self.unknown("a computed number of groups")
            self.emit(f"c.copies.wait({pending.value})")
        else:
            to, source, size, *rest = item.operands
            if not isinstance(size, Immediate):
                raise self.unknown("a computed size")
            used = self.bits(rest[0], 32) if rest else "None"
            where = f"{self.address(to, 'shared')}, {self.address(source, 'global')}"
            self.emit(f"c.copies.add({where}, {size.value}, {used}, a, {item.line})")

    def _copied_box(self, item: Instruction) -> None:
        """A copy of a box of a matrix that a parameter describes."""
        to, source, barrier = item.operands
        if not isinstance(source, TensorAddress) or len(source.coordinates) != 2:
            raise self.unknown("this tensor")
        names = [parameter.name for parameter in self.function.parameters]
        where = ", ".join(self.address(operand, "shared") for operand in (to, barrier))
        numbers = ", ".join(self.bits(operand, 32) for operand in source.coordinates)
        tensor = f"P, {names}, {self.bits(source.tensor, 64)}"
        self.emit(f"c.transactions.copy({where}, {tensor}, ({numbers}), a, {item.line})")

    def transacted(self, item: Instruction) -> None:
        """What a barrier that counts bytes is told; waits for it end a block of instructions."""
        parts = item.opcode.split(".")
        if "init" in parts:
            where, count = self.address(item.operands[0], "shared"), self.bits(item.operands[1], 32)
            self.emit(f"c.transactions.initialize({where}, {count}, a)")
        elif "arrive" in parts and "noinc" not in parts and len(item.operands) < 4:
            where = self.address(item.operands[1], "shared")
            size = self.bits(item.operands[2], 32) if "expect_tx" in parts else "0"
            self.emit(f"c.transactions.arrive({where}, {size}, a, {item.line})")
        else:
            raise self.unknown()


_BOX_COPY = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
_HANDLERS: Mapping[str, Callable[[EffectText, Instruction], None]] = {
    "mov": EffectText.move,
    "setp": EffectText.compare,
    "cvta": EffectText.convert_address,
    "call": EffectText.call,
    "ld": EffectText.load,
    "ldu": EffectText.load,
    "st": EffectText.store,
    "atom": EffectText.atomic,
    "red": EffectText.atomic,
    "shfl": EffectText.shuffled,
    "vote": EffectText.voted,
    "activemask": EffectText.active,
    "match": EffectText.matched,
    "redux": EffectText.reduced,
    "cp": EffectText.copied,
    "mbarrier": EffectText.transacted,
    "ldmatrix": EffectText.load_matrices,
    "mma": EffectText.multiplied,
    "wgmma": EffectText.multiplied_in_groups,
}
