"""Reordering images between planes and blocks of channels.

Functions have the form of all native code here, ``void reorder(ptr operands, ptr numbers, i64 begin, i64
end)``: operands are source and goal, a unit of work is a block of channels of one image, or a band of its rows.
Padded images are written with their padding; the padding of the last block of channels is zero.
"""

from collections.abc import Callable

from gluonic.codegen.convolution.filters import lanes_of
from gluonic.codegen.convolution.geometry import Strides
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.writers.shared_transposition import call_transposition
from gluonic.codegen.writers.writer import Writer
from gluonic.support.record import record


@record
class Reordering:
    """The run-time numbers of a reordering of images.

    Attributes
    ----------
    blocks : number of blocks (or planes) in an image of one group of channels
    last : number of channels in the last block
    rows, columns : those of the images, without padding
    source, goal : their strides; `block` is the stride of planes if channels are not in blocks
    top, left, bottom, right : the padding of the target
    bands : the number of bands of rows in a block; one for planes as the target
    """

    blocks: int
    last: int
    rows: int
    columns: int
    source: Strides
    goal: Strides
    top: int = 0
    left: int = 0
    bottom: int = 0
    right: int = 0
    bands: int = 1

    def numbers(self) -> list[int]:
        """All of them, in the order in which machine code reads them."""
        source, goal = self.source, self.goal
        return [
            *(self.blocks, self.last, self.rows, self.columns),
            *(source.image, source.block, source.row, goal.image, goal.block, goal.row),
            *(self.top, self.left, self.bottom, self.right, self.bands),
        ]


class _Images(Writer):
    """Writes a reordering of images, block by block, row by row.

    Parameters
    ----------
    cell : the bytes of a position in the target
    """

    def __init__(self, module: LLVMModule, name: str, cell: int) -> None:
        super().__init__(module, name)
        self.cell = cell
        self.blocks, self.last, self.rows, self.columns = (self.number(i) for i in range(4))
        self.source_strides = [self.number(4 + i) for i in range(3)]
        self.goal_strides = [self.number(7 + i) for i in range(3)]
        self.padding = [self.number(10 + i) for i in range(4)]
        self.bands = self.number(14)

    def write(self, planes: int, row: Callable[[str, str, str], None]) -> None:
        """Write the loops; `row(source, goal, block)` writes the code for a row.

        `planes` is the number of source planes in a block.
        """
        source, goal = self.operand(0), self.operand(1)
        top, left, bottom, right = self.padding
        height = self.quotient_up(self.rows, self.bands)
        with self.f.loop("%begin", "%end") as unit:
            rest, band = self.divided(unit, self.bands)
            image, block = self.divided(rest, self.blocks)
            start = self.moved(source, image, self.source_strides[0])
            plane = self.times(self.source_strides[1], planes)
            start = self.moved(start, block, plane)
            end = self.moved(
                self.moved(goal, image, self.goal_strides[0]), block, self.goal_strides[1]
            )
            by_row = self.goal_strides[2]
            first = self.moved(end, top, by_row)
            with self.f.when(self.f.compare("eq", band, 0)):
                self.clear(end, self.times(top, by_row))
                self.clear(self.moved(first, self.rows, by_row), self.times(bottom, by_row))
            margins = self.times(left, self.cell), self.times(right, self.cell)
            width = self.times(self.columns, self.cell)
            begin = self.times(band, height)
            with self.f.loop(begin, self.least(self.plus(begin, height), self.rows)) as number:
                there = self.moved(first, number, by_row)
                here = self.moved(start, number, self.source_strides[2])
                inside = self.moved(there, margins[0])
                self.clear(there, margins[0])
                row(here, inside, block)
                self.clear(self.moved(inside, width), margins[1])
        self.f.finish()


def emit_padding(module: LLVMModule, name: str, cell: int) -> None:
    """Write the function that copies images to memory with zero padding.

    Parameters
    ----------
    cell : the bytes of one position in a block (or plane)
    """
    writer = _Images(module, name, cell)

    def row(source: str, goal: str, block: str) -> None:
        writer.f.copy(goal, source, writer.times(writer.columns, cell))

    writer.write(1, row)


def emit_pack(module: LLVMModule, name: str, has_partial: bool) -> None:
    """Write the function that converts images from planes to blocks.

    Parameters
    ----------
    has_partial : whether the last block has fewer channels than the others
    """
    lanes = lanes_of(module.target)
    writer = _Images(module, name, lanes * 4)
    last = writer.last if has_partial else None

    def row(source: str, goal: str, block: str) -> None:
        writer.either_block(
            block, writer.blocks, last, lambda count: _pack_row(writer, source, goal, count)
        )

    writer.write(lanes, row)


def _pack_row(w: _Images, source: str, goal: str, count: str | None) -> None:
    lanes = str(w.lanes)
    with w.f.loop("0", w.columns, w.lanes) as column:
        here, there = w.moved(source, column, 4), w.moved(goal, column, w.step)
        left = w.least(w.minus(w.columns, column), w.lanes)
        planes = here, w.source_strides[1], count or lanes
        call_transposition(w, planes, left, (there, str(w.step), lanes))


def emit_unpack(module: LLVMModule, name: str, has_partial: bool) -> None:
    """Write the function that converts images from blocks to planes.

    Padding is skipped by the source's strides and address.
    """
    w = _Images(module, name, 4)
    last = w.last if has_partial else None
    source, goal = w.operand(0), w.operand(1)
    with w.f.loop("%begin", "%end") as unit:
        image, block = w.divided(unit, w.blocks)
        start = w.moved(w.moved(source, image, w.source_strides[0]), block, w.source_strides[1])
        end = w.moved(goal, image, w.goal_strides[0])
        end = w.moved(end, block, w.times(w.goal_strides[1], w.lanes))
        with w.f.loop("0", w.rows) as number:
            here = w.moved(start, number, w.source_strides[2])
            there = w.moved(end, number, w.goal_strides[2])
            w.either_block(block, w.blocks, last, lambda count: _unpack_row(w, here, there, count))
    w.f.finish()


def _unpack_row(w: _Images, source: str, goal: str, count: str | None) -> None:
    with w.f.loop("0", w.columns, w.lanes) as column:
        here, there = w.moved(source, column, w.step), w.moved(goal, column, 4)
        left = w.least(w.minus(w.columns, column), w.lanes)
        planes = there, w.goal_strides[1], left
        call_transposition(w, (here, str(w.step), left), count or str(w.lanes), planes)
