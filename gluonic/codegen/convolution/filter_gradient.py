"""The loops of a convolution's gradient with respect to its filters.

The gradients have the layout of packed filters, in tiles of one block. A register holds the sums of V filters
for one channel and one tap while loops run over the images.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from gluonic.codegen.convolution.filters import ANY
from gluonic.codegen.convolution.gradient_form import (
    GradientForm,
    channels_at_once,
    sums_of_a_block,
    taps_at_once,
)
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import FLOAT32, Value
from gluonic.codegen.writers.writer import Writer

_POSITIONS = 128
"""The approximate number of image positions per group of sums: they stay in the level 1 cache."""

Pair = Sequence[str | int]
Limits = tuple[str, str]
Sums = Callable[[Sequence[str], Sequence[str], int, int, Limits | None], None]


def emit_filter_gradient(module: LLVMModule, name: str, form: GradientForm) -> None:
    """Write ``void gradient(ptr operands, ptr numbers, i64 begin, i64 end)``.

    Operands are the padded images, the output's gradient, and the result; numbers are those of
    `gradient_numbers`. A unit of work is a few blocks of filters with a block of channels of one group.
    """
    _Gradient(module, name, form).write()


class _Gradient(Writer):
    """Writes one gradient."""

    def __init__(self, module: LLVMModule, name: str, form: GradientForm) -> None:
        super().__init__(module, name)
        self.form, self.m, self.target = form, Emitter(self.f), module.target
        self.few = form.extents
        self.blocks, self.deep, self.last, self.by_filters = (self.number(i) for i in range(4))
        self.batch, self.rows, self.columns = (self.number(4 + i) for i in range(3))
        self.data_strides = [self.number(7 + i) for i in range(3)]
        self.gradient_strides = [self.number(10 + i) for i in range(3)]
        self.inside = self.number(13), self.number(14)
        self.kernel, self.stride, self.dilate = self._windows()
        self.cell = form.reading.block * 4
        self.across = self._product(self.stride[1], self.cell)
        self.taps = self._product(*self.kernel)
        self.rows_at_once = self._part(self.columns)
        self.images_at_once = self._part(self.times(self.columns, self.rows))
        self.by_tap = self.times(self.data_strides[2], self.dilate[0])
        few_columns = range(self.few[1] if self.few else 0)
        self.offsets = [self._product(column, self.across) for column in few_columns]

    def _windows(self) -> list[Pair]:
        """The kernel, the stride and the dilation: constants or run-time numbers."""
        reading = self.form.reading
        pairs = reading.kernel, reading.stride, reading.dilate
        return [
            (self.number(at), self.number(at + 1)) if pair == ANY else pair
            for at, pair in zip((15, 17, 19), pairs, strict=True)
        ]

    def _product(self, a: str | int, b: str | int) -> str | int:
        return a * b if isinstance(a, int) and isinstance(b, int) else self.times(a, b)

    def _part(self, size: str) -> str:
        """The number of items of a size in about `_POSITIONS` positions; at least one."""
        return self.most(self.divided(str(_POSITIONS), size)[0], "1")

    def write(self) -> None:
        """Write the loop over units."""
        f, form, deep = self.f, self.form, self.deep
        data, gradients, result = (self.operand(i) for i in range(3))
        tiles = self.divided(self.plus(self.blocks, form.tile - 1), form.tile)[0]
        with f.loop("%begin", "%end") as unit:
            rest, depth = self.divided(unit, deep)
            group, number = self.divided(rest, tiles)
            first = self.plus(self.times(group, self.blocks), self.times(number, form.tile))
            own = first if form.reading.depthwise else self.plus(self.times(group, deep), depth)
            source = self.moved(data, own, self.data_strides[1])
            gradient = self.moved(gradients, first, self.gradient_strides[1])
            goal = self.moved(result, first, self.by_filters)
            goal = self.moved(
                goal, depth, self._product(form.reading.summed * self.step, self.taps)
            )

            def some(
                count: int,
                depth: str = depth,
                where: tuple[str, str, str] = (source, gradient, goal),
            ) -> None:
                self._unit(where, count, depth)

            self.either_last(number, tiles, form.tile, form.last_blocks, some)
        f.finish()

    def _unit(self, where: tuple[str, str, str], blocks: int, depth: str) -> None:
        """Write the code of a unit with a full block of channels, and with a last, partial one."""
        form, (source, gradient, goal) = self.form, where

        def whole() -> None:
            size = str(form.channels * self.step)
            self._parts_of(
                (gradient, goal, size),
                blocks,
                lambda sums: self._taps(source, goal, size, form.channels, blocks, sums),
            )

        def last() -> None:
            size = self.times(self.last, self.step)

            def some(sums: Sums) -> None:
                with self.f.loop("0", self.last, form.last_channels) as first:
                    here, there = self.moved(source, first, 4), self.moved(goal, first, self.step)
                    self._taps(here, there, size, form.last_channels, blocks, sums)

            self._parts_of((gradient, goal, size), blocks, some)

        if not form.last_channels:
            whole()
        elif not form.channels:
            last()
        else:
            self.at_last(depth, self.deep, last, whole)

    def _parts_of(
        self, where: tuple[str, str, str], blocks: int, write: Callable[[Sums], None]
    ) -> None:
        """Write the loops over parts of the images, small enough to stay in the level 1 cache.

        Sums begin with zero; `where` has the strides of the filter's taps.
        """
        f, (gradient, goal, size) = self.f, where
        for block in range(blocks):
            end = self.moved(goal, block, self.by_filters)
            self.clear(end, self.times(size, self.taps))
        with f.loop("0", self.batch, self.images_at_once) as image:
            last_image = self.least(self.plus(image, self.images_at_once), self.batch)
            with f.loop("0", self.rows, self.rows_at_once) as row:
                last_row = self.least(self.plus(row, self.rows_at_once), self.rows)
                part = (image, last_image, row, last_row)
                write(partial(self._sums, gradient, part))

    def _taps(
        self,
        source: str,
        goal: str,
        tap_size: str,
        channels: int,
        blocks: int,
        sums: Sums,
    ) -> None:
        """Write the loops over taps, several at once if there are enough registers."""
        f, across = self.f, self.kernel[1]
        by_column = self._product(self.dilate[1], self.cell)
        at_once = taps_at_once(blocks, channels, self.form.reading.summed, self.target)
        if at_once > 1:
            for taps in self._chunks(at_once):
                addresses = [
                    self.moved(self.moved(source, i, self.by_tap), j, by_column) for i, j in taps
                ]
                wide = self.form.reading.kernel[1]
                numbers = [self.plus(self._product(i, wide), j) for i, j in taps]
                goals = [self.moved(goal, number, tap_size) for number in numbers]
                sums(addresses, goals, channels, blocks, None)
            return
        size = min(channels, sums_of_a_block(blocks, self.target))
        if channels == self.form.reading.summed:
            size = channels_at_once(blocks, channels, self.target)
        with f.loop("0", str(self.kernel[0])) as i:
            limits = self._rows_inside(i) if self.form.is_padded else None
            with f.loop("0", str(across)) as j:
                here = self.moved(self.moved(source, i, self.by_tap), j, by_column)
                tap = self.plus(self.times(i, across), j)
                there = self.moved(goal, tap, tap_size)
                for start, count in self._parts_of_block(channels, size):
                    data = [self.moved(here, start, 4)]
                    sums(data, [self.moved(there, start, self.step)], count, blocks, limits)

    def _rows_inside(self, down: str) -> Limits:
        """The range of output rows for which a row of the filter reads no padding."""
        read = self.times(down, self.dilate[0])  # by the first row of the output
        begin, end = (self.first_at(limit, read, self.stride[0]) for limit in self.inside)
        return begin, end

    def _parts_of_block(self, channels: int, size: int) -> Iterator[tuple[str | int, int]]:
        """The first channel and the number of channels of each part of a block: a loop if all are equal."""
        if channels % size == 0 and channels > size:
            with self.f.loop("0", str(channels), size) as start:
                yield start, size
            return
        for first in range(0, channels, size):
            yield first, min(size, channels - first)

    def _chunks(self, size: int) -> Iterator[list[tuple[str | int, int]]]:
        """The taps of the filter in chunks of at most this size: a loop over whole rows if that saves code."""
        down, across = self.form.reading.kernel
        rows = min(size // across, down)
        if rows and down > 2 * rows:
            whole = down // rows * rows
            with self.f.loop("0", str(whole), rows) as first:
                yield [(self.plus(first, i), j) for i in range(rows) for j in range(across)]
            if whole < down:
                yield [(i, j) for i in range(whole, down) for j in range(across)]
            return
        taps: list[tuple[str | int, int]] = [(i, j) for i in range(down) for j in range(across)]
        parts = -(-len(taps) // size)
        size = -(-len(taps) // parts)
        yield from (taps[i : i + size] for i in range(0, len(taps), size))

    def _sums(
        self,
        gradient: str,
        part: tuple[str, str, str, str],
        data: Sequence[str],
        goals: Sequence[str],
        channels: int,
        blocks: int,
        limits: Limits | None,
    ) -> None:
        """Write the sums over a part of the images, and their addition to the result.

        Rows of the output outside of the limits are left out.
        """
        f, (image, last_image, row, last_row) = self.f, part
        if limits is not None:
            row, last_row = self.most(row, limits[0]), self.least(last_row, limits[1])
        sums = [f.slot(self.vector) for _ in range(len(goals) * channels * blocks)]
        for slot in sums:
            self.store("zeroinitializer", slot)
        with f.loop(image, last_image) as image:
            here = [self.moved(d, image, self.data_strides[0]) for d in data]
            there = self.moved(gradient, image, self.gradient_strides[0])
            for_row = partial(self._row, here, there, sums, blocks)
            if self.few and self.few[0]:
                for number in range(self.few[0]):
                    for_row(number)
            else:
                with f.loop(row, last_row) as row:
                    for_row(row)
        for number, slot in enumerate(sums):
            rest, channel = divmod(number, channels)
            tap, block = divmod(rest, blocks)
            address = self.moved(goals[tap], channel, self.step)
            address = self.moved(address, block, self.by_filters)
            total = self._value(self.load(address)) + self._value(self.load(slot))
            self.store(total.ref, address)

    def _row(
        self,
        data: Sequence[str],
        gradient: str,
        sums: Sequence[str],
        blocks: int,
        row: str | int,
    ) -> None:
        """Write the products of one row."""
        by_row = self.times(self.data_strides[2], self.stride[0])
        rows = [self.moved(d, row, by_row) for d in data]
        gradients = self.moved(gradient, row, self.gradient_strides[2])
        if not self.few:
            with self.f.loop("0", self.columns) as column:
                offset = self.times(column, self.across)
                self._positions(
                    [offset], rows, [self.moved(gradients, column, self.step)], sums, blocks
                )
            return
        ends = [self.moved(gradients, number, self.step) for number in range(len(self.offsets))]
        self._positions(self.offsets, rows, ends, sums, blocks)

    def _positions(
        self,
        offsets: Sequence[str | int],
        rows: Sequence[str],
        gradients: Sequence[str],
        sums: Sequence[str],
        blocks: int,
    ) -> None:
        """Write the products of adjacent positions: their offsets in rows, and the addresses of gradients."""
        totals = [self._value(self.load(slot)) for slot in sums]
        channels = len(sums) // (len(rows) * blocks)
        for offset, gradient in zip(offsets, gradients, strict=True):
            factors = [
                self._value(self.load(self.moved(gradient, block, self.gradient_strides[1])))
                for block in range(blocks)
            ]
            for tap, row in enumerate(rows):
                address = self.moved(row, offset)
                for channel in range(channels):
                    x = self._factor(self.moved(address, channel, 4))
                    for block, factor in enumerate(factors):
                        number = (tap * blocks + block) * channels + channel
                        totals[number] = self.m.mad(x, factor, totals[number])
        for slot, total in zip(sums, totals, strict=True):
            self.store(total.ref, slot)

    def _factor(self, address: str) -> Value:
        if self.form.reading.depthwise:
            return self._value(self.load(address))
        x = self.f.load("float", address, 4)
        return self.m.spread(self.m.value(x, FLOAT32, 1), self.lanes)

    def _value(self, ref: str) -> Value:
        return self.m.value(ref, FLOAT32, self.lanes)
