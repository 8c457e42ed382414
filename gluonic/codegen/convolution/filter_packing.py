"""Reordering filters between their own layout and the order in which convolutions read them.

Functions have the form of all steps (:mod:`gluonic.codegen.writers.writer`); a unit is a block of filters.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from gluonic.codegen.convolution.filters import Filters, blocks_of, blocks_with_last
from gluonic.codegen.convolution.fingerprint import call_fingerprint
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.memory import ALIGNMENT
from gluonic.codegen.writers.shared_transposition import call_transposition
from gluonic.codegen.writers.writer import Writer
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

_STREAMED_FROM = 1 << 17
"""The bytes of packed filters from which they are written past the caches, if a vector fills a cache line.

Otherwise each line would be read before it is written: packing 512 x 512 filters of 3 x 3 takes a third of the
time.
"""
_CHANNELS_AHEAD = 6
"""The prefetch distance, in channels, of filters that are far apart in memory."""


@record
class FilterForm:
    """The properties that determine the code that reorders filters; the number of filters is a run-time number.

    Attributes
    ----------
    taps : number of taps
    block : number of channels that are summed before the next tap
    has_partial : whether the last block of filters has fewer than the others
    streamed : whether packed filters are written past the caches; their memory must be aligned to cache lines
    """

    taps: int
    block: int
    has_partial: bool
    streamed: bool = False

    @classmethod
    def of(cls, filters: Filters, lanes: int) -> "FilterForm":
        """The form of filters."""
        return cls(filters.taps, filters.block(lanes), filters.filters % lanes != 0)

    @classmethod
    def of_packing(cls, filters: Filters, lanes: int) -> "FilterForm":
        """The form of filters that are packed."""
        is_large = filters.packed_size(lanes) * 4 >= _STREAMED_FROM
        return replace(cls.of(filters, lanes), streamed=is_large and lanes * 4 == ALIGNMENT)


def filter_numbers(filters: Filters, tile_blocks: int, lanes: int) -> list[int]:
    """The run-time numbers of a reordering of filters for tiles of `tile_blocks` blocks."""
    blocks, last = blocks_with_last(filters.filters, lanes)
    return [filters.channels, filters.filters, blocks, last, tile_blocks, filters.groups * blocks]


def filter_units(filters: Filters, lanes: int) -> int:
    """The units of work of a reordering of filters."""
    return filters.groups * blocks_of(filters.filters, lanes)


class _FilterWriter(Writer):
    """Writes a reordering of filters: (groups · filters, channels, rows, columns) and packed ones.

    Packed filters are ordered by tiles of blocks of filters, then in the order in which a convolution sums,
    with V filters in a vector.
    """

    def __init__(self, module: LLVMModule, name: str, form: FilterForm) -> None:
        super().__init__(module, name)
        self.form = form
        numbers = (self.number(i) for i in range(6))
        self.channels, self.filters, self.blocks, self.last, self.tile_blocks, self.all = numbers
        self.depth = self.times(self.channels, form.taps)
        self.by_filter = self.times(self.depth, 4)
        self.by_block = self.times(self.depth, self.step)

    def block_at(self, packed: str, group: str, block: str) -> tuple[str, str]:
        """The address of a block of packed filters, and the stride of its vectors."""
        tile, inside = self.divided(block, self.tile_blocks)
        first = self.times(tile, self.tile_blocks)
        own = self.least(self.minus(self.blocks, first), self.tile_blocks)
        start = self.moved(packed, self.plus(self.times(group, self.blocks), first), self.by_block)
        return self.moved(start, inside, self.step), self.times(own, self.step)

    def position(self, channel: str, tap: str | int) -> str:
        """The position of a channel and a tap in the order of summation."""
        if self.form.taps == 1:
            return channel
        block = self.form.block
        number, inside = self.divided(channel, block)
        start = self.times(number, block * self.form.taps)
        return self.plus(self.plus(start, self.times(tap, self.block_size(channel))), inside)

    def block_size(self, channel: str) -> str:
        """The number of channels in the block of a channel."""
        block = self.form.block
        first = self.times(self.divided(channel, block)[0], block)
        return self.least(self.minus(self.channels, first), block)

    def positions(self) -> Callable[[], str]:
        """Write the start of a loop over all channels and taps; return the function that writes one step.

        A step returns the position of the next tap in the order of summation. Within a channel the
        positions have a constant stride, so few steps need a division.
        """
        f = self.f
        channel, tap, position, size = (f.slot("i64", 8) for _ in range(4))
        for slot in (channel, tap, position):
            f.store("i64", "0", slot)
        f.store("i64", self.block_size("0"), size)

        def step() -> str:
            found = f.load("i64", position)
            following = self.plus(f.load("i64", tap), 1)
            f.store("i64", following, tap)
            f.store("i64", self.plus(found, f.load("i64", size)), position)
            with f.when(f.compare("eq", following, self.form.taps)):
                new = self.plus(f.load("i64", channel), 1)
                f.store("i64", new, channel)
                f.store("i64", "0", tap)
                f.store("i64", self.position(new, 0), position)
                f.store("i64", self.block_size(new), size)
            return found

        return step

    def load_first(self, address: str, count: int) -> str:
        """The first lanes of a vector."""
        if count == self.lanes:
            return self.load(address)
        return self.load_lanes(address, self.first_lanes(str(count)))

    def units(self, write: Callable[[str, str, str | None], None]) -> None:
        """Write the loop over groups and blocks; `write(group, block, filters in it if not V)`."""
        last = self.last if self.form.has_partial else None
        with self.f.loop("%begin", "%end") as unit:
            group, block = self.divided(unit, self.blocks)
            self.either_block(block, self.blocks, last, partial(write, group, block))
        if self.form.streamed:
            self.f.fence()
        self.f.finish()

    def put(self, vector: str, address: str) -> None:
        """Write a vector of packed filters."""
        if self.form.streamed:
            self.f.stream(self.vector, vector, address, self.step)
        else:
            self.store(vector, address)

    def present(self, vectors: Sequence[str], count: str | None) -> list[str]:
        """Vectors over a block's filters, padded with zeros."""
        if count is None:
            return [*vectors]
        mask = self.first_lanes(count)
        return [self.kept(vector, mask) for vector in vectors]


def emit_pack_filters(
    module: LLVMModule, name: str, form: FilterForm, scaled: bool = False, remembers: bool = False
) -> None:
    """Write the function that packs filters for tiles of some blocks.

    Parameters
    ----------
    scaled : whether a second operand has a factor per filter
    remembers : whether the target is the same memory in every call, zero at first: it then has a fingerprint
        for each unit of work after the packed filters, and unchanged filters are not packed again
    """
    w = _FilterWriter(module, name, form)
    source, goal = w.operand(0), w.operand(1 + scaled)
    depth = w.depth

    def packed(start: str, end: str, by_vector: str, factors: str, count: str | None) -> None:
        square, lanes, step = w.square(), str(w.lanes), w.positions()
        with w.f.loop("0", depth, w.lanes) as column:
            left = w.least(w.minus(depth, column), w.lanes)
            filters = w.moved(start, column, 4), w.by_filter, count or lanes
            call_transposition(w, filters, left, (square, str(w.step), lanes))
            with w.f.loop("0", left) as index:
                there = w.moved(end, step(), by_vector)
                vector = w.load(w.moved(square, index, w.step))
                if factors:
                    vector = w.f.op(f"fmul {w.vector} {vector}, {factors}")
                w.put(vector, there)

    def block_of_filters(group: str, block: str, count: str | None) -> None:
        first = w.plus(w.times(group, w.filters), w.times(block, w.lanes))
        start = w.moved(source, first, w.by_filter)
        end, by_vector = w.block_at(goal, group, block)
        factors, own = "", str(w.lanes) if count is None else count
        if scaled:
            factors = w.load_lanes(w.moved(w.operand(1), first, 4), w.first_lanes(own))
        if not remembers:
            packed(start, end, by_vector, factors, count)
            return
        unit = w.plus(w.times(group, w.blocks), block)
        memory = w.moved(w.moved(goal, w.all, w.by_block), unit, 8)
        mark = call_fingerprint(w, start, w.times(own, depth), factors)
        known = w.f.load("i64", memory)
        with w.f.when(w.f.compare("ne", mark, known)):
            packed(start, end, by_vector, factors, count)
            w.f.store("i64", mark, memory)

    w.units(block_of_filters)


def emit_unpack_filters(module: LLVMModule, name: str, form: FilterForm) -> None:
    """Write the function that unpacks packed filters (in tiles of one block)."""
    w = _FilterWriter(module, name, form)
    source, goal = w.operand(0), w.operand(1)
    depth = w.depth

    def block_of_filters(group: str, block: str, count: str | None) -> None:
        first = w.plus(w.times(group, w.filters), w.times(block, w.lanes))
        end, square = w.moved(goal, first, w.by_filter), w.square()
        start, by_vector = w.block_at(source, group, block)
        step = w.positions()
        with w.f.loop("0", depth, w.lanes) as column:
            left = w.least(w.minus(depth, column), w.lanes)
            with w.f.loop("0", left) as index:
                vector = w.load(w.moved(start, step(), by_vector))
                w.store(vector, w.moved(square, index, w.step))
            filters = w.moved(end, column, 4), w.by_filter, left
            call_transposition(w, (square, str(w.step), left), count or str(w.lanes), filters)

    w.units(block_of_filters)


@record
class Taps:
    """Some of the taps of filters, in the order of rotated filters.

    Attributes
    ----------
    whole : the size of the filters
    last : the tap that comes first
    steps : the distance to the next tap, towards the first one
    """

    whole: Shape
    last: Shape
    steps: Shape

    @classmethod
    def of(cls, kernel: Shape) -> "Taps":
        """All taps."""
        return cls(kernel, (kernel[0] - 1, kernel[1] - 1), (1, 1))

    def indices(self, kernel: Shape) -> list[int]:
        """The taps of rotated filters of a size, in order."""
        return [
            (self.last[0] - self.steps[0] * row) * self.whole[1]
            + self.last[1]
            - self.steps[1] * column
            for row in range(kernel[0])
            for column in range(kernel[1])
        ]


def emit_pack_turned_filters(
    module: LLVMModule, name: str, form: FilterForm, kernel: Shape, taps: Taps
) -> None:
    """Write the function that packs filters for the data gradient, from outputs to inputs.

    Form and size are those of the gradient's filters: its channels are the outputs, its filters the input
    channels.
    Every filter is rotated; `taps` selects taps.
    """
    w = _FilterWriter(module, name, form)
    source, goal = w.operand(0), w.operand(1)
    whole = taps.whole[0] * taps.whole[1]
    by_channel = w.times(w.filters, whole * 4)
    numbers = {tap: number for number, tap in enumerate(taps.indices(kernel))}

    def block_of_filters(group: str, block: str, count: str | None) -> None:
        end, by_vector = w.block_at(goal, group, block)
        start = w.moved(source, w.times(group, w.channels), by_channel)
        start = w.moved(start, block, w.lanes * whole * 4)
        filters = w.apart(whole * 4, count)
        ahead = w.times(by_channel, _CHANNELS_AHEAD)
        with w.f.loop("0", w.channels) as channel:
            here = w.moved(start, channel, by_channel)
            later = w.moved(here, ahead)
            for line in range(0, w.lanes * whole * 4, 64):
                w.f.fetch(w.moved(later, line))
            there = w.moved(end, w.position(channel, 0), by_vector)
            by_tap = w.times(w.block_size(channel), by_vector)
            for first in range(0, whole, w.lanes):
                size = min(w.lanes, whole - first)
                if not any(tap in numbers for tap in range(first, first + size)):
                    continue
                rows = [
                    w.load_first(w.moved(w.moved(here, offset), first, 4), size)
                    for offset in filters
                ]
                columns = w.transposed(rows)[:size]
                for tap, vector in enumerate(w.present(columns, count), first):
                    if tap in numbers:
                        w.put(vector, w.moved(there, numbers[tap], by_tap))

    w.units(block_of_filters)
