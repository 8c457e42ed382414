"""Finer units of work where there would be too few for all threads: of convolutions, of copies of their images.

A tiling's units suit the caches of one thread. A small image, as at the end of a net, has only a few of them.
They become finer as far as the threads need: first by filters if these outweigh the image, so that each thread
reads its own filters, otherwise by lines. Sums stay the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from gluonic.codegen.convolution.filters import Filters, blocks_of
from gluonic.codegen.convolution.geometry import Geometry
from gluonic.codegen.convolution.tiling import ConvolutionTiling
from gluonic.codegen.loops.costs import NANOSECONDS_A_PRODUCT
from gluonic.codegen.machine import scaling
from gluonic.codegen.shapes.symbolic import SymbolicDim, if_at_least

_SHORTEST = 2
"""The least number of tiles in a segment: the filters in the level 1 cache are read so often."""


def divided(
    filters: Filters, tiling: ConvolutionTiling, geometry: Geometry, lanes: int, threads: int
) -> tuple[ConvolutionTiling, Any]:
    """The tiling with units for so many threads, and the number of its units.

    Parameters
    ----------
    geometry : the extents, of which the batch may be symbolic; if others are, units stay as they are
    """
    if threads == 1 or SymbolicDim in map(type, (geometry.rows, geometry.columns)):
        return tiling, geometry.units(filters, tiling, lanes)
    work = filters.filters * filters.groups * filters.depth * geometry.rows * geometry.columns
    wanted = scaling.wanted_units(work * NANOSECONDS_A_PRODUCT, threads)
    choices = [*_choices(filters, tiling, geometry, lanes)]
    shapes = [_shape(choice, filters, geometry, lanes) for choice in choices]
    bounds = [_least_batch(wanted, *shape) for shape in shapes]
    of_batch = [parts * -(-geometry.batch * lines // band) for parts, lines, band in shapes]

    def chosen(values: Sequence[Any]) -> Any:
        result = values[-1]
        for bound, value in zip(bounds[-2::-1], values[-2::-1], strict=True):
            result = if_at_least(geometry.batch, bound, value, result)
        return result

    names = "band", "depth", "segment"
    numbers = {name: chosen([getattr(choice, name) for choice in choices]) for name in names}
    return replace(tiling, **numbers), chosen(of_batch)


def bands_of(batch: Any, blocks: Any, rows: Any, nanoseconds: Any, threads: int) -> Any:
    """The number of bands of rows into which each block of images is divided for so many threads.

    Parameters
    ----------
    batch, blocks, rows : of the images
    nanoseconds : the time of a block; if more than the batch is symbolic, blocks stay whole
    """
    if threads == 1 or SymbolicDim in map(type, (blocks, rows, nanoseconds)):
        return 1
    most = scaling.wanted_units(blocks * nanoseconds, threads)
    bands = max(min(-(-most // blocks), rows), 1)
    return if_at_least(batch, -(-scaling.UNITS_A_THREAD * threads // blocks), 1, bands)


def _shape(
    tiling: ConvolutionTiling, filters: Filters, geometry: Geometry, lanes: int
) -> tuple[int, int, int]:
    """The parts of the filters, the lines of an image, and the lines of a unit."""
    deep = -(-blocks_of(filters.filters, lanes) // tiling.tile.blocks)
    parts = filters.groups * -(-deep // tiling.depth)
    if tiling.segment:
        return parts, -(-geometry.rows * geometry.columns // tiling.segment), tiling.band
    return parts, -(-geometry.rows // tiling.tile.rows), tiling.band


def _least_batch(wanted: int, parts: int, lines: int, band: int) -> int:
    """The least number of images that have so many units."""
    bands = -(-wanted // parts)
    return (bands - 1) * band // lines + 1


def _choices(
    filters: Filters, tiling: ConvolutionTiling, geometry: Geometry, lanes: int
) -> Iterator[ConvolutionTiling]:
    """Tilings with ever finer units, from the usual one on."""
    yield tiling
    by_filters, by_lines = _finer_filters, _finer_lines
    images = filters.channels * filters.groups * geometry.rows * geometry.columns
    order = by_filters, by_lines
    if filters.packed_size(lanes) < images:
        order = by_lines, by_filters
    for finer in order:
        for choice in finer(tiling, geometry):
            tiling = choice
            yield choice


def _finer_filters(tiling: ConvolutionTiling, geometry: Geometry) -> Iterator[ConvolutionTiling]:
    """Units of ever fewer tiles of filters."""
    while tiling.depth > 1:
        tiling = replace(tiling, depth=tiling.depth // 2)
        yield tiling


def _finer_lines(tiling: ConvolutionTiling, geometry: Geometry) -> Iterator[ConvolutionTiling]:
    """Units of ever fewer lines, and then of shorter segments."""
    while tiling.band > 1:
        tiling = replace(tiling, band=tiling.band // 2)
        yield tiling
    width = tiling.tile.columns
    tiles = -(-geometry.rows * geometry.columns // width)
    length = min(tiling.segment // width, tiles)
    while length > _SHORTEST:
        length = -(-length // 2)
        yield (tiling := replace(tiling, segment=length * width))
