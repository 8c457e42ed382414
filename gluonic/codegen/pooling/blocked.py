"""The loops of pooling over images in blocks of channels.

``void pool(ptr operands, ptr numbers, i64 begin, i64 end)``. A unit of work is a row of windows of one block.
Windows inside the image are read without bounds checks.
"""

from collections.abc import Sequence

import numpy as np

from gluonic.codegen.convolution.geometry import Strides
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import FLOAT32, INT64, Value
from gluonic.codegen.writers.writer import Writer
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

_MOST_UNROLLED = 16


def larger(m: Emitter, a: Value, b: Value) -> Value:
    """The larger number; `b` if `a` is NaN. Processors have an instruction for this."""
    return m.where(a > b, a, b)


@record
class PoolingSpec:
    """The parameters of pooling, except the sizes of images.

    Attributes
    ----------
    kind : ``max``, ``avg`` or ``sum``
    kernel, stride, pad : those of the windows; a kernel of (0, 0) is the whole image
    counts_pad : whether a mean counts the padding
    """

    kind: str
    kernel: Shape
    stride: Shape
    pad: Shape
    counts_pad: bool = True

    @property
    def whole(self) -> bool:
        """Whether the only window is the image."""
        return self.kernel == (0, 0)


@record
class PoolGeometry:
    """The run-time numbers: the extents and the strides of data and output."""

    rows: int
    columns: int
    rows_out: int
    columns_out: int
    blocks: int
    data: Strides
    output: Strides

    def numbers(self) -> list[int]:
        """All of them, in the order in which machine code reads them."""
        data, output = self.data, self.output
        return [
            *(self.rows, self.columns, self.rows_out, self.columns_out, self.blocks),
            *(data.image, data.block, data.row, output.image, output.block, output.row),
        ]


class _Pool(Writer):
    """The base of the writers of pooling, forward and backward."""

    def __init__(self, module: LLVMModule, name: str, windows: PoolingSpec) -> None:
        super().__init__(module, name)
        self.windows, self.m = windows, Emitter(self.f)
        self.extents = self.number(0), self.number(1)
        self.counts = self.number(2), self.number(3)
        self.blocks = self.number(4)
        self.data_strides = [self.number(5 + i) for i in range(3)]
        self.output_strides = [self.number(8 + i) for i in range(3)]
        sizes = windows.kernel
        self.kernel = self.extents if windows.whole else (str(sizes[0]), str(sizes[1]))

    def vector_at(self, address: str) -> Value:
        """A whole vector in memory."""
        return self.m.value(self.load(address), FLOAT32, self.lanes)

    def span(self, index: str, axis: int) -> tuple[str, str, str]:
        """The start of a window along an axis (perhaps outside), and the range of its part inside the image."""
        windows = self.windows
        start = self.minus(self.times(index, windows.stride[axis]), windows.pad[axis])
        end = self.least(self.plus(start, self.kernel[axis]), self.extents[axis])
        return start, self.most(start, 0), end

    def divisor(self, spans: Sequence[tuple[str, str, str]]) -> Value:
        """The divisor of a mean."""
        lengths = []
        for axis, (start, first, end) in enumerate(spans):
            if self.windows.counts_pad:
                last = self.plus(self.extents[axis], self.windows.pad[axis])
                lengths.append(
                    self.minus(self.least(self.plus(start, self.kernel[axis]), last), start)
                )
            else:
                lengths.append(self.most(self.minus(end, first), 0))
        count = self.most(self.times(*lengths), 1)
        return self.m.value(count, INT64, 1).astype(FLOAT32)

    def is_inside(self, spans: Sequence[tuple[str, str, str]]) -> str:
        """Whether a window lies inside the image."""
        found = "true"
        for axis, (start, first, end) in enumerate(spans):
            begins = self.f.compare("eq", start, first)
            last = self.plus(start, self.kernel[axis])
            ends = self.f.compare("eq", last, end)
            found = self.f.both(found, self.f.both(begins, ends))
        return found


class _Forward(_Pool):
    """Writes pooling itself."""

    def write(self) -> None:
        """Write the loops over units and columns."""
        data, output, f = self.operand(0), self.operand(1), self.f
        with f.loop("%begin", "%end") as unit:
            rest, row = self.divided(unit, self.counts[0])
            image, block = self.divided(rest, self.blocks)
            start, end = (
                self.moved(self.moved(address, image, strides[0]), block, strides[1])
                for address, strides in ((data, self.data_strides), (output, self.output_strides))
            )
            end = self.moved(end, row, self.output_strides[2])
            down = self.span(row, 0)
            with f.loop("0", self.counts[1]) as column:
                spans = down, self.span(column, 1)
                self._window(start, self.moved(end, column, self.step), spans)
        f.finish()

    def _window(self, start: str, goal: str, spans: Sequence[tuple[str, str, str]]) -> None:
        kernel = self.windows.kernel
        if self.windows.whole or kernel[0] * kernel[1] > _MOST_UNROLLED:
            self._store(self._looped(start, spans), goal, spans)
            return
        self.either(
            self.is_inside(spans),
            lambda: self._store(self._unrolled(start, spans), goal, spans),
            lambda: self._store(self._looped(start, spans), goal, spans),
        )

    def _store(self, total: Value, goal: str, spans: Sequence[tuple[str, str, str]]) -> None:
        if self.windows.kind == "avg":
            total = total / self.divisor(spans)
        self.store(total.ref, goal)

    def _joined(self, total: Value, element: Value) -> Value:
        if self.windows.kind == "max":
            return larger(self.m, element, total)
        return total + element

    def _nothing(self) -> Value:
        """The neutral element."""
        lowest = float(np.finfo(np.float32).min) if self.windows.kind == "max" else 0.0
        return self.m.spread(self.m.constant(lowest, FLOAT32), self.lanes)

    def _unrolled(self, start: str, spans: Sequence[tuple[str, str, str]]) -> Value:
        """The reduction of a window that is inside the image."""
        corner = self.moved(
            self.moved(start, spans[0][0], self.data_strides[2]), spans[1][0], self.step
        )
        total = self._nothing() if self.windows.kind == "max" else None
        for row in range(self.windows.kernel[0]):
            here = self.moved(corner, row, self.data_strides[2])
            for column in range(self.windows.kernel[1]):
                element = self.vector_at(self.moved(here, column, self.step))
                total = element if total is None else self._joined(total, element)
        assert total is not None
        return total

    def _looped(self, start: str, spans: Sequence[tuple[str, str, str]]) -> Value:
        """The reduction of a window's part inside the image; sums are computed row by row, for accuracy."""
        (_, top, bottom), (_, left, right) = spans
        empty = self._nothing().ref
        slots = self.f.slot(self.vector), self.f.slot(self.vector)
        self.store(empty, slots[0])
        with self.f.loop(top, bottom) as row:
            here = self.moved(start, row, self.data_strides[2])
            self.store(empty, slots[1])
            with self.f.loop(left, right) as column:
                element = self.vector_at(self.moved(here, column, self.step))
                self.store(self._joined(self.vector_at(slots[1]), element).ref, slots[1])
            total = self._joined(self.vector_at(slots[0]), self.vector_at(slots[1]))
            self.store(total.ref, slots[0])
        return self.vector_at(slots[0])


def emit_pool(module: LLVMModule, name: str, windows: PoolingSpec) -> None:
    """Write the function; operands are data and output."""
    _Forward(module, name, windows).write()


class _Backward(_Pool):
    """Writes the gradient of pooling: a unit of work is a block of one image."""

    def write(self) -> None:
        """Write the loops; operands are the output's gradient, data and output for maxima, the result."""
        f, is_max = self.f, self.windows.kind == "max"
        gradient, result = self.operand(0), self.operand(3 if is_max else 1)
        with f.loop("%begin", "%end") as unit:
            image, block = self.divided(unit, self.blocks)

            def own(address: str, strides: Sequence[str]) -> str:
                return self.moved(self.moved(address, image, strides[0]), block, strides[1])

            goal = own(result, self.data_strides)
            self.clear(goal, self.times(self.extents[0], self.data_strides[2]))
            data = own(self.operand(1), self.data_strides) if is_max else ""
            with f.loop("0", self.counts[0]) as row:
                down = self.span(row, 0)
                gradients, maxima = (
                    self.moved(own(address, self.output_strides), row, self.output_strides[2])
                    for address in (gradient, self.operand(2) if is_max else gradient)
                )
                with f.loop("0", self.counts[1]) as column:
                    spans = down, self.span(column, 1)
                    value = self.vector_at(self.moved(gradients, column, self.step))
                    if is_max:
                        largest = self.vector_at(self.moved(maxima, column, self.step))
                        self._to_maximum(goal, data, value, largest, spans)
                    else:
                        self._to_all(goal, value, spans)
        f.finish()

    def _to_all(self, goal: str, value: Value, spans: Sequence[tuple[str, str, str]]) -> None:
        if self.windows.kind == "avg":
            value = value / self.divisor(spans)
        with self._positions(goal, goal, spans) as (there, _):
            self.store((self.vector_at(there) + value).ref, there)

    def _to_maximum(
        self,
        goal: str,
        data: str,
        value: Value,
        largest: Value,
        spans: Sequence[tuple[str, str, str]],
    ) -> None:
        """Add each lane's gradient to the first position that has the maximum; without one, to the first."""
        left = self.f.slot(self.vector)
        self.store(value.ref, left)
        with self._positions(goal, data, spans) as (there, here):
            is_here = self.vector_at(here) == largest
            rest = self.vector_at(left)
            given = self.m.where(is_here, rest, 0.0)
            self.store((self.vector_at(there) + given).ref, there)
            self.store(self.m.where(is_here, 0.0, rest).ref, left)
        self._give_rest(goal, left, spans)

    def _give_rest(self, goal: str, left: str, spans: Sequence[tuple[str, str, str]]) -> None:
        """Add a gradient that belongs to no position to the window's first one, if that is in the image."""
        f, rest = self.f, self.vector_at(left)
        found = self.m.in_any_lane(rest != 0.0).ref
        for start, first, end in spans:
            found = f.both(found, f.compare("eq", start, first))
            found = f.both(found, f.compare("slt", start, end))
        with f.when(found):
            (row, _, _), (column, _, _) = spans
            there = self.moved(goal, row, self.data_strides[2])
            there = self.moved(there, column, self.step)
            self.store((self.vector_at(there) + rest).ref, there)

    def _positions(
        self, goal: str, data: str, spans: Sequence[tuple[str, str, str]]
    ) -> "_WindowPositions":
        return _WindowPositions(self, goal, data, spans)


class _WindowPositions:
    """Loops over the positions of a window inside the image, with their addresses in two images."""

    def __init__(
        self, writer: _Pool, goal: str, data: str, spans: Sequence[tuple[str, str, str]]
    ) -> None:
        self.w, self.addresses = writer, (goal, data)
        (_, top, bottom), (_, left, right) = spans
        self.loops = writer.f.loop(top, bottom), writer.f.loop(left, right)

    def __enter__(self) -> tuple[str, str]:
        row, by_row = self.loops[0].__enter__(), self.w.data_strides[2]
        rows = [self.w.moved(address, row, by_row) for address in self.addresses]
        column = self.loops[1].__enter__()
        there, here = (self.w.moved(address, column, self.w.step) for address in rows)
        return there, here

    def __exit__(self, *error: object) -> None:
        for loop in reversed(self.loops):
            loop.__exit__(None, None, None)


def emit_pool_gradient(module: LLVMModule, name: str, windows: PoolingSpec) -> None:
    """Write the function of the gradient.

    Operands are the output's gradient, then, for maxima, the data and the output, then the result.
    """
    _Backward(module, name, windows).write()
