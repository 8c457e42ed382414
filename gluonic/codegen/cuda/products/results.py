"""Storing a product's sums: bias, element-wise epilogue, conversion; and adding up sums of parts."""

from __future__ import annotations

from collections.abc import Sequence

from gluonic.codegen.cuda.block_code import GLOBAL, BlockCode, Int
from gluonic.codegen.cuda.products.form import TiledForm
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import Value, scalar_type
from gluonic.codegen.scalar.emission import emit_program
from gluonic.support.record import record

THREADS = 256
"""The threads of a block that adds up sums of parts."""


@record
class ResultColumns:
    """Neighbouring columns of the result.

    Attributes
    ----------
    offsets : of each, in elements
    inside : whether each exists
    bias : what is added to each; empty if nothing is
    are_aligned : whether all exist, and can be stored at once
    """

    offsets: Sequence[Int]
    inside: Sequence[str]
    bias: Sequence[str]
    are_aligned: str


@record
class ResultRow:
    """A row of the result: its offset, whether it exists, and what is added to its elements."""

    offset: Int
    inside: str
    bias: str


class Results:
    """Writes stores of the result.

    Parameters
    ----------
    code, form : the kernel
    result, bias : the numbers of these operands; the latter is ignored if there is no bias
    matrix : the indices of batch, head and part
    """

    def __init__(
        self, code: BlockCode, form: TiledForm, result: int, bias: int, matrix: Sequence[Int]
    ) -> None:
        self.code, self.form = code, form
        self.kind, self.stored = form.kind, scalar_type(form.output)
        steps = [(i, f"result.{n}") for i, n in zip(matrix, ("batch", "head", "part"), strict=True)]
        self.base = code.part_of(result, steps, self.stored)
        if form.bias:
            self.bias = code.part_of(bias, [], form.stored)
        if form.bias == "rows":  # a group of a convolution, which is a head, has filters of its own
            first = code.mul32(matrix[1], code.number("rows"))
            self.bias = code.element(GLOBAL, self.bias, first, form.stored)

    def columns(self, first: Int, count: int) -> ResultColumns:
        """The places of neighbouring columns."""
        code = self.code
        indices = [code.add32(first, i) for i in range(count)]
        inside = [code.less(index, code.number("columns")) for index in indices]
        bias = [""] * count
        if self.form.bias == "columns":
            bias = [self._bias_at(i, ok) for i, ok in zip(indices, inside, strict=True)]
        fits = code.is_set("result.vectors")
        is_aligned = code.is_aligned(self.base, self.form.output.itemsize * count)
        at_once = code.all_of([fits, is_aligned, inside[-1]])
        return ResultColumns([*map(self._column_offset, indices)], inside, bias, at_once)

    def _column_offset(self, index: Int) -> Int:
        code, name = self.code, "result.column1"
        steps = [code.number(f"result.column{i}.step") for i in range(self.form.columns)]
        if len(steps) == 1:
            return code.mul32(index, steps[0])
        above = code.quotient(index, name)
        below = code.sub32(index, code.mul32(above, code.number(f"{name}.extent")))
        return code.add32(code.mul32(above, steps[0]), code.mul32(below, steps[1]))

    def _bias_at(self, index: Int, inside: str) -> str:
        code, stored, kind = self.code, self.form.stored, self.kind
        value = code.value_if(
            inside, stored, lambda: code.read(GLOBAL, self.bias, index, stored), "0.0"
        )
        return value if stored == kind else code.cast("fpext", value, stored, kind)

    def row(self, index: Int) -> ResultRow:
        """The place of a row."""
        code = self.code
        inside = code.less(index, code.number("rows"))
        bias = self._bias_at(index, inside) if self.form.bias == "rows" else ""
        return ResultRow(code.mul32(index, code.number("result.row")), inside, bias)

    def store(
        self, rows: Sequence[ResultRow], groups: Sequence[ResultColumns], sums: Sequence[str]
    ) -> None:
        """Store the elements of some rows, of which the last one is the lowest, in groups of columns."""
        code, width = self.code, sum(len(group.offsets) for group in groups)
        bias = [each for group in groups for each in group.bias]
        lines = [
            [
                self._finished(total, row, own)
                for total, own in zip(sums[first : first + width], bias, strict=True)
            ]
            for first, row in zip(range(0, len(sums), width), rows, strict=True)
        ]
        are_aligned = [group.are_aligned for group in groups]
        with code.branches(code.all_of([rows[-1].inside, *are_aligned])) as turn:
            for row, values in zip(rows, lines, strict=True):
                self._store_vectors(row, groups, values)
            turn()
            for row, values in zip(rows, lines, strict=True):
                with code.when(row.inside):
                    self._store_elements(row, groups, values)

    def _store_vectors(
        self, row: ResultRow, groups: Sequence[ResultColumns], values: Sequence[str]
    ) -> None:
        left, size = list(values), self.form.output.itemsize
        for group in groups:
            offset, count = self.code.add32(row.offset, group.offsets[0]), len(group.offsets)
            self.code.write_vector(GLOBAL, self.base, offset, self.stored, left[:count], size)
            del left[:count]

    def _store_elements(
        self, row: ResultRow, groups: Sequence[ResultColumns], values: Sequence[str]
    ) -> None:
        code, left = self.code, iter(values)
        for group in groups:
            for offset, inside in zip(group.offsets, group.inside, strict=True):
                value, index = next(left), code.add32(row.offset, offset)
                with code.when(inside):
                    code.write(GLOBAL, self.base, index, self.stored, value)

    def _finished(self, total: str, row: ResultRow, bias: str) -> str:
        """A sum with its bias, after the epilogue, in the dtype of the result."""
        code, form = self.code, self.form
        for other in (row.bias, bias):
            if other:
                total = code.binary("fadd", total, other, self.kind)
        if form.epilogue is not None:
            m = Emitter(code)
            value = Value(m, total, form.sums, 1)
            (result,) = emit_program(m, form.epilogue, lambda name, numbers: value)
            total = result.ref
        if self.stored == self.kind:
            return total
        return code.cast("fptrunc", total, self.kind, self.stored)


def write_sums(module: LLVMModule, name: str, form: TiledForm) -> None:
    """Write the kernel that adds up sums of parts, in order: a thread has one element of the result.

    Its operands are the sums of parts, the bias if there is one, and the result.
    """
    code = BlockCode(module, name, 3 if form.bias else 2, form.numbers(), THREADS)
    rows, columns, parts, heads = map(code.number, ("rows", "columns", "parts", "heads"))
    size = code.mul32(rows, columns)
    index = code.add32(code.mul32(code.block_index, THREADS), code.thread)
    matrix, element = code.div32(index, size), code.rem32(index, size)
    row, column = code.div32(element, columns), code.rem32(element, columns)
    batch, head = code.div32(matrix, heads), code.rem32(matrix, heads)
    with code.when(code.less(batch, code.number("batch"))):
        results = Results(code, form, 2 if form.bias else 1, 1, (batch, head, 0))
        sums = code.part_of(0, [], form.kind)
        first = code.add32(code.mul32(code.mul32(matrix, parts), size), element)
        loop = code.begin_loop([("i32", 0), ("i32", first), (form.kind, "0.0")])
        part, at, total = loop.values
        total = code.binary("fadd", total, code.read(GLOBAL, sums, at, form.kind), form.kind)
        following = code.add32(part, 1)
        code.end_loop(loop, [following, code.add32(at, size), total], code.less(following, parts))
        results.store([results.row(row)], [results.columns(column, 1)], [total])
    code.finish()
