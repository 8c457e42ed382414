"""The memory accesses of a kernel: the table of run-time numbers, addresses, elements, scratch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from gluonic.codegen.loops.kernel import Kernel, Operand, Store
from gluonic.codegen.machine.assembler import LLVMFunction, Opening
from gluonic.codegen.maths.elements import Lanes, counting, load, store, stream
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import INT64, Bounds, Dtype, Value
from gluonic.support.record import record

# The registers that one iteration fills: this many independent chains keep the arithmetic units busy.
_REGISTERS_A_STEP = 4
# The most bytes of scratch, and the most and the fewest elements of a block, multiples of an iteration's.
# Blocks of 1024 floats would be a page apart: their loads would wait for each other's stores (4K aliasing).
_SCRATCH_BYTES, _LARGEST_BLOCK, _SMALLEST_BLOCK = 1 << 14, 768, 256


def _block_length(kernel: Kernel) -> int:
    """Return the number of elements in a block, so that all scratch stays in the level 1 cache."""
    size = sum(dtype.itemsize for dtype in kernel.scratch) or 1
    length = _SCRATCH_BYTES // size // _SMALLEST_BLOCK * _SMALLEST_BLOCK
    return min(max(length, _SMALLEST_BLOCK), _LARGEST_BLOCK)


@record
class Position:
    """The current point of the loops: an index for each axis that has a loop, and the lanes in registers."""

    indices: dict[int, str]
    lanes: Lanes
    hoisted: Opening | None = None


class Elements(Protocol):
    """Where a program's leaves come from.

    Attributes
    ----------
    m : the emitter of the instructions
    vector : the vector axis
    """

    m: Emitter
    vector: int

    def extent(self, axes: Sequence[int]) -> Value:
        """The number of elements along axes."""

    def read(self, number: int, position: Any) -> Value:
        """An operand's element at a position."""


class Leaves:
    """What a stage's program reads at a position; an operand's element is loaded on first use.

    Parameters
    ----------
    left : the values that earlier stages left
    """

    def __init__(self, memory: Elements, position: Position, left: Sequence[Value]) -> None:
        self._memory, self._position, self._left = memory, position, left
        self._loaded: dict[int, Value] = {}

    def __call__(self, name: str, numbers: Sequence[int]) -> Value:
        """Return what is read."""
        if name == "extent":
            return self._memory.extent(numbers)
        (number,) = numbers
        if name == "value":
            return self._left[number]
        return self._index(number) if name == "index" else self._element(number)

    def _element(self, number: int) -> Value:
        if number not in self._loaded:
            self._loaded[number] = self._memory.read(number, self._position)
        return self._loaded[number]

    def _index(self, axis: int) -> Value:
        """The index of the elements along an axis, as int64."""
        memory, position = self._memory, self._position
        lanes = position.lanes.count if axis == memory.vector else 1
        first = memory.m.value(position.indices[axis], INT64, 1)
        return first if lanes == 1 else first + counting(memory.m, lanes, INT64)


class KernelMemory:
    """Access to the operands and the scratch of a kernel in the function that is being written.

    Attributes
    ----------
    vector : the vector axis
    extents, grain : run-time numbers: the axes' extents, and the elements in a chunk of the vector axis
    written : the operands that are written
    wide, narrow : the number of lanes of a whole iteration, and of one over the remainder
    block_length : number of elements in a block of scratch
    block : the first element of the current block
    bounds : of the values in scratch
    """

    def __init__(self, kernel: Kernel, function: LLVMFunction) -> None:
        self.kernel, self.function = kernel, function
        rank = kernel.rank
        self.vector = rank - 1
        self.extents = [self._entry(axis) for axis in range(rank)]
        self.grain = self._entry(rank)
        self.m = Emitter(function)
        self.bases = [
            function.load("ptr", function.offset("%operands", k, "ptr"))
            for k in range(len(kernel.operands))
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
        self.bounds: dict[int, Bounds] = {}

    def _widths(self) -> tuple[int, int]:
        """Return the number of lanes of a whole iteration, and of one over the remainder."""
        target, operands = self.function.module.target, self.kernel.operands
        moving = [
            o.dtype.itemsize for o in operands if o.patterns[self.vector] in ("unit", "stride")
        ]
        narrow = target.vector_bytes // max((4, *moving))
        masks = all(target.masks_memory(size) for size in moving)
        return narrow * _REGISTERS_A_STEP, narrow if masks else 1

    # -- run-time numbers and addresses -------------------------------------------------------

    def extent(self, axes: Sequence[int]) -> Value:
        """Return the number of elements along axes."""
        result = self.m.constant(1, INT64)
        for axis in axes:
            result = result * self.m.value(self.extents[axis], INT64, 1)
        return result

    def _at(self, base: str, number: int) -> str:
        return self.function.offset(base, number, "i64")

    def _entry(self, number: int) -> str:
        """Read a number of the table."""
        return self.function.load("i64", self._at("%table", number))

    @staticmethod
    def _strided(operand: Operand) -> list[int]:
        return [
            axis for axis, pattern in enumerate(operand.patterns) if pattern in ("stride", "chunk")
        ]

    def address(self, number: int, position: Position) -> str:
        """Return the address of an operand's first element at a position."""
        address, function = self.bases[number], self.function
        operand = self.kernel.operands[number]
        for axis, stride in self.strides[number].items():
            index = position.indices.get(-1 if operand.patterns[axis] == "chunk" else axis)
            if index is not None and index != "0":
                offset = function.mul(index, stride)
                address = function.offset(address, offset)
        if operand.patterns[self.vector] == "unit" and self.vector in position.indices:
            index, size = position.indices[self.vector], operand.dtype.itemsize
            address = function.offset(address, index, f"[{size} x i8]")
        return address

    def _lanes(self, number: int, position: Position) -> Lanes:
        """Return the lanes in which an operand has distinct elements."""
        moves = self.kernel.operands[number].patterns[self.vector] in ("unit", "stride")
        return position.lanes if moves and self.vector in position.indices else Lanes(1)

    def _stride(self, number: int) -> str | None:
        """Return the stride along the vector axis if it is not the element size."""
        patterns = self.kernel.operands[number].patterns
        return self.strides[number][self.vector] if patterns[self.vector] == "stride" else None

    def read(self, number: int, position: Position) -> Value:
        """Load an operand's elements at a position; outside the loop if they do not vary in it."""
        if number >= len(self.kernel.operands):
            address, dtype = self._scratch(number, position)
            value = load(self.m, address, dtype, Lanes(position.lanes.count))
            return value.within(self.bounds[number])
        operand = self.kernel.operands[number]
        inside = () if self.kernel.row else self.kernel.swept
        still = not any(operand.varies(axis) for axis in (*inside, self.vector))
        if position.hoisted is not None and still and number not in self.written:
            with self.function.at(position.hoisted):
                return self._read(number, position)
        return self._read(number, position)

    def _read(self, number: int, position: Position) -> Value:
        lanes = self._lanes(number, position)
        dtype = self.kernel.operands[number].dtype
        return load(self.m, self.address(number, position), dtype, lanes, self._stride(number))

    def _scratch(self, number: int, position: Position) -> tuple[str, Dtype]:
        """Return the address of a position in a block's scratch, and the dtype there."""
        number -= len(self.kernel.operands)
        dtype, function = self.kernel.scratch[number], self.function
        index = function.sub(position.indices[self.vector], self.block)
        kind = f"[{dtype.itemsize} x i8]"
        return function.offset(self.scratch[number], index, kind), dtype

    def write(self, number: int, value: Value, position: Position) -> None:
        """Store an operand's elements at a position, or scratch values."""
        if number >= len(self.kernel.operands):
            address, dtype = self._scratch(number, position)
            self.bounds[number] = value.bounds
            return store(self.m, value, address, dtype, Lanes(position.lanes.count))
        lanes = self._lanes(number, position)
        dtype = self.kernel.operands[number].dtype
        address = self.address(number, position)
        if number == self.kernel.streamed and lanes.count == self.wide:
            return stream(self.m, value, address, dtype, lanes.count)
        return store(self.m, value, address, dtype, lanes, self._stride(number))
