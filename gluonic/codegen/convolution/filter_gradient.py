"""The loops of a convolution's gradient with respect to its filters.

Filters' gradients come out in the order of packed filters, in tiles of one block; a register holds V filters
for one channel and one place, and images go by.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from gluonic.codegen.convolution.filters import (
    Filters,
    Reading,
    blocks_of,
    blocks_with_last,
    lanes_of,
    registers_for_sums,
)
from gluonic.codegen.convolution.geometry import Geometry
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.target import Target
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import FLOAT32, Value
from gluonic.codegen.writers.writer import Writer
from gluonic.support.record import record

_LATENCY = 4
"""Cycles a fused multiply-add takes; two can start in each."""

_LOAD_COST = 0.1
"""Cycles that a load costs beside the arithmetic."""

_PLACES = 128
"""About how many places of images are gone through before other sums are: they stay in the first cache."""

_SOME_TAPS = 4
"""From how many places of a filter on these give a single channel enough sums that need not wait."""

_FEW = 4
"""How many outputs an image, or a row, may have for code without loops over them."""

Tap = tuple[int, int]
Sums = Callable[[Sequence[str], Sequence[str], int, int, str | None], None]


def few_places(rows: int, columns: int) -> Tap | None:
    """Rows and columns if they are few enough to specialize the code for; 0 for any number of rows."""
    if columns > _FEW:
        return None
    return rows if rows * columns <= _FEW else 0, columns


@record
class GradientForm:
    """What gradients of filters that share machine code have in common.

    Attributes
    ----------
    reading : how images are read
    tile : for how many blocks of filters a place of the images is loaded at once
    last_blocks : how many blocks the last tile has, if it has fewer
    channels : how many a block of channels has; 0 if none is full
    last_channels : how many of the last one are summed at once, if it is not; 0 if it is
    places : rows and columns of the output, if the code is for no others; 0 rows are any
    is_bordered : whether rows of the images are a border of zeros, which is not summed
    """

    reading: Reading
    tile: int
    last_blocks: int
    channels: int
    last_channels: int
    places: Tap | None
    is_bordered: bool

    @classmethod
    def of(
        cls,
        filters: Filters,
        target: Target,
        places: Tap | None = None,
        *,
        bordered: bool = False,
    ) -> "GradientForm":
        """The form of the gradient of filters, for some places of the output."""
        lanes, tile = lanes_of(target), gradient_blocks(filters, target)
        block = filters.summed(lanes)
        rest = filters.channels % block
        return cls(
            Reading.of(filters, lanes),
            tile,
            blocks_of(filters.filters, lanes) % tile,
            block if filters.channels >= block else 0,
            min(rest, 1) if filters.taps >= _SOME_TAPS else rest,
            places,
            bordered and filters.kernel[0] > 1 and not (places and places[0]),
        )


def gradient_numbers(
    filters: Filters, geometry: Geometry, lanes: int, inside: tuple[int, int] = (0, 0)
) -> list[int]:
    """The run-time numbers.

    They are the blocks of filters and of channels, how many channels the last of these has, the bytes of a
    block of filters, the geometry, and between which rows the images are, if there is a border.
    """
    blocks = blocks_of(filters.filters, lanes)
    deep = blocks_with_last(filters.channels, filters.summed(lanes))
    return [blocks, *deep, filters.depth * lanes * 4, *geometry.numbers(), *inside]


def emit_filter_gradient(module: LLVMModule, name: str, form: GradientForm) -> None:
    """Write ``void gradient(ptr operands, ptr numbers, i64 begin, i64 end)``.

    Operands are the images with their border, the output's gradient, and the result; numbers are those of
    `gradient_numbers`. A unit of work is a few blocks of filters with a block of channels of one group.
    """
    _Gradient(module, name, form).write()


def gradient_units(filters: Filters, target: Target) -> int:
    """The units of work of the gradient."""
    lanes = lanes_of(target)
    deep = blocks_of(filters.channels, filters.summed(lanes))
    tiles = -(-blocks_of(filters.filters, lanes) // gradient_blocks(filters, target))
    return filters.groups * tiles * deep


def gradient_blocks(filters: Filters, target: Target) -> int:
    """For how many blocks of filters a place of the images is loaded at once."""
    if filters.depthwise:
        return 1
    blocks = blocks_of(filters.filters, lanes_of(target))
    if filters.planar:
        return min(blocks, 2)
    block = filters.block(lanes_of(target))

    def cycles(tile: int) -> float:
        whole, rest = divmod(blocks, tile)
        return whole * _cycles(tile, block, target) + (_cycles(rest, block, target) if rest else 0)

    return min(range(1, min(blocks, 4) + 1), key=lambda tile: (cycles(tile), -tile))


def _cycles(blocks: int, channels: int, target: Target) -> float:
    """Cycles for one place, so many blocks of filters and a block of channels."""
    at_once = _channels_at_once(blocks, channels, target)
    step = max(blocks * at_once / 2, _LATENCY) + _LOAD_COST * (blocks + at_once)
    return step * channels / at_once


def _channels_at_once(blocks: int, channels: int, target: Target) -> int:
    """For how many of the channels of a block there are registers."""
    most = (registers_for_sums(target) - blocks) // blocks
    return next(n for n in range(channels, 0, -1) if channels % n == 0 and n <= most)


__all__ = [
    "Geometry",
    "GradientForm",
    "emit_filter_gradient",
    "few_places",
    "gradient_blocks",
    "gradient_numbers",
    "gradient_units",
]


class _Gradient(Writer):
    """Writes one gradient."""

    def __init__(self, module: LLVMModule, name: str, form: GradientForm) -> None:
        super().__init__(module, name)
        self.form, self.m, self.target = form, Emitter(self.f), module.target
        self.few = form.places
        self.blocks, self.deep, self.last, self.by_filters = (self.number(i) for i in range(4))
        self.batch, self.rows, self.columns = (self.number(4 + i) for i in range(3))
        self.data_strides = [self.number(7 + i) for i in range(3)]
        self.slope_strides = [self.number(10 + i) for i in range(3)]
        self.inside = self.number(13), self.number(14)
        self.cell = form.reading.block * 4
        self.rows_at_once = self._part(self.columns)
        self.images_at_once = self._part(self.times(self.columns, self.rows))
        self.by_tap = self.times(self.data_strides[2], form.reading.dilate[0])

    def _part(self, size: str) -> str:
        """How many items of such a size make up about `_PLACES` positions; at least one."""
        return self.most(self.divided(str(_PLACES), size)[0], "1")

    def write(self) -> None:
        """Write the loop over units."""
        f, form, deep = self.f, self.form, self.deep
        data, slopes, result = (self.operand(i) for i in range(3))
        tiles = self.divided(self.plus(self.blocks, form.tile - 1), form.tile)[0]
        with f.loop("%begin", "%end") as unit:
            rest, depth = self.divided(unit, deep)
            group, number = self.divided(rest, tiles)
            first = self.plus(self.times(group, self.blocks), self.times(number, form.tile))
            own = first if form.reading.depthwise else self.plus(self.times(group, deep), depth)
            source = self.moved(data, own, self.data_strides[1])
            slope = self.moved(slopes, first, self.slope_strides[1])
            goal = self.moved(result, first, self.by_filters)
            goal = self.moved(goal, depth, form.reading.summed * form.reading.taps * self.step)

            def some(
                count: int, depth: str = depth, where: tuple[str, str, str] = (source, slope, goal)
            ) -> None:
                self._unit(where, count, depth)

            self.either_last(number, tiles, form.tile, form.last_blocks, some)
        f.finish()

    def _unit(self, where: tuple[str, str, str], blocks: int, depth: str) -> None:
        """Write what a unit does if its block of channels is full, and if it is the last and not full."""
        form, (source, slope, goal) = self.form, where

        def whole() -> None:
            size = str(form.channels * self.step)
            self._parts_of(
                (slope, goal, size),
                blocks,
                lambda sums: self._taps(source, goal, size, form.channels, blocks, sums),
            )

        def last() -> None:
            size = self.times(self.last, self.step)

            def some(sums: Sums) -> None:
                with self.f.loop("0", self.last, form.last_channels) as first:
                    here, there = self.moved(source, first, 4), self.moved(goal, first, self.step)
                    self._taps(here, there, size, form.last_channels, blocks, sums)

            self._parts_of((slope, goal, size), blocks, some)

        if not form.last_channels:
            whole()
        elif not form.channels:
            last()
        else:
            self.at_last(depth, self.deep, last, whole)

    def _parts_of(
        self, where: tuple[str, str, str], blocks: int, write: Callable[[Sums], None]
    ) -> None:
        """Write the loops over parts of the images, small enough to stay in the first cache.

        Sums begin with zero; in them `where` says how far a place of the filter is from the next.
        """
        f, (slope, goal, size) = self.f, where
        for block in range(blocks):
            end = self.moved(goal, block, self.by_filters)
            self.clear(end, self.times(size, self.form.reading.taps))
        with f.loop("0", self.batch, self.images_at_once) as image:
            last_image = self.least(self.plus(image, self.images_at_once), self.batch)
            with f.loop("0", self.rows, self.rows_at_once) as row:
                last_row = self.least(self.plus(row, self.rows_at_once), self.rows)
                part = (image, last_image, row, last_row)
                write(partial(self._sums, slope, part))

    def _taps(
        self,
        source: str,
        goal: str,
        tap_size: str,
        channels: int,
        blocks: int,
        sums: Sums,
    ) -> None:
        """Write the loops over places of the filter, several at once if there are registers for them."""
        f, across = self.f, self.form.reading.kernel[1]
        by_column = self.form.reading.dilate[1] * self.cell
        size = channels
        if channels == self.form.reading.summed:
            size = _channels_at_once(blocks, channels, self.target)
        most = (registers_for_sums(self.target) - blocks) // blocks
        if most // size > 1:
            for taps in self._chunks(most // size):
                places = [
                    self.moved(self.moved(source, i, self.by_tap), j, by_column) for i, j in taps
                ]
                goals = [self.moved(goal, i * across + j, tap_size) for i, j in taps]
                sums(places, goals, channels, blocks, None)
            return
        size = min(size, most)
        with f.loop("0", str(self.form.reading.kernel[0])) as i, f.loop("0", str(across)) as j:
            here = self.moved(self.moved(source, i, self.by_tap), j, by_column)
            tap = self.plus(self.times(i, across), j)
            there = self.moved(goal, tap, tap_size)
            for start in range(0, channels, size):
                sums(
                    [self.moved(here, start, 4)],
                    [self.moved(there, start, self.step)],
                    min(size, channels - start),
                    blocks,
                    i if self.form.is_bordered else None,
                )

    def _chunks(self, size: int) -> Iterator[list[Tap]]:
        """The places of the filter in chunks of at most such a size."""
        down, across = self.form.reading.kernel
        taps = [(i, j) for i in range(down) for j in range(across)]
        parts = -(-len(taps) // size)
        size = -(-len(taps) // parts)
        return (taps[i : i + size] for i in range(0, len(taps), size))

    def _sums(
        self,
        slope: str,
        part: tuple[str, str, str, str],
        data: Sequence[str],
        goals: Sequence[str],
        channels: int,
        blocks: int,
        down: str | None,
    ) -> None:
        """Write the sums over a part of the images, and what adds them to the result.

        If they are for one row of the filter, number `down`, rows that it reads of the border are left out.
        """
        f, (image, last_image, row, last_row) = self.f, part
        if down is not None:
            (step, _), (apart, _) = self.form.reading.stride, self.form.reading.dilate
            read = self.times(down, apart)  # by the first row of the output
            begin, end = (self.first_at(limit, read, step) for limit in self.inside)
            row, last_row = self.most(row, begin), self.least(last_row, end)
        sums = [f.slot(self.vector) for _ in range(len(goals) * channels * blocks)]
        for slot in sums:
            self.store("zeroinitializer", slot)
        with f.loop(image, last_image) as image:
            here = [self.moved(d, image, self.data_strides[0]) for d in data]
            there = self.moved(slope, image, self.slope_strides[0])
            for_row = partial(self._row, here, there, sums, channels, blocks)
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
        slope: str,
        sums: Sequence[str],
        channels: int,
        blocks: int,
        row: str | int,
    ) -> None:
        """Write the products of one row."""
        by_row = self.times(self.data_strides[2], self.form.reading.stride[0])
        across = self.form.reading.stride[1] * self.cell
        rows = [self.moved(d, row, by_row) for d in data]
        slopes = self.moved(slope, row, self.slope_strides[2])

        def place(column: str | int) -> None:
            places = [self.moved(d, column, across) for d in rows]
            self._place(places, self.moved(slopes, column, self.step), sums, channels, blocks)

        if self.few:
            for number in range(self.few[1]):
                place(number)
            return
        with self.f.loop("0", self.columns) as column:
            place(column)

    def _place(
        self, data: Sequence[str], slope: str, sums: Sequence[str], channels: int, blocks: int
    ) -> None:
        """Write the products of one place."""
        factors = [
            self._value(self.load(self.moved(slope, block, self.slope_strides[1])))
            for block in range(blocks)
        ]
        for tap, address in enumerate(data):
            for channel in range(channels):
                x = self._factor(self.moved(address, channel, 4))
                for block, factor in enumerate(factors):
                    slot = sums[(tap * blocks + block) * channels + channel]
                    total = self.m.mad(x, factor, self._value(self.load(slot)))
                    self.store(total.ref, slot)

    def _factor(self, address: str) -> Value:
        if self.form.reading.depthwise:
            return self._value(self.load(address))
        x = self.f.load("float", address, 4)
        return self.m.spread(self.m.value(x, FLOAT32, 1), self.lanes)

    def _value(self, ref: str) -> Value:
        return self.m.value(ref, FLOAT32, self.lanes)
