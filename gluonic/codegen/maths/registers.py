"""Values in registers: their creation, broadcast and concatenation of lanes, promotion and conversion.

Expressions and loops share these; comparison is in ``logic``, arithmetic in ``emitter``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeGuard
from typing import cast as cast_to

import numpy as np

from gluonic.codegen.machine.assembler import LLVMFunction, type_suffix
from gluonic.codegen.maths.values import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    Dtype,
    Operand,
    Value,
    arithmetic,
    literal,
    scalar_type,
    vector_type,
)

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter


class Registers:
    """Writes instructions that create, arrange and convert values.

    Parameters
    ----------
    function : LLVMFunction
        The function that instructions are written to.

    Attributes
    ----------
    halves : dict
        The float16 bits in memory, by the reference of the float32 value converted from them.
    """

    def __init__(self, function: LLVMFunction) -> None:
        self.function = function
        self.target = function.module.target
        self.halves: dict[str, Value] = {}

    @property
    def _emitter(self) -> Emitter:
        """The emitter that values compute with: this object, which always is one."""
        return cast_to("Emitter", self)

    def value(self, ref: str, dtype: Dtype, lanes: int) -> Value:
        """Return the result of an instruction as a value."""
        return Value(cast_to("Emitter", self), ref, dtype, lanes)

    def constant(self, number: bool | int | float | np.generic, dtype: Any) -> Value:
        """Return a number as a value of one lane."""
        kind = arithmetic(np.dtype(dtype))
        return Value(self._emitter, literal(number, kind), kind, 1)

    def asarray(self, operand: Operand) -> Value:
        """Return a value unchanged, a number as a constant of NumPy's default dtype."""
        if isinstance(operand, Value):
            return operand
        return self.constant(operand, np.result_type(operand))

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

    def common(self, *operands: Operand, dtype: Dtype | None = None) -> list[Value]:
        """Convert operands to one dtype (by NumPy's promotion unless given)."""
        if dtype is None:
            if _are_alike(operands):
                return [*operands]
            kinds: list[Any] = [getattr(o, "dtype", type(o)) for o in operands]
            dtype = _promoted(*kinds)
        return [
            self.astype(o, dtype) if isinstance(o, Value) else self.constant(o, dtype)
            for o in operands
        ]

    def floating(self, *operands: Operand) -> list[Value]:
        """Convert operands to the floating dtype in which NumPy's float functions compute."""
        values = self.common(*operands)
        dtype = values[0].dtype
        if dtype.kind != "f":
            dtype = FLOAT64 if dtype.itemsize > 2 else FLOAT32
        return self.common(*values, dtype=dtype)

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
            return self._emitter.not_equal(value, 0)
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
        through = INT64 if dtype.itemsize > 4 or dtype == np.uint32 else INT32
        limit = 2.0 ** (through.itemsize * 8 - 1)
        fits = abs(value) < limit
        whole = self.cast("fptosi", value, through)
        chosen = self._emitter.where(fits, whole, int(np.iinfo(through).min))
        return self.astype(chosen, dtype)


def _are_alike(operands: Sequence[Operand]) -> TypeGuard[Sequence[Value]]:
    """Whether all operands are values of one dtype, the most common case."""
    dtype = getattr(operands[0], "dtype", None)
    for operand in operands:  # noqa: SIM110 (a generator takes twice as long)
        if type(operand) is not Value or operand.dtype != dtype:
            return False
    return True


@cache
def _promoted(*kinds: Dtype | type[Any]) -> Dtype:
    """Return the dtype that dtypes and types of Python numbers are brought to.

    NumPy 1 promotes by the value of a Python number, so int8 with 300 becomes int16; 1 always fits.
    """
    found = [kind(1) if isinstance(kind, type) else kind for kind in kinds]
    return arithmetic(np.result_type(*found))


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
