"""What the machine code of a convolution depends on, and its run-time numbers.

Nets have convolutions with many counts of channels and filters. What the innermost loops are made of is code:
the tile, the window, how many channels a step takes. How often they run is a number.
"""

from dataclasses import replace
from math import gcd

from gluonic.codegen.convolution.filters import ANY, Filters, Reading, Tile, blocks_of
from gluonic.codegen.convolution.geometry import Geometry
from gluonic.codegen.convolution.tiling import ConvolutionTiling
from gluonic.support.record import record

_MUCH = 1 << 21
"""From how many bytes of weights on they are asked for early; the second cache keeps what is less."""


@record
class ConvolutionForm:
    """What convolutions that share machine code have in common.

    Attributes
    ----------
    reading : how images are read; the size of windows of several places of blocks is a run-time number
    whole : how many whole blocks of channels are summed: none, one, or 2 for more
    rest : what divides the number of channels behind these, a power of two; 0 if there are none. It is 1 where
        there are whole blocks too, for then it matters little
    fetches : whether weights are asked for before they are needed
    tile : the outputs that registers hold
    last_rows, last_columns, last_blocks : what is left of the output's extents, tiles cut off; None is anything
    is_flat : whether lines are segments, not rows
    is_bordered : whether rows of the images may be a border of zeros, which is not summed
    is_chunked : whether sums wait in the output while others are summed
    """

    reading: Reading
    whole: int
    rest: int
    fetches: bool
    tile: Tile
    last_rows: int
    last_columns: int | None
    last_blocks: int
    is_flat: bool
    is_bordered: bool
    is_chunked: bool

    @classmethod
    def of(
        cls, filters: Filters, tiling: ConvolutionTiling, lanes: int, *, bordered: bool = False
    ) -> "ConvolutionForm":
        """The form of a convolution whose work is cut in some way."""
        whole, rest = divmod(filters.channels, filters.summed(lanes))
        if rest:
            rest = 1 if whole else gcd(rest, lanes)
        reading = Reading.of(filters, lanes)
        if filters.taps > 1 and not (filters.planar or filters.depthwise):
            reading, bordered = replace(reading, kernel=ANY), True
        return cls(
            reading,
            min(whole, 2),
            rest,
            filters.packed_size(lanes) * 4 >= _MUCH,
            tiling.tile,
            tiling.last_rows,
            tiling.last_columns,
            blocks_of(filters.filters, lanes) % tiling.tile.blocks,
            tiling.segment > 0,
            bordered and reading.kernel[0] != 1,
            tiling.chunk < whole,
        )


SIZES = 13
"""How many numbers stand before those of the geometry."""


def numbers_of(
    filters: Filters,
    tiling: ConvolutionTiling,
    geometry: Geometry,
    lanes: int,
    inside: tuple[int, int],
) -> list[int]:
    """The run-time numbers, in the order in which machine code reads them.

    First come the whole blocks of channels and the channels behind them, the blocks of filters and of
    channels that a group has, the bytes of the weights of a block of filters, and how the work is cut:
    the size of chunks and how many there are, of bands, of parts, of segments. Then, between which rows
    the images are, if there is a border, and the size of windows.
    """
    whole, rest = divmod(filters.channels, filters.summed(lanes))
    return [
        *(whole, rest),
        blocks_of(filters.filters, lanes),
        blocks_of(filters.channels, filters.block(lanes)),
        filters.depth * lanes * 4,
        *(tiling.chunk, tiling.band, tiling.depth, tiling.segment),
        *inside,
        *filters.kernel,
        *geometry.tiled(tiling).numbers(),
    ]
