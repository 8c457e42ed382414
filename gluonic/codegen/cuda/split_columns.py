"""Kernels that reduce columns with several blocks for each: in phases, as long rows are (`split_rows`)."""

from __future__ import annotations

from collections.abc import Sequence

from gluonic.codegen.cuda.column_kernels import ColumnSpread, ColumnWriter
from gluonic.codegen.cuda.kernel_function import KernelFunction
from gluonic.codegen.cuda.split_rows import Cells
from gluonic.codegen.cuda.thread_sums import CELL, Parts, ThreadAccumulator, strips
from gluonic.codegen.loops.kernel import Kernel, Stage
from gluonic.codegen.maths.values import Value, scalar_type


def split_numbers(numbers: Sequence[int], shares: int) -> list[int]:
    """The run-time numbers of the kernels of phases, from those of `column_numbers`."""
    deep = numbers[2]
    return [shares, -(-deep // shares), *numbers]


class SharedColumnWriter(ColumnWriter):
    """Writes the kernels of phases, for columns.

    Parameters
    ----------
    workspace, shares, share : the address, the number of blocks of a column, and the positions of each
    is_total : whether there is one thread for a chunk, which adds what the others left
    """

    def __init__(
        self,
        kernel: Kernel,
        spread: ColumnSpread,
        function: KernelFunction,
        workspace: str,
        shares: str,
        share: str,
        *,
        is_total: bool = False,
    ) -> None:
        self._workspace, self._shares, self._is_total = workspace, shares, is_total
        self._cells = Cells.of(kernel)
        super().__init__(kernel, spread, function)
        columns = function.mul(function.numbers[0], spread.width)
        size = function.mul(columns, len(self._cells.left) * CELL)
        self._parts_at = function.offset(workspace, size)
        self._column_count = columns
        if not is_total:
            self._share = function.widened(function.special("ctaid.y"))
            begin = function.mul(self._share, share)
            self.first = function.add(begin, self.first)
            self.stop = function.least(function.add(begin, share), self.deep)

    def _left_cell(self, lane: int, number: int) -> str:
        function = self.function
        column = function.add(function.mul(self.chunk, self.spread.width), lane)
        place = function.add(function.mul(column, len(self._cells.left)), number)
        return function.offset(self._workspace, place, f"[{CELL} x i8]")

    def read_left(self, count: int) -> None:
        """Load what earlier stages have left."""
        for lane, left in enumerate(self.left):
            for number, dtype in enumerate(self._cells.left[:count]):
                ref = self.function.load(scalar_type(dtype), self._left_cell(lane, number), CELL)
                left.append(self.m.value(ref, dtype, 1))

    def write_left(self, first: int) -> None:
        """Store what was left from a number on."""
        with self.function.when(self.inside):
            for lane, left in enumerate(self.left):
                for number, value in enumerate(left[first:], first):
                    self._store(value, self._left_cell(lane, number))

    def _store(self, value: Value, address: str) -> None:
        self.function.store(value.type, value.ref, address, CELL)

    def _part_cell(self, share: str, lane: int, number: int) -> str:
        function = self.function
        column = function.add(function.mul(self.chunk, self.spread.width), lane)
        index = function.add(function.mul(share, self._column_count), column)
        place = function.add(function.mul(index, self._cells.parts), number)
        return function.offset(self._parts_at, place, f"[{CELL} x i8]")

    def _finish(self, reduced: Sequence[Sequence[tuple[ThreadAccumulator, Parts]]]) -> None:
        """Store the results of a share."""
        if self._is_total:
            super()._finish(reduced)
            return
        first = self.function.compare("eq", self.depth, 0, "i32")
        with self.function.when(self.function.both(first, self.inside)):
            for lane in range(self.spread.width):
                parts = [part for each in reduced for part in each[lane][1]]
                for number, part in enumerate(parts):
                    self._store(part, self._part_cell(self._share, lane, number))

    def total(self, stage: Stage) -> None:
        """Add the results of all shares."""
        function = self.function
        accumulators = self._accumulators(stage, function.opening())
        for (share,) in strips(function, "0", self._shares, 1, 1):
            for lane in range(self.spread.width):
                number = 0
                for each in accumulators:
                    accumulator, parts = each[lane], []
                    for zero in accumulator.zeros:
                        cell = self._part_cell(share, lane, number)
                        ref = function.load(zero.type, cell, CELL)
                        parts.append(self.m.value(ref, zero.dtype, 1))
                        number += 1
                    accumulator.set(accumulator.joined(accumulator.parts(), parts))
        self._finish([[(a, a.parts()) for a in each] for each in accumulators])
