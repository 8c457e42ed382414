"""Fused loops on a GPU: the choice of a kernel for given shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from gluonic.codegen.cuda.column_kernels import (
    ColumnSpread,
    column_numbers,
    emit_columns,
    shared_bytes,
)
from gluonic.codegen.cuda.element_kernels import ThreadSpread, element_numbers, emit_elements
from gluonic.codegen.cuda.kernel_function import WARP
from gluonic.codegen.cuda.row_kernels import RowSpread, emit_rows, row_numbers
from gluonic.codegen.cuda.split_columns import split_numbers
from gluonic.codegen.cuda.split_kernels import emit_shares, emit_totals
from gluonic.codegen.cuda.split_rows import Cells, sweep_numbers
from gluonic.codegen.cuda.steps import DeviceStep, KernelLaunch
from gluonic.codegen.loops.kernel import Kernel, Reduce
from gluonic.codegen.loops.nest import LoopNest
from gluonic.codegen.loops.steps import Code, LoopStep
from gluonic.codegen.shapes.facts import Facts
from gluonic.device.processors import Processor
from gluonic.support.record import record

_THREADS = 256
_ACCESS = 16
"""The most bytes of one access."""
_MOST_INSTRUCTIONS = 1024
"""About the most instructions of a thread, so that its values fit the registers."""
NARROW = 1 << 31
"""From this number of points, or stride in bytes, on, indices have 64 bits."""
_MOST_THREADS, _SMALL_BLOCK = 1024, 128
"""The threads of the longest rows, and of blocks of several rows."""
_ENOUGH_THREADS = 1024
"""The threads of a multiprocessor that keep its memory busy, if each has several chunks of a row."""
_LINE = 8
"""The fewest threads of a row: their accesses of 16 bytes are a line of the cache."""
_HELD_VALUES, _MOST_HELD = 64, 8
"""The most elements of a row that a thread keeps in registers, and the most chunks."""
_MOST_UNROLLED = 4
_BLOCKS_EACH, _LEAST_SHARE = 8, 1 << 13
"""The blocks for each multiprocessor if rows are divided, and the fewest elements of a share."""
_LEAST_POSITIONS = 8
"""The fewest positions of a share of a column for each of its threads."""
_MOST_SHARED = 40 << 10
"""The most shared memory, in bytes, for the sums of a block's threads."""


class DeviceLoopStep(DeviceStep):
    """A fused group: one kernel.

    Parameters
    ----------
    nest : the operators and their kernel
    facts : shapes and dtypes
    """

    def __init__(self, nest: LoopNest, facts: Facts) -> None:
        self.host = LoopStep(nest, facts)
        self.kernel = nest.lowered.kernel
        self.operands = self.host.operands
        self.outputs = tuple(nest.lowered.writes)
        self.displaced = self.host.displaced

    def displacements(self, facts: Facts) -> Sequence[int]:
        """The offset in bytes of each of the displaced operands."""
        return self.host.displacements(facts)

    def launches(self, facts: Facts, processor: Processor) -> Sequence[KernelLaunch]:
        """One kernel."""
        extents, strides = self.host.sizes(facts)
        chosen = _Choice(self.kernel, extents, strides, self._width(facts, extents, strides))
        plan = chosen.of(processor)
        operands = tuple(range(len(self.operands) + (plan.workspace > 0)))
        return [
            KernelLaunch(code, operands, tuple(numbers), (blocks, shares, 1), (threads, 1, 1))
            for code, numbers, blocks, shares, threads in plan.kernels
        ]

    def workspace(self, facts: Facts, processor: Processor) -> int:
        """The memory, in bytes, of values between kernels."""
        extents, strides = self.host.sizes(facts)
        return _Choice(self.kernel, extents, strides, 1).of(processor).workspace

    def _width(self, facts: Facts, extents: Sequence[int], strides: Sequence[Sequence[int]]) -> int:
        """The elements along the last axis that one access may read or write in every operand."""
        width, offsets = _ACCESS, dict(zip(self.displaced, self.displacements(facts), strict=True))
        is_any = False
        for number, operand in enumerate(self.kernel.operands):
            if operand.patterns[-1] != "unit":
                continue
            is_any = True
            size = operand.dtype.itemsize
            outer = [
                stride
                for stride, pattern in zip(strides[number], operand.patterns, strict=True)
                if pattern == "stride"
            ]
            width = min(width, _ACCESS // size)
            for step in (*outer, offsets.get(number, 0)):
                while step % (width * size):
                    width //= 2
        while extents[-1] % width:
            width //= 2
        return width if is_any else 1


@record
class _Plan:
    """Kernels, in order.

    Attributes
    ----------
    kernels : the code of each, its numbers, the numbers of blocks along x and y, and of their threads
    workspace : the memory, in bytes, that they share
    """

    kernels: list[tuple[Code, list[int], int, int, int]]
    workspace: int = 0


class _Choice:
    """The choice of threads for a kernel.

    Parameters
    ----------
    kernel, extents, strides : the loops
    width : the most elements of one access
    """

    def __init__(
        self,
        kernel: Kernel,
        extents: Sequence[int],
        strides: Sequence[Sequence[int]],
        width: int,
    ) -> None:
        self.kernel, self.extents, self.strides, self.width = kernel, extents, strides, width
        self.length = max(sum(stage.program.length for stage in kernel.stages), 1)
        self.narrow = 2 * prod(extents) < NARROW and all(
            abs(stride) < NARROW for steps in strides for stride in steps
        )

    def of(self, processor: Processor) -> _Plan:
        """The kernels."""
        if not self.kernel.reduced:
            return _Plan([self._elements(processor)])
        if not self.kernel.row:
            return self._columns(processor)
        shares = self._shares(processor)
        return _Plan([self._rows(processor)]) if shares == 1 else self._split_rows(shares)

    def _shares(self, processor: Processor) -> int:
        """The blocks for each row: several where there are few long rows."""
        rows = prod(self.extents[axis] for axis in self.kernel.kept)
        length = prod(self.extents[axis] for axis in (*self.kernel.swept, self.kernel.rank - 1))
        if not rows or rows >= processor.multiprocessors:
            return 1
        wanted = _BLOCKS_EACH * processor.multiprocessors // rows
        return max(1, min(wanted, length // _LEAST_SHARE))

    def _split_rows(self, shares: int) -> _Plan:
        """A kernel for each sweep, whose rows are divided, and one after it."""
        kernel, width = self.kernel, self.width
        while width > 1 and self.length * width > _MOST_INSTRUCTIONS:
            width //= 2
        rows, *others = row_numbers(kernel, self.extents, self.strides, width)
        numbers = sweep_numbers([rows, *others], shares)
        spread = RowSpread(
            width=width,
            group=_THREADS,
            rows=1,
            held=0,
            whole=True,
            unrolled=self._unrolled(width),
            narrow=self.narrow,
        )
        kernels: list[tuple[Code, list[int], int, int, int]] = []
        for number, stage in enumerate(kernel.stages):
            if stage.point:
                continue
            code: Code = (emit_shares, kernel, spread, number)
            kernels.append((code, numbers, rows * shares, 1, _THREADS))
            if any(isinstance(result, Reduce) for result in stage.results):
                code = (emit_totals, kernel, spread, number)
                kernels.append((code, numbers, rows, 1, _THREADS))
        return _Plan(kernels, max(Cells.of(kernel).bytes(rows, shares), 1))

    def _elements(self, processor: Processor) -> tuple[Code, list[int], int, int, int]:
        count, enough = prod(self.extents), processor.multiprocessors * _THREADS
        width = self._narrowed(self.width, count, enough)
        chunks = 1
        if count // width >= 16 * enough and self.length * width * 2 <= _MOST_INSTRUCTIONS:
            chunks = 2
        spread = ThreadSpread(width, chunks, _THREADS, self.narrow)
        numbers = element_numbers(self.kernel, self.extents, self.strides, spread)
        blocks = -(-numbers[0] // (_THREADS * chunks))
        return (emit_elements, self.kernel, spread), numbers, blocks, 1, _THREADS

    def _narrowed(self, width: int, count: int, enough: int) -> int:
        """The width for a number of elements: smaller if threads would be few, or their code long."""
        while width > 1 and (count // width < enough or self.length * width > _MOST_INSTRUCTIONS):
            width //= 2
        return width

    def _rows(self, processor: Processor) -> tuple[Code, list[int], int, int, int]:
        width = self.width
        while width > 1 and self.length * width > _MOST_INSTRUCTIONS:
            width //= 2
        numbers = row_numbers(self.kernel, self.extents, self.strides, width)
        rows, deep = numbers[:2]
        group = min(_power_of_two(deep), _THREADS)
        most = self._most_held(width)
        while deep > group * most and group < _MOST_THREADS:
            group *= 2
        enough = processor.multiprocessors * _ENOUGH_THREADS
        while group > _LINE and deep <= group // 2 * most and rows * (group // 2) >= enough:
            group //= 2  # less to exchange, more loads in flight in each thread
        held = -(-deep // group)
        if not 0 < held <= most:
            held = 0
        own = 1 if group > WARP else _SMALL_BLOCK // group
        spread = RowSpread(
            width=width,
            group=group,
            rows=own,
            held=held,
            whole=held * group == deep and rows % own == 0,
            unrolled=1 if held else self._unrolled(width),
            narrow=self.narrow,
        )
        return (emit_rows, self.kernel, spread), numbers, -(-rows // own), 1, spread.threads

    def _most_held(self, width: int) -> int:
        """The most chunks of a row that fit the registers of a thread."""
        axes = [*self.kernel.swept, self.kernel.rank - 1]
        moving = sum(any(operand.varies(axis) for axis in axes) for operand in self.kernel.operands)
        by_values = _HELD_VALUES // (width * max(moving, 1))
        by_length = _MOST_INSTRUCTIONS * 2 // (width * self.length)
        return max(1, min(by_values, by_length, _MOST_HELD))

    def _unrolled(self, width: int) -> int:
        """The chunks of a loop that are in flight at once."""
        unrolled = _MOST_UNROLLED
        while unrolled > 1 and unrolled * width * self.length > _MOST_INSTRUCTIONS:
            unrolled //= 2
        return unrolled

    def _columns(self, processor: Processor) -> _Plan:
        kernel = self.kernel
        points = prod(self.extents[axis] for axis in (*kernel.kept, kernel.rank - 1))
        deep = prod(self.extents[axis] for axis in kernel.swept)
        width = self._narrowed(self.width, points, processor.multiprocessors * WARP)
        numbers = column_numbers(kernel, self.extents, self.strides, width)
        chunks = numbers[0]
        across = min(_power_of_two(chunks), WARP)
        spread = ColumnSpread(width, across, 1, self._unrolled(width), self.narrow)
        depth = min(_power_of_two(-(-deep // 4)), _THREADS // across)
        while depth > 1:
            deeper = replace(spread, deep=depth)
            if shared_bytes(kernel, deeper) <= _MOST_SHARED:
                spread = deeper
                break
            depth //= 2
        blocks = -(-chunks // across)
        wanted = _BLOCKS_EACH * processor.multiprocessors // max(blocks, 1)
        shares = min(wanted, deep // (spread.deep * _LEAST_POSITIONS))
        if blocks >= processor.multiprocessors or shares <= 1:
            code: Code = (emit_columns, kernel, spread)
            return _Plan([(code, numbers, blocks, 1, spread.threads)])
        numbers = split_numbers(numbers, shares)
        total = replace(spread, deep=1)
        kernels: list[tuple[Code, list[int], int, int, int]] = []
        for number, stage in enumerate(kernel.stages):
            if not stage.point:
                code = (emit_shares, kernel, spread, number)
                kernels.append((code, numbers, blocks, shares, spread.threads))
                if any(isinstance(result, Reduce) for result in stage.results):
                    code = (emit_totals, kernel, total, number)
                    kernels.append((code, numbers, blocks, 1, total.threads))
        return _Plan(kernels, max(Cells.of(kernel).bytes(chunks * width, shares), 1))


def chosen_elements(
    kernel: Kernel,
    extents: Sequence[int],
    strides: Sequence[Sequence[int]],
    width: int,
    processor: Processor,
) -> tuple[Code, list[int], int, int]:
    """The code of a kernel without reductions, its numbers, and the number of blocks and of their threads.

    Parameters
    ----------
    width : the most elements of one access
    """
    (found,) = _Choice(kernel, extents, strides, width).of(processor).kernels
    code, numbers, blocks, _, threads = found
    return code, numbers, blocks, threads


def _power_of_two(number: int) -> int:
    """The least power of two that is not below a number."""
    return 1 << max(number - 1, 0).bit_length()
