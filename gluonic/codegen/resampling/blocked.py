"""The loops of resizing images in blocks of channels: linear maps along the height, then along the width.

``void resample(ptr operands, ptr numbers, i64 begin, i64 end)``; operands are images, the result, and a
workspace for a line of the images. A unit of work is a row of the result of one block.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from gluonic.codegen.convolution.geometry import Strides
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, INT64, Value
from gluonic.codegen.writers.writer import Writer
from gluonic.graph.ops.resampling import Resampling
from gluonic.support.record import record


@record
class ResamplingGeometry:
    """The run-time numbers: the extents and the strides of images and result."""

    extents: tuple[int, int]
    new_extents: tuple[int, int]
    blocks: int
    source: Strides
    goal: Strides

    def numbers(self) -> list[int]:
        """All of them, in the order in which machine code reads them."""
        source, goal = self.source, self.goal
        return [
            *(*self.extents, *self.new_extents, self.blocks),
            *(source.image, source.block, source.row, goal.image, goal.block, goal.row),
        ]


class _Resampler(Writer):
    """Writes a linear map of images, or its transpose, which computes gradients."""

    def __init__(
        self, module: LLVMModule, name: str, resampling: Resampling, *, back: bool
    ) -> None:
        super().__init__(module, name)
        self.resampling, self.back, self.m = resampling, back, Emitter(self.f)
        self.extents = self.number(0), self.number(1)
        self.new_extents = self.number(2), self.number(3)
        self.blocks = self.number(4)
        self.source_strides = [self.number(5 + i) for i in range(3)]
        self.goal_strides = [self.number(8 + i) for i in range(3)]

    def _real(self, number: str) -> Value:
        return self.m.value(number, INT64, 1).astype(FLOAT64)

    def _sizes(self, axis: int) -> tuple[Value, Value]:
        """The extents of an axis before and after the map."""
        here, there = self._real(self.extents[axis]), self._real(self.new_extents[axis])
        return (there, here) if self.back else (here, there)

    @contextmanager
    def _sources(self, position: str, axis: int) -> Iterator[tuple[str, Value]]:
        """A loop over the positions that contribute to one of the result, each with its weight."""
        m, sizes, goal = self.m, self._sizes(axis), self._real(position)
        reach = self.resampling.targets if self.back else self.resampling.sources
        first, end = (bound.astype(INT64).ref for bound in reach(m, goal, *sizes))
        with self.f.loop(first, end) as index:
            ends = (self._real(index), goal) if self.back else (goal, self._real(index))
            weight = self.resampling.weight(m, *ends, *sizes).astype(FLOAT32)
            yield index, m.spread(weight, self.lanes)

    def _vector(self, address: str) -> Value:
        return self.m.value(self.load(address), FLOAT32, self.lanes)

    def write(self) -> None:
        """Write the loop over rows of the result."""
        source, goal, line = (self.operand(i) for i in range(3))
        with self.f.loop("%begin", "%end") as unit:
            rest, row = self.divided(unit, self.new_extents[0])
            image, block = self.divided(rest, self.blocks)
            here, there = (
                self.moved(self.moved(address, image, strides[0]), block, strides[1])
                for address, strides in ((source, self.source_strides), (goal, self.goal_strides))
            )
            self._gather_line(here, line, row)
            self._write_row(line, self.moved(there, row, self.goal_strides[2]))
        self.f.finish()

    def _gather_line(self, images: str, line: str, row: str) -> None:
        """Sum the weighted rows that contribute to one row."""
        self.clear(line, self.times(self.extents[1], self.step))
        with self._sources(row, 0) as (index, weight):
            start = self.moved(images, index, self.source_strides[2])
            with self.f.loop("0", self.extents[1]) as column:
                total = self.moved(line, column, self.step)
                element = self._vector(self.moved(start, column, self.step))
                self.store(self.m.fma(element, weight, self._vector(total)).ref, total)

    def _write_row(self, line: str, goal: str) -> None:
        """Sum the weighted positions of a line that contribute to each position of a row."""
        total = self.f.slot(self.vector)
        with self.f.loop("0", self.new_extents[1]) as column:
            self.store(self.m.spread(self.m.constant(0.0, FLOAT32), self.lanes).ref, total)
            with self._sources(column, 1) as (index, weight):
                element = self._vector(self.moved(line, index, self.step))
                self.store(self.m.fma(element, weight, self._vector(total)).ref, total)
            self.store(self.load(total), self.moved(goal, column, self.step))


def emit_resampling(module: LLVMModule, name: str, resampling: Resampling, *, back: bool) -> None:
    """Write the function."""
    _Resampler(module, name, resampling, back=back).write()
