"""The loops that transpose an array's last axis: `a` is the last axis of the source, `b` of the result.

``void transpose(ptr operands, ptr numbers, i64 begin, i64 end)``; operands are the array and the result. If an
axis has few elements, such as colours, its rows are interleaved. Otherwise square blocks are transposed in
registers, in order along `b`, so that the result's rows are written from beginning to end.
"""

from collections.abc import Callable, Sequence
from functools import partial

from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.register_transpose import transposed
from gluonic.codegen.maths.values import Dtype
from gluonic.codegen.writers.element_writer import ElementWriter


class TranspositionWriter(ElementWriter):
    """Writes the loops over parts of two axes at each index of the others.

    Parameters
    ----------
    together : whether elements along both axes are contiguous in the source, and in the result
    outer : number of other axes
    most_interleaved : up to this number of elements, such as colours, rows are interleaved
    """

    def __init__(
        self,
        module: LLVMModule,
        name: str,
        dtype: Dtype,
        together: tuple[bool, bool],
        outer: int,
        most_interleaved: int,
    ) -> None:
        super().__init__(module, name, dtype)
        self.together, self.most_interleaved = together, most_interleaved
        self.source, self.goal = self.operand(0), self.operand(1)
        axes = [[self.number(3 * k + i) for i in range(3)] for k in range(2 + outer)]
        (self.extent_a, _, self.here_a), (self.extent_b, self.there_b, _), *self.outer = axes
        self.reach = [self.number(3 * (2 + outer) + i) for i in range(2)]

    def write(self) -> None:
        """Write the loop over units."""
        extents = self.extent_a, self.extent_b
        with self.f.loop("%begin", "%end") as unit:
            rest, bounds = unit, []
            for extent, reach in zip(extents, self.reach, strict=True):
                rest, part = self.divided(rest, self.quotient_up(extent, reach))
                first = self.times(part, reach)
                bounds.append((first, self.least(self.plus(first, reach), extent)))
            source, goal = self.source, self.goal
            for extent, there, here in reversed(self.outer):
                rest, index = self.divided(rest, extent)
                source = self.at(source, self.times(index, there))
                goal = self.at(goal, self.times(index, here))
            self._unit(source, goal, *bounds)
        self.f.finish()

    def _unit(self, source: str, goal: str, a: tuple[str, str], b: tuple[str, str]) -> None:
        """Write the choice of an algorithm by the extents."""
        counts = range(2, self.most_interleaved + 1)
        ways: list[tuple[str, int, Callable[[int], None]]] = []
        if self.together[0]:
            take = partial(self._take_apart, source, goal, *b)
            ways += [(self.extent_a, count, take) for count in counts]
        if self.together[1]:
            put = partial(self._put_together, source, goal, *a)
            ways += [(self.extent_b, count, put) for count in counts]
        left = "true"
        for extent, count, way in ways:
            fits = self.f.compare("eq", extent, count)
            with self.f.when(self.f.both(left, fits)):
                way(count)
            left = self.f.both(left, self.f.negated(fits))
        with self.f.when(left):
            self._squares(source, goal, a, b)

    # -- few elements, which are contiguous --------------------------------------------------------

    def _put_together(self, source: str, goal: str, first: str, end: str, few: int) -> None:
        """Interleave a few rows into one."""
        rows = [self.at(source, self.times(i, self.there_b)) for i in range(few)]

        def body(index: str) -> None:
            vectors = [self._vector(self.at(row, index)) for row in rows]
            start = self.at(goal, self.times(index, few))
            for k in range(few):
                flat = range(k * self.lanes, (k + 1) * self.lanes)
                self.store(
                    self._mixed(vectors, [(n % few, n // few) for n in flat]), self._next(start, k)
                )

        def single(index: str) -> None:
            for i, row in enumerate(rows):
                address = self.at(goal, self.plus(self.times(index, few), i))
                self.put_whole(self.whole(self.at(row, index)), address)

        self._along(first, end, body, single)

    def _take_apart(self, source: str, goal: str, first: str, end: str, few: int) -> None:
        """Deinterleave one row into a few."""
        rows = [self.at(goal, self.times(i, self.here_a)) for i in range(few)]

        def body(index: str) -> None:
            start = self.at(source, self.times(index, few))
            vectors = [self._vector(self._next(start, k)) for k in range(few)]
            for i, row in enumerate(rows):
                flat = [lane * few + i for lane in range(self.lanes)]
                sources = [divmod(n, self.lanes) for n in flat]
                self.store(self._mixed(vectors, sources), self.at(row, index))

        def single(index: str) -> None:
            for i, row in enumerate(rows):
                address = self.at(source, self.plus(self.times(index, few), i))
                self.put_whole(self.whole(address), self.at(row, index))

        self._along(first, end, body, single)

    def _along(
        self, first: str, end: str, body: Callable[[str], None], single: Callable[[str], None]
    ) -> None:
        """Loop over registers, then over the remainder."""
        middle = self._stretch(first, end).middle
        with self.f.loop(first, middle, self.lanes) as index:
            body(index)
        with self.f.loop(middle, end) as index:
            single(index)

    def _next(self, address: str, count: int) -> str:
        return self.moved(address, count, self.step)

    def _vector(self, address: str) -> str:
        return self.whole(address, self.lanes).ref

    def _mixed(self, vectors: Sequence[str], sources: Sequence[tuple[int, int]]) -> str:
        """A shuffle of several vectors; each lane is named by its vector and its lane there."""
        mixed = vectors[0]
        for number, vector in enumerate(vectors[1:], 1):
            lanes = [
                self.lanes + lane if which == number else lane if number == 1 else position
                for position, (which, lane) in enumerate(sources)
            ]
            mixed = self.f.shuffle(self.vector, mixed, vector, lanes)
        return mixed

    # -- squares ----------------------------------------------------------------------------------

    def _squares(self, source: str, goal: str, a: tuple[str, str], b: tuple[str, str]) -> None:
        """Transpose block by block; incomplete blocks are read and written under masks."""
        with (
            self.f.loop(*a, self.lanes) as along,
            self.f.loop(*b, self.lanes) as down,
        ):
            is_whole = "true"
            for first, (_, end) in ((along, a), (down, b)):
                fits = self.f.compare("sle", self.plus(first, self.lanes), end)
                is_whole = self.f.both(is_whole, fits)
            self.either(
                is_whole,
                partial(self._square, source, goal, along, down),
                partial(self._edge, source, goal, (along, a[1]), (down, b[1])),
            )

    def _turned(self, rows: Sequence[str]) -> list[str]:
        together = 16 // self.size
        return transposed(self.f, self.vector, rows, self.lanes, self.lanes, together)

    def _square(self, source: str, goal: str, along: str, down: str) -> None:
        row = self.at(source, self.plus(along, self.times(down, self.there_b)))
        rows = []
        for _ in range(self.lanes):
            rows.append(self._vector(row))
            row = self.at(row, self.there_b)
        address = self.at(goal, self.plus(down, self.times(along, self.here_a)))
        for column in self._turned(rows):
            self.store(column, address)
            address = self.at(address, self.here_a)

    def _edge(self, source: str, goal: str, a: tuple[str, str], b: tuple[str, str]) -> None:
        """An incomplete block at the end of the axes; rows beyond the end repeat the last one."""
        along, down = a[0], b[0]
        masks = [self.first(self.minus(end, first)) for first, end in (a, b)]
        rows = []
        for i in range(self.lanes):
            number = self.least(self.plus(down, i), self.minus(b[1], 1))
            address = self.at(source, self.plus(along, self.times(number, self.there_b)))
            rows.append(self._masked(address, masks[0]).ref)
        for i, column in enumerate(self._turned(rows)):
            number = self.plus(along, i)
            with self.f.when(self.f.compare("slt", number, a[1])):
                address = self.at(goal, self.plus(down, self.times(number, self.here_a)))
                self._put_masked(self.m.value(column, self.dtype, self.lanes), address, masks[1])
