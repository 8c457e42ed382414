"""Products of matrices as native steps: which operators are products, and the function that computes one."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from math import prod

from gluonic.codegen.loops.costs import NANOSECONDS_A_PRODUCT
from gluonic.codegen.loops.facts import Facts
from gluonic.codegen.loops.loop import Expression, Shape
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import Function, Module
from gluonic.codegen.machine.blas import gemm
from gluonic.codegen.machine.target import host
from gluonic.codegen.machine.values import FLOAT32, Dtype, literal, scalar_type, vector_type
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.products.epilogues import Extended
from gluonic.codegen.products.product_kernel import (
    LEFT_PACKER,
    ProductForm,
    Tiling,
    emit_panels,
    pieces,
    turned_packer,
)
from gluonic.graph.node import Entry, Node

_SMALL = 64
"""Up to so many elements of the right factor plain loops do, however many rows there are."""
_FEW_ROWS = 6
"""Up to so many rows packing the right factor may cost more than it spares; BLAS has ways without."""
_LARGE = 1 << 21
"""From so many elements on the right factor, packed, has left the cache when it is read."""
_MOST_KEPT = 1 << 22
"""Weights of more elements are no longer in the cache when they are read again, packed or not."""
_BLOCK_BYTES = 1 << 18
"""How much of the left factor all packed panels go over before more of it: what a second level cache holds."""
_LONG = 8192
"""From such a length on a packed panel does not fit the cache."""
_PART = 256
"""How much of the length is summed over at a time, if the left factor lies transposed."""
_LOOPS, _PANELS, _BLAS = range(3)
_ROWS = 192
"""So many rows of a panel's columns are one unit of work: tiles fit in."""
_TURNED_COLUMNS = 128
"""About so many columns are one unit if the left factor is packed for each."""
_BLAS_COLUMNS = 256
"""So many columns BLAS computes at a time."""


@dataclass(frozen=True)
class Product:
    """``output = a · b (+ bias along each row)``, `batch` times, over contiguous arrays.

    Attributes
    ----------
    a, b : positions of the factors among the node's inputs
    bias : position of the bias, None if there is none
    packed : position of the right factor packed already, None if it is not
    turned_a, turned_b : whether the factor lies transposed in memory
    batch, rows, columns, inner : the extents
    """

    a: int
    b: int
    bias: int | None
    turned_a: bool
    turned_b: bool
    batch: int
    rows: int
    columns: int
    inner: int
    packed: int | None = None


def product_of(node: Node, shapes: Mapping[Entry, Shape]) -> Product | None:
    """The operator as a product of matrices; None if it is none."""
    rule = _RULES.get(node.operator_name)
    assert node.application is not None
    if rule is None:
        return None
    return rule(node.application.settings, [shapes[e] for e in node.inputs])


def _dense(settings: Mapping[str, bool], shapes: Sequence[Shape]) -> Product:
    columns, inner = shapes[1]
    rows = shapes[0][0] if settings["flatten"] else prod(shapes[0][:-1])
    bias = 2 if len(shapes) > 2 else None
    return Product(0, 1, bias, False, True, 1, rows, columns, inner)


def _extended(settings: Mapping[str, bool], shapes: Sequence[Shape]) -> Product:
    product = _dense(settings, shapes[: 2 + (not settings["no_bias"])])
    return replace(product, packed=len(shapes) - 1 if settings["is_packed"] else None)


def _dot(settings: Mapping[str, bool], shapes: Sequence[Shape]) -> Product:
    return _matrices(settings, 0, shapes[0], 1, shapes[1])


def _matrices(settings: Mapping[str, bool], a: int, left: Shape, b: int, right: Shape) -> Product:
    """The product of arrays taken as matrices, as `dot` takes them."""
    ta, tb = settings["transpose_a"], settings["transpose_b"]
    inner = left[0] if ta else left[-1]
    rows = prod(left[1:] if ta else left[:-1])
    columns = prod(right[:-1] if tb else right[1:])
    return Product(a, b, None, ta, tb, 1, rows, columns, inner)


def _dot_lhs(settings: Mapping[str, bool], shapes: Sequence[Shape]) -> Product:
    """The gradient of `dot` with respect to its first factor: ``g · rhsᵀ``, or its transpose."""
    whole = _matrices(settings, 1, shapes[1], 2, shapes[2])
    rows, columns, inner = whole.rows, whole.columns, whole.inner
    tb = settings["transpose_b"]
    if settings["transpose_a"]:  # rhs · gradᵀ, of shape (inner, rows)
        return Product(2, 0, None, tb, True, 1, inner, rows, columns)
    return Product(0, 2, None, False, not tb, 1, rows, inner, columns)


def _dot_rhs(settings: Mapping[str, bool], shapes: Sequence[Shape]) -> Product:
    """The gradient of `dot` with respect to its second factor: ``lhsᵀ · g``, or its transpose."""
    whole = _matrices(settings, 1, shapes[1], 2, shapes[2])
    rows, columns, inner = whole.rows, whole.columns, whole.inner
    ta = settings["transpose_a"]
    if settings["transpose_b"]:  # gradᵀ · lhs, of shape (columns, inner)
        return Product(0, 1, None, True, ta, 1, columns, inner, rows)
    return Product(1, 0, None, not ta, False, 1, inner, columns, rows)


def _batch_dot(settings: Mapping[str, bool], shapes: Sequence[Shape]) -> Product:
    ta, tb = settings["transpose_a"], settings["transpose_b"]
    rows, inner = shapes[0][-2:][::-1] if ta else shapes[0][-2:]
    columns = shapes[1][-2] if tb else shapes[1][-1]
    return Product(0, 1, None, ta, tb, prod(shapes[0][:-2]), rows, columns, inner)


_RULES = {
    "FullyConnected": _dense,
    "_extended": _extended,
    "dot": _dot,
    "_backward_dot_lhs": _dot_lhs,
    "_backward_dot_rhs": _dot_rhs,
    "batch_dot": _batch_dot,
}


def _suits_blas(product: Product) -> bool:
    """Whether BLAS has a way for few rows that beats packing."""
    across = product.turned_b and product.columns * product.inner < _LARGE
    return host().vector_registers >= 32 or not across


def _epilogue(node: Node) -> tuple[Expression | None, str]:
    """What is applied to each element of the product, and a name for it."""
    application = node.application
    if not isinstance(application, Extended) or not application.then:
        return None, ""
    return application.expression, sha256(application.name.encode()).hexdigest()[:16]


class ProductStep(Step):
    """A product of matrices: plain loops, panels or BLAS, whichever suits the shapes of a call."""

    uses_workspace = True

    def __init__(self, node: Node, product: Product, dtype: Dtype) -> None:
        self.node, self.dtype = node, dtype
        self.small = self._method(product) == _LOOPS
        self.turned = product.turned_a, product.turned_b
        self.has_bias, self.is_packed = product.bias is not None, product.packed is not None
        self.form = ProductForm(
            dtype, *self.turned, self.has_bias, self.is_packed, *_epilogue(node)
        )
        self.tiling = Tiling.of(dtype, host())
        given = (product.a, product.b, product.bias, product.packed)
        positions = [p for p in given if p is not None]
        self.operands = (*(node.inputs[p] for p in positions), node.entry())

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "ProductStep | None":
        """The step of a node that is a product, of a dtype that BLAS knows."""
        product, dtype = product_of(node, facts.shapes), facts.dtypes[node.entry()]
        if product is None or gemm(dtype) is None:
            return None
        factors = (node.inputs[product.a], node.inputs[product.b])
        if any(facts.dtypes[e] != dtype for e in factors):
            return None
        return cls(node, product, dtype)

    def _product(self, facts: Facts) -> Product:
        product = product_of(self.node, facts.shapes)
        assert product is not None
        return product

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Rows, columns, the length summed over, the way of computing, and how many rows are a block."""
        product = self._product(facts)
        way, block = self._way(product), self._block(product)
        return product.rows, product.columns, product.inner, way, block

    def _block(self, product: Product) -> int:
        """So many rows are a unit: whole tiles, which all panels find in the cache if these are packed."""
        if not self.is_packed:
            return _ROWS
        fitting = _BLOCK_BYTES // max(product.inner * self.dtype.itemsize, 1)
        height = self.tiling.rows[0]
        return min(max(fitting // height, 1) * height, _ROWS)

    def _way(self, product: Product) -> int:
        """The best way that the function knows."""
        best = self._method(product)
        return best if best in self.ways else _BLAS

    @property
    def ways(self) -> tuple[int, ...]:
        """The ways that the function knows; for what was small panels are not worth compiling."""
        if self.is_packed:
            return (_PANELS,)
        return (_LOOPS, _BLAS) if self.small else (_LOOPS, _PANELS, _BLAS)

    @staticmethod
    def _method(product: Product) -> int:
        if product.packed is not None:
            return _PANELS
        if product.columns * product.inner <= _SMALL:
            return _LOOPS
        if product.inner >= _LONG or (product.rows <= _FEW_ROWS and _suits_blas(product)):
            return _BLAS
        return _PANELS

    def workspace(self, facts: Facts) -> int:
        """A packed panel, and the left factor's part, if that is packed too."""
        product, size = self._product(facts), self.dtype.itemsize
        if self.small or self.is_packed:
            return 0
        if not self.turned[0]:
            return self.tiling.panel_bytes(product.inner, size)
        part, height = min(product.inner, _PART), self.tiling.rows[0]
        return self.packed_left_at + -(-product.rows // height) * height * part * size

    @property
    def packed_left_at(self) -> int:
        """Where in the workspace the packed left factor lies: behind the panel."""
        return self.tiling.panel_bytes(_PART, self.dtype.itemsize)

    def units(self, facts: Facts) -> int:
        """Parts of the output's columns and rows, for each product."""
        product = self._product(facts)
        method = self._way(product)
        columns = {_LOOPS: product.columns, _BLAS: _BLAS_COLUMNS, _PANELS: self.unit_columns}
        across = -(-product.columns // max(columns[method], 1))
        is_blocked = method == _PANELS and not self.turned[0]
        down = -(-product.rows // self._block(product)) if is_blocked else 1
        return product.batch * across * down

    @property
    def unit_columns(self) -> int:
        """How many columns are one unit of panels."""
        widest = self.tiling.columns
        return max(_TURNED_COLUMNS // widest, 1) * widest if self.turned[0] else widest

    def nanoseconds(self, facts: Facts) -> float:
        """The time for memory and for products."""
        product = self._product(facts)
        products = product.batch * product.rows * product.columns * product.inner
        return super().nanoseconds(facts) + products * NANOSECONDS_A_PRODUCT

    def variant(self, facts: Facts) -> Hashable:
        """Whether a packed factor is as short as those that packing is for."""
        return not self.is_packed or self._product(facts).inner < _LONG

    def emit(self, module: Module, name: str) -> None:
        """Write the function: a loop over the products, each computed in the way that is chosen."""
        if not self.small:
            emit_panels(module, self.form, self.tiling)
        arguments = ["ptr %operands", "ptr %numbers", "i64 %begin", "i64 %end"]
        writer = _ProductWriter(Function(module, name, arguments), self)
        writer.write()


class _ProductWriter:
    """Writes the function of one product."""

    def __init__(self, function: Function, step: ProductStep) -> None:
        self.f, self.step = function, step
        self.kind, self.size = scalar_type(step.dtype), step.dtype.itemsize
        self.rows, self.columns, self.inner, self.method, self.block = (
            self._number(i) for i in range(5)
        )
        self.addresses = [self._operand(i) for i in range(len(step.operands))]
        self.workspace = self._operand(len(step.operands))
        ta, tb = step.turned
        self.leads = (self.rows if ta else self.inner), (self.inner if tb else self.columns)

    def _number(self, position: int) -> str:
        return self.f.op(f"load i64, ptr {self._at('%numbers', 'i64', str(position))}")

    def _operand(self, position: int) -> str:
        return self.f.op(f"load ptr, ptr {self._at('%operands', 'ptr', str(position))}")

    def _at(self, base: str, kind: str, index: str) -> str:
        return self.f.op(f"getelementptr {kind}, ptr {base}, i64 {index}")

    def _times(self, a: str, b: str) -> str:
        return self.f.op(f"mul i64 {a}, {b}")

    def _plus(self, a: str, b: str) -> str:
        return self.f.op(f"add i64 {a}, {b}")

    def write(self) -> None:
        """Write the choice among the ways of computing."""
        f = self.f
        ways: dict[int, Callable[[], None]]
        ways = {
            _LOOPS: self._products,
            _PANELS: self._panel_writer(),
            _BLAS: self._calls,
        }
        for number in self.step.ways:
            with f.when(f.op(f"icmp eq i64 {self.method}, {number}")):
                ways[number]()
        f.finish()

    def _matrices(self, product: str) -> tuple[str, str, str]:
        """Where the matrices of one of the products begin."""
        a, b, c = (
            self._at(address, self.kind, self._times(product, self._times(*sizes)))
            for address, sizes in (
                (self.addresses[0], (self.rows, self.inner)),
                (self.addresses[1], (self.inner, self.columns)),
                (self.addresses[-1], (self.rows, self.columns)),
            )
        )
        return a, b, c

    def _products(self) -> None:
        """Write the loop over products: each is a unit."""
        with self.f.loop("%begin", "%end") as unit:
            self._loops(*self._matrices(unit))

    def _panel_writer(self) -> Callable[[], None]:
        if self.step.is_packed:
            return self._packed_panels
        return self._turned_panels if self.step.turned[0] else self._panels

    def _packed_panels(self) -> None:
        """Write the loop over blocks of rows; all panels go over a block, a unit is one of them."""
        f, width = self.f, self.step.unit_columns
        down = self._parts(self.rows, self.block)
        with self._lines(self._parts(self.columns, str(width))) as (line, low, high):
            row = self._times(f.op(f"urem i64 {line}, {down}"), self.block)
            rows = self._less(self.rows, self._plus(row, self.block), row)
            a, b, c = self._matrices(f.op(f"udiv i64 {line}, {down}"))
            a = self._at(a, self.kind, self._times(row, self.leads[0]))
            c = self._at(c, self.kind, self._times(row, self.columns))
            with f.loop(low, high) as panel:
                first = self._times(panel, str(width))
                count = self._less(self.columns, self._plus(first, str(width)), first)
                self._panel(("0", self.inner), (a, b, c), rows, (first, count))

    def _panels(self) -> None:
        """Write the loop over panels, a unit is some rows of one."""
        f, width = self.f, self.step.unit_columns
        across, (_, tb) = self._parts(self.columns, str(width)), self.step.turned
        with self._lines(self._parts(self.rows, str(_ROWS))) as (line, low, high):
            product = f.op(f"udiv i64 {line}, {across}")
            panel = f.op(f"urem i64 {line}, {across}")
            first = self._times(panel, str(width))
            row = self._times(low, str(_ROWS))
            rows = self._less(self.rows, self._times(high, str(_ROWS)), row)
            a, b, c = self._matrices(product)
            a = self._at(a, self.kind, self._times(row, self.leads[0]))
            c = self._at(c, self.kind, self._times(row, self.columns))
            with pieces(f, self.inner, _LONG) as (begin, inner):
                b = self._at(b, self.kind, begin if tb else self._times(begin, self.leads[1]))
                count = self._less(self.columns, self._plus(first, str(width)), first)
                part = begin, inner
                self._panel(part, (self._at(a, self.kind, begin), b, c), rows, (first, count))

    def _turned_panels(self) -> None:
        """Write the loop over products; the left factor is packed part by part, a unit is some panels."""
        f, width = self.f, self.step.unit_columns
        tb = self.step.turned[1]
        with self._lines(self._parts(self.columns, str(width))) as (product, low, high):
            start = self._times(low, str(width))
            length = self._less(self.columns, self._times(high, str(width)), start)
            a, b, c = self._matrices(product)
            with pieces(f, self.inner, _PART) as (begin, inner):
                left = self._left(a, begin, inner, self.leads[0])
                b = self._at(b, self.kind, begin if tb else self._times(begin, self.leads[1]))
                with pieces(f, length, self.step.tiling.columns) as (first, count):
                    columns = self._plus(start, first), count
                    self._panel((begin, inner), (left, b, c), self.rows, columns)

    def _parts(self, extent: str, size: str) -> str:
        """How many parts of a size there are, at least one."""
        parts = self.f.op(f"udiv i64 {self._plus(extent, self._plus(size, '-1'))}, {size}")
        return self.f.call("llvm.smax.i64", "i64", [("i64", parts), ("i64", "1")])

    def _less(self, most: str, end: str, start: str) -> str:
        """How far it is from `start` to `end`, which is `most` at most."""
        bounded = self.f.call("llvm.smin.i64", "i64", [("i64", most), ("i64", end)])
        return self.f.op(f"sub i64 {bounded}, {start}")

    @contextmanager
    def _lines(self, length: str) -> Iterator[tuple[str, str, str]]:
        """Loop over lines of so many units; yield each one's number, and the units in it, from and to."""
        f = self.f
        behind = f.op(f"add i64 %end, {self._plus(length, '-1')}")
        first = f.op(f"udiv i64 %begin, {length}")
        with f.loop(first, f.op(f"udiv i64 {behind}, {length}")) as line:
            start = self._times(line, length)
            low = f.call("llvm.smax.i64", "i64", [("i64", "%begin"), ("i64", start)])
            low = f.op(f"sub i64 {low}, {start}")
            yield line, low, self._less("%end", self._plus(start, length), start)

    def _panel(
        self,
        part: tuple[str, str],
        matrices: tuple[str, str, str],
        rows: str,
        columns: tuple[str, str],
    ) -> None:
        """Write the call for a part of the length, some rows and the columns of a panel."""
        f, (a, b, c), (first, count), (begin, inner) = self.f, matrices, columns, part
        fresh = f.op(f"icmp eq i64 {begin}, 0")
        start = self._times(first, self.leads[1]) if self.step.turned[1] else first
        panel = self._packed_panel(first) if self.step.is_packed else self.workspace
        bias = self._at(self.addresses[2], self.kind, first) if self.step.has_bias else "null"
        arguments = (
            f"ptr {a}, i64 {self.leads[0]}, ptr {self._at(b, self.kind, start)}, i64 {self.leads[1]}, "
            f"ptr {bias}, ptr {self._at(c, self.kind, first)}, i64 {self.columns}, "
            f"i64 {rows}, i64 {count}, i64 {inner}, ptr {panel}, i1 {fresh}"
        )
        self._call_panel(count, arguments)

    def _packed_panel(self, first: str) -> str:
        """Where the panel that begins with a column lies among all that are packed."""
        lanes = self.step.tiling.lanes
        up = self.f.op(f"add i64 {self.inner}, {lanes - 1}")
        padded = self.f.op(f"and i64 {up}, {-lanes}")
        return self._at(self.addresses[-2], self.kind, self._times(first, padded))

    def _left(self, a: str, begin: str, inner: str, lead: str) -> str:
        """The left factor's part from `begin` on, packed."""
        part = self._at(a, self.kind, self._times(begin, lead))
        goal = self._at(self.workspace, "i8", str(self.step.packed_left_at))
        arguments = f"ptr {part}, i64 {lead}, i64 {self.rows}, i64 {inner}, ptr {goal}"
        self.f.do(f"call void @{LEFT_PACKER.format(self.step.dtype.name)}({arguments})")
        return goal

    def _call_panel(self, count: str, arguments: str) -> None:
        """Write the choice among panels of different widths."""
        f, tiling = self.f, self.step.tiling
        narrower = (*tiling.vectors[1:], 0)
        for vectors, below in zip(tiling.vectors, narrower, strict=True):
            enough = f.op(f"icmp sle i64 {count}, {vectors * tiling.lanes}")
            needed = f.op(f"icmp sgt i64 {count}, {below * tiling.lanes}")
            with f.when(f.op(f"and i1 {enough}, {needed}")):
                f.do(f"call void @{self.step.form.symbol(vectors)}({arguments})")

    def _loops(self, a: str, b: str, c: str) -> None:
        """Write the three loops over rows, columns and what is summed."""
        f, kind = self.f, self.kind
        ta, tb = self.step.turned
        sum_slot = f.slot(kind, 8)
        with f.loop("0", self.rows) as i, f.loop("0", self.columns) as j:
            start = literal(0.0, self.step.dtype)
            if self.step.has_bias:
                start = f.op(f"load {kind}, ptr {self._at(self.addresses[2], kind, j)}")
            f.do(f"store {kind} {start}, ptr {sum_slot}")
            with f.loop("0", self.inner) as k:
                x = self._element(a, (k, i) if ta else (i, k), self.leads[0])
                y = self._element(b, (j, k) if tb else (k, j), self.leads[1])
                total = f.op(f"load {kind}, ptr {sum_slot}")
                name = f"llvm.fmuladd.f{self.size * 8}"
                total = f.call(name, kind, [(kind, x), (kind, y), (kind, total)])
                f.do(f"store {kind} {total}, ptr {sum_slot}")
            total = self._finished(f.op(f"load {kind}, ptr {sum_slot}"))
            place = self._at(c, kind, self._plus(self._times(i, self.columns), j))
            f.do(f"store {kind} {total}, ptr {place}")

    def _element(self, base: str, index: tuple[str, str], lead: str) -> str:
        place = self._at(base, self.kind, self._plus(self._times(index[0], lead), index[1]))
        return self.f.op(f"load {self.kind}, ptr {place}")

    def _calls(self) -> None:
        """Write the loop over calls of BLAS: a unit is some columns."""
        f = self.f
        across = self._parts(self.columns, str(_BLAS_COLUMNS))
        with f.loop("%begin", "%end") as unit:
            a, b, c = self._matrices(f.op(f"udiv i64 {unit}, {across}"))
            first = self._times(f.op(f"urem i64 {unit}, {across}"), str(_BLAS_COLUMNS))
            count = self._less(self.columns, self._plus(first, str(_BLAS_COLUMNS)), first)
            start = self._times(first, self.leads[1]) if self.step.turned[1] else first
            goal = self._at(c, self.kind, first)
            self._call(a, self._at(b, self.kind, start), goal, (first, count))

    def _call(self, a: str, b: str, c: str, columns: tuple[str, str]) -> None:
        """Write the call of BLAS for some columns; a bias is put into the output first and added to."""
        f, kind, leads = self.f, self.kind, self.leads
        function = gemm(self.step.dtype)
        assert function is not None
        beta = 0.0
        if self.step.has_bias:
            beta = 1.0
            self._spread_bias(c, columns)
        ta, tb = self.step.turned
        integer = function.integer
        numbers = [(kind, literal(1.0, self.step.dtype)), (kind, literal(beta, self.step.dtype))]
        arguments = [
            ("i32", "101"),  # row by row
            ("i32", "112" if ta else "111"),
            ("i32", "112" if tb else "111"),
            *((integer, self._narrow(n, integer)) for n in (self.rows, columns[1], self.inner)),
            numbers[0],
            ("ptr", a),
            (integer, self._lead(leads[0], integer)),
            ("ptr", b),
            (integer, self._lead(leads[1], integer)),
            numbers[1],
            ("ptr", c),
            (integer, self._lead(self.columns, integer)),
        ]
        f.module.extern(function.symbol, function.address, [kind for kind, _ in arguments])
        listed = ", ".join(f"{kind} {ref}" for kind, ref in arguments)
        f.do(f"call void @{function.symbol}({listed})")
        if self.step.form.epilogue is not None:
            self._finish_all(c, columns[1])

    def _finish_all(self, c: str, columns: str) -> None:
        """Apply the epilogue to what BLAS has stored: whole registers, then single elements."""
        f, lanes = self.f, self.step.tiling.lanes
        middle = f.op(f"sub i64 {columns}, {f.op(f'and i64 {columns}, {lanes - 1}')}")
        with f.loop("0", self.rows) as row:
            line = self._at(c, self.kind, self._times(row, self.columns))
            for start, stop, width in (("0", middle, lanes), (middle, columns, 1)):
                kind = vector_type(self.step.dtype, width)
                with f.loop(start, stop, width) as i:
                    place = self._at(line, self.kind, i)
                    total = f.op(f"load {kind}, ptr {place}, align {self.size}")
                    done = self._finished(total, width)
                    f.do(f"store {kind} {done}, ptr {place}, align {self.size}")

    def _finished(self, total: str, lanes: int = 1) -> str:
        """Apply the epilogue to so many elements."""
        form = self.step.form
        if form.epilogue is None:
            return total
        m = Emitter(self.f)
        done = m.asarray(form.epilogue(m, m.value(total, form.dtype, lanes)))
        return m.widened(m.astype(done, form.dtype), lanes)

    def _narrow(self, number: str, integer: str) -> str:
        return number if integer == "i64" else self.f.op(f"trunc i64 {number} to i32")

    def _lead(self, number: str, integer: str) -> str:
        """A leading dimension, which is never 0."""
        bounded = self.f.call("llvm.smax.i64", "i64", [("i64", number), ("i64", "1")])
        return self._narrow(bounded, integer)

    def _spread_bias(self, c: str, columns: tuple[str, str]) -> None:
        """Copy the bias of some columns to each row."""
        size = self._times(columns[1], str(self.size))
        name = "llvm.memcpy.p0.p0.i64"
        self.f.module.declare(name, "void", ["ptr", "ptr", "i64", "i1"])
        bias = self._at(self.addresses[2], self.kind, columns[0])
        with self.f.loop("0", self.rows) as i:
            row = self._at(c, self.kind, self._times(i, self.columns))
            self.f.do(f"call void @{name}(ptr {row}, ptr {bias}, i64 {size}, i1 false)")


def packed_bytes(weight: Shape) -> int:
    """The size of a packed float32 weight (columns, inner)."""
    columns, inner = weight
    tiling = Tiling.of(FLOAT32, host())
    return -(-columns // tiling.columns) * tiling.panel_bytes(inner, FLOAT32.itemsize)


def is_packed_in_panels(weight: Shape) -> bool:
    """Whether a weight (columns, inner) is large enough to be packed, and not too long or too large."""
    columns, inner = weight
    return _SMALL < columns * inner <= _MOST_KEPT and inner < _LONG


class PackStep(Step):
    """A weight packed for several products."""

    def __init__(self, node: Node) -> None:
        self.operands = (node.inputs[0], node.entry())
        self.tiling = Tiling.of(FLOAT32, host())

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "PackStep | None":
        """The step of a node that packs a weight."""
        return cls(node) if node.operator_name == "_packed" else None

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The extents of the weight."""
        return facts.shapes[self.operands[0]]

    def units(self, facts: Facts) -> int:
        """One for each panel."""
        return -(-facts.shapes[self.operands[0]][0] // self.tiling.columns)

    def emit(self, module: Module, name: str) -> None:
        """Write the loop over panels: the last may be narrow."""
        packer = turned_packer(module, FLOAT32, self.tiling.lanes)
        f = Function(module, name, ["ptr %operands", "ptr %numbers", "i64 %begin", "i64 %end"])
        weight = f.op("load ptr, ptr %operands")
        goal = f.op(f"load ptr, ptr {f.op('getelementptr ptr, ptr %operands, i64 1')}")
        columns = f.op("load i64, ptr %numbers")
        inner = f.op(f"load i64, ptr {f.op('getelementptr i64, ptr %numbers, i64 1')}")
        lanes, widest = self.tiling.lanes, self.tiling.columns
        up = f.op(f"add i64 {inner}, {lanes - 1}")
        padded = f.op(f"and i64 {up}, {-lanes}")
        with f.loop("%begin", "%end") as unit:
            first = f.op(f"mul i64 {unit}, {widest}")
            left = f.op(f"sub i64 {columns}, {first}")
            count = f.call("llvm.smin.i64", "i64", [("i64", left), ("i64", str(widest))])
            width = str(widest)
            for vectors in self.tiling.vectors[1:]:
                narrow = f.op(f"icmp sle i64 {count}, {vectors * lanes}")
                width = f.op(f"select i1 {narrow}, i64 {vectors * lanes}, i64 {width}")
            source = f.op(
                f"getelementptr float, ptr {weight}, i64 {f.op(f'mul i64 {first}, {inner}')}"
            )
            place = f.op(
                f"getelementptr float, ptr {goal}, i64 {f.op(f'mul i64 {first}, {padded}')}"
            )
            f.do(
                f"call void @{packer}(ptr {source}, i64 {inner}, i64 {count}, i64 {inner}, "
                f"ptr {place}, i64 {width})"
            )
        f.finish()
