"""Tiles of factors of 16 bits in shared memory, in rows of 128 bytes, as products of matrices read them.

A row has 64 neighbours along the index that is contiguous in memory, in chunks of 16 bytes. The number of a
chunk is exclusive-ored by the lowest three bits of its row's, so that neither a row of chunks nor a column of
them lies in the same banks.
"""

from __future__ import annotations

from gluonic.codegen.cuda.block_code import GLOBAL, SHARED, BlockCode, Int
from gluonic.codegen.cuda.products.form import ROW, BlockTile, TiledForm
from gluonic.codegen.cuda.products.places import FactorPlaces

CHUNK = 16
"""The bytes of a chunk."""
CHUNKS = ROW // CHUNK


class SwizzledTiles(FactorPlaces):
    """Writes the copies of one factor's tiles.

    Where the outer index is contiguous, a tile has panels of 64 of its outer indices, one after the other, with
    a row for each inner index; else it has a row for each outer index.

    Parameters
    ----------
    array, start : the block's shared memory, and where all stages of this factor begin, in bytes

    Attributes
    ----------
    size : the bytes of a tile
    is_outer : whether rows go along the outer index
    rows, panels : of a tile
    threads : those that copy
    has_chunks : whether the chunks of rows are aligned in memory
    """

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
        super().__init__(code, form, tile, name, base, first)
        self.array, self.start = array, start
        self.threads = tile.threads
        self.size = self.extent * ROW
        self.is_outer = self.factor.along == "outer" and form.dtype.itemsize == 2
        self.rows = self.depth if self.is_outer else self.extent
        self.panels = self.extent * self.depth * form.dtype.itemsize // (self.rows * ROW)
        chunk = code.rem32(code.thread, CHUNKS)
        self._row = code.div32(code.thread, CHUNKS)
        self._along = code.mul32(chunk, form.together)
        low = code.rem32(self._row, CHUNKS)
        place = code.mul32(code.exclusive_or(chunk, low), CHUNK)
        self._place = code.add32(code.mul32(self._row, ROW), place)
        are_apart = code.is_set(f"{name}.vectors")
        self.has_chunks = code.both(are_apart, code.is_aligned(base, CHUNK))
        self.prepare()

    def prepare(self) -> None:
        """Write what a thread needs in all rounds besides."""

    def copy(self, begin: Int, end: Int, base: Int) -> None:
        """Write the copy of the tile at an inner index, zeros from `end` on, to a distance from the first."""
        code = self.code
        target = self.own_place(base)
        with code.branches(self.has_chunks) as turn:
            self.copy_chunks(begin, end, target)
            turn()
            self._copy_elements(begin, end, target)

    def finish(self, base: Int) -> None:
        """Write what is left to do of the thread's copies of a tile, once they are there."""

    def own_place(self, base: Int) -> Int:
        """Where the thread's first chunk is, in bytes."""
        return self.code.add32(self._place, self.start, base)

    def _indices(self, begin: Int, end: Int) -> tuple[str, Int, Int, str, Int, Int]:
        """For the contiguous index and the other one: which it is, where the tile begins, and its limit."""
        outer, inner = ("outer", self.first, self.limit), ("inner", begin, end)
        return (*outer, *inner) if self.is_outer else (*inner, *outer)

    @property
    def step(self) -> int:
        """The distance between the rows of a thread."""
        return self.threads // CHUNKS

    def copy_chunks(self, begin: Int, end: Int, target: Int) -> None:
        """Each chunk by an asynchronous copy, of only those of its bytes that are in the matrix."""
        code, kind, size = self.code, self.form.stored, self.form.dtype.itemsize
        along, start, limit, across, first, last = self._indices(begin, end)
        panel = self.rows * ROW
        for number in range(self.panels):
            index = code.add32(start, self._along, number * self.form.together * CHUNKS)
            chunk = self.place(index, along, limit)
            left = code.max32(code.mul32(code.sub32(limit, index), size), 0)
            bytes_there = code.min32(left, CHUNK)
            for row in range(0, self.rows, self.step):
                line = self.place(code.add32(first, self._row, row), across, last)
                code.copy_part(
                    code.element(
                        SHARED, self.array, code.add32(target, number * panel + row * ROW), "i8"
                    ),
                    code.element(GLOBAL, self.base, code.add32(chunk.offset, line.offset), kind),
                    code.select(line.inside, bytes_there, 0, "i32"),
                )

    def _copy_elements(self, begin: Int, end: Int, target: Int) -> None:
        """Each chunk by loads of its elements."""
        code, kind, together = self.code, self.form.stored, self.form.together
        along, start, limit, across, first, last = self._indices(begin, end)
        loop = code.begin_loop([("i32", 0), ("i32", 0), ("i32", target)])
        row, panel, place = loop.values
        index = code.add32(start, self._along, code.mul32(panel, together * CHUNKS))
        line = self.place(code.add32(first, self._row, row), across, last)
        elements = []
        for i in range(together):
            element = self.place(code.add32(index, i), along, limit)
            pair = (element, line) if self.is_outer else (line, element)
            elements.append(self.element_or_zero(*pair))
        address = code.element(SHARED, self.array, place, "i8")
        code.write_vector(SHARED, address, 0, kind, elements, self.form.dtype.itemsize)
        below = code.add32(row, self.step)
        is_last = code.same(below, self.rows)
        following = [
            code.select(is_last, 0, below, "i32"),
            code.select(is_last, code.add32(panel, 1), panel, "i32"),
            code.add32(place, self.step * ROW),
        ]
        code.end_loop(loop, following, code.less(following[1], self.panels), unrolls=False)
        code.converge()  # after loads of single elements
