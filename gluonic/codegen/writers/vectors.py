"""Code on float32 vectors: loads and stores, whole or masked, and transposition of squares."""

from collections.abc import Sequence

from gluonic.codegen.machine.assembler import LLVMFunction
from gluonic.codegen.machine.masked_memory import masked_load, masked_store
from gluonic.codegen.machine.register_transpose import transposed


class VectorWriter:
    """Writes vectors of as many float32 as a register holds.

    Attributes
    ----------
    f : the function that is written
    lanes : number of elements in a register
    vector : its type
    step : its bytes
    """

    def __init__(self, function: LLVMFunction) -> None:
        self.f = function
        self.lanes = function.module.target.vector_bytes // 4
        self.vector = f"<{self.lanes} x float>"
        self.step = self.lanes * 4

    def load(self, address: str) -> str:
        """A whole vector."""
        return self.f.load(self.vector, address, 4)

    def kept(self, ref: str, mask: str) -> str:
        """A vector with zeros in the lanes outside a mask."""
        bits = f"<{self.lanes} x i1> {mask}"
        return self.f.op(f"select {bits}, {self.vector} {ref}, {self.vector} zeroinitializer")

    def store(self, ref: str, address: str) -> None:
        """Write a whole vector."""
        self.f.store(self.vector, ref, address, 4)

    def first_lanes(self, count: str) -> str:
        """A mask of the first lanes."""
        return self.f.first_lanes(count, "i64", self.lanes)

    def load_lanes(self, address: str, mask: str) -> str:
        """A vector of which only some lanes are in memory; zeros in the others."""
        return masked_load(self.f, self.vector, address, 4, mask)

    def store_lanes(self, ref: str, address: str, mask: str) -> None:
        """Write some lanes of a vector."""
        masked_store(self.f, self.vector, ref, address, 4, mask)

    def transposed(self, rows: Sequence[str]) -> list[str]:
        """The columns of a square of vectors."""
        return transposed(self.f, self.vector, rows, self.lanes, self.lanes, 4)

    def apart(self, stride: str | int, count: str | None) -> list[str]:
        """The offsets of V items from the first; if there are only `count`, the last one's is repeated."""
        numbers: list[str | int] = [*range(self.lanes)]
        if count is not None:
            highest = self.f.sub(count, 1)
            numbers = [self.f.least(number, highest) for number in numbers]
        return [self.f.mul(number, stride) for number in numbers]

    def square(self) -> str:
        """Stack space for a square of vectors."""
        return self.f.slot(f"[{self.lanes} x {self.vector}]")
