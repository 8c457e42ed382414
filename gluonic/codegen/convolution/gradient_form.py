"""The properties that the machine code of filters' gradients depends on, and its run-time numbers."""

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
"""The latency of a fused multiply-add in cycles; two can start per cycle."""

_LOAD_COST = 0.1
"""The cycles of a load in addition to the arithmetic."""

_SOME_TAPS = 4
"""From this number of taps on, a single channel has enough independent sums."""

_FEW = 4
"""The most outputs in an image, or in a row, for code without loops over them."""

Tap = tuple[int, int]


def specialized_extents(rows: int, columns: int) -> Tap | None:
    """Rows and columns if they are few enough to specialize the code for; 0 for any number of rows."""
    if columns > _FEW:
        return None
    return rows if rows * columns <= _FEW else 0, columns


@record
class GradientForm:
    """The properties that filters' gradients with the same machine code share.

    Attributes
    ----------
    reading : how images are read; windows are run-time numbers if sums are of one tap, but strides only if
        there are more than a few positions
    tile : number of blocks of filters for each load of an image position
    last_blocks : number of blocks in the last tile, if it has fewer
    channels : number of channels in a full block; 0 if none is full
    last_channels : number of channels of a partial last block that are summed at once; 0 if it is full
    extents : rows and columns of the output, if the code is specialized for them; 0 for any number of rows
    is_padded : whether rows of the images may be zero padding, which is not summed
    """

    reading: Reading
    tile: int
    last_blocks: int
    channels: int
    last_channels: int
    extents: Tap | None
    is_padded: bool

    @classmethod
    def of(
        cls,
        filters: Filters,
        target: Target,
        extents: Tap | None = None,
        *,
        padded: bool = False,
    ) -> "GradientForm":
        """The form of the gradient of filters, for an output of this size."""
        lanes, tile = lanes_of(target), gradient_blocks(filters, target)
        block, reading = filters.summed(lanes), Reading.of(filters, lanes)
        rest, last = filters.channels % block, blocks_of(filters.filters, lanes) % tile
        is_alone = all(taps_at_once(n, block, block, target) == 1 for n in (tile, last) if n)
        # run-time strides would slow sums of so few positions down by a quarter
        is_short = bool(extents and extents[0])
        if is_alone and not rest:
            stride = reading.stride if is_short else ANY
            reading = replace(reading, kernel=ANY, stride=stride, dilate=ANY)
            padded = True
        return cls(
            reading,
            tile,
            last,
            block if filters.channels >= block else 0,
            min(rest, 1) if filters.taps >= _SOME_TAPS else rest,
            extents,
            padded and reading.kernel[0] != 1 and not is_short,
        )


def gradient_numbers(
    filters: Filters, geometry: Geometry, lanes: int, inside: tuple[int, int]
) -> list[int]:
    """The run-time numbers.

    They are the blocks of filters and of channels, the number of channels in the last one, the bytes of a block
    of filters, the geometry, the range of rows that are not padding, if there is padding, and the windows.
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
    """The number of blocks of filters for each load of an image position."""
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
    """The cycles for one position, `blocks` blocks of filters and a block of channels."""
    at_once = channels_at_once(blocks, channels, target)
    step = max(blocks * at_once / 2, _LATENCY) + _LOAD_COST * (blocks + at_once)
    return step * channels / at_once


def channels_at_once(blocks: int, channels: int, target: Target) -> int:
    """The number of a block's channels for which there are registers."""
    most = sums_of_a_block(blocks, target)
    return next(n for n in range(channels, 0, -1) if channels % n == 0 and n <= most)


def sums_of_a_block(blocks: int, target: Target) -> int:
    """The number of sums per block of filters for which there are registers."""
    return (registers_for_sums(target) - blocks) // blocks


def taps_at_once(blocks: int, channels: int, block: int, target: Target) -> int:
    """The number of taps for which there are registers, if `channels` channels of a block are summed."""
    size = channels_at_once(blocks, channels, target) if channels == block else channels
    return max(1, sums_of_a_block(blocks, target) // size)
