"""Convolution with 3 × 3 filters by Winograd's algorithm F(2 × 2, 3 × 3): 16 products where there were 36.

S. Winograd, Arithmetic Complexity of Computations, 1980; A. Lavin and S. Gray, Fast Algorithms for
Convolutional Neural Networks, 2016. A tile of 4 × 4 inputs d, and a filter g, give 2 × 2 outputs

    Aᵀ ((G g Gᵀ) * (Bᵀ d B)) A

whose products, summed over channels, are 16 convolutions with 1 × 1 filters: the groups of a grouped one.
Images and sums are in blocks of channels. Tiles of odd images reach over the edge by one, into padding.
"""

from typing import Any

import numpy as np

from gluonic.codegen.convolution.filters import Filters, lanes_of
from gluonic.codegen.convolution.operators import (
    absent_in_epilogue,
    epilogue_of,
    packed_in_order,
    unpacked_from_order,
)
from gluonic.codegen.convolution.tiling import tiling_of
from gluonic.codegen.loops.inner_operators import inner_operator
from gluonic.codegen.lowerings.entry import lower
from gluonic.codegen.machine.target import Target
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Array, Entry
from gluonic.graph.attributes import Shape
from gluonic.graph.scalar_math import M
from gluonic.graph.view import NodeView, complete
from gluonic.support.record import record

SIDE, PRODUCTS = 2, 16
"""The outputs of a tile along each axis, and its products."""
IMAGES = np.array([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]], np.float32)
FILTERS = np.array([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]], np.float32)
SUMS = np.array([[1, 1, 1, 0], [0, 1, -1, -1]], np.float32)
"""The matrices Bᵀ, G and Aᵀ."""

_AN_ELEMENT, _A_FILTER = 15, 9
"""The costs, in products, of an element of transformed images or of sums, and of an element of filters."""
_GAIN = 0.9
"""The largest ratio of the cost to that of the direct convolution."""
_FEWEST_CHANNELS = 32
"""The fewest input and output channels."""
_MOST_IMAGES, _MOST_BYTES = 4, 16 << 20
"""The most images, and bytes of a transformed one: transformed images have four times as many numbers, which
should stay in the caches. With more images than this, a graph gets code of its own."""


@record
class WinogradTiling:
    """How a convolution is divided into tiles.

    Attributes
    ----------
    odd : for rows and columns of the output, 1 if the last tile reaches over the edge, else 0
    blocks : the number of filter blocks that products sum at once
    """

    odd: tuple[int, int]
    blocks: int


def products_of(filters: Filters) -> Filters:
    """The filters of the 16 convolutions with 1 × 1 filters."""
    return Filters(filters.channels, filters.filters, PRODUCTS, (1, 1))


def winograd_tiling(
    output: Entry, filters: Filters, target: Target, facts: Facts
) -> WinogradTiling | None:
    """The tiles of a convolution with constant filters; None if the direct one is as fast."""
    lanes = lanes_of(target)
    fits = filters.kernel == (3, 3) and filters.stride == filters.dilate == (1, 1)
    channels, count = filters.channels, filters.filters
    if not fits or filters.groups > 1 or filters.planar or filters.depthwise or facts.sizes_vary:
        return None
    if min(channels, count) < _FEWEST_CHANNELS or channels % lanes or count % lanes:
        return None
    batch, _, rows, columns = facts.shapes[output]
    if batch > _MOST_IMAGES:
        return None
    down, across = -(-rows // SIDE), -(-columns // SIDE)
    tiles = down * across
    direct = filters.taps * channels * count * (rows * columns + _A_FILTER)
    cost = channels * count * (tiles + _A_FILTER) + tiles * (channels + count) * _AN_ELEMENT
    if tiles * (PRODUCTS * 4 * max(channels, count)) > _MOST_BYTES:
        return None
    if cost * PRODUCTS > direct * _GAIN:
        return None
    blocks = tiling_of(products_of(filters), down, across, target).tile.blocks
    return WinogradTiling((rows % SIDE, columns % SIDE), blocks)


@inner_operator("_winograd_filters")
def winograd_filters(packed: Array, *, channels: int, filters: int, tile: int, lanes: int) -> Any:
    """Transform packed 3 × 3 filters; the result is packed for the 16 convolutions."""
    own = Filters(channels, filters, 1, (3, 3))
    weight = unpacked_from_order(packed, own, tile, lanes)
    made = np.einsum("ia,jb,fcab->ijfc", FILTERS, FILTERS, weight)
    grouped = made.reshape(PRODUCTS * filters, channels, 1, 1)
    return packed_in_order(grouped, products_of(own), tile, lanes)


@winograd_filters.infer_shape
def _(n: NodeView) -> None:
    n.output = (products_of(Filters(n.channels, n.filters, 1, (3, 3))).packed_size(n.lanes),)


@inner_operator("_winograd_images")
def winograd_images(data: Array) -> Any:
    """Transform the tiles of padded images; each of the 16 numbers of all tiles is a group of channels."""
    batch, blocks, rows, columns, lanes = data.shape
    down, across = rows // SIDE - 1, columns // SIDE - 1
    taps = np.stack([
        data[:, :, i : i + SIDE * down : SIDE, j : j + SIDE * across : SIDE]
        for i in range(4) for j in range(4)
    ])  # fmt: skip
    tiles = taps.reshape(4, 4, *taps.shape[1:])
    made = np.einsum("ia,jb,abnchwl->nijchwl", IMAGES, IMAGES, tiles)
    return made.reshape(batch, PRODUCTS * blocks, down, across, lanes)


@winograd_images.infer_shape
def _(n: NodeView) -> None:
    batch, blocks, rows, columns, lanes = complete(n.data)
    n.output = (batch, PRODUCTS * blocks, rows // SIDE - 1, columns // SIDE - 1, lanes)


@inner_operator("_winograd_sums", absent=absent_in_epilogue)
def winograd_sums(
    data: Array,
    shift: Array | None = None,
    residual: Array | None = None,
    *,
    odd: Shape,
    has_shift: bool = False,
    has_residual: bool = False,
    activation: str = "",
    activation_attributes: str = "{}",
) -> Any:
    """The outputs of all tiles, from the sums of their products: activation(output + shift + residual)."""
    batch, blocks, down, across, lanes = data.shape
    sums = data.reshape(batch, 4, 4, blocks // PRODUCTS, down, across, lanes)
    tiles = np.einsum("ai,bj,nijchwl->nchawbl", SUMS, SUMS, sums)
    whole = tiles.reshape(batch, blocks // PRODUCTS, SIDE * down, SIDE * across, lanes)
    result = whole[:, :, : SIDE * down - odd[0], : SIDE * across - odd[1]]
    others = [x for x in (shift, residual) if x is not None]
    return epilogue_of(activation, activation_attributes)(M, result, *others)


@winograd_sums.infer_shape
def _(n: NodeView) -> None:
    batch, blocks, down, across, lanes = complete(n.data)
    rows, columns = SIDE * down - n.odd[0], SIDE * across - n.odd[1]
    n.output = (batch, blocks // PRODUCTS, rows, columns, lanes)


lower(winograd_filters, step="convolution.winograd_steps:WinogradFiltersStep")
lower(winograd_images, step="convolution.winograd_steps:WinogradImagesStep")
lower(winograd_sums, step="convolution.winograd_steps:WinogradSumsStep")
