"""Arithmetic on indices and addresses, in LLVM's text."""

from abc import ABC, abstractmethod
from typing import TypeAlias

Index: TypeAlias = str | int
"""An ``i64``: the reference of a result, or a constant."""


class IntegerCode(ABC):
    """Instructions on integers, by default ``i64``, and addresses, each a method that returns a reference."""

    @abstractmethod
    def op(self, text: str) -> str:
        """Write an instruction with a result; return the result's reference."""

    @abstractmethod
    def do(self, text: str) -> None:
        """Write an instruction without a result."""

    def binary(self, name: str, a: Index, b: Index, kind: str = "i64") -> str:
        """LLVM's instruction of this name on two values of a type."""
        return self.op(f"{name} {kind} {a}, {b}")

    def cast(self, name: str, a: Index, kind: str, goal: str) -> str:
        """LLVM's conversion of this name from a type to another."""
        return self.op(f"{name} {kind} {a} to {goal}")

    # -- arithmetic ---------------------------------------------------------------------------

    def add(self, a: Index, b: Index, kind: str = "i64") -> str:
        """A sum."""
        return self.binary("add", a, b, kind)

    def sub(self, a: Index, b: Index, kind: str = "i64") -> str:
        """A difference."""
        return self.binary("sub", a, b, kind)

    def mul(self, a: Index, b: Index, kind: str = "i64") -> str:
        """A product."""
        return self.binary("mul", a, b, kind)

    def udiv(self, a: Index, b: Index, kind: str = "i64") -> str:
        """The quotient of numbers that are not negative."""
        return self.binary("udiv", a, b, kind)

    def urem(self, a: Index, b: Index, kind: str = "i64") -> str:
        """The remainder of numbers that are not negative."""
        return self.binary("urem", a, b, kind)

    def srem(self, a: Index, b: Index) -> str:
        """The remainder with the sign of `a`."""
        return self.binary("srem", a, b)

    def narrowed(self, a: Index) -> str:
        """A number truncated to 32 bits."""
        return self.cast("trunc", a, "i64", "i32")

    def widened(self, a: Index) -> str:
        """A signed number of 32 bits as one of 64."""
        return self.cast("sext", a, "i32", "i64")

    def bits(self, a: Index, mask: Index, kind: str = "i64") -> str:
        """The bitwise and of a number and a mask."""
        return self.binary("and", a, mask, kind)

    # -- conditions ---------------------------------------------------------------------------

    def compare(self, relation: str, a: Index, b: Index, kind: str = "i64") -> str:
        """A comparison by LLVM's predicate (``"slt"``: signed less than)."""
        return self.op(f"icmp {relation} {kind} {a}, {b}")

    def both(self, a: str, b: str) -> str:
        """Whether two conditions hold."""
        return self.binary("and", a, b, "i1")

    def counted(self, condition: str) -> str:
        """One where a condition holds, else zero."""
        return self.cast("zext", condition, "i1", "i64")

    def negated(self, condition: str) -> str:
        """Whether a condition does not hold."""
        return self.binary("xor", condition, "true", "i1")

    def select(self, condition: str, yes: Index, no: Index, kind: str = "i64") -> str:
        """One of two values."""
        return self.op(f"select i1 {condition}, {kind} {yes}, {kind} {no}")

    # -- addresses ----------------------------------------------------------------------------

    def offset(self, address: str, index: Index, kind: str = "i8") -> str:
        """The address of the element with an index, of a type; by default of a byte."""
        return self.op(f"getelementptr {kind}, ptr {address}, i64 {index}")

    def load(self, kind: str, address: str, align: int | None = None) -> str:
        """The value at an address; by default the alignment is that of the type."""
        return self.op(f"load {kind}, ptr {address}{_aligned(align)}")

    def store(self, kind: str, value: Index, address: str, align: int | None = None) -> None:
        """Write a value to an address, aligned as for `load`."""
        self.do(f"store {kind} {value}, ptr {address}{_aligned(align)}")


def _aligned(align: int | None) -> str:
    return "" if align is None else f", align {align}"
