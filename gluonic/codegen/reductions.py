"""Accumulators: how elements become a sum, a product, a maximum or a minimum.

float32 is added up in float64 and integers in 64 bits. float64 is added up in two levels, so that
rounding errors grow with the square root of the length at most. The order of additions depends on
extents only, never on how work is divided.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gluonic.codegen.assembler import Opening
from gluonic.codegen.kernel import Reduce
from gluonic.codegen.values import FLOAT32, FLOAT64, INT64, Dtype, Value, vector_type

if TYPE_CHECKING:
    from gluonic.codegen.emitter import Emitter

_UINT64 = np.dtype(np.uint64)


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
    """Return the number that changes nothing."""
    if kind in ("sum", "prod"):
        return 0 if kind == "sum" else 1
    if dtype.kind == "f":
        return -np.inf if kind == "max" else np.inf
    if dtype.kind == "b":
        return kind == "min"
    limits = np.iinfo(dtype)
    return int(limits.min if kind == "max" else limits.max)


def combine(m: Emitter, kind: str, a: Value, b: Value) -> Value:
    """Return two partial results as one."""
    table = {"sum": m.add, "prod": m.multiply, "max": m.maximum, "min": m.minimum}
    return table[kind](a, b)


@dataclass(eq=False)
class Accumulator:
    """Partial results in registers.

    Parameters
    ----------
    m : Emitter
        What writes the instructions.
    reduce : Reduce
        What is accumulated.
    start : Opening
        The place before the loops, where it is cleared.
    """

    m: Emitter
    reduce: Reduce
    start: Opening
    element: Dtype = FLOAT32
    dtype: Dtype | None = None
    slots: dict[int, str] | None = None

    def add(self, value: Value, lanes: int, mask: Value | None) -> None:
        """Take up the elements of `value` that `mask` selects."""
        m, kind = self.m, self.reduce.kind
        if self.dtype is None:
            self.element, self.dtype = value.dtype, accumulator_dtype(kind, value.dtype)
            self.slots = {}
        value = m.spread(m.astype(value, self.dtype), lanes)
        if mask is not None:
            value = m.where(mask, value, m.constant(neutral(kind, self.dtype), self.dtype))
        self.set(lanes, combine(m, kind, self.get(lanes), value))

    def _slot(self, lanes: int) -> str:
        assert self.slots is not None
        assert self.dtype is not None
        if lanes not in self.slots:
            slot = self.slots[lanes] = self.m.function.slot(vector_type(self.dtype, lanes))
            with self.m.function.at(self.start):
                zero = self.m.constant(neutral(self.reduce.kind, self.dtype), self.dtype)
                self._write(slot, self.m.spread(zero, lanes))
        return self.slots[lanes]

    def get(self, lanes: int) -> Value:
        """Return the partial result of so many lanes."""
        slot = self._slot(lanes)
        assert self.dtype is not None
        ref = self.m.function.op(f"load {vector_type(self.dtype, lanes)}, ptr {slot}, align 64")
        return self.m.value(ref, self.dtype, lanes)

    def set(self, lanes: int, value: Value) -> None:
        """Replace the partial result of so many lanes."""
        self._write(self._slot(lanes), value)

    def _write(self, slot: str, value: Value) -> None:
        self.m.function.do(f"store {value.type} {value.ref}, ptr {slot}, align 64")

    def scalar(self) -> Value:
        """Combine all lanes to one, always in the same order."""
        assert self.slots is not None
        parts = [self.get(lanes) for lanes in sorted(self.slots, reverse=True)]
        result = parts[0]
        for part in [*parts[1:], None]:
            goal = 1 if part is None else part.lanes
            while result.lanes > goal:
                half = result.lanes // 2
                low, high = (self.m.lanes_of(result, k, half) for k in (0, half))
                result = combine(self.m, self.reduce.kind, low, high)
            if part is not None:
                result = combine(self.m, self.reduce.kind, result, part)
        return self.converted(result)

    def converted(self, value: Value) -> Value:
        """Return a finished result in the dtype that later stages get."""
        return self.m.astype(value, self.reduce.dtype or self.element)
