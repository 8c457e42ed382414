"""The tiling of a convolution: tiles, lines of tiles, and units whose data stay in the cache."""

from functools import lru_cache

from gluonic.codegen.convolution.filters import Filters, Tile, lanes_of, tile_of
from gluonic.codegen.machine.target import Target
from gluonic.codegen.shapes.symbolic import at_least
from gluonic.support.record import record

_DEEP = 256
"""The approximate number of products summed at a time: their weights stay in the level 1 cache."""

_POSITIONS = 256
"""The approximate number of outputs, over all blocks, for which weights stay there."""

_SEGMENT, _DEPTH = 8, 4
"""For convolutions that read each input once per output: the number of tiles in a segment, and the number of
tiles of filters for which a segment stays in the level 2 cache."""


_SHORT, _LONG = 4, 1 << 10
"""For one row of more outputs, as in sequences, code is for any length, and tiled for a very long row."""

_MOST_KNOWN = 1 << 10

_NARROW = 8
"""If sizes vary, code is for any number of rows, and either for fewer columns than this or for any more."""


@record
class ConvolutionTiling:
    """The order in which a convolution is computed.

    A line is covered by tiles side by side: as many rows as a tile has, or a segment of them.

    Attributes
    ----------
    tile : the outputs that registers hold
    last_rows, last_columns : the remainders of the output's extents modulo tiles; None if they may be any
    segment : number of positions in a line if rows are contiguous, as with 1×1 filters; 0 if a line is as long
        as its rows
    chunk : number of blocks of channels that are summed at a time; partial sums are stored in the output
    band : number of lines, of one or more images, in a unit of work
    depth : number of tiles of blocks of filters in a unit of work
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
    """The tiling for an output of this size.

    Parameters
    ----------
    gaps : whether the rows that are read are not contiguous even if windows are single positions
    sizes_vary : whether other sizes should have the same tiling
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
    """The tiling for outputs of exactly this size."""
    is_flat = _is_flat(filters, gaps)
    if is_flat:
        rows, columns = 1, rows * columns
    tile = tile_of(filters, rows, columns, target)
    last = {"last_rows": rows % tile.rows, "last_columns": columns % tile.columns}
    return _tiling(filters, columns, tile, target, **last, is_flat=is_flat)


def _is_flat(filters: Filters, gaps: bool) -> bool:
    """Whether rows are contiguous."""
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
        band=at_least(segment // columns if is_flat else _POSITIONS // (tile.rows * columns), 1),
        depth=_DEPTH if filters.taps == 1 else 1,
    )
