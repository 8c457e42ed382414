"""What a thread of a GPU reads and writes of a kernel's operands.

A thread has *chunks*: `width` consecutive elements along the last axis, which one access reads or writes.
Values that were loaded or written stay in registers as long as the chunk is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gluonic.codegen.cuda.kernel_function import KernelFunction
from gluonic.codegen.loops.kernel import Kernel
from gluonic.codegen.loops.kernel_memory import Position
from gluonic.codegen.maths.elements import Lanes, load, store
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import (
    INT64,
    Value,
    arithmetic,
    scalar_type,
    vector_type,
)
from gluonic.support.record import record


@record
class ThreadPosition(Position):
    """An element of a chunk.

    Attributes
    ----------
    chunk : the number of the chunk; elements of other positions have other numbers
    lane : the index of the element in the chunk
    """

    chunk: int = 0
    lane: int = 0


def strided_axes(kernel: Kernel) -> list[tuple[int, int]]:
    """The operands and axes whose strides are run-time numbers."""
    return [
        (number, axis)
        for number, operand in enumerate(kernel.operands)
        for axis, pattern in enumerate(operand.patterns)
        if pattern == "stride"
    ]


def size_numbers(
    kernel: Kernel, extents: Sequence[int], strides: Sequence[Sequence[int]]
) -> list[int]:
    """The run-time numbers of a kernel: its extents, and the strides, in bytes, of its strided axes."""
    return [*extents, *(strides[number][axis] for number, axis in strided_axes(kernel))]


class ThreadMemory:
    """Access to the operands of a kernel by one thread.

    Parameters
    ----------
    kernel : the kernel
    function : the function that is being written
    numbers : what `size_numbers` returns, as references
    width : the elements of a chunk
    narrow : whether all indices and strides fit 32 bits

    Attributes
    ----------
    m : the emitter
    vector : the last axis
    kind : the type of indices while they are computed
    extents : of the axes, in that type
    """

    def __init__(
        self,
        kernel: Kernel,
        function: KernelFunction,
        numbers: Sequence[str],
        width: int,
        *,
        narrow: bool,
    ) -> None:
        self.kernel, self.function, self.width, self.narrow = kernel, function, width, narrow
        self.vector, self.m = kernel.rank - 1, Emitter(function)
        self.kind = "i32" if narrow else "i64"
        self.extents = [self.index(number) for number in numbers[: kernel.rank]]
        listed = zip(strided_axes(kernel), numbers[kernel.rank :], strict=True)
        self._strides = {place: self.wide(self.index(number)) for place, number in listed}
        self._addresses: dict[tuple[int, int], str] = {}
        self._loaded: dict[tuple[int, int], Value] = {}
        self._held: dict[tuple[int, int, int], Value] = {}
        self._unwritten: dict[tuple[int, int], list[Value]] = {}
        self._chunks = 0

    # -- indices ------------------------------------------------------------------------------

    def index(self, number: str) -> str:
        """An ``i64`` as an index is computed with."""
        return self.function.narrowed(number) if self.narrow else number

    def wide(self, index: str) -> str:
        """An index as an ``i64``."""
        return self.function.widened(index) if self.narrow else index

    def split(self, flat: str, wheels: Sequence[tuple[int, str]]) -> dict[int, str]:
        """The indices, as ``i64``, of the position with a flat index along axes with extents."""
        found, rest = dict[int, str](), flat
        for axis, extent in reversed(wheels):
            if axis == wheels[0][0]:
                found[axis] = self.wide(rest)
                continue
            found[axis] = self.wide(self.function.urem(rest, extent, self.kind))
            rest = self.function.udiv(rest, extent, self.kind)
        return found

    def extent(self, axes: Sequence[int]) -> Value:
        """The number of elements along axes."""
        result = self.m.constant(1, INT64)
        for axis in axes:
            result = result * self.m.value(self.wide(self.extents[axis]), INT64, 1)
        return result

    def chunk(self, indices: dict[int, str]) -> list[ThreadPosition]:
        """The positions of a chunk whose first element has these indices."""
        self._chunks += 1
        positions = []
        for lane in range(self.width):
            own = dict(indices)
            if lane:
                own[self.vector] = self.function.add(indices[self.vector], lane)
            positions.append(ThreadPosition(own, Lanes(1), chunk=self._chunks, lane=lane))
        return positions

    def point(self, indices: dict[int, str]) -> ThreadPosition:
        """A position of the axes that are not reduced."""
        self._chunks += 1
        return ThreadPosition(indices, Lanes(1), chunk=self._chunks)

    # -- elements -----------------------------------------------------------------------------

    def fetch(self, numbers: Iterable[int], position: ThreadPosition) -> None:
        """Load operands at a chunk before anything is computed: the loads then wait for memory together."""
        for number in numbers:
            self.read(number, position)

    def read(self, number: int, position: ThreadPosition) -> Value:
        """The element of an operand at a position."""
        held = self._held.get((number, position.chunk, position.lane))
        if held is not None:
            return held
        operand = self.kernel.operands[number]
        along = operand.patterns[self.vector]
        if self.vector not in position.indices or along == "repeat":
            return self._once(number, position, 1)
        if along == "unit":
            return self.m.lanes_of(self._once(number, position, self.width), position.lane, 1)
        address = self._address_of_lane(number, position)
        value = load(self.m, address, operand.dtype, Lanes(1))
        self._held[number, position.chunk, position.lane] = value
        return value

    def _once(self, number: int, position: ThreadPosition, count: int) -> Value:
        """Consecutive elements from the first of a chunk on, loaded once."""
        key = number, position.chunk
        if key not in self._loaded:
            dtype = self.kernel.operands[number].dtype
            self._loaded[key] = load(
                self.m,
                self._address(number, position),
                dtype,
                Lanes(count),
                align=count * dtype.itemsize,
            )
        return self._loaded[key]

    def keep(self, number: int, value: Value, position: ThreadPosition) -> None:
        """Take what will be written to an operand; later stages read it from here."""
        dtype = self.kernel.operands[number].dtype
        value = self.m.astype(value, arithmetic(dtype))
        self._held[number, position.chunk, position.lane] = value
        # Here, not only where it is written: perhaps that is in a branch.
        self._address(number, position)
        if not position.lane:
            self._unwritten[number, position.chunk] = []
        self._unwritten[number, position.chunk].append(value)

    def write(self, position: ThreadPosition, numbers: Iterable[int]) -> None:
        """Write what was kept of operands for a position's chunk."""
        for number in numbers:
            values = self._unwritten.pop((number, position.chunk), None)
            if values is not None:
                self._write(number, values, position)

    def _write(self, number: int, values: list[Value], position: ThreadPosition) -> None:
        operand, count = self.kernel.operands[number], len(values)
        if operand.patterns[self.vector] == "unit":
            packed, address = self._packed(values), self._address(number, position)
            align = count * operand.dtype.itemsize
            store(self.m, packed, address, operand.dtype, Lanes(count), align=align)
            return
        for lane, value in enumerate(values):
            place = ThreadPosition(
                position.indices, position.lanes, chunk=position.chunk, lane=lane
            )
            store(self.m, value, self._address_of_lane(number, place), operand.dtype, Lanes(1))

    def _packed(self, values: Sequence[Value]) -> Value:
        """Scalars as the lanes of a vector."""
        dtype, count = values[0].dtype, len(values)
        if count == 1:
            return values[0]
        kind, element = vector_type(dtype, count), scalar_type(dtype)
        ref = "poison"
        for lane, value in enumerate(values):
            ref = self.function.put(kind, ref, element, value.ref, lane)
        return self.m.value(ref, dtype, count)

    # -- addresses ----------------------------------------------------------------------------

    def _address(self, number: int, position: ThreadPosition) -> str:
        """The address of an operand's element at the first position of a chunk."""
        key = number, position.chunk
        if key not in self._addresses:
            function, operand = self.function, self.kernel.operands[number]
            address = function.operands[number]
            for axis, index in position.indices.items():
                if operand.patterns[axis] == "stride":
                    offset = function.mul(index, self._strides[number, axis])
                    address = function.offset(address, offset)
                elif operand.patterns[axis] == "unit":
                    address = function.offset(address, index, f"[{operand.dtype.itemsize} x i8]")
            self._addresses[key] = address
        return self._addresses[key]

    def _address_of_lane(self, number: int, position: ThreadPosition) -> str:
        """The address of a strided operand's element; the chunk's first has been used before."""
        first, function = self._address(number, position), self.function
        if not position.lane or self.vector not in position.indices:
            return first
        step = self._strides[number, self.vector]
        return function.offset(first, function.mul(step, position.lane))
