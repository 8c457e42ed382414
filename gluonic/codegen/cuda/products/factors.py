"""Bringing tiles of factors from global to shared memory."""

from __future__ import annotations

from collections.abc import Sequence

from gluonic.codegen.cuda.block_code import GLOBAL, SHARED, BlockCode, Int
from gluonic.codegen.cuda.products.form import BlockTile, FactorForm, TiledForm
from gluonic.support.record import record

_OUTSIDE = 1 << 29
"""A distance that moves any position out of any image."""


@record
class ElementPlace:
    """Part of an element's place: what one of its two indices contributes.

    Attributes
    ----------
    offset : in elements
    inside : whether the index is within its extent
    position : along each spatial axis
    """

    offset: Int
    inside: str
    position: tuple[Int, ...] = ()


class FactorTiles:
    """Writes the loads of one factor's tiles.

    Threads take turns along the index whose neighbours lie side by side in memory; each thread has the same
    places for all tiles of its block. In shared memory, the inner index comes first.

    Parameters
    ----------
    code : the kernel
    form : that of the product
    tile : its tile
    name : ``"left"`` or ``"right"``, with which the names of the factor's numbers begin
    base : the address of its first element for this block
    first : the outer index at which the block's tile begins

    Attributes
    ----------
    array, pitch, size : the shared memory of all stages; the elements between neighbouring inner indices there,
        and those of one stage
    """

    def __init__(
        self, code: BlockCode, form: TiledForm, tile: BlockTile, name: str, base: str, first: Int
    ) -> None:
        self.code, self.form, self.name, self.base = code, form, name, base
        self.factor: FactorForm = getattr(form, name)
        self.extent = tile.rows if name == "left" else tile.columns
        self.limit = code.number("rows" if name == "left" else "columns")
        self.depth = tile.depth
        turns = tile.is_copied and self.factor.along == "inner"  # copies can't turn vectors
        self.lanes = 1 if self.factor.axes or turns else form.lanes
        padding = 0 if self.factor.along == "outer" else form.lanes
        self.pitch = self.extent + (8 if tile.on_tensor_cores else padding)  # banks differ
        self.array = code.shared_array(form.kind, tile.stages * self.size)
        self._own_places(tile)
        self.outer = [self._outer_place(code.add32(first, i)) for i in self.outer_indices]
        if not self.factor.axes:
            self._is_whole = self._is_inside(first)

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

    # -- places -------------------------------------------------------------------------------

    def _digits(self, index: Int, which: str, count: int) -> list[Int]:
        """The digits of an index, the most significant one first."""
        code, digits = self.code, []
        for i in range(count - 1, 0, -1):
            name = f"{self.name}.{which}{i}"
            above = code.quotient(index, name)
            digits.append(code.sub32(index, code.mul32(above, code.number(f"{name}.extent"))))
            index = above
        return [index, *reversed(digits)]

    def _steps(self, digits: Sequence[Int], which: str) -> list[Int]:
        """Each digit times its step, which is one for a matrix's neighbours."""
        code, last = self.code, len(digits) - 1
        are_neighbours = not self.factor.axes and which == self.factor.along == "outer"
        return [
            digit
            if are_neighbours and i == last
            else code.mul32(digit, code.number(f"{self.name}.{which}{i}.step"))
            for i, digit in enumerate(digits)
        ]

    def _place(self, index: Int, which: str, limit: Int) -> ElementPlace:
        code, axes = self.code, self.factor.axes
        inside = code.less(index, limit)
        count = self.factor.outer if which == "outer" else self.factor.inner
        lead, *others = self._steps(self._digits(index, which, count), which)
        if not axes:
            return ElementPlace(code.add32(lead, *others), inside)
        if which == "outer":
            starts = [code.number(f"{self.name}.axis{i}.start") for i in range(axes)]
            others = [code.add32(a, b) for a, b in zip(others, starts, strict=True)]
            others[0] = code.select(inside, others[0], -2 * _OUTSIDE, "i32")
        else:
            others[0] = code.select(inside, others[0], -_OUTSIDE, "i32")
        if self.factor.divides:
            return ElementPlace(lead, inside, tuple(others))
        along = [
            code.mul32(position, code.number(f"{self.name}.axis{i}.stride"))
            for i, position in enumerate(others)
        ]
        return ElementPlace(code.add32(lead, *along), inside, tuple(others))

    def _outer_place(self, index: Int) -> ElementPlace:
        return self._place(index, "outer", self.limit)

    def _location(self, outer: ElementPlace, inner: ElementPlace) -> tuple[Int, str]:
        """The offset of an element, and whether it is in the matrix or the image."""
        code = self.code
        offset = code.add32(outer.offset, inner.offset)
        if not self.factor.axes:
            return offset, code.both(outer.inside, inner.inside)
        positions = [code.add32(a, b) for a, b in zip(outer.position, inner.position, strict=True)]
        reaches = [code.number(f"{self.name}.axis{i}.reach") for i in range(len(positions))]
        inside = code.all_of([*map(code.within, positions, reaches)])
        return self._divided(offset, positions, inside) if self.factor.divides else (offset, inside)

    def _element(self, outer: ElementPlace, inner: ElementPlace) -> str:
        """An element in memory; zero beyond the matrix or the image."""
        code, stored = self.code, self.form.stored
        offset, inside = self._location(outer, inner)
        return code.value_if(
            inside, stored, lambda: code.read(GLOBAL, self.base, offset, stored), "0.0"
        )

    def _divided(self, offset: Int, positions: Sequence[Int], inside: str) -> tuple[Int, str]:
        """The offset of an element at positions that divisors must divide, and whether they do."""
        code, conditions = self.code, [inside]
        for axis, position in enumerate(positions):
            name = f"{self.name}.axis{axis}"
            quotient = code.quotient(position, name)
            again = code.mul32(quotient, code.number(f"{name}.extent"))
            conditions.append(code.same(again, position))
            offset = code.add32(offset, code.mul32(quotient, code.number(f"{name}.stride")))
        return offset, code.all_of(conditions)

    # -- tiles --------------------------------------------------------------------------------

    def _is_inside(self, first: Int) -> str:
        """Whether all of the block's outer indices are within the extent, and vectors are aligned."""
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
        with code.branches(code.both(self._is_whole, code.less(last, end))) as turn:
            self._copy_whole(begin, end, base)
            turn()
            self._copy_elements(begin, end, base)

    def _copy_elements(self, begin: Int, end: Int, base: Int) -> None:
        code, kind = self.code, self.form.kind
        for inner, place in zip(self.inner_indices, self._inner_places(begin, end), strict=True):
            line = code.add32(base, code.mul32(inner, self.pitch))
            for outer, other in zip(self.outer_indices, self.outer, strict=True):
                offset, inside = self._location(other, place)
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
                code.copy(target, code.element(GLOBAL, self.base, offset, kind), size)

    def load(self, begin: Int, end: Int) -> list[str]:
        """Write the loads of the tile at an inner index; those from `end` on are zero."""
        code = self.code
        if self.lanes == 1:
            return self._by_element(begin, end)
        last = code.add32(begin, self.depth - 1)
        whole = code.both(self._is_whole, code.less(last, end))
        return code.either(
            whole,
            self.form.stored,
            lambda: self._by_vector(begin, end),
            lambda: self._by_element(begin, end),
        )

    def _inner_places(self, begin: Int, end: Int) -> list[ElementPlace]:
        return [self._place(self.code.add32(begin, i), "inner", end) for i in self.inner_indices]

    def _by_element(self, begin: Int, end: Int) -> list[str]:
        inner = self._inner_places(begin, end)
        return [self._element(a, b) for b in inner for a in self.outer]

    def _by_vector(self, begin: Int, end: Int) -> list[str]:
        code, lanes = self.code, self.lanes
        outer = self.outer
        inner = self._inner_places(begin, end)
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
