"""Kernels that reduce axes before the last: threads for the columns, and several threads for each of them."""

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
from gluonic.codegen.cuda.thread_sums import CELL, Parts, ThreadAccumulator, strips
from gluonic.codegen.loops.kernel import Kernel, Reduce, Stage, Store
from gluonic.codegen.loops.kernel_memory import Leaves
from gluonic.codegen.machine.assembler import LLVMModule, Opening
from gluonic.codegen.maths.values import Value
from gluonic.codegen.scalar.emission import emit_program
from gluonic.support.record import record


@record
class ColumnSpread:
    """How a kernel that reduces columns is spread over threads.

    Attributes
    ----------
    width : the elements of a chunk
    across : the chunks of a block, each with a thread for some of the positions that are reduced
    deep : the threads of a chunk
    unrolled : the positions that are in flight
    narrow : whether all indices and strides fit 32 bits
    """

    width: int
    across: int
    deep: int
    unrolled: int
    narrow: bool

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return self.across * self.deep


def column_numbers(
    kernel: Kernel, extents: Sequence[int], strides: Sequence[Sequence[int]], width: int
) -> list[int]:
    """The run-time numbers: chunks in all and along the last axis, reduced positions, those of the memory."""
    line = extents[-1] // width
    chunks = prod(extents[axis] for axis in kernel.kept) * line
    deep = prod(extents[axis] for axis in kernel.swept)
    return [chunks, line, deep, *size_numbers(kernel, extents, strides)]


def shared_bytes(kernel: Kernel, spread: ColumnSpread) -> int:
    """The most shared memory that a block needs."""
    reduces = sum(isinstance(r, Reduce) for stage in kernel.stages for r in stage.results)
    return 0 if spread.deep == 1 else reduces * 2 * spread.width * spread.threads * CELL


def emit_columns(module: LLVMModule, name: str, kernel: Kernel, spread: ColumnSpread) -> None:
    """Write a kernel that reduces axes before the last."""
    count = 3 + kernel.rank + len(strided_axes(kernel))
    function = KernelFunction(module, name, len(kernel.operands), count, spread.threads)
    ColumnWriter(kernel, spread, function).write()
    function.finish()


class ColumnWriter:
    """Writes a kernel that reduces axes before the last.

    Parameters
    ----------
    kernel, spread : what is written
    function : its function; its numbers are those of `column_numbers`

    Attributes
    ----------
    m : the emitter
    chunk : the number of this thread's chunk, an ``i64``, and whether there is such a chunk (`inside`)
    depth : the number of this thread among those of the chunk
    first, stop : the first reduced position of this thread, and the end of those that all share
    left : the values that stages have left, for each element of the chunk
    """

    def __init__(self, kernel: Kernel, spread: ColumnSpread, function: KernelFunction) -> None:
        self.kernel, self.spread, self.function = kernel, spread, function
        chunks, line, self.deep, *sizes = function.numbers
        self.memory = ThreadMemory(kernel, function, sizes, spread.width, narrow=spread.narrow)
        self.m, kind = self.memory.m, self.memory.kind
        self.thread = function.special("tid.x")
        self.column = function.urem(self.thread, spread.across, "i32")
        self.depth = function.udiv(self.thread, spread.across, "i32")
        block = function.mul(function.special("ctaid.x"), spread.across, "i32")
        chunk = function.add(block, self.column, "i32")
        self.inside = function.compare("slt", function.widened(chunk), chunks)
        chunk = function.select(self.inside, chunk, 0, "i32")
        self.chunk = function.widened(chunk)
        wheels = [(axis, self.memory.extents[axis]) for axis in kernel.kept]
        number = chunk if kind == "i32" else self.chunk
        vector = self.memory.vector
        self.kept = self.memory.split(number, [*wheels, (vector, self.memory.index(line))])
        self.kept[vector] = function.mul(self.kept[vector], spread.width)
        # Threads without a chunk sweep nothing: they could read results before these are written.
        self.first = function.select(self.inside, function.widened(self.depth), self.deep, "i64")
        self.stop = self.deep
        self.left: list[list[Value]] = [[] for _ in range(spread.width)]

    def write(self) -> None:
        """Write the stages."""
        for stage in self.kernel.stages:
            if stage.point:
                self.point(stage)
            else:
                self.sweep(stage)

    def _values(self, stage: Stage, position: ThreadPosition) -> list[Value]:
        left = self.left[position.lane]
        return emit_program(self.m, stage.program, Leaves(self.memory, position, left))

    def point(self, stage: Stage) -> None:
        """Run a stage once for each column, in each of its threads; one of them writes."""
        positions, function = self.memory.chunk(self.kept), self.function
        self.memory.fetch(read_first([stage]), positions[0])
        for position in positions:
            for result, value in zip(stage.results, self._values(stage, position), strict=True):
                if isinstance(result, Store):
                    self.memory.keep(result.operand, value, position)
                else:
                    self.left[position.lane].append(value)
        first = function.compare("eq", self.depth, 0, "i32")
        with function.when(function.both(first, self.inside)):
            self.memory.write(positions[0], stored([stage]))

    def sweep(self, stage: Stage) -> None:
        """Run a stage over the reduced positions."""
        accumulators = self._accumulators(stage, self.function.opening())
        step, unrolled = self.spread.deep, self.spread.unrolled
        for numbers in strips(self.function, self.first, self.stop, step, unrolled):
            chunks = [self._positions(number) for number in numbers]
            for positions in chunks:
                self.memory.fetch(read_first([stage]), positions[0])
            for positions in chunks:
                self._chunk(stage, positions, accumulators)
        self._finish([[(a, self._over_depth(a)) for a in each] for each in accumulators])

    def _accumulators(self, stage: Stage, start: Opening) -> list[list[ThreadAccumulator]]:
        """For each reduction, an accumulator for each element of the chunk."""
        return [
            [ThreadAccumulator(self.m, result, dtype, start) for _ in range(self.spread.width)]
            for result, dtype in zip(stage.results, stage.program.dtypes, strict=True)
            if isinstance(result, Reduce)
        ]

    def _finish(self, reduced: Sequence[Sequence[tuple[ThreadAccumulator, Parts]]]) -> None:
        """Take what all threads of the chunk have reduced."""
        for each in reduced:
            for left, (accumulator, parts) in zip(self.left, each, strict=True):
                left.append(accumulator.finished(parts))

    def _positions(self, number: str) -> list[ThreadPosition]:
        """The elements of a chunk at a reduced position."""
        wheels = [(axis, self.memory.extents[axis]) for axis in self.kernel.swept]
        indices = self.memory.split(self.memory.index(number), wheels)
        return self.memory.chunk({**self.kept, **indices})

    def _chunk(
        self,
        stage: Stage,
        positions: Sequence[ThreadPosition],
        accumulators: Sequence[Sequence[ThreadAccumulator]],
    ) -> None:
        """Run a stage at a reduced position."""
        for position in positions:
            waiting = iter(accumulators)
            for result, value in zip(stage.results, self._values(stage, position), strict=True):
                if isinstance(result, Store):
                    self.memory.keep(result.operand, value, position)
                else:
                    next(waiting)[position.lane].add([value], None)
        written = stored([stage])
        if written:
            with self.function.when(self.inside):
                self.memory.write(positions[0], written)

    def _over_depth(self, accumulator: ThreadAccumulator) -> Parts:
        """The result of all threads of a column, in each of them."""
        parts, function, spread = accumulator.parts(), self.function, self.spread
        if spread.deep == 1:
            return parts
        shared = [function.shared(spread.threads * CELL) for _ in parts]
        for memory, part in zip(shared, parts, strict=True):
            address = function.offset(memory, function.widened(self.thread), f"[{CELL} x i8]")
            function.store(part.type, part.ref, address)
        function.barrier()
        column = function.widened(self.column)
        totals: Parts = []
        for depth in range(spread.deep):
            place = function.add(column, depth * spread.across)
            others = []
            for memory, part in zip(shared, parts, strict=True):
                address = function.offset(memory, place, f"[{CELL} x i8]")
                others.append(self.m.value(function.load(part.type, address), part.dtype, 1))
            totals = accumulator.joined(totals, others) if totals else others
        return totals
