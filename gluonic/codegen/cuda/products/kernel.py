"""The kernel of a product: a block of threads computes a tile, a thread a part of it in its registers.

While a block multiplies one tile of each factor in shared memory, the next ones are on their way. Where an
output is so small that few blocks would run, each sums a part of the products; a second kernel adds the parts
in order.
"""

from __future__ import annotations

from collections.abc import Sequence

from gluonic.codegen.cuda.block_code import SHARED, BlockCode, Int
from gluonic.codegen.cuda.products.factors import FactorTiles
from gluonic.codegen.cuda.products.form import BlockTile, TiledForm
from gluonic.codegen.cuda.products.results import Results
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
        self._thread_place()
        left = FactorTiles(code, form, tile, "left", self._base(0, "left"), row)
        right = FactorTiles(code, form, tile, "right", self._base(1, "right"), column)
        begin: Int = code.mul32(self.part, code.number("part"))
        end = code.min32(code.add32(begin, code.number("part")), code.number("inner"))
        sums = (self._copied if tile.is_copied else self._loaded)(left, right, begin, end)
        self._store(sums, code.add32(row, self.own_row), code.add32(column, self.own_column))

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
        sums = self._multiplied(left, right, turn, sums)
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
        sums = self._multiplied(left, right, turn, sums)
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

    def _thread_place(self) -> None:
        """The first row and column of a thread's part, within the tile: warps are 4 threads high."""
        code, tile, lanes = self.code, self.tile, self.form.lanes
        wide = tile.columns // tile.wide
        across = min(8, wide)
        down = 32 // across
        lane, warp = code.rem32(code.thread, 32), code.div32(code.thread, 32)
        warps = wide // across
        x = code.add32(code.rem32(lane, across), code.mul32(code.rem32(warp, warps), across))
        y = code.add32(code.div32(lane, across), code.mul32(code.div32(warp, warps), down))
        self.own_row = code.mul32(y, min(lanes, tile.high))
        self.own_column = code.mul32(x, min(lanes, tile.wide))

    def _groups(self, extent: int, own: int) -> list[int]:
        """The distances from a thread's first row or column to each of its groups of `lanes`."""
        lanes = min(self.form.lanes, own)
        return [i * (extent // own) * lanes for i in range(own // lanes)]

    def _multiplied(
        self, left: FactorTiles, right: FactorTiles, turn: str, sums: Sequence[str]
    ) -> list[str]:
        """The sums, after the products of one tile."""
        code, form, tile = self.code, self.form, self.tile
        bases = [
            code.add32(code.mul32(turn, factor.size), own)
            for factor, own in ((left, self.own_row), (right, self.own_column))
        ]
        sums = list(sums)
        for k in range(tile.depth):
            sides = []
            for factor, base, own in (
                (left, bases[0], tile.high),
                (right, bases[1], tile.wide),
            ):
                lanes = min(form.lanes, own)
                sides.append(
                    [
                        value
                        for distance in self._groups(factor.extent, own)
                        for value in code.read_vector(
                            SHARED,
                            factor.array,
                            code.add32(base, k * factor.pitch + distance),
                            form.kind,
                            lanes,
                            form.sums.itemsize,
                        )
                    ]
                )
            for i, a in enumerate(sides[0]):
                for j, b in enumerate(sides[1]):
                    at = i * tile.wide + j
                    sums[at] = self._fused(a, b, sums[at])
        return sums

    def _fused(self, a: str, b: str, addend: str) -> str:
        kind = self.form.kind
        suffix = {"float": "f32", "double": "f64"}[kind]
        return self.code.call(f"llvm.fma.{suffix}", kind, [(kind, a), (kind, b), (kind, addend)])

    def _store(self, sums: Sequence[str], row: Int, column: Int) -> None:
        """Store a thread's sums, in groups of neighbours."""
        code, form, tile = self.code, self.form, self.tile
        last = 3 if form.bias else 2
        results = Results(code, form, last, 2, (self.batch, self.head, self.part))
        wide, high = min(form.lanes, tile.wide), min(form.lanes, tile.high)
        groups = [
            results.columns(code.add32(column, distance), wide)
            for distance in self._groups(tile.columns, tile.wide)
        ]
        rows = [
            results.row(code.add32(row, distance + i))
            for distance in self._groups(tile.rows, tile.high)
            for i in range(high)
        ]
        results.store(rows, groups, sums)
