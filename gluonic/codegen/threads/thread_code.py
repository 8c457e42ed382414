"""Writing kernels whose threads each compute something of their own, over values with Python's operators."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager

from gluonic.codegen.machine.assembler import LLVMFunction
from gluonic.codegen.maths.elements import Lanes, load, store
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import (
    INT64,
    Dtype,
    Operand,
    Value,
    arithmetic,
    scalar_type,
)
from gluonic.support.record import record

THREADS = 128
"""The threads of a block."""


class ThreadVariable:
    """A number of a thread that changes.

    Parameters
    ----------
    code : the kernel
    value : what it is first
    """

    def __init__(self, code: ThreadCode, value: Value) -> None:
        self._code, self.dtype = code, value.dtype
        self._address = code.slot(scalar_type(value.dtype), 8)
        self.set(value)

    @property
    def now(self) -> Value:
        """What it is."""
        kind = scalar_type(self.dtype)
        return self._code.m.value(self._code.load(kind, self._address, 8), self.dtype, 1)

    def set(self, value: Operand) -> None:
        """Change it."""
        m = self._code.m
        written = m.astype(m.asarray(value), self.dtype)
        self._code.store(scalar_type(self.dtype), written.ref, self._address, 8)


class ThreadCode(LLVMFunction):
    """What a thread does, while it is being written: indices and numbers are values of one integer dtype.

    Attributes
    ----------
    m : the namespace of functions of values
    dtypes : the dtype of each operand
    index : the dtype of numbers and indices, int32 or int64
    operands : the address of each
    thread : the number of the thread
    """

    m: Emitter
    dtypes: Sequence[Dtype]
    index: Dtype
    operands: list[str]
    thread: Value

    def begin(
        self, program: ThreadProgram, operands: Sequence[str], numbers: Sequence[str]
    ) -> None:
        """Begin a program.

        Parameters
        ----------
        operands, numbers : the addresses and the ``i64`` that it gets
        """
        self.m, self.dtypes, self.index = Emitter(self), program.dtypes, program.index
        self.operands = [*operands]
        named = len(program.numbers)
        self._numbers = {
            each: self.index_of(ref)
            for each, ref in zip(program.numbers, numbers[:named], strict=True)
        }
        for operand, offset in zip(program.scratch, numbers[named:], strict=True):
            self.operands[operand] = self.offset(self.operands[operand], offset)

    def index_of(self, ref: str) -> Value:
        """An ``i64`` as an index."""
        return self.m.value(ref if self.index == INT64 else self.narrowed(ref), self.index, 1)

    def __getitem__(self, name: str) -> Value:
        """A number by name."""
        return self._numbers[name]

    def numbers_of(self, name: str, count: int) -> list[Value]:
        """The numbers that are called so and counted."""
        return [self[f"{name}{i}"] for i in range(count)]

    # -- integers -----------------------------------------------------------------------------

    def constant(self, number: int) -> Value:
        """An index that is known."""
        return self.m.constant(number, self.index)

    def to_index(self, value: Value) -> Value:
        """A number as an index; fractions are cut off."""
        return self.m.astype(value, self.index)

    def divided(self, number: Value, by: Value) -> tuple[Value, Value]:
        """The quotient and the remainder of numbers that are not negative."""
        kind = scalar_type(self.index)
        quotient = self.m.value(self.udiv(number.ref, by.ref, kind), self.index, 1)
        return quotient, number - quotient * by

    def digits(self, number: Value, extents: Sequence[Value]) -> list[Value]:
        """The indices along axes of the element with a flat index."""
        found = []
        for extent in reversed(extents[1:]):
            number, rest = self.divided(number, extent)
            found.append(rest)
        return [number, *reversed(found)]

    def clipped(self, number: Value, extent: Value) -> Value:
        """The nearest index of an axis."""
        return self.m.minimum(self.m.maximum(number, 0), extent - 1)

    def wrapped(self, number: Value, extent: Value) -> Value:
        """The index that a number has if the axis is repeated without end."""
        kind = scalar_type(self.index)
        rest = self.m.value(self.binary("srem", number.ref, extent.ref, kind), self.index, 1)
        return self.m.where(rest < 0, rest + extent, rest)

    # -- memory -------------------------------------------------------------------------------

    def _element(self, operand: int, index: Operand) -> str:
        value = self.m.astype(self.m.asarray(index), INT64)
        size = self.dtypes[operand].itemsize
        return self.offset(self.operands[operand], value.ref, f"[{size} x i8]")

    def read(self, operand: int, index: Operand) -> Value:
        """An element of an operand."""
        return load(self.m, self._element(operand, index), self.dtypes[operand], Lanes(1))

    def read_neighbours(self, operand: int, index: Operand, count: int) -> list[Value]:
        """Elements of an operand; the index of the first is a multiple of their number."""
        dtype = self.dtypes[operand]
        address, size = self._element(operand, index), min(dtype.itemsize * count, 16)
        values = load(self.m, address, dtype, Lanes(count), align=size)
        return [self.m.lanes_of(values, lane, 1) for lane in range(count)]

    def last_of(self, choices: Sequence[tuple[Value, int]], otherwise: int) -> int:
        """One of several operands of a dtype, as another operand: the last one whose condition holds."""
        address = self.operands[otherwise]
        for condition, operand in choices:
            address = self.select(condition.ref, self.operands[operand], address, "ptr")
        self.operands.append(address)
        self.dtypes = (*self.dtypes, self.dtypes[otherwise])
        return len(self.dtypes) - 1

    def write(self, operand: int, index: Operand, value: Operand) -> None:
        """Write an element of an operand, in its dtype."""
        dtype = self.dtypes[operand]
        ready = self.m.astype(self.m.asarray(value), arithmetic(dtype))
        store(self.m, ready, self._element(operand, index), dtype, Lanes(1))

    def read_if(self, condition: Value, operand: int, index: Value, otherwise: float) -> Value:
        """An element where a condition holds, a number elsewhere."""
        kind = self.m.constant(otherwise, arithmetic(self.dtypes[operand]))
        found = self.variable(kind)
        with self.only_if(condition):
            found.set(self.read(operand, index))
        return found.now

    def variable(self, value: Value) -> ThreadVariable:
        """A number that changes."""
        return ThreadVariable(self, value)

    def barrier(self) -> None:
        """Wait for all threads of the block, on a GPU."""
        raise NotImplementedError

    # -- control ------------------------------------------------------------------------------

    @contextmanager
    def only_if(self, condition: Value) -> Iterator[None]:
        """Write what is done only where a condition holds."""
        with self.when(condition.ref):
            yield

    @contextmanager
    def each(self, start: Operand, stop: Operand) -> Iterator[Value]:
        """Write a loop over the integers from `start` up to, not including, `stop`."""
        first, last = (self.m.astype(self._integer(at), INT64) for at in (start, stop))
        with self.loop(first.ref, last.ref) as number:
            yield self.to_index(self.m.value(number, INT64, 1))

    @contextmanager
    def as_long_as(self, holds: Callable[[], Value]) -> Iterator[None]:
        """Write a loop that goes on while a condition, computed at the start of each round, holds."""
        head, body, after = self.label("again"), self.label("round"), self.label("over")
        self._jump(head)
        self.start(head)
        self._branch(holds().ref, body, after)
        self.start(body)
        yield
        self._jump(head)
        self.start(after)

    def first_beyond(self, count: Operand, is_before: Callable[[Value], Value]) -> Value:
        """The number of leading positions, of `count`, for which a condition holds, by bisection."""
        low, high = self.variable(self.constant(0)), self.variable(self._integer(count))
        with self.as_long_as(lambda: low.now < high.now):
            middle = (low.now + high.now) >> 1
            before = is_before(middle)
            low.set(self.m.where(before, middle + 1, low.now))
            high.set(self.m.where(before, high.now, middle))
        return low.now

    def _integer(self, value: Operand) -> Value:
        return value if isinstance(value, Value) else self.constant(int(value))


Body = Callable[..., None]
"""Writes what a thread does: ``body(code, *statics)``."""


@record
class ThreadProgram:
    """What determines the code of a kernel.

    Attributes
    ----------
    body : what a thread does
    statics : further arguments of the body
    dtypes : the dtype of each operand
    numbers : the names of the numbers
    index : the dtype of indices
    scratch : the operands that begin at an offset
    """

    body: Body
    statics: tuple[Hashable, ...]
    dtypes: tuple[Dtype, ...]
    numbers: tuple[str, ...]
    index: Dtype
    scratch: tuple[int, ...] = ()
