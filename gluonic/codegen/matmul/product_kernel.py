"""Our machine code for matrix products, for shapes where it is faster than BLAS.

The right factor is packed panel by panel. A panel has as many columns as a few registers hold, with its rows
one after the other, so the inner loop reads contiguous memory. A tile, some rows times the panel's columns,
stays in registers while the inner dimension is summed over; then bias and activation are applied, and the tile
is stored. The left factor is read in place; if it is transposed, it is packed, too, by the rows of a tile.
"""

from collections.abc import Sequence
from functools import lru_cache, partial

from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.target import Target
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import Dtype, literal
from gluonic.codegen.matmul.finishing import ProductEpilogue, block_finisher, block_length
from gluonic.codegen.matmul.panel_packers import (
    FactorWriter,
    transposing_packer,
    write_left_packer,
)
from gluonic.support.record import record

_ARGUMENTS = (
    "ptr %a", "i64 %lead_a", "ptr %b", "i64 %lead_b", "ptr %bias", "ptr %c", "i64 %lead_c",
    "i64 %rows", "i64 %columns", "i64 %inner", "ptr %panel", "i64 %begin", "i1 %fresh", "i1 %last",
)  # fmt: skip
_NEGLIGIBLE = 64
"""One column in this many may be computed for nothing."""

_MOST_FORMS = 64
"""The number of forms whose functions are cached as text, some 100 KB each."""


@record
class ProductForm:
    """The properties of a product that its code depends on.

    Attributes
    ----------
    dtype : of all matrices
    transposed_a, transposed_b : whether a factor is transposed in memory
    has_bias : whether a row is added to each row of the product
    packed_b : whether the right factor is already packed
    epilogue : applied to each element at the end
    """

    dtype: Dtype
    transposed_a: bool
    transposed_b: bool
    has_bias: bool = False
    packed_b: bool = False
    epilogue: ProductEpilogue | None = None

    @property
    def in_parts(self) -> bool:
        """Whether a call may sum over a part of the inner dimension, and add to the output."""
        return self.transposed_a or self.packed_b

    def symbol(self, vectors: int) -> str:
        """The name of the function for panels that are `vectors` registers wide."""
        flags = "".join(
            "t" if transposed else "n" for transposed in (self.transposed_a, self.transposed_b)
        )
        flags += f"{int(self.has_bias)}{int(self.packed_b)}"
        name = "" if self.epilogue is None else self.epilogue.name
        return f"panel_{self.dtype.name}_{flags}_{vectors}_{name}"


@record
class ProductTiling:
    """The tile sizes of a product for a processor.

    Attributes
    ----------
    lanes : elements of a register
    rows : number of rows in the largest tile
    vectors : the widths of panels in registers, widest first
    products : the most products in an iteration of the innermost loop if it is unrolled
    """

    lanes: int
    rows: int
    vectors: tuple[int, ...]
    products: int

    @classmethod
    def of(cls, dtype: Dtype, target: Target) -> "ProductTiling":
        """The tiling for a processor: registers must hold the accumulators, a panel's row and one more."""
        lanes = target.vector_bytes // dtype.itemsize
        vectors = (4, 1) if target.vector_registers >= 32 else (2, 1)
        return cls(lanes, 6, vectors, 48 if target.architecture == "x86_64" else 16)

    def heights(self, vectors: int) -> tuple[int, ...]:
        """The numbers of rows in tiles: the largest, and those for the remainder.

        Two rows of two registers are four dependency chains, limited by latency; so four rows take no longer.
        """
        return (self.rows, 4, 2, 1) if vectors == 2 else (self.rows, 2, 1)

    def steps(self, rows: int, vectors: int) -> int:
        """The unrolling of a tile's innermost loop, along the inner dimension.

        Several steps reduce the loop's overhead, which matters most where two threads share a core and each
        issues half as many instructions; but loads in pairs must not occupy the registers of accumulators.
        """
        return next((n for n in (4, 2) if n * rows * vectors <= self.products), 1)

    def needed(self, columns: int) -> tuple[int, ...]:
        """The widths, in registers, of the panels that cover this many columns.

        Narrow panels need code of their own, which does not pay for the last few of many columns.
        """
        *wide, narrow = self.vectors
        rest, most = columns % self.columns, narrow * self.lanes
        if rest == 0 or rest > most or (self.columns - rest) * _NEGLIGIBLE <= columns:
            return (*wide,)
        return (narrow,) if columns <= most else self.vectors

    @property
    def columns(self) -> int:
        """The number of columns in the widest panel."""
        return self.lanes * self.vectors[0]

    def panel_bytes(self, inner: int, itemsize: int) -> int:
        """The bytes of a packed panel."""
        padded = -(-inner // self.lanes) * self.lanes
        return padded * self.columns * itemsize


def emit_panels(
    module: LLVMModule, form: ProductForm, tiling: ProductTiling, widths: Sequence[int]
) -> None:
    """Write the functions that compute the columns of one panel, of some widths in registers."""
    for vectors in widths:
        module.include(_panel(module.target, form, tiling, vectors))


@lru_cache(_MOST_FORMS)
def _panel(target: Target, form: ProductForm, tiling: ProductTiling, vectors: int) -> LLVMModule:
    """One of these functions in a separate module: graphs share it."""
    module = LLVMModule(target)
    if form.transposed_a:
        write_left_packer(module, form.dtype, tiling.rows)
    function = LLVMFunction(module, form.symbol(vectors), _ARGUMENTS, internal=True)
    _PanelWriter(function, form, tiling, vectors)
    return module


class _PanelWriter(FactorWriter):
    """Writes the function for one panel: it packs the panel, then computes tile after tile of rows."""

    def __init__(
        self, function: LLVMFunction, form: ProductForm, tiling: ProductTiling, vectors: int
    ) -> None:
        super().__init__(function, form.dtype, tiling.lanes)
        self.form, self.tiling, self.vectors = form, tiling, vectors
        self.width = tiling.lanes * vectors
        self.m = Emitter(function)
        length = _up(tiling.rows * self.width, block_length(function.module.target, form.dtype))
        self.edge = function.slot(f"[{length} x {self.kind}]")
        self.whole = function.compare("eq", "%columns", self.width)
        self.shift = self._pack_bias() if form.has_bias else ""
        self.panel = "%panel"
        if form.packed_b:
            self.panel = self._at("%panel", self._times("%begin", self.width))
        else:
            self._pack()
        self._tiles()
        function.finish()

    # -- packing ------------------------------------------------------------------------------

    def _pack_bias(self) -> str:
        """Copy the panel's piece of the bias, padded with zeros; return its address."""
        address = self.f.slot(f"[{self.width} x {self.kind}]")
        for number in range(self.vectors):
            self._store("zeroinitializer", self._at(address, str(number * self.lanes)))
        self._copy(address, "%bias", "%columns")
        return address

    def _pack(self) -> None:
        if self.form.transposed_b:
            self._pack_transposed()
            return
        partial = self.f.negated(self.whole)
        with self.f.when(self.whole), self.f.loop("0", "%inner") as k:
            source, goal = self._at("%b", self._times(k, "%lead_b")), self._panel_row(k)
            for number in range(self.vectors):
                offset = str(number * self.lanes)
                self._store(self._load(self._at(source, offset)), self._at(goal, offset))
        with self.f.when(partial), self.f.loop("0", "%inner") as k:
            source, goal = self._at("%b", self._times(k, "%lead_b")), self._panel_row(k)
            for number in range(self.vectors):
                self._store("zeroinitializer", self._at(goal, str(number * self.lanes)))
            self._copy(goal, source, "%columns")

    def _panel_row(self, k: str) -> str:
        return self._at(self.panel, self._times(k, self.width))

    def _pack_transposed(self) -> None:
        name = transposing_packer(self.f.module, self.form.dtype, self.lanes, self.width)
        sizes = [("i64", extent) for extent in ("%lead_b", "%columns", "%inner")]
        self.f.run(f"@{name}", ("ptr", "%b"), *sizes, ("ptr", "%panel"))

    # -- tiles --------------------------------------------------------------------------------

    def _tiles(self) -> None:
        """Whole tiles, then smaller ones for the remaining rows."""
        start = "0"
        for rows in self.tiling.heights(self.vectors):
            left = self.f.sub("%rows", start)
            count = self.f.udiv(left, rows)
            if rows == self.tiling.rows and 4 in self.tiling.heights(self.vectors):
                count = self._fewer(count)
            stop = self._plus(start, self._times(count, rows))
            with self.f.loop(start, stop, rows) as row:
                self._tile(row, rows)
            start = stop

    def _fewer(self, count: str) -> str:
        """The number of largest tiles: one less if two tiles of four rows then cover the remainder."""
        if self.form.transposed_a:  # packed by the rows of the largest
            return count
        rest = self.f.urem("%rows", self.tiling.rows)
        is_half = self.f.compare("eq", self.f.bits(rest, 6), 2)
        some = self.f.compare("sgt", count, 0)
        both = self.f.both(is_half, some)
        return self.f.sub(count, self.f.counted(both))

    def _tile(self, row: str, rows: int) -> None:
        """Compute one tile and store it."""
        zero = literal(0.0, self.form.dtype)
        starts = self._starts(row, rows)
        sums = [[self.f.slot(self.vector) for _ in range(self.vectors)] for _ in range(rows)]
        for line in sums:
            for number, slot in enumerate(line):
                first = f"splat ({self.kind} {zero})"
                if self.form.has_bias:
                    first = self._load(self._at(self.shift, str(number * self.lanes)))
                self._store(first, slot)
        if self.form.in_parts:
            self._resume(row, sums)
        begin, steps = "0", self.tiling.steps(rows, self.vectors)
        if steps > 1:
            rest = self.f.urem("%inner", steps)
            begin = self.f.sub("%inner", rest)
            with self.f.loop("0", begin, steps) as k:
                self._add_products(k, starts, sums, steps)
        with self.f.loop(begin, "%inner") as k:
            self._add_products(k, starts, sums, 1)
        self._finish(row, sums)

    def _add_products(
        self, k: str, starts: Sequence[str], sums: Sequence[Sequence[str]], count: int
    ) -> None:
        """Add the products of some steps along the inner dimension."""
        height = self.tiling.rows if self.form.transposed_a else 1
        here = [self._at(start, self._times(k, height)) for start in starts]
        panel = self._panel_row(k)
        for step in range(count):
            weights = [
                self._load(self._at(panel, str(step * self.width + number * self.lanes)))
                for number in range(self.vectors)
            ]
            for start, line in zip(here, sums, strict=True):
                element = self._load(self._at(start, str(step * height)), vector=False)
                wide = self.m.widened(self.m.value(element, self.form.dtype, 1), self.lanes)
                for weight, slot in zip(weights, line, strict=True):
                    self._store(self._multiplied(wide, weight, self._load(slot)), slot)

    def _starts(self, row: str, rows: int) -> list[str]:
        """The addresses of the left factor's rows in a tile."""
        if not self.form.transposed_a:
            lines = [self._at("%a", self._times(row, "%lead_a"))]
            while len(lines) < rows:
                lines.append(self._at(lines[-1], "%lead_a"))
            # LLVM would add up their stride again in the loop if it saw that there is only one
            return [self.f.op(f"freeze ptr {line}") for line in lines]
        within = self.f.urem(row, self.tiling.rows)
        before = self._times(self.f.sub(row, within), "%inner")
        start = self._at("%a", self._plus(before, within))
        return [self._at(start, str(i)) for i in range(rows)]

    def _resume(self, row: str, sums: Sequence[Sequence[str]]) -> None:
        """Load the sums from the output, unless this is the first part of the inner dimension."""
        goal = self._at("%c", self._times(row, "%lead_c"))
        resumed = self.f.negated("%fresh")
        with self.f.when(self.f.both(resumed, self.whole)):
            for i, line in enumerate(sums):
                self._load_row(self._at(goal, self._times("%lead_c", i)), line)
        partial = self.f.negated(self.whole)
        with self.f.when(self.f.both(resumed, partial)):
            for i, line in enumerate(sums):
                self._copy(self.edge, self._at(goal, self._times("%lead_c", i)), "%columns")
                self._load_row(self.edge, line)

    def _multiplied(self, a: str, b: str, c: str) -> str:
        name = f"llvm.fmuladd.v{self.lanes}f{self.size * 8}"
        return self.f.call(
            name, self.vector, [(self.vector, a), (self.vector, b), (self.vector, c)]
        )

    def _finish(self, row: str, sums: Sequence[Sequence[str]]) -> None:
        """Store a tile; at the edge, and for the epilogue, through a buffer as wide as the panel."""
        goal = self._at("%c", self._times(row, "%lead_c"))
        if self.form.epilogue is not None:
            with self.f.when("%last"):
                self._apply(self.form.epilogue, sums)
        results = [[self._load(slot) for slot in line] for line in sums]
        with self.f.when(self.whole):
            for i, line in enumerate(results):
                self._store_row(self._at(goal, self._times("%lead_c", i)), line)
        with self.f.when(self.f.negated(self.whole)):
            for i, address in enumerate(self._store_edge(results)):
                self._copy(self._at(goal, self._times("%lead_c", i)), address, "%columns")

    def _apply(self, epilogue: ProductEpilogue, sums: Sequence[Sequence[str]]) -> None:
        """Apply the epilogue to a tile."""
        results = [[self._load(slot) for slot in line] for line in sums]
        if epilogue.is_short:
            apply = partial(epilogue.applied, self.m, dtype=self.form.dtype, lanes=self.lanes)
            results = [[apply(total) for total in line] for line in results]
        else:
            results = self._finished(epilogue, results)
        for slots, line in zip(sums, results, strict=True):
            for slot, result in zip(slots, line, strict=True):
                self._store(result, slot)

    def _store_edge(self, results: Sequence[Sequence[str]]) -> list[str]:
        """Store a tile in a buffer as wide as the panel; return the addresses of its rows."""
        addresses = [self._at(self.edge, str(i * self.width)) for i in range(len(results))]
        for address, line in zip(addresses, results, strict=True):
            self._store_row(address, line)
        return addresses

    def _finished(
        self, epilogue: ProductEpilogue, sums: Sequence[Sequence[str]]
    ) -> list[list[str]]:
        """The result of a function on a tile, which is passed through memory."""
        addresses = self._store_edge(sums)
        name = block_finisher(self.f.module, self.form.dtype, epilogue)
        count = _up(len(sums) * self.width, block_length(self.f.module.target, self.form.dtype))
        self.f.run(f"@{name}", ("ptr", self.edge), ("i64", count))
        numbers = range(self.vectors)
        return [[self._load(self._at(p, str(n * self.lanes))) for n in numbers] for p in addresses]

    def _load_row(self, address: str, line: Sequence[str]) -> None:
        for number, slot in enumerate(line):
            self._store(self._load(self._at(address, str(number * self.lanes))), slot)

    def _store_row(self, address: str, line: Sequence[str]) -> None:
        for number, value in enumerate(line):
            self._store(value, self._at(address, str(number * self.lanes)))


def _up(number: int, unit: int) -> int:
    """A number rounded up to a multiple of `unit`."""
    return -(-number // unit) * unit
