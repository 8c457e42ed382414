"""The loops of a direct convolution in blocks of channels.

``void convolution(ptr operands, ptr numbers, i64 begin, i64 end)``. Operands are the images, the packed
weights and the output, then what the epilogue reads: one number for each output channel (padded to whole
blocks), or one for each output. Numbers are what `Geometry` lists. A unit of work is a band of lines of
tiles, for a few tiles of filters: for each chunk of channels, for each tile of filters, line by line.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gluonic.codegen.images.convolution import Filters, blocks_of
from gluonic.codegen.images.convolution_tile import NOTHING, Chunk, Epilogue, Line, TileWriter
from gluonic.codegen.images.convolution_tiling import Tiling
from gluonic.codegen.machine.assembler import Module
from gluonic.codegen.machine.step_function import StepFunction


def emit_convolution(
    module: Module,
    name: str,
    filters: Filters,
    tiling: Tiling,
    epilogue: Epilogue = NOTHING,
) -> None:
    """Write the function.

    Parameters
    ----------
    filters : what is computed
    tiling : in which order
    epilogue : applied to each sum
    """
    function = StepFunction(module, name)
    _Writer(function, filters, tiling, epilogue).write()
    function.finish()


class _Writer:
    """Writes one convolution."""

    def __init__(
        self, function: StepFunction, filters: Filters, tiling: Tiling, epilogue: Epilogue
    ) -> None:
        self.f, self.filters, self.tiling, self.epilogue = function, filters, tiling, epilogue
        count = 3 + epilogue.channels + epilogue.places
        self.operands = [function.operand(i) for i in range(count)]
        self.batch, self.rows, self.columns = (function.number(i) for i in range(3))
        self.strides = [
            [function.number(3 + 3 * k + i) for i in range(3)] for k in range(2 + epilogue.places)
        ]
        _, by_block, by_row = self.strides[0]
        self.tiles = TileWriter(function, filters, (by_block, by_row), epilogue)
        self.lanes, self.moved = self.tiles.lanes, self.tiles.moved
        self.blocks = blocks_of(filters.filters, self.lanes)

    # -- numbers ------------------------------------------------------------------------------

    def _times(self, a: str, b: str | int) -> str:
        return self.f.op(f"mul i64 {a}, {b}")

    def _sum(self, a: str, b: str | int) -> str:
        return self.f.op(f"add i64 {a}, {b}")

    def _least(self, a: str, b: str | int) -> str:
        return self.f.call("llvm.smin.i64", "i64", [("i64", a), ("i64", str(b))])

    def _divided(self, number: str, by: str | int) -> tuple[str, str]:
        """Quotient and remainder."""
        quotient = self.f.op(f"udiv i64 {number}, {by}")
        return quotient, self.f.op(f"sub i64 {number}, {self._times(quotient, by)}")

    def _parts(self, extent: str, size: int) -> str:
        """How many parts of such a size an extent has."""
        return self.f.op(f"udiv i64 {self._sum(extent, size - 1)}, {size}")

    # -- units of work ------------------------------------------------------------------------

    def write(self) -> None:
        """Write the loop over units."""
        f, tiling = self.f, self.tiling
        down = self._lines()
        lines = self._times(down, self.batch)
        bands = self._parts(lines, tiling.band)
        deep = -(-self.blocks // tiling.tile.blocks)
        with f.loop("%begin", "%end") as unit:
            rest, band = self._divided(unit, bands)
            group, part = self._divided(rest, -(-deep // tiling.depth))
            first, start = self._times(band, tiling.band), self._times(part, tiling.depth)
            last = self._least(self._sum(first, tiling.band), lines)
            stop = self._least(self._sum(start, tiling.depth), deep)
            with self._chunks() as chunk, f.loop(start, stop) as depth:
                block = self._sum(
                    self._times(group, self.blocks), self._times(depth, tiling.tile.blocks)
                )
                self._choose(
                    f.op(f"icmp eq i64 {depth}, {deep - 1}"),
                    tiling.tile.blocks,
                    self.blocks % tiling.tile.blocks,
                    lambda blocks: self._band((first, last), down, (group, block), blocks, chunk),
                    only_last=self.blocks < tiling.tile.blocks,
                )

    def _lines(self) -> str:
        """How many lines an image has."""
        if self.tiling.segment:
            return self._parts(self.columns, self.tiling.segment)
        return self._parts(self.rows, self.tiling.tile.rows)

    @contextmanager
    def _chunks(self) -> Iterator[Chunk]:
        """Repeat what is written inside for each chunk of channels."""
        whole, size = self.filters.channels // self.tiles.block, self.tiling.chunk
        count = -(-whole // size)
        if count <= 1:
            yield Chunk(0, whole)
            return
        with self.f.loop("0", str(count)) as number:
            start = self._times(number, size)
            stop = self._least(self._sum(start, size), whole)
            is_first, is_last = (self.f.op(f"icmp eq i64 {number}, {i}") for i in (0, count - 1))
            yield Chunk(start, stop, is_first, is_last)

    def _choose(
        self,
        is_last: str,
        usual: int,
        last: int,
        write: Callable[[int], None],
        only_last: bool = False,
    ) -> None:
        """Write the body for the usual size and for the last one, if that differs."""
        if not last or only_last:
            write(last if only_last else usual)
            return
        with self.f.when(is_last):
            write(last)
        with self.f.when(self.f.op(f"xor i1 {is_last}, true")):
            write(usual)

    # -- lines of tiles -----------------------------------------------------------------------

    def _band(
        self,
        lines: tuple[str, str],
        down: str,
        filters: tuple[str, str],
        blocks: int,
        chunk: Chunk,
    ) -> None:
        """Write the loop over the lines of a band, for one tile of blocks of filters."""
        f, tiling = self.f, self.tiling
        with f.loop(*lines) as number:
            image, line = self._divided(number, down)
            if tiling.segment:
                start = self._times(line, tiling.segment)
                where = self._line((*filters, image, "0"), 1, blocks)
                self._segment(where, chunk, start, blocks)
            else:
                row = self._times(line, tiling.tile.rows)
                left = f.op(f"sub i64 {self.rows}, {row}")
                self._choose(
                    f.op(f"icmp slt i64 {left}, {tiling.tile.rows}"),
                    tiling.tile.rows,
                    tiling.last_rows,
                    lambda rows: self._rows(
                        self._line((*filters, image, row), rows, blocks), chunk, rows, blocks
                    ),
                )

    def _rows(self, line: Line, chunk: Chunk, rows: int, blocks: int) -> None:
        """Write the loop over the tiles of whole rows."""
        tiling, width = self.tiling, self.tiling.tile.columns
        whole = self.f.op(f"sub i64 {self.columns}, {tiling.last_columns}")
        with self.f.loop("0", whole, width) as column:
            self.tiles.write(line, chunk, column, (rows, width, blocks))
        if tiling.last_columns:
            self.tiles.write(line, chunk, whole, (rows, tiling.last_columns, blocks))

    def _segment(self, line: Line, chunk: Chunk, start: str, blocks: int) -> None:
        """Write the loop over the tiles of a segment."""
        f, tiling, width = self.f, self.tiling, self.tiling.tile.columns
        whole = f.op(f"sub i64 {self.columns}, {tiling.last_columns}")
        end = self._sum(start, tiling.segment)
        with f.loop(start, self._least(end, whole), width) as column:
            self.tiles.write(line, chunk, column, (1, width, blocks))
        if tiling.last_columns:
            with f.when(f.op(f"icmp sgt i64 {end}, {whole}")):
                self.tiles.write(line, chunk, whole, (1, tiling.last_columns, blocks))

    def _line(self, place: tuple[str, str, str, str], rows: int, blocks: int) -> Line:
        """Where a line begins: group, first block of filters, image and row."""
        group, first, image, row = place
        filters, lanes, moved = self.filters, self.lanes, self.moved
        by_image, by_block, by_row = self.strides[0]
        own = blocks_of(filters.channels, filters.block(lanes))
        block = first if filters.depthwise else self._times(group, own)
        data = moved(moved(self.operands[0], image, by_image), block, by_block)
        window = self._times(by_row, filters.stride[0])
        top = moved(data, row, window)
        weights = moved(self.operands[1], first, lanes * filters.depth * 4)
        channels = [
            moved(self.operands[3 + i], first, lanes * 4) for i in range(self.epilogue.channels)
        ]
        outputs = [self.operands[2], *self.operands[3 + self.epilogue.channels :]]
        places = []
        for operand, (to_image, to_block, to_row) in zip(outputs, self.strides[1:], strict=True):
            corner = moved(moved(operand, image, to_image), row, to_row)
            corner = moved(corner, first, to_block)
            places.append(
                [
                    moved(moved(corner, number, to_block), i, to_row)
                    for i in range(rows)
                    for number in range(blocks)
                ]
            )
        tops = [moved(top, i, window) for i in range(rows)]
        return Line(tops, weights, channels, places)
