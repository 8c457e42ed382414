"""Steps of matrix products: dense layers, `dot`, batches of products, attention heads."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Literal

from gluonic.codegen.cuda.products.form import TiledForm
from gluonic.codegen.cuda.products.layout import (
    Digit,
    FactorLayout,
    ProductLayout,
    ResultLayout,
)
from gluonic.codegen.cuda.products.plan import launches_of, workspace_of
from gluonic.codegen.cuda.steps import KernelLaunch
from gluonic.codegen.cuda.tails.form import Tail
from gluonic.codegen.cuda.tails.steps import ResultPlaces, TailedStep
from gluonic.codegen.maths.values import Dtype, arithmetic
from gluonic.codegen.matmul.attention_heads import MatrixLayout
from gluonic.codegen.matmul.product import Product, product_of
from gluonic.codegen.shapes.facts import Facts
from gluonic.device.processors import Processor
from gluonic.graph import Entry, Node
from gluonic.graph.dtypes import is_floating
from gluonic.support.record import record

LARGEST = 1 << 31
"""Kernels compute with 32-bit indices: the elements of each operand are fewer."""


class TiledStep(TailedStep):
    """A node that is one product.

    Parameters
    ----------
    factors, bias, result : the operands
    dtype : of all of them
    biased : whether there is a number of the bias for each row of the product, or for each column
    """

    def __init__(
        self,
        factors: Sequence[Entry],
        bias: Sequence[Entry],
        result: Entry,
        dtype: Dtype,
        biased: Literal["row", "column"],
    ) -> None:
        self.inputs, self.outputs = tuple(factors), (result,)
        self.operands, self.dtype = (*factors, *bias, result), dtype
        sums = arithmetic(dtype)
        self.tail = Tail.biased(sums, dtype, biased) if bias else Tail.plain(sums, dtype)

    def layouts(self, facts: Facts) -> Sequence[ProductLayout]:
        """The products for these shapes: together they give all of the result."""
        raise NotImplementedError

    def _products(self, facts: Facts) -> list[tuple[ProductLayout, TiledForm]]:
        layouts = self.layouts(facts)
        return [(layout, layout.form(self.dtype, self.tail)) for layout in layouts]

    def places(self, facts: Facts) -> ResultPlaces:
        """Where rows and columns are."""
        return self.layouts(facts)[0].places

    def launches(self, facts: Facts, processor: Processor) -> Sequence[KernelLaunch]:
        """For each product one launch, or two if the sums are divided into parts."""
        operands = range(len(self.operands) + 1)
        return [
            launch
            for layout, form in self._products(facts)
            for launch in launches_of(layout, form, processor, operands)
        ]

    def workspace(self, facts: Facts, processor: Processor) -> int:
        """The sums of parts, of one product at a time."""
        return max([0, *(workspace_of(*each, processor) for each in self._products(facts))])


def are_small(facts: Facts, entries: Sequence[Entry]) -> bool:
    """Whether 32-bit indices are enough for all of these."""
    return all(prod(facts.shapes[entry]) < LARGEST for entry in entries)


class TiledProductStep(TiledStep):
    """A matrix product."""

    def __init__(self, node: Node, product: Product, facts: Facts) -> None:
        self.node = node
        factors, result = [node.inputs[i] for i in (product.a, product.b)], node.entry()
        bias = [] if product.bias is None else [node.inputs[product.bias]]
        super().__init__(factors, bias, result, facts.dtypes[result], "column")

    @classmethod
    def of(cls, node: Node, facts: Facts, processor: Processor) -> TiledProductStep | None:
        """The step of a product of floats; None for others."""
        product = product_of(node, facts.shapes)
        dtype = facts.dtypes[node.entry()]
        if product is None or product.packed is not None or not is_floating(dtype):
            return None
        step = cls(node, product, facts)
        entries = step.operands
        if len(set(product.heads)) > 1:
            return None
        if any(facts.dtypes[entry] != dtype for entry in entries) or not are_small(facts, entries):
            return None
        return step

    def layouts(self, facts: Facts) -> Sequence[ProductLayout]:
        """The product for these shapes."""
        product = product_of(self.node, facts.shapes)
        assert product is not None
        rows, columns, inner = product.rows, product.columns, product.inner
        heads = max([1, *product.heads])
        a, b, c = product.layouts
        left = _Matrices.of(a, rows, inner, product.transposed_a, heads)
        right = _Matrices.of(b, inner, columns, product.transposed_b, heads)
        result = _Matrices.of(c, rows, columns, False, heads)
        whole = ProductLayout(
            rows,
            columns,
            inner,
            FactorLayout(
                (Digit(rows, left.row),),
                (Digit(inner, left.column),),
                left.batch,
                left.head,
                left.begin,
            ),
            FactorLayout(
                (Digit(columns, right.column),),
                (Digit(inner, right.row),),
                right.batch,
                right.head,
                right.begin,
            ),
            ResultLayout((Digit(columns, 1),), result.row, result.batch, result.head),
            product.batch // heads,
            heads,
        )
        return [whole]


@record
class _Matrices:
    """Where matrices lie in an array: distances in elements, between rows, columns, batches and heads."""

    row: int
    column: int
    batch: int
    head: int
    begin: int = 0

    @classmethod
    def of(
        cls, layout: MatrixLayout, rows: int, columns: int, transposed: bool, heads: int
    ) -> _Matrices:
        """Matrices in a layout (see `attention_heads`), which may be transposed there."""
        lines, length = (columns, rows) if transposed else (rows, columns)
        parts, part = layout or (1, 0)
        across = length * parts * heads if layout else length
        row, column = (1, across) if transposed else (across, 1)
        head = length * parts if layout else lines * length
        return cls(row, column, lines * length * parts * heads, head, part * length)
