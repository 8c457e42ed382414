"""The function of one matrix product, as LLVM's text: the choice of an algorithm, and the loops of each."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from gluonic.codegen.machine.integers import Index
from gluonic.codegen.machine.step_function import StepFunction
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import literal, scalar_type
from gluonic.codegen.matmul.attention_heads import MatrixLayout
from gluonic.codegen.matmul.blas import BlasFunction, gemv
from gluonic.codegen.matmul.choices import BLAS, BLAS_COLUMNS, LONG, LOOPS, PANELS, PART, ROWS
from gluonic.codegen.matmul.finishing import ProductEpilogue, matrix_finisher
from gluonic.codegen.matmul.gemm_call import call_gemm
from gluonic.codegen.matmul.panel_packers import LEFT_PACKER, pieces
from gluonic.codegen.matmul.product_plan import ProductPlan
from gluonic.support.record import record


@record
class _Held:
    """The layout of the matrices in an array.

    Attributes
    ----------
    extents : the rows and columns of one, as stored in memory
    layout : see `attention_heads`
    heads : number of heads, if they are by head
    """

    extents: tuple[str, str]
    layout: MatrixLayout
    heads: str


class ProductWriter:
    """Writes the function of one product."""

    def __init__(self, function: StepFunction, plan: ProductPlan) -> None:
        self.f, self.plan = function, plan
        self.kind, self.size = scalar_type(plan.dtype), plan.dtype.itemsize
        self.rows, self.columns, self.inner, self.method, self.block, self.part = (
            function.number(i) for i in range(6)
        )
        addresses = [function.operand(i) for i in range(plan.operand_count)]
        self.factors = addresses[0], addresses[1]
        self.bias = addresses[2] if plan.form.has_bias else "null"
        self.packed = addresses[2 + plan.form.has_bias] if plan.form.packed_b else ""
        self.goal = addresses[-1]
        self.workspace = function.operand(plan.operand_count)
        ta, tb = plan.transposed
        a = (self.inner, self.rows) if ta else (self.rows, self.inner)
        b = (self.columns, self.inner) if tb else (self.inner, self.columns)
        numbers = itertools.count(6)
        self.held = [
            _Held(extents, layout, function.number(next(numbers)) if layout else "")
            for extents, layout in zip((a, b, (self.rows, self.columns)), plan.layouts, strict=True)
        ]
        self.leads = tuple(self._lead_of(held) for held in self.held)

    def _lead_of(self, held: "_Held") -> str:
        """The leading dimension of a matrix: the stride of its rows."""
        columns = held.extents[1]
        if not held.layout:
            return columns
        return self.f.mul(self.f.mul(columns, held.layout[0]), held.heads)

    def _at(self, base: str, kind: str, index: str) -> str:
        return self.f.offset(base, index, kind)

    def write(self) -> None:
        """Write the choice among the algorithms."""
        f = self.f
        methods: dict[int, Callable[[], None]]
        methods = {
            LOOPS: self._products,
            PANELS: self._panel_writer(),
            BLAS: self._calls,
        }
        for number in self.plan.methods:
            with f.when(f.compare("eq", self.method, number)):
                methods[number]()
        f.finish()

    def _matrices(self, product: str) -> tuple[str, str, str]:
        """The addresses of the matrices of one of the products."""
        a, b, c = (
            self._at(address, self.kind, self._offset(product, held, lead))
            for address, held, lead in zip(
                (*self.factors, self.goal), self.held, self.leads, strict=True
            )
        )
        return a, b, c

    def _offset(self, product: str, held: "_Held", lead: str) -> str:
        """The offset, in elements, of one of the matrices in an array."""
        rows, columns = held.extents
        if not held.layout:
            return self.f.mul(product, self.f.mul(rows, columns))
        parts, part = held.layout
        batch, head = self.f.udiv(product, held.heads), self.f.urem(product, held.heads)
        pieces = self.f.add(self.f.mul(head, parts), part)
        before = self.f.mul(batch, self.f.mul(rows, lead))
        return self.f.add(before, self.f.mul(pieces, columns))

    def _products(self) -> None:
        """Write the loop over products; each is a unit."""
        with self.f.loop("%begin", "%end") as unit:
            self._loops(*self._matrices(unit))

    def _panel_writer(self) -> Callable[[], None]:
        if self.plan.form.packed_b:
            return self._packed_panels
        return self._transposed_panels if self.plan.transposed[0] else self._panels

    def _packed_panels(self) -> None:
        """Write the loop over blocks of rows and, for each, over all panels; a unit is a panel."""
        f, width = self.f, self.plan.unit_columns
        down = self._parts(self.rows, self.block)
        with self._lines(self._parts(self.columns, width)) as (line, low, high):
            row = self.f.mul(f.urem(line, down), self.block)
            rows = self._less(self.rows, self.f.add(row, self.block), row)
            a, b, c = self._matrices(f.udiv(line, down))
            a = self._at(a, self.kind, self.f.mul(row, self.leads[0]))
            c = self._at(c, self.kind, self.f.mul(row, self.leads[2]))
            with f.loop("0", self.inner, self.part) as begin, f.loop(low, high) as panel:
                inner = self._less(self.inner, self.f.add(begin, self.part), begin)
                first = self.f.mul(panel, width)
                count = self._less(self.columns, self.f.add(first, width), first)
                here = self._at(a, self.kind, begin)
                self._panel((begin, inner), (here, b, c), rows, (first, count))

    def _panels(self) -> None:
        """Write the loop over panels; a unit is some rows of a panel."""
        f, width = self.f, self.plan.unit_columns
        across, (_, tb) = self._parts(self.columns, width), self.plan.transposed
        with self._lines(self._parts(self.rows, ROWS)) as (line, low, high):
            product = f.udiv(line, across)
            panel = f.urem(line, across)
            first = self.f.mul(panel, width)
            row = self.f.mul(low, ROWS)
            rows = self._less(self.rows, self.f.mul(high, ROWS), row)
            a, b, c = self._matrices(product)
            a = self._at(a, self.kind, self.f.mul(row, self.leads[0]))
            c = self._at(c, self.kind, self.f.mul(row, self.leads[2]))
            with pieces(f, self.inner, LONG) as (begin, inner):
                b = self._at(b, self.kind, begin if tb else self.f.mul(begin, self.leads[1]))
                count = self._less(self.columns, self.f.add(first, width), first)
                a = self._at(a, self.kind, begin)
                self._panel((begin, inner), (a, b, c), rows, (first, count))

    def _transposed_panels(self) -> None:
        """Write the loop over products; the left factor is packed part by part, a unit is some panels."""
        f, width = self.f, self.plan.unit_columns
        tb = self.plan.transposed[1]
        with self._lines(self._parts(self.columns, width)) as (product, low, high):
            start = self.f.mul(low, width)
            length = self._less(self.columns, self.f.mul(high, width), start)
            a, b, c = self._matrices(product)
            with pieces(f, self.inner, PART) as (begin, inner):
                left = self._left(a, begin, inner, self.leads[0])
                b = self._at(b, self.kind, begin if tb else self.f.mul(begin, self.leads[1]))
                with pieces(f, length, self.plan.tiling.columns) as (first, count):
                    columns = self.f.add(start, first), count
                    self._panel((begin, inner), (left, b, c), self.rows, columns)

    def _parts(self, extent: str, size: Index) -> str:
        """The number of parts of a size, at least one."""
        parts = self.f.udiv(self.f.add(extent, self.f.add(size, -1)), size)
        return self.f.most(parts, 1)

    def _less(self, most: str, end: str, start: Index) -> str:
        """The length from `start` to `end`, at most `most`."""
        return self.f.sub(self.f.least(most, end), start)

    @contextmanager
    def _lines(self, length: str) -> Iterator[tuple[str, str, str]]:
        """Loop over lines of `length` units; yield the index of each, and its first and last units."""
        f = self.f
        behind = f.add("%end", self.f.add(length, -1))
        first = f.udiv("%begin", length)
        with f.loop(first, f.udiv(behind, length)) as line:
            start = self.f.mul(line, length)
            low = f.sub(f.most("%begin", start), start)
            yield line, low, self._less("%end", self.f.add(start, length), start)

    def _panel(
        self,
        part: tuple[str, str],
        matrices: tuple[str, str, str],
        rows: str,
        columns: tuple[str, str],
    ) -> None:
        """Write the call for a part of the inner dimension, some rows and the columns of a panel."""
        f, (a, b, c), (first, count), (begin, inner) = self.f, matrices, columns, part
        fresh = f.compare("eq", begin, 0)
        last = f.compare("eq", self.f.add(begin, inner), self.inner)
        start = self.f.mul(first, self.leads[1]) if self.plan.transposed[1] else first
        panel = self._packed_panel(first) if self.plan.form.packed_b else self.workspace
        bias = self._at(self.bias, self.kind, first) if self.plan.form.has_bias else "null"
        goal = self._at(c, self.kind, first)
        arguments = [
            *(("ptr", a), ("i64", self.leads[0])),
            *(("ptr", self._at(b, self.kind, start)), ("i64", self.leads[1]), ("ptr", bias)),
            *(("ptr", goal), ("i64", self.leads[2])),
            *(("i64", rows), ("i64", count), ("i64", inner)),
            *(("ptr", panel), ("i64", begin), ("i1", fresh), ("i1", last)),
        ]
        self._call_panel(count, arguments)

    def _packed_panel(self, first: str) -> str:
        """The address, among all packed panels, of the one that begins with a column."""
        lanes = self.plan.tiling.lanes
        up = self.f.add(self.inner, lanes - 1)
        padded = self.f.bits(up, -lanes)
        return self._at(self.packed, self.kind, self.f.mul(first, padded))

    def _left(self, a: str, begin: str, inner: str, lead: str) -> str:
        """The left factor's part from `begin` on, packed."""
        part = self._at(a, self.kind, self.f.mul(begin, lead))
        goal = self._at(self.workspace, "i8", str(self.plan.packed_left_at))
        sizes = [("i64", extent) for extent in (lead, self.rows, inner)]
        packer = LEFT_PACKER.format(self.plan.dtype.name)
        self.f.run(f"@{packer}", ("ptr", part), *sizes, ("ptr", goal))
        return goal

    def _call_panel(self, count: str, arguments: Sequence[tuple[str, str]]) -> None:
        """Write the choice among panels of different widths."""
        f, lanes, form = self.f, self.plan.tiling.lanes, self.plan.form
        if len(self.plan.widths) == 1:
            f.run(f"@{form.symbol(*self.plan.widths)}", *arguments)
            return
        for vectors, below in zip(self.plan.widths, (*self.plan.widths[1:], 0), strict=True):
            enough = f.compare("sle", count, vectors * lanes)
            needed = f.compare("sgt", count, below * lanes)
            with f.when(f.both(enough, needed)):
                f.run(f"@{form.symbol(vectors)}", *arguments)

    def _loops(self, a: str, b: str, c: str) -> None:
        """Write the three loops over rows, columns and the inner dimension."""
        f, kind = self.f, self.kind
        ta, tb = self.plan.transposed
        sum_slot = f.slot(kind, 8)
        with f.loop("0", self.rows) as i, f.loop("0", self.columns) as j:
            start = literal(0.0, self.plan.dtype)
            if self.plan.form.has_bias:
                start = f.load(kind, self._at(self.bias, kind, j))
            f.store(kind, start, sum_slot)
            with f.loop("0", self.inner) as k:
                x = self._element(a, (k, i) if ta else (i, k), self.leads[0])
                y = self._element(b, (j, k) if tb else (k, j), self.leads[1])
                total = f.load(kind, sum_slot)
                name = f"llvm.fmuladd.f{self.size * 8}"
                total = f.call(name, kind, [(kind, x), (kind, y), (kind, total)])
                f.store(kind, total, sum_slot)
            total = f.load(kind, sum_slot)
            if self.plan.form.epilogue is not None:
                m = Emitter(f)
                total = self.plan.form.epilogue.applied(m, total, self.plan.dtype, 1)
            address = self._at(c, kind, self.f.add(self.f.mul(i, self.leads[2]), j))
            f.store(kind, total, address)

    def _element(self, base: str, index: tuple[str, str], lead: str) -> str:
        address = self._at(base, self.kind, self.f.add(self.f.mul(index[0], lead), index[1]))
        return self.f.load(self.kind, address)

    def _calls(self) -> None:
        """Write the loop over calls of BLAS; a unit is some columns."""
        f = self.f
        across = self._parts(self.columns, str(BLAS_COLUMNS))
        with f.loop("%begin", "%end") as unit:
            a, b, c = self._matrices(f.udiv(unit, across))
            first = self.f.mul(f.urem(unit, across), str(BLAS_COLUMNS))
            count = self._less(self.columns, self.f.add(first, str(BLAS_COLUMNS)), first)
            start = self.f.mul(first, self.leads[1]) if self.plan.transposed[1] else first
            c = self._at(c, self.kind, first)
            self._call(a, self._at(b, self.kind, start), c, (first, count))
            if self.plan.form.epilogue is not None:
                self._finish_all(self.plan.form.epilogue, c, count)

    def _call(self, a: str, b: str, c: str, columns: tuple[str, str]) -> None:
        """Write the call of BLAS for some columns; a bias is first copied to the output, and added to."""
        if self.plan.form.has_bias:
            self._spread_bias(c, columns)
        if not self.f.module.target.has_blas:
            self._call_for_rows(a, b, c, columns[1])
            return
        is_row = self.f.compare("eq", self.rows, 1)
        is_row = self.f.both(is_row, self.f.compare("sgt", self.inner, 0))
        with self.f.when(is_row):  # as a matrix it would first be copied in blocks
            self._call_for_row(a, b, c, columns[1])
        with self.f.when(self.f.negated(is_row)):
            self._call_for_rows(a, b, c, columns[1])

    def _call_for_rows(self, a: str, b: str, c: str, columns: str) -> None:
        """Write the product of matrices."""
        ta, tb = self.plan.transposed
        factors = (a, self.leads[0], ta), (b, self.leads[1], tb)
        extents = self.rows, columns, self.inner
        goal = c, self.leads[2]
        call_gemm(self.f, self.plan.dtype, *factors, goal, extents, adds=self.plan.form.has_bias)

    def _call_for_row(self, a: str, b: str, c: str, columns: str) -> None:
        """Write the product of the right factor with one row."""
        function = gemv(self.plan.dtype)
        assert function is not None
        tb, integer = self.plan.transposed[1], function.integer
        one, beta = self._factors()
        extents = (columns, self.inner) if tb else (self.inner, columns)
        step_a = (integer, self._lead(self.leads[0], integer) if self.plan.transposed[0] else "1")
        arguments = [
            ("i32", "101"),  # row-major
            ("i32", "111" if tb else "112"),
            *((integer, self._narrow(n, integer)) for n in extents),
            *(one, ("ptr", b), (integer, self._lead(self.leads[1], integer))),
            *(("ptr", a), step_a, beta, ("ptr", c), (integer, "1")),
        ]
        self._call_blas(function, arguments)

    def _factors(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """BLAS's factors: alpha of the product, beta of the output that it is added to."""
        beta = 1.0 if self.plan.form.has_bias else 0.0
        one, other = ((self.kind, literal(n, self.plan.dtype)) for n in (1.0, beta))
        return one, other

    def _call_blas(self, function: BlasFunction, arguments: Sequence[tuple[str, str]]) -> None:
        self.f.module.extern(function.symbol, function.address, [kind for kind, _ in arguments])
        self.f.run(f"@{function.symbol}", *arguments)

    def _finish_all(self, epilogue: ProductEpilogue, c: str, columns: str) -> None:
        """Apply the epilogue to the output of BLAS."""
        name = matrix_finisher(self.f.module, self.plan.dtype, epilogue)
        sizes = [("i64", extent) for extent in (self.leads[2], self.rows, columns)]
        self.f.run(f"@{name}", ("ptr", c), *sizes)

    def _narrow(self, number: str, integer: str) -> str:
        return number if integer == "i64" else self.f.narrowed(number)

    def _lead(self, number: str, integer: str) -> str:
        """A leading dimension, which is never 0."""
        return self._narrow(self.f.most(number, 1), integer)

    def _spread_bias(self, c: str, columns: tuple[str, str]) -> None:
        """Copy the bias of some columns to each row."""
        size = self.f.mul(columns[1], str(self.size))
        bias = self._at(self.bias, self.kind, columns[0])
        with self.f.loop("0", self.rows) as i:
            row = self._at(c, self.kind, self.f.mul(i, self.leads[2]))
            self.f.copy(row, bias, size)
