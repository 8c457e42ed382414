"""Accumulators: the reduction of elements to a sum, a product, a maximum or a minimum.

float32 is accumulated in float64, integers in 64 bits, and float64 with compensated summation: the rounding
errors are summed separately. The order of additions depends on extents only, never on the division of work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gluonic.codegen.loops.kernel import Reduce
from gluonic.codegen.machine.assembler import Opening
from gluonic.codegen.maths.values import BOOL, FLOAT32, FLOAT64, INT64, Dtype, Value, vector_type
from gluonic.graph.extrema import extreme_of_nothing

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter

_UINT64 = np.dtype(np.uint64)
_FAR_FROM_OVERFLOW = 2.0**100
_Join: TypeAlias = Callable[[list[Value], list[Value]], list[Value]]


def accumulator_dtype(kind: str, dtype: Dtype) -> Dtype:
    """Return the dtype in which elements of `dtype` are accumulated."""
    if kind in ("max", "min"):
        return dtype
    if dtype == FLOAT32:
        return FLOAT64
    if dtype.kind in "bi":
        return INT64
    return _UINT64 if dtype.kind == "u" else dtype


def neutral(kind: str, dtype: Dtype) -> Any:
    """Return the neutral element."""
    if kind in ("sum", "prod"):
        return 0 if kind == "sum" else 1
    return extreme_of_nothing(kind, dtype)


def combine(m: Emitter, kind: str, a: Value, b: Value) -> Value:
    """Combine two partial results."""
    table = {"sum": m.add, "prod": m.multiply, "max": m.maximum, "min": m.minimum}
    return table[kind](a, b)


class Accumulator:
    """Partial results in registers: a total for each number of lanes in use.

    A sum of float64 also has the sum of rounding errors.

    Parameters
    ----------
    m : Emitter
        The emitter of the instructions.
    reduce : Reduce
        The reduction.
    start : Opening
        The position before the loops, where the accumulator is cleared.
    row : bool, default False
        Whether all lanes are combined to one result. Then a max or min need not propagate NaN in each
        lane: a separate flag records it, with one comparison for two registers.
    """

    def __init__(self, m: Emitter, reduce: Reduce, start: Opening, row: bool = False) -> None:
        self.m, self.reduce, self.start, self.row = m, reduce, start, row
        self.element, self.dtype = FLOAT32, FLOAT32
        self.slots: dict[int, list[str]] = {}
        self.invalid: dict[int, str] = {}

    def add(self, value: Value, mask: Value | None) -> None:
        """Accumulate the elements of `value` that `mask` selects."""
        m, kind = self.m, self.reduce.kind
        if not self.slots:
            self.element, self.dtype = value.dtype, accumulator_dtype(kind, value.dtype)
        if mask is None and self._sums_shares(value):
            value = self._sum_of_registers(value)
        value = m.astype(value, self.dtype)
        if mask is not None:
            value = m.where(mask, value, m.constant(neutral(kind, self.dtype), self.dtype))
        elif self.row and kind == "sum" and self._parts == 1:
            value = self._sum_of_registers(value)
        if self._notes_nan:
            self._add_noting_nan(value)
        else:
            partial = self._joined(self._read(value.lanes), [value])
            self._write(self._slots(value.lanes), partial)

    def _sums_shares(self, value: Value) -> bool:
        """Whether registers of nonnegative float32, far from overflow, are summed in float32 first.

        The sum of two or four of them in single precision has a relative error of at most 2**-23, and the
        conversion of each register to float64 takes half as long as an exponential.
        """
        least, most = value.bounds
        is_sum = self.row and self.reduce.kind == "sum" and value.dtype == FLOAT32
        return is_sum and 0 <= least <= most < _FAR_FROM_OVERFLOW

    def _sum_of_registers(self, value: Value) -> Value:
        """Sum the registers that the elements fill: a total of each would need too many registers."""
        m = self.m
        while value.lanes * self.element.itemsize > m.target.vector_bytes:
            half = value.lanes // 2
            value = m.lanes_of(value, 0, half) + m.lanes_of(value, half, half)
        return value

    @property
    def _notes_nan(self) -> bool:
        return self.row and self.reduce.kind in ("max", "min") and self.element.kind == "f"

    def _add_noting_nan(self, value: Value) -> None:
        """Accumulate elements; NaNs only set the flag."""
        m, lanes = self.m, value.lanes
        self._write(self._slots(lanes), self._beyond([value], self._read(lanes)))
        count = max(lanes // 2, 1)
        if count not in self.invalid:
            self.invalid[count] = self._cleared(count, 1, m.constant(0, self.dtype))[0]
        ends = [m.lanes_of(value, first, count) for first in (0, lanes - count)]
        unordered = m.instruction("fcmp uno", ends, BOOL)
        note = m.where(unordered, m.nan, self._load(self.invalid[count], count))
        self._write([self.invalid[count]], [note])

    def _beyond(self, a: list[Value], b: list[Value]) -> list[Value]:
        """Combine extremes; the second must not be NaN."""
        beats = a[0] > b[0] if self.reduce.kind == "max" else a[0] < b[0]
        return [self.m.where(beats, a[0], b[0])]

    @property
    def _parts(self) -> int:
        return 2 if self.reduce.kind == "sum" and self.element == FLOAT64 else 1

    def _joined(self, a: list[Value], b: list[Value]) -> list[Value]:
        """Combine two partial results; the second may lack rounding errors."""
        total = combine(self.m, self.reduce.kind, a[0], b[0])
        if self._parts == 1:
            return [total]
        grown = total - a[0]
        lost = a[1] + ((a[0] - (total - grown)) + (b[0] - grown))
        return [total, lost + b[1] if len(b) > 1 else lost]

    def _slots(self, lanes: int) -> list[str]:
        """Return the stack slots of a partial result of `lanes` lanes, cleared before the loops."""
        if lanes not in self.slots:
            zero = self.m.constant(neutral(self.reduce.kind, self.dtype), self.dtype)
            self.slots[lanes] = self._cleared(lanes, self._parts, zero)
        return self.slots[lanes]

    def _cleared(self, lanes: int, count: int, zero: Value) -> list[str]:
        """Return stack slots that are set to `zero` before the loops."""
        kind = vector_type(self.dtype, lanes)
        slots = [self.m.function.slot(kind) for _ in range(count)]
        with self.m.function.at(self.start):
            self._write(slots, [self.m.spread(zero, lanes)] * count)
        return slots

    def _load(self, slot: str, lanes: int) -> Value:
        kind = vector_type(self.dtype, lanes)
        ref = self.m.function.load(kind, slot, 64)
        return self.m.value(ref, self.dtype, lanes)

    def _read(self, lanes: int) -> list[Value]:
        return [self._load(slot, lanes) for slot in self._slots(lanes)]

    def _write(self, slots: list[str], values: list[Value]) -> None:
        for slot, value in zip(slots, values, strict=True):
            self.m.function.store(value.type, value.ref, slot, 64)

    def lanewise(self, lanes: int) -> Value:
        """Return the finished result of each of `lanes` lanes."""
        return self._finished(self._read(lanes))

    def scalar(self) -> Value:
        """Combine all lanes to one, always in the same order."""
        m = self.m
        joined = self._beyond if self._notes_nan else self._joined
        (total, *rest) = self._folded({lanes: self._read(lanes) for lanes in self.slots}, joined)
        if self.invalid:
            for lanes, slot in self.invalid.items():
                found = m.in_any_lane(m.isnan(self._load(slot, lanes)))
                total = m.where(found, m.nan, total)
        return self._finished([total, *rest])

    def _folded(self, partial: Mapping[int, list[Value]], joined: _Join) -> list[Value]:
        """One lane, combined from partial results of different numbers of lanes."""
        widest, *narrower = sorted(partial, reverse=True)
        result = partial[widest]
        for width in dict.fromkeys([*narrower, 1]):
            while result[0].lanes > width:
                half = result[0].lanes // 2
                low, high = ([self.m.lanes_of(v, k, half) for v in result] for k in (0, half))
                result = joined(low, high)
            if width in narrower:
                result = joined(result, partial[width])
        return result

    def _finished(self, parts: list[Value]) -> Value:
        """Return a result in the dtype that later stages read."""
        total = parts[0]
        if len(parts) > 1:  # the rounding errors of an infinite total are NaN
            total = self.m.where(self.m.isnan(parts[1]), total, total + parts[1])
        return self.m.astype(total, self.reduce.dtype or self.element)
