"""Tiles that the copy engine brings to shared memory as boxes of a matrix, and the barriers of their stages."""

from __future__ import annotations

from gluonic.codegen.cuda.block_code import Int
from gluonic.codegen.cuda.kernel_function import WARP
from gluonic.codegen.cuda.products.form import ROW, BlockTile
from gluonic.codegen.cuda.products.swizzled import CHUNKS, SwizzledTiles
from gluonic.codegen.cuda.products.transactions import TransactionCode

_BYTES = 8
"""Those of a barrier."""


class BoxTiles(SwizzledTiles):
    """Writes the copies of one factor's tiles: each panel is a box of the factor's matrix."""

    def copy_boxes(self, begin: Int, base: Int, barrier: Int) -> None:
        """Let the tile at an inner index be copied to a distance from the first; a barrier waits for it."""
        code = self.code
        assert isinstance(code, TransactionCode)
        tensor = code.tensor(0 if self.name == "left" else 1)
        columns, rows = (self.first, begin) if self.is_outer else (begin, self.first)
        for panel in range(self.panels):
            target = code.shared_address(self.array, base, self.start + panel * self.rows * ROW)
            column = code.add32(columns, panel * CHUNKS * self.form.together)
            code.copy_box(target, tensor, column, rows, barrier)


class StageBarriers:
    """For each stage a barrier for those who wait until it is full, and one until it is free.

    They lie behind the tiles. A stage is filled as often as it is free.
    """

    def __init__(self, code: TransactionCode, tile: BlockTile) -> None:
        self._code, self._stages, array = code, tile.stages, code.launched_array()
        self._full = code.shared_address(array, tile.shared_bytes - tile.barrier_bytes)
        self._free = code.add32(self._full, tile.stages * _BYTES)
        with code.when(code.same(code.thread, 0)):
            for stage in range(tile.stages):
                code.begin_transactions(code.add32(self._full, stage * _BYTES), 1)
                warps = tile.multiplying // WARP
                code.begin_transactions(code.add32(self._free, stage * _BYTES), warps)
            code.announce_transactions()
        code.barrier()

    def start(self, *, full: bool) -> list[tuple[str, Int]]:
        """The types and first values of a stage's number, and of the parity of the phase that is waited for."""
        return [("i32", 0), ("i32", 0 if full else 1)]  # all stages are free

    def after(self, stage: Int, parity: Int) -> list[Int]:
        """Those of the stage after another."""
        code, after = self._code, self._code.add32(stage, 1)
        is_last = code.same(after, self._stages)
        turned = code.exclusive_or(parity, code.cast("zext", is_last, "i1", "i32"))
        return [code.select(is_last, 0, after, "i32"), turned]

    def _of(self, first: Int, stage: Int) -> Int:
        return self._code.add32(first, self._code.mul32(stage, _BYTES))

    def await_full(self, stage: Int, parity: Int) -> None:
        """Wait until a stage is full."""
        self._code.await_phase(self._of(self._full, stage), parity)

    def await_free(self, stage: Int, parity: Int) -> None:
        """Wait until a stage is free."""
        self._code.await_phase(self._of(self._free, stage), parity)

    def free_if(self, condition: str, stage: Int) -> None:
        """A warp, one thread of which says so, does not need a stage any more."""
        self._code.arrive_if(condition, self._of(self._free, stage))

    def fill(self, stage: Int, size: int) -> Int:
        """Promise so many bytes for a stage; the address of the barrier that waits for them."""
        full = self._of(self._full, stage)
        self._code.arrive_for(size, full)
        return full
