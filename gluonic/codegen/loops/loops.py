"""From the description of a kernel to its loops.

One function walks the units of work it is given; inside, the stages run over whole registers and
once more, under a mask (or element by element where the processor has no masks), over what is
left. All sizes are read from the table on entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from gluonic.codegen.loops.kernel import Carry, Kernel, Operand, Reduce, Stage, Store
from gluonic.codegen.loops.kernel_emitter import KernelEmitter
from gluonic.codegen.loops.reductions import Accumulator
from gluonic.codegen.loops.row_values import RowValues
from gluonic.codegen.loops.units import Units
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule, Opening
from gluonic.codegen.maths.elements import Lanes, counting, load, selects, store, stream
from gluonic.codegen.maths.values import INT64, Dtype, Value
from gluonic.support.record import record

# Registers that one step fills: as many independent chains keep the arithmetic units busy.
_REGISTERS_A_STEP = 4
_LINE_BYTES = 64  # of a cache, and of the widest register
# The most bytes of scratch, and the most elements of a block and the least, which whole steps divide.
# Arrays a page apart would wait for each other's stores, as those of 1024 floats are.
_SCRATCH_BYTES, _LARGEST_BLOCK, _SMALLEST_BLOCK = 1 << 14, 768, 256
# The most rows that go through a sweep one after the other, and the most bytes they may have: they are
# to be found in the nearest cache by the next sweep.
_MOST_ROWS, _ROWS_BYTES = 64, 1 << 14


def emit(kernel: Kernel, name: str, module: LLVMModule) -> None:
    """Write a kernel as the function `name` of a module."""
    arguments = ["ptr %operands", "ptr %table", "i64 %begin", "i64 %end"]
    function = LLVMFunction(module, name, arguments)
    _Lowering(kernel, function).write()
    function.finish()


def _block_length(kernel: Kernel) -> int:
    """Return how many elements a block has, so that all scratch stays in the nearest cache."""
    size = sum(dtype.itemsize for dtype in kernel.scratch) or 1
    length = _SCRATCH_BYTES // size // _SMALLEST_BLOCK * _SMALLEST_BLOCK
    return min(max(length, _SMALLEST_BLOCK), _LARGEST_BLOCK)


@record
class _Position:
    """Where the loops are: an index for each axis they have set, and the lanes in registers."""

    indices: dict[int, str]
    lanes: Lanes
    hoisted: Opening | None = None


class _Elements:
    """``x[k]`` of a body: an operand's element at the position, read when first asked for."""

    def __init__(self, lowering: _Lowering, position: _Position) -> None:
        self._lowering, self._position = lowering, position
        self._found: dict[int, Value] = {}

    def __getitem__(self, number: int) -> Value:
        if number not in self._found:
            self._found[number] = self._lowering.read(number, self._position)
        return self._found[number]

    def __len__(self) -> int:
        return len(self._lowering.kernel.operands)

    def index(self, axis: int) -> Value:
        """Where along an axis the elements are, as int64."""
        first, lanes = self.first(axis)
        return first if lanes == 1 else first + counting(self._lowering.m, lanes, INT64)

    def first(self, axis: int) -> tuple[Value, int]:
        """Where along an axis the first of the elements is, and how many follow one another there."""
        lowering, position = self._lowering, self._position
        lanes = position.lanes.count if axis == lowering.vector else 1
        return lowering.m.value(position.indices[axis], INT64, 1), lanes


class _Lowering:
    """Writes one kernel."""

    def __init__(self, kernel: Kernel, function: LLVMFunction) -> None:
        self.kernel, self.function = kernel, function
        rank = kernel.rank
        self.vector = rank - 1
        self.extents = [self._entry(axis) for axis in range(rank)]
        self.grain = self._entry(rank)
        self.m = KernelEmitter(function, self.extents)
        self.bases = [
            function.load("ptr", self._at("%operands", k)) for k in range(len(kernel.operands))
        ]
        self.strides = [
            {axis: self._entry(rank + 1 + k * rank + axis) for axis in self._strided(operand)}
            for k, operand in enumerate(kernel.operands)
        ]
        self.written = {
            result.operand
            for stage in kernel.stages
            for result in stage.results
            if isinstance(result, Store)
        }
        self.wide, self.narrow = self._widths()
        self.block_length = _block_length(kernel)
        self.scratch = [
            function.slot(f"[{(self.block_length + self.wide) * dtype.itemsize} x i8]")
            for dtype in kernel.scratch
        ]
        self.block = "0"
        self.units = Units(
            function, [(axis, self.extents[axis]) for axis in kernel.kept] + self._chunks()
        )

    def _widths(self) -> tuple[int, int]:
        """Return how many lanes whole steps take, and those over the rest."""
        target, operands = self.function.module.target, self.kernel.operands
        moving = [o.dtype.itemsize for o in operands if o.ways[self.vector] in ("unit", "stride")]
        narrow = target.vector_bytes // max((4, *moving))
        masks = all(target.masks_memory(size) for size in moving)
        return narrow * _REGISTERS_A_STEP, narrow if masks else 1

    # -- run-time numbers and addresses -------------------------------------------------------

    def _at(self, base: str, number: int) -> str:
        return self.function.offset(base, number, "i64")

    def _entry(self, number: int) -> str:
        """Read a number of the table."""
        return self.function.load("i64", self._at("%table", number))

    @staticmethod
    def _strided(operand: Operand) -> list[int]:
        return [axis for axis, way in enumerate(operand.ways) if way in ("stride", "chunk")]

    def _address(self, number: int, position: _Position) -> str:
        """Return the address of an operand's first element at a position."""
        address, function = self.bases[number], self.function
        operand = self.kernel.operands[number]
        for axis, stride in self.strides[number].items():
            index = position.indices.get(-1 if operand.ways[axis] == "chunk" else axis)
            if index is not None and index != "0":
                offset = function.mul(index, stride)
                address = function.offset(address, offset)
        if operand.ways[self.vector] == "unit" and self.vector in position.indices:
            index, size = position.indices[self.vector], operand.dtype.itemsize
            address = function.offset(address, index, f"[{size} x i8]")
        return address

    def _lanes(self, number: int, position: _Position) -> Lanes:
        """Return the lanes in which an operand has elements of its own."""
        moves = self.kernel.operands[number].ways[self.vector] in ("unit", "stride")
        return position.lanes if moves and self.vector in position.indices else Lanes(1)

    def _stride(self, number: int) -> str | None:
        """Return the stride along the vector axis if it is not the elements' size."""
        ways = self.kernel.operands[number].ways
        return self.strides[number][self.vector] if ways[self.vector] == "stride" else None

    def read(self, number: int, position: _Position) -> Value:
        """Read an operand's elements at a position, outside the loop if it stands still there."""
        if number >= len(self.kernel.operands):
            address, dtype = self._scratch(number, position)
            return load(self.m, address, dtype, Lanes(position.lanes.count))
        operand = self.kernel.operands[number]
        inside = () if self.kernel.row else self.kernel.swept
        still = not any(operand.varies(axis) for axis in (*inside, self.vector))
        if position.hoisted is not None and still and number not in self.written:
            with self.function.at(position.hoisted):
                return self._read(number, position)
        return self._read(number, position)

    def _read(self, number: int, position: _Position) -> Value:
        lanes = self._lanes(number, position)
        dtype = self.kernel.operands[number].dtype
        return load(self.m, self._address(number, position), dtype, lanes, self._stride(number))

    def _scratch(self, number: int, position: _Position) -> tuple[str, Dtype]:
        """Return where in a block's scratch a position is, and the dtype of what is there."""
        number -= len(self.kernel.operands)
        dtype, function = self.kernel.scratch[number], self.function
        index = function.sub(position.indices[self.vector], self.block)
        kind = f"[{dtype.itemsize} x i8]"
        return function.offset(self.scratch[number], index, kind), dtype

    def _write(self, number: int, value: Value, position: _Position) -> None:
        if number >= len(self.kernel.operands):
            address, dtype = self._scratch(number, position)
            return store(self.m, value, address, dtype, Lanes(position.lanes.count))
        lanes = self._lanes(number, position)
        dtype = self.kernel.operands[number].dtype
        address = self._address(number, position)
        if number == self.kernel.streamed and lanes.count == self.wide:
            return stream(self.m, value, address, dtype, lanes.count)
        return store(self.m, value, address, dtype, lanes, self._stride(number))

    # -- loops --------------------------------------------------------------------------------

    def write(self) -> None:
        """Write the loop over units of work and all that is inside."""
        if self.kernel.row:
            self._rows()
        else:
            with self.units.loop("%begin", "%end") as (_, indices):
                start, stop = self._ends(indices)
                if self.kernel.scratch:
                    self._blocks(indices, start, stop)
                else:
                    self._columns(indices, start, stop)
        if self.kernel.streamed is not None:
            self.function.do("fence seq_cst")  # other threads must not see what was there before

    @property
    def _is_chunked(self) -> bool:
        """Whether a unit of work is a part of the vector axis."""
        return self.kernel.chunked or not self.kernel.row

    def _ends(self, indices: dict[int, str]) -> tuple[str, str]:
        """Return where along the vector axis a unit of work begins and ends."""
        extent = self.extents[self.vector]
        if not self._is_chunked:
            return "0", extent
        function = self.function
        start = function.mul(indices[-1], self.grain)
        return start, function.least(function.add(start, self.grain), extent)

    def _chunks(self) -> list[tuple[int, str]]:
        """Return axis -1, the chunks that the vector axis is cut to, if it is cut."""
        if not self._is_chunked:
            return []
        up = self.function.add(self.extents[self.vector], self.grain)
        up = self.function.sub(up, 1)
        return [(-1, self.function.udiv(up, self.grain))]

    @contextmanager
    def _sweep_loops(self, indices: dict[int, str]) -> Iterator[dict[int, str]]:
        """Loop over the reduced axes other than the vector axis."""
        with ExitStack() as loops:
            inner = dict(indices)
            for axis in self.kernel.swept:
                inner[axis] = loops.enter_context(self.function.loop("0", self.extents[axis]))
            yield inner

    def _spans(self, indices: dict[int, str], start: str, stop: str) -> Iterator[_Position]:
        """Write the loops along the vector axis: whole registers first, then the rest."""
        function, axis = self.function, self.vector
        if self.kernel.short:
            yield from self._narrow_span(indices, start, stop)
            return
        if self.kernel.streamed is not None:
            aligned = self._aligned(self.kernel.streamed, indices, start, stop)
            yield from self._narrow_span(indices, start, aligned)
            start = aligned
        length = function.sub(stop, start)
        rest = function.bits(length, self.wide - 1)
        middle = function.sub(stop, rest)
        hoisted = function.opening()
        with function.loop(start, middle, self.wide) as index:
            yield _Position({**indices, axis: index}, Lanes(self.wide), hoisted)
        yield from self._narrow_span(indices, middle, stop)

    def _narrow_span(self, indices: dict[int, str], start: str, stop: str) -> Iterator[_Position]:
        """Write the loop over a few elements: one register under a mask, or one by one."""
        function = self.function
        hoisted = function.opening()
        with function.loop(start, stop, self.narrow) as index:
            mask = selects(self.m, index, stop, self.narrow) if self.narrow > 1 else None
            yield _Position({**indices, self.vector: index}, Lanes(self.narrow, mask), hoisted)

    def _aligned(self, number: int, indices: dict[int, str], start: str, stop: str) -> str:
        """Return the first index from which an operand's registers are aligned, at most `stop`."""
        function = self.function
        first = self._address(number, _Position({**indices, self.vector: start}, Lanes(1)))
        beyond = function.sub(0, function.op(f"ptrtoint ptr {first} to i64"))
        beyond = function.bits(beyond, _LINE_BYTES - 1)
        size = self.kernel.operands[number].dtype.itemsize
        index = function.add(start, function.udiv(beyond, size))
        left = function.urem(beyond, size)
        never = function.compare("ne", left, 0)  # of memory that is not even aligned for one
        index = function.select(never, stop, index)
        return function.least(index, stop)

    def _blocks(self, indices: dict[int, str], start: str, stop: str) -> None:
        """Run the stages one after the other over a block at a time."""
        function = self.function
        with function.loop(self._first_block(indices, start, stop), stop, self.block_length) as at:
            self.block = first = function.most(at, start)
            end = function.least(function.add(at, self.block_length), stop)
            for stage in self.kernel.stages:
                for position in self._spans(indices, first, end):
                    if stage is self.kernel.stages[0] and position.lanes.count == self.wide:
                        self._fetch_next_block(position)
                    self._step(stage, position, [], [])

    def _fetch_next_block(self, position: _Position) -> None:
        """Ask for what is read a block later: the first stage alone would wait for all of it."""
        for number, operand in enumerate(self.kernel.operands):
            if number in self.written or operand.ways[self.vector] != "unit":
                continue
            address, size = self._address(number, position), operand.dtype.itemsize
            for line in range(0, position.lanes.count * size, _LINE_BYTES):
                ahead = self.block_length * size + line
                self.function.fetch(self.function.offset(address, ahead))

    def _first_block(self, indices: dict[int, str], start: str, stop: str) -> str:
        """Return where the first block would begin, so that the others are aligned for streaming.

        A line of which one part goes through the caches and another past them is slow to write.
        """
        if self.kernel.streamed is None:
            return start
        function, length = self.function, self.block_length
        aligned = self._aligned(self.kernel.streamed, indices, start, stop)
        before = function.sub(aligned, start)
        before = function.urem(before, length)
        missing = function.sub(length, before)
        missing = function.urem(missing, length)
        return function.sub(start, missing)

    def _columns(self, indices: dict[int, str], start: str, stop: str) -> None:
        """Run the stages where the vector axis is kept: registers hold neighbouring results."""
        for position in self._spans(indices, start, stop):
            reduced: list[Value] = []
            for stage in self.kernel.stages:
                if stage.point:
                    self._step(stage, position, reduced, [])
                    continue
                accumulators = self._accumulators(stage)
                with self._sweep_loops(position.indices) as inner:
                    place = _Position(inner, position.lanes, position.hoisted)
                    self._step(stage, place, reduced, accumulators)
                count = position.lanes.count
                reduced += [accumulator.lanewise(count) for accumulator in accumulators]

    def _rows_at_once(self) -> str:
        """Return how many rows go through a sweep before the first goes through the next one."""
        function = self.function
        axes = [*self.kernel.swept, self.vector]
        moving = [o for o in self.kernel.operands if any(o.varies(axis) for axis in axes)]
        length = str(sum(operand.dtype.itemsize for operand in moving))
        for axis in axes:
            length = function.mul(length, self.extents[axis])
        count = function.udiv(_ROWS_BYTES, function.most(length, 1))
        return function.least(function.most(count, 1), _MOST_ROWS)

    def _rows(self) -> None:
        """Run the stages where the vector axis is reduced: registers hold parts of a row.

        What a row is reduced to is known long after its last element is read. So some rows go through
        a sweep before the first of them goes through the next one.
        """
        function, left = self.function, RowValues(self.m, _MOST_ROWS)
        count = self._rows_at_once()
        with function.loop("%begin", "%end", count) as first:
            end = function.least(function.add(first, count), "%end")
            for stages in self._passes():
                with self.units.loop(first, end) as (unit, indices):
                    row = function.sub(unit, first)
                    reduced = left.of(row)
                    known = len(reduced)
                    for stage in stages:
                        self._row_stage(stage, indices, reduced)
                    left.keep(row, reduced[known:])

    def _passes(self) -> Iterator[list[Stage]]:
        """Each sweep, with what is done at points behind it."""
        stages: list[Stage] = []
        for stage in self.kernel.stages:
            if stages and not stage.point:
                yield stages
                stages = []
            stages.append(stage)
        yield stages

    def _row_stage(self, stage: Stage, indices: dict[int, str], reduced: list[Value]) -> None:
        """Run one stage over a row."""
        if stage.point:
            self._step(stage, _Position(indices, Lanes(1)), reduced, [])
            return
        accumulators = self._accumulators(stage)
        start, stop = self._ends(indices)
        with self._sweep_loops(indices) as inner:
            for position in self._spans(inner, start, stop):
                self._step(stage, position, reduced, accumulators)
        reduced += [accumulator.scalar() for accumulator in accumulators]

    def _accumulators(self, stage: Stage) -> list[Accumulator]:
        start = self.function.opening()
        reduces = [result for result in stage.results if isinstance(result, Reduce)]
        return [Accumulator(self.m, reduce, start, self.kernel.row) for reduce in reduces]

    def _step(
        self,
        stage: Stage,
        position: _Position,
        reduced: list[Value],
        accumulators: Sequence[Accumulator],
    ) -> None:
        """Evaluate a stage's body at a position and put its results where they belong."""
        values = stage.body(self.m, _Elements(self, position), tuple(reduced))
        waiting = iter(accumulators)
        for result, operand in zip(stage.results, values, strict=True):
            value = self.m.asarray(operand)
            if isinstance(result, Store):
                self._write(result.operand, value, position)
            elif isinstance(result, Carry):
                reduced.append(value)
            else:
                whole = self.m.spread(value, position.lanes.count)
                next(waiting).add(whole, position.lanes.mask)
