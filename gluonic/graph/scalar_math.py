"""The functions that scalar expressions may use, read by NumPy: ``m`` in ``lambda m, x: m.exp(x)``.

The other reader is the compiler's emitter, which has the same names for LLVM values. Most are
NumPy's; below are those that NumPy lacks or that MXNet defines otherwise for some dtypes. Functions
of real numbers compute integers in float64. SciPy is imported when much is computed with it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.graph.few_elements import of_few

_REAL_FUNCTIONS = (
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "cbrt", "cos", "cosh",
    "degrees", "exp", "expm1", "hypot", "log", "log10", "log1p", "log2", "power", "radians", "sin",
    "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
_SPECIAL_FUNCTIONS = ("digamma", "erf", "erfinv", "gamma", "gammaln", "ndtr", "polygamma", "zeta")
_LEAST = -50.0
"""Below it there is no probability left; products with it are 0, which those with -inf would not be."""


def _widened(x: Any) -> Any:
    """Integers as float64, everything else as it is."""
    dtype = getattr(x, "dtype", None)
    return x.astype(np.float64) if dtype is not None and dtype.kind in "iub" else x


def _wide(x: Any) -> Any:
    """float16 as float32, for what takes several steps that round; everything else as it is."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def _attribute(number: float, x: Any) -> float:
    """A number beside float16, rounded to it; beside everything else as it is."""
    return float(np.float16(number)) if x.dtype == np.float16 else number


def _of_reals(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: function(*map(_widened, values))


def _special(name: str) -> Callable[..., Any]:
    def call(*values: Any) -> Any:
        found = of_few(name, values[0])
        if found is not None:
            return found
        import scipy.special

        function = _of_reals(getattr(scipy.special, name))
        if name in _AT_POLES:
            function = _with_poles(function, _AT_POLES[name])
        setattr(ScalarMath, name, staticmethod(function))
        return function(*values)

    return call


def _with_poles(
    function: Callable[[Any], Any], at_pole: Callable[[Any], Any]
) -> Callable[[Any], Any]:
    """A function of real numbers, and what another one says at zero and at whole numbers below.

    There SciPy's releases differ, from each other and from MXNet.
    """

    def complete(x: Any) -> Any:
        x = _widened(x)
        found = function(x)
        return np.where((x <= 0) & (x == np.floor(x)), at_pole(x), found).astype(found.dtype)

    return complete


_AT_POLES: dict[str, Callable[[Any], Any]] = {
    "gamma": lambda x: np.where(x == 0, np.copysign(np.inf, x), np.nan),
    "digamma": lambda x: np.inf,
}
"""The gamma function as C defines it, its logarithm's derivative as MXNet does."""


def _sigmoid(x: Any) -> Any:
    """The logistic function; of float16 in float32, where the exponential does not overflow."""
    x = _widened(_wide(x))
    return 1 / (1 + np.exp(-x))


def _gelu(x: Any) -> Any:
    """A number times the normal distribution's probability below it."""
    x = _wide(x)
    return np.maximum(x, _LEAST) * M.ndtr(x)


def _astype(x: Any, dtype: Any) -> Any:
    return np.asarray(x).astype(dtype)


def _quotient(x: Any, y: Any) -> Any:
    """Division; of integers, rounded towards zero, and zero where the divisor is."""
    if np.result_type(x, y).kind not in "iu":
        return np.true_divide(x, y)
    whole = np.floor_divide(x, y)
    return whole + ((whole < 0) & (whole * y != x))


def _mod(x: Any, y: Any) -> Any:
    """The remainder with the sign of the divisor, and zero where the divisor is."""
    return np.where(np.equal(y, 0), np.zeros_like(y), np.mod(x, y))


def _like(scalar: float, x: Any) -> Any:
    """A number in the dtype of `x`, as a C cast converts it."""
    dtype = x.dtype
    return dtype.type(scalar) if dtype.kind == "f" else np.float64(scalar).astype(dtype)


def _operand(x: Any, is_int: bool) -> Any:
    """An array beside a number: integers become float64 unless the number is whole, bool int64."""
    kind = x.dtype.kind
    if kind == "b":
        return x.astype(np.int64 if is_int else np.float64)
    return x.astype(np.float64) if kind in "iu" and not is_int else x


class ScalarMath:
    """NumPy's functions, those above instead of NumPy's own, and SciPy's special functions."""

    sigmoid = staticmethod(_sigmoid)
    gelu = staticmethod(_gelu)
    astype = staticmethod(_astype)
    wide = staticmethod(_wide)
    attribute = staticmethod(_attribute)
    quotient = staticmethod(_quotient)
    mod = staticmethod(_mod)
    like = staticmethod(_like)
    operand = staticmethod(_operand)

    def __getattr__(self, name: str) -> Any:
        if name in _SPECIAL_FUNCTIONS:
            function = _special(name)
        elif name in _REAL_FUNCTIONS:
            function = _of_reals(getattr(np, name))
        else:
            function = getattr(np, name)
        setattr(ScalarMath, name, staticmethod(function))  # found at once the next time
        return function


M = ScalarMath()
