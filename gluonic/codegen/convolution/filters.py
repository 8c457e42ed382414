"""Direct convolution of images in blocks of channels: its parameters, and the choice of tiles.

The layout of images is ``(batch, blocks, rows, columns, V)``: V adjacent channels, as many as a SIMD register
has lanes, are contiguous. A register then holds V channels of one output position. A tile of positions times
blocks stays in registers while loops run over all terms of its sums, and weights are streamed. Padding is part
of the memory that is read; rows of filters that read only padding are not summed.
"""

from collections.abc import Iterator
from functools import lru_cache

from gluonic.codegen.machine.target import Target
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

_LATENCY = 4
"""The latency of a fused multiply-add in cycles; two can start per cycle."""

_LOAD_COST, _WEIGHT_COST = 0.32, 0.5
"""The cycles of a load in addition to the arithmetic, and the further cycles of a load of weights."""

_SPREAD_COST = 0.7
"""Cycles between broadcast loads: the positions are whole blocks apart, in few cache banks."""

_VARIANT_COST = 0.002
"""The fraction by which a tiling may be slower for each loop body that it saves, per register for sums.

With few registers, smaller tiles soon wait for loads."""

_ALIKE, _USUAL = 1.01, 7
"""The largest ratio of costs of tiles that count as equally fast, and a divisor of the extents of most images.

A net halves these, from 224 to 7, and code for tiles of 14 columns serves all but the last."""

ANY = 0, 0
"""The kernel, stride or dilation of code for all of them."""


def lanes_of(target: Target) -> int:
    """The number of channels in a block: the float32 lanes of a register."""
    return target.vector_bytes // 4


def blocks_of(channels: int, lanes: int) -> int:
    """The number of blocks for a number of channels.

    >>> blocks_of(20, 16)
    2
    """
    return -(-channels // lanes)


def blocks_with_last(channels: int, lanes: int) -> tuple[int, int]:
    """The number of blocks for a number of channels, and the number of channels in the last one.

    >>> blocks_with_last(20, 16)
    (2, 4)
    """
    blocks = blocks_of(channels, lanes)
    return blocks, channels - (blocks - 1) * lanes


@record
class Tile:
    """The outputs that are in registers at the same time.

    Attributes
    ----------
    rows, columns : the positions
    blocks : the blocks of output channels
    """

    rows: int
    columns: int
    blocks: int


@record
class Filters:
    """A convolution, without the sizes of its images.

    Attributes
    ----------
    channels, filters : the input and output channels of one group
    groups : number of groups of channels; each has its own blocks
    kernel, stride, dilate : of the windows, along rows and columns
    planar : whether the input images are in planes (NCHW), not in blocks; for few channels
    depthwise : whether every channel has its own filter; `channels` is 1, `filters` counts them all
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
        """The number of taps."""
        return self.kernel[0] * self.kernel[1]

    @property
    def depth(self) -> int:
        """The number of products in the sum of one output."""
        return self.channels * self.taps

    def block(self, lanes: int) -> int:
        """The number of contiguous channels of an input."""
        return 1 if self.planar else lanes

    def summed(self, lanes: int) -> int:
        """The most channels that are summed before the next tap."""
        return 1 if self.depthwise else self.block(lanes)

    def packed_size(self, lanes: int) -> int:
        """The number of elements of packed weights: each group's filters in blocks, padded with zeros."""
        return self.groups * blocks_of(self.filters, lanes) * lanes * self.depth


@record
class Reading:
    """The properties of a convolution's reads that machine code depends on.

    Attributes
    ----------
    kernel, stride, dilate : those of the windows, along rows and columns; zeros if they are run-time numbers
    block : number of contiguous channels of an input; 1 for planes
    summed : how many of them are summed before the next tap
    depthwise : whether every channel has its own filter
    """

    kernel: Shape
    stride: Shape
    dilate: Shape
    block: int
    summed: int
    depthwise: bool

    @classmethod
    def of(cls, filters: Filters, lanes: int) -> "Reading":
        """The properties of these filters."""
        own = filters.kernel, filters.stride, filters.dilate
        return cls(*own, filters.block(lanes), filters.summed(lanes), filters.depthwise)

    @property
    def taps(self) -> int:
        """The number of taps."""
        return self.kernel[0] * self.kernel[1]


def tile_of(filters: Filters, rows: int, columns: int, target: Target) -> Tile:
    """The fastest tile for an output of this size, by a model of the processor."""
    if filters.depthwise:
        # The other half is for the inputs of several taps at once.
        return _tile_of_many_sizes(rows, columns, target.vector_registers // 2 + 1)
    blocks = blocks_of(filters.filters, lanes_of(target))
    return _tile_of(rows, columns, blocks, registers_for_sums(target))


def registers_for_sums(target: Target) -> int:
    """The number of registers for sums, besides those for a factor and, if needed, a product."""
    return target.vector_registers - (1 if target.has_fma else 2)


@lru_cache(1024)
def _tile_of(rows: int, columns: int, blocks: int, registers: int) -> Tile:
    return min(
        _tiles(rows, columns, blocks, registers),
        key=lambda tile: (_cost(tile, rows, columns, blocks, registers), -tile.columns),
    )


@lru_cache(1024)
def _tile_of_many_sizes(rows: int, columns: int, registers: int) -> Tile:
    """The tile of one block, among those about as fast, that a net's other images probably share."""
    costs = {
        tile: _cost(tile, rows, columns, 1, registers)
        for tile in _tiles(rows, columns, 1, registers)
    }
    least = min(costs.values())
    alike = [tile for tile, cost in costs.items() if cost <= least * _ALIKE]
    return min(alike, key=lambda tile: (tile.columns % _USUAL != 0, costs[tile], -tile.columns))


def _tiles(rows: int, columns: int, blocks: int, registers: int) -> Iterator[Tile]:
    """All tiles that leave enough registers for weights, inputs and products."""
    for per_tile in range(1, min(blocks, 4) + 1):
        most = (registers - per_tile) // per_tile
        for width in range(1, min(columns, most) + 1):
            for height in range(1, min(rows, most // width, 4) + 1):
                yield Tile(height, width, per_tile)


def _cost(tile: Tile, rows: int, columns: int, blocks: int, registers: int) -> float:
    """The cycles for one term of all outputs, with a penalty for each further loop body."""
    cycles, variants = 0.0, 0
    for height, times_down in _parts(rows, tile.rows):
        for width, times_across in _parts(columns, tile.columns):
            for depth, times_deep in _parts(blocks, tile.blocks):
                positions = height * width
                step = max(positions * depth / 2, _LATENCY, _SPREAD_COST * positions)
                step += _LOAD_COST * (positions + depth) + _WEIGHT_COST * depth
                cycles += step * times_down * times_across * times_deep
                variants += 1
    return cycles * (1 + _VARIANT_COST * registers * (variants - 1))


def _parts(extent: int, size: int) -> Iterator[tuple[int, int]]:
    """The sizes of an axis's parts, and the number of parts of each size."""
    if extent >= size:
        yield size, extent // size
    if extent % size:
        yield extent % size, 1
