"""Tiles of factors in float32 in shared memory, rounded to TF32 there, in rows of 128 bytes.

Tensor cores want the inner index to be the contiguous one. Where it is not so in memory, numbers are copied
one by one; a warp brings 8 outer by 4 inner indices at a time, which are in different banks.
"""

from __future__ import annotations

from collections.abc import Callable

from gluonic.codegen.cuda.block_code import GLOBAL, SHARED, BlockCode, Int
from gluonic.codegen.cuda.products.form import ROW, BlockTile, TiledForm
from gluonic.codegen.cuda.products.places import ElementPlace
from gluonic.codegen.cuda.products.swizzled import CHUNK, CHUNKS, SwizzledTiles

_OUTER, _INNER, _WARP = 8, 4, 32
_TOGETHER = 8
"""How many outer indices a thread brings in a round of a loop."""
_SIZE = 4
"""The bytes of a number."""


class RoundedTiles(SwizzledTiles):
    """Writes the copies of one factor's tiles, which have a row for each outer index."""

    def __init__(
        self,
        code: BlockCode,
        form: TiledForm,
        tile: BlockTile,
        name: str,
        base: str,
        first: Int,
        array: str,
        start: int,
    ) -> None:
        super().__init__(code, form, tile, name, base, first, array, start)
        self._outer = code.rem32(self.thread, _OUTER)
        self._inner = code.rem32(code.div32(self.thread, _OUTER), _INNER)
        self._warp = code.div32(self.thread, _WARP)

    @property
    def _is_turned(self) -> bool:
        """Whether the outer index is the contiguous one in memory."""
        return self.factor.along == "outer"

    def copy(self, begin: Int, end: Int, base: Int) -> None:
        """Write the copy of the tile at an inner index, as for `SwizzledTiles`."""
        self._either(
            lambda: self.copy_chunks(begin, end, self.own_place(base)),
            lambda: self._copy_numbers(begin, end, base),
        )

    def finish(self, base: Int) -> None:
        """Round what the thread has copied."""
        self._either(lambda: self._round_chunks(base), lambda: self._round_numbers(base))

    def _either(self, chunks: Callable[[], None], numbers: Callable[[], None]) -> None:
        """Write code for chunks where there are any, else for single numbers."""
        if self._is_turned:
            numbers()
            return
        with self.code.branches(self.has_chunks) as turn:
            chunks()
            turn()
            numbers()

    # -- chunks -------------------------------------------------------------------------------

    def _round_chunks(self, base: Int) -> None:
        code, lanes = self.code, CHUNK // _SIZE
        place = self.own_place(base)
        for row in range(0, self.rows, self.step):
            address = code.element(SHARED, self.array, code.add32(place, row * ROW), "i8")
            values = code.read_vector(SHARED, address, 0, "float", lanes, _SIZE)
            code.write_vector(SHARED, address, 0, "i32", [*map(self._rounded, values)], _SIZE)

    def _rounded(self, value: str) -> str:
        return self.code.call("llvm.nvvm.f2tf32.rna", "i32", [("float", value)])

    # -- single numbers -----------------------------------------------------------------------

    def _each_number(self, base: Int, write: Callable[[Int, Int, str], None]) -> None:
        """Write code for the thread's numbers: their outer and inner indices in the tile, their addresses."""
        code, warps = self.code, self.threads // _WARP
        loop = code.begin_loop([("i32", 0)])
        (first,) = loop.values
        for outer in range(0, _OUTER * _TOGETHER, _OUTER):
            row = code.add32(self._outer, first, outer)
            for number in range(0, CHUNKS, warps):
                chunk = code.add32(self._warp, number)
                place = code.add32(
                    code.mul32(row, ROW),
                    code.mul32(code.exclusive_or(chunk, self._outer), CHUNK),
                    code.mul32(self._inner, _SIZE),
                    self.start,
                    base,
                )
                inner = code.add32(code.mul32(chunk, _INNER), self._inner)
                write(row, inner, code.element(SHARED, self.array, place, "i8"))
        following = code.add32(first, _OUTER * _TOGETHER)
        code.end_loop(loop, [following], code.less(following, self.extent), unrolls=False)

    def _copy_numbers(self, begin: Int, end: Int, base: Int) -> None:
        code = self.code
        places: dict[Int, ElementPlace] = {}

        def copy(row: Int, inner: Int, target: str) -> None:
            if row not in places:
                places[row] = self.place(code.add32(self.first, row), "outer", self.limit)
            other = self.place(code.add32(begin, inner), "inner", end)
            offset, inside = self.location(places[row], other)
            source = code.element(GLOBAL, self.base, offset, "float")
            code.copy_element(target, source, _SIZE, inside)

        self._each_number(base, copy)

    def _round_numbers(self, base: Int) -> None:
        code = self.code

        def replace(row: Int, inner: Int, address: str) -> None:
            value = code.read(SHARED, address, 0, "float")
            code.write(SHARED, address, 0, "i32", self._rounded(value))

        self._each_number(base, replace)
