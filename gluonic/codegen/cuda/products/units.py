"""The products of two tiles in shared memory: by a multiprocessor's ordinary units, or by its tensor cores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from gluonic.codegen.cuda.block_code import SHARED, BlockCode, Int
from gluonic.codegen.cuda.kernel_function import WARP
from gluonic.codegen.cuda.products.factors import FactorTiles
from gluonic.codegen.cuda.products.form import BlockTile, TiledForm
from gluonic.codegen.maths.values import FLOAT32

_ACROSS = 8
"""The threads of a warp, and those of them that are side by side: few, to read few different elements."""


Tiles = TypeVar("Tiles")


class MultiplyingUnits(ABC, Generic[Tiles]):
    """What computes the sums of a block's tile, and which of them a thread has.

    Attributes
    ----------
    group : the number of neighbouring columns that a thread has together
    runs_on : whether products run on after `multiplied`, until `wait` in the next round
    """

    group: int
    runs_on: bool = False

    def __init__(self, code: BlockCode, form: TiledForm, tile: BlockTile) -> None:
        self.code, self.form, self.tile = code, form, tile
        self.lane, self.warp = code.rem32(code.thread, WARP), code.div32(code.thread, WARP)

    @abstractmethod
    def rows(self) -> list[Int]:
        """The rows, within the tile, of the thread's sums, in increasing order."""

    @abstractmethod
    def columns(self) -> list[Int]:
        """The first columns, within the tile, of the thread's groups."""

    @abstractmethod
    def multiplied(self, left: Tiles, right: Tiles, turn: str, sums: Sequence[str]) -> list[str]:
        """The thread's sums, row by row, after the products of the tiles with the number `turn`."""

    def multiplied_in_a_loop(
        self, left: Tiles, right: Tiles, turn: str, sums: Sequence[str]
    ) -> list[str]:
        """As `multiplied`, by less code, where there is such."""
        return self.multiplied(left, right, turn, sums)

    def publish(self) -> None:
        """Write what lets the units see the thread's copies, before a barrier."""

    def wait(self) -> None:
        """Write what waits for the products of the round before this one."""

    def complete(self, sums: Sequence[str]) -> list[str]:
        """The sums after all products."""
        return list(sums)


class OrdinaryUnits(MultiplyingUnits[FactorTiles]):
    """Fused multiply-adds: a thread multiplies some rows and columns, in groups of 16 bytes."""

    def __init__(self, code: BlockCode, form: TiledForm, tile: BlockTile) -> None:
        super().__init__(code, form, tile)
        warps = tile.columns // tile.wide // _ACROSS
        pair, rest = code.rem32(self.lane, 2), code.div32(self.lane, 2)
        x, y = code.rem32(rest, _ACROSS), code.add32(pair, code.mul32(code.div32(rest, _ACROSS), 2))
        if not tile.pairs:
            x, y = code.rem32(self.lane, _ACROSS), code.div32(self.lane, _ACROSS)
        x = code.add32(x, code.mul32(code.rem32(self.warp, warps), _ACROSS))
        y = code.add32(y, code.mul32(code.div32(self.warp, warps), WARP // _ACROSS))
        self.high, self.group = min(form.lanes, tile.high), min(form.lanes, tile.wide)
        self.row, self.column = code.mul32(y, self.high), code.mul32(x, self.group)

    @staticmethod
    def _groups(extent: int, own: int, lanes: int) -> list[int]:
        """The distances from a thread's first row or column to each of its groups."""
        return [i * (extent // own) * lanes for i in range(own // lanes)]

    def rows(self) -> list[Int]:
        """Groups of neighbours, far apart."""
        groups = self._groups(self.tile.rows, self.tile.high, self.high)
        return [self.code.add32(self.row, first + i) for first in groups for i in range(self.high)]

    def columns(self) -> list[Int]:
        """Groups of neighbours, far apart."""
        groups = self._groups(self.tile.columns, self.tile.wide, self.group)
        return [self.code.add32(self.column, first) for first in groups]

    def multiplied(
        self, left: FactorTiles, right: FactorTiles, turn: str, sums: Sequence[str]
    ) -> list[str]:
        """Each of the thread's rows by each of its columns."""
        code, tile, sums = self.code, self.tile, list(sums)
        first = code.add32(code.mul32(turn, left.size), self.row)
        second = code.add32(code.mul32(turn, right.size), self.column)
        for k in range(tile.depth):
            self._add_products(left, right, (first, second), k, sums)
        return sums

    def multiplied_in_a_loop(
        self, left: FactorTiles, right: FactorTiles, turn: str, sums: Sequence[str]
    ) -> list[str]:
        """As `multiplied`; inner indices are rounds of a loop."""
        code = self.code
        first = code.add32(code.mul32(turn, left.size), self.row)
        second = code.add32(code.mul32(turn, right.size), self.column)
        loop = code.begin_loop([("i32", 0), *((self.form.kind, each) for each in sums)])
        k, *own = loop.values
        self._add_products(left, right, (first, second), k, own)
        after = code.add32(k, 1)
        code.end_loop(loop, [after, *own], code.less(after, self.tile.depth), unrolls=False)
        return own

    def _add_products(
        self, left: FactorTiles, right: FactorTiles, bases: tuple[Int, Int], k: Int, sums: list[str]
    ) -> None:
        """Add the products at an inner index to the sums."""
        tile = self.tile
        rows = self._elements(left, bases[0], k, tile.high, self.high)
        columns = self._elements(right, bases[1], k, tile.wide, self.group)
        for i, a in enumerate(rows):
            for j, b in enumerate(columns):
                at = i * tile.wide + j
                sums[at] = self._fused(a, b, sums[at])

    def _elements(self, factor: FactorTiles, base: Int, k: Int, own: int, lanes: int) -> list[str]:
        """The thread's elements of a factor at an inner index."""
        code, kind, size = self.code, self.form.kind, self.form.sums.itemsize
        line = code.mul32(k, factor.pitch)
        return [
            value
            for distance in self._groups(factor.extent, own, lanes)
            for value in code.read_vector(
                SHARED, factor.array, code.add32(base, line, distance), kind, lanes, size
            )
        ]

    def _fused(self, a: str, b: str, addend: str) -> str:
        kind = self.form.kind
        name = "llvm.fma.f32" if self.form.sums == FLOAT32 else "llvm.fma.f64"
        return self.code.call(name, kind, [(kind, a), (kind, b), (kind, addend)])


HIGH, WIDE, _DEEP = 16, 8, 8
"""The extents of a product of the instruction: 16 rows by 8 columns, 8 deep."""
FOUR_FLOATS = "{ float, float, float, float }"


class FragmentUnits(MultiplyingUnits[Tiles]):
    """Tensor cores: of each 16 rows by 8 columns of a warp's part, a thread has two neighbours in two rows.

    Attributes
    ----------
    top, start : the first row and column of the warp's part
    """

    group = 2

    def __init__(self, code: BlockCode, form: TiledForm, tile: BlockTile) -> None:
        super().__init__(code, form, tile)
        self.down, self.across = tile.warp[0] // HIGH, tile.warp[1] // WIDE
        warps = tile.columns // tile.warp[1]
        self.top = code.mul32(code.div32(self.warp, warps), tile.warp[0])
        self.start = code.mul32(code.rem32(self.warp, warps), tile.warp[1])
        self.line, self.place = code.div32(self.lane, 4), code.rem32(self.lane, 4)

    def rows(self) -> list[Int]:
        """Two rows of each part that is 16 high."""
        row = self.code.add32(self.top, self.line)
        return [self.code.add32(row, first) for first in range(0, self.tile.warp[0], HIGH // 2)]

    def columns(self) -> list[Int]:
        """Two columns of each part that is 8 wide."""
        column = self.code.add32(self.start, self.code.mul32(self.place, 2))
        return [self.code.add32(column, first) for first in range(0, self.tile.warp[1], WIDE)]

    def fragment(self, i: int, j: int) -> list[int]:
        """The numbers of the sums of a part of 16 rows by 8 columns, in the order of the instructions."""
        width = 2 * self.across
        return [(2 * i + down) * width + 2 * j + right for down in (0, 1) for right in (0, 1)]

    def add_products(
        self, rows: Sequence[Sequence[str]], columns: Sequence[Sequence[str]], sums: list[str]
    ) -> None:
        """Add the products of fragments of the left and of the right factor to the sums."""
        for i, a in enumerate(rows):
            for j, b in enumerate(columns):
                places = self.fragment(i, j)
                new = self.product(a, b, [sums[at] for at in places])
                for at, value in zip(places, new, strict=True):
                    sums[at] = value

    def product(self, a: Sequence[str], b: Sequence[str], sums: Sequence[str]) -> list[str]:
        """The sums of a part after the product of two fragments, for those that `add_products`."""
        raise NotImplementedError(f"products of fragments by {type(self).__name__}")


class ElementUnits(FragmentUnits[FactorTiles]):
    """``mma.sync`` on fragments that are loaded element by element."""

    def multiplied(
        self, left: FactorTiles, right: FactorTiles, turn: str, sums: Sequence[str]
    ) -> list[str]:
        """The warp's part."""
        code, sums = self.code, list(sums)
        code.converge()  # after loads of single elements
        first = code.add32(code.mul32(turn, left.size), self.top, self.line)
        second = code.add32(code.mul32(turn, right.size), self.start, self.line)
        for k in range(0, self.tile.depth, _DEEP):
            depths = [code.mul32(code.add32(self.place, k + 4 * i), left.pitch) for i in (0, 1)]
            rows = [
                [self._element(left, first, i * HIGH + half * 8, depth)
                 for depth in depths for half in (0, 1)]
                for i in range(self.down)
            ]  # fmt: skip
            depths = [code.mul32(code.add32(self.place, k + 4 * i), right.pitch) for i in (0, 1)]
            columns = [
                [self._element(right, second, j * WIDE, depth) for depth in depths]
                for j in range(self.across)
            ]
            self.add_products(rows, columns, sums)
        return sums

    def _element(self, factor: FactorTiles, base: Int, distance: int, depth: Int) -> str:
        """An element of a factor, as the instruction wants it."""
        code = self.code
        return code.read(SHARED, factor.array, code.add32(base, depth, distance), self.form.kind)


class RoundedUnits(ElementUnits):
    """Factors are rounded to TF32; sums are in float32."""

    def _element(self, factor: FactorTiles, base: Int, distance: int, depth: Int) -> str:
        value = super()._element(factor, base, distance, depth)
        return self.code.call("llvm.nvvm.f2tf32.rna", "i32", [("float", value)])

    def product(self, a: Sequence[str], b: Sequence[str], sums: Sequence[str]) -> list[str]:
        """By the instruction."""
        operands = [*(("i32", value) for value in (*a, *b)), *(("float", value) for value in sums)]
        name = "llvm.nvvm.mma.m16n8k8.row.col.tf32"
        return self.code.parts(self.code.call(name, FOUR_FLOATS, operands), FOUR_FLOATS, 4)


class DoubleUnits(ElementUnits):
    """All numbers are in float64."""

    def product(self, a: Sequence[str], b: Sequence[str], sums: Sequence[str]) -> list[str]:
        """By the instruction."""
        count, factors = len(sums), [*a, *b]
        names = [f"${i}" for i in range(count + len(factors))]
        groups = names[:count], names[count:-2], names[-2:], names[:count]
        text = ", ".join(f"{{{', '.join(group)}}}" for group in groups)
        kind = "{ " + ", ".join(["double"] * count) + " }"
        result = self.code.assembly(
            f"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {text};",
            kind,
            ",".join(["=d"] * count + ["d"] * len(factors) + [str(i) for i in range(count)]),
            ", ".join(f"double {value}" for value in (*factors, *sums)),
        )
        return self.code.parts(result, kind, count)
