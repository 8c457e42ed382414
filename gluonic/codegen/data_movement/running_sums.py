"""Native steps of cumulative sums: each element, or row, is added to the sum written before it."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.target import host
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.writers.element_writer import ElementWriter
from gluonic.graph import Node
from gluonic.graph.axes import product

_DTYPES = ("float16", "float32", "float64", "int8", "uint8", "int32", "int64")


class RunningSumStep(Step):
    """Cumulative sums along an axis.

    Attributes
    ----------
    source : the array that is summed
    axis : the axis of the sums; None for the flattened array
    backwards : whether sums run from the last element to the first, as for the gradient
    """

    backwards = False

    def __init__(self, node: Node, facts: Facts) -> None:
        settings: Any = node.applied.settings
        self.source, self.axis = node.inputs[0], settings["axis"]
        self.operands = (self.source, node.entry())
        self.dtype = facts.dtypes[node.entry()]
        self.of_neighbours = facts.decide(lambda facts: self._extents(facts)[2] == 1)

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "RunningSumStep | None":
        """The step of an operator that keeps the dtype, for dtypes that are summed exactly as NumPy does."""
        step = cls(node, facts)
        is_same = facts.dtypes[step.source] == step.dtype
        # Without conversions in hardware, LLVM calls functions of a library that is not loaded.
        converts = step.dtype != np.float16 or host().has_half
        is_known = is_same and converts and step.dtype.name in _DTYPES
        return step if is_known and 0 not in facts.shapes[step.source] else None

    def _extents(self, facts: Facts) -> tuple[Any, Any, Any]:
        """The number of independent sums, the number of rows in each, and the length of the rows."""
        shape = facts.shapes[self.source]
        if self.axis is None or not shape:
            return 1, product(shape), 1
        axis = self.axis % len(shape)
        return prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The number of rows in a sum, and their length."""
        return self._extents(facts)[1:]

    def units(self, facts: Facts) -> int:
        """One unit per sum."""
        found: int = self._extents(facts)[0]
        return found

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the sums."""
        _SumWriter(module, name, self).write()


class RunningSumGradientStep(RunningSumStep):
    """The gradient of cumulative sums: sums in the opposite direction."""

    backwards = True


class _SumWriter(ElementWriter):
    """Writes the loops over rows."""

    def __init__(self, module: LLVMModule, name: str, step: RunningSumStep) -> None:
        super().__init__(module, name, step.dtype)
        self.sums = step
        self.count, self.length = self.number(0), self.number(1)

    def write(self) -> None:
        """Write all sums of a call."""
        size = self.times(self.count, self.length)
        with self.f.loop("%begin", "%end") as unit:
            ahead = self.times(unit, size)
            source, target = (self.at(self.operand(i), ahead) for i in range(2))
            if self.sums.of_neighbours:
                self._add_neighbours(source, target)
            else:
                self._add_rows(source, target)
        self.f.finish()

    def _index(self, number: str | int) -> str | int:
        """The index of the row at a position in the order of summation."""
        if not self.sums.backwards:
            return number
        return self.minus(self.minus(self.count, 1), number)

    def _add_neighbours(self, source: str, target: str) -> None:
        """Sum contiguous elements, with the sum in a register."""
        slot = self.f.slot(self.kind)
        self.put_whole(self.number_of(0), slot)
        with self.f.loop("0", self.count) as number:
            index = self._index(number)
            total = self.whole(slot) + self.whole(self.at(source, index))
            self.put_whole(total, slot)
            self.put_whole(total, self.at(target, index))

    def _add_rows(self, source: str, target: str) -> None:
        """Add each row to the last one that was written."""
        first = self.times(self._index(0), self.length)
        width = self.times(self.length, self.size)
        self.f.copy(self.at(target, first), self.at(source, first), width)
        with self.f.loop("1", self.count) as number:
            here = self.times(self._index(number), self.length)
            before = self.at(target, self.times(self._index(self.minus(number, 1)), self.length))
            there, given = self.at(target, here), self.at(source, here)

            def body(i: str, lanes: int) -> None:
                total = self.element(self.at(before, i), lanes) + self.element(
                    self.at(given, i), lanes
                )
                self.put(total, self.at(there, i), lanes)

            self.spans("0", self.length, body)
