"""The product of matrices as machine code of our own, for shapes where that is faster than BLAS.

The right factor is packed panel by panel: a panel is as many columns as a few registers hold, all rows of
it one after the other, so that what the inner loop reads lies together. A tile of rows times the panel's
columns stays in registers while the length that is summed over goes by; then bias and activation are
applied, and the tile is stored. The left factor is read where it lies; if it lies transposed, it is packed
too, by the rows of a tile.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from gluonic.codegen.machine.assembler import Function, Module
from gluonic.codegen.machine.squares import transposed
from gluonic.codegen.machine.target import Target
from gluonic.codegen.machine.values import Dtype, literal, scalar_type, vector_type
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.products.finishing import Epilogue, finisher
from gluonic.graph.record import record

_ARGUMENTS = (
    "ptr %a", "i64 %lead_a", "ptr %b", "i64 %lead_b", "ptr %bias", "ptr %c", "i64 %lead_c",
    "i64 %rows", "i64 %columns", "i64 %inner", "ptr %panel", "i1 %fresh",
)  # fmt: skip


@record
class ProductForm:
    """What the code of a product depends on.

    Attributes
    ----------
    dtype : of all matrices
    turned_a, turned_b : whether a factor lies transposed in memory
    has_bias : whether a row is added to each row of the product
    packed_b : whether the right factor is packed already
    epilogue : applied to each element in the end
    """

    dtype: Dtype
    turned_a: bool
    turned_b: bool
    has_bias: bool = False
    packed_b: bool = False
    epilogue: Epilogue | None = None

    def symbol(self, vectors: int) -> str:
        """The name of the function for panels of so many registers' width."""
        flags = "".join("t" if turned else "n" for turned in (self.turned_a, self.turned_b))
        flags += f"{int(self.has_bias)}{int(self.packed_b)}"
        name = "" if self.epilogue is None else self.epilogue.name
        return f"panel_{self.dtype.name}_{flags}_{vectors}_{name}"


@record
class Tiling:
    """How a product is cut for a processor.

    Attributes
    ----------
    lanes : elements of a register
    rows : how many rows a tile has, of the largest tile and of those for what it leaves
    vectors : how many registers wide a panel is, widest first
    """

    lanes: int
    rows: tuple[int, ...]
    vectors: tuple[int, ...]

    @classmethod
    def of(cls, dtype: Dtype, target: Target) -> "Tiling":
        """The tiling for a processor: accumulators, a row of the panel and one more must fit."""
        lanes = target.vector_bytes // dtype.itemsize
        vectors = (4, 1) if target.vector_registers >= 32 else (2, 1)
        return cls(lanes, (6, 2, 1), vectors)

    @property
    def columns(self) -> int:
        """How many columns the widest panel has."""
        return self.lanes * self.vectors[0]

    def panel_bytes(self, inner: int, itemsize: int) -> int:
        """The bytes of a packed panel."""
        padded = -(-inner // self.lanes) * self.lanes
        return padded * self.columns * itemsize


def emit_panels(module: Module, form: ProductForm, tiling: Tiling) -> None:
    """Write the functions that compute the columns of one panel, if they are not there yet."""
    if form.turned_a and LEFT_PACKER.format(form.dtype.name) not in module.definitions:
        _write_left_packer(module, form, tiling.rows[0])
    for vectors in tiling.vectors:
        name = form.symbol(vectors)
        if name not in module.definitions:
            function = Function(module, name, _ARGUMENTS, internal=True)
            _PanelWriter(function, form, tiling, vectors)


class _Writer:
    """Writes a function over matrices of one dtype."""

    def __init__(self, function: Function, dtype: Dtype, lanes: int) -> None:
        self.f, self.lanes = function, lanes
        self.kind, self.size = scalar_type(dtype), dtype.itemsize
        self.vector = vector_type(dtype, lanes)

    def _at(self, base: str, index: str) -> str:
        return self.f.op(f"getelementptr {self.kind}, ptr {base}, i64 {index}")

    def _times(self, a: str, b: str | int) -> str:
        return self.f.op(f"mul i64 {a}, {b}")

    def _plus(self, a: str, b: str | int) -> str:
        return self.f.op(f"add i64 {a}, {b}")

    def _load(self, address: str, vector: bool = True) -> str:
        kind = self.vector if vector else self.kind
        return self.f.op(f"load {kind}, ptr {address}, align {self.size}")

    def _store(self, value: str, address: str, vector: bool = True) -> None:
        kind = self.vector if vector else self.kind
        self.f.do(f"store {kind} {value}, ptr {address}, align {self.size}")

    def _copy(self, target: str, source: str, count: str) -> None:
        """Copy so many elements."""
        name, size = "llvm.memcpy.p0.p0.i64", self._times(count, self.size)
        self.f.module.declare(name, "void", ["ptr", "ptr", "i64", "i1"])
        self.f.do(f"call void @{name}(ptr {target}, ptr {source}, i64 {size}, i1 false)")


class _PanelWriter(_Writer):
    """Writes the function for one panel: packs it, then computes tile after tile of rows."""

    def __init__(self, function: Function, form: ProductForm, tiling: Tiling, vectors: int) -> None:
        super().__init__(function, form.dtype, tiling.lanes)
        self.form, self.tiling, self.vectors = form, tiling, vectors
        self.width = tiling.lanes * vectors
        self.m = Emitter(function)
        self.edge = function.slot(f"[{tiling.rows[0] * self.width} x {self.kind}]")
        self.whole = function.op(f"icmp eq i64 %columns, {self.width}")
        self.shift = self._pack_bias() if form.has_bias else ""
        if not form.packed_b:
            self._pack()
        self._tiles()
        function.finish()

    # -- packing ------------------------------------------------------------------------------

    def _pack_bias(self) -> str:
        """The panel's piece of the bias, zeros behind it; where it is."""
        place = self.f.slot(f"[{self.width} x {self.kind}]")
        for number in range(self.vectors):
            self._store("zeroinitializer", self._at(place, str(number * self.lanes)))
        self._copy(place, "%bias", "%columns")
        return place

    def _pack(self) -> None:
        if self.form.turned_b:
            self._pack_turned()
            return
        partial = self.f.op(f"xor i1 {self.whole}, true")
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
        return self._at("%panel", self._times(k, self.width))

    def _pack_turned(self) -> None:
        name = turned_packer(self.f.module, self.form.dtype, self.lanes)
        self.f.do(
            f"call void @{name}(ptr %b, i64 %lead_b, i64 %columns, i64 %inner, ptr %panel, "
            f"i64 {self.width})"
        )

    # -- tiles --------------------------------------------------------------------------------

    def _tiles(self) -> None:
        """Whole tiles, then smaller ones for the rows that are left."""
        start = "0"
        for rows in self.tiling.rows:
            left = self.f.op(f"sub i64 %rows, {start}")
            count = self.f.op(f"udiv i64 {left}, {rows}")
            stop = self._plus(start, self._times(count, rows))
            with self.f.loop(start, stop, rows) as row:
                self._tile(row, rows)
            start = stop

    def _tile(self, row: str, rows: int) -> None:
        """Sum up one tile and store it."""
        zero = literal(0.0, self.form.dtype)
        starts = self._starts(row, rows)
        sums = [[self.f.slot(self.vector) for _ in range(self.vectors)] for _ in range(rows)]
        for line in sums:
            for number, slot in enumerate(line):
                first = f"splat ({self.kind} {zero})"
                if self.form.has_bias:
                    first = self._load(self._at(self.shift, str(number * self.lanes)))
                self._store(first, slot)
        if self.form.turned_a:
            self._resume(row, sums)
        with self.f.loop("0", "%inner") as k:
            step = self._times(k, self.tiling.rows[0]) if self.form.turned_a else k
            panel = self._panel_row(k)
            weights = [
                self._load(self._at(panel, str(number * self.lanes)))
                for number in range(self.vectors)
            ]
            for start, line in zip(starts, sums, strict=True):
                element = self._load(self._at(start, step), vector=False)
                wide = self.m.widened(self.m.value(element, self.form.dtype, 1), self.lanes)
                for weight, slot in zip(weights, line, strict=True):
                    self._store(self._multiplied(wide, weight, self._load(slot)), slot)
        self._finish(row, sums)

    def _starts(self, row: str, rows: int) -> list[str]:
        """Where the left factor's rows of a tile begin."""
        if not self.form.turned_a:
            return [self._at("%a", self._times(self._plus(row, i), "%lead_a")) for i in range(rows)]
        within = self.f.op(f"urem i64 {row}, {self.tiling.rows[0]}")
        before = self._times(self.f.op(f"sub i64 {row}, {within}"), "%inner")
        start = self._at("%a", self._plus(before, within))
        return [self._at(start, str(i)) for i in range(rows)]

    def _resume(self, row: str, sums: Sequence[Sequence[str]]) -> None:
        """Start from what is there, unless this is the first part of the length summed over."""
        goal = self._at("%c", self._times(row, "%lead_c"))
        with self.f.when(self.f.op("xor i1 %fresh, true")):
            for i, line in enumerate(sums):
                source, place = self._at(goal, self._times("%lead_c", i)), self.edge
                self._copy(place, source, "%columns")
                for number, slot in enumerate(line):
                    self._store(self._load(self._at(place, str(number * self.lanes))), slot)

    def _multiplied(self, a: str, b: str, c: str) -> str:
        name = f"llvm.fmuladd.v{self.lanes}f{self.size * 8}"
        return self.f.call(
            name, self.vector, [(self.vector, a), (self.vector, b), (self.vector, c)]
        )

    def _finish(self, row: str, sums: Sequence[Sequence[str]]) -> None:
        """Store a tile; at the edge, and for the epilogue, by way of memory as wide as the panel."""
        results = [[self._load(slot) for slot in line] for line in sums]
        goal = self._at("%c", self._times(row, "%lead_c"))
        epilogue = self.form.epilogue
        if epilogue is not None:
            if not epilogue.is_short(self.f.module.target, self.form.dtype):
                self._store_edge(results)
                self._call_finisher(epilogue, goal, len(results))
                return
            apply = partial(epilogue.applied, self.m, dtype=self.form.dtype, lanes=self.lanes)
            results = [[apply(total) for total in line] for line in results]
        with self.f.when(self.whole):
            for i, line in enumerate(results):
                self._store_row(self._at(goal, self._times("%lead_c", i)), line)
        with self.f.when(self.f.op(f"xor i1 {self.whole}, true")):
            for i, place in enumerate(self._store_edge(results)):
                self._copy(self._at(goal, self._times("%lead_c", i)), place, "%columns")

    def _store_edge(self, results: Sequence[Sequence[str]]) -> list[str]:
        """Store a tile in memory as wide as the panel; where its rows are."""
        places = [self._at(self.edge, str(i * self.width)) for i in range(len(results))]
        for place, line in zip(places, results, strict=True):
            self._store_row(place, line)
        return places

    def _call_finisher(self, epilogue: Epilogue, goal: str, rows: int) -> None:
        """Write the call that makes results of the tile that has been stored."""
        name = finisher(self.f.module, self.form.dtype, self.tiling.columns, epilogue)
        self.f.do(
            f"call void @{name}(ptr {self.edge}, i64 {self.width}, ptr {goal}, i64 %lead_c, "
            f"i64 {rows}, i64 %columns)"
        )

    def _store_row(self, place: str, line: Sequence[str]) -> None:
        for number, value in enumerate(line):
            self._store(value, self._at(place, str(number * self.lanes)))


def turned_packer(module: Module, dtype: Dtype, lanes: int) -> str:
    """The function that packs the panel of a right factor that lies transposed, written if it is new."""
    name = f"pack_turned_{dtype.name}"
    if name not in module.definitions:
        arguments = [
            "ptr %b",
            "i64 %lead_b",
            "i64 %columns",
            "i64 %inner",
            "ptr %panel",
            "i64 %width",
        ]
        _TurnedPacker(Function(module, name, arguments, internal=True), dtype, lanes)
    return name


class _TurnedPacker(_Writer):
    """Writes the function that packs rows as columns of a panel.

    Squares are transposed in registers; what is left goes element by element.
    """

    def __init__(self, function: Function, dtype: Dtype, lanes: int) -> None:
        super().__init__(function, dtype, lanes)
        f = self.f
        last = self._plus("%columns", -1)
        rest = f.op(f"and i64 %inner, {lanes - 1}")
        middle = f.op(f"sub i64 %inner, {rest}")
        with f.loop("0", "%width", lanes) as first:
            sources = []
            for lane in range(lanes):  # columns behind the last one repeat it
                bounds = [("i64", self._plus(first, lane)), ("i64", last)]
                column = f.call("llvm.smin.i64", "i64", bounds)
                sources.append(self._at("%b", self._times(column, "%lead_b")))
            with f.loop("0", middle, lanes) as k:
                rows = self._square(sources, k)
                goal = self._plus(self._times(k, "%width"), first)
                for row in rows:
                    self._store(row, self._at("%panel", goal))
                    goal = self._plus(goal, "%width")
            with f.loop(middle, "%inner") as k:
                goal = self._plus(self._times(k, "%width"), first)
                for lane, source in enumerate(sources):
                    element = self._load(self._at(source, k), vector=False)
                    self._store(element, self._at("%panel", self._plus(goal, lane)), vector=False)
        f.finish()

    def _square(self, sources: Sequence[str], k: str) -> list[str]:
        """A square of elements from `k` on in each source, its columns as registers.

        Where registers hold several quarters of 16 bytes, these come from memory each to its place, and
        only within them elements must change places.
        """
        quarter = 16 // self.size
        if self.lanes <= quarter:
            rows = [self._load(self._at(s, k)) for s in sources]
            return transposed(self.f, self.vector, rows, self.lanes, self.lanes)
        columns: list[str] = []
        for first in range(0, self.lanes, quarter):
            place = self._plus(k, first)
            mixed = []
            for i in range(quarter):
                parts = [self._quarter(s, place, quarter) for s in sources[i::quarter]]
                mixed.append(self._joined(parts, quarter))
            columns += transposed(self.f, self.vector, mixed, self.lanes, quarter)
        return columns

    def _quarter(self, source: str, place: str, count: int) -> str:
        return self.f.op(
            f"load <{count} x {self.kind}>, ptr {self._at(source, place)}, align {self.size}"
        )

    def _joined(self, parts: list[str], count: int) -> str:
        """Registers of `count` elements as one register."""
        while len(parts) > 1:
            kind, pairs = f"<{count} x {self.kind}>", zip(parts[::2], parts[1::2], strict=True)
            parts = [self.f.shuffle(kind, a, b, range(2 * count)) for a, b in pairs]
            count *= 2
        return parts[0]


LEFT_PACKER = "pack_left_{}"
_BATCH = 16


def _write_left_packer(module: Module, form: ProductForm, height: int) -> None:
    """Write the function that packs a transposed left factor: for each tile its rows, side by side.

    It goes through a few rows of memory at a time, which are on as many pages.
    """
    arguments = ["ptr %a", "i64 %lead", "i64 %rows", "i64 %inner", "ptr %goal"]
    f = Function(module, LEFT_PACKER.format(form.dtype.name), arguments, internal=True)
    kind, size = scalar_type(form.dtype), form.dtype.itemsize

    def at(base: str, index: str) -> str:
        return f.op(f"getelementptr {kind}, ptr {base}, i64 {index}")

    left = f.op(f"urem i64 %rows, {height}")
    whole = f.op(f"sub i64 %rows, {left}")
    widths = [4, 2] if height == 6 else [height]
    with pieces(f, "%inner", _BATCH) as (begin, count), f.loop("0", "%rows", height) as row:
        full = f.op(f"icmp slt i64 {row}, {whole}")
        partial = f.op(f"xor i1 {full}, true")
        stop = f.op(f"add i64 {begin}, {count}")
        with f.loop(begin, stop) as k:
            source = at(at("%a", f.op(f"mul i64 {k}, %lead")), row)
            goal = at(at("%goal", f.op(f"mul i64 {row}, %inner")), f.op(f"mul i64 {k}, {height}"))
            with f.when(full):
                position = 0
                for width in widths:
                    wide = f"<{width} x {kind}>"
                    value = f.op(f"load {wide}, ptr {at(source, str(position))}, align {size}")
                    f.do(f"store {wide} {value}, ptr {at(goal, str(position))}, align {size}")
                    position += width
            with f.when(partial), f.loop("0", left) as i:
                value = f.op(f"load {kind}, ptr {at(source, i)}")
                f.do(f"store {kind} {value}, ptr {at(goal, i)}")
    f.finish()


@contextmanager
def pieces(f: Function, length: str, most: int) -> Iterator[tuple[str, str]]:
    """Loop over pieces of a length; yields where each begins, and how long it is."""
    with f.loop("0", length, most) as first:
        left = f.op(f"sub i64 {length}, {first}")
        yield first, f.call("llvm.smin.i64", "i64", [("i64", left), ("i64", str(most))])
