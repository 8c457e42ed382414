"""Winograd's algorithm on small integers: 3 × 3 filters by 16 products for 4 sums, not 36.

Filters are transformed by twice the usual matrix, so that all numbers are integers: sums are four times the
convolution's, and still fit int32. Transformed images are at most 4 · 255, filters at most 9 · 128: both fit
int16. All is exact.
"""

from collections.abc import Sequence
from typing import Any

from gluonic.codegen.convolution.windows import Windows3
from gluonic.codegen.loops.inner_operators import apply, inner_operator
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.lowerings.entry import lower
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.target import host
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.small_integers.geometry import PAIR, SLACK, PairedLayout, whole_lines
from gluonic.codegen.small_integers.operators import MOST_TERMS, packed
from gluonic.codegen.small_integers.products import (
    IntegerProductStep,
    ProductSizes,
    unit_columns,
)
from gluonic.codegen.small_integers.tile import IntegerTile
from gluonic.codegen.writers.writer import Writer
from gluonic.graph import Array, Entry, Node
from gluonic.graph.attributes import Shape
from gluonic.graph.builder import F
from gluonic.graph.rules import output_dtype
from gluonic.graph.view import NodeView

PRODUCTS = 16
_WINDOW, _SIDE = 4, 2
_BEHIND = 16
"""The tiles after a plane that may be read, and written before they are: a register's lanes at most."""
_MOST_BYTES = 16 << 20
"""Sums of more bytes leave the caches."""
_LEAST_CHANNELS = 16
"""With fewer channels, transformations take longer than they save."""
_FILTERS = ((2, 0, 0), (1, 1, 1), (1, -1, 1), (0, 0, 2))
_IMAGES = ((1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, -1))
_SUMS = ((1, 1, 1, 0), (0, 1, -1, -1))
Matrix = Sequence[Sequence[int]]


def suits_winograd(n: Any, images: Shape, filters: int) -> bool:
    """Whether a convolution, by its attributes and shapes, is computed faster, and exactly, in this way."""
    if tuple(n.kernel) != (3, 3) or n.num_group != 1:
        return False
    if {*n.stride, *n.dilate} - {1}:
        return False
    channels = images[1]
    if not _LEAST_CHANNELS <= channels <= MOST_TERMS // (9 * 4):
        return False
    return bool(images[0] * _sums_bytes(images, n.pad or (0, 0), filters) <= _MOST_BYTES)


def _sums_bytes(images: Shape, pad: Shape, filters: int) -> int:
    return PRODUCTS * filters * _plane(images, pad) * 4


def _layout(pad: Shape) -> PairedLayout:
    """The layout of images, whose windows are those of tiles."""
    both = (1, 1)
    windows = Windows3.of((_WINDOW, _WINDOW), (_SIDE, _SIDE), both, pad)
    return PairedLayout(windows, 1, covers=True)


def _tiles(images: Shape, pad: Shape) -> tuple[int, int]:
    """The rows and columns of tiles."""
    _, rows, columns = _layout(pad).counts(images)
    return rows, columns


def _plane(images: Shape, pad: Shape) -> int:
    """The tiles of an image, with those after them."""
    rows, columns = _tiles(images, pad)
    return whole_lines(rows * columns) + _BEHIND


@inner_operator("_tiled_images", dtype=output_dtype("int16"))
def tiled_images(data: Array, images: Array, *, pad: Shape) -> Any:
    """Transformed tiles: [image][product][pair of channels][tile][2]. Of `data`, only the shape is read."""
    return packed(images)


@tiled_images.infer_shape
def _(n: NodeView) -> None:
    pairs = _layout(n.pad).pairs(n.data)
    n.output = (2 * (n.data[0] * PRODUCTS * pairs * _plane(n.data, n.pad) + SLACK),)


@inner_operator("_tiled_products", dtype=output_dtype("int32"))
def tiled_products(data: Array, weight: Array, tiles: Array, filters: Array, *, pad: Shape) -> Any:
    """Sums of products of transformed tiles and filters: [image][product][filter][tile]."""
    return packed(tiles, filters)


@tiled_products.infer_shape
def _(n: NodeView) -> None:
    n.output = (n.data[0], PRODUCTS, n.weight[0], _plane(n.data, n.pad))


@inner_operator("_tiled_sums", dtype=output_dtype("int32"))
def tiled_sums(data: Array, products: Array, *, pad: Shape) -> Any:
    """The sums of a convolution, with those of the last tiles that no window has."""
    return packed(products)


@tiled_sums.infer_shape
def _(n: NodeView) -> None:
    rows, columns = _tiles(n.data, n.pad)
    n.output = (n.data[0], n.products[2], _SIDE * rows, _SIDE * columns)


def transformed_filters(weight: Entry) -> Entry:
    """The filters of all 16 products, one after the other: an array of rows of channels, in int32."""
    wide = F.cast(weight, dtype="int32")
    lines = [_taken(wide, 2, factors) for factors in _FILTERS]
    squares = [_taken(line, 2, factors) for line in lines for factors in _FILTERS]
    found: Entry = F.Concat(*squares, dim=0)
    return found


def _taken(array: Entry, axis: int, factors: Sequence[int]) -> Entry:
    """The sum of the elements along an axis, each times 0, 1, -1 or 2; the axis is removed."""
    terms = []
    for index, factor in enumerate(factors):
        part = F.slice_axis(array, axis=axis, begin=index, end=index + 1)
        terms += [(factor < 0, F.squeeze(part, axis=axis))] * abs(factor)
    found: Entry = terms[0][1]
    for is_negative, term in terms[1:]:
        found = (F.elemwise_sub if is_negative else F.elemwise_add)(found, term)
    return found


def tiled_convolution(
    data: Entry, weight: Entry, images: Entry, filters: Entry, pad: Shape
) -> Entry:
    """A convolution of packed images and filters, with the sums that no window has."""
    tiles = apply(tiled_images, data, images, pad=pad)
    products = apply(tiled_products, data, weight, tiles, filters, pad=pad)
    return apply(tiled_sums, data, products, pad=pad)


def image_settings(pad: Shape) -> dict[str, Any]:
    """The attributes with which images are packed."""
    sizes = {"kernel": (_WINDOW, _WINDOW), "stride": (_SIDE, _SIDE), "pad": pad}
    return {**sizes, "covers": True}


class _TileStep(Step):
    """A transformation of the tiles of an image."""

    def __init__(self, node: Node, facts: Facts) -> None:
        self.node, self.pad = node, node.applied.settings["pad"]
        self.operands = (node.inputs[1], node.entry())
        self.images = node.inputs[0]


class TiledImagesStep(_TileStep):
    """The transformation of images; a unit is a pair of channels of an image."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        self.code = (emit_images,)

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The rows and columns of tiles, the tiles of a plane, the pairs, the tiles of a row and a phase."""
        images, layout = facts.shapes[self.images], _layout(self.pad)
        own = _plane(images, self.pad), layout.pairs(images)
        return *_tiles(images, self.pad), *own, layout.grid(images)[2], layout.phase_size(images)

    def units(self, facts: Facts) -> int:
        """The pairs of all images."""
        images = facts.shapes[self.images]
        return images[0] * _layout(self.pad).pairs(images)


class TiledProductsStep(IntegerProductStep):
    """The 16 products of tiles and filters."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, IntegerTile.of(host()))
        self.pad = node.applied.settings["pad"]

    def sizes(self, facts: Facts) -> ProductSizes:
        """The sizes of one product."""
        images = facts.shapes[self.node.inputs[0]]
        filters, pairs = facts.shapes[self.node.inputs[1]][0], _layout(self.pad).pairs(images)
        rows, columns = _tiles(images, self.pad)
        plane = _plane(images, self.pad)
        tiles = -(-filters // self.tile.rows)
        return ProductSizes(
            groups=PRODUCTS,
            rows=filters,
            pairs=pairs,
            columns=rows * columns,
            row_bytes=tiles * self.tile.rows * pairs * PAIR,
            column_bytes=pairs * plane * PAIR,
            sum_bytes=filters * plane * 4,
            unit_bytes=unit_columns(self.tile) * PAIR,
            distance=plane * PAIR,
            lead=plane * 4,
            places=[0],
        )

    def blocks(self, facts: Facts) -> int:
        """The products of all images."""
        return facts.shapes[self.node.inputs[0]][0] * PRODUCTS


class TiledSumsStep(_TileStep):
    """The sums of tiles from their products; a unit is a filter of an image."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        self.code = (emit_sums,)

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The rows and columns of tiles, the tiles of a plane, the filters."""
        images, filters = facts.shapes[self.images], facts.shapes[self.node.entry()][1]
        return *_tiles(images, self.pad), _plane(images, self.pad), filters

    def units(self, facts: Facts) -> int:
        """The filters of all images."""
        images, filters, *_ = facts.shapes[self.node.entry()]
        return images * filters


class _TileWriter(Writer):
    """Writes transformations of tiles side by side, as many as a register has lanes.

    Attributes
    ----------
    down, across : the rows and columns of tiles
    """

    def __init__(self, module: LLVMModule, name: str) -> None:
        super().__init__(module, name)
        self.source, self.goal = self.operand(0), self.operand(1)
        self.down, self.across = self.number(0), self.number(1)

    def combined(self, factors: Sequence[int], values: Sequence[str], kind: str) -> str:
        """The sum of values, each times 0, 1 or -1; the first of them is not negative."""
        first = next(k for k, factor in enumerate(factors) if factor > 0)
        total = values[first]
        for k, (factor, value) in enumerate(zip(factors, values, strict=True)):
            if factor and k != first:
                total = (self.f.add if factor > 0 else self.f.sub)(total, value, kind)
        return total

    def transformed(
        self, matrix: Matrix, square: Sequence[Sequence[str]], kind: str
    ) -> list[list[str]]:
        """A matrix times a square times the transpose of the matrix."""
        columns = [
            [self.combined(factors, column, kind) for factors in matrix]
            for column in zip(*square, strict=True)
        ]
        return [
            [self.combined(factors, row, kind) for factors in matrix]
            for row in zip(*columns, strict=True)
        ]

    def positions(self, first: str) -> str:
        """The column of the first tile in a register: the last register of a row overlaps the one before."""
        last = self.most(self.minus(self.across, self.lanes), 0)
        return self.least(first, last)


def emit_images(module: LLVMModule, name: str) -> None:
    """Write the function that transforms images."""
    w = _TileWriter(module, name)
    f, kind = w.f, f"<{2 * w.lanes} x i16>"
    plane, pairs, width, phase_size = (w.number(2 + i) for i in range(4))
    with f.loop("%begin", "%end") as unit:
        image, pair = w.divided(unit, pairs)
        here = w.moved(w.source, unit, w.times(phase_size, _SIDE * _SIDE * PAIR))
        number = w.plus(w.times(w.times(image, PRODUCTS), pairs), pair)
        there = w.moved(w.goal, number, w.times(plane, PAIR))
        distance = w.times(w.times(plane, pairs), PAIR)
        with f.loop("0", w.down) as row, f.loop("0", w.across, w.lanes) as first:
            column = w.positions(first)
            square = []
            for i in range(_WINDOW):
                line = w.plus(w.times(w.plus(row, i // _SIDE), width), column)
                places = [
                    w.plus(
                        w.plus(line, j // _SIDE), w.times(phase_size, i % _SIDE * _SIDE + j % _SIDE)
                    )
                    for j in range(_WINDOW)
                ]
                square.append([f.load(kind, w.moved(here, place, PAIR), 2) for place in places])
            end = w.moved(there, w.plus(w.times(row, w.across), column), PAIR)
            for values in w.transformed(_IMAGES, square, kind):
                for value in values:
                    f.store(kind, value, end, 2)
                    end = w.moved(end, distance)
    f.finish()


def emit_sums(module: LLVMModule, name: str) -> None:
    """Write the function that transforms products to sums."""
    w = _TileWriter(module, name)
    f, lanes = w.f, w.lanes
    kind, wide = f"<{lanes} x i32>", f"<{2 * lanes} x i32>"
    plane, filters = w.number(2), w.number(3)
    edge = f.slot(wide)
    size = w.times(w.across, _SIDE * 4)
    is_narrow = f.compare("slt", w.across, lanes)
    order = [k + half * lanes for k in range(lanes) for half in range(_SIDE)]
    with f.loop("%begin", "%end") as unit:
        image, number = w.divided(unit, filters)
        first_plane = w.plus(w.times(w.times(image, PRODUCTS), filters), number)
        here = w.moved(w.source, first_plane, w.times(plane, 4))
        distance = w.times(w.times(plane, filters), 4)
        there = w.moved(w.goal, unit, w.times(w.times(w.down, _SIDE), size))
        with f.loop("0", w.down) as row, f.loop("0", w.across, lanes) as first:
            column = w.positions(first)
            start = w.moved(here, w.plus(w.times(row, w.across), column), 4)
            square: list[list[str]] = []
            for _ in range(_WINDOW):
                square.append([])
                for _ in range(_WINDOW):
                    square[-1].append(f.load(kind, start, 4))
                    start = w.moved(start, distance)
            line = w.moved(there, w.times(row, _SIDE), size)
            for pair in w.transformed(_SUMS, square, kind):
                both = f.shuffle(kind, pair[0], pair[1], order)
                quarter = f"splat (i32 {_SIDE})"
                value = f.binary("ashr", both, quarter, wide)
                end = w.moved(line, column, _SIDE * 4)
                with f.when(f.negated(is_narrow)):
                    f.store(wide, value, end, 4)
                with f.when(is_narrow):
                    f.store(wide, value, edge)
                    f.copy(end, edge, size)
                line = w.moved(line, size)
    f.finish()


lower(tiled_images, step="small_integers.winograd:TiledImagesStep")
lower(tiled_products, step="small_integers.winograd:TiledProductsStep")
lower(tiled_sums, step="small_integers.winograd:TiledSumsStep")
