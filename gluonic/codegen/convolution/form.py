"""The properties of a convolution that its machine code depends on, and its run-time numbers.

Nets have convolutions with many numbers of channels and filters. The bodies of the innermost loops are fixed in
the code: the tile, the window, the channels per iteration. Trip counts are run-time numbers.
"""

from dataclasses import replace
from math import gcd

from gluonic.codegen.convolution.filters import ANY, Filters, Reading, Tile, blocks_of
from gluonic.codegen.convolution.geometry import Geometry
from gluonic.codegen.convolution.tiling import ConvolutionTiling
from gluonic.support.record import record

_MUCH = 1 << 21
"""From this number of bytes on, weights are prefetched; fewer stay in the level 2 cache."""


@record
class ConvolutionForm:
    """The properties that convolutions with the same machine code share.

    Attributes
    ----------
    reading : how images are read; with blocks, window sizes of several taps are run-time numbers
    whole : number of whole blocks of channels that are summed: 0, 1, or 2 for more
    rest : a power of two that divides the number of channels after these; 0 if there are none. It is 1 if there
        are also whole blocks, since it matters little then
    fetches : whether weights are prefetched
    tile : the outputs that registers hold
    last_rows, last_columns, last_blocks : the remainders of the output's extents modulo tiles; None for any
    is_flat : whether lines are segments, not rows
    is_padded : whether rows of the images may be zero padding, which is not summed
    is_chunked : whether partial sums are stored in the output
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
    is_padded: bool
    is_chunked: bool

    @classmethod
    def of(
        cls, filters: Filters, tiling: ConvolutionTiling, lanes: int, *, padded: bool = False
    ) -> "ConvolutionForm":
        """The form of a convolution with a tiling."""
        whole, rest = divmod(filters.channels, filters.summed(lanes))
        if rest:
            rest = 1 if whole else gcd(rest, lanes)
        reading = Reading.of(filters, lanes)
        if filters.taps > 1 and not (filters.planar or filters.depthwise):
            reading, padded = replace(reading, kernel=ANY), True
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
            padded and reading.kernel[0] != 1,
            tiling.chunk < whole,
        )


SIZES = 13
"""The number of numbers before those of the geometry."""


def numbers_of(
    filters: Filters,
    tiling: ConvolutionTiling,
    geometry: Geometry,
    lanes: int,
    inside: tuple[int, int],
) -> list[int]:
    """The run-time numbers, in the order in which machine code reads them.

    First: the whole blocks of channels and the channels after them; the blocks of filters and of channels in a
    group; the bytes of the weights of a block of filters. Then the division of work: the size and the number of
    chunks, of bands, of parts, of segments. Then the range of rows that are not padding, if there is padding,
    and the size of windows.
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
