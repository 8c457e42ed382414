"""Kernels that reduce the last axis: some threads for each row, which keep it in registers if it fits."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from gluonic.codegen.cuda.element_kernels import read_first, stored
from gluonic.codegen.cuda.kernel_function import KernelFunction
from gluonic.codegen.cuda.thread_memory import (
    ThreadMemory,
    ThreadPosition,
    size_numbers,
    strided_axes,
)
from gluonic.codegen.cuda.thread_sums import Parts, ThreadAccumulator, strips
from gluonic.codegen.loops.kernel import Kernel, Reduce, Stage, Store
from gluonic.codegen.loops.kernel_memory import Leaves
from gluonic.codegen.machine.assembler import LLVMModule, Opening
from gluonic.codegen.maths.values import Value
from gluonic.codegen.scalar.emission import emit_program
from gluonic.support.record import record


@record
class RowSpread:
    """How a kernel that reduces rows is spread over threads.

    Attributes
    ----------
    width : the elements of a chunk
    group : the threads of a row, a power of two
    rows : the rows of a block; 1 if the threads of a row are more than a warp
    held : the chunks of a thread, which stay in registers between sweeps; 0 if there are too many
    whole : whether each thread has a row, and `held` chunks
    unrolled : the chunks that are in flight, if they are not held
    narrow : whether all indices and strides fit 32 bits
    """

    width: int
    group: int
    rows: int
    held: int
    whole: bool
    unrolled: int
    narrow: bool

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return self.group * self.rows


def row_numbers(
    kernel: Kernel, extents: Sequence[int], strides: Sequence[Sequence[int]], width: int
) -> list[int]:
    """The run-time numbers: of rows, of chunks in a row and along the last axis; then those of the memory."""
    line = extents[-1] // width
    deep = prod(extents[axis] for axis in kernel.swept) * line
    rows = prod(extents[axis] for axis in kernel.kept)
    return [rows, deep, line, *size_numbers(kernel, extents, strides)]


def emit_rows(module: LLVMModule, name: str, kernel: Kernel, spread: RowSpread) -> None:
    """Write a kernel that reduces its last axis, and perhaps others."""
    count = 3 + kernel.rank + len(strided_axes(kernel))
    function = KernelFunction(module, name, len(kernel.operands), count, spread.threads)
    RowWriter(kernel, spread, function).write()
    function.finish()


class RowWriter:
    """Writes a kernel that reduces its last axis.

    Parameters
    ----------
    kernel, spread : what is written
    function : its function; its numbers are those of `row_numbers`

    Attributes
    ----------
    m : the emitter
    lane : the number of this thread among those of the row
    row : the index of the row, an ``i64``
    first, stop : the first chunk of this thread, and the end of the chunks of all that share a sweep
    left : the values that stages have left
    """

    def __init__(self, kernel: Kernel, spread: RowSpread, function: KernelFunction) -> None:
        self.kernel, self.spread, self.function = kernel, spread, function
        rows, deep, line, *sizes = function.numbers
        self.memory = ThreadMemory(kernel, function, sizes, spread.width, narrow=spread.narrow)
        self.m, kind = self.memory.m, self.memory.kind
        self.deep, self.line = deep, self.memory.index(line)
        self.thread = self.lane = function.special("tid.x")
        row = self._row()
        if spread.rows > 1:
            own = function.udiv(self.thread, spread.group, "i32")
            self.lane = function.bits(self.thread, spread.group - 1, "i32")
            row = function.add(function.mul(row, spread.rows, "i32"), own, "i32")
        self.is_there = (
            None if spread.whole else function.compare("slt", function.widened(row), rows)
        )
        if self.is_there is not None:
            row = function.select(self.is_there, row, 0, "i32")
        self.row = function.widened(row)
        self.first, self.stop = function.widened(self.lane), deep
        number = row if kind == "i32" else self.row
        self.kept = self.memory.split(
            number, [(axis, self.memory.extents[axis]) for axis in kernel.kept]
        )
        self.left: list[Value] = []
        self.chunks: list[tuple[list[ThreadPosition], str | None]] = []

    def write(self) -> None:
        """Write the stages."""
        if self.spread.held:
            self.chunks = [self._held_chunk(number) for number in range(self.spread.held)]
        for stage in self.kernel.stages:
            if stage.point:
                self.point(stage)
            else:
                self.sweep(stage)

    def _row(self) -> str:
        """The index of the block's row, or of its rows taken together."""
        return self.function.special("ctaid.x")

    # -- chunks -------------------------------------------------------------------------------

    def _held_chunk(self, number: int) -> tuple[list[ThreadPosition], str | None]:
        """A chunk that stays in registers, and whether it is in the row."""
        function = self.function
        index = function.add(self.lane, number * self.spread.group, "i32")
        wide = function.widened(index)
        if self.spread.whole:
            return self._positions(wide), None
        inside = function.compare("slt", wide, self.deep)
        return self._positions(function.select(inside, wide, 0)), inside

    def _positions(self, chunk: str) -> list[ThreadPosition]:
        """The elements of the chunk of a row with a number, an ``i64``."""
        memory, vector = self.memory, self.memory.vector
        wheels = [(axis, memory.extents[axis]) for axis in self.kernel.swept]
        indices = memory.split(memory.index(chunk), [*wheels, (vector, self.line)])
        indices[vector] = self.function.mul(indices[vector], self.spread.width)
        return memory.chunk({**self.kept, **indices})

    # -- stages -------------------------------------------------------------------------------

    def _values(self, stage: Stage, position: ThreadPosition) -> list[Value]:
        return emit_program(self.m, stage.program, Leaves(self.memory, position, self.left))

    def point(self, stage: Stage) -> None:
        """Run a stage once for the row, in each of its threads; one of them writes."""
        position, function = self.memory.point(self.kept), self.function
        for result, value in zip(stage.results, self._values(stage, position), strict=True):
            if isinstance(result, Store):
                self.memory.keep(result.operand, value, position)
            else:
                self.left.append(value)
        first = function.compare("eq", self.lane, 0, "i32")
        if self.is_there is not None:
            first = function.both(first, self.is_there)
        with function.when(first):
            self.memory.write(position, stored([stage]))

    def sweep(self, stage: Stage) -> None:
        """Run a stage over the row."""
        accumulators = self._accumulators(stage, self.function.opening())
        if self.spread.held:
            self._chunks_of(stage, self.chunks, accumulators)
        else:
            step, unrolled = self.spread.group, self.spread.unrolled
            for indices in strips(self.function, self.first, self.stop, step, unrolled):
                chunks = [(self._positions(index), None) for index in indices]
                self._chunks_of(stage, chunks, accumulators)
            if accumulators:
                self.function.barrier()  # threads that had fewer chunks wait for the others of their warp
        self._finish([(a, self._over_block(a)) for a in accumulators])

    def _accumulators(self, stage: Stage, start: Opening) -> list[ThreadAccumulator]:
        return [
            ThreadAccumulator(self.m, result, dtype, start)
            for result, dtype in zip(stage.results, stage.program.dtypes, strict=True)
            if isinstance(result, Reduce)
        ]

    def _over_block(self, accumulator: ThreadAccumulator) -> Parts:
        return accumulator.over_block(self.function, self.thread, self.spread.group)

    def _finish(self, reduced: Sequence[tuple[ThreadAccumulator, Parts]]) -> None:
        """Take what all threads of the row have reduced."""
        self.left += [accumulator.finished(parts) for accumulator, parts in reduced]

    def _chunks_of(
        self,
        stage: Stage,
        chunks: Sequence[tuple[list[ThreadPosition], str | None]],
        accumulators: Sequence[ThreadAccumulator],
    ) -> None:
        """Run a stage on some chunks, whose operands are loaded first."""
        for positions, _ in chunks:
            self.memory.fetch(read_first([stage]), positions[0])
        for positions, inside in chunks:
            reduced: list[list[Value]] = [[] for _ in accumulators]
            for position in positions:
                waiting = iter(reduced)
                values = self._values(stage, position)
                for result, value in zip(stage.results, values, strict=True):
                    if isinstance(result, Store):
                        self.memory.keep(result.operand, value, position)
                    else:
                        next(waiting).append(value)
            for accumulator, listed in zip(accumulators, reduced, strict=True):
                accumulator.add(listed, inside)
            self._write(stage, positions[0], inside)

    def _written(self, stage: Stage) -> dict[int, None]:
        """The operands to write after a stage: of values in registers, only the last is written."""
        written = stored([stage])
        if self.spread.held:
            later = self.kernel.stages[self.kernel.stages.index(stage) + 1 :]
            written = {number: None for number in written if number not in stored(later)}
        return written

    def _write(self, stage: Stage, position: ThreadPosition, inside: str | None) -> None:
        """Write what a stage kept for a chunk, unless it or the row is beyond the end."""
        written = self._written(stage)
        conditions = [each for each in (inside, self.is_there) if each is not None]
        if not written:
            return
        if not conditions:
            self.memory.write(position, written)
            return
        condition = conditions[0] if len(conditions) == 1 else self.function.both(*conditions)
        with self.function.when(condition):
            self.memory.write(position, written)
