"""Pooling of images in planes, line by line, and its gradients.

First all image lines in a line of windows are combined, register by register; then adjacent elements of the
combined line. A unit of work is a plane. Where a window extends beyond the image, it reads the neutral element.
"""

from collections.abc import Callable, Sequence

import numpy as np

from gluonic.codegen.convolution.windows import Windows3
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import FLOAT64, INT64, Dtype, Value
from gluonic.codegen.pooling.blocked import larger
from gluonic.codegen.writers.element_writer import ElementWriter
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

_MOST_UNROLLED = 16


@record
class Pooling:
    """The parameters of pooling, except the sizes of images.

    Attributes
    ----------
    kind : ``max``, ``avg``, ``sum`` or ``lp``
    windows : their kernel, stride and padding
    whole : whether the only window is the image; `windows` is then ignored
    counts_pad : whether a mean counts the padding
    power : the power of ``lp``
    """

    kind: str
    windows: Windows3
    whole: bool = False
    counts_pad: bool = True
    power: int = 1

    def line_length(self, extents: Shape, counts: Shape) -> int:
        """The length of a combined line, with the padding at both ends."""
        reach = (counts[2] - 1) * self.windows.stride[2] + self.windows.kernel[2]
        return max(reach, self.windows.pad[2] + extents[2])


class Planes(ElementWriter):
    """The base of the writers of pooling and its gradients.

    Numbers are the extents of images, of windows, and the length of a combined line. A workspace has space for
    a combined line and a line of windows, with a spare register after each.
    """

    def __init__(self, module: LLVMModule, name: str, dtype: Dtype, pooling: Pooling) -> None:
        super().__init__(module, name, dtype)
        self.pooling, self.windows = pooling, pooling.windows
        self.extents = [self.number(i) for i in range(3)]
        self.counts = [self.number(3 + i) for i in range(3)]
        self.length = self.number(6)
        self.kernel = [str(k) for k in self.windows.kernel]
        rows = self.times(self.extents[0], self.extents[1])
        self.plane_size = self.times(rows, self.extents[2])
        self.lines = self.times(self.counts[0], self.counts[1])
        self.window_count = self.times(self.lines, self.counts[2])

    def buffers(self, workspace: str) -> tuple[str, str]:
        """A combined line, and a line of windows."""
        return workspace, self.at(workspace, self.plus(self.length, 2 * self.lanes))

    def span(self, index: str, axis: int) -> tuple[str, str, str]:
        """The start of a window along an axis (perhaps outside), and the range of its part inside the image."""
        windows = self.windows
        start = self.minus(self.times(index, windows.stride[axis]), windows.pad[axis])
        end = self.least(self.plus(start, self.kernel[axis]), self.extents[axis])
        return start, self.most(start, 0), end

    def counted(self, span: tuple[str, str, str], axis: int) -> Value:
        """The number of a window's positions that a mean counts along an axis."""
        start, first, end = span
        if self.pooling.counts_pad:
            last = self.plus(self.extents[axis], self.windows.pad[axis])
            first, end = start, self.least(self.plus(start, self.kernel[axis]), last)
        count = self.most(self.minus(end, first), 0)
        return self.m.value(count, INT64, 1).astype(FLOAT64)

    def divisors(self, goal: str) -> None:
        """Write the number of positions that each window of a line counts along the line."""
        end = self.plus(self.counts[2], self.lanes)
        self.fill_whole(goal, "0", end, self.number_of(1.0))
        with self.f.loop("0", self.counts[2]) as column:
            count = self.counted(self.span(column, 2), 2)
            self.put(count.astype(self.dtype), self.at(goal, column))

    def over_lines(self, body: Callable[[str, Sequence[tuple[str, str, str]]], None]) -> None:
        """Loop over the lines of windows: their indices, and their ranges along depth and rows."""
        with self.f.loop("0", self.lines) as line:
            depth, row = self.divided(line, self.counts[1])
            body(line, (self.span(depth, 0), self.span(row, 1)))

    def over_rows(self, spans: Sequence[tuple[str, str, str]], body: Callable[[str], None]) -> None:
        """Loop over the image lines in a line of windows."""
        (_, near, far), (_, top, bottom) = spans
        with self.f.loop(near, far) as depth, self.f.loop(top, bottom) as row:
            line = self.plus(self.times(depth, self.extents[1]), row)
            body(self.times(line, self.extents[2]))

    def over_taps(self, body: Callable[[str], None]) -> None:
        """Loop over the taps of a window along a line."""
        with self.f.loop("0", self.kernel[2]) as tap:
            body(tap)


class Forward(Planes):
    """Writes pooling itself."""

    def __init__(self, module: LLVMModule, name: str, dtype: Dtype, pooling: Pooling) -> None:
        super().__init__(module, name, dtype, pooling)
        is_max = pooling.kind == "max"
        self.neutral = self.number_of(float(np.finfo(dtype).min) if is_max else 0.0)
        self.is_max = is_max

    def write(self) -> None:
        """Write the loop over planes; operands are data, output and workspace."""
        data, output, workspace = (self.operand(i) for i in range(3))
        line, divisors = self.buffers(workspace)
        self.fill_whole(line, "0", self.plus(self.length, self.lanes), self.neutral)
        if self.pooling.kind == "avg":
            self.divisors(divisors)
        with self.f.loop("%begin", "%end") as unit:
            plane = self.at(data, self.times(unit, self.plane_size))
            goal = self.at(output, self.times(unit, self.window_count))

            def one(number: str, spans: Sequence[tuple[str, str, str]]) -> None:
                self._combine_rows(plane, self.at(line, self.windows.pad[2]), spans)
                there = self.at(goal, self.times(number, self.counts[2]))
                self._combine_along(line, divisors, there, spans)

            self.over_lines(one)
        self.f.finish()

    def joined(self, total: Value, element: Value) -> Value:
        """A total with one more element; maxima ignore NaN."""
        return larger(self.m, element, total) if self.is_max else total + element

    def powered(self, value: Value) -> Value:
        """The term of an element in a sum."""
        result = value
        for _ in range(self.pooling.power - 1):
            result = result * value
        return result

    def _combine_rows(self, plane: str, line: str, spans: Sequence[tuple[str, str, str]]) -> None:
        """Combine the lines of the image; the first exists if any does."""
        (_, near, far), (_, top, bottom) = spans
        start = self.times(self.plus(self.times(near, self.extents[1]), top), self.extents[2])
        some = self.f.both(self.f.compare("slt", near, far), self.f.compare("slt", top, bottom))

        def first() -> None:
            def begun(value: Value, there: str, lanes: int) -> Value:
                return self.joined(self.neutral, value) if self.is_max else value

            self._each(self.at(plane, start), line, begun)

        def nothing() -> None:
            self.fill_whole(line, "0", self.extents[2], self.neutral)

        self.either(some, first, nothing)

        def other(offset: str) -> None:
            def join(value: Value, there: str, lanes: int) -> Value:
                return self.joined(self.whole(there, lanes), value)

            with self.f.when(self.f.compare("ne", offset, start)):
                self._each(self.at(plane, offset), line, join)

        self.over_rows(spans, other)

    def _each(self, row: str, line: str, made: Callable[[Value, str, int], Value]) -> None:
        def body(index: str, lanes: int) -> None:
            there = self.at(line, index)
            value = self.element(self.at(row, index), lanes, self.neutral)
            self.put_whole(made(self.powered(value), there, lanes), there, lanes)

        self.spans("0", self.extents[2], body)

    def _combine_along(
        self, line: str, divisors: str, goal: str, spans: Sequence[tuple[str, str, str]]
    ) -> None:
        """Combine adjacent elements."""
        counted = None
        if self.pooling.kind == "avg":
            counted = self.counted(spans[0], 0) * self.counted(spans[1], 1)
            counted = counted.astype(self.dtype)

        def window(index: str, lanes: int) -> None:
            total = self._total(self.at(line, self.times(index, self.windows.stride[2])), lanes)
            if counted is not None:
                along = self.whole(self.at(divisors, index), lanes)
                total = total / self.m.maximum(along * counted, 1.0)
            self.put(self.rooted(total), self.at(goal, index), lanes)

        self.steps("0", self.counts[2], self.windows.stride[2], window)

    def _total(self, start: str, lanes: int) -> Value:
        stride = self.windows.stride[2]
        if self.windows.kernel[2] <= _MOST_UNROLLED:
            total = self.strided_whole(start, lanes, stride)
            for number in range(1, self.windows.kernel[2]):
                element = self.strided_whole(self.at(start, number), lanes, stride)
                total = self.joined(total, element)
            return total
        slot = self.f.slot(self.vector)
        self.put_whole(self.strided_whole(start, lanes, stride), slot, lanes)
        with self.f.loop("1", self.kernel[2]) as tap:
            element = self.strided_whole(self.at(start, tap), lanes, stride)
            self.put_whole(self.joined(self.whole(slot, lanes), element), slot, lanes)
        return self.whole(slot, lanes)

    def rooted(self, total: Value) -> Value:
        """The result of a sum."""
        roots = {1: lambda x: x, 2: self.m.sqrt, 3: self.m.cbrt}
        root: Callable[[Value], Value] = roots[self.pooling.power]
        return root(total)


class Spread(Planes):
    """Writes the gradient of sums and means."""

    def write(self) -> None:
        """Write the loop over planes; operands are the output's gradient, the result and workspace."""
        gradients, result, workspace = (self.operand(i) for i in range(3))
        line, divisors = self.buffers(workspace)
        zero = self.number_of(0.0)
        if self.pooling.kind == "avg":
            self.divisors(divisors)
        with self.f.loop("%begin", "%end") as unit:
            source = self.at(gradients, self.times(unit, self.window_count))
            plane = self.at(result, self.times(unit, self.plane_size))
            self.clear(plane, self.times(self.plane_size, self.size))

            def one(number: str, spans: Sequence[tuple[str, str, str]]) -> None:
                self.fill_whole(line, "0", self.length, zero)
                here = self.at(source, self.times(number, self.counts[2]))
                self._spread_along(here, divisors, line, spans)
                self.over_rows(spans, lambda offset: add(self.at(plane, offset)))

            def add(row: str) -> None:
                middle = self.at(line, self.windows.pad[2])

                def body(index: str, lanes: int) -> None:
                    there = self.at(row, index)
                    value = self.whole(self.at(middle, index), lanes)
                    self.put(self.element(there, lanes) + value, there, lanes)

                self.spans("0", self.extents[2], body)

            self.over_lines(one)
        self.f.finish()

    def _spread_along(
        self, gradients: str, divisors: str, line: str, spans: Sequence[tuple[str, str, str]]
    ) -> None:
        counted = None
        if self.pooling.kind == "avg":
            counted = self.counted(spans[0], 0) * self.counted(spans[1], 1)
            counted = counted.astype(self.dtype)

        def tap(number: str) -> None:
            start = self.at(line, number)

            def window(index: str, lanes: int) -> None:
                value = self.element(self.at(gradients, index), lanes)
                if counted is not None:
                    along = self.whole(self.at(divisors, index), lanes)
                    value = value / self.m.maximum(along * counted, 1.0)
                stride = self.windows.stride[2]
                self.add_strided(value, self.at(start, self.times(index, stride)), lanes, stride)

            self.steps("0", self.counts[2], self.windows.stride[2], window)

        self.over_taps(tap)


class Scatter(Planes):
    """Writes the gradient of maxima: that of each window is added to the first position with its maximum.

    If none has it (all are NaN or minus infinity), it is added to the window's first position.
    """

    def write(self) -> None:
        """Write the loop over planes.

        Operands are the output's gradient, data, output, the result and workspace.
        """
        gradients, data, maxima, result, workspace = (self.operand(i) for i in range(5))
        _, left = self.buffers(workspace)
        with self.f.loop("%begin", "%end") as unit:
            windows, pixels = (
                self.times(unit, size) for size in (self.window_count, self.plane_size)
            )
            goal, source = self.at(result, pixels), self.at(data, pixels)
            self.clear(goal, self.times(self.plane_size, self.size))

            def one(number: str, spans: Sequence[tuple[str, str, str]]) -> None:
                first = self.plus(windows, self.times(number, self.counts[2]))
                self.f.copy(left, self.at(gradients, first), self.times(self.counts[2], self.size))
                largest = self.at(maxima, first)

                def row(offset: str) -> None:
                    here, there = self.at(source, offset), self.at(goal, offset)
                    self.over_taps(lambda tap: self._give(tap, here, there, largest, left))

                self.over_rows(spans, row)
                self._give_rest(goal, left, spans)

            self.over_lines(one)
        self.f.finish()

    def _give_rest(self, goal: str, left: str, spans: Sequence[tuple[str, str, str]]) -> None:
        """Add the remaining gradients to the first positions of windows."""
        depth, row = spans[0][0], spans[1][0]
        valid = [
            self.inside(i, extent) for i, extent in zip((depth, row), self.extents[:2], strict=True)
        ]
        with self.f.when(self.f.both(valid[0], valid[1])):
            line = self.plus(self.times(depth, self.extents[1]), row)
            there = self.at(goal, self.times(line, self.extents[2]))

            def body(index: str, position: str, lanes: int) -> None:
                rest = self.element(self.at(left, index), lanes)
                self.add_strided(rest, self.at(there, position), lanes, self.windows.stride[2])

            self._along("0", body)

    def _along(self, tap: str, body: Callable[[str, str, int], None]) -> None:
        """Loop over the windows of a line with a tap inside the image: window indices, tap positions."""
        step = self.windows.stride[2]
        begin = self.minus(tap, self.windows.pad[2])
        first, after = (self.first_at(limit, begin, step) for limit in (0, self.extents[2]))
        last = self.least(after, self.counts[2])

        def window(index: str, lanes: int) -> None:
            body(index, self.plus(self.times(index, step), begin), lanes)

        self.steps(first, last, step, window)

    def _give(self, tap: str, data: str, goal: str, maxima: str, left: str) -> None:
        """Add the remaining gradients of windows to the positions of one tap along a line."""
        step = self.windows.stride[2]

        def body(index: str, position: str, lanes: int) -> None:
            here = self.strided(self.at(data, position), lanes, step)
            is_here = here == self.element(self.at(maxima, index), lanes)
            rest = self.element(self.at(left, index), lanes)
            given = self.m.where(is_here, rest, 0.0)
            self.add_strided(given, self.at(goal, position), lanes, step)
            self.put(self.m.where(is_here, 0.0, rest), self.at(left, index), lanes)

        self._along(tap, body)
