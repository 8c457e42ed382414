"""Where the elements of a factor's tile lie in global memory."""

from __future__ import annotations

from collections.abc import Sequence

from gluonic.codegen.cuda.block_code import GLOBAL, BlockCode, Int
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


class FactorPlaces:
    """The places of one factor's elements, as far as a block's tiles are concerned.

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
    extent, depth : those of a tile
    limit : the extent of the outer index
    """

    def __init__(
        self, code: BlockCode, form: TiledForm, tile: BlockTile, name: str, base: str, first: Int
    ) -> None:
        self.code, self.form, self.name, self.base = code, form, name, base
        self.factor: FactorForm = getattr(form, name)
        self.extent = tile.rows if name == "left" else tile.columns
        self.limit = code.number("rows" if name == "left" else "columns")
        self.depth, self.first = tile.depth, first

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

    def place(self, index: Int, which: str, limit: Int) -> ElementPlace:
        """What an index, ``outer`` or ``inner``, contributes; the factor is zero from a limit on."""
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
        along = [
            code.mul32(position, code.number(f"{self.name}.axis{i}.stride"))
            for i, position in enumerate(others)
        ]
        return ElementPlace(code.add32(lead, *along), inside, tuple(others))

    def location(self, outer: ElementPlace, inner: ElementPlace) -> tuple[Int, str]:
        """The offset of an element, and whether it is in the matrix or the image."""
        code = self.code
        offset = code.add32(outer.offset, inner.offset)
        if not self.factor.axes:
            return offset, code.both(outer.inside, inner.inside)
        positions = [code.add32(a, b) for a, b in zip(outer.position, inner.position, strict=True)]
        sizes = [code.number(f"{self.name}.axis{i}.size") for i in range(len(positions))]
        return offset, code.all_of([*map(code.within, positions, sizes)])

    def element_or_zero(self, outer: ElementPlace, inner: ElementPlace) -> str:
        """An element in memory; zero beyond the matrix or the image."""
        code, stored = self.code, self.form.stored
        offset, inside = self.location(outer, inner)
        return code.value_if(
            inside, stored, lambda: code.read(GLOBAL, self.base, offset, stored), "0.0"
        )
