"""Loops over elements of any dtype in memory: a register at a time, and the remainder under a mask."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.masked_memory import masked_load, masked_store
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import Dtype, Value, literal, scalar_type, vector_type
from gluonic.codegen.writers.writer import Writer
from gluonic.support.record import record

INDICES = ("float32", "float64", "int8", "uint8", "int32", "int64")
"""The dtypes of elements that are read as integers."""


LONGEST_READ = 2
"""The largest stride of elements that are read, or written, a register at a time."""


@record
class Stretch:
    """A range of elements: whole registers, then a remainder.

    Attributes
    ----------
    start, middle : the first element, and the first of the remainder
    rest : number of elements in the remainder
    mask : of the remainder's lanes; None if it is made where it is needed
    """

    start: str
    middle: str
    rest: str
    mask: str | None = None


class ElementWriter(Writer):
    """A writer of loops over elements of a dtype.

    Attributes
    ----------
    rest : in code for the remainder of a stretch, the number of its lanes in a register; None elsewhere
    mask : of these lanes, if it exists already
    """

    def __init__(self, module: LLVMModule, name: str, dtype: Dtype) -> None:
        super().__init__(module, name)
        self.dtype, self.size, self.kind = dtype, dtype.itemsize, scalar_type(dtype)
        self.lanes = module.target.vector_bytes // self.size
        self.vector = vector_type(dtype, self.lanes)
        self.step = self.lanes * self.size
        self.m = Emitter(self.f)
        self.rest: str | None = None
        self.mask: str | None = None

    def at(self, address: str, index: str | int) -> str:
        """The address of an element."""
        return self.moved(address, index, self.size)

    def number_of(self, value: float) -> Value:
        """A constant of the dtype."""
        return self.m.value(literal(value, self.dtype), self.dtype, 1)

    def inside(self, index: str, extent: str) -> str:
        """Whether an index is within an axis."""
        return self.f.compare("ult", index, extent)

    # -- elements in memory -------------------------------------------------------------------

    def whole(self, address: str, lanes: int = 1) -> Value:
        """`lanes` consecutive elements, where all of them can be read."""
        kind = vector_type(self.dtype, lanes)
        ref = self.f.load(kind, address, self.size)
        return self.m.value(ref, self.dtype, lanes)

    def element_of(self, address: str, index: str, dtype: Dtype) -> Value:
        """One element of an array of another dtype."""
        start = self.moved(address, index, dtype.itemsize)
        ref = self.f.load(scalar_type(dtype), start, dtype.itemsize)
        return self.m.value(ref, dtype, 1)

    def put_whole(self, value: Value, address: str, lanes: int = 1) -> None:
        """Write consecutive elements, or one value to all of them, where all of them can be written."""
        ref, kind = self.m.widened(value, lanes), vector_type(self.dtype, lanes)
        self.f.store(kind, ref, address, self.size)

    def element(self, address: str, lanes: int = 1, beyond: Value | None = None) -> Value:
        """`lanes` consecutive elements; those beyond the span are zero, or the given value."""
        if self.rest is None or lanes == 1:
            return self.whole(address, lanes)
        return self._masked(address, self.mask or self.first(self.rest), beyond)

    def put(self, value: Value, address: str, lanes: int = 1) -> None:
        """Write consecutive elements, or one value to all of them."""
        if self.rest is None or lanes == 1:
            self.put_whole(value, address, lanes)
        else:
            self._put_masked(value, address, self.mask or self.first(self.rest))

    def first(self, count: str) -> str:
        """A mask of the first lanes."""
        kind = f"i{self.size * 8}"
        bounded = self.most(self.least(count, self.lanes), 0)
        narrow = bounded if kind == "i64" else self.f.op(f"trunc i64 {bounded} to {kind}")
        return self.f.first_lanes(narrow, kind, self.lanes)

    def _masked(self, address: str, mask: str, beyond: Value | None = None) -> Value:
        other = "zeroinitializer" if beyond is None else self.m.widened(beyond, self.lanes)
        ref = masked_load(self.f, self.vector, address, self.size, mask, other)
        return self.m.value(ref, self.dtype, self.lanes)

    def _put_masked(self, value: Value, address: str, mask: str) -> None:
        ref = self.m.widened(value, self.lanes)
        masked_store(self.f, self.vector, ref, address, self.size, mask)

    # -- every second element -----------------------------------------------------------------

    def strided(self, address: str, lanes: int, stride: int) -> Value:
        """Elements with a stride of 1 or 2, under the mask as in `element`."""
        if lanes == 1 or stride == 1:
            return self.element(address, lanes)
        if self.rest is None:
            return self.strided_whole(address, lanes, stride)
        low, high = (
            self._masked(self.moved(address, half, self.step), mask)
            for half, mask in enumerate(self._pair_of_masks(self.rest))
        )
        return self._every_second(low, high)

    def strided_whole(self, address: str, lanes: int, stride: int) -> Value:
        """Elements with a stride of 1 or 2, where all between them can be read; nothing after the last is."""
        if lanes == 1 or stride == 1:
            return self.whole(address, lanes)
        low, high = (self.whole(start, lanes) for start in self._overlapping_halves(address))
        return self._every_second(low, high, shared=1)

    def add_strided(self, value: Value, address: str, lanes: int, stride: int) -> None:
        """Add to elements with a stride of 1 or 2."""
        if lanes == 1 or stride == 1:
            self.put(self.element(address, lanes) + value, address, lanes)
            return
        if self.rest is None:
            self._add_every_second(value, address, lanes)
            return
        masks = self._pair_of_masks(self.rest)
        for half in (0, 1):
            part, start = self._set_apart(value, half), self.moved(address, half, self.step)
            self._put_masked(self._masked(start, masks[half]) + part, start, masks[half])

    def _add_every_second(self, value: Value, address: str, lanes: int) -> None:
        """Add to every second element; nothing after the last is read or written.

        Both halves are read before either is written: they share an element, which does not change.
        """
        starts = self._overlapping_halves(address)
        low, high = (self.whole(start, lanes) for start in starts)
        self.put_whole(low + self._set_apart(value, 0), starts[0], lanes)
        self.put_whole(high + self._set_apart(value, 1, first=1), starts[1], lanes)

    def _overlapping_halves(self, address: str) -> tuple[str, str]:
        """The addresses of two registers that hold a register's worth of every second element.

        These span one element less than two registers, and an array may end with them.
        """
        return address, self.at(address, self.lanes - 1)

    def _pair_of_masks(self, count: str) -> tuple[str, str]:
        reach = self.minus(self.times(count, 2), 1)
        return self.first(reach), self.first(self.minus(reach, self.lanes))

    def _every_second(self, low: Value, high: Value, shared: int = 0) -> Value:
        """The even elements of two registers, which share so many."""
        wanted = range(0, 2 * self.lanes, 2)
        lanes = [i + shared if i >= self.lanes else i for i in wanted]
        return self._shuffled_pair(low.ref, high.ref, lanes)

    def _set_apart(self, value: Value, half: int, first: int = 0) -> Value:
        """Half of the lanes with zeros between them, or before them if `first` is 1."""
        start, none = half * self.lanes // 2, self.lanes
        lanes = [start + lane // 2 if lane % 2 == first else none for lane in range(self.lanes)]
        return self._shuffled_pair(value.ref, "zeroinitializer", lanes)

    def _shuffled_pair(self, a: str, b: str, lanes: Sequence[int]) -> Value:
        return self.m.value(self.f.shuffle(self.vector, a, b, lanes), self.dtype, self.lanes)

    # -- spans --------------------------------------------------------------------------------

    def stretch(self, start: str, stop: str) -> Stretch:
        """A stretch for several loops: its mask is computed here."""
        found = self._stretch(start, stop)
        return replace(found, mask=self.first(found.rest))

    def _stretch(self, start: str, stop: str) -> Stretch:
        count = self.most(self.minus(stop, start), 0)
        middle = self.plus(start, self.f.bits(count, -self.lanes))
        return Stretch(start, middle, self.minus(self.plus(start, count), middle))

    def spans(self, start: str, stop: str, body: Callable[[str, int], None]) -> None:
        """Loop over elements a register at a time, the remainder under a mask: ``body(index, lanes)``."""
        self.over(self._stretch(start, stop), body)

    def over(self, stretch: Stretch, body: Callable[[str, int], None]) -> None:
        """Loop over a stretch as `spans` does."""
        with self.f.loop(stretch.start, stretch.middle, self.lanes) as index:
            body(index, self.lanes)
        with self.f.when(self.f.compare("sgt", stretch.rest, 0)):
            self.rest, self.mask = stretch.rest, stretch.mask
            body(stretch.middle, self.lanes)
            self.rest = self.mask = None

    def steps(self, start: str, stop: str, stride: int, body: Callable[[str, int], None]) -> None:
        """Loop as `spans` does where `strided` can read, element by element where strides are longer."""
        if stride <= LONGEST_READ:
            self.spans(start, stop, body)
            return
        with self.f.loop(start, stop) as index:
            body(index, 1)

    def fill(self, address: str, start: str, stop: str, value: Value) -> None:
        """Write one value to elements from `start` on."""
        self.spans(start, stop, lambda i, lanes: self.put(value, self.at(address, i), lanes))

    def fill_whole(self, address: str, start: str, stop: str, value: Value) -> None:
        """Write one value to elements from `start` on, and perhaps to a register's elements after `stop`."""
        with self.f.loop(start, stop, self.lanes) as index:
            self.put_whole(value, self.at(address, index), self.lanes)
