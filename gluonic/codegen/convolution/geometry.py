"""The strides of a convolution's images, and its run-time numbers."""

from dataclasses import replace

from gluonic.codegen.convolution.filters import Filters, blocks_of
from gluonic.codegen.convolution.tiling import ConvolutionTiling
from gluonic.support.record import record


@record
class Strides:
    """The strides of images in bytes: from one image, one block (or plane), one row to the next."""

    image: int
    block: int
    row: int

    @classmethod
    def of(cls, blocks: int, rows: int, columns: int, lanes: int) -> "Strides":
        """The strides of a contiguous array of float32."""
        row = columns * lanes * 4
        return cls(blocks * rows * row, rows * row, row)


@record
class Geometry:
    """The run-time numbers of a convolution.

    Attributes
    ----------
    batch, rows, columns : those of the output
    data, output : the strides of images
    others : the strides of the epilogue's operands with one number per output
    """

    batch: int
    rows: int
    columns: int
    data: Strides
    output: Strides
    others: tuple[Strides, ...] = ()

    def numbers(self) -> list[int]:
        """All of them, in the order in which machine code reads them."""
        found = [self.batch, self.rows, self.columns]
        for strides in (self.data, self.output, *self.others):
            found += [strides.image, strides.block, strides.row]
        return found

    def tiled(self, tiling: ConvolutionTiling) -> "Geometry":
        """The same with the rows of the tiling."""
        if not tiling.segment:
            return self
        return replace(self, rows=1, columns=self.rows * self.columns)

    def units(self, filters: Filters, tiling: ConvolutionTiling, lanes: int) -> int:
        """The number of units of work."""
        deep = -(-blocks_of(filters.filters, lanes) // tiling.tile.blocks)
        if tiling.segment:
            lines = self.batch * -(-self.rows * self.columns // tiling.segment)
        else:
            lines = self.batch * -(-self.rows // tiling.tile.rows)
        return filters.groups * -(-deep // tiling.depth) * -(-lines // tiling.band)
