"""The function that sums the products of a tile: some rows times the columns of a few registers.

    sums[row][column] += Σ rows[pair][tap][row] · columns[pair][tap][column], two products each

Two neighbours are multiplied and added by one instruction (vpmaddwd), or added to the sum, too (vpdpwssd): LLVM
selects it for the sum of two products of int16. Both are exact.
"""

from collections.abc import Callable, Sequence

from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.target import Target
from gluonic.codegen.small_integers.geometry import PAIR
from gluonic.support.record import record

_ARGUMENTS = (
    "ptr %rows", "ptr %columns", "ptr %sums", "i64 %lead", "i64 %pairs", "i64 %distance", "i64 %taps",
    "ptr %places", "i64 %height", "i64 %width", "i1 %fresh",
)  # fmt: skip
_AHEAD = 4
"""The pairs of an iteration if there is one tap."""


@record
class IntegerTile:
    """The size of a tile.

    Attributes
    ----------
    lanes : the sums in a register
    rows, vectors : the rows of a tile, and its columns in registers
    """

    lanes: int
    rows: int
    vectors: int

    @staticmethod
    def of(target: Target, *, is_row: bool = False) -> "IntegerTile":
        """The tile for a processor: registers hold the sums, two columns, a row and a product.

        Parameters
        ----------
        is_row : whether the product has one row
        """
        lanes = target.vector_bytes // 4
        if is_row:
            return IntegerTile(lanes, 1, 4)
        return IntegerTile(lanes, 12 if target.vector_registers >= 32 else 6, 2)

    @property
    def columns(self) -> int:
        """The columns of a tile."""
        return self.lanes * self.vectors

    @property
    def symbol(self) -> str:
        """The name of the function."""
        return f"integer_tile_{self.rows}_{self.vectors}"


def emit_tile(module: LLVMModule, tile: IntegerTile) -> None:
    """Write the function of a tile.

    Its arguments are the addresses of the factors and sums; the bytes between rows of sums; the pairs of
    neighbours, the bytes between their columns, the taps and their places in bytes; the rows and columns to
    store; and whether sums begin with zero.
    """
    _TileWriter(LLVMFunction(module, tile.symbol, _ARGUMENTS, internal=True), tile).write()


class _TileWriter:
    """Writes the function of a tile."""

    def __init__(self, function: LLVMFunction, tile: IntegerTile) -> None:
        self.f, self.tile = function, tile
        lanes = tile.lanes
        self.vector, self.halves = f"<{lanes} x i32>", f"<{2 * lanes} x i16>"
        self.sums = [
            [function.slot(self.vector) for _ in range(tile.vectors)] for _ in range(tile.rows)
        ]
        self.edge = function.slot(f"[{tile.columns} x i32]")
        is_high = function.compare("eq", "%height", tile.rows)
        is_wide = function.compare("eq", "%width", tile.columns)
        self.is_whole = function.both(is_high, is_wide)

    def write(self) -> None:
        """Write the function."""
        f = self.f
        for line in self.sums:
            for slot in line:
                f.store(self.vector, "zeroinitializer", slot)
        with f.when(f.negated("%fresh")):
            self._transfer(self._resume, self._resume_edge)
        is_one = f.compare("eq", "%taps", 1)
        step = self.tile.rows * PAIR
        with f.when(is_one):
            middle = f.bits("%pairs", -_AHEAD)
            with f.loop("0", middle, _AHEAD) as pair:
                self._some_pairs(pair, _AHEAD, step)
            with f.loop(middle, "%pairs") as pair:
                self._some_pairs(pair, 1, step)
        with f.when(f.negated(is_one)), f.loop("0", "%pairs") as pair:
            rows = f.offset("%rows", f.mul(f.mul(pair, "%taps"), step))
            columns = f.offset("%columns", f.mul(pair, "%distance"))
            with f.loop("0", "%taps") as tap:
                place = f.load("i64", f.offset("%places", tap, "i64"))
                self._add(f.offset(rows, f.mul(tap, step)), f.offset(columns, place))
        self._transfer(self._store, self._store_edge)
        f.finish()

    def _some_pairs(self, pair: str, count: int, step: int) -> None:
        f = self.f
        rows = f.offset("%rows", f.mul(pair, step))
        columns = f.offset("%columns", f.mul(pair, "%distance"))
        for k in range(count):
            self._add(f.offset(rows, k * step), columns)
            columns = f.offset(columns, "%distance")

    def _add(self, rows: str, columns: str) -> None:
        """Add the products of a pair of neighbours."""
        f, lanes = self.f, self.tile.lanes
        factors = [
            f.load(self.halves, f.offset(columns, k * lanes * PAIR), 2)
            for k in range(self.tile.vectors)
        ]
        for row, line in enumerate(self.sums):
            pair = f.load("i32", f.offset(rows, row * PAIR), 4)
            spread = f.cast("bitcast", f.splat("i32", pair, lanes), self.vector, self.halves)
            for factor, slot in zip(factors, line, strict=True):
                total = f.add(f.load(self.vector, slot), self._dot(spread, factor), self.vector)
                f.store(self.vector, total, slot)

    def _dot(self, a: str, b: str) -> str:
        """The sums of the products of neighbours."""
        f, lanes = self.f, self.tile.lanes
        products = []
        for first in (0, 1):
            wide = []
            for factor in (a, b):
                own = f.shuffle(self.halves, factor, "poison", range(first, 2 * lanes, 2))
                wide.append(f.cast("sext", own, f"<{lanes} x i16>", self.vector))
            products.append(f.mul(wide[0], wide[1], self.vector))
        return f.add(products[0], products[1], self.vector)

    # -- sums in memory -----------------------------------------------------------------------

    def _transfer(
        self,
        whole: Callable[[str, Sequence[str]], None],
        edge: Callable[[str, Sequence[str], str], None],
    ) -> None:
        """Write code for whole tiles, and for those at the edge."""
        with self.f.when(self.is_whole):
            for row, line in enumerate(self.sums):
                whole(self._line(row), line)
        with self.f.when(self.f.negated(self.is_whole)):
            size = self.f.mul("%width", 4)
            for row, line in enumerate(self.sums):
                with self.f.when(self.f.compare("sgt", "%height", row)):
                    edge(self._line(row), line, size)

    def _line(self, row: int) -> str:
        return self.f.offset("%sums", self.f.mul("%lead", row))

    def _resume(self, address: str, line: Sequence[str]) -> None:
        for number, slot in enumerate(line):
            place = self.f.offset(address, number * self.tile.lanes * 4)
            self.f.store(self.vector, self.f.load(self.vector, place, 4), slot)

    def _resume_edge(self, address: str, line: Sequence[str], size: str) -> None:
        self.f.copy(self.edge, address, size)
        self._resume(self.edge, line)

    def _store(self, address: str, line: Sequence[str]) -> None:
        for number, slot in enumerate(line):
            place = self.f.offset(address, number * self.tile.lanes * 4)
            self.f.store(self.vector, self.f.load(self.vector, slot), place, 4)

    def _store_edge(self, address: str, line: Sequence[str], size: str) -> None:
        self._store(self.edge, line)
        self.f.copy(address, self.edge, size)
