"""The namespace that evaluates an expression to machine code.

An element-wise operator is one callable ``expression(m, *values, **attributes)``. With NumPy as ``m``
it computes arrays; with an :class:`Emitter` it writes SIMD instructions. This module has arithmetic and
rounding, ``logic`` has comparison and selection. exp and similar functions are looked up in the tables
of the other ``maths`` modules, which are imported on first use. An unknown function raises
:class:`NotLowered`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from gluonic.codegen.maths.bounds import bounds_of, bounds_of_fma, extreme_of, negated, size_of
from gluonic.codegen.maths.functions import NotLowered, lookup
from gluonic.codegen.maths.logic import Logic
from gluonic.codegen.maths.values import (
    BOOL,
    FLOAT32,
    INT32,
    INT64,
    Dtype,
    Operand,
    Value,
    literal,
)


class Emitter(Logic):
    """Evaluates expressions, and writes their instructions into a function.

    Parameters
    ----------
    function : Function
        The function that instructions are written to.
    """

    def __getattr__(self, name: str) -> Callable[..., Value]:
        lowering = None if name.startswith("_") else lookup(name)
        if lowering is not None:
            return partial(lowering, self)
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotLowered(f"{name} has no machine code")

    def fma(self, a: Operand, b: Operand, c: Operand) -> Value:
        """Return ``a * b + c`` rounded once."""
        return self._fused(self.common(a, b, c))

    def mad(self, a: Operand, b: Operand, c: Operand) -> Value:
        """Return ``a * b + c`` as fast as the target can, rounded once or twice."""
        values = self.common(a, b, c)
        if self.target.has_fma:
            self._keep_order(max([value.lanes for value in values]), values[0].dtype)
            return self._fused(values)
        left, right, addend = values
        return self.add(self.multiply(left, right), addend)

    def _fused(self, values: Sequence[Value]) -> Value:
        return self.intrinsic("fma", *values).within(bounds_of_fma(*values))

    def _keep_order(self, lanes: int, dtype: Dtype) -> None:
        """Keep LLVM from moving instructions across this position, if they fill several registers.

        To save registers, LLVM would serialize interleaved computations, and the processor would wait
        for each step of each polynomial. A label, which costs nothing, is a barrier for its scheduler.
        """
        if lanes * dtype.itemsize > self.target.vector_bytes:
            hint = self.function.module.hint('!"step"')
            name = self.function.module.declare("llvm.codeview.annotation", "void", ["metadata"])
            self.function.do(f"call void {name}(metadata {hint})")

    def horner(self, x: Value, coefficients: tuple[float, ...]) -> Value:
        """Evaluate a polynomial; `coefficients` begin with the constant term."""
        result = self.constant(coefficients[-1], x.dtype)
        for coefficient in reversed(coefficients[:-1]):
            result = self.mad(result, x, coefficient)
        return result

    # -- arithmetic ---------------------------------------------------------------------------

    def _binary(self, real: str, integer: str, a: Operand, b: Operand) -> Value:
        values = self.common(a, b)
        dtype = values[0].dtype
        if dtype == BOOL:
            raise NotLowered(f"{integer} of two booleans")
        if dtype.kind == "f":
            return self.instruction(real, values).within(bounds_of(real, values))
        return self.instruction(integer, values)

    def add(self, a: Operand, b: Operand) -> Value:
        """Return the sum; for booleans, the logical or."""
        values = self.common(a, b)
        if values[0].dtype == BOOL:
            return self.bitwise_or(*values)
        return self._binary("fadd", "add", *values)

    def subtract(self, a: Operand, b: Operand) -> Value:
        """Return the difference."""
        return self._binary("fsub", "sub", a, b)

    def multiply(self, a: Operand, b: Operand) -> Value:
        """Return the product; for booleans, the logical and."""
        values = self.common(a, b)
        if values[0].dtype == BOOL:
            return self.bitwise_and(*values)
        return self._binary("fmul", "mul", *values)

    def divide(self, a: Operand, b: Operand) -> Value:
        """Return the true quotient: integers are divided as floats."""
        return self.instruction("fdiv", self.floating(a, b))

    def ratio(self, a: Value, b: Value) -> Value:
        """Return the quotient as fast as the target can: on a GPU, the last two bits of a float32 may be wrong.

        Neither may be near overflow or underflow.
        """
        fast = self.target.is_gpu and a.dtype == FLOAT32
        return self.instruction("fdiv afn" if fast else "fdiv", [a, b])

    def negative(self, a: Operand) -> Value:
        """Change the sign."""
        (value,) = self.common(a)
        if value.dtype.kind == "f":
            return self.instruction("fneg", [value]).within(negated(value.bounds))
        return self.subtract(self.constant(0, value.dtype), value)

    def abs(self, a: Operand) -> Value:
        """Return the absolute value."""
        (value,) = self.common(a)
        if value.dtype.kind == "f":
            return self.intrinsic("fabs", value).within(size_of(value.bounds))
        if value.dtype.kind == "i":
            return self.where(self.less(value, 0), self.negative(value), value)
        return value

    def sqrt(self, a: Operand) -> Value:
        """Return the square root, correctly rounded."""
        return self.intrinsic("sqrt", *self.floating(a))

    def copysign(self, a: Operand, b: Operand) -> Value:
        """Return `a` with the sign of `b`."""
        return self.intrinsic("copysign", *self.floating(a, b))

    # -- classification, and extremes of two ---------------------------------------------------

    def any_beyond(self, x: Value, limit: float) -> Value:
        """Return, as one condition, whether any lane is NaN or has an absolute value above `limit`."""
        dtype = INT32 if x.dtype == FLOAT32 else INT64
        sizes = self.bitcast(self.abs(x), dtype)  # as integers they have the same order, NaN last
        while sizes.lanes * dtype.itemsize > self.target.vector_bytes:
            half = sizes.lanes // 2
            halves = [self.lanes_of(sizes, start, half) for start in (0, half)]
            sizes = self.intrinsic("smax", *halves)
        return self.bitcast(self.constant(limit, x.dtype), dtype) < sizes

    def isnan(self, a: Operand) -> Value:
        """Return whether `a` is not a number."""
        value = self.asarray(a)
        if value.dtype.kind != "f":
            return self.not_equal(value, value)
        return self.instruction("fcmp uno", [value, value], BOOL)

    def isinf(self, a: Operand) -> Value:
        """Return whether `a` is infinite."""
        value = self.asarray(a)
        if value.dtype.kind != "f":
            return self.not_equal(value, value)
        return self.equal(self.abs(value), self.inf)

    def isfinite(self, a: Operand) -> Value:
        """Return whether `a` is a finite number."""
        value = self.asarray(a)
        if value.dtype.kind != "f":
            return self.equal(value, value)
        return self.less(self.abs(value), self.inf)

    def signbit(self, a: Operand) -> Value:
        """Return whether the sign bit is set (also for -0.0)."""
        value = self.asarray(a)
        if value.dtype.kind == "f":
            value = self.bitcast(value, INT32 if value.dtype == FLOAT32 else INT64)
        return self.less(value, 0)

    def sign(self, a: Operand) -> Value:
        """Return -1, 0 or 1; NaN for NaN."""
        (value,) = self.common(a)
        one = self.constant(1, value.dtype)
        positive = self.where(self.greater(value, 0), one, 0)
        if value.dtype.kind not in "if":
            return positive
        result = self.where(self.less(value, 0), self.negative(one), positive)
        return self.where(self.isnan(value), value, result) if value.dtype.kind == "f" else result

    def _extreme(self, relation: str, a: Operand, b: Operand) -> Value:
        first, second = self.common(a, b)
        if first.dtype.kind != "f":
            return self.where(self._compare(relation, first, second), first, second)
        if _is_number(first) and not _is_number(second):
            first, second = second, first
        bounds = extreme_of(relation, first.bounds, second.bounds)
        if _is_number(second):
            if bounds == first.bounds:
                return first
            result = self._extreme_of_number(relation, first, second)
        else:
            result = self.where(self._compare(relation, first, second), first, second)
            result = self.where(self.isnan(first), first, result)
        return result.within(bounds)

    def _extreme_of_number(self, relation: str, value: Value, number: Value) -> Value:
        """Select with one instruction: if `value` is NaN the comparison is false, which keeps it."""

        def chosen(x: Value) -> Value:
            return self.where(self._compare(relation, number, x), number, x)

        # For zero and several registers at once LLVM would generate two instructions.
        return self.by_register(value, chosen) if number.bounds == (0, 0) else chosen(value)

    def maximum(self, a: Operand, b: Operand) -> Value:
        """Return the larger, or NaN if either is NaN."""
        return self._extreme(">", a, b)

    def minimum(self, a: Operand, b: Operand) -> Value:
        """Return the smaller, or NaN if either is NaN."""
        return self._extreme("<", a, b)

    # -- rounding and conversion --------------------------------------------------------------

    def _rounded(self, name: str, a: Operand) -> Value:
        value = self.asarray(a)
        return self.intrinsic(name, value) if value.dtype.kind == "f" else value

    def floor(self, a: Operand) -> Value:
        """Round down."""
        return self._rounded("floor", a)

    def ceil(self, a: Operand) -> Value:
        """Round up."""
        return self._rounded("ceil", a)

    def trunc(self, a: Operand) -> Value:
        """Round towards zero."""
        return self._rounded("trunc", a)

    def rint(self, a: Operand) -> Value:
        """Round to the nearest integer, halves to even."""
        return self._rounded("rint", a)


def _is_number(value: Value) -> bool:
    """Whether a value is known not to be NaN: a literal other than NaN, or no float at all."""
    return value.dtype.kind != "f" or (
        value.is_literal and value.ref != literal(math.nan, value.dtype)
    )
