"""Reductions on a GPU: of a thread's elements, then of a block's threads; sizes alone determine the order.

float32 is summed in float32, since many GPUs compute float64 at a thirty-second of the speed. What is lost by
additions to a sum is summed separately, so it is hardly less exact than the host's in float64.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gluonic.codegen.cuda.kernel_function import WARP, KernelFunction
from gluonic.codegen.loops.kernel import Reduce
from gluonic.codegen.loops.reductions import accumulator_dtype, combine, neutral
from gluonic.codegen.machine.assembler import Opening
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import BOOL, FLOAT32, Dtype, Value, scalar_type

CELL = 8
"""The bytes of a part of a result in shared memory."""
Parts = list[Value]
"""A result, and for a sum of floats, what the additions lost."""


def thread_dtype(kind: str, dtype: Dtype) -> Dtype:
    """The dtype in which elements of a dtype are reduced."""
    return FLOAT32 if dtype == FLOAT32 else accumulator_dtype(kind, dtype)


class ThreadAccumulator:
    """What a thread has reduced so far.

    Parameters
    ----------
    m : the emitter
    reduce : the reduction
    element : the dtype of the elements
    start : the position before all loops, where it is cleared
    """

    def __init__(self, m: Emitter, reduce: Reduce, element: Dtype, start: Opening) -> None:
        self.m, self.reduce, self.element = m, reduce, element
        self.dtype = thread_dtype(reduce.kind, element)
        zero = m.constant(neutral(reduce.kind, self.dtype), self.dtype)
        self.zeros = [zero, m.constant(0, self.dtype)][: self._count]
        self._slots = [m.function.slot(scalar_type(self.dtype), CELL) for _ in self.zeros]
        with m.function.at(start):
            self.set(self.zeros)

    @property
    def _count(self) -> int:
        """The number of parts."""
        return 2 if self.reduce.kind == "sum" and self.dtype.kind == "f" else 1

    def set(self, parts: Parts) -> None:
        """Replace the result."""
        for slot, part in zip(self._slots, parts, strict=True):
            self.m.function.store(part.type, part.ref, slot)

    def parts(self) -> Parts:
        """The result."""
        kind = scalar_type(self.dtype)
        refs = [self.m.function.load(kind, slot) for slot in self._slots]
        return [self.m.value(ref, self.dtype, 1) for ref in refs]

    def add(self, values: Sequence[Value], inside: str | None) -> None:
        """Reduce elements, unless the condition `inside` is false."""
        m = self.m
        listed = [m.astype(value, self.dtype) for value in values]
        while len(listed) > 1:
            pairs = zip(listed[::2], listed[1::2], strict=False)
            odd = listed[-1:] if len(listed) % 2 else []
            listed = [combine(m, self.reduce.kind, a, b) for a, b in pairs] + odd
        (value,) = listed
        if inside is not None:
            condition = m.value(inside, BOOL, 1)
            value = m.where(condition, value, self.zeros[0])
        self.set(self.joined(self.parts(), [value]))

    def joined(self, a: Parts, b: Parts) -> Parts:
        """Two results as one; the second may lack what additions lost. The order of the two changes no bit."""
        total = combine(self.m, self.reduce.kind, a[0], b[0])
        if self._count == 1:
            return [total]
        grown = total - a[0]
        lost = (a[0] - (total - grown)) + (b[0] - grown)
        before = a[1] + b[1] if len(b) > 1 else a[1]
        return [total, before + lost]

    def finished(self, parts: Parts) -> Value:
        """The result in the dtype that later stages read."""
        total = parts[0]
        if len(parts) > 1:  # what an infinite total lost is NaN
            total = self.m.where(self.m.isnan(parts[1]), total, total + parts[1])
        return self.m.astype(total, self.reduce.dtype or self.element)

    def over_lanes(self, function: KernelFunction, parts: Parts, count: int) -> Parts:
        """The result of `count` neighbouring lanes of a warp, a power of two, in each of them."""
        distance = count // 2
        while distance:
            others = [
                self.m.value(function.exchanged(p.type, p.ref, distance), p.dtype, 1) for p in parts
            ]
            parts = self.joined(parts, others)
            distance //= 2
        return parts

    def over_block(self, function: KernelFunction, thread: str, threads: int) -> Parts:
        """The result of all threads of a block, in each of them."""
        parts = self.over_lanes(function, self.parts(), min(threads, WARP))
        if threads <= WARP:
            return parts
        warps = threads // WARP
        lane = function.bits(thread, WARP - 1, "i32")
        warp = function.binary("lshr", thread, 5, "i32")
        shared = [function.shared(warps * CELL) for _ in parts]
        with function.when(function.compare("eq", lane, 0, "i32")):
            for memory, part in zip(shared, parts, strict=True):
                address = function.offset(memory, function.widened(warp), f"[{CELL} x i8]")
                function.store(part.type, part.ref, address)
        function.barrier()
        part_number = function.widened(function.bits(lane, warps - 1, "i32"))
        loaded = []
        for memory, part in zip(shared, parts, strict=True):
            address = function.offset(memory, part_number, f"[{CELL} x i8]")
            loaded.append(self.m.value(function.load(part.type, address), part.dtype, 1))
        return self.over_lanes(function, loaded, warps)


def strips(
    function: KernelFunction, first: str, count: str, step: int, unrolled: int
) -> Iterator[list[str]]:
    """Write loops over ``first, first + step, …`` below `count`, several at a time: yield their indices."""
    room = function.add(function.sub(count, first), step - 1)
    own = function.udiv(function.most(room, 0), step)
    whole = "0"
    if unrolled > 1:
        whole = function.mul(function.udiv(own, unrolled), unrolled)
        with function.loop("0", whole, unrolled) as number:
            numbers = [number, *(function.add(number, k) for k in range(1, unrolled))]
            yield [function.add(first, function.mul(n, step)) for n in numbers]
    with function.loop(whole, own) as number:
        yield [function.add(first, function.mul(number, step))]
