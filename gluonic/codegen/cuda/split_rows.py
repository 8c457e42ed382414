"""Kernels that reduce long rows with several blocks for each: in phases, whose results wait in memory.

For each sweep, one kernel reduces the shares of a row; another adds them, always in the same order, and runs
the point stages after the sweep. The workspace has what stages leave for later ones, and the results of shares.
"""

from __future__ import annotations

from collections.abc import Sequence

from gluonic.codegen.cuda.kernel_function import KernelFunction
from gluonic.codegen.cuda.row_kernels import RowSpread, RowWriter
from gluonic.codegen.cuda.thread_sums import CELL, Parts, ThreadAccumulator, strips, thread_dtype
from gluonic.codegen.loops.kernel import Carry, Kernel, Reduce, Stage
from gluonic.codegen.maths.values import Dtype, Value, scalar_type
from gluonic.support.record import record


@record
class Cells:
    """The values of a row in the workspace.

    Attributes
    ----------
    left : the dtypes of what stages leave, in order
    before : for each stage, how many of them earlier stages have left
    parts : the most parts of a share's results, see `ThreadAccumulator`
    """

    left: tuple[Dtype, ...]
    before: tuple[int, ...]
    parts: int

    @classmethod
    def of(cls, kernel: Kernel) -> Cells:
        """The cells of a kernel."""
        left: list[Dtype] = []
        before, parts = [], [0]
        for stage in kernel.stages:
            before.append(len(left))
            own = 0
            for result, dtype in zip(stage.results, stage.program.dtypes, strict=True):
                if isinstance(result, Reduce):
                    left.append(result.dtype or dtype)
                    own += part_count(result, dtype)
                elif isinstance(result, Carry):
                    left.append(dtype)
            parts.append(own)
        return cls(tuple(left), tuple(before), max(parts))

    def bytes(self, rows: int, shares: int) -> int:
        """The size of the workspace."""
        return rows * (len(self.left) + shares * self.parts) * CELL


def part_count(reduce: Reduce, dtype: Dtype) -> int:
    """The parts of the result of a share."""
    is_float = thread_dtype(reduce.kind, dtype).kind == "f"
    return 2 if reduce.kind == "sum" and is_float else 1


def sweep_numbers(numbers: Sequence[int], shares: int) -> list[int]:
    """The run-time numbers of the kernels of phases, from those of `row_numbers`."""
    rows, deep, *others = numbers
    return [shares, -(-deep // shares), rows, deep, *others]


class SharedRowWriter(RowWriter):
    """Writes the kernels of phases, for rows.

    Parameters
    ----------
    workspace, shares, share : the address, the number of blocks of a row, and the chunks of each
    is_total : whether there is one block for a row, which adds what the others left
    """

    def __init__(
        self,
        kernel: Kernel,
        spread: RowSpread,
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
        rows = function.mul(function.numbers[0], len(self._cells.left) * CELL)
        self._parts_at = function.offset(workspace, rows)
        if not is_total:
            begin = function.mul(self._share, share)
            self.first = function.add(begin, self.first)
            self.stop = function.least(function.add(begin, share), self.deep)

    def _row(self) -> str:
        function = self.function
        block = function.special("ctaid.x")
        if self._is_total:
            return block
        shares = function.narrowed(self._shares)
        self._share = function.widened(function.urem(block, shares, "i32"))
        return function.udiv(block, shares, "i32")

    def _left_cell(self, number: int) -> str:
        index = self.function.mul(self.row, len(self._cells.left))
        place = self.function.add(index, number)
        return self.function.offset(self._workspace, place, f"[{CELL} x i8]")

    def read_left(self, count: int) -> None:
        """Load what earlier stages have left."""
        for number, dtype in enumerate(self._cells.left[:count]):
            ref = self.function.load(scalar_type(dtype), self._left_cell(number), CELL)
            self.left.append(self.m.value(ref, dtype, 1))

    def write_left(self, first: int) -> None:
        """Store what was left from a number on."""
        with self.function.when(self.function.compare("eq", self.lane, 0, "i32")):
            for number, value in enumerate(self.left[first:], first):
                self._store(value, self._left_cell(number))

    def _store(self, value: Value, address: str) -> None:
        self.function.store(value.type, value.ref, address, CELL)

    def _part_cell(self, share: str, number: int) -> str:
        function = self.function
        index = function.add(function.mul(self.row, self._shares), share)
        place = function.add(function.mul(index, self._cells.parts), number)
        return function.offset(self._parts_at, place, f"[{CELL} x i8]")

    def _finish(self, reduced: Sequence[tuple[ThreadAccumulator, Parts]]) -> None:
        """Store the results of a share."""
        if self._is_total:
            super()._finish(reduced)
            return
        parts = [part for _, parts in reduced for part in parts]
        with self.function.when(self.function.compare("eq", self.lane, 0, "i32")):
            for number, part in enumerate(parts):
                self._store(part, self._part_cell(self._share, number))

    def total(self, stage: Stage) -> None:
        """Add the results of all shares."""
        function, start = self.function, self.function.opening()
        accumulators = self._accumulators(stage, start)
        lane = function.widened(self.lane)
        for (share,) in strips(function, lane, self._shares, self.spread.group, 1):
            number = 0
            for accumulator in accumulators:
                parts = []
                for zero in accumulator.zeros:
                    cell = self._part_cell(share, number)
                    ref = function.load(zero.type, cell, CELL)
                    parts.append(self.m.value(ref, zero.dtype, 1))
                    number += 1
                accumulator.set(accumulator.joined(accumulator.parts(), parts))
        function.barrier()
        self._finish([(a, self._over_block(a)) for a in accumulators])
