"""What determines the kernel of a product: how its factors and its result lie in memory.

A product is ``result[z, row, column] = Σ left[z, row, k] · right[z, k, column]``. An index is written in
*digits* of mixed radix, such as (image, position): each digit has a stride. Extents, strides and starts are
run-time arguments, so one kernel serves all sizes.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, TypeAlias

from gluonic.codegen.cuda.block_code import OfElements, divisor_numbers
from gluonic.codegen.cuda.tails.form import Tail
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, Dtype, scalar_type
from gluonic.support.record import record


@record
class FactorForm:
    """How a factor lies in memory; its *outer* index is a row or column, the *inner* one is summed over.

    Attributes
    ----------
    outer, inner : the number of digits of these indices
    along : the index whose neighbours lie side by side
    axes : the number of spatial axes of images; 0 for a matrix. An index into images has a digit for the
        leading axis and one for each spatial axis. The digits of both indices add up to a position there:
        beyond the image, the factor is zero
    """

    outer: int = 1
    inner: int = 1
    along: Literal["outer", "inner"] = "outer"
    axes: int = 0

    def numbers(self, name: str) -> Iterator[str]:
        """The names of its run-time arguments."""
        yield from (f"{name}.{what}" for what in ("batch", "head", "begin", "vectors"))
        for index, count in (("outer", self.outer), ("inner", self.inner)):
            for i in range(count):
                yield f"{name}.{index}{i}.step"
                if i:
                    yield from divisor_numbers(f"{name}.{index}{i}")
        for axis in range(self.axes):
            yield from (f"{name}.axis{axis}.{what}" for what in ("start", "size", "stride"))


@record
class TiledForm(OfElements):
    """What the kernel of a product depends on, besides its tile.

    Attributes
    ----------
    dtype : that of factors
    tail : what is computed of each sum
    left, right : the factors
    columns : the number of digits of the result's columns
    """

    dtype: Dtype
    tail: Tail
    left: FactorForm
    right: FactorForm
    columns: int = 1

    @property
    def kind(self) -> str:
        """LLVM's type of a sum."""
        return scalar_type(self.sums)

    @property
    def lanes(self) -> int:
        """The number of sums that are loaded at a time: 16 bytes."""
        return 16 // self.sums.itemsize

    @property
    def together(self) -> int:
        """The number of a factor's elements that are brought at a time: 16 bytes in memory."""
        return 16 // self.dtype.itemsize

    @property
    def has_matrices(self) -> bool:
        """Whether both factors are matrices, rather than windows of images."""
        return not self.left.axes and not self.right.axes

    @property
    def of_parts(self) -> "TiledForm":
        """The form of a kernel that stores sums of parts of the products, as a matrix each."""
        return replace(self, tail=Tail.plain(self.sums, self.sums), columns=1)

    def numbers(self) -> list[str]:
        """The names of the run-time arguments, in order."""
        names = ["rows", "columns", "inner", "batch", "heads", "parts", "part"]
        names += [*self.left.numbers("left"), *self.right.numbers("right")]
        names += [f"result.{what}" for what in ("batch", "head", "part", "begin", "row", "vectors")]
        for i in range(self.columns):
            names.append(f"result.column{i}.step")
            if i:
                names += divisor_numbers(f"result.column{i}")
        return names


Units: TypeAlias = Literal["ordinary", "tf32", "float64", "matrices", "warpgroups"]
"""What multiplies: fused multiply-adds; ``mma.sync`` on TF32, float64 or fragments of 16 bits; ``wgmma``."""
ROW = 128
"""The bytes of a row in shared memory, for `matrices` and `warpgroups`."""


@record
class BlockTile:
    """The part of the result that a block computes, divided among its threads.

    Attributes
    ----------
    rows, columns : the extents of the tile
    high, wide : the extents of a thread's part
    depth : the number of products that are summed between two barriers
    blocks : the number of blocks that a multiprocessor holds at once
    stages : the number of tiles of each factor in shared memory; asynchronous copies fill more than two
    warp : the extents of the part of the tile that the tensor cores multiply for a warp; zeros without them
    units : what multiplies
    producers : the number of threads, one of which lets boxes of the factors be copied and does nothing else,
        besides those that multiply
    pairs : whether neighbouring threads have the same columns, so that shared memory serves both at once
    """

    rows: int
    columns: int
    high: int
    wide: int
    depth: int
    blocks: int
    stages: int = 2
    warp: tuple[int, int] = (0, 0)
    units: Units = "ordinary"
    producers: int = 0
    pairs: bool = True

    @property
    def is_swizzled(self) -> bool:
        """Whether factors lie in shared memory in rows of 128 bytes, in launches' own shared memory."""
        return self.units in ("matrices", "warpgroups")

    @property
    def shared_bytes(self) -> int:
        """The shared memory that a launch adds to what the kernel declares."""
        if not self.is_swizzled:
            return 0
        tiles = self.stages * (self.rows + self.columns) * ROW  # of factors, then of sums
        return max(tiles, self.rows * (self.columns + 8) * 4) + self.barrier_bytes

    @property
    def barrier_bytes(self) -> int:
        """The last bytes of that: two barriers for each stage that boxes are copied to."""
        return 16 * self.stages if self.producers else 0

    @property
    def is_copied(self) -> bool:
        """Whether asynchronous copies fill the tiles of factors, rather than loads and stores."""
        return self.stages > 2

    @property
    def threads(self) -> int:
        """The number of threads in a block."""
        return self.multiplying + self.producers

    @property
    def multiplying(self) -> int:
        """The number of threads that multiply, the first ones."""
        return self.rows // self.high * (self.columns // self.wide)


LOADED = {
    FLOAT32: (
        BlockTile(128, 128, 8, 8, 16, 2, pairs=False),
        BlockTile(64, 64, 8, 4, 16, 4),
        BlockTile(32, 32, 4, 4, 16, 8),
    ),
    FLOAT64: (BlockTile(64, 64, 4, 4, 8, 2), BlockTile(32, 32, 4, 2, 8, 4)),
}
"""The tiles by the dtype of sums, the largest first."""
COPIED = {
    FLOAT32: (
        BlockTile(128, 128, 8, 8, 8, 2, 4, pairs=False),
        BlockTile(64, 128, 8, 8, 8, 4, 4, pairs=False),
        BlockTile(64, 64, 8, 4, 16, 4, 4, pairs=False),
        BlockTile(32, 32, 4, 4, 16, 8, 4, pairs=False),
    ),
    FLOAT64: (BlockTile(64, 64, 4, 4, 8, 2, 4), BlockTile(32, 32, 4, 2, 8, 4, 4)),
}
"""Those for factors of the dtype of sums, on processors with asynchronous copies."""
TENSOR = (
    BlockTile(128, 128, 8, 8, 8, 2, 4, (64, 32), "tf32"),
    BlockTile(64, 64, 8, 4, 16, 4, 4, (32, 32), "tf32"),
)
"""The tiles for factors in float32 that may be rounded to TF32."""
DOUBLES = (
    BlockTile(128, 64, 8, 4, 8, 2, 3, (32, 32), "float64"),
    BlockTile(64, 64, 8, 4, 8, 4, 4, (32, 32), "float64"),
    BlockTile(32, 32, 4, 8, 8, 8, 4, (32, 32), "float64"),
)
"""The tiles for factors in float64, on processors whose tensor cores multiply 16 rows of those."""
MATRICES = (
    BlockTile(128, 256, 8, 16, 64, 1, 3, (64, 64), "matrices"),
    BlockTile(128, 128, 8, 8, 64, 2, 3, (64, 32), "matrices"),
    BlockTile(64, 64, 8, 4, 64, 4, 3, (32, 32), "matrices"),
)
"""Those for factors in float16 and bfloat16."""
WARPGROUPS = (
    BlockTile(128, 256, 8, 16, 64, 1, 4, (16, 256), "warpgroups", 128),
    BlockTile(128, 128, 8, 8, 64, 1, 6, (16, 128), "warpgroups", 128),
    BlockTile(64, 128, 8, 8, 64, 2, 4, (16, 128), "warpgroups", 128),
    BlockTile(128, 256, 8, 16, 64, 1, 4, (16, 256), "warpgroups"),
    BlockTile(128, 128, 8, 8, 64, 2, 3, (16, 128), "warpgroups"),
    BlockTile(64, 128, 8, 8, 64, 3, 3, (16, 128), "warpgroups"),
)
"""Those for them on processors with products of warpgroups, besides the small ones."""
WARPGROUPS_ROUNDED = tuple([replace(tile, depth=tile.depth // 2) for tile in WARPGROUPS])
"""Those for factors in float32 that may be rounded to TF32, on such processors."""
