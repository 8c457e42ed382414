"""Native steps of products of small integers: convolutions of packed images, dense layers of packed factors."""

from collections.abc import Sequence
from math import prod
from typing import Any

from gluonic.codegen.loops.costs import NANOSECONDS_A_PRODUCT
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.target import host
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.small_integers.geometry import PAIR
from gluonic.codegen.small_integers.operators import layout_of
from gluonic.codegen.small_integers.tile import IntegerTile, emit_tile
from gluonic.codegen.writers.writer import Writer
from gluonic.graph import Node
from gluonic.support.record import record

_COLUMN_BYTES = 1 << 14
"""The bytes of a tile's columns that are summed at once: they stay in the first-level cache for all rows."""
_TILES_A_UNIT = 4
"""The tiles of columns that a thread computes at once."""


def unit_columns(tile: IntegerTile) -> int:
    """The columns of a unit."""
    return tile.columns * _TILES_A_UNIT


@record
class ProductSizes:
    """The run-time numbers of products that share rows, such as filters.

    Attributes
    ----------
    groups : the number of blocks of rows; a block of columns has the rows of its number modulo this
    rows, pairs, columns : of a block: its rows, pairs of neighbours and columns
    row_bytes, column_bytes, sum_bytes : of a block
    unit_bytes : between the columns of two units
    distance : the bytes between columns of different pairs
    lead : the bytes between rows of sums
    places : the places of the taps in bytes
    """

    groups: int
    rows: int
    pairs: int
    columns: int
    row_bytes: int
    column_bytes: int
    sum_bytes: int
    unit_bytes: int
    distance: int
    lead: int
    places: Sequence[int]

    def numbers(self, tile: IntegerTile) -> Sequence[int]:
        """All numbers, and the pairs that are summed at once, and the taps."""
        own = (
            *(self.groups, self.rows, self.pairs, self.columns, self.row_bytes, self.column_bytes),
            *(self.sum_bytes, self.unit_bytes, self.distance, self.lead),
        )
        taps = len(self.places)
        at_once = max(_COLUMN_BYTES // (taps * tile.columns * PAIR), 1)
        return *own, at_once, taps, *self.places


class IntegerProductStep(Step):
    """Products of packed factors; a unit is some tiles of columns of a block."""

    def __init__(self, node: Node, tile: IntegerTile) -> None:
        self.node, self.tile = node, tile
        self.settings: Any = node.applied.view([None] * 5)
        self.operands = (*node.inputs[2:], node.entry())
        self.code = emit_products, tile

    def sizes(self, facts: Facts) -> ProductSizes:
        """The sizes for these shapes."""
        raise NotImplementedError

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The sizes of blocks."""
        return self.sizes(facts).numbers(self.tile)

    def blocks(self, facts: Facts) -> int:
        """The number of blocks of columns."""
        raise NotImplementedError

    def units(self, facts: Facts) -> int:
        """The parts of all blocks."""
        wide = unit_columns(self.tile)
        return self.blocks(facts) * -(-self.sizes(facts).columns // wide)

    def nanoseconds(self, facts: Facts) -> float:
        """The time for memory and for products."""
        sizes = self.sizes(facts)
        products = sizes.rows * sizes.columns * sizes.pairs * len(sizes.places)
        return super().nanoseconds(facts) + self.blocks(facts) * products * NANOSECONDS_A_PRODUCT


class IntegerConvolutionStep(IntegerProductStep):
    """The sums of a convolution: filters are rows, positions are columns."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, IntegerTile.of(host()))
        self.layout = layout_of(self.settings)

    def sizes(self, facts: Facts) -> ProductSizes:
        """The sizes of a group of an image."""
        layout, images = self.layout, facts.shapes[self.node.inputs[0]]
        filters = facts.shapes[self.node.inputs[1]][0] // layout.groups
        pairs, places = layout.pairs(images), [place * PAIR for place in layout.taps(images)]
        tiles = -(-filters // self.tile.rows)
        distance, lead = layout.pair_size(images) * PAIR, prod(layout.sums(images)) * 4
        return ProductSizes(
            groups=layout.groups,
            rows=filters,
            pairs=pairs,
            columns=layout.columns(images),
            row_bytes=tiles * self.tile.rows * pairs * len(places) * PAIR,
            column_bytes=pairs * distance,
            sum_bytes=filters * lead,
            unit_bytes=unit_columns(self.tile) * PAIR,
            distance=distance,
            lead=lead,
            places=places,
        )

    def blocks(self, facts: Facts) -> int:
        """The groups of all images."""
        return facts.shapes[self.node.inputs[0]][0] * self.layout.groups


class IntegerDenseStep(IntegerProductStep):
    """The sums of a dense layer: instances are rows, outputs are columns."""

    def __init__(self, node: Node, facts: Facts) -> None:
        is_row = node.applied.settings["height"] == 1
        super().__init__(node, IntegerTile.of(host(), is_row=is_row))

    def sizes(self, facts: Facts) -> ProductSizes:
        """The sizes of the only block."""
        output, weight = facts.shapes[self.node.entry()], facts.shapes[self.node.inputs[1]]
        pairs = -(-weight[1] // 2)
        return ProductSizes(
            groups=1,
            rows=prod(output[:-1]),
            pairs=pairs,
            columns=output[-1],
            row_bytes=0,
            column_bytes=0,
            sum_bytes=0,
            unit_bytes=unit_columns(self.tile) * pairs * PAIR,
            distance=unit_columns(self.tile) * PAIR,
            lead=output[-1] * 4,
            places=[0],
        )

    def blocks(self, facts: Facts) -> int:
        """One."""
        return 1


def emit_products(module: LLVMModule, name: str, tile: IntegerTile) -> None:
    """Write the loops over blocks, parts of the pairs, and tiles."""
    emit_tile(module, tile)
    w = Writer(module, name)
    f = w.f
    factors = w.operand(0), w.operand(1)
    sums = w.operand(2)
    groups, rows, pairs, columns, *sizes = (w.number(i) for i in range(10))
    row_bytes, column_bytes, sum_bytes, unit_bytes, distance, lead = sizes
    at_once, taps = w.number(10), w.number(11)
    places = f.offset("%numbers", 12, "i64")
    wide = unit_columns(tile)
    parts = w.quotient_up(columns, wide)
    step = w.times(w.times(taps, tile.rows), PAIR)
    with f.loop("%begin", "%end") as unit:
        block, part = w.divided(unit, parts)
        group = f.urem(block, groups)
        own_rows = w.moved(factors[1], group, row_bytes)
        own_columns = w.moved(w.moved(factors[0], block, column_bytes), part, unit_bytes)
        own_sums = w.moved(sums, block, sum_bytes)
        first = w.times(part, wide)
        stop = w.least(w.plus(first, wide), columns)
        with f.loop("0", pairs, at_once) as pair:
            count = w.least(at_once, w.minus(pairs, pair))
            fresh = f.compare("eq", pair, 0)
            ahead = w.moved(own_columns, pair, distance)
            with f.loop(first, stop, tile.columns) as column, f.loop("0", rows, tile.rows) as row:
                before = w.plus(
                    w.times(row, w.times(pairs, w.times(taps, PAIR))), w.times(pair, step)
                )
                f.run(
                    f"@{tile.symbol}",
                    ("ptr", w.moved(own_rows, before)),
                    ("ptr", w.moved(ahead, w.minus(column, first), PAIR)),
                    ("ptr", w.moved(w.moved(own_sums, row, lead), column, 4)),
                    ("i64", lead),
                    ("i64", count),
                    ("i64", distance),
                    ("i64", taps),
                    ("ptr", places),
                    ("i64", w.least(w.minus(rows, row), tile.rows)),
                    ("i64", w.least(w.minus(stop, column), tile.columns)),
                    ("i1", fresh),
                )
    f.finish()
