"""The base of writers of a step's loops: numbers, addresses, vectors.

Functions have the form of all native code here, ``void step(ptr operands, ptr numbers, i64 begin, i64 end)``.
"""

from collections.abc import Callable

from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.step_function import StepFunction
from gluonic.codegen.writers.vectors import VectorWriter


class Writer(VectorWriter):
    """The base of loop writers: numbers, addresses, float32 vectors and their transposition."""

    def __init__(self, module: LLVMModule, name: str) -> None:
        function = StepFunction(module, name)
        super().__init__(function)
        self.operand, self.number = function.operand, function.number

    def moved(self, address: str, count: str | int, stride: str | int = 1) -> str:
        """The address advanced by `count` strides, in bytes."""
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

    def divided(self, number: str, by: str | int) -> tuple[str, str]:
        """Quotient and remainder of numbers that are not negative."""
        quotient = self.f.udiv(number, by)
        return quotient, self.minus(number, self.times(quotient, by))

    def quotient_up(self, a: str, by: str | int) -> str:
        """The quotient, rounded up, of a number that is not negative."""
        if by == 1:
            return a
        above = by - 1 if isinstance(by, int) else self.minus(by, 1)
        return self.f.udiv(self.plus(a, above), by)

    def first_at(self, limit: str | int, begin: str | int, step: str | int) -> str:
        """The number of steps from `begin` to the first position at or after a limit."""
        return self.quotient_up(self.most(self.minus(limit, begin), 0), step)

    def either(self, condition: str, yes: Callable[[], None], no: Callable[[], None]) -> None:
        """Write two branches, of which one runs."""
        with self.f.when(condition):
            yes()
        with self.f.when(self.f.negated(condition)):
            no()

    def either_last(
        self, index: str, count: str, usual: int, last: int, write: Callable[[int], None]
    ) -> None:
        """Write code for parts of the usual size, and for the last of `count` parts; a size of 0 is none."""
        if not last or not usual:
            write(last or usual)
        else:
            self.at_last(index, count, lambda: write(last), lambda: write(usual))

    def either_block(
        self, block: str, blocks: str, last: str | None, write: Callable[[str | None], None]
    ) -> None:
        """Write code for whole blocks and for a partial last one, if any: `write(size)`."""
        if last is None:
            write(None)
        else:
            self.at_last(block, blocks, lambda: write(last), lambda: write(None))

    def at_last(
        self, index: str, count: str, last: Callable[[], None], others: Callable[[], None]
    ) -> None:
        """Write one branch for the last of `count` parts, and another for those before it."""
        is_last = self.f.compare("eq", index, self.minus(count, 1))
        self.either(is_last, last, others)

    def clear(self, address: str, size: str) -> None:
        """Write zeros."""
        name = "llvm.memset.p0.i64"
        self.f.module.declare(name, "void", ["ptr", "i8", "i64", "i1"])
        self.f.run(f"@{name}", ("ptr", address), ("i8", 0), ("i64", size), ("i1", "false"))
