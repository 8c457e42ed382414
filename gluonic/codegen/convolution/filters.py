"""Direct convolution of images in blocks of channels: what is computed, and by which tiles.

Images lie as ``(batch, blocks, rows, columns, V)``: V neighbouring channels, as many as a SIMD register
has lanes, are neighbours in memory. A register then holds V channels of one output place, a tile of places
times blocks stays in registers while all that is summed goes by, and weights stream through. Rows and
columns that padding adds are part of the memory that is read; rows of filters that meet nothing else are not
summed.
"""

from collections.abc import Iterator
from functools import cache

from gluonic.codegen.machine.target import Target
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

_LATENCY = 4
"""Cycles a fused multiply-add takes; two can start in each."""

_LOAD_COST, _WEIGHT_COST = 0.32, 0.5
"""Cycles that a load costs beside the arithmetic, and what one of weights, from further away, costs more."""

_SPREAD_COST = 0.7
"""Cycles from one load of a number for all lanes to the next: places lie whole blocks apart, in few banks."""

_VARIANT_COST = 0.03
"""How much slower a tiling may be for each more body of code that it needs."""

_ALIKE, _USUAL = 1.01, 7
"""By how much costs of tiles that count as equally fast differ, and what divides the extents of most images.

These are halved by a net, from 224 to 7, and code for tiles of 14 columns serves all but the last."""

ANY = 0, 0
"""The kernel, stride or dilation of code for all of them."""


def lanes_of(target: Target) -> int:
    """How many channels make a block: the float32 lanes of a register."""
    return target.vector_bytes // 4


def blocks_of(channels: int, lanes: int) -> int:
    """How many blocks hold so many channels.

    >>> blocks_of(20, 16)
    2
    """
    return -(-channels // lanes)


def blocks_with_last(channels: int, lanes: int) -> tuple[int, int]:
    """How many blocks hold so many channels, and how many of these the last one has.

    >>> blocks_with_last(20, 16)
    (2, 4)
    """
    blocks = blocks_of(channels, lanes)
    return blocks, channels - (blocks - 1) * lanes


@record
class Tile:
    """The outputs that are kept in registers at once.

    Attributes
    ----------
    rows, columns : places
    blocks : blocks of output channels
    """

    rows: int
    columns: int
    blocks: int


@record
class Filters:
    """A convolution apart from the sizes of its images.

    Attributes
    ----------
    channels, filters : what one group reads and makes
    groups : how many groups of channels there are; each has blocks of its own
    kernel, stride, dilate : of the windows, along rows and columns
    planar : whether images that are read have a plane for each channel, as NCHW has, rather than blocks;
        for few channels
    depthwise : whether every channel has a filter of its own; `channels` is 1, `filters` counts them all
    """

    channels: int
    filters: int
    groups: int
    kernel: Shape
    stride: Shape = (1, 1)
    dilate: Shape = (1, 1)
    planar: bool = False
    depthwise: bool = False

    @property
    def taps(self) -> int:
        """How many places a filter reads."""
        return self.kernel[0] * self.kernel[1]

    @property
    def depth(self) -> int:
        """How many products one output sums."""
        return self.channels * self.taps

    def block(self, lanes: int) -> int:
        """How many channels of an input lie together."""
        return 1 if self.planar else lanes

    def summed(self, lanes: int) -> int:
        """How many channels are summed before the next place of the window is, at most."""
        return 1 if self.depthwise else self.block(lanes)

    def packed_size(self, lanes: int) -> int:
        """The elements of the packed weights: each group's filters in blocks, zeros where there is none."""
        return self.groups * blocks_of(self.filters, lanes) * lanes * self.depth


@record
class Reading:
    """How filters read images, as far as machine code depends on it.

    Attributes
    ----------
    kernel, stride, dilate : of the windows, along rows and columns; zeros where they are run-time numbers
    block : how many channels of an input lie together; 1 for planes
    summed : how many of them are summed before the next place of the window is
    depthwise : whether every channel has a filter of its own
    """

    kernel: Shape
    stride: Shape
    dilate: Shape
    block: int
    summed: int
    depthwise: bool

    @classmethod
    def of(cls, filters: Filters, lanes: int) -> "Reading":
        """How these filters do it."""
        own = filters.kernel, filters.stride, filters.dilate
        return cls(*own, filters.block(lanes), filters.summed(lanes), filters.depthwise)

    @property
    def taps(self) -> int:
        """How many places a filter reads."""
        return self.kernel[0] * self.kernel[1]


def tile_of(filters: Filters, rows: int, columns: int, target: Target) -> Tile:
    """The fastest tile for an output of such a size, as a model of the processor has it."""
    if filters.depthwise:
        # The other half is for what is read, of several places of a filter at once.
        return _tile_of_many_sizes(rows, columns, target.vector_registers // 2 + 1)
    blocks = blocks_of(filters.filters, lanes_of(target))
    return _tile_of(rows, columns, blocks, registers_for_sums(target))


def registers_for_sums(target: Target) -> int:
    """How many registers are left beside those for a factor and, where one is needed, a product."""
    return target.vector_registers - (1 if target.has_fma else 2)


@cache
def _tile_of(rows: int, columns: int, blocks: int, registers: int) -> Tile:
    return min(
        _tiles(rows, columns, blocks, registers),
        key=lambda tile: (_cost(tile, rows, columns, blocks), -tile.columns),
    )


@cache
def _tile_of_many_sizes(rows: int, columns: int, registers: int) -> Tile:
    """Of tiles of one block that are about as fast the one that a net's other images probably share."""
    costs = {tile: _cost(tile, rows, columns, 1) for tile in _tiles(rows, columns, 1, registers)}
    least = min(costs.values())
    alike = [tile for tile, cost in costs.items() if cost <= least * _ALIKE]
    return min(alike, key=lambda tile: (tile.columns % _USUAL != 0, costs[tile], -tile.columns))


def _tiles(rows: int, columns: int, blocks: int, registers: int) -> Iterator[Tile]:
    """All tiles that leave registers for weights, of those that inputs and products do not need."""
    for per_tile in range(1, min(blocks, 4) + 1):
        most = (registers - per_tile) // per_tile
        for width in range(1, min(columns, most) + 1):
            for height in range(1, min(rows, most // width, 4) + 1):
                yield Tile(height, width, per_tile)


def _cost(tile: Tile, rows: int, columns: int, blocks: int) -> float:
    """Cycles for one term of all outputs, and a penalty for each further body of code."""
    cycles, variants = 0.0, 0
    for height, times_down in _parts(rows, tile.rows):
        for width, times_across in _parts(columns, tile.columns):
            for depth, times_deep in _parts(blocks, tile.blocks):
                places = height * width
                step = max(places * depth / 2, _LATENCY, _SPREAD_COST * places)
                step += _LOAD_COST * (places + depth) + _WEIGHT_COST * depth
                cycles += step * times_down * times_across * times_deep
                variants += 1
    return cycles * (1 + _VARIANT_COST * (variants - 1))


def _parts(extent: int, size: int) -> Iterator[tuple[int, int]]:
    """The sizes of an axis's parts, and how many parts have each."""
    if extent >= size:
        yield size, extent // size
    if extent % size:
        yield extent % size, 1
