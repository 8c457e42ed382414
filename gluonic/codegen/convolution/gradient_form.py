"""What the machine code of filters' gradients depends on, and its run-time numbers."""

from dataclasses import replace

from gluonic.codegen.convolution.filters import (
    ANY,
    Filters,
    Reading,
    blocks_of,
    blocks_with_last,
    lanes_of,
    registers_for_sums,
)
from gluonic.codegen.convolution.geometry import Geometry
from gluonic.codegen.machine.target import Target
from gluonic.support.record import record

_LATENCY = 4
"""Cycles a fused multiply-add takes; two can start in each."""

_LOAD_COST = 0.1
"""Cycles that a load costs beside the arithmetic."""

_SOME_TAPS = 4
"""From how many places of a filter on these give a single channel enough sums that need not wait."""

_FEW = 4
"""How many outputs an image, or a row, may have for code without loops over them."""

Tap = tuple[int, int]


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
    reading : how images are read; windows are run-time numbers where sums are of one place of the filter
    tile : for how many blocks of filters a place of the images is loaded at once
    last_blocks : how many blocks the last tile has, if it has fewer
    channels : how many a block of channels has; 0 if none is full
    last_channels : how many of the last one are summed at once, if it is not; 0 if it is
    places : rows and columns of the output, if the code is for no others; 0 rows are any
    is_bordered : whether rows of the images may be a border of zeros, which is not summed
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
        block, reading = filters.summed(lanes), Reading.of(filters, lanes)
        rest, last = filters.channels % block, blocks_of(filters.filters, lanes) % tile
        is_alone = all(taps_at_once(n, block, block, target) == 1 for n in (tile, last) if n)
        # run-time strides cost sums of so few places a quarter
        is_short = bool(places and places[0])
        if is_alone and not rest and not is_short:
            reading = replace(reading, kernel=ANY, stride=ANY, dilate=ANY)
            bordered = True
        return cls(
            reading,
            tile,
            last,
            block if filters.channels >= block else 0,
            min(rest, 1) if filters.taps >= _SOME_TAPS else rest,
            places,
            bordered and reading.kernel[0] != 1 and not is_short,
        )


def gradient_numbers(
    filters: Filters, geometry: Geometry, lanes: int, inside: tuple[int, int] = (0, 0)
) -> list[int]:
    """The run-time numbers.

    They are the blocks of filters and of channels, how many channels the last of these has, the bytes of a
    block of filters, the geometry, between which rows the images are, if there is a border, and the windows.
    """
    blocks = blocks_of(filters.filters, lanes)
    deep = blocks_with_last(filters.channels, filters.summed(lanes))
    windows = (*filters.kernel, *filters.stride, *filters.dilate)
    return [blocks, *deep, filters.depth * lanes * 4, *geometry.numbers(), *inside, *windows]


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
    at_once = channels_at_once(blocks, channels, target)
    step = max(blocks * at_once / 2, _LATENCY) + _LOAD_COST * (blocks + at_once)
    return step * channels / at_once


def channels_at_once(blocks: int, channels: int, target: Target) -> int:
    """For how many of the channels of a block there are registers."""
    most = sums_of_a_block(blocks, target)
    return next(n for n in range(channels, 0, -1) if channels % n == 0 and n <= most)


def sums_of_a_block(blocks: int, target: Target) -> int:
    """For how many sums of each of so many blocks of filters there are registers."""
    return (registers_for_sums(target) - blocks) // blocks


def taps_at_once(blocks: int, channels: int, block: int, target: Target) -> int:
    """For how many places of the filter there are registers, if so many channels of a block are summed."""
    size = channels_at_once(blocks, channels, target) if channels == block else channels
    return max(1, sums_of_a_block(blocks, target) // size)
