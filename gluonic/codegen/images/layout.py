"""Reordering images between planes and blocks of channels.

Functions have the form of all native code here, ``void reorder(ptr operands, ptr numbers, i64 begin, i64
end)``: operands are source and goal, a unit of work is a block of channels of one image.
Images with a border are written border and all; what pads the last block of channels is zero.
"""

from collections.abc import Callable, Sequence

from gluonic.codegen.images.convolution import lanes_of
from gluonic.codegen.images.convolution_geometry import Strides
from gluonic.codegen.machine.assembler import Function, Module
from gluonic.codegen.machine.masked_memory import masked_load, masked_store
from gluonic.codegen.machine.squares import transposed
from gluonic.codegen.machine.step_function import StepFunction
from gluonic.graph.record import record


@record
class Reordering:
    """The run-time numbers of a reordering of images.

    Attributes
    ----------
    blocks : how many blocks (or planes) an image of one group of channels has
    last : how many channels the last block has
    rows, columns : of the images, without border
    source, goal : how they lie; `block` is the distance between planes where channels are not in blocks
    top, left, bottom, right : the width of the border that the goal has
    """

    blocks: int
    last: int
    rows: int
    columns: int
    source: Strides
    goal: Strides
    top: int = 0
    left: int = 0
    bottom: int = 0
    right: int = 0

    def numbers(self) -> list[int]:
        """All of them, in the order in which machine code reads them."""
        source, goal = self.source, self.goal
        return [
            *(self.blocks, self.last, self.rows, self.columns),
            *(source.image, source.block, source.row, goal.image, goal.block, goal.row),
            *(self.top, self.left, self.bottom, self.right),
        ]


class Writer:
    """What writers of reorderings share: numbers, addresses, vectors and their transposition."""

    def __init__(self, module: Module, name: str) -> None:
        function = StepFunction(module, name)
        self.f: Function = function
        self.operand, self.number = function.operand, function.number
        self.lanes = lanes_of(module.target)
        self.vector = f"<{self.lanes} x float>"
        self.step = self.lanes * 4

    def moved(self, address: str, count: str | int, stride: str | int = 1) -> str:
        """The address `count` strides (bytes) further."""
        offset: str | int
        if isinstance(count, int) and isinstance(stride, int):
            offset = count * stride
        elif stride == 1:
            offset = count
        else:
            offset = self.times(count, stride)
        if offset == 0:
            return address
        return self.f.op(f"getelementptr i8, ptr {address}, i64 {offset}")

    def times(self, a: str | int, b: str | int) -> str:
        """A product."""
        return self.f.op(f"mul i64 {a}, {b}")

    def plus(self, a: str | int, b: str | int) -> str:
        """A sum."""
        return self.f.op(f"add i64 {a}, {b}")

    def minus(self, a: str | int, b: str | int) -> str:
        """A difference."""
        return self.f.op(f"sub i64 {a}, {b}")

    def least(self, a: str | int, b: str | int) -> str:
        """The smaller number."""
        return self.f.least(a, b)

    def most(self, a: str | int, b: str | int) -> str:
        """The larger number."""
        return self.f.most(a, b)

    def apart(self, stride: str | int, count: str | None) -> list[str | int]:
        """How far V things lie from their first; if there are but `count`, the last is repeated."""
        if count is None:
            return [
                number * stride if isinstance(stride, int) else self.times(stride, number)
                for number in range(self.lanes)
            ]
        highest = self.minus(count, 1)
        return [self.times(self.least(number, highest), stride) for number in range(self.lanes)]

    def divided(self, number: str, by: str | int) -> tuple[str, str]:
        """Quotient and remainder of numbers that are not negative."""
        quotient = self.f.op(f"udiv i64 {number}, {by}")
        return quotient, self.minus(number, self.times(quotient, by))

    def quotient_up(self, a: str, by: str | int) -> str:
        """A number that is not negative, divided, rounded up."""
        if by == 1:
            return a
        above = by - 1 if isinstance(by, int) else self.minus(by, 1)
        return self.f.op(f"udiv i64 {self.plus(a, above)}, {by}")

    def first_at(self, limit: str | int, begin: str | int, step: int) -> str:
        """How many steps from `begin` the first place at or behind a limit is."""
        return self.quotient_up(self.most(self.minus(limit, begin), 0), step)

    def either(self, condition: str, yes: Callable[[], None], no: Callable[[], None]) -> None:
        """Do one of two things."""
        with self.f.when(condition):
            yes()
        with self.f.when(self.f.op(f"xor i1 {condition}, true")):
            no()

    def either_last(
        self, index: str, count: str, usual: int, last: int, write: Callable[[int], None]
    ) -> None:
        """Write for the usual size and for that of the last of `count` parts; 0 if there is none such."""
        if not last or not usual:
            write(last or usual)
        else:
            self.at_last(index, count, lambda: write(last), lambda: write(usual))

    def either_block(
        self, block: str, blocks: str, last: str | None, write: Callable[[str | None], None]
    ) -> None:
        """Write for whole blocks and, if there is one that is none, for the last: `write(what it has)`."""
        if last is None:
            write(None)
        else:
            self.at_last(block, blocks, lambda: write(last), lambda: write(None))

    def at_last(
        self, index: str, count: str, last: Callable[[], None], others: Callable[[], None]
    ) -> None:
        """Do one thing for the last of `count` parts, and another for those before it."""
        is_last = self.f.op(f"icmp eq i64 {index}, {self.minus(count, 1)}")
        self.either(is_last, last, others)

    def load(self, address: str) -> str:
        """A whole vector."""
        return self.f.op(f"load {self.vector}, ptr {address}, align 4")

    def kept(self, ref: str, mask: str) -> str:
        """A vector with zeros in the lanes that a mask leaves out."""
        bits = f"<{self.lanes} x i1> {mask}"
        return self.f.op(f"select {bits}, {self.vector} {ref}, {self.vector} zeroinitializer")

    def store(self, ref: str, address: str) -> None:
        """Write a whole vector."""
        self.f.do(f"store {self.vector} {ref}, ptr {address}, align 4")

    def clear(self, address: str, size: str) -> None:
        """Write zeros."""
        name = "llvm.memset.p0.i64"
        self.f.module.declare(name, "void", ["ptr", "i8", "i64", "i1"])
        self.f.do(f"call void @{name}(ptr {address}, i8 0, i64 {size}, i1 false)")

    def first_lanes(self, count: str) -> str:
        """A mask of the first lanes."""
        numbers = ", ".join(f"i64 {lane}" for lane in range(self.lanes))
        wide = f"<{self.lanes} x i64>"
        first = self.f.op(f"insertelement {wide} poison, i64 {count}, i64 0")
        spread = self.f.op(
            f"shufflevector {wide} {first}, {wide} poison, <{self.lanes} x i32> zeroinitializer"
        )
        return self.f.op(f"icmp slt {wide} <{numbers}>, {spread}")

    def load_lanes(self, address: str, mask: str) -> str:
        """A vector of which only some lanes are in memory; zeros in the others."""
        return masked_load(self.f, self.vector, address, 4, mask)

    def store_lanes(self, ref: str, address: str, mask: str) -> None:
        """Write some lanes of a vector."""
        masked_store(self.f, self.vector, ref, address, 4, mask)

    def transposed(self, rows: Sequence[str]) -> list[str]:
        """The columns of a square of vectors."""
        return transposed(self.f, self.vector, rows, self.lanes, self.lanes, 4)

    def square(self) -> str:
        """Room for a square of vectors."""
        return self.f.slot(f"[{self.lanes} x {self.vector}]")


class _Images(Writer):
    """Writes a reordering of images, block by block, row by row.

    Parameters
    ----------
    cell : the bytes of a place of the goal
    """

    def __init__(self, module: Module, name: str, cell: int) -> None:
        super().__init__(module, name)
        self.cell = cell
        self.blocks, self.last, self.rows, self.columns = (self.number(i) for i in range(4))
        self.source_strides = [self.number(4 + i) for i in range(3)]
        self.goal_strides = [self.number(7 + i) for i in range(3)]
        self.border = [self.number(10 + i) for i in range(4)]

    def write(self, planes: int, row: Callable[[str, str, str], None]) -> None:
        """Write the loops; `row(source, goal, block)` writes what happens to a row.

        `planes` is how many planes of the source make a block.
        """
        source, goal = self.operand(0), self.operand(1)
        top, left, bottom, right = self.border
        with self.f.loop("%begin", "%end") as unit:
            image, block = self.divided(unit, self.blocks)
            start = self.moved(source, image, self.source_strides[0])
            plane = self.times(self.source_strides[1], planes)
            start = self.moved(start, block, plane)
            end = self.moved(
                self.moved(goal, image, self.goal_strides[0]), block, self.goal_strides[1]
            )
            by_row = self.goal_strides[2]
            self.clear(end, self.times(top, by_row))
            first = self.moved(end, top, by_row)
            self.clear(self.moved(first, self.rows, by_row), self.times(bottom, by_row))
            margins = self.times(left, self.cell), self.times(right, self.cell)
            width = self.times(self.columns, self.cell)
            with self.f.loop("0", self.rows) as number:
                there = self.moved(first, number, by_row)
                here = self.moved(start, number, self.source_strides[2])
                inside = self.moved(there, margins[0])
                self.clear(there, margins[0])
                row(here, inside, block)
                self.clear(self.moved(inside, width), margins[1])
        self.f.finish()


def emit_border(module: Module, name: str, cell: int) -> None:
    """Write the function that copies images to where they have a border of zeros.

    Parameters
    ----------
    cell : how many bytes one place takes in a block (or plane)
    """
    writer = _Images(module, name, cell)

    def row(source: str, goal: str, block: str) -> None:
        writer.f.copy(goal, source, writer.times(writer.columns, cell))

    writer.write(1, row)


def emit_pack(module: Module, name: str, has_partial: bool) -> None:
    """Write the function that takes images with a plane for each channel to blocks.

    Parameters
    ----------
    has_partial : whether the last block has fewer channels than the others
    """
    lanes = lanes_of(module.target)
    writer = _Images(module, name, lanes * 4)
    last = writer.last if has_partial else None

    def row(source: str, goal: str, block: str) -> None:
        writer.either_block(
            block, writer.blocks, last, lambda count: _pack_row(writer, source, goal, count)
        )

    writer.write(lanes, row)


def _pack_row(w: _Images, source: str, goal: str, count: str | None) -> None:
    whole = w.minus(w.columns, w.divided(w.columns, w.lanes)[1])
    planes = w.apart(w.source_strides[1], count)
    present = w.first_lanes(count) if count is not None else ""

    def vectors(column: str, load: Callable[[str], str]) -> list[str]:
        here = w.moved(source, column, 4)
        columns = w.transposed([load(w.moved(here, plane)) for plane in planes])
        return [w.kept(vector, present) for vector in columns] if present else columns

    with w.f.loop("0", whole, w.lanes) as column:
        there = w.moved(goal, column, w.step)
        for number, vector in enumerate(vectors(column, w.load)):
            w.store(vector, w.moved(there, number, w.step))
    left = w.minus(w.columns, whole)
    with w.f.when(w.f.op(f"icmp sgt i64 {left}, 0")):
        mask, square = w.first_lanes(left), w.square()
        for number, vector in enumerate(vectors(whole, lambda a: w.load_lanes(a, mask))):
            w.store(vector, w.moved(square, number, w.step))
        w.f.copy(w.moved(goal, whole, w.step), square, w.times(left, w.step))


def emit_unpack(module: Module, name: str, has_partial: bool) -> None:
    """Write the function that takes images in blocks to a plane for each channel.

    Borders are not known here: the source's strides and address leave them out.
    """
    w = _Images(module, name, 4)
    last = w.last if has_partial else None
    source, goal = w.operand(0), w.operand(1)
    with w.f.loop("%begin", "%end") as unit:
        image, block = w.divided(unit, w.blocks)
        start = w.moved(w.moved(source, image, w.source_strides[0]), block, w.source_strides[1])
        end = w.moved(goal, image, w.goal_strides[0])
        end = w.moved(end, block, w.times(w.goal_strides[1], w.lanes))
        with w.f.loop("0", w.rows) as number:
            here = w.moved(start, number, w.source_strides[2])
            there = w.moved(end, number, w.goal_strides[2])
            w.either_block(block, w.blocks, last, lambda count: _unpack_row(w, here, there, count))
    w.f.finish()


def _unpack_row(w: _Images, source: str, goal: str, count: str | None) -> None:
    whole = w.minus(w.columns, w.divided(w.columns, w.lanes)[1])
    planes = w.apart(w.goal_strides[1], count)

    def write(column: str, last: int | str, store: Callable[[str, str], None]) -> None:
        places: list[str | int] = list(range(w.lanes))
        if isinstance(last, str):
            places = [w.least(place, last) for place in places]
        here, there = w.moved(source, column, w.step), w.moved(goal, column, 4)
        rows = w.transposed([w.load(w.moved(here, place, w.step)) for place in places])
        # The last plane is the goal of all behind it too, so it comes after these.
        for row, plane in reversed([*zip(rows, planes, strict=True)]):
            store(row, w.moved(there, plane))

    with w.f.loop("0", whole, w.lanes) as column:
        write(column, w.lanes - 1, w.store)
    left = w.minus(w.columns, whole)
    with w.f.when(w.f.op(f"icmp sgt i64 {left}, 0")):
        mask = w.first_lanes(left)
        write(whole, w.minus(left, 1), lambda ref, place: w.store_lanes(ref, place, mask))
