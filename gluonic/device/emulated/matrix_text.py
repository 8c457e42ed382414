"""The text of instructions that load and multiply matrices, and of the addresses that instructions have."""

from __future__ import annotations

from gluonic.device.emulated import matrices, warpgroups
from gluonic.device.emulated.formats import register_bits
from gluonic.device.emulated.registers import RegisterText
from gluonic.device.emulated.syntax import (
    Address,
    Immediate,
    Instruction,
    Operand,
    Register,
    SymbolOperand,
    Vector,
)


class MatrixText(RegisterText):
    """The text of instructions for matrices."""

    def address(self, operand: Operand, space: str) -> str:
        """The addresses that an operand means, as 64-bit integers."""
        if not isinstance(operand, Address):
            raise self.unknown(f"{operand} is no address")
        if isinstance(operand.base, SymbolOperand):
            return self.immediate(Immediate(self.address_of(operand.base) + operand.offset), "b64")
        if isinstance(operand.base, Immediate):
            return self.immediate(Immediate(operand.base.value + operand.offset), "b64")
        size = register_bits(self.kind(operand.base))
        value = self.bits(operand.base, size)
        if operand.offset:
            value = f"({value} + {self.immediate(Immediate(operand.offset), f'b{size}')})"
        return value if size == 64 else f"{value}.astype('u8')"

    def load_matrices(self, item: Instruction) -> None:
        """Fragments of matrices from shared memory."""
        target, source = item.operands
        if not isinstance(target, Vector):
            target = Vector((target,))
        parts = item.opcode.split(".")
        if "m8n8" not in parts or "b16" not in parts:
            raise self.unknown("this shape")
        where, count = self.address(source, "shared"), len(target.items)
        self.emit(f"q = load_matrix(c, {where}, {count}, {'trans' in parts}, a, {item.line})")
        for number, register in enumerate(target.items):
            self.write(register, f"q[{number}]", "b32")

    def multiplied(self, item: Instruction) -> None:
        """A product of matrices."""
        shape = matrices.fragments(item.opcode)
        if shape is None:
            raise self.unknown("this product of matrices")
        groups = [operand.items for operand in item.operands if isinstance(operand, Vector)]
        if len(groups) != 4:
            raise self.unknown("this form")
        target, *sources = groups
        size = shape.register
        texts = [f"[{', '.join(self.bits(o, size) for o in group)}]" for group in sources]
        self.emit(
            f"q = multiply(c, {self.constant(('mma', shape), shape)}, {', '.join(texts)}, a, {item.line})"
        )
        for number, register in enumerate(target):
            self.write(register, f"q[{number}]", f"b{size}")

    def multiplied_in_groups(self, item: Instruction) -> None:
        """A product of matrices by four warps; it is done at once, so nothing waits for it."""
        if "mma_async" not in item.opcode.split("."):
            return
        shape = warpgroups.group_product(item.opcode)
        target, left, right, *numbers = item.operands
        if shape is None or not isinstance(target, Vector) or not isinstance(left, Register):
            raise self.unknown("this product of matrices")
        values = [number.value if isinstance(number, Immediate) else None for number in numbers]
        add, scales, turned = values[0], values[1:3], values[3:]
        if add != 1 or scales != [1, 1] or None in turned:
            raise self.unknown("these numbers")
        turns = bool(turned[0]) if turned else False, bool(turned[1]) if turned else False
        sums = f"[{', '.join(self.bits(o, 32) for o in target.items)}]"
        factors = f"({self.bits(left, 64)}, {self.bits(right, 64)})"
        self.emit(
            f"q = multiply_in_groups(c, {self.constant(('wgmma', shape), shape)}, {sums}, {factors}, "
            f"{turns}, a, {item.line})"
        )
        for number, register in enumerate(target.items):
            self.write(register, f"q[{number}]", "b32")
