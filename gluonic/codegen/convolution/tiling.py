"""How a convolution is tiled: into tiles, lines of tiles, and units whose data stay in cache."""

from functools import lru_cache

from gluonic.codegen.convolution.filters import Filters, Tile, lanes_of, tile_of
from gluonic.codegen.machine.target import Target
from gluonic.codegen.shapes.symbolic import at_least
from gluonic.support.record import record

_DEEP = 256
"""About how many products are summed at a time: so many weights stay in the first cache while images go by."""

_PLACES = 256
"""For about how many outputs, of all blocks, weights stay there."""

_SEGMENT, _DEPTH = 8, 4
"""Where each input is read but once for an output: how many tiles make a segment, and for how many tiles of
filters it stays in the second cache."""


_SHORT, _LONG = 4, 1 << 10
"""Of one row of more outputs, as sequences have, code is for any length, and tiled as if it were very long."""

_MOST_KNOWN = 1 << 10

_NARROW = 8
"""Where sizes vary, code is for any number of rows, and of either fewer columns than that or any more."""


@record
class ConvolutionTiling:
    """The order in which a convolution is computed.

    A line is what tiles beside each other cover: as many rows as a tile has, or a segment of them.

    Attributes
    ----------
    tile : the outputs that registers hold
    last_rows, last_columns : what is left of the output's extents when tiles have been cut off it; None if
        that may be anything
    segment : how many places make a line where rows follow each other without a gap, as those of 1×1
        filters do; 0 where a line is as long as its rows
    chunk : how many blocks of channels are summed before others are; the sums wait in the output
    band : how many lines, of one or more images, a unit of work has
    depth : for how many tiles of blocks of filters
    """

    tile: Tile
    last_rows: int
    last_columns: int | None
    segment: int
    chunk: int
    band: int
    depth: int


def tiling_of(
    filters: Filters,
    rows: int,
    columns: int,
    target: Target,
    *,
    gaps: bool = False,
    sizes_vary: bool = False,
) -> ConvolutionTiling:
    """How to cut the work on an output of such a size.

    Parameters
    ----------
    gaps : whether rows that are read do not follow each other even if windows are places
    sizes_vary : whether other sizes are to be cut in the same way
    """
    is_sequence = rows == 1 and columns > _SHORT
    if not is_sequence and not sizes_vary:
        return _own_tiling(filters, rows, columns, target, gaps)
    is_flat = _is_flat(filters, gaps)
    if is_flat:
        rows, columns = 1, rows * columns
    width = _LONG if is_sequence or columns >= _NARROW else _SHORT
    tile = tile_of(filters, 1 if sizes_vary else rows, width, target)
    return _tiling(filters, columns, tile, target, last_rows=0, last_columns=None, is_flat=is_flat)


@lru_cache(_MOST_KNOWN)
def _own_tiling(
    filters: Filters, rows: int, columns: int, target: Target, gaps: bool
) -> ConvolutionTiling:
    """How to cut the work on outputs of just that size."""
    is_flat = _is_flat(filters, gaps)
    if is_flat:
        rows, columns = 1, rows * columns
    tile = tile_of(filters, rows, columns, target)
    last = {"last_rows": rows % tile.rows, "last_columns": columns % tile.columns}
    return _tiling(filters, columns, tile, target, **last, is_flat=is_flat)


def _is_flat(filters: Filters, gaps: bool) -> bool:
    """Whether rows follow each other without a gap."""
    return filters.taps == 1 and filters.stride == (1, 1) and not gaps


def _tiling(
    filters: Filters,
    columns: int,
    tile: Tile,
    target: Target,
    *,
    last_rows: int,
    last_columns: int | None,
    is_flat: bool,
) -> ConvolutionTiling:
    segment = _SEGMENT * tile.columns if is_flat else 0
    whole = filters.channels // filters.block(lanes_of(target))
    chunks = max(1, filters.depth // _DEEP)
    return ConvolutionTiling(
        tile,
        last_rows=last_rows,
        last_columns=last_columns,
        segment=segment,
        chunk=max(1, -(-whole // chunks)),
        band=at_least(segment // columns if is_flat else _PLACES // (tile.rows * columns), 1),
        depth=_DEPTH if filters.taps == 1 else 1,
    )
