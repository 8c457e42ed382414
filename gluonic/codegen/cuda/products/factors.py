"""Bringing tiles of factors from global to shared memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gluonic.codegen.cuda.block_code import GLOBAL, SHARED, BlockCode, Int
from gluonic.codegen.cuda.products.form import BlockTile, TiledForm, Units
from gluonic.codegen.cuda.products.places import ElementPlace, FactorPlaces

_PADDING: Mapping[Units, int] = {"tf32": 8, "float64": 4}
"""The elements between rows in shared memory, where tensor cores read 8 outer by 4 inner indices."""


class FactorTiles(FactorPlaces):
    """Writes the loads of one factor's tiles.

    Threads take turns along the index whose neighbours lie side by side in memory; each thread has the same
    places for all tiles of its block. In shared memory, the inner index comes first.

    Attributes
    ----------
    array, pitch, size : the shared memory of all stages; the elements between neighbouring inner indices there,
        and those of one stage
    lanes : how many elements are brought at a time
    is_whole : whether all of the block's outer indices are within the extent, and vectors are aligned
    """

    def __init__(
        self, code: BlockCode, form: TiledForm, tile: BlockTile, name: str, base: str, first: Int
    ) -> None:
        super().__init__(code, form, tile, name, base, first)
        turns = tile.is_copied and self.factor.along == "inner"  # copies can't turn vectors
        self.lanes = 1 if self.factor.axes or turns else form.lanes
        padding = 0 if self.factor.along == "outer" else form.lanes
        self.pitch = self.extent + _PADDING.get(tile.units, padding)  # banks differ
        self.array = code.shared_array(form.kind, tile.stages * self.size)
        self._own_places(tile)
        if tile.is_copied or self.lanes == 1:
            self.outer = self._outer_places()
        if not self.factor.axes:
            self.is_whole = self._is_inside(first)

    def _outer_places(self) -> list[ElementPlace]:
        code, first = self.code, self.first
        return [self.place(code.add32(first, i), "outer", self.limit) for i in self.outer_indices]

    @property
    def size(self) -> int:
        """The number of elements of a tile in shared memory."""
        return self.depth * self.pitch

    def _own_places(self, tile: BlockTile) -> None:
        """The indices, within a tile, of the elements that a thread brings: each outer with each inner one."""
        code, lanes = self.code, self.lanes
        runs_outside = self.factor.along == "outer"
        length, others = (self.extent, self.depth) if runs_outside else (self.depth, self.extent)
        across = min(32, length // lanes)
        own = code.mul32(code.rem32(code.thread, across), lanes)
        runs = [
            code.add32(own, step + i)
            for step in range(0, length, across * lanes)
            for i in range(lanes)
        ]
        step = tile.threads // across
        start = code.div32(code.thread, across)
        lines = [code.add32(start, i) for i in range(0, others, step)]
        assert step <= others, "the tile has too many threads"
        self.outer_indices, self.inner_indices = (runs, lines) if runs_outside else (lines, runs)

    # -- tiles --------------------------------------------------------------------------------

    def _is_inside(self, first: Int) -> str:
        code, size = self.code, self.form.dtype.itemsize * self.lanes
        inside = code.less(code.add32(first, self.extent - 1), self.limit)
        if self.lanes == 1:
            return inside
        is_aligned = code.is_aligned(self.base, size)
        are_apart = code.is_set(f"{self.name}.vectors")
        return code.all_of([inside, is_aligned, are_apart])

    def copy(self, begin: Int, end: Int, base: Int) -> None:
        """Write asynchronous copies of a tile, as for `load` and `keep`."""
        code = self.code
        if self.factor.axes:
            self._copy_elements(begin, end, base)
            return
        last = code.add32(begin, self.depth - 1)
        with code.branches(code.both(self.is_whole, code.less(last, end))) as turn:
            self._copy_whole(begin, end, base)
            turn()
            self._copy_elements(begin, end, base)

    def _copy_elements(self, begin: Int, end: Int, base: Int) -> None:
        code, kind = self.code, self.form.kind
        for inner, place in zip(self.inner_indices, self._inner_places(begin, end), strict=True):
            line = code.add32(base, code.mul32(inner, self.pitch))
            for outer, other in zip(self.outer_indices, self.outer, strict=True):
                offset, inside = self.location(other, place)
                target = code.element(SHARED, self.array, code.add32(line, outer), kind)
                source = code.element(GLOBAL, self.base, offset, kind)
                code.copy_element(target, source, self.form.sums.itemsize, inside)

    def _copy_whole(self, begin: Int, end: Int, base: Int) -> None:
        code, kind, size = self.code, self.form.kind, self.form.sums.itemsize * self.lanes
        for inner, place in zip(self.inner_indices, self._inner_places(begin, end), strict=True):
            line = code.add32(base, code.mul32(inner, self.pitch))
            for i in range(0, len(self.outer), self.lanes):
                index = code.add32(line, self.outer_indices[i])
                offset = code.add32(self.outer[i].offset, place.offset)
                target = code.element(SHARED, self.array, index, kind)
                code.copy_aligned(target, code.element(GLOBAL, self.base, offset, kind), size)

    def load(self, begin: Int, end: Int) -> list[str]:
        """Write the loads of the tile at an inner index; those from `end` on are zero."""
        outer = self.outer if self.lanes == 1 else self._outer_places()
        inner = self._inner_places(begin, end)
        return [self.element_or_zero(a, b) for b in inner for a in outer]

    def _inner_places(self, begin: Int, end: Int) -> list[ElementPlace]:
        return [self.place(self.code.add32(begin, i), "inner", end) for i in self.inner_indices]

    def load_whole(self, begin: Int) -> list[str]:
        """Write the loads of the tile at an inner index, all elements of which exist, as vectors."""
        code, lanes = self.code, self.lanes
        outer, inner = self._outer_places(), self._inner_places(begin, self.limit)
        found = [[""] * len(outer) for _ in inner]
        runs_outside = self.factor.along == "outer"
        for j in range(0, len(inner), 1 if runs_outside else lanes):
            for i in range(0, len(outer), lanes if runs_outside else 1):
                offset = code.add32(outer[i].offset, inner[j].offset)
                stored, size = self.form.stored, self.form.dtype.itemsize
                vector = code.read_vector(GLOBAL, self.base, offset, stored, lanes, size)
                for lane, value in enumerate(vector):
                    if runs_outside:
                        found[j][i + lane] = value
                    else:
                        found[j + lane][i] = value
        return [value for line in found for value in line]

    def keep(self, values: Sequence[str], base: Int) -> None:
        """Write loaded elements to shared memory, at an index of its array."""
        code, kind, lanes = self.code, self.form.kind, self.form.lanes
        if self.form.stored != kind:
            values = [code.cast("fpext", v, self.form.stored, kind) for v in values]
        count = len(self.outer_indices)
        joined = lanes if self.factor.along == "outer" and self.lanes > 1 else 1
        for j, inner in enumerate(self.inner_indices):
            line = code.add32(base, code.mul32(inner, self.pitch))
            for i in range(0, count, joined):
                index = code.add32(line, self.outer_indices[i])
                own = values[j * count + i : j * count + i + joined]
                if joined == 1:
                    code.write(SHARED, self.array, index, kind, own[0])
                else:
                    code.write_vector(SHARED, self.array, index, kind, own, self.form.sums.itemsize)

    def finish(self, base: Int) -> None:
        """Do nothing: tiles are as they have been copied."""
