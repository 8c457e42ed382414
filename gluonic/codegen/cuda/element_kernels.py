"""Kernels that reduce nothing: each thread computes some elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from gluonic.codegen.cuda.kernel_function import KernelFunction
from gluonic.codegen.cuda.thread_memory import (
    ThreadMemory,
    ThreadPosition,
    size_numbers,
    strided_axes,
)
from gluonic.codegen.loops.kernel import Kernel, Reduce, Stage, Store
from gluonic.codegen.loops.kernel_memory import Leaves
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import Value
from gluonic.codegen.scalar.emission import emit_program
from gluonic.support.record import record


@record
class ThreadSpread:
    """How a kernel is spread over threads.

    Attributes
    ----------
    width : the elements of a chunk: consecutive ones along the last axis, accessed at once
    chunks : the chunks of a thread
    threads : of a block
    narrow : whether all indices and strides fit 32 bits
    """

    width: int
    chunks: int
    threads: int
    narrow: bool


def read_first(stages: Sequence[Stage]) -> list[int]:
    """The operands that are read before anything is written to them, in the order of their use."""
    found: dict[int, None] = {}
    written: set[int] = set()
    for stage in stages:
        read = (int(refs[0]) for name, _, refs in stage.program.instructions if name == "element")
        found.update((number, None) for number in read if number not in written)
        written.update(r.operand for r in stage.results if isinstance(r, Store))
    return list(found)


def stored(stages: Sequence[Stage]) -> dict[int, None]:
    """The operands that stages write."""
    results = (result for stage in stages for result in stage.results)
    return dict.fromkeys(r.operand for r in results if isinstance(r, Store))


def element_numbers(
    kernel: Kernel, extents: Sequence[int], strides: Sequence[Sequence[int]], spread: ThreadSpread
) -> list[int]:
    """The run-time numbers: of chunks, in all and along the last axis; then those of the memory."""
    line = extents[-1] // spread.width
    return [prod(extents[:-1]) * line, line, *size_numbers(kernel, extents, strides)]


def emit_elements(
    module: LLVMModule, name: str, kernel: Kernel, spread: ThreadSpread, given: int = 0
) -> None:
    """Write a kernel without reductions.

    Parameters
    ----------
    given : how many of the last operands are one float64 each, whose bits are further run-time numbers
    """
    count = 2 + kernel.rank + len(strided_axes(kernel))
    operands = len(kernel.operands) - given
    function = KernelFunction(module, name, operands, count + given, spread.threads)
    for number in function.numbers[count:]:
        slot = function.slot("i64", 8)
        function.store("i64", number, slot)
        function.operands.append(slot)
    del function.numbers[count:]
    ThreadWriter(kernel, spread, function).write()
    function.finish()


class ThreadWriter:
    """Writes a kernel without reductions."""

    def __init__(self, kernel: Kernel, spread: ThreadSpread, function: KernelFunction) -> None:
        self.kernel, self.spread, self.function = kernel, spread, function
        total, line, *sizes = function.numbers
        self.memory = ThreadMemory(kernel, function, sizes, spread.width, narrow=spread.narrow)
        self._left: list[Value] = []
        self.total, self.line = self.memory.index(total), self.memory.index(line)

    def write(self) -> None:
        """Write the chunks of a thread; they are a block apart, so that a warp accesses consecutive memory."""
        function, spread, kind = self.function, self.spread, self.memory.kind
        first = function.flat_thread(spread.threads * spread.chunks, kind)
        numbers = [first]
        for number in range(1, spread.chunks):
            numbers.append(function.add(first, number * spread.threads, kind))
        inside = [function.compare("ult", number, self.total, kind) for number in numbers]
        with function.when(inside[0]):
            # Chunks beyond the end are loaded, too: the first one of the thread, which no other thread writes.
            safe = [first] + [
                function.select(there, number, first, kind)
                for there, number in zip(inside[1:], numbers[1:], strict=True)
            ]
            chunks = [self._positions(number) for number in safe]
            for positions in chunks:
                self.memory.fetch(read_first(self.kernel.stages), positions[0])
            for there, positions in zip(inside, chunks, strict=True):
                self._compute(positions)
                with function.when(there):
                    self.memory.write(positions[0], stored(self.kernel.stages))

    def _positions(self, number: str) -> list[ThreadPosition]:
        """The elements of the chunk with a number."""
        memory, vector = self.memory, self.memory.vector
        outer = [(axis, memory.extents[axis]) for axis in range(vector)]
        indices = memory.split(number, [*outer, (vector, self.line)])
        indices[vector] = self.function.mul(indices[vector], self.spread.width)
        return memory.chunk(indices)

    def _compute(self, positions: Sequence[ThreadPosition]) -> None:
        """Run all stages on a chunk."""
        self.memory.fetch(read_first(self.kernel.stages), positions[0])
        for position in positions:
            self._left = []
            for stage in self.kernel.stages:
                self._step(stage, position)

    def _step(self, stage: Stage, position: ThreadPosition) -> None:
        """Run a stage at a position; the axes that it reduces, if any, have one element."""
        memory = self.memory
        values = emit_program(memory.m, stage.program, Leaves(memory, position, self._left))
        for result, value in zip(stage.results, values, strict=True):
            if isinstance(result, Store):
                memory.keep(result.operand, value, position)
            elif isinstance(result, Reduce):
                self._left.append(memory.m.astype(value, result.dtype or value.dtype))
            else:
                self._left.append(value)
