"""Values in registers: their creation, broadcast and concatenation of lanes, promotion and conversion.

Expressions and loops share these; comparison is in ``logic``, arithmetic in ``emitter``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.codegen.machine.assembler import LLVMFunction, type_suffix
from gluonic.codegen.maths.expressions import Expressions
from gluonic.codegen.maths.values import (
    BOOL,
    FLOAT32,
    INT32,
    INT64,
    Dtype,
    Operand,
    Value,
    arithmetic,
    scalar_type,
    vector_type,
    whole_dtype,
)


class Registers(Expressions):
    """Writes instructions that create, arrange and convert values.

    Parameters
    ----------
    function : LLVMFunction
        The function that instructions are written to.

    Attributes
    ----------
    halves : dict
        The bits in memory, by the reference of the float32 value converted from them and their dtype.
    """

    def __init__(self, function: LLVMFunction) -> None:
        self.function = function
        self.target = function.module.target
        self.halves: dict[tuple[str, Dtype], Value] = {}

    def value(self, ref: str, dtype: Dtype, lanes: int) -> Value:
        """Return the result of an instruction as a value."""
        return Value(self, ref, dtype, lanes)

    def widened(self, value: Value, lanes: int) -> str:
        """Return the reference of `value` over `lanes` lanes."""
        if value.lanes == lanes:
            return value.ref
        if value.lanes != 1:
            raise ValueError(f"a value of {value.lanes} lanes meets one of {lanes}")
        kind = scalar_type(value.dtype)
        if value.is_literal:
            return f"splat ({kind} {value.ref})"
        return self.function.splat(kind, value.ref, lanes)

    def spread(self, value: Value, lanes: int) -> Value:
        """Return `value` repeated over `lanes` lanes."""
        return self.value(self.widened(value, lanes), value.dtype, lanes).within(value.bounds)

    def instruction(self, name: str, values: list[Value], result: Dtype | None = None) -> Value:
        """Write one instruction on operands of one dtype."""
        lanes = max([v.lanes for v in values])
        refs = ", ".join([v.ref if v.lanes == lanes else self.widened(v, lanes) for v in values])
        kind = vector_type(values[0].dtype, lanes)
        ref = self.function.op(f"{name} {kind} {refs}")
        return self.value(ref, result or values[0].dtype, lanes)

    def intrinsic(self, name: str, *values: Value) -> Value:
        """Call one of LLVM's intrinsics whose operands and result have one type."""
        lanes = max([v.lanes for v in values])
        dtype = values[0].dtype
        kind = vector_type(dtype, lanes)
        arguments = [(kind, v.ref if v.lanes == lanes else self.widened(v, lanes)) for v in values]
        ref = self.function.call(f"llvm.{name}.{type_suffix(kind)}", kind, arguments)
        return self.value(ref, dtype, lanes)

    def bitcast(self, value: Value, dtype: Dtype) -> Value:
        """Read the same bits as another dtype of the same size."""
        kind = vector_type(dtype, value.lanes)
        ref = self.function.op(f"bitcast {value.type} {value.ref} to {kind}")
        return self.value(ref, dtype, value.lanes)

    def whole(self, value: Value) -> Value:
        """Convert a float that is known to be an integer in range to an integer of the same size."""
        return self.cast("fptosi", value, INT32 if value.dtype == FLOAT32 else INT64)

    def lanes_of(self, value: Value, start: int, count: int) -> Value:
        """Return `count` lanes of a vector, beginning with lane `start`."""
        if count == value.lanes:
            return value
        if count == 1:
            ref = self.function.op(f"extractelement {value.type} {value.ref}, i64 {start}")
            return self.value(ref, value.dtype, 1)
        return self._shuffled(value.type, value.ref, "poison", range(start, start + count), value)

    def by_register(self, value: Value, compute: Callable[[Value], Value]) -> Value:
        """Apply a function to one register of a value after the other."""
        lanes = self.target.vector_bytes // value.dtype.itemsize
        if value.lanes <= lanes:
            return compute(value)
        starts = range(0, value.lanes, lanes)
        return self.joined([compute(self.lanes_of(value, start, lanes)) for start in starts])

    def joined(self, parts: list[Value]) -> Value:
        """Concatenate the lanes of vectors of one size."""
        while len(parts) > 1:
            parts = [self._pair(a, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        return parts[0]

    def _pair(self, a: Value, b: Value) -> Value:
        return self._shuffled(a.type, a.ref, b.ref, range(a.lanes * 2), a)

    def _shuffled(self, kind: str, a: str, b: str, lanes: range, like: Value) -> Value:
        return self.value(self.function.shuffle(kind, a, b, lanes), like.dtype, len(lanes))

    def astype(self, a: Operand, dtype: Any) -> Value:
        """Convert like NumPy's ``astype`` on this machine."""
        value, kind = self.asarray(a), arithmetic(np.dtype(dtype))
        if value.dtype == kind:
            return value
        if kind == BOOL:
            return self.not_equal(value, 0)
        if value.dtype.kind == "f" and kind.kind != "f":
            return self._to_integer(value, kind)
        return self.cast(_cast_name(value.dtype, kind), value, kind)

    def cast(self, name: str, value: Value, dtype: Dtype) -> Value:
        """Write one of LLVM's conversions."""
        kind = vector_type(dtype, value.lanes)
        ref = self.function.op(f"{name} {value.type} {value.ref} to {kind}")
        return self.value(ref, dtype, value.lanes)

    def _to_integer(self, value: Value, dtype: Dtype) -> Value:
        """Truncate to an integer; values out of range become the smallest integer, as on x86."""
        through = whole_dtype(dtype)
        limit = 2.0 ** (through.itemsize * 8 - 1)
        fits = abs(value) < limit
        whole = self.cast("fptosi", value, through)
        chosen = self.where(fits, whole, int(np.iinfo(through).min))
        return self.astype(chosen, dtype)


def _cast_name(source: Dtype, goal: Dtype) -> str:
    """Return LLVM's conversion between two dtypes, except from float to integer."""
    if source.kind == "f":
        return "fpext" if goal.itemsize > source.itemsize else "fptrunc"
    if goal.kind == "f":
        return "sitofp" if source.kind == "i" else "uitofp"
    if source != BOOL and goal.itemsize == source.itemsize:
        return "bitcast"
    if source != BOOL and goal.itemsize < source.itemsize:
        return "trunc"
    return "sext" if source.kind == "i" else "zext"
