"""What decides the machine code of a convolution, and the numbers that it is given when it runs.

Nets have convolutions with many counts of channels and filters. What the innermost loops are made of is code:
the tile, the window, how many channels a step takes. How often they run is a number.
"""

from math import gcd

from gluonic.codegen.images.convolution import Filters, Tile, blocks_of
from gluonic.codegen.images.convolution_geometry import Geometry
from gluonic.codegen.images.convolution_tiling import Tiling
from gluonic.codegen.loops.loop import Shape
from gluonic.graph.record import record

_MUCH = 1 << 21
"""From how many bytes of weights on they are asked for early; the second cache keeps what is less."""


@record
class Form:
    """What convolutions that share machine code have in common.

    Attributes
    ----------
    kernel, stride, dilate : of the windows, along rows and columns
    block : how many channels of an input lie together; 1 for planes
    depthwise : whether every channel has a filter of its own
    whole : how many whole blocks of channels are summed: none, one, or 2 for more
    rest : what divides the number of channels behind these, a power of two; 0 if there are none. It is 1 where
        there are whole blocks too, for then it matters little
    fetches : whether weights are asked for before they are needed
    tile : the outputs that registers hold
    last_rows, last_columns, last_blocks : what is left of the output's extents, tiles cut off
    is_flat : whether lines are segments, not rows
    is_chunked : whether sums wait in the output while others are summed
    """

    kernel: Shape
    stride: Shape
    dilate: Shape
    block: int
    depthwise: bool
    whole: int
    rest: int
    fetches: bool
    tile: Tile
    last_rows: int
    last_columns: int
    last_blocks: int
    is_flat: bool
    is_chunked: bool

    @classmethod
    def of(cls, filters: Filters, tiling: Tiling, lanes: int) -> "Form":
        """The form of a convolution whose work is cut in some way."""
        whole, rest = divmod(filters.channels, _summed_at_once(filters, lanes))
        if rest:
            rest = 1 if whole else gcd(rest, lanes)
        return cls(
            filters.kernel,
            filters.stride,
            filters.dilate,
            filters.block(lanes),
            filters.depthwise,
            min(whole, 2),
            rest,
            filters.packed_size(lanes) * 4 >= _MUCH,
            tiling.tile,
            tiling.last_rows,
            tiling.last_columns,
            blocks_of(filters.filters, lanes) % tiling.tile.blocks,
            tiling.segment > 0,
            tiling.chunk < whole,
        )

    @property
    def taps(self) -> int:
        """How many places a filter reads."""
        return self.kernel[0] * self.kernel[1]


SIZES = 9
"""How many numbers stand before those of the geometry."""


def numbers_of(filters: Filters, tiling: Tiling, geometry: Geometry, lanes: int) -> list[int]:
    """The run-time numbers, in the order in which machine code reads them.

    First come the whole blocks of channels and the channels behind them, the blocks of filters and of
    channels that a group has, the bytes of the weights of a block of filters, and how the work is cut:
    the size of chunks and how many there are, of bands, of parts, of segments.
    """
    whole, rest = divmod(filters.channels, _summed_at_once(filters, lanes))
    return [
        *(whole, rest),
        blocks_of(filters.filters, lanes),
        blocks_of(filters.channels, filters.block(lanes)),
        filters.depth * lanes * 4,
        *(tiling.chunk, tiling.band, tiling.depth, tiling.segment),
        *geometry.tiled(tiling).numbers(),
    ]


def _summed_at_once(filters: Filters, lanes: int) -> int:
    """How many channels are summed before the next place of the window is."""
    return 1 if filters.depthwise else filters.block(lanes)
