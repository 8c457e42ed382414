"""The operations of scalar programs: one closed table.

Each is written by the emitter's method, or the rule of `maths`, of the same name.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from gluonic.codegen.machine.target import Target
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, Dtype
from gluonic.graph.scalar_math import M
from gluonic.support.record import record

Operands = Literal["alike", "floats", "integers", "choice"]


@record
class Operation:
    """What is known of an operation.

    Attributes
    ----------
    arity : the number of operands
    operands : the dtype in which it computes: the one its operands are promoted to (``"alike"``); likewise, but
        integers become floats (``"floats"``), or booleans int8 (``"integers"``); that of the last two operands,
        the first being a condition (``"choice"``)
    kinds : the kinds of dtypes in which it computes
    is_test : whether its result is a boolean; otherwise it has the dtype in which it computes
    length : about the number of instructions for one element on processors with fused multiply-adds, in float32
    wide_length, whole_length : the same in float64, and in integers; by default as in float32
    halves : the two operations that it can be cut in, by dtype. The second takes the result of the first, then
        the operands; hardly anything else is live between them
    halves_need_fma : whether it can be cut only where the processor has fused multiply-adds
    numpy : what it computes, in NumPy; by default the function of its name in `graph.scalar_math`
    """

    arity: int
    operands: Operands = "alike"
    kinds: str = "fiub"
    is_test: bool = False
    length: int = 1
    wide_length: int | None = None
    whole_length: int | None = None
    halves: Mapping[Dtype, tuple[str, str]] | None = None
    halves_need_fma: bool = False
    numpy: Callable[..., Any] | None = None

    def length_for(self, dtype: Dtype) -> int:
        """About the number of machine instructions for one element."""
        own = (
            self.whole_length
            if dtype.kind != "f"
            else None
            if dtype != FLOAT64
            else self.wide_length
        )
        return self.length if own is None else own

    def halves_for(self, dtype: Dtype, target: Target) -> tuple[str, str] | None:
        """The two operations that it can be cut in for a processor; None if it can't."""
        if self.halves is None or (self.halves_need_fma and not target.has_fma):
            return None
        return self.halves.get(dtype)


def _floats(arity: int, length: int, wide_length: int | None = None, **others: Any) -> Operation:
    return Operation(arity, "floats", "f", length=length, wide_length=wide_length, **others)


def _test(arity: int, length: int = 1) -> Operation:
    return Operation(arity, is_test=True, length=length, whole_length=1)


def _bits(arity: int) -> Operation:
    return Operation(arity, kinds="iub")


def _integers(length: int, whole_length: int) -> Operation:
    return Operation(2, "integers", "fiu", length=length, whole_length=whole_length)


def _bend(x: Any) -> Any:
    """What `gelu` computes with besides powers: how far its inverse curve is from a line."""
    a = abs(x)
    return 1 / (M.exp(a * a / 2) * M.ndtr(-a)) - 2.5066282746310002 * a


_TANH = ("tanh_begun", "tanh_ended")

OPERATIONS: dict[str, Operation] = {
    "add": Operation(2),
    "subtract": Operation(2, kinds="fiu"),
    "multiply": Operation(2),
    "negative": Operation(1, kinds="fiu"),
    "fma": Operation(3, kinds="f", numpy=lambda a, b, c: a * b + c),
    "mad": Operation(3, kinds="f", numpy=lambda a, b, c: a * b + c),
    "divide": _floats(2, 1),
    "sqrt": _floats(1, 1),
    "abs": Operation(1, whole_length=3),
    "sign": Operation(1, length=7, whole_length=5),
    "maximum": Operation(2, length=2),
    "minimum": Operation(2, length=2),
    "floor": Operation(1, whole_length=0),
    "ceil": Operation(1, whole_length=0),
    "trunc": Operation(1, whole_length=0),
    "rint": Operation(1, whole_length=0),
    "copysign": _floats(2, 1),
    "less": _test(2),
    "less_equal": _test(2),
    "greater": _test(2),
    "greater_equal": _test(2),
    "equal": _test(2),
    "not_equal": _test(2),
    "isnan": _test(1),
    "isinf": _test(1, 2),
    "isfinite": _test(1, 2),
    "signbit": _test(1, 2),
    "where": Operation(3, "choice"),
    "bitwise_and": _bits(2),
    "bitwise_or": _bits(2),
    "bitwise_xor": _bits(2),
    "invert": _bits(1),
    "left_shift": _bits(2),
    "right_shift": _bits(2),
    "fmod": _integers(24, 5),
    "remainder": _integers(32, 12),
    "floor_divide": _integers(45, 22),
    "integer_power": Operation(2, kinds="iub", length=192, numpy=lambda x, y: x**y),
    "power": _floats(2, 102, 198),
    "hypot": _floats(2, 27, 24),
    "cbrt": _floats(1, 58, 56),
    "exp": _floats(1, 22, 27),
    "exp2": _floats(1, 25, 31),
    "expm1": _floats(1, 26, 32),
    "log": _floats(1, 36, 41),
    "log2": _floats(1, 54, 52),
    "log10": _floats(1, 54, 52),
    "log1p": _floats(1, 47, 52),
    "logaddexp": _floats(2, 76, 86),
    "softrelu": _floats(1, 71, 81, numpy=lambda x: M.logaddexp(x, 0)),
    "sigmoid": _floats(1, 20, 25),
    "tanh": _floats(1, 28, 34, halves={FLOAT32: _TANH, FLOAT64: _TANH}),
    "tanh_begun": _floats(1, 17, 23, numpy=lambda x: M.expm1(2 * abs(x)) / 2),
    "tanh_ended": _floats(2, 11, numpy=lambda grown, x: M.copysign(grown / (grown + 1), x)),
    "sinh": _floats(1, 37, 35),
    "cosh": _floats(1, 28, 34),
    "sin": _floats(1, 40, 73),
    "cos": _floats(1, 38, 71),
    "tan": _floats(1, 72, 70),
    "arcsin": _floats(1, 36, 43),
    "arccos": _floats(1, 39, 46),
    "arctan": _floats(1, 28, 35),
    "arctan2": _floats(2, 47, 54),
    "arcsinh": _floats(1, 66, 64),
    "arccosh": _floats(1, 65, 63),
    "arctanh": _floats(1, 65, 63),
    "erf": _floats(1, 38, 61),
    "erfinv": _floats(1, 135, 133),
    "erfc": _floats(1, 185, 183, numpy=lambda x: 2 * M.ndtr(-x * 2**0.5)),
    "gelu": _floats(
        1, 51, 121, halves={FLOAT32: ("gelu_begun", "gelu_ended")}, halves_need_fma=True
    ),
    "gelu_begun": _floats(1, 13, numpy=_bend),
    "gelu_ended": _floats(2, 41, numpy=lambda bend, x: M.gelu(x)),
    "gamma": _floats(1, 321, 319),
    "gammaln": _floats(1, 404, 402),
    "digamma": _floats(1, 171, 169),
    "trigamma": _floats(1, 115, 113, numpy=lambda x: M.polygamma(1, x)),
}
