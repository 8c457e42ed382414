"""The loops of a direct convolution in blocks of channels.

``void convolution(ptr operands, ptr numbers, i64 begin, i64 end)``. Operands are the images, the packed
weights and the output, then what the epilogue reads: one number for each output channel (padded to whole
blocks), or one for each output. Numbers are what `Geometry` lists. A unit of work is a row of tiles.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gluonic.codegen.assembler import Function, Module
from gluonic.codegen.convolution import Filters, Tile, blocks_of, lanes_of
from gluonic.codegen.emitter import Emitter
from gluonic.codegen.values import FLOAT32, Value

Expression = Callable[..., Any]

_AHEAD, _MUCH = 8192, 1 << 21
"""How many bytes before they are needed weights are asked for, from how many bytes of them on.

The processor itself asks only up to the end of a page; the second cache keeps what is less.
"""

_AT_ONCE = (4, 2, 1)
"""How many channels the innermost loop may take: few, for its code must fit where decoded code is kept."""


@dataclass(frozen=True)
class Epilogue:
    """What becomes of a sum before it is stored.

    Attributes
    ----------
    expression : ``(m, sum, *of_channels, *of_places) -> result``
    channels : how many operands have one number for each output channel
    places : how many operands lie as the output does, each with strides of its own
    """

    expression: Expression
    channels: int = 0
    places: int = 0


NOTHING = Epilogue(lambda m, x: x)


@dataclass(frozen=True)
class Strides:
    """How an image lies in memory, in bytes: from a batch member, a block (or plane), a row to the next."""

    image: int
    block: int
    row: int

    @classmethod
    def of(cls, blocks: int, rows: int, columns: int, lanes: int) -> "Strides":
        """The strides of a contiguous array of float32."""
        row = columns * lanes * 4
        return cls(blocks * rows * row, rows * row, row)


@dataclass(frozen=True)
class Geometry:
    """The run-time numbers of a convolution.

    Attributes
    ----------
    batch, rows, columns : of the output
    data, output : how images lie
    others : how what the epilogue reads for each output lies
    """

    batch: int
    rows: int
    columns: int
    data: Strides
    output: Strides
    others: tuple[Strides, ...] = ()

    def numbers(self) -> list[int]:
        """All of them, in the order in which machine code reads them."""
        found = [self.batch, self.rows, self.columns]
        for strides in (self.data, self.output, *self.others):
            found += [strides.image, strides.block, strides.row]
        return found

    def units(self, filters: Filters, tile: Tile, lanes: int) -> int:
        """How many rows of tiles there are."""
        deep = -(-blocks_of(filters.filters, lanes) // tile.blocks)
        return filters.groups * deep * self.batch * -(-self.rows // tile.rows)


def emit_convolution(
    module: Module,
    name: str,
    filters: Filters,
    tile: Tile,
    last_columns: int,
    last_rows: int,
    epilogue: Epilogue = NOTHING,
) -> None:
    """Write the function.

    Parameters
    ----------
    filters : what is computed
    tile : what registers hold
    last_columns, last_rows : what is left of the output's extents when tiles have been cut off it; fixed
    epilogue : applied to each sum
    """
    arguments = ["ptr %operands", "ptr %numbers", "i64 %begin", "i64 %end"]
    function = Function(module, name, arguments)
    _Writer(function, filters, tile, (last_rows, last_columns), epilogue).write()
    function.finish()


@dataclass(frozen=True)
class _Unit:
    """Where a row of tiles is: addresses of its first window, weights and outputs."""

    data: list[str]
    weights: str
    channels: list[str]
    places: list[list[str]]


class _Writer:
    """Writes one convolution."""

    def __init__(
        self,
        function: Function,
        filters: Filters,
        tile: Tile,
        last: tuple[int, int],
        epilogue: Epilogue,
    ) -> None:
        self.f, self.filters, self.tile, self.epilogue = function, filters, tile, epilogue
        self.m = Emitter(function)
        self.lanes = lanes_of(function.module.target)
        self.vector = f"<{self.lanes} x float>"
        self.last_rows, self.last_columns = last
        self.blocks = blocks_of(filters.filters, self.lanes)
        count = 3 + epilogue.channels + epilogue.places
        self.operands = [self._load("%operands", "ptr", i) for i in range(count)]
        self.batch, self.rows, self.columns = (self._load("%numbers", "i64", i) for i in range(3))
        self.strides = [
            [self._load("%numbers", "i64", 3 + 3 * k + i) for i in range(3)]
            for k in range(2 + epilogue.places)
        ]

    def _load(self, base: str, kind: str, position: int) -> str:
        place = self.f.op(f"getelementptr {kind}, ptr {base}, i64 {position}")
        return self.f.op(f"load {kind}, ptr {place}")

    def _moved(self, address: str, count: str | int, stride: str | int) -> str:
        """The address `count` strides (bytes) further."""
        if isinstance(count, int) and isinstance(stride, int):
            offset: str | int = count * stride
        else:
            offset = self.f.op(f"mul i64 {count}, {stride}")
        if offset == 0:
            return address
        return self.f.op(f"getelementptr i8, ptr {address}, i64 {offset}")

    # -- units of work ------------------------------------------------------------------------

    def write(self) -> None:
        """Write the loop over rows of tiles."""
        f, tile = self.f, self.tile
        down = f.op(f"add i64 {self.rows}, {tile.rows - 1}")
        down = f.op(f"udiv i64 {down}, {tile.rows}")
        deep = -(-self.blocks // tile.blocks)
        with f.loop("%begin", "%end") as unit:
            rest, row = self._divided(unit, down)
            rest, image = self._divided(rest, self.batch)
            group, depth = self._divided(rest, str(deep))
            row = f.op(f"mul i64 {row}, {tile.rows}")
            first = self._sum(
                f.op(f"mul i64 {group}, {self.blocks}"), f.op(f"mul i64 {depth}, {tile.blocks}")
            )
            place = (group, first, image, row)
            self._choose(
                f.op(f"icmp eq i64 {depth}, {deep - 1}"),
                tile.blocks,
                self.blocks % tile.blocks,
                lambda blocks: self._choose_rows(place, blocks),
                only_last=self.blocks < tile.blocks,
            )

    def _choose_rows(self, place: tuple[str, str, str, str], blocks: int) -> None:
        left = self.f.op(f"sub i64 {self.rows}, {place[3]}")
        self._choose(
            self.f.op(f"icmp slt i64 {left}, {self.tile.rows}"),
            self.tile.rows,
            self.last_rows,
            lambda rows: self._row_of_tiles(place, rows, blocks),
        )

    def _choose(
        self,
        is_last: str,
        usual: int,
        last: int,
        write: Callable[[int], None],
        only_last: bool = False,
    ) -> None:
        """Write the body for the usual size and for the last one, if that differs."""
        if not last or only_last:
            write(last if only_last else usual)
            return
        with self.f.when(is_last):
            write(last)
        with self.f.when(self.f.op(f"xor i1 {is_last}, true")):
            write(usual)

    def _divided(self, number: str, by: str) -> tuple[str, str]:
        quotient = self.f.op(f"udiv i64 {number}, {by}")
        product = self.f.op(f"mul i64 {quotient}, {by}")
        return quotient, self.f.op(f"sub i64 {number}, {product}")

    def _sum(self, a: str, b: str) -> str:
        return self.f.op(f"add i64 {a}, {b}")

    def _row_of_tiles(self, place: tuple[str, str, str, str], rows: int, blocks: int) -> None:
        """Write the loop over the columns of one row of tiles."""
        f, width = self.f, self.tile.columns
        unit = self._unit(place, rows, blocks)
        whole = f.op(f"sub i64 {self.columns}, {self.last_columns}")
        with f.loop("0", whole, width) as column:
            self._tile(unit, column, rows, width, blocks)
        if self.last_columns:
            self._tile(unit, whole, rows, self.last_columns, blocks)

    def _unit(self, place: tuple[str, str, str, str], rows: int, blocks: int) -> _Unit:
        group, first, image, row = place
        filters, lanes = self.filters, self.lanes
        strides = self.strides[0]
        data = self._moved(self.operands[0], image, strides[0])
        own = blocks_of(filters.channels, filters.block(lanes))
        block = first if filters.depthwise else self.f.op(f"mul i64 {group}, {own}")
        data = self._moved(data, block, strides[1])
        window = self.f.op(f"mul i64 {strides[2]}, {filters.stride[0]}")
        top = self._moved(data, row, window)
        weights = self._moved(self.operands[1], first, lanes * filters.depth * 4)
        channels = [
            self._moved(self.operands[3 + i], first, lanes * 4)
            for i in range(self.epilogue.channels)
        ]
        start = 3 + self.epilogue.channels
        outputs = [self.operands[2], *self.operands[start:]]
        places = []
        for operand, (by_image, by_block, by_row) in zip(outputs, self.strides[1:], strict=True):
            corner = self._moved(self._moved(operand, image, by_image), row, by_row)
            corner = self._moved(corner, first, by_block)
            places.append(
                [
                    self._moved(self._moved(corner, block, by_block), i, by_row)
                    for i in range(rows)
                    for block in range(blocks)
                ]
            )
        tops = [self._moved(top, i, window) for i in range(rows)]
        return _Unit(tops, weights, channels, places)

    # -- one tile -----------------------------------------------------------------------------

    def _tile(self, unit: _Unit, column: str, rows: int, columns: int, blocks: int) -> None:
        """Write the sums of one tile, and their stores."""
        f, filters = self.f, self.filters
        step = filters.block(self.lanes) * 4
        across = filters.stride[1] * step
        data = [self._moved(top, column, across) for top in unit.data]
        size = rows * columns * blocks
        sums = [f.slot(self.vector) for _ in range(size)]
        for slot in sums:
            f.do(f"store {self.vector} zeroinitializer, ptr {slot}")
        pointer = f.slot("ptr", 8)
        f.do(f"store ptr {unit.weights}, ptr {pointer}")
        shape = rows, columns, blocks
        block = 1 if filters.depthwise else filters.block(self.lanes)
        whole, rest = divmod(filters.channels, block)
        if whole:
            with _repeated(f, whole) as number:
                self._taps(
                    [self._moved(d, number, self.strides[0][1]) for d in data],
                    pointer,
                    sums,
                    shape,
                    block,
                )
        if rest:
            self._taps(
                [self._moved(d, whole, self.strides[0][1]) for d in data],
                pointer,
                sums,
                shape,
                rest,
            )
        self._finish(unit, column, sums, shape)

    def _taps(
        self,
        data: Sequence[str],
        pointer: str,
        sums: Sequence[str],
        shape: tuple[int, int, int],
        channels: int,
    ) -> None:
        """Write the loops over the places of a filter for one block of channels."""
        f, filters = self.f, self.filters
        down, across = filters.kernel
        by_row = f.op(f"mul i64 {self.strides[0][2]}, {filters.dilate[0]}")
        by_column = filters.dilate[1] * filters.block(self.lanes) * 4
        with _repeated(f, down) as i:
            rows = [self._moved(d, i, by_row) for d in data]
            if filters.depthwise:
                here = [[self._moved(d, j, by_column) for d in rows] for j in range(across)]
                self._some(here, pointer, sums, shape, 1)
                return
            with _repeated(f, across) as j:
                places = [self._moved(d, j, by_column) for d in rows]
                at_once = next(n for n in _AT_ONCE if channels % n == 0)
                with _repeated(f, channels // at_once) as k:
                    here = [[self._moved(d, k, at_once * 4) for d in places]]
                    self._some(here, pointer, sums, shape, at_once)

    def _some(
        self,
        taps: Sequence[Sequence[str]],
        pointer: str,
        sums: Sequence[str],
        shape: tuple[int, int, int],
        channels: int,
    ) -> None:
        """Write the products of some places of a filter, and move on to the next weights."""
        weights = self.f.op(f"load ptr, ptr {pointer}")
        for number, here in enumerate(taps):
            self._products(here, weights, sums, shape, channels, number * channels)
        size = len(taps) * channels * shape[2] * self.lanes * 4
        if self.filters.packed_size(self.lanes) * 4 >= _MUCH:
            for ahead in range(_AHEAD, _AHEAD + size, 64):
                self._fetch(self._moved(weights, 1, ahead))
        used = self._moved(weights, 1, size)
        self.f.do(f"store ptr {used}, ptr {pointer}")

    def _fetch(self, address: str) -> None:
        """Ask for a cache line that will be read soon."""
        self.f.module.declare("llvm.prefetch.p0", "void", ["ptr", "i32", "i32", "i32"])
        self.f.do(f"call void @llvm.prefetch.p0(ptr {address}, i32 0, i32 3, i32 1)")

    def _products(
        self,
        data: Sequence[str],
        weights: str,
        sums: Sequence[str],
        shape: tuple[int, int, int],
        channels: int,
        first: int,
    ) -> None:
        """Write the multiplications of one place of a filter with a block of channels."""
        f, m = self.f, self.m
        rows, columns, blocks = shape
        across = self.filters.stride[1] * self.filters.block(self.lanes) * 4
        for channel in range(channels):
            factors = []
            for block in range(blocks):
                at = ((first + channel) * blocks + block) * self.lanes * 4
                factors.append(self._vector(self._moved(weights, 1, at)))
            for row in range(rows):
                for column in range(columns):
                    address = self._moved(data[row], 1, column * across + channel * 4)
                    x = self._factor(address)
                    for block in range(blocks):
                        slot = sums[(row * columns + column) * blocks + block]
                        total = m.mad(x, factors[block], self._vector(slot, 64))
                        f.do(f"store {self.vector} {total.ref}, ptr {slot}")

    def _factor(self, address: str) -> Value:
        """What is multiplied by filters: one channel for all of them, or for each its own."""
        if self.filters.depthwise:
            return self._vector(address)
        x = self.f.op(f"load float, ptr {address}, align 4")
        return self.m.spread(self.m.value(x, FLOAT32, 1), self.lanes)

    def _vector(self, address: str, align: int = 4) -> Value:
        ref = self.f.op(f"load {self.vector}, ptr {address}, align {align}")
        return self.m.value(ref, FLOAT32, self.lanes)

    def _finish(
        self, unit: _Unit, column: str, sums: Sequence[str], shape: tuple[int, int, int]
    ) -> None:
        """Write the epilogue and the stores."""
        rows, columns, blocks = shape
        step = self.lanes * 4
        for block in range(blocks):
            of_channels = [self._vector(self._moved(c, block, step)) for c in unit.channels]
            for row in range(rows):
                ends = [
                    self._moved(addresses[row * blocks + block], column, step)
                    for addresses in unit.places
                ]
                for place in range(columns):
                    total = self._vector(sums[(row * columns + place) * blocks + block], 64)
                    others = [self._vector(self._moved(e, place, step)) for e in ends[1:]]
                    result = self.epilogue.expression(self.m, total, *of_channels, *others)
                    address = self._moved(ends[0], place, step)
                    self.f.do(f"store {self.vector} {result.ref}, ptr {address}, align 4")


class _repeated:
    """A loop of a known number of turns; no loop if there is but one."""

    def __init__(self, function: Function, times: int) -> None:
        self._loop = function.loop("0", str(times)) if times > 1 else None

    def __enter__(self) -> str | int:
        return self._loop.__enter__() if self._loop is not None else 0

    def __exit__(self, *error: Any) -> None:
        if self._loop is not None:
            self._loop.__exit__(*error)
