"""The third reader of scalar expressions, after NumPy and LLVM: ``m`` in ``lambda m, x: m.exp(x)`` writes ONNX.

So an element-wise operator needs no row in the table; one that ONNX has under a name of its own has one.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.onnx.errors import NotExportable
from gluonic.onnx.writer import BOOL, OnnxValue, OnnxWriter

_SAME = {
    "abs": "Abs", "arccos": "Acos", "arccosh": "Acosh", "arcsin": "Asin", "arcsinh": "Asinh",
    "arctan": "Atan", "arctanh": "Atanh", "ceil": "Ceil", "cos": "Cos", "cosh": "Cosh", "erf": "Erf",
    "exp": "Exp", "floor": "Floor", "isnan": "IsNaN", "log": "Log", "negative": "Neg",
    "sigmoid": "Sigmoid", "sin": "Sin", "sinh": "Sinh", "sqrt": "Sqrt", "tan": "Tan", "tanh": "Tanh",
}  # fmt: skip
_BITS = {"bitwise_and": "BitwiseAnd", "bitwise_or": "BitwiseOr", "bitwise_xor": "BitwiseXor"}
_LANCZOS = (
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
    1.5056327351493116e-7,
)  # fmt: skip
"""The coefficients of Lanczos's approximation of the gamma function, for g = 7."""


class Scalar:
    """A value with Python's arithmetic and comparisons."""

    __slots__ = ("o", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, o: OnnxWriter, value: OnnxValue) -> None:
        self.o, self.value = o, value

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of its elements."""
        return self.value.dtype

    def _with(self, op_type: str, other: Any, *, reverse: bool = False) -> "Scalar":
        one, another = common(self, other)
        if reverse:
            one, another = another, one
        return Scalar(self.o, getattr(self.o, op_type)(one, another))

    def __add__(self, other: Any) -> "Scalar":
        return self._with("Add", other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Scalar":
        return self._with("Sub", other)

    def __rsub__(self, other: Any) -> "Scalar":
        return self._with("Sub", other, reverse=True)

    def __mul__(self, other: Any) -> "Scalar":
        return self._with("Mul", other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "Scalar":
        return self._with("Div", other)

    def __rtruediv__(self, other: Any) -> "Scalar":
        return self._with("Div", other, reverse=True)

    def __neg__(self) -> "Scalar":
        return Scalar(self.o, self.o.Neg(self.value))

    def __eq__(self, other: object) -> "Scalar":  # type: ignore[override]
        return self._with("Equal", other)

    def __ne__(self, other: object) -> "Scalar":  # type: ignore[override]
        equal = self._with("Equal", other)
        return Scalar(self.o, self.o.Not(equal.value))

    def __lt__(self, other: Any) -> "Scalar":
        return self._with("Less", other)

    def __le__(self, other: Any) -> "Scalar":
        return self._with("LessOrEqual", other)

    def __gt__(self, other: Any) -> "Scalar":
        return self._with("Greater", other)

    def __ge__(self, other: Any) -> "Scalar":
        return self._with("GreaterOrEqual", other)

    def __and__(self, other: Any) -> "Scalar":
        return self._with("And", other)

    def __invert__(self) -> "Scalar":
        if self.dtype != BOOL and self.o.opset < 18:
            raise NotExportable("BitwiseNot needs opset 18")
        add = self.o.Not if self.dtype == BOOL else self.o.BitwiseNot
        return Scalar(self.o, add(self.value))

    def __or__(self, other: Any) -> "Scalar":
        return self._with("Or", other)


def common(one: Scalar, other: Any) -> tuple[OnnxValue, OnnxValue]:
    """Two operands in one dtype; a number takes that of the other operand."""
    o = one.o
    if not isinstance(other, Scalar):
        value = one.value
        if value.dtype == BOOL and not isinstance(other, bool):
            value = o.cast(value, np.float32 if isinstance(other, float) else np.int64)
        return value, o.constant(np.array(other).astype(value.dtype))
    dtype = np.result_type(one.dtype, other.dtype)
    return o.cast(one.value, dtype), o.cast(other.value, dtype)


class ScalarWriter:
    """The namespace `m`; functions have the meaning that `graph/scalar_math.py` states."""

    def __init__(self, o: OnnxWriter) -> None:
        self._o = o

    def __getattr__(self, name: str) -> Callable[..., Scalar]:
        if name in _SAME:
            return lambda x: self._of_real(_SAME[name], x)
        if name in _BITS:
            return lambda x, y: x._with(self._bits(_BITS[name], x), y)
        raise NotExportable(f"ONNX has no function {name}")

    def _bits(self, op_type: str, x: Scalar) -> str:
        if x.dtype == BOOL:
            return op_type.removeprefix("Bitwise")
        if self._o.opset < 18:
            raise NotExportable(f"{op_type} needs opset 18")
        return op_type

    def _new(self, value: OnnxValue) -> Scalar:
        return Scalar(self._o, value)

    def _of_real(self, op_type: str, x: Scalar) -> Scalar:
        keeps_integers = op_type in ("Abs", "Neg")
        if op_type in ("Ceil", "Floor") and x.dtype.kind != "f":
            return x
        value = x.value if keeps_integers else self._widened(x).value
        return self._new(getattr(self._o, op_type)(value))

    def _widened(self, x: Scalar) -> Scalar:
        return self.astype(x, np.float64) if x.dtype.kind in "iub" else x

    # ------------------------------------------------------------------------ dtypes

    def astype(self, x: Scalar, dtype: Any) -> Scalar:
        """`x` in another dtype."""
        return self._new(self._o.cast(x.value, dtype))

    def wide(self, x: Scalar) -> Scalar:
        """float16 as float32."""
        return self.astype(x, np.float32) if x.dtype == np.float16 else x

    def attribute(self, number: float, x: Scalar) -> float:
        """A number as precise as `x`."""
        return float(np.float16(number)) if x.dtype == np.float16 else number

    def like(self, number: float, x: Scalar) -> Scalar:
        """A number in the dtype of `x`."""
        return self._new(self._o.constant(np.array(number).astype(x.dtype)))

    def operand(self, x: Scalar, is_int: bool) -> Scalar:
        """An array beside a number."""
        if x.dtype.kind == "b":
            return self.astype(x, np.int64 if is_int else np.float64)
        return self._widened(x) if not is_int else x

    # ------------------------------------------------------------------------ choices

    def where(self, condition: Scalar, x: Any, y: Any) -> Scalar:
        """`x` where the condition holds, else `y`."""
        if not isinstance(x, Scalar):
            x = self.like(x, y)
        one, another = common(x, y)
        return self._new(self._o.Where(condition.value, one, another, result=one.dtype))

    def maximum(self, x: Scalar, y: Any) -> Scalar:
        """The larger one."""
        if not isinstance(y, Scalar) and y == 0 and x.dtype.kind == "f":
            return self._new(self._o.Relu(x.value))
        return x._with("Max", y)

    def minimum(self, x: Scalar, y: Any) -> Scalar:
        """The smaller one."""
        return x._with("Min", y)

    def logical_not(self, x: Scalar) -> Scalar:
        """Whether `x` is zero."""
        return self._new(self._o.Not(self.astype(x, BOOL).value))

    def _logical(self, op_type: str, x: Scalar, y: Scalar) -> Scalar:
        return self.astype(x, BOOL)._with(op_type, self.astype(y, BOOL))

    def logical_and(self, x: Scalar, y: Scalar) -> Scalar:
        """Whether neither is zero."""
        return self._logical("And", x, y)

    def logical_or(self, x: Scalar, y: Scalar) -> Scalar:
        """Whether one is not zero."""
        return self._logical("Or", x, y)

    def logical_xor(self, x: Scalar, y: Scalar) -> Scalar:
        """Whether exactly one is zero."""
        return self._logical("Xor", x, y)

    def isinf(self, x: Scalar) -> Scalar:
        """Whether `x` is infinite."""
        return self._new(self._o.IsInf(self._widened(x).value))

    def isfinite(self, x: Scalar) -> Scalar:
        """Whether `x` is neither infinite nor NaN."""
        x = self._widened(x)
        return self.abs(x) < self.like(math.inf, x)

    def equal(self, x: Scalar, y: Any) -> Scalar:
        """Whether both are equal."""
        return x._with("Equal", y)

    def not_equal(self, x: Scalar, y: Any) -> Scalar:
        """Whether both differ."""
        return self.logical_not(x._with("Equal", y))

    # ------------------------------------------------------------------------ functions

    def times(self, number: float, x: Scalar) -> Scalar:
        """A number times `x`."""
        return x if number == 1 else x._with("Mul", number)

    def square(self, x: Scalar) -> Scalar:
        """The square."""
        return x._with("Mul", x)

    def trunc(self, x: Scalar) -> Scalar:
        """The integer without the fraction."""
        return self.where(x < 0, self.ceil(x), self.floor(x))

    def quotient(self, x: Scalar, y: Scalar) -> Scalar:
        """Division; of integers towards zero, and zero for a zero divisor."""
        if np.result_type(x.dtype, y.dtype).kind not in "iu":
            return x / y
        is_zero = y == 0
        return self.where(is_zero, self.like(0, y), x / self.where(is_zero, self.like(1, y), y))

    def mod(self, x: Scalar, y: Scalar) -> Scalar:
        """The remainder with the divisor's sign."""
        is_zero = y == 0
        divisor = self.where(is_zero, self.like(1, y), y)
        whole = divisor.dtype.kind in "iu"
        rest = x._with("Mod", divisor) if whole else x - self.floor(x / divisor) * divisor
        return self.where(is_zero, self.like(0, rest), rest)

    def power(self, x: Any, y: Scalar) -> Scalar:
        """A power; integers are computed in float64."""
        if not isinstance(x, Scalar):
            x = self.like(x, self._widened(y))
        return self._widened(x)._with("Pow", self._widened(y))

    def rint(self, x: Scalar) -> Scalar:
        """The nearest integer, ties to even."""
        return self._new(self._o.Round(self._widened(x).value))

    def hypot(self, x: Scalar, y: Scalar) -> Scalar:
        """The length of (x, y)."""
        x, y = self._widened(x), self._widened(y)
        return self.sqrt(x * x + y * y)

    def cbrt(self, x: Scalar) -> Scalar:
        """The cube root."""
        x = self._widened(x)
        sign = self._new(self._o.Sign(x.value))
        return sign * self.power(self.abs(x), self.like(1 / 3, x))

    def log2(self, x: Scalar) -> Scalar:
        """The logarithm to base 2."""
        return self.log(x) * (1 / math.log(2))

    def log10(self, x: Scalar) -> Scalar:
        """The logarithm to base 10."""
        return self.log(x) * (1 / math.log(10))

    def degrees(self, x: Scalar) -> Scalar:
        """Radians as degrees."""
        return self._widened(x) * (180 / math.pi)

    def radians(self, x: Scalar) -> Scalar:
        """Degrees as radians."""
        return self._widened(x) * (math.pi / 180)

    def log1p(self, x: Scalar) -> Scalar:
        """``log(1 + x)``, exact for small numbers: the rounding of ``1 + x`` is divided out."""
        x = self._widened(x)
        total = x + 1
        rounded = total - 1
        is_lost = rounded == 0
        quotient = self.log(total) * (x / self.where(is_lost, self.like(1, x), rounded))
        return self.where(is_lost, x, self.where(total == math.inf, total, quotient))

    def expm1(self, x: Scalar) -> Scalar:
        """``exp(x) - 1``, exact for small numbers: ``tanh(x / 2) (exp(x) + 1)``."""
        x = self._widened(x)
        exact = self.tanh(x * 0.5) * (self.exp(x) + 1)
        return self.where(self.abs(x) < 1, exact, self.exp(x) - 1)

    def gelu(self, x: Scalar) -> Scalar:
        """A number times the normal distribution's cumulative probability at it."""
        x = self.wide(x)
        return x * 0.5 * (self.erf(x * math.sqrt(0.5)) + 1)

    def gammaln(self, x: Scalar) -> Scalar:
        """The logarithm of the gamma function's absolute value, by Lanczos's approximation."""
        x = self.astype(x, np.float64)
        reflects = x < 0.5
        y = self.where(reflects, 1 - x, x) - 1
        total = self.like(_LANCZOS[0], y)
        for position, coefficient in enumerate(_LANCZOS[1:], 1):
            total = total + coefficient / (y + position)
        t = y + 7.5
        found = (y + 0.5) * self.log(t) - t + self.log(total * math.sqrt(2 * math.pi))
        # Γ(x) Γ(1 - x) = π / sin(πx); the sine of the fraction alone, which is exact.
        fraction = x - self.floor(x)
        sine = self.abs(self.sin(fraction * math.pi))
        return self.where(reflects, math.log(math.pi) - self.log(sine) - found, found)

    def gamma(self, x: Scalar) -> Scalar:
        """The gamma function, from its logarithm."""
        x = self.astype(x, np.float64)
        size = self.exp(self.gammaln(x))
        half = self.floor(x) * 0.5
        is_odd = self.floor(half) != half
        return self.where(self.logical_and(x < 0, is_odd), -size, size)

    def erfinv(self, x: Scalar) -> Scalar:
        """The inverse of erf: Giles's approximation."""
        x = self.astype(x, np.float64)
        w = -self.log((1 - x) * (1 + x))
        y = self._giles(x, w)
        edge = self.where(x < 0, self.like(-math.inf, x), self.like(math.inf, x))
        return self.where(self.abs(x) == 1, edge, y)

    def _giles(self, x: Scalar, w: Scalar) -> Scalar:
        near, far = w - 2.5, self.sqrt(self.maximum(w, self.like(5.0, w))) - 3
        return self.where(w < 5, self._series(_NEAR, near), self._series(_FAR, far)) * x

    def _series(self, coefficients: tuple[float, ...], x: Scalar) -> Scalar:
        total = self.like(coefficients[0], x)
        for coefficient in coefficients[1:]:
            total = total * x + coefficient
        return total

    def arctan2(self, y: Scalar, x: Scalar) -> Scalar:
        """The angle of (x, y)."""
        y, x = self._widened(y), self._widened(x)
        is_zero = x == 0
        angle = self.arctan(y / self.where(is_zero, self.like(1, x), x))
        half = self.where(y < 0, self.like(-math.pi, y), self.like(math.pi, y))
        at_zero = self.where(y == 0, self.like(0, y), half * 0.5)
        return self.where(is_zero, at_zero, self.where(x < 0, angle + half, angle))


_NEAR = (
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
    -0.00417768164, 0.246640727, 1.50140941,
)  # fmt: skip
_FAR = (
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
    0.00943887047, 1.00167406, 2.83297682,
)  # fmt: skip
"""The polynomials of M. Giles's approximation of erfinv (GPU Computing Gems, 2011)."""
