"""The loops of a direct convolution in blocks of channels.

``void convolution(ptr operands, ptr numbers, i64 begin, i64 end)``. Operands are the images, the packed weights
and the output, then the operands of the epilogue: one number per output channel (padded to whole blocks), or
one per output. Numbers are those of `numbers_of`. A unit of work is a band of lines of tiles, for a few tiles
of filters. It loops over chunks of channels, over tiles of filters, and over lines.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice

from gluonic.codegen.convolution.filters import ANY
from gluonic.codegen.convolution.form import SIZES, ConvolutionForm
from gluonic.codegen.convolution.tile import (
    NOTHING,
    Chunk,
    ConvolutionEpilogue,
    Line,
    TileWriter,
)
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.writers.writer import Writer

_RESTS = 4, 1
"""The widths of tiles after the whole ones, if any number of columns may remain."""


def emit_convolution(
    module: LLVMModule, name: str, form: ConvolutionForm, epilogue: ConvolutionEpilogue = NOTHING
) -> None:
    """Write the function; the epilogue is applied to each sum."""
    _Convolution(module, name, form, epilogue).write()


class _Convolution(Writer):
    """Writes one convolution."""

    def __init__(
        self, module: LLVMModule, name: str, form: ConvolutionForm, epilogue: ConvolutionEpilogue
    ) -> None:
        super().__init__(module, name)
        self.form, self.epilogue = form, epilogue
        count = 3 + epilogue.channels + epilogue.elementwise
        self.operands = [self.operand(i) for i in range(count)]
        numbers = iter([self.number(i) for i in range(SIZES + 3 * (3 + epilogue.elementwise))])
        self.whole, rest, self.blocks, self.own, self.by_filters = islice(numbers, 5)
        self.chunk, self.band, self.depth, self.segment = islice(numbers, 4)
        self.inside, sizes = tuple(islice(numbers, 2)), tuple(islice(numbers, 2))
        kernel = self.kernel = sizes if form.reading.kernel == ANY else form.reading.kernel
        self.batch, self.rows, self.columns = islice(numbers, 3)
        self.strides = [[*islice(numbers, 3)] for _ in range(2 + epilogue.elementwise)]
        _, by_block, by_row = self.strides[0]
        self.tiles = TileWriter(self.f, form, kernel, (by_block, by_row), rest, epilogue)

    def _is(self, number: str, other: str | int) -> str:
        """Whether two numbers are equal."""
        return self.f.compare("eq", number, other)

    # -- units of work ------------------------------------------------------------------------

    def write(self) -> None:
        """Write the loop over units."""
        f, size = self.f, self.form.tile.blocks
        down = self._lines()
        lines = self.times(down, self.batch)
        bands = self.quotient_up(lines, self.band)
        deep = self.quotient_up(self.blocks, size)
        parts, deepest = self.quotient_up(deep, self.depth), self.plus(deep, -1)
        with f.loop("%begin", "%end") as unit:
            rest, band = self.divided(unit, bands)
            group, part = self.divided(rest, parts)
            first, start = self.times(band, self.band), self.times(part, self.depth)
            last = self.least(self.plus(first, self.band), lines)
            stop = self.least(self.plus(start, self.depth), deep)
            with self._chunks() as chunk, f.loop(start, stop) as depth:
                block = self.plus(self.times(group, self.blocks), self.times(depth, size))
                self._choose(
                    self._is(depth, deepest),
                    size,
                    self.form.last_blocks,
                    lambda blocks: self._band((first, last), down, (group, block), blocks, chunk),
                )
        f.finish()

    def _lines(self) -> str:
        """The number of lines in an image."""
        if self.form.is_flat:
            return self.quotient_up(self.columns, self.segment)
        return self.quotient_up(self.rows, self.form.tile.rows)

    @contextmanager
    def _chunks(self) -> Iterator[Chunk]:
        """Loop over chunks of channels."""
        if not self.form.is_chunked:
            yield Chunk(0, self.whole)
            return
        with self.f.loop("0", self.whole, self.chunk) as start:
            stop = self.least(self.plus(start, self.chunk), self.whole)
            yield Chunk(start, stop, self._is(start, 0), self._is(stop, self.whole))

    def _choose(
        self,
        is_last: str,
        usual: int,
        last: int,
        write: Callable[[int], None],
    ) -> None:
        """Write the body for the usual size and for the last one, if they differ."""
        if last:
            self.either(is_last, lambda: write(last), lambda: write(usual))
        else:
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
        f, height = self.f, self.form.tile.rows
        with f.loop(*lines) as number:
            image, line = self.divided(number, down)
            if self.form.is_flat:
                start = self.times(line, self.segment)
                where = self._line((*filters, image, "0"), 1, blocks)
                self._segment(where, chunk, start, blocks)
            else:
                row = self.times(line, height)
                left = f.sub(self.rows, row)
                self._choose(
                    f.compare("slt", left, height),
                    height,
                    self.form.last_rows,
                    lambda rows: self._rows(
                        self._line((*filters, image, row), rows, blocks), chunk, rows, blocks
                    ),
                )

    def _rows(self, line: Line, chunk: Chunk, rows: int, blocks: int) -> None:
        """Write the loop over the tiles of whole rows."""
        whole, width = self._whole_tiles(), self.form.tile.columns
        with self.f.loop("0", whole, width) as column:
            self.tiles.write(line, chunk, column, (rows, width, blocks))
        self._rest(whole, lambda at, size: self.tiles.write(line, chunk, at, (rows, size, blocks)))

    def _segment(self, line: Line, chunk: Chunk, start: str, blocks: int) -> None:
        """Write the loop over the tiles of a segment."""
        f, whole, width = self.f, self._whole_tiles(), self.form.tile.columns
        end = self.plus(start, self.segment)
        with f.loop(start, self.least(end, whole), width) as column:
            self.tiles.write(line, chunk, column, (1, width, blocks))
        if self.form.last_columns != 0:
            with f.when(f.compare("sgt", end, whole)):
                self._rest(
                    whole, lambda at, size: self.tiles.write(line, chunk, at, (1, size, blocks))
                )

    def _whole_tiles(self) -> str:
        """The number of columns that whole tiles cover."""
        last, width = self.form.last_columns, self.form.tile.columns
        return self.f.sub(
            self.columns, self.divided(self.columns, width)[1] if last is None else last
        )

    def _rest(self, begin: str, write: Callable[[str, int], None]) -> None:
        """Write the incomplete tiles at the end of a line: first column and number of columns of each."""
        last = self.form.last_columns
        if last:
            write(begin, last)
        for width in _RESTS if last is None else ():
            if width < self.form.tile.columns:
                end = self.f.sub(
                    self.columns, self.divided(self.minus(self.columns, begin), width)[1]
                )
                with self.f.loop(begin, end, width) as column:
                    write(column, width)
                begin = end

    def _line(self, start: tuple[str, str, str, str], rows: int, blocks: int) -> Line:
        """The start of a line: group, first block of filters, image and row."""
        group, first, image, row = start
        lanes, moved = self.lanes, self.moved
        by_image, by_block, by_row = self.strides[0]
        block = first if self.form.reading.depthwise else self.times(group, self.own)
        data = moved(moved(self.operands[0], image, by_image), block, by_block)
        window = self.times(by_row, self.form.reading.stride[0])
        top = moved(data, row, window)
        weights = moved(self.operands[1], first, self.by_filters)
        channels = [
            moved(self.operands[3 + i], first, lanes * 4) for i in range(self.epilogue.channels)
        ]
        outputs = [self.operands[2], *self.operands[3 + self.epilogue.channels :]]
        rows_of_outputs = []
        for operand, (to_image, to_block, to_row) in zip(outputs, self.strides[1:], strict=True):
            corner = moved(moved(operand, image, to_image), row, to_row)
            corner = moved(corner, first, to_block)
            rows_of_outputs.append(
                [
                    moved(moved(corner, number, to_block), i, to_row)
                    for i in range(rows)
                    for number in range(blocks)
                ]
            )
        tops = [moved(top, i, window) for i in range(rows)]
        taps = self._taps(row, rows) if self.form.is_padded else None
        return Line(tops, weights, channels, rows_of_outputs, taps)

    def _taps(self, row: str, rows: int) -> tuple[str, str]:
        """The range of filter rows that read more than padding, for a line of `rows` rows of outputs."""
        down, reading = self.kernel[0], self.form.reading
        step, apart = reading.stride[0], reading.dilate[0]
        begin, end = self.inside
        first = self.times(row, step)
        last = self.plus(first, (rows - 1) * step)
        # the first line reads all weights as one stream from memory, which skipping rows would break
        start = "0" if self.form.fetches else self.first_at(begin, last, apart)
        stop = self.first_at(end, first, apart)
        start, stop = self.least(start, down), self.least(stop, down)
        return start, self.most(start, stop)
