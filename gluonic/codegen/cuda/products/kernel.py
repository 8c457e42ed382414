"""The kernel of a product: a block of threads computes a tile, a thread a part of it in its registers.

While a block multiplies one tile of each factor in shared memory, the next ones are on their way. Where an
output is so small that few blocks would run, each sums a part of the products; a second kernel adds the parts
in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from gluonic.codegen.cuda.block_code import SHARED, Int
from gluonic.codegen.cuda.products.boxes import BoxTiles, StageBarriers
from gluonic.codegen.cuda.products.factors import FactorTiles
from gluonic.codegen.cuda.products.form import BlockTile, FactorForm, TiledForm, Units
from gluonic.codegen.cuda.products.matrix_units import MatrixUnits, WarpgroupUnits
from gluonic.codegen.cuda.products.results import Results
from gluonic.codegen.cuda.products.rounded import RoundedTiles
from gluonic.codegen.cuda.products.swizzled import SwizzledTiles
from gluonic.codegen.cuda.products.transactions import TransactionCode
from gluonic.codegen.cuda.products.units import (
    DoubleUnits,
    MultiplyingUnits,
    OrdinaryUnits,
    RoundedUnits,
)
from gluonic.codegen.cuda.products.window_tiles import WindowTiles
from gluonic.codegen.machine.assembler import LLVMModule

AnyTiles: TypeAlias = FactorTiles | SwizzledTiles
_UNITS: Mapping[Units, type[MultiplyingUnits[Any]]] = {
    "ordinary": OrdinaryUnits,
    "tf32": RoundedUnits,
    "float64": DoubleUnits,
    "matrices": MatrixUnits,
    "warpgroups": WarpgroupUnits,
}
_MULTIPLYING_REGISTERS, _COPYING_REGISTERS = 232, 40
"""The registers of a thread that multiplies, and of one that copies: of 65,536, for 256 and 128 threads."""
_EVERYBODY = 1
"""The number of the barrier of those who multiply."""
_GROUP = 8
"""Blocks that run together share so many rows of tiles, which then stay in the second-level cache."""


def write_product(module: LLVMModule, name: str, form: TiledForm, tile: BlockTile) -> None:
    """Write the kernel; its operands are the factors, and those of its tail."""
    operands = 2 + len(form.tail.reads) + len(form.tail.writes)
    numbers, tensors = form.numbers(), 2 if tile.producers else 0
    code = TransactionCode(
        module, name, operands, numbers, tile.threads, tile.blocks, tensors, is_written_out=True
    )
    _ProductCode(code, form, tile).write()
    code.finish()


class _ProductCode:
    """Writes one kernel."""

    def __init__(self, code: TransactionCode, form: TiledForm, tile: BlockTile) -> None:
        self.code, self.form, self.tile = code, form, tile

    def write(self) -> None:
        """Write all of it."""
        code, form, tile = self.code, self.form, self.tile
        row, column = self._tile_of_block()
        self.units = _UNITS[tile.units](code, form, tile)
        left, right = self._tiles(row, column)
        begin: Int = code.mul32(self.part, code.number("part"))
        end = code.min32(code.add32(begin, code.number("part")), code.number("inner"))
        if tile.producers:
            barriers = StageBarriers(code, tile)
            with code.branches(code.less(code.thread, tile.multiplying)) as turn:
                self._take_registers("inc", _MULTIPLYING_REGISTERS)
                self._store(self._consumed(left, right, begin, end, barriers), row, column)
                turn()
                self._take_registers("dec", _COPYING_REGISTERS)
                with code.when(code.same(code.thread, tile.multiplying)):
                    self._produce(left, right, begin, end, barriers)
            return
        sums = (self._copied if tile.is_copied else self._loaded)(left, right, begin, end)
        self._store(sums, row, column)

    def _take_registers(self, how: str, count: int) -> None:
        """Let a warp have more or fewer registers, if those of all threads would not be enough otherwise."""
        if self.tile.blocks == 1:
            self.code.assembly(f"setmaxnreg.{how}.sync.aligned.u32 {count};")

    @property
    def _zeros(self) -> list[tuple[str, Int]]:
        """The types and first values of the sums."""
        return [(self.form.kind, "0.0")] * (self.tile.high * self.tile.wide)

    def _tiles(self, row: Int, column: Int) -> tuple[Any, Any]:
        """The tiles of both factors; swizzled ones share what the launch gives."""
        code, form, tile = self.code, self.form, self.tile
        left = code, form, tile, "left", self._base(0, "left"), row
        right = code, form, tile, "right", self._base(1, "right"), column
        if not tile.is_swizzled:
            return FactorTiles(*left), FactorTiles(*right)
        array = code.launched_array()
        first = self._swizzled(form.left)(*left, array, 0)
        return first, self._swizzled(form.right)(*right, array, tile.stages * first.size)

    def _swizzled(self, factor: FactorForm) -> type[SwizzledTiles]:
        """What writes the copies of a factor in rows of 128 bytes."""
        if self.tile.producers:
            return BoxTiles
        if self.form.dtype.itemsize > 2:
            return RoundedTiles
        return WindowTiles if factor.axes else SwizzledTiles

    def _loaded(self, left: FactorTiles, right: FactorTiles, begin: Int, end: Int) -> list[str]:
        """The sums: first those of whole tiles, which are loaded as vectors, then those of what is left."""
        code, kind, depth = self.code, self.form.kind, self.tile.depth
        zeros = [str(zero) for _, zero in self._zeros]
        if 1 in (left.lanes, right.lanes):
            return self._rounds(left, right, begin, end, zeros, are_whole=False)
        length = code.mul32(code.div32(code.sub32(end, begin), depth), depth)
        are_whole = code.both(left.is_whole, right.is_whole)
        middle = code.select(are_whole, code.add32(begin, length), begin, "i32")
        sums = code.either(
            code.less(begin, middle),
            kind,
            lambda: self._rounds(left, right, begin, middle, zeros, are_whole=True),
            lambda: zeros,
        )
        return code.either(
            code.less(middle, end),
            kind,
            lambda: self._rounds(left, right, middle, end, sums, are_whole=False),
            lambda: sums,
        )

    def _rounds(
        self,
        left: FactorTiles,
        right: FactorTiles,
        begin: Int,
        end: Int,
        sums: Sequence[str],
        *,
        are_whole: bool,
    ) -> list[str]:
        """The sums after some products; the next tiles are in registers while these are multiplied."""
        code, factors, depth, units = self.code, (left, right), self.tile.depth, self.units
        multiplied = (
            units.multiplied
            if are_whole or 1 in (left.lanes, right.lanes)
            else units.multiplied_in_a_loop
        )
        for factor in factors:
            factor.keep(factor.load_whole(begin) if are_whole else factor.load(begin, end), 0)
        code.barrier()
        loop = code.begin_loop([("i32", begin), ("i32", 0), *((self.form.kind, s) for s in sums)])
        now, turn, *own = loop.values
        following, other = code.add32(now, depth), code.sub32(1, turn)
        if are_whole:  # after the last tile it is loaded again, which needs no branch
            there = code.min32(following, code.sub32(end, depth))
            loaded = [factor.load_whole(there) for factor in factors]
        else:
            loaded = [factor.load(following, end) for factor in factors]
        sums = multiplied(left, right, turn, own)
        for factor, values in zip(factors, loaded, strict=True):
            factor.keep(values, code.mul32(other, factor.size))
        code.barrier()
        code.end_loop(loop, [following, other, *sums], code.less(following, end))
        return sums

    def _copied(self, left: AnyTiles, right: AnyTiles, begin: Int, end: Int) -> list[str]:
        """The sums; asynchronous copies run ahead by as many stages as nobody reads."""
        code, units, stages, depth = self.code, self.units, self.tile.stages, self.tile.depth
        lead = stages - (2 if units.runs_on else 1)
        first = code.begin_loop([("i32", 0), ("i32", begin)])
        stage, at = first.values
        for factor in (left, right):
            factor.copy(at, end, code.mul32(stage, factor.size))
        code.end_copies()
        after = [code.add32(stage, 1), code.add32(at, depth)]
        code.end_loop(first, after, code.less(after[0], lead), unrolls=False)
        loop = code.begin_loop([("i32", begin), ("i32", 0), ("i32", lead), *self._zeros])
        now, turn, free, *sums = loop.values
        code.wait_for_copies(lead - 1)
        for factor in (left, right):
            factor.finish(code.mul32(turn, factor.size))
        units.publish()
        code.barrier()  # the tiles of this round are there, and nobody reads those at `free`
        ahead = code.add32(now, lead * depth)
        if units.runs_on:
            sums = units.multiplied(left, right, turn, sums)
        with code.when(code.less(ahead, end)):
            for factor in (left, right):
                factor.copy(ahead, end, code.mul32(free, factor.size))
        code.end_copies()
        if units.runs_on:
            units.wait()
        else:
            sums = units.multiplied(left, right, turn, sums)
        following = code.add32(now, depth)
        turns = [self._after(turn), self._after(free)]
        code.end_loop(loop, [following, *turns, *sums], code.less(following, end))
        return units.complete(sums)

    def _consumed(
        self, left: AnyTiles, right: AnyTiles, begin: Int, end: Int, barriers: StageBarriers
    ) -> list[str]:
        """The sums; another thread lets tiles be copied to the stages that are free."""
        code, units = self.code, self.units
        loop = code.begin_loop(
            [("i32", begin), *barriers.start(full=True), ("i32", 0), *self._zeros]
        )
        now, turn, parity, last, *sums = loop.values
        barriers.await_full(turn, parity)
        sums = units.multiplied(left, right, turn, sums)
        units.wait()
        is_later = code.negated(code.same(now, begin))
        barriers.free_if(code.both(is_later, code.same(units.lane, 0)), last)
        following = [code.add32(now, self.tile.depth), *barriers.after(turn, parity), turn]
        code.end_loop(loop, [*following, *sums], code.less(following[0], end))
        return units.complete(sums)

    def _produce(
        self, left: BoxTiles, right: BoxTiles, begin: Int, end: Int, barriers: StageBarriers
    ) -> None:
        """Let tiles be copied to free stages."""
        code = self.code
        loop = code.begin_loop([("i32", begin), *barriers.start(full=False)])
        now, turn, parity = loop.values
        barriers.await_free(turn, parity)
        full = barriers.fill(turn, left.size + right.size)
        for factor in (left, right):
            factor.copy_boxes(now, code.mul32(turn, factor.size), full)
        following = [code.add32(now, self.tile.depth), *barriers.after(turn, parity)]
        code.end_loop(loop, following, code.less(following[0], end), unrolls=False)

    def _after(self, turn: Int) -> str:
        """The number of the stage after another."""
        code, after = self.code, self.code.add32(turn, 1)
        return code.select(code.same(after, self.tile.stages), 0, after, "i32")

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
        results = Results(code, form, 2, (self.batch, self.head, self.part))
        if self.tile.is_swizzled:
            self._store_in_rows(results, sums, row, column)
            return
        groups = [
            results.columns(code.add32(column, first), units.group) for first in units.columns()
        ]
        rows = [results.row(code.add32(row, own)) for own in units.rows()]
        results.store(rows, groups, sums)

    def _store_in_rows(self, results: Results, sums: Sequence[str], row: Int, column: Int) -> None:
        """Exchange sums through shared memory, so that a thread stores as many neighbours as it can."""
        code, tile, units, kind = self.code, self.tile, self.units, self.form.kind
        size, lanes = self.form.sums.itemsize, self.form.lanes
        array, pitch = code.launched_array(), tile.columns + 2 * lanes  # banks differ
        self._meet()
        own = iter(sums)
        for line in units.rows():
            for first in units.columns():
                pair = [next(own) for _ in range(units.group)]
                index = code.add32(code.mul32(line, pitch), first)
                code.write_vector(SHARED, array, index, kind, pair, size)
        self._meet()
        across = tile.columns // lanes
        place = code.mul32(code.rem32(code.thread, across), lanes)
        group = results.columns(code.add32(column, place), lanes)
        loop = code.begin_loop([("i32", code.div32(code.thread, across))])
        (line,) = loop.values
        index = code.add32(code.mul32(line, pitch), place)
        values = code.read_vector(SHARED, array, index, kind, lanes, size)
        results.store([results.row(code.add32(row, line))], [group], values)
        following = code.add32(line, tile.multiplying // across)
        code.end_loop(loop, [following], code.less(following, tile.rows), unrolls=False)

    def _meet(self) -> None:
        """Wait for all threads that multiply."""
        if self.tile.producers:
            self.code.meet(_EVERYBODY, self.tile.multiplying)
        else:
            self.code.barrier()
