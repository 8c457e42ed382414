"""Code generation: the loops of a kernel.

One function loops over a range of units of work. Inside, the stages run over whole registers; over the
remainder they run under a mask, or element by element where the processor has no masks. All sizes are read
from the table on entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from gluonic.codegen.loops.kernel import Carry, Kernel, Reduce, Stage, Store
from gluonic.codegen.loops.kernel_memory import KernelMemory, Leaves, Position
from gluonic.codegen.loops.reductions import Accumulator
from gluonic.codegen.loops.row_values import RowValues
from gluonic.codegen.loops.units import Units
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.maths.elements import Lanes, selects
from gluonic.codegen.maths.values import Value
from gluonic.codegen.scalar.emission import emit_program

_LINE_BYTES = 64  # of a cache line, and of the widest register
# The most rows that one sweep processes before the next sweep, and their most bytes: the next sweep should
# find them in the level 1 cache.
_MOST_ROWS, _ROWS_BYTES = 64, 1 << 14


def emit_kernel(module: LLVMModule, name: str, kernel: Kernel) -> None:
    """Write a kernel as the function `name` of a module."""
    arguments = ["ptr %operands", "ptr %table", "i64 %begin", "i64 %end"]
    function = LLVMFunction(module, name, arguments)
    _LoopWriter(kernel, function).write()
    function.finish()


class _LoopWriter:
    """Writes the loops of one kernel."""

    def __init__(self, kernel: Kernel, function: LLVMFunction) -> None:
        self.kernel, self.function = kernel, function
        self.memory = memory = KernelMemory(kernel, function)
        self.vector, self.extents, self.m = memory.vector, memory.extents, memory.m
        self.units = Units(
            function, [(axis, self.extents[axis]) for axis in kernel.kept] + self._chunks()
        )

    def write(self) -> None:
        """Write the loop over units of work and its body."""
        if self.kernel.row:
            self._rows()
        else:
            with self.units.loop("%begin", "%end") as (_, indices):
                start, stop = self._ends(indices)
                if self.kernel.scratch:
                    self._blocks(indices, start, stop)
                else:
                    self._columns(indices, start, stop)
        if self.kernel.streamed is not None:
            self.function.fence()

    @property
    def _is_chunked(self) -> bool:
        """Whether a unit of work is a part of the vector axis."""
        return self.kernel.chunked or not self.kernel.row

    def _ends(self, indices: dict[int, str]) -> tuple[str, str]:
        """Return the range of a unit of work along the vector axis."""
        extent = self.extents[self.vector]
        if not self._is_chunked:
            return "0", extent
        function = self.function
        start = function.mul(indices[-1], self.memory.grain)
        return start, function.least(function.add(start, self.memory.grain), extent)

    def _chunks(self) -> list[tuple[int, str]]:
        """Return axis -1, the chunks of the vector axis, if it is divided into chunks."""
        if not self._is_chunked:
            return []
        up = self.function.add(self.extents[self.vector], self.memory.grain)
        up = self.function.sub(up, 1)
        return [(-1, self.function.udiv(up, self.memory.grain))]

    @contextmanager
    def _sweep_loops(self, indices: dict[int, str]) -> Iterator[dict[int, str]]:
        """Loop over the reduced axes other than the vector axis."""
        with ExitStack() as loops:
            inner = dict(indices)
            for axis in self.kernel.swept:
                inner[axis] = loops.enter_context(self.function.loop("0", self.extents[axis]))
            yield inner

    def _spans(self, indices: dict[int, str], start: str, stop: str) -> Iterator[Position]:
        """Write the loops along the vector axis: whole registers first, then the remainder."""
        function, axis = self.function, self.vector
        if self.kernel.short:
            yield from self._narrow_span(indices, start, stop)
            return
        if self.kernel.streamed is not None:
            aligned = self._aligned(self.kernel.streamed, indices, start, stop)
            yield from self._narrow_span(indices, start, aligned)
            start = aligned
        length = function.sub(stop, start)
        rest = function.bits(length, self.memory.wide - 1)
        middle = function.sub(stop, rest)
        hoisted = function.opening()
        with function.loop(start, middle, self.memory.wide) as index:
            yield Position({**indices, axis: index}, Lanes(self.memory.wide), hoisted)
        yield from self._narrow_span(indices, middle, stop)

    def _narrow_span(self, indices: dict[int, str], start: str, stop: str) -> Iterator[Position]:
        """Write the loop over a few elements: one register under a mask, or one by one."""
        function = self.function
        hoisted = function.opening()
        with function.loop(start, stop, self.memory.narrow) as index:
            mask = (
                selects(self.m, index, stop, self.memory.narrow) if self.memory.narrow > 1 else None
            )
            yield Position(
                {**indices, self.vector: index}, Lanes(self.memory.narrow, mask), hoisted
            )

    def _aligned(self, number: int, indices: dict[int, str], start: str, stop: str) -> str:
        """Return the first index at which an operand is aligned to cache lines, at most `stop`."""
        function = self.function
        first = self.memory.address(number, Position({**indices, self.vector: start}, Lanes(1)))
        beyond = function.sub(0, function.op(f"ptrtoint ptr {first} to i64"))
        beyond = function.bits(beyond, _LINE_BYTES - 1)
        size = self.kernel.operands[number].dtype.itemsize
        index = function.add(start, function.udiv(beyond, size))
        left = function.urem(beyond, size)
        never = function.compare("ne", left, 0)  # memory that is not even aligned to elements
        index = function.select(never, stop, index)
        return function.least(index, stop)

    def _blocks(self, indices: dict[int, str], start: str, stop: str) -> None:
        """Run all stages on one block before the next block."""
        function = self.function
        with function.loop(
            self._first_block(indices, start, stop), stop, self.memory.block_length
        ) as at:
            self.memory.block = first = function.most(at, start)
            end = function.least(function.add(at, self.memory.block_length), stop)
            for stage in self.kernel.stages:
                for position in self._spans(indices, first, end):
                    if stage is self.kernel.stages[0] and position.lanes.count == self.memory.wide:
                        self._fetch_next_block(position)
                    self._step(stage, position, [], [])

    def _fetch_next_block(self, position: Position) -> None:
        """Prefetch the operands of the next block: otherwise its first stage would wait for memory."""
        for number, operand in enumerate(self.kernel.operands):
            if number in self.memory.written or operand.patterns[self.vector] != "unit":
                continue
            address, size = self.memory.address(number, position), operand.dtype.itemsize
            for line in range(0, position.lanes.count * size, _LINE_BYTES):
                ahead = self.memory.block_length * size + line
                self.function.fetch(self.function.offset(address, ahead))

    def _first_block(self, indices: dict[int, str], start: str, stop: str) -> str:
        """Return the start of the first block, at most `start`, that aligns the others for streaming stores.

        A cache line that is written partly by streaming stores and partly by others is slow.
        """
        if self.kernel.streamed is None:
            return start
        function, length = self.function, self.memory.block_length
        aligned = self._aligned(self.kernel.streamed, indices, start, stop)
        before = function.sub(aligned, start)
        before = function.urem(before, length)
        missing = function.sub(length, before)
        missing = function.urem(missing, length)
        return function.sub(start, missing)

    def _columns(self, indices: dict[int, str], start: str, stop: str) -> None:
        """Run the stages where the vector axis is not reduced: registers hold consecutive results."""
        for position in self._spans(indices, start, stop):
            reduced: list[Value] = []
            for stage in self.kernel.stages:
                if stage.point:
                    self._step(stage, position, reduced, [])
                    continue
                accumulators = self._accumulators(stage)
                with self._sweep_loops(position.indices) as inner:
                    inner_position = Position(inner, position.lanes, position.hoisted)
                    self._step(stage, inner_position, reduced, accumulators)
                count = position.lanes.count
                reduced += [accumulator.lanewise(count) for accumulator in accumulators]

    def _rows_at_once(self) -> str:
        """Return the number of rows that one sweep processes before the next sweep begins."""
        function = self.function
        axes = [*self.kernel.swept, self.vector]
        moving = [o for o in self.kernel.operands if any(o.varies(axis) for axis in axes)]
        length = str(sum(operand.dtype.itemsize for operand in moving))
        for axis in axes:
            length = function.mul(length, self.extents[axis])
        count = function.udiv(_ROWS_BYTES, function.most(length, 1))
        return function.least(function.most(count, 1), _MOST_ROWS)

    def _rows(self) -> None:
        """Run the stages where the vector axis is reduced: registers hold parts of a row.

        A row's reduced values are available only long after its last element is read. So one sweep processes
        several rows before the next sweep begins with the first of them.
        """
        function, left = self.function, RowValues(self.m, _MOST_ROWS)
        count = self._rows_at_once()
        with function.loop("%begin", "%end", count) as first:
            end = function.least(function.add(first, count), "%end")
            for stages in self._passes():
                with self.units.loop(first, end) as (unit, indices):
                    row = function.sub(unit, first)
                    reduced = left.of(row)
                    known = len(reduced)
                    for stage in stages:
                        self._row_stage(stage, indices, reduced)
                    left.keep(row, reduced[known:])

    def _passes(self) -> Iterator[list[Stage]]:
        """Each sweep, with the point stages after it."""
        stages: list[Stage] = []
        for stage in self.kernel.stages:
            if stages and not stage.point:
                yield stages
                stages = []
            stages.append(stage)
        yield stages

    def _row_stage(self, stage: Stage, indices: dict[int, str], reduced: list[Value]) -> None:
        """Run one stage over a row."""
        if stage.point:
            self._step(stage, Position(indices, Lanes(1)), reduced, [])
            return
        accumulators = self._accumulators(stage)
        start, stop = self._ends(indices)
        with self._sweep_loops(indices) as inner:
            for position in self._spans(inner, start, stop):
                self._step(stage, position, reduced, accumulators)
        reduced += [accumulator.scalar() for accumulator in accumulators]

    def _accumulators(self, stage: Stage) -> list[Accumulator]:
        start = self.function.opening()
        reduces = [result for result in stage.results if isinstance(result, Reduce)]
        return [Accumulator(self.m, reduce, start, self.kernel.row) for reduce in reduces]

    def _step(
        self,
        stage: Stage,
        position: Position,
        reduced: list[Value],
        accumulators: Sequence[Accumulator],
    ) -> None:
        """Write a stage's program at a position, and store, reduce or carry its results."""
        values = emit_program(self.m, stage.program, Leaves(self.memory, position, reduced))
        waiting = iter(accumulators)
        for result, value in zip(stage.results, values, strict=True):
            if isinstance(result, Store):
                self.memory.write(result.operand, value, position)
            elif isinstance(result, Carry):
                reduced.append(value)
            else:
                whole = self.m.spread(value, position.lanes.count)
                next(waiting).add(whole, position.lanes.mask)
