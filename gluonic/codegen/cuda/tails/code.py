"""Writing what is computed of sums before they are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TypeAlias

from gluonic.codegen.cuda.block_code import GLOBAL, BlockCode, Int
from gluonic.codegen.cuda.tails.form import Place, Tail, divided
from gluonic.codegen.maths.elements import Lanes, load, store
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import Dtype, Value, arithmetic, scalar_type, vector_type
from gluonic.codegen.scalar.emission import emit_program

Elements: TypeAlias = Mapping[int, Value]
"""Elements that have been read, by the number of the operand in the program."""
RowValues: TypeAlias = Sequence[Value]
"""What has been computed for a row."""


class TailCode:
    """Writes a tail in a kernel.

    Parameters
    ----------
    code : the kernel
    tail : what is computed
    sums : the dtype of the sums
    first : the number of the operand that is read first; those that are written follow those that are read
    steps : where elements begin in operands of the result's shape, as for `BlockCode.part_of`
    """

    def __init__(
        self,
        code: BlockCode,
        tail: Tail,
        sums: Dtype,
        first: int,
        steps: Sequence[tuple[Int, str]] = (),
    ) -> None:
        self.code, self.tail, self.sums, self.m = code, tail, sums, Emitter(code)
        places = [*[read.place for read in tail.reads], *["element"] * len(tail.writes)]
        self._dtypes = [*[read.dtype for read in tail.reads], *tail.writes]
        self._bases = [
            code.part_of(first + i, steps if place == "element" else (), _bytes(dtype))
            for i, (place, dtype) in enumerate(zip(places, self._dtypes, strict=True))
        ]
        self._whole = [i for i, place in enumerate(places) if place == "element"]
        self.element_reads = len(self._whole) - len(tail.writes)
        self._alone = self.read("all", 0)
        by_row = [i + 1 for i, read in enumerate(tail.reads) if read.place in ("row", "all")]
        self._of_row, self._of_element = divided(tail.program, by_row)

    def are_aligned(self, count: int) -> str:
        """Whether groups of so many elements can be accessed at once, in all operands of the result's shape."""
        code = self.code
        sizes = [self._dtypes[i].itemsize * count for i in self._whole]
        bases = [self._bases[i] for i in self._whole]
        return code.all_of([*map(code.is_aligned, bases, sizes)])

    def read(self, place: Place, index: Int, inside: str = "") -> Elements:
        """The elements of all operands at a place; the first one where there is none."""
        code = self.code
        numbers = [i for i, read in enumerate(self.tail.reads) if read.place == place]
        if numbers and inside:
            index = code.select(inside, index, 0, "i32")
        return {i + 1: self._load(i, index, 1) for i in numbers}

    def elements(
        self,
        indices: Sequence[Sequence[Int]],
        inside: Sequence[Sequence[str]],
        whole: str,
        groups: Sequence[int],
    ) -> list[list[Elements]]:
        """The elements of operands of the result's shape, in some rows.

        Parameters
        ----------
        indices, inside : the index of each element, and whether it exists
        whole : whether all exist, and groups of them can be read at once
        groups : the number of neighbours in each group of a row
        """
        elements: list[list[dict[int, Value]]] = [[{} for _ in row] for row in indices]
        for number, read in enumerate(self.tail.reads):
            if read.place != "element":
                continue
            dtype = arithmetic(read.dtype)
            refs = self.code.either(
                whole,
                scalar_type(dtype),
                partial(self._in_groups, number, indices, groups),
                partial(self._one_by_one, number, indices, inside),
            )
            left = iter(refs)
            for row in elements:
                for element in row:
                    element[number + 1] = Value(self.m, next(left), dtype, 1)
        return [[*row] for row in elements]

    def _in_groups(
        self, number: int, indices: Sequence[Sequence[Int]], groups: Sequence[int]
    ) -> list[str]:
        refs = []
        for row in indices:
            first = 0
            for count in groups:
                value = self._load(number, row[first], count)
                refs += [self.m.lanes_of(value, lane, 1).ref for lane in range(count)]
                first += count
        return refs

    def _one_by_one(
        self, number: int, indices: Sequence[Sequence[Int]], inside: Sequence[Sequence[str]]
    ) -> list[str]:
        pairs = zip(chain(*indices), chain(*inside), strict=True)
        safe = [self.code.select(ok, index, 0, "i32") for index, ok in pairs]
        return [self._load(number, index, 1).ref for index in safe]

    def row(self, index: Int, inside: str = "") -> RowValues:
        """What is the same for all elements of a row; of the first one where there is none."""
        elements = {**self._alone, **self.read("row", index, inside)}
        return emit_program(self.m, self._of_row, lambda _, numbers: elements[numbers[0]])

    def computed(self, total: str, row: RowValues, *elements: Elements) -> list[Value]:
        """The results for a sum, with elements from all places but its row's."""
        values = {0: Value(self.m, total, self.sums, 1)}
        for each in elements:
            values.update(each)

        def leaf(name: str, numbers: Sequence[int]) -> Value:
            return row[numbers[0]] if name == "value" else values[numbers[0]]

        return emit_program(self.m, self._of_element, leaf)

    def write(self, index: Int, results: Sequence[Sequence[Value]]) -> None:
        """Store the results of neighbours, at an aligned index."""
        for number, values in enumerate(zip(*results, strict=True), len(self.tail.reads)):
            dtype, lanes = self._dtypes[number], Lanes(len(values))
            address, size = self._address(number, index), dtype.itemsize * len(values)
            store(self.m, self._joined(values), address, dtype, lanes, align=size)

    def _load(self, number: int, index: Int, count: int) -> Value:
        dtype = self._dtypes[number]
        address, size = self._address(number, index), dtype.itemsize * count
        return load(self.m, address, dtype, Lanes(count), align=size)

    def _address(self, number: int, index: Int) -> str:
        code = self.code
        address = code.element(GLOBAL, self._bases[number], index, _bytes(self._dtypes[number]))
        return code.cast("addrspacecast", address, GLOBAL, "ptr")

    def _joined(self, values: Sequence[Value]) -> Value:
        """Scalars as the lanes of a vector."""
        dtype, count = values[0].dtype, len(values)
        if count == 1:
            return values[0]
        kind, ref = vector_type(dtype, count), "poison"
        for lane, value in enumerate(values):
            ref = self.code.put(kind, ref, scalar_type(dtype), value.ref, lane)
        return self.m.value(ref, dtype, count)


def _bytes(dtype: Dtype) -> str:
    """LLVM's type of an element's memory."""
    return f"[{dtype.itemsize} x i8]"
