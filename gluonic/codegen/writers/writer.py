"""Writing the loops of a step by hand: its numbers, addresses, vectors.

Functions have the form of all native code here, ``void step(ptr operands, ptr numbers, i64 begin, i64 end)``.
"""

from collections.abc import Callable, Sequence

from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.masked_memory import masked_load, masked_store
from gluonic.codegen.machine.squares import transposed
from gluonic.codegen.machine.step_function import StepFunction


class Writer:
    """What writers of loops share: numbers, addresses, float32 vectors and their transposition."""

    def __init__(self, module: LLVMModule, name: str) -> None:
        function = StepFunction(module, name)
        self.f: LLVMFunction = function
        self.operand, self.number = function.operand, function.number
        self.lanes = module.target.vector_bytes // 4
        self.vector = f"<{self.lanes} x float>"
        self.step = self.lanes * 4

    def moved(self, address: str, count: str | int, stride: str | int = 1) -> str:
        """The address `count` strides (bytes) further."""
        offset: str | int
        if isinstance(count, int) and isinstance(stride, int):
            offset = count * stride
        elif stride == 1:
            offset = count
        else:
            offset = self.times(count, stride)
        if offset == 0:
            return address
        return self.f.offset(address, offset)

    def times(self, a: str | int, b: str | int) -> str:
        """A product."""
        return self.f.mul(a, b)

    def plus(self, a: str | int, b: str | int) -> str:
        """A sum."""
        return self.f.add(a, b)

    def minus(self, a: str | int, b: str | int) -> str:
        """A difference."""
        return self.f.sub(a, b)

    def least(self, a: str | int, b: str | int) -> str:
        """The smaller number."""
        return self.f.least(a, b)

    def most(self, a: str | int, b: str | int) -> str:
        """The larger number."""
        return self.f.most(a, b)

    def apart(self, stride: str | int, count: str | None) -> list[str | int]:
        """How far V things lie from their first; if there are but `count`, the last is repeated."""
        if count is None:
            return [
                number * stride if isinstance(stride, int) else self.times(stride, number)
                for number in range(self.lanes)
            ]
        highest = self.minus(count, 1)
        return [self.times(self.least(number, highest), stride) for number in range(self.lanes)]

    def divided(self, number: str, by: str | int) -> tuple[str, str]:
        """Quotient and remainder of numbers that are not negative."""
        quotient = self.f.udiv(number, by)
        return quotient, self.minus(number, self.times(quotient, by))

    def quotient_up(self, a: str, by: str | int) -> str:
        """A number that is not negative, divided, rounded up."""
        if by == 1:
            return a
        above = by - 1 if isinstance(by, int) else self.minus(by, 1)
        return self.f.udiv(self.plus(a, above), by)

    def first_at(self, limit: str | int, begin: str | int, step: str | int) -> str:
        """How many steps from `begin` the first place at or behind a limit is."""
        return self.quotient_up(self.most(self.minus(limit, begin), 0), step)

    def either(self, condition: str, yes: Callable[[], None], no: Callable[[], None]) -> None:
        """Do one of two things."""
        with self.f.when(condition):
            yes()
        with self.f.when(self.f.negated(condition)):
            no()

    def either_last(
        self, index: str, count: str, usual: int, last: int, write: Callable[[int], None]
    ) -> None:
        """Write for the usual size and for that of the last of `count` parts; 0 if there is none such."""
        if not last or not usual:
            write(last or usual)
        else:
            self.at_last(index, count, lambda: write(last), lambda: write(usual))

    def either_block(
        self, block: str, blocks: str, last: str | None, write: Callable[[str | None], None]
    ) -> None:
        """Write for whole blocks and, if there is one that is none, for the last: `write(what it has)`."""
        if last is None:
            write(None)
        else:
            self.at_last(block, blocks, lambda: write(last), lambda: write(None))

    def at_last(
        self, index: str, count: str, last: Callable[[], None], others: Callable[[], None]
    ) -> None:
        """Do one thing for the last of `count` parts, and another for those before it."""
        is_last = self.f.compare("eq", index, self.minus(count, 1))
        self.either(is_last, last, others)

    def load(self, address: str) -> str:
        """A whole vector."""
        return self.f.load(self.vector, address, 4)

    def kept(self, ref: str, mask: str) -> str:
        """A vector with zeros in the lanes that a mask leaves out."""
        bits = f"<{self.lanes} x i1> {mask}"
        return self.f.op(f"select {bits}, {self.vector} {ref}, {self.vector} zeroinitializer")

    def store(self, ref: str, address: str) -> None:
        """Write a whole vector."""
        self.f.store(self.vector, ref, address, 4)

    def clear(self, address: str, size: str) -> None:
        """Write zeros."""
        name = "llvm.memset.p0.i64"
        self.f.module.declare(name, "void", ["ptr", "i8", "i64", "i1"])
        self.f.do(f"call void @{name}(ptr {address}, i8 0, i64 {size}, i1 false)")

    def first_lanes(self, count: str) -> str:
        """A mask of the first lanes."""
        numbers = ", ".join(f"i64 {lane}" for lane in range(self.lanes))
        wide = f"<{self.lanes} x i64>"
        first = self.f.op(f"insertelement {wide} poison, i64 {count}, i64 0")
        spread = self.f.op(
            f"shufflevector {wide} {first}, {wide} poison, <{self.lanes} x i32> zeroinitializer"
        )
        return self.f.op(f"icmp slt {wide} <{numbers}>, {spread}")

    def load_lanes(self, address: str, mask: str) -> str:
        """A vector of which only some lanes are in memory; zeros in the others."""
        return masked_load(self.f, self.vector, address, 4, mask)

    def store_lanes(self, ref: str, address: str, mask: str) -> None:
        """Write some lanes of a vector."""
        masked_store(self.f, self.vector, ref, address, 4, mask)

    def transposed(self, rows: Sequence[str]) -> list[str]:
        """The columns of a square of vectors."""
        return transposed(self.f, self.vector, rows, self.lanes, self.lanes, 4)

    def square(self) -> str:
        """Room for a square of vectors."""
        return self.f.slot(f"[{self.lanes} x {self.vector}]")
