"""Tiles of factors in float32 in shared memory, rounded to TF32 there, in rows of 128 bytes.

Tensor cores want the inner index to be the contiguous one. Where it is not so in memory, and for windows of
images, numbers are copied one by one; a warp brings 8 outer by 4 inner indices at a time, which are in
different banks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gluonic.codegen.cuda.block_code import GLOBAL, SHARED, Int
from gluonic.codegen.cuda.kernel_function import WARP
from gluonic.codegen.cuda.products.form import ROW
from gluonic.codegen.cuda.products.places import ElementPlace
from gluonic.codegen.cuda.products.swizzled import CHUNK, CHUNKS, SwizzledTiles

_OUTER, _INNER = 8, 4
_APART = 2
"""Into how many parts warps divide the chunks of a row; more of them divide the rows."""
_SIZE = 4
"""The bytes of a number."""


class RoundedTiles(SwizzledTiles):
    """Writes the copies of one factor's tiles, which have a row for each outer index."""

    def prepare(self) -> None:
        """Write what a thread needs in all rounds besides."""
        code = self.code
        self._outer = code.rem32(code.thread, _OUTER)
        self._inner = code.rem32(code.div32(code.thread, _OUTER), _INNER)
        warp = code.div32(code.thread, WARP)
        self._chunk = code.rem32(warp, _APART)
        lines = _OUTER * (self.threads // WARP // _APART)
        row = code.add32(code.mul32(code.div32(warp, _APART), _OUTER), self._outer)
        self._rows = [code.add32(row, line) for line in range(0, self.extent, lines)]
        # what a thread needs for its numbers in all rounds
        self._places = [self._place_of(row) for row in self._rows] if self._has_no_chunks else []

    @property
    def _has_no_chunks(self) -> bool:
        """Whether the outer index is the contiguous one in memory, or windows of images are read."""
        return self.factor.along == "outer" or self.factor.axes > 0

    def _place_of(self, row: Int) -> ElementPlace:
        return self.place(self.code.add32(self.first, row), "outer", self.limit)

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
        if self._has_no_chunks:
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

    def _each_chunk(self, base: Int, write: Callable[[Int, Sequence[str]], None]) -> None:
        """Write code for the thread's numbers of a chunk: their inner index, and an address for each row."""
        code = self.code
        loop = code.begin_loop([("i32", self._chunk)])
        (chunk,) = loop.values
        place = code.add32(
            code.mul32(code.exclusive_or(chunk, self._outer), CHUNK),
            code.mul32(self._inner, _SIZE),
            self.start,
            base,
        )
        places = [code.add32(place, code.mul32(row, ROW)) for row in self._rows]
        inner = code.add32(code.mul32(chunk, _INNER), self._inner)
        write(inner, [code.element(SHARED, self.array, each, "i8") for each in places])
        following = code.add32(chunk, _APART)
        code.end_loop(loop, [following], code.less(following, CHUNKS), unrolls=False)

    def _copy_numbers(self, begin: Int, end: Int, base: Int) -> None:
        code = self.code
        rows = self._places or [self._place_of(row) for row in self._rows]

        def copy(inner: Int, targets: Sequence[str]) -> None:
            other = self.place(code.add32(begin, inner), "inner", end)
            for place, target in zip(rows, targets, strict=True):
                offset, inside = self.location(place, other)
                source = code.element(GLOBAL, self.base, offset, "float")
                code.copy_element(target, source, _SIZE, inside)

        self._each_chunk(base, copy)

    def _round_numbers(self, base: Int) -> None:
        code = self.code

        def replace(inner: Int, addresses: Sequence[str]) -> None:
            values = [code.read(SHARED, address, 0, "float") for address in addresses]
            for address, value in zip(addresses, values, strict=True):
                code.write(SHARED, address, 0, "i32", self._rounded(value))

        self._each_chunk(base, replace)
