"""SIMD values with Python's operators, so that expressions look the same as with NumPy.

A :class:`Value` stands for a register (or several) while code is being generated: a dtype, a number of
lanes and LLVM's name. A value of one lane is a scalar; combined with a vector it is broadcast. Python
numbers take the dtype of the other operand, as in NumPy 2.
float16 and bfloat16 have no arithmetic here: they are float32 in registers, and what they are only in memory.
"""

from __future__ import annotations

import math
import struct
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gluonic.graph.dtypes import is_half_width

if TYPE_CHECKING:
    from gluonic.codegen.maths.expressions import Expressions

Dtype = np.dtype[Any]
Number = bool | int | float | np.generic
Operand: TypeAlias = "Value | bool | int | float | np.generic"
Bounds = tuple[float, float]

UNBOUNDED: Bounds = (-math.inf, math.inf)

BOOL = np.dtype(np.bool_)
FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)
INT32 = np.dtype(np.int32)
INT64 = np.dtype(np.int64)


def arithmetic(dtype: Dtype) -> Dtype:
    """Return the dtype in which values of `dtype` are computed."""
    return FLOAT32 if is_half_width(dtype) else dtype


def whole_dtype(dtype: Dtype) -> Dtype:
    """Return the dtype to which floats are converted first, if an integer of `dtype` is wanted."""
    return INT64 if dtype.itemsize > 4 or dtype == np.uint32 else INT32


@cache
def scalar_type(dtype: Dtype) -> str:
    """Return LLVM's type of one element in a register."""
    if dtype == BOOL:
        return "i1"
    if dtype.kind == "V":
        return "bfloat"
    if dtype.kind == "f":
        return {2: "half", 4: "float", 8: "double"}[dtype.itemsize]
    return f"i{dtype.itemsize * 8}"


@cache
def vector_type(dtype: Dtype, lanes: int) -> str:
    """Return LLVM's type of `lanes` elements in registers."""
    kind = scalar_type(dtype)
    return kind if lanes == 1 else f"<{lanes} x {kind}>"


def literal(value: Number, dtype: Dtype) -> str:
    """Return a number as LLVM writes it.

    Raises
    ------
    OverflowError
        If an integer does not fit.
    """
    if dtype == BOOL:
        return "true" if value else "false"
    if dtype.kind == "f":
        return _float_literal(value, str(value), dtype)
    limits = np.iinfo(dtype)
    if not limits.min <= int(value) <= limits.max:
        raise OverflowError(f"{value} does not fit {dtype}")
    return str(int(value))


@lru_cache(maxsize=256, typed=True)
def _float_literal(value: Number, text: str, dtype: Dtype) -> str:
    """A float's literal; the text tells 0.0 from -0.0, which are equal."""
    with np.errstate(over="ignore"):
        rounded = float(dtype.type(value))
    return f"0x{struct.unpack('>Q', struct.pack('>d', rounded))[0]:016X}"


def number_of(ref: str) -> float:
    """Return the number of a literal; NaN if `ref` is no literal."""
    return struct.unpack(">d", bytes.fromhex(ref[2:]))[0] if ref.startswith("0x") else math.nan


class Value:
    """Elements in registers.

    Parameters
    ----------
    emitter : Expressions
        The reader that computes with it.
    ref : str
        The name of the register, or of the operation whose result it is; or a literal.
    dtype : numpy.dtype
        The elements' dtype (never float16 or bfloat16).
    lanes : int
        Number of elements; 1 is a scalar, which is broadcast.
    bounds : tuple of float, optional
        The least and the largest number that an element may be, except NaN, if known.
    """

    __slots__ = ("_bounds", "dtype", "emitter", "lanes", "ref")
    __hash__ = object.__hash__

    def __init__(
        self, emitter: Expressions, ref: str, dtype: Dtype, lanes: int, bounds: Bounds | None = None
    ) -> None:
        self.emitter, self.ref, self.dtype, self.lanes = emitter, ref, dtype, lanes
        self._bounds = bounds

    @property
    def bounds(self) -> Bounds:
        """The least and the largest number that an element may be, except NaN, as far as known."""
        if self._bounds is None:
            number = number_of(self.ref) if self.dtype.kind == "f" else math.nan
            self._bounds = UNBOUNDED if math.isnan(number) else (number, number)
        return self._bounds

    def within(self, bounds: Bounds) -> Value:
        """Return the same value with known bounds: all elements but NaN are within them."""
        return Value(self.emitter, self.ref, self.dtype, self.lanes, bounds)

    @property
    def type(self) -> str:
        """LLVM's type."""
        return vector_type(self.dtype, self.lanes)

    @property
    def is_literal(self) -> bool:
        """Whether it is a constant."""
        return self.lanes == 1 and not self.ref.startswith("%")

    def astype(self, dtype: Any) -> Value:
        """Convert like NumPy's ``astype``."""
        return self.emitter.astype(self, dtype)

    def __bool__(self) -> bool:
        raise TypeError(
            "an expression that is compiled cannot branch on its values: use m.where(condition, "
            "a, b), or & and | instead of `and` and `or`"
        )

    def __add__(self, other: Operand) -> Value:
        return self.emitter.add(self, other)

    def __radd__(self, other: Operand) -> Value:
        return self.emitter.add(other, self)

    def __sub__(self, other: Operand) -> Value:
        return self.emitter.subtract(self, other)

    def __rsub__(self, other: Operand) -> Value:
        return self.emitter.subtract(other, self)

    def __mul__(self, other: Operand) -> Value:
        return self.emitter.multiply(self, other)

    def __rmul__(self, other: Operand) -> Value:
        return self.emitter.multiply(other, self)

    def __truediv__(self, other: Operand) -> Value:
        return self.emitter.divide(self, other)

    def __rtruediv__(self, other: Operand) -> Value:
        return self.emitter.divide(other, self)

    def __floordiv__(self, other: Operand) -> Value:
        return self.emitter.floor_divide(self, other)

    def __rfloordiv__(self, other: Operand) -> Value:
        return self.emitter.floor_divide(other, self)

    def __mod__(self, other: Operand) -> Value:
        return self.emitter.remainder(self, other)

    def __rmod__(self, other: Operand) -> Value:
        return self.emitter.remainder(other, self)

    def __pow__(self, other: Operand) -> Value:
        return self.emitter.raised(self, other)

    def __rpow__(self, other: Operand) -> Value:
        return self.emitter.power(other, self)

    def __neg__(self) -> Value:
        return self.emitter.negative(self)

    def __pos__(self) -> Value:
        return self

    def __abs__(self) -> Value:
        return self.emitter.abs(self)

    def __lt__(self, other: Operand) -> Value:
        return self.emitter.less(self, other)

    def __le__(self, other: Operand) -> Value:
        return self.emitter.less_equal(self, other)

    def __gt__(self, other: Operand) -> Value:
        return self.emitter.greater(self, other)

    def __ge__(self, other: Operand) -> Value:
        return self.emitter.greater_equal(self, other)

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return self.emitter.equal(self, other)

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return self.emitter.not_equal(self, other)

    def __and__(self, other: Operand) -> Value:
        return self.emitter.bitwise_and(self, other)

    __rand__ = __and__

    def __or__(self, other: Operand) -> Value:
        return self.emitter.bitwise_or(self, other)

    __ror__ = __or__

    def __xor__(self, other: Operand) -> Value:
        return self.emitter.bitwise_xor(self, other)

    __rxor__ = __xor__

    def __invert__(self) -> Value:
        return self.emitter.invert(self)

    def __lshift__(self, other: Operand) -> Value:
        return self.emitter.left_shift(self, other)

    def __rshift__(self, other: Operand) -> Value:
        return self.emitter.right_shift(self, other)
