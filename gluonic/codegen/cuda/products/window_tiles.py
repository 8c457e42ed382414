"""Tiles of windows of images in 16-bit numbers, in shared memory as `swizzled` has them.

Numbers that are neighbours in a tile need not be in an image, nor aligned, so each is loaded alone. A thread
brings pairs along the contiguous index, a warp a row of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from gluonic.codegen.cuda.block_code import GLOBAL, SHARED, Int
from gluonic.codegen.cuda.kernel_function import WARP
from gluonic.codegen.cuda.products.form import ROW
from gluonic.codegen.cuda.products.places import ElementPlace
from gluonic.codegen.cuda.products.swizzled import CHUNK, CHUNKS, SwizzledTiles

_PAIR = 2
_ON_THE_WAY = 8
"""About how many numbers a thread loads at once."""


class WindowTiles(SwizzledTiles):
    """Writes the copies of one factor's tiles, where it is windows."""

    def prepare(self) -> None:
        """Write what a thread needs in all rounds besides."""
        code = self.code
        lane = code.rem32(code.thread, WARP)
        self._warp, self._warps = code.div32(code.thread, WARP), self.threads // WARP
        self._pair = code.mul32(lane, _PAIR)
        size = self.form.dtype.itemsize
        pairs = CHUNK // size // _PAIR  # of a chunk
        self._chunk = code.div32(lane, pairs)
        self._within = code.mul32(code.rem32(lane, pairs), _PAIR * size)
        # where outer indices are is the same in all rounds
        self._outer_pairs = self._places("outer", self.first, self.limit) if self.is_outer else []

    def _places(self, along: str, start: Int, limit: Int) -> list[list[ElementPlace]]:
        """The places of the thread's pair in each panel."""
        code, wide = self.code, WARP * _PAIR
        return [
            [
                self.place(code.add32(start, self._pair, panel * wide + i), along, limit)
                for i in range(_PAIR)
            ]
            for panel in range(self.panels)
        ]

    def copy(self, begin: Int, end: Int, base: Int) -> None:
        """Write the copy of the tile at an inner index, as for `SwizzledTiles`."""
        code = self.code
        along, start, limit, across, first, last = self._indices(begin, end)
        pairs = self._outer_pairs or self._places(along, start, limit)
        together = max(_ON_THE_WAY // (_PAIR * self.panels), 1)
        loop = code.begin_loop([("i32", self._warp)])
        (row,) = loop.values
        rows = [code.add32(row, i * self._warps) for i in range(together)]
        lines = [self.place(code.add32(first, own), across, last) for own in rows]
        values = [[self._loaded(pair, line) for pair in pairs] for line in lines]
        for own, pairs_of_row in zip(rows, values, strict=True):
            turned = code.exclusive_or(self._chunk, code.rem32(own, CHUNKS))
            place = code.add32(
                code.mul32(own, ROW), code.mul32(turned, CHUNK), self._within, self.start, base
            )
            for panel, pair in enumerate(pairs_of_row):
                address = code.add32(place, panel * self.rows * ROW)
                target = code.element(SHARED, self.array, address, "i8")
                code.write_vector(
                    SHARED, target, 0, self.form.stored, pair, self.form.dtype.itemsize
                )
        following = code.add32(row, together * self._warps)
        code.end_loop(loop, [following], code.less(following, self.rows), unrolls=False)

    def _loaded(self, pair: Sequence[ElementPlace], line: ElementPlace) -> list[str]:
        """Two numbers; zeros beyond the images."""
        code, stored, values = self.code, self.form.stored, []
        for place in pair:
            offset, inside = self.location(*((place, line) if self.is_outer else (line, place)))
            value = code.read(GLOBAL, self.base, code.select(inside, offset, 0, "i32"), stored)
            values.append(code.select(inside, value, "0.0", stored))
        return values
