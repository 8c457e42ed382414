"""Native steps of matrix products."""

from collections.abc import Callable, Sequence

from gluonic.codegen.loops.costs import NANOSECONDS_A_PRODUCT
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.step_function import StepFunction
from gluonic.codegen.machine.target import host
from gluonic.codegen.maths.values import Dtype
from gluonic.codegen.matmul.blas import multiplies
from gluonic.codegen.matmul.choices import (
    BLAS,
    BLAS_COLUMNS,
    BLOCK_BYTES,
    FEW_ROWS,
    LARGE,
    LONG,
    LOOPS,
    PACKED_PART,
    PANELS,
    PART,
    ROWS,
    SMALL,
)
from gluonic.codegen.matmul.epilogues import Extended
from gluonic.codegen.matmul.finishing import ProductEpilogue
from gluonic.codegen.matmul.product import Product, product_of
from gluonic.codegen.matmul.product_kernel import ProductForm, ProductTiling, emit_panels
from gluonic.codegen.matmul.product_plan import ProductPlan
from gluonic.codegen.matmul.product_writer import ProductWriter
from gluonic.codegen.scalar.recorder import recorded
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.shapes.symbolic import if_at_least
from gluonic.graph import Node


def _suits_blas(product: Product) -> bool:
    """Whether BLAS has an algorithm for few rows that beats packing."""
    across = product.transposed_b and product.columns * product.inner < LARGE
    return host().vector_registers >= 32 or not across


def _epilogue(node: Node, dtype: Dtype) -> ProductEpilogue | None:
    """The epilogue of a product; None if there is none."""
    application = node.application
    if not isinstance(application, Extended) or not application.then:
        return None
    return ProductEpilogue(recorded(application.expression, (dtype,)))


class ProductStep(Step):
    """A matrix product: by plain loops, panels or BLAS, depending on the shapes of a call."""

    uses_workspace = True

    def __init__(self, node: Node, product: Product, facts: Facts) -> None:
        self.node, self.dtype = node, (dtype := facts.dtypes[node.entry()])
        self.small = self.for_method(product, lambda method: method) == LOOPS
        self.is_layer = node.application is not None and Extended.of(node.application) is not None
        self.is_packed = product.packed is not None
        transposed, has_bias = (
            (product.transposed_a, product.transposed_b),
            product.bias is not None,
        )
        form = ProductForm(dtype, *transposed, has_bias, self.is_packed, _epilogue(node, dtype))
        self.tiling = ProductTiling.of(dtype, host())
        self.plan = ProductPlan(
            form, product.layouts, self._methods(), self._widths(product, facts)
        )
        self.code = emit_product, self.plan
        given = (product.a, product.b, product.bias, product.packed)
        positions = [p for p in given if p is not None]
        self.operands = (*(node.inputs[p] for p in positions), node.entry())
        if self.is_packed:
            facts.decide(self._is_short)
        elif self.small and self.is_layer:
            facts.require(self._is_small)

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "ProductStep | None":
        """The step of a node that is a product, in a dtype that BLAS supports."""
        product = product_of(node, facts.unguarded.shapes)
        dtype = facts.dtypes[node.entry()]
        if product is None or not multiplies(dtype):
            return None
        factors = (node.inputs[product.a], node.inputs[product.b])
        if any(facts.dtypes[e] != dtype for e in factors):
            return None
        return cls(node, product, facts)

    def _product(self, facts: Facts) -> Product:
        product = product_of(self.node, facts.shapes)
        assert product is not None
        return product

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Rows, columns, inner dimension, the algorithm, a block's rows and inner length; heads."""
        product = self._product(facts)
        method, block = self._for_known_method(product, lambda method: method), self._block(product)
        extents = product.rows, product.columns, product.inner
        return *extents, method, block, self._part(product), *product.heads

    def _part(self, product: Product) -> int:
        """The part of the inner dimension that is summed at a time if the right factor is packed."""
        if not self.is_packed:
            return product.inner
        count = max(-(-product.inner // PACKED_PART), 1)
        lanes = self.plan.tiling.lanes
        return max(-(-product.inner // (count * lanes)), 1) * lanes

    def _block(self, product: Product) -> int:
        """The rows of a block: whole tiles; if panels are packed, they stay in the cache for all panels."""
        if not self.is_packed:
            return ROWS
        fitting = BLOCK_BYTES // (self._part(product) * self.dtype.itemsize)
        height = self.plan.tiling.rows
        return min(max(fitting // height, 1) * height, ROWS)

    def _for_known_method(self, product: Product, find: Callable[[int], int]) -> int:
        """The result of `find` for the best algorithm that the function has."""
        if len(self.plan.methods) == 1:
            return find(self.plan.methods[0])
        return self.for_method(
            product, lambda method: find(method if method in self.plan.methods else BLAS)
        )

    @staticmethod
    def for_method(product: Product, find: Callable[[int], int]) -> int:
        """The result of `find` for the best algorithm; the dimensions may be symbolic."""
        if product.packed is not None:
            return find(PANELS)
        few = find(BLAS if _suits_blas(product) else PANELS)
        usual = if_at_least(product.rows, FEW_ROWS + 1, find(PANELS), few)
        usual = if_at_least(product.inner, LONG, find(BLAS), usual)
        return if_at_least(product.columns * product.inner, SMALL + 1, usual, find(LOOPS))

    def _methods(self) -> tuple[int, ...]:
        """The algorithms that the function chooses from: few if a small weight determines the choice."""
        if self.is_packed:
            return (PANELS,)
        if self.small:
            return (LOOPS,) if self.is_layer else (LOOPS, BLAS)
        return LOOPS, PANELS, BLAS

    def _widths(self, product: Product, facts: Facts) -> tuple[int, ...]:
        """The widths of panels that the function has.

        A single product has those that its columns need. Batches of products are mostly attention, whose
        lengths keep changing; they have all widths.
        """
        is_one = isinstance(product.batch, int) and product.batch == 1
        if PANELS not in self._methods() or not is_one:
            return self.tiling.vectors
        return facts.decide(self._needed)

    def _needed(self, facts: Facts) -> tuple[int, ...]:
        """The widths of panels that its columns need; all if sizes vary."""
        if facts.sizes_vary:
            return self.tiling.vectors
        return self.tiling.needed(self._product(facts).columns)

    def workspace(self, facts: Facts) -> int:
        """A packed panel and, if it is packed, too, a part of the left factor."""
        product, size = self._product(facts), self.dtype.itemsize
        if self.small or self.is_packed:
            return 0
        if not self.plan.form.transposed_a:
            return self.plan.tiling.panel_bytes(product.inner, size)
        part = if_at_least(product.inner, PART, PART, product.inner)
        height = self.plan.tiling.rows
        return self.plan.packed_left_at + -(-product.rows // height) * height * part * size

    def units(self, facts: Facts) -> int:
        """Parts of the output's columns and rows, for each product."""
        product = self._product(facts)
        columns = {LOOPS: product.columns, BLAS: BLAS_COLUMNS, PANELS: self.plan.unit_columns}

        def parts(method: int) -> int:
            across = -(-product.columns // max(columns[method], 1))
            is_blocked = method == PANELS and not self.plan.form.transposed_a
            return across * -(-product.rows // self._block(product)) if is_blocked else across

        return product.batch * self._for_known_method(product, parts)

    def nanoseconds(self, facts: Facts) -> float:
        """The time for memory and for products."""
        product = self._product(facts)
        products = product.batch * product.rows * product.columns * product.inner
        return super().nanoseconds(facts) + products * NANOSECONDS_A_PRODUCT

    def _is_short(self, facts: Facts) -> bool:
        """Whether the packed factor's inner dimension is short enough for packing."""
        return self._product(facts).inner < LONG

    def _is_small(self, facts: Facts) -> bool:
        """Whether the weight has the size that the function's only algorithm is for."""
        product = self._product(facts)
        return product.columns * product.inner <= SMALL

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the function: a loop over the products with the chosen algorithm."""
        emit_product(module, name, self.plan)


def emit_product(module: LLVMModule, name: str, plan: ProductPlan) -> None:
    """Write the function of all products of one plan."""
    if plan.has_panels:
        emit_panels(module, plan.form, plan.tiling, plan.widths)
    ProductWriter(StepFunction(module, name), plan).write()
