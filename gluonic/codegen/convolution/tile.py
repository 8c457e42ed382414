"""One tile of a convolution: its sums in registers, and their epilogue."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from gluonic.codegen.convolution.filters import lanes_of
from gluonic.codegen.convolution.form import ConvolutionForm
from gluonic.codegen.machine.assembler import LLVMFunction
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import FLOAT32, Value, vector_type
from gluonic.codegen.scalar.emission import emit_program
from gluonic.codegen.scalar.program import ScalarProgram
from gluonic.codegen.scalar.recorder import recorded
from gluonic.graph.families import Expression
from gluonic.support.record import record

TileShape = tuple[int, int, int]

_AHEAD = 8192
"""The prefetch distance of weights in bytes: the hardware prefetcher stops at the end of a page."""

_AT_ONCE, _PRODUCTS = (4, 2, 1), 48
"""The numbers of channels that an iteration of the innermost loop may take, and its most products.

Few, for its code must fit the cache of decoded instructions, and early loads take registers from sums.
"""

_OF_ONE_TAP = 8, 96
"""The same for filters of one tap, if sums are few: often a whole block of channels, which saves a loop."""

_SHORT, _REGISTERS = 8, 4
"""An epilogue of more instructions than this is computed for several sums at once; and the number of sums. With
one sum alone, each instruction would wait for the one before."""


@record
class ConvolutionEpilogue:
    """The function that is applied to a sum before it is stored.

    Attributes
    ----------
    program : what it computes of a sum, the operands of its channel, and the elementwise ones
    channels : number of operands with one number per output channel
    elementwise : number of operands with the shape of the output, each with its own strides
    """

    program: ScalarProgram
    channels: int = 0
    elementwise: int = 0

    @classmethod
    def of(
        cls, expression: Expression, channels: int = 0, elementwise: int = 0
    ) -> ConvolutionEpilogue:
        """The epilogue that computes ``expression(m, sum, *of_channels, *elementwise)``."""
        dtypes = [FLOAT32] * (1 + channels + elementwise)
        return cls(recorded(expression, dtypes), channels, elementwise)


NOTHING = ConvolutionEpilogue.of(lambda m, x: x)


@record
class Line:
    """A line of tiles: the addresses of its first windows, weights and outputs.

    Attributes
    ----------
    taps : the range of filter rows that are summed; None for all
    """

    data: list[str]
    weights: str
    channels: list[str]
    outputs: list[list[str]]
    taps: tuple[str, str] | None = None


@record
class Chunk:
    """The blocks of channels that are summed now.

    Attributes
    ----------
    start, stop : the first whole block, and the one after the last
    is_first, is_last : references of flags; None if there is one chunk only
    """

    start: str | int
    stop: str
    is_first: str | None = None
    is_last: str | None = None


class TileWriter:
    """Writes tiles.

    Parameters
    ----------
    function : the function that they are written to
    form : the form of the convolution
    kernel : the rows and columns of windows
    strides : those of the images: from a block (or plane) to the next, from a row to the next
    rest : the channels after the last whole block
    epilogue : applied to each sum
    """

    def __init__(
        self,
        function: LLVMFunction,
        form: ConvolutionForm,
        kernel: Sequence[str | int],
        strides: tuple[str, str],
        rest: str,
        epilogue: ConvolutionEpilogue,
    ) -> None:
        self.f, self.form, self.epilogue = function, form, epilogue
        self.down, self.across = kernel
        self.m = Emitter(function)
        self.together = _REGISTERS if epilogue.program.length > _SHORT else 1
        self.lanes = lanes_of(function.module.target)
        self.vector = f"<{self.lanes} x float>"
        self.by_block, self.by_row = strides
        self.block = form.reading.summed
        self.rest = function.mul(rest, 4) if form.rest else ""

    def moved(self, address: str, count: str | int, stride: str | int) -> str:
        """The address advanced by `count` strides, in bytes."""
        if isinstance(count, int) and isinstance(stride, int):
            offset: str | int = count * stride
        else:
            offset = self.f.mul(count, stride)
        if offset == 0:
            return address
        return self.f.offset(address, offset)

    def write(self, line: Line, chunk: Chunk, column: str, shape: TileShape) -> None:
        """Write the sums of a tile of given rows, columns and blocks, and their stores."""
        f, form = self.f, self.form
        data = [
            self.moved(top, column, form.reading.stride[1] * form.reading.block * 4)
            for top in line.data
        ]
        rows, columns, blocks = shape
        sums = [f.slot(self.vector) for _ in range(rows * columns * blocks)]
        self._begin(line, chunk, column, sums, shape)
        pointer = f.slot("ptr", 8)
        block_size = f.mul(f.mul(self.down, self.across), self.block * blocks * self.lanes * 4)
        first = (
            line.weights if chunk.start == 0 else self.moved(line.weights, chunk.start, block_size)
        )
        f.store("ptr", first, pointer)

        def block(number: str | int, channels: int, end: str | int) -> None:
            addresses = [self.moved(d, number, self.by_block) for d in data]
            self._taps(addresses, pointer, sums, shape, (channels, end), line.taps)

        if form.whole == 1:
            block(0, self.block, self.block * 4)
        elif form.whole:
            with f.loop(str(chunk.start), chunk.stop) as number:
                block(number, self.block, self.block * 4)
        if form.rest:
            self._last(chunk, lambda: block(chunk.stop, form.rest, self.rest))
        self._finish(line, chunk, column, sums, shape)

    def _last(self, chunk: Chunk, write: Callable[[], None]) -> None:
        """Write code that only the last chunk runs."""
        if chunk.is_last is None:
            write()
            return
        with self.f.when(chunk.is_last):
            write()

    def _begin(
        self, line: Line, chunk: Chunk, column: str, sums: Sequence[str], shape: TileShape
    ) -> None:
        """Initialize the sums: zero, or what earlier chunks left in the output."""
        for slot in sums:
            self.f.store(self.vector, "zeroinitializer", slot)
        if chunk.is_first is None:
            return
        with self.f.when(self.f.negated(chunk.is_first)):
            for slot, ends, number in self._positions(line, column, sums, shape):
                address = self.moved(ends[0], number, self.lanes * 4)
                self.f.store(self.vector, self._vector(address).ref, slot)

    def _taps(
        self,
        data: Sequence[str],
        pointer: str,
        sums: Sequence[str],
        shape: TileShape,
        block: tuple[int, str | int],
        taps: tuple[str, str] | None,
    ) -> None:
        """Write the loops over the taps of a filter for one block of channels.

        The block is given by a divisor of its number of channels and by its end in bytes.
        """
        f, down = self.f, self.down
        if taps is None:
            self._rows_of_taps(_repeated(f, down), data, pointer, sums, shape, block)
            return
        size = f.mul(f.mul(block[1], self.across), shape[2] * self.lanes)
        self._pass(pointer, taps[0], size)
        self._rows_of_taps(f.loop(*taps), data, pointer, sums, shape, block)
        self._pass(pointer, f.sub(down, taps[1]), size)

    def _pass(self, pointer: str, rows: str, size: str) -> None:
        """Skip the weights of rows that are not summed."""
        weights = self.moved(self.f.load("ptr", pointer), rows, size)
        self.f.store("ptr", weights, pointer)

    def _rows_of_taps(
        self,
        loop: AbstractContextManager[str | int],
        data: Sequence[str],
        pointer: str,
        sums: Sequence[str],
        shape: TileShape,
        block: tuple[int, str | int],
    ) -> None:
        """Write the body of the loop over the rows of a filter."""
        f, form = self.f, self.form
        channels, end = block
        by_row = f.mul(self.by_row, form.reading.dilate[0])
        by_column = form.reading.dilate[1] * form.reading.block * 4
        with loop as i:
            rows = [self.moved(d, i, by_row) for d in data]
            if form.reading.depthwise:
                columns = range(form.reading.kernel[1])
                here = [[self.moved(d, j, by_column) for d in rows] for j in columns]
                self._some(here, pointer, sums, shape, 1)
                return
            with _repeated(f, self.across) as j:
                addresses = [self.moved(d, j, by_column) for d in rows]
                at_once = self._at_once(channels, len(sums))
                with _repeated(f, end, at_once * 4) as offset:
                    here = [[self.moved(d, 1, offset) for d in addresses]]
                    self._some(here, pointer, sums, shape, at_once)

    def _at_once(self, channels: int, sums: int) -> int:
        """The number of channels in an iteration of the innermost loop."""
        choices = [(n, _PRODUCTS) for n in _AT_ONCE]
        if self.form.reading.taps == 1:
            choices.insert(0, _OF_ONE_TAP)
        fitting = (n for n, most in choices if channels % n == 0 and n * sums <= most)
        return next(fitting, 1)

    def _some(
        self,
        taps: Sequence[Sequence[str]],
        pointer: str,
        sums: Sequence[str],
        shape: TileShape,
        channels: int,
    ) -> None:
        """Write the products of some taps, and advance to the next weights."""
        weights = self.f.load("ptr", pointer)
        totals = [self._vector(slot, 64) for slot in sums]
        for number, here in enumerate(taps):
            self._products(here, weights, totals, shape, channels, number * channels)
        for slot, total in zip(sums, totals, strict=True):
            self.f.store(self.vector, total.ref, slot)
        size = len(taps) * channels * shape[2] * self.lanes * 4
        if self.form.fetches:
            for ahead in range(_AHEAD, _AHEAD + size, 64):
                self.f.fetch(self.moved(weights, 1, ahead))
        used = self.moved(weights, 1, size)
        self.f.store("ptr", used, pointer)

    def _products(
        self,
        data: Sequence[str],
        weights: str,
        totals: list[Value],
        shape: TileShape,
        channels: int,
        first: int,
    ) -> None:
        """Write the multiplications of one tap with a block of channels, and their additions."""
        rows, columns, blocks = shape
        across = self.form.reading.stride[1] * self.form.reading.block * 4
        for channel in range(channels):
            factors = []
            for block in range(blocks):
                at = ((first + channel) * blocks + block) * self.lanes * 4
                factors.append(self._vector(self.moved(weights, 1, at)))
            for row in range(rows):
                for column in range(columns):
                    address = self.moved(data[row], 1, column * across + channel * 4)
                    x = self._factor(address)
                    for block, factor in enumerate(factors):
                        number = (row * columns + column) * blocks + block
                        totals[number] = self.m.mad(x, factor, totals[number])

    def _factor(self, address: str) -> Value:
        """The factor of filters: one channel for all of them, or one for each."""
        if self.form.reading.depthwise:
            return self._vector(address)
        x = self.f.load("float", address, 4)
        return self.m.spread(self.m.value(x, FLOAT32, 1), self.lanes)

    def _vector(self, address: str, align: int = 4, count: int = 1) -> Value:
        lanes = self.lanes * count
        ref = self.f.load(vector_type(FLOAT32, lanes), address, align)
        return self.m.value(ref, FLOAT32, lanes)

    def _positions(
        self, line: Line, column: str, sums: Sequence[str], shape: TileShape
    ) -> Iterator[tuple[str, list[str], int]]:
        """For each sum, its slot, the addresses of its row in arrays of the output's shape, its position."""
        rows, columns, blocks = shape
        step = self.lanes * 4
        for row in range(rows):
            for block in range(blocks):
                ends = [
                    self.moved(addresses[row * blocks + block], column, step)
                    for addresses in line.outputs
                ]
                for position in range(columns):
                    yield sums[(row * columns + position) * blocks + block], ends, position

    def _finish(
        self, line: Line, chunk: Chunk, column: str, sums: Sequence[str], shape: TileShape
    ) -> None:
        """Write the stores: after the epilogue, or of partial sums for later chunks."""
        if chunk.is_last is not None:
            with self.f.when(self.f.negated(chunk.is_last)):
                self._store(line, column, sums, shape, NOTHING)
        self._last(chunk, lambda: self._store(line, column, sums, shape, self.epilogue))

    def _store(
        self,
        line: Line,
        column: str,
        sums: Sequence[str],
        shape: TileShape,
        epilogue: ConvolutionEpilogue,
    ) -> None:
        _, columns, blocks = shape
        positions = [*self._positions(line, column, sums, shape)]
        channels = line.channels if epilogue.channels else []
        of_channels = [
            [self._vector(self.moved(c, block, self.lanes * 4)) for c in channels]
            for block in range(blocks)
        ]
        for number in range(0, len(positions), columns):
            block = number // columns % blocks
            for some in _parts(positions[number : number + columns], self.together):
                self._store_some(some, of_channels[block], epilogue)

    def _store_some(
        self,
        positions: Sequence[tuple[str, list[str], int]],
        of_channels: Sequence[Value],
        epilogue: ConvolutionEpilogue,
    ) -> None:
        """Write the epilogue and the store of adjacent sums."""
        count = len(positions)
        total = self.m.joined([self._vector(slot, 64) for slot, _, _ in positions])
        _, ends, first = positions[0]
        goal, *others = (
            self.moved(end, first, self.lanes * 4) for end in ends[: 1 + epilogue.elementwise]
        )
        operands = [
            total,
            *(self.m.joined([channel] * count) for channel in of_channels),
            *(self._vector(other, count=count) for other in others),
        ]
        (result,) = emit_program(self.m, epilogue.program, lambda name, at: operands[at[0]])
        self.f.store(total.type, self.m.widened(result, total.lanes), goal, 4)


def _parts(positions: Sequence[Any], most: int) -> Iterator[Sequence[Any]]:
    """Divide positions into as few parts as possible; their lengths are powers of two of at most `most`."""
    start = 0
    while start < len(positions):
        count = min(most, 1 << (len(positions) - start).bit_length() - 1)
        yield positions[start : start + count]
        start += count


class _repeated:
    """A loop in steps known at compile time; no loop where there is only one."""

    def __init__(self, function: LLVMFunction, stop: int | str, step: int = 1) -> None:
        is_one = isinstance(stop, int) and stop <= step
        self._loop = None if is_one else function.loop("0", str(stop), step)

    def __enter__(self) -> str | int:
        return self._loop.__enter__() if self._loop is not None else 0

    def __exit__(self, *error: Any) -> None:
        if self._loop is not None:
            self._loop.__exit__(*error)
