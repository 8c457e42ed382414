"""The loops of a convolution's gradient with respect to its filters, and what the way back to its data needs.

Filters' gradients come out in the order of packed filters, in tiles of one block; a register holds V filters
for one channel and one place, and images go by.
"""

from collections.abc import Iterator, Sequence

from gluonic.codegen.assembler import Module
from gluonic.codegen.convolution import Filters, blocks_of
from gluonic.codegen.convolution_geometry import Geometry
from gluonic.codegen.emitter import Emitter
from gluonic.codegen.layout import Writer
from gluonic.codegen.values import FLOAT32, Value

Tap = tuple[int, int]


def emit_filter_gradient(module: Module, name: str, filters: Filters) -> None:
    """Write ``void gradient(ptr operands, ptr numbers, i64 begin, i64 end)``.

    Operands are the images with their border, the output's gradient, and the result; numbers those of
    `Geometry`. A unit of work is a block of filters with a block of channels of one group.
    """
    _Gradient(module, name, filters).write()


def gradient_units(filters: Filters, lanes: int) -> int:
    """The units of work of the gradient."""
    deep = 1 if filters.depthwise else blocks_of(filters.channels, filters.block(lanes))
    return filters.groups * blocks_of(filters.filters, lanes) * deep


__all__ = ["Geometry", "emit_filter_gradient", "emit_spread", "gradient_units"]


class _Gradient(Writer):
    """Writes one gradient."""

    def __init__(self, module: Module, name: str, filters: Filters) -> None:
        super().__init__(module, name)
        self.filters, self.m = filters, Emitter(self.f)
        self.registers = module.target.vector_registers
        self.batch, self.rows, self.columns = (self.number(i) for i in range(3))
        self.data_strides = [self.number(3 + i) for i in range(3)]
        self.slope_strides = [self.number(6 + i) for i in range(3)]
        self.block = 1 if filters.depthwise else filters.block(self.lanes)
        self.cell = filters.block(self.lanes) * 4

    def write(self) -> None:
        """Write the loop over units."""
        f, filters = self.f, self.filters
        data, slopes, result = (self.operand(i) for i in range(3))
        blocks = blocks_of(filters.filters, self.lanes)
        deep = blocks_of(filters.channels, self.block)
        with f.loop("%begin", "%end") as unit:
            rest, depth = self.divided(unit, deep)
            group = self.divided(rest, blocks)[0]
            first = self.plus(self.times(group, deep), depth)
            source = self.moved(data, rest if filters.depthwise else first, self.data_strides[1])
            slope = self.moved(slopes, rest, self.slope_strides[1])
            goal = self.moved(result, rest, filters.depth * self.step)
            goal = self.moved(goal, depth, self.block * filters.taps * self.step)
            left = filters.channels % self.block

            def part(
                channels: int, source: str = source, slope: str = slope, goal: str = goal
            ) -> None:
                self.clear(goal, str(channels * filters.taps * self.step))
                self._taps(source, slope, goal, channels)

            self.either_last(depth, deep, self.block, left, part)
        f.finish()

    def _taps(self, source: str, slope: str, goal: str, channels: int) -> None:
        """Write the loops over places of the filter, several at once if there are registers for them."""
        f, filters = self.f, self.filters
        by_row = self.times(self.data_strides[2], filters.dilate[0])
        by_column = filters.dilate[1] * self.cell
        if channels * 2 > self.registers - 4:
            with f.loop("0", str(filters.kernel[0])) as i, f.loop("0", str(filters.kernel[1])) as j:
                here = self.moved(self.moved(source, i, by_row), j, by_column)
                tap = self.plus(self.times(i, filters.kernel[1]), j)
                there = self.moved(goal, tap, channels * self.step)
                self._images([here], slope, [there], channels)
            return
        for taps in self._chunks(channels):
            places = [self.moved(self.moved(source, i, by_row), j, by_column) for i, j in taps]
            numbers = [i * filters.kernel[1] + j for i, j in taps]
            goals = [self.moved(goal, number, channels * self.step) for number in numbers]
            self._images(places, slope, goals, channels)

    def _chunks(self, channels: int) -> Iterator[list[Tap]]:
        down, across = self.filters.kernel
        taps = [(i, j) for i in range(down) for j in range(across)]
        size = max(1, (self.registers - 4) // channels)
        parts = -(-len(taps) // size)
        size = -(-len(taps) // parts)
        return (taps[i : i + size] for i in range(0, len(taps), size))

    def _images(self, data: Sequence[str], slope: str, goals: Sequence[str], channels: int) -> None:
        """Write the loop over images; sums of each are added to the result."""
        f = self.f
        sums = [f.slot(self.vector) for _ in range(len(goals) * channels)]
        with f.loop("0", self.batch) as image:
            for slot in sums:
                self.store("zeroinitializer", slot)
            here = [self.moved(d, image, self.data_strides[0]) for d in data]
            there = self.moved(slope, image, self.slope_strides[0])
            by_row = self.times(self.data_strides[2], self.filters.stride[0])
            with f.loop("0", self.rows) as row:
                rows = [self.moved(d, row, by_row) for d in here]
                slopes = self.moved(there, row, self.slope_strides[2])
                with f.loop("0", self.columns) as column:
                    step = self.filters.stride[1] * self.cell
                    places = [self.moved(d, column, step) for d in rows]
                    self._place(places, self.moved(slopes, column, self.step), sums, channels)
            for number, slot in enumerate(sums):
                tap, channel = divmod(number, channels)
                address = self.moved(goals[tap], channel, self.step)
                total = self._value(self.load(address)) + self._value(self.load(slot))
                self.store(total.ref, address)

    def _place(self, data: Sequence[str], slope: str, sums: Sequence[str], channels: int) -> None:
        """Write the products of one place."""
        factor = self._value(self.load(slope))
        for tap, address in enumerate(data):
            for channel in range(channels):
                slot = sums[tap * channels + channel]
                x = self._factor(self.moved(address, channel, 4))
                total = self.m.mad(x, factor, self._value(self.load(slot)))
                self.store(total.ref, slot)

    def _factor(self, address: str) -> Value:
        if self.filters.depthwise:
            return self._value(self.load(address))
        x = self.f.op(f"load float, ptr {address}, align 4")
        return self.m.spread(self.m.value(x, FLOAT32, 1), self.lanes)

    def _value(self, ref: str) -> Value:
        return self.m.value(ref, FLOAT32, self.lanes)


def emit_spread(module: Module, name: str, blocks: int, steps: Sequence[int]) -> None:
    """Write the function that puts zeros between the places of images in blocks, and around them.

    Numbers are those of a `Reordering`, whose border counts from the first place, and to the last.

    Parameters
    ----------
    blocks : how many blocks an image has
    steps : the distance between places, along rows and columns
    """
    w = Writer(module, name)
    source, goal = w.operand(0), w.operand(1)
    rows, columns = w.number(1), w.number(2)
    here_strides, there_strides = ([w.number(k + i) for i in range(3)] for k in (3, 6))
    top, left = w.number(9), w.number(10)
    with w.f.loop("%begin", "%end") as unit:
        image, block = w.divided(unit, blocks)
        start = w.moved(w.moved(source, image, here_strides[0]), block, here_strides[1])
        end = w.moved(w.moved(goal, image, there_strides[0]), block, there_strides[1])
        w.clear(end, there_strides[1])
        first = w.moved(w.moved(end, top, there_strides[2]), left, w.step)
        with w.f.loop("0", rows) as row:
            here = w.moved(start, row, here_strides[2])
            there = w.moved(first, w.times(row, steps[0]), there_strides[2])
            with w.f.loop("0", columns) as column:
                vector = w.load(w.moved(here, column, w.step))
                w.store(vector, w.moved(there, column, steps[1] * w.step))
    w.f.finish()
