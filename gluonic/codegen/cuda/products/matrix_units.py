"""The products of two swizzled tiles of 16-bit numbers, with sums in float32."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gluonic.codegen.cuda.block_code import SHARED, BlockCode, Int
from gluonic.codegen.cuda.products.form import ROW, BlockTile, TiledForm
from gluonic.codegen.cuda.products.swizzled import CHUNK, SwizzledTiles
from gluonic.codegen.cuda.products.units import FOUR_FLOATS, HIGH, FragmentUnits

_DEEP = 16
"""The depth of a product of the instructions."""
_EIGHT = 8
"""The extents of a matrix that `ldmatrix` loads; and the rows that the swizzle tells apart."""
_FOUR_WORDS = "{ i32, i32, i32, i32 }"
_PRODUCTS = {
    "half": ("llvm.nvvm.mma.m16n8k16.row.col.f32.f32", "<2 x half>"),
    "bfloat": ("llvm.nvvm.mma.m16n8k16.row.col.bf16", "i32"),
}
"""By the type of a number: the instruction of LLVM's, and the type of two numbers there."""
_OF_WARPGROUPS = {"half": "f16", "bfloat": "bf16", "float": "tf32"}
"""What `wgmma` calls that type."""


class MatrixUnits(FragmentUnits[SwizzledTiles]):
    """``mma.sync`` on fragments that ``ldmatrix`` loads: a warp multiplies a part of the tiles."""

    def __init__(self, code: BlockCode, form: TiledForm, tile: BlockTile) -> None:
        super().__init__(code, form, tile)
        self._within = code.rem32(self.lane, _EIGHT)
        odd, upper = code.rem32(code.div32(self.lane, _EIGHT), 2), code.div32(self.lane, HIGH)
        # A lane points to a row of one of four matrices: 16 outer by 16 inner indices.
        self._left, self._right = (odd, upper), (upper, odd)

    def multiplied(
        self, left: SwizzledTiles, right: SwizzledTiles, turn: str, sums: Sequence[str]
    ) -> list[str]:
        """The warp's part."""
        sums = list(sums)
        for k in range(0, self.tile.depth, _DEEP):
            rows = [
                self._loaded(left, self._left, self.top, i * HIGH, k, turn)
                for i in range(self.down)
            ]
            columns = []
            for j in range(0, self.across, 2):
                both = self._loaded(right, self._right, self.start, j * _EIGHT, k, turn)
                columns += [both[:2], both[2:]]
            self.add_products(rows, columns, sums)
        return sums

    def _loaded(
        self, tiles: SwizzledTiles, own: tuple[Int, Int], start: Int, more: int, k: int, turn: str
    ) -> list[str]:
        """Four matrices: of 16 outer indices from `start` and `more` on, and of 16 inner ones from `k` on."""
        code, (outer, inner) = self.code, own
        first = code.add32(start, code.mul32(outer, _EIGHT), more)
        if tiles.is_outer:
            wide = ROW // tiles.form.dtype.itemsize
            row = code.add32(code.mul32(inner, _EIGHT), self._within, k)
            row = code.add32(row, code.mul32(code.div32(first, wide), tiles.depth))
            chunk = code.div32(code.rem32(first, wide), _EIGHT)
        else:
            row = code.add32(first, self._within)
            chunk = code.add32(inner, k // _EIGHT)
        place = code.mul32(code.exclusive_or(chunk, self._within), CHUNK)
        base = code.add32(code.mul32(turn, tiles.size), tiles.start)
        address = code.add32(code.mul32(row, ROW), place, base)
        turned = ".trans" if tiles.is_outer else ""
        name = f"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4{turned}.b16.p3"
        pointer = code.element(SHARED, tiles.array, address, "i8")
        return code.parts(code.call(name, _FOUR_WORDS, [(SHARED, pointer)]), _FOUR_WORDS, 4)

    def product(self, a: Sequence[str], b: Sequence[str], sums: Sequence[str]) -> list[str]:
        """By the instruction."""
        code, (name, pair) = self.code, _PRODUCTS[self.form.stored]
        words = [*a, *b]
        if pair != "i32":
            words = [code.cast("bitcast", word, "i32", pair) for word in words]
        operands = [*((pair, word) for word in words), *(("float", value) for value in sums)]
        return code.parts(code.call(name, FOUR_FLOATS, operands), FOUR_FLOATS, 4)


_GROUP, _GROUP_ROWS = 4, 64
"""The warps of a warpgroup, and the rows that it multiplies."""
_SWIZZLED = 1 << 62
"""In a descriptor of a matrix: rows of 128 bytes are swizzled."""


class WarpgroupUnits(FragmentUnits[SwizzledTiles]):
    """``wgmma``: four warps multiply 64 rows by all columns, straight from shared memory.

    The products of a round run on while those of the next one are begun.
    """

    runs_on = True

    @property
    def _deep(self) -> int:
        """The depth of a product of the instruction: 32 bytes."""
        return 32 // self.form.dtype.itemsize

    def multiplied(
        self, left: SwizzledTiles, right: SwizzledTiles, turn: str, sums: Sequence[str]
    ) -> list[str]:
        """The warpgroup's part."""
        code, sums = self.code, list(sums)
        group = code.mul32(code.div32(self.warp, _GROUP), _GROUP_ROWS * ROW)
        code.assembly("wgmma.fence.sync.aligned;")
        for k in range(0, self.tile.depth, self._deep):
            factors = [
                self._descriptor(tiles, k, code.add32(code.mul32(turn, tiles.size), distance))
                for tiles, distance in ((left, group), (right, 0))
            ]
            turns = [int(tiles.is_outer) for tiles in (left, right)]
            sums = self._product(sums, factors, turns)
        code.assembly("wgmma.commit_group.sync.aligned;")
        return sums

    def wait(self) -> None:
        """Wait for all groups of products but the last."""
        self.code.assembly("wgmma.wait_group.sync.aligned 1;")

    def publish(self) -> None:
        """Let the tensor cores, which read memory by themselves, see what the thread has written."""
        self.code.assembly("fence.proxy.async.shared::cta;")

    def complete(self, sums: Sequence[str]) -> list[str]:
        """The sums, which nobody may read before all products are done."""
        return self._changed(lambda registers: "wgmma.wait_group.sync.aligned 0;", sums, [])

    def _descriptor(self, tiles: SwizzledTiles, k: int, distance: Int) -> str:
        """That of a matrix: where it is, and how far apart its panels and its eights of rows are."""
        code = self.code
        along_k = k * ROW if tiles.is_outer else k * tiles.form.dtype.itemsize
        array = code.cast("ptrtoint", tiles.array, SHARED, "i32")
        address = code.add32(array, distance, tiles.start + along_k)
        unit = code.binary("and", code.binary("lshr", address, 4, "i32"), 0x3FFF, "i32")
        panel = tiles.rows * ROW // CHUNK if tiles.is_outer else 1
        constant = panel << 16 | (_EIGHT * ROW // CHUNK) << 32 | _SWIZZLED
        return code.binary("or", code.cast("zext", unit, "i32", "i64"), constant)

    def _product(
        self, sums: Sequence[str], factors: Sequence[str], turns: Sequence[int]
    ) -> list[str]:
        """The sums after the instruction, whose registers are those of eight columns after the other."""
        kind = _OF_WARPGROUPS[self.form.stored]
        ends = "" if kind == "tf32" else f", {turns[0]}, {turns[1]}"
        shape = f"m{_GROUP_ROWS}n{self.tile.columns}k{self._deep}"
        name = f"wgmma.mma_async.sync.aligned.{shape}.f32.{kind}.{kind}"
        places = [at for j in range(self.across) for at in self.fragment(0, j)]
        new = self._changed(
            lambda own, a, b: f"{name} {own}, {a}, {b}, 1, 1, 1{ends};",
            [sums[at] for at in places],
            factors,
        )
        result = list(sums)
        for at, value in zip(places, new, strict=True):
            result[at] = value
        return result

    def _changed(
        self, text: Callable[..., str], sums: Sequence[str], others: Sequence[str]
    ) -> list[str]:
        """The sums after an instruction, whose text gets the names of all of them and of other operands."""
        count = len(sums)
        kind = "{ " + ", ".join(["float"] * count) + " }"
        registers = "{" + ", ".join(f"${i}" for i in range(count)) + "}"
        numbers = [f"${2 * count + i}" for i in range(len(others))]
        constraints = ["=f"] * count + [str(i) for i in range(count)] + ["l"] * len(others)
        operands = [f"float {value}" for value in sums] + [f"i64 {value}" for value in others]
        code = self.code
        result = code.assembly(
            text(registers, *numbers),
            kind,
            ",".join(constraints),
            ", ".join(operands),
        )
        return code.parts(result, kind, count)
