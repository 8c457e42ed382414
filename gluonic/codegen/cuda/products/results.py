"""Storing a product's sums after its tail; and adding up sums of parts."""

from __future__ import annotations

from collections.abc import Sequence

from gluonic.codegen.cuda.block_code import GLOBAL, BlockCode, Int
from gluonic.codegen.cuda.products.form import TiledForm
from gluonic.codegen.cuda.tails.code import Elements, TailCode
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import Value, scalar_type
from gluonic.support.record import record

THREADS = 256
"""The threads of a block that adds up sums of parts."""
_READ_AT_ONCE = 16
"""About the most elements of other operands that a thread has in registers at once."""


@record
class ResultColumns:
    """Neighbouring columns of the result.

    Attributes
    ----------
    offsets : of each, in elements
    inside : whether each exists
    reads : what is read for each
    are_aligned : whether all exist, and can be stored at once
    """

    offsets: Sequence[Int]
    inside: Sequence[str]
    reads: Sequence[Elements]
    are_aligned: str


@record
class ResultRow:
    """A row of the result: its index, its offset, and whether it exists."""

    index: Int
    offset: Int
    inside: str


class Results:
    """Writes stores of the result.

    Parameters
    ----------
    code, form : the kernel
    first : the number of the first operand of the tail
    matrix : the indices of batch, head and part
    """

    def __init__(self, code: BlockCode, form: TiledForm, first: int, matrix: Sequence[Int]) -> None:
        self.code, self.form = code, form
        names = "batch", "head", "part", "begin"
        steps = [(i, f"result.{name}") for i, name in zip((*matrix, 1), names, strict=True)]
        self.tail = TailCode(code, form.tail, form.sums, first, steps)
        # a group of a convolution, which is a head, has rows of its own
        self.first_row = code.mul32(matrix[1], code.number("rows"))

    def columns(self, first: Int, count: int) -> ResultColumns:
        """The places of neighbouring columns."""
        code = self.code
        indices = [code.add32(first, i) for i in range(count)]
        inside = [code.less(index, code.number("columns")) for index in indices]
        reads = [self.tail.read("column", i, ok) for i, ok in zip(indices, inside, strict=True)]
        fits = code.is_set("result.vectors")
        at_once = code.all_of([fits, self.tail.are_aligned(count), inside[-1]])
        return ResultColumns([*map(self._column_offset, indices)], inside, reads, at_once)

    def _column_offset(self, index: Int) -> Int:
        code, parts, above = self.code, list[Int](), index
        for i in range(self.form.columns - 1, 0, -1):
            name = f"result.column{i}"
            index, above = above, code.quotient(above, name)
            digit = code.sub32(index, code.mul32(above, code.number(f"{name}.extent")))
            parts.append(code.mul32(digit, code.number(f"{name}.step")))
        return code.add32(code.mul32(above, code.number("result.column0.step")), *parts)

    def row(self, index: Int) -> ResultRow:
        """The place of a row."""
        code = self.code
        offset = code.mul32(index, code.number("result.row"))
        return ResultRow(index, offset, code.less(index, code.number("rows")))

    def store(
        self, rows: Sequence[ResultRow], groups: Sequence[ResultColumns], sums: Sequence[str]
    ) -> None:
        """Store the elements of some rows, of which the last one is the lowest, in groups of columns."""
        width = sum(len(group.offsets) for group in groups)
        lines = [sums[first : first + width] for first in range(0, len(sums), width)]
        whole = self.code.all_of([rows[-1].inside, *(group.are_aligned for group in groups)])
        step, reads = len(rows), width * self.tail.element_reads
        if reads:
            step = max(1, _READ_AT_ONCE // reads)
        for first in range(0, len(rows), step):  # loads don't pass the stores before them
            here = slice(first, first + step)
            self._store_rows(rows[here], groups, lines[here], whole)

    def _store_rows(
        self,
        rows: Sequence[ResultRow],
        groups: Sequence[ResultColumns],
        lines: Sequence[Sequence[str]],
        whole: str,
    ) -> None:
        code, tail = self.code, self.tail
        offsets = [offset for group in groups for offset in group.offsets]
        reads = [each for group in groups for each in group.reads]
        exist = [inside for group in groups for inside in group.inside]
        indices = [[code.add32(row.offset, offset) for offset in offsets] for row in rows]
        inside = [[code.both(row.inside, ok) for ok in exist] for row in rows]
        elements = tail.elements(indices, inside, whole, [len(group.offsets) for group in groups])
        results = []
        for row, totals, own in zip(rows, lines, elements, strict=True):
            of_row = tail.row(code.add32(self.first_row, row.index), row.inside)
            columns = zip(totals, reads, own, strict=True)
            results.append([tail.computed(total, of_row, *each) for total, *each in columns])
        with code.branches(whole) as turn:
            for places, values in zip(indices, results, strict=True):
                first = 0
                for group in groups:
                    end = first + len(group.offsets)
                    tail.write(places[first], values[first:end])
                    first = end
            turn()
            self._store_what_exists(rows, offsets, exist, results)

    def _store_what_exists(
        self,
        rows: Sequence[ResultRow],
        offsets: Sequence[Int],
        exist: Sequence[str],
        results: Sequence[Sequence[Sequence[Value]]],
    ) -> None:
        """Store elements one by one where they exist; in a loop over rows, as few blocks have to."""
        code, tail, count = self.code, self.tail, len(rows)
        flat = [value for row in results for element in row for value in element]
        width = len(flat) // count
        places = [("i32", row.index) for row in rows]
        kinds = [(scalar_type(value.dtype), value.ref) for value in flat]
        loop = code.begin_loop([("i32", 0), *places, *kinds])
        turn, *carried = loop.values
        indices, refs = carried[:count], carried[count:]
        row, own = self.row(indices[0]), iter(refs)
        with code.when(row.inside):
            for offset, ok, element in zip(offsets, exist, results[0], strict=True):
                values = [tail.m.value(next(own), value.dtype, 1) for value in element]
                with code.when(ok):
                    tail.write(code.add32(row.offset, offset), [values])
        following = code.add32(turn, 1)
        turned = [*indices[1:], indices[0], *refs[width:], *refs[:width]]
        code.end_loop(loop, [following, *turned], code.less(following, count), unrolls=False)


def write_sums(module: LLVMModule, name: str, form: TiledForm) -> None:
    """Write the kernel that adds up sums of parts, in order: a thread has one element of the result.

    Its operands are the sums of parts, and those of the tail.
    """
    operands = 1 + len(form.tail.reads) + len(form.tail.writes)
    code = BlockCode(module, name, operands, form.numbers(), THREADS)
    rows, columns, parts, heads = map(code.number, ("rows", "columns", "parts", "heads"))
    size = code.mul32(rows, columns)
    index = code.add32(code.mul32(code.block_index, THREADS), code.thread)
    matrix, element = code.div32(index, size), code.rem32(index, size)
    row, column = code.div32(element, columns), code.rem32(element, columns)
    batch, head = code.div32(matrix, heads), code.rem32(matrix, heads)
    with code.when(code.less(batch, code.number("batch"))):
        results = Results(code, form, 1, (batch, head, 0))
        sums = code.part_of(0, [], form.kind)
        first = code.add32(code.mul32(code.mul32(matrix, parts), size), element)
        loop = code.begin_loop([("i32", 0), ("i32", first), (form.kind, "0.0")])
        part, at, total = loop.values
        total = code.binary("fadd", total, code.read(GLOBAL, sums, at, form.kind), form.kind)
        following = code.add32(part, 1)
        code.end_loop(loop, [following, code.add32(at, size), total], code.less(following, parts))
        results.store([results.row(row)], [results.columns(column, 1)], [total])
    code.finish()
