"""The kernel of a product: a block of threads computes a tile, a thread a part of it in its registers.

While a block multiplies one tile of each factor in shared memory, the next ones are on their way. Where an
output is so small that few blocks would run, each sums a part of the products; a second kernel adds the parts
in order.
"""

from __future__ import annotations

from collections.abc import Sequence

from gluonic.codegen.cuda.block_code import BlockCode, Int
from gluonic.codegen.cuda.products.factors import FactorTiles
from gluonic.codegen.cuda.products.form import BlockTile, TiledForm
from gluonic.codegen.cuda.products.results import Results
from gluonic.codegen.cuda.products.units import OrdinaryUnits, TensorUnits
from gluonic.codegen.machine.assembler import LLVMModule

_GROUP = 8
"""Blocks that run together share so many rows of tiles, which then stay in the second-level cache."""


def write_product(module: LLVMModule, name: str, form: TiledForm, tile: BlockTile) -> None:
    """Write the kernel; its operands are the factors, the bias if there is one, and the result."""
    operands = 4 if form.bias else 3
    code = BlockCode(module, name, operands, form.numbers(), tile.threads, tile.blocks)
    _ProductCode(code, form, tile).write()
    code.finish()


class _ProductCode:
    """Writes one kernel."""

    def __init__(self, code: BlockCode, form: TiledForm, tile: BlockTile) -> None:
        self.code, self.form, self.tile = code, form, tile

    def write(self) -> None:
        """Write all of it."""
        code, form, tile = self.code, self.form, self.tile
        row, column = self._tile_of_block()
        self.units = (TensorUnits if tile.on_tensor_cores else OrdinaryUnits)(code, form, tile)
        left = FactorTiles(code, form, tile, "left", self._base(0, "left"), row)
        right = FactorTiles(code, form, tile, "right", self._base(1, "right"), column)
        begin: Int = code.mul32(self.part, code.number("part"))
        end = code.min32(code.add32(begin, code.number("part")), code.number("inner"))
        sums = (self._copied if tile.is_copied else self._loaded)(left, right, begin, end)
        self._store(sums, row, column)

    @property
    def _zeros(self) -> list[tuple[str, Int]]:
        """The types and first values of the sums."""
        return [(self.form.kind, "0.0")] * (self.tile.high * self.tile.wide)

    def _loaded(self, left: FactorTiles, right: FactorTiles, begin: Int, end: Int) -> list[str]:
        """The sums; the next tiles are in registers while these are multiplied."""
        code, factors = self.code, (left, right)
        for factor in factors:
            factor.keep(factor.load(begin, end), 0)
        code.barrier()
        loop = code.begin_loop([("i32", begin), ("i32", 0), *self._zeros])
        now, turn, *sums = loop.values
        following, other = code.add32(now, self.tile.depth), code.sub32(1, turn)
        loaded = [factor.load(following, end) for factor in factors]
        sums = self.units.multiplied(left, right, turn, sums)
        for factor, values in zip(factors, loaded, strict=True):
            factor.keep(values, code.mul32(other, factor.size))
        code.barrier()
        code.end_loop(loop, [following, other, *sums], code.less(following, end))
        return sums

    def _copied(self, left: FactorTiles, right: FactorTiles, begin: Int, end: Int) -> list[str]:
        """The sums; asynchronous copies run ahead by all stages but one."""
        code, stages, depth = self.code, self.tile.stages, self.tile.depth
        for stage in range(stages - 1):
            for factor in (left, right):
                factor.copy(code.add32(begin, stage * depth), end, stage * factor.size)
            code.end_copies()
        loop = code.begin_loop([("i32", begin), ("i32", 0), ("i32", stages - 1), *self._zeros])
        now, turn, free, *sums = loop.values
        code.wait_for_copies(stages - 2)
        code.barrier()  # the tiles of this round are there, and nobody reads those of the last one
        ahead = code.add32(now, (stages - 1) * depth)
        with code.when(code.less(ahead, end)):
            for factor in (left, right):
                factor.copy(ahead, end, code.mul32(free, factor.size))
        code.end_copies()
        sums = self.units.multiplied(left, right, turn, sums)
        after = code.add32(turn, 1)
        wrapped = code.select(code.same(after, stages), 0, after, "i32")
        following = code.add32(now, depth)
        code.end_loop(loop, [following, wrapped, turn, *sums], code.less(following, end))
        return sums

    def _tile_of_block(self) -> tuple[Int, Int]:
        """The first row and column of the block's tile; its batch, head and part."""
        code, tile = self.code, self.tile
        down = code.div32(code.add32(code.number("rows"), tile.rows - 1), tile.rows)
        across = code.div32(code.add32(code.number("columns"), tile.columns - 1), tile.columns)
        tiles = code.mul32(down, across)
        index, outer = code.rem32(code.block_index, tiles), code.div32(code.block_index, tiles)
        self.part = code.rem32(outer, code.number("parts"))
        matrix = code.div32(outer, code.number("parts"))
        self.head = code.rem32(matrix, code.number("heads"))
        self.batch = code.div32(matrix, code.number("heads"))
        of_group = code.mul32(across, _GROUP)
        first = code.mul32(code.div32(index, of_group), _GROUP)
        rest = code.rem32(index, of_group)
        height = code.min32(code.sub32(down, first), _GROUP)
        row = code.add32(first, code.rem32(rest, height))
        return (
            code.mul32(row, tile.rows),
            code.mul32(code.div32(rest, height), tile.columns),
        )

    def _base(self, operand: int, name: str) -> str:
        """The address of an operand's elements for the block's batch and head."""
        steps = [(self.batch, f"{name}.batch"), (self.head, f"{name}.head"), (1, f"{name}.begin")]
        return self.code.part_of(operand, steps, self.form.stored)

    def _store(self, sums: Sequence[str], row: Int, column: Int) -> None:
        """Store a thread's sums, in groups of neighbours."""
        code, form, units = self.code, self.form, self.units
        last = 3 if form.bias else 2
        results = Results(code, form, last, 2, (self.batch, self.head, self.part))
        groups = [
            results.columns(code.add32(column, first), units.group) for first in units.columns()
        ]
        rows = [results.row(code.add32(row, own)) for own in units.rows()]
        results.store(rows, groups, sums)
