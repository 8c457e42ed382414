"""The functions that scalar expressions may use, read by NumPy: ``m`` in ``lambda m, x: m.exp(x)``.

The other reader is the compiler's recorder, which has the same names for operations. Most are
NumPy's; below are those that NumPy lacks or that MXNet defines differently for some dtypes. Real
functions compute integers in float64. SciPy is imported only for large computations.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.graph.error_function import LEAST, NORMAL_PEAK, gelu, gelu_slope
from gluonic.graph.extrema import with_numbers
from gluonic.graph.few_elements import of_few

_REAL_FUNCTIONS = (
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "cbrt", "cos", "cosh",
    "degrees", "exp", "expm1", "hypot", "log", "log10", "log1p", "log2", "power", "radians", "sin",
    "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
_SPECIAL_FUNCTIONS = ("digamma", "erf", "erfinv", "gamma", "gammaln", "ndtr", "polygamma", "zeta")


def _widened(x: Any) -> Any:
    """Integers as float64, other dtypes unchanged."""
    dtype = getattr(x, "dtype", None)
    return x.astype(np.float64) if dtype is not None and dtype.kind in "iub" else x


def _wide(x: Any) -> Any:
    """float16 as float32, for computations with several roundings; other dtypes unchanged."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def _attribute(number: float, x: Any) -> float:
    """A number rounded to float16 if `x` is float16; otherwise unchanged."""
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
    """A function of real numbers, replaced by another at zero and negative integers.

    There, SciPy's releases differ from each other and from MXNet.
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
"""The gamma function as in C, the digamma function as in MXNet."""


def _sigmoid(x: Any) -> Any:
    """The logistic function; float16 is computed in float32, where the exponential does not overflow."""
    x = _widened(_wide(x))
    return 1 / (1 + np.exp(-x))


def _gelu(x: Any) -> Any:
    """A number times the normal distribution's cumulative probability at it."""
    x = _wide(x)
    return gelu(x) if x.dtype == np.float32 else np.maximum(x, LEAST) * M.ndtr(x)


def _gelu_slope(x: Any) -> Any:
    """The derivative of `_gelu`."""
    x = _wide(x)
    if x.dtype == np.float32:
        return gelu_slope(x)
    bounded = np.clip(x, LEAST, -LEAST)
    return M.ndtr(x) + bounded * np.exp(-0.5 * bounded * bounded) * NORMAL_PEAK


def _astype(x: Any, dtype: Any) -> Any:
    return np.asarray(x).astype(dtype)


def _quotient(x: Any, y: Any) -> Any:
    """Division; for integers, rounded towards zero, and zero if the divisor is zero."""
    if np.result_type(x, y).kind not in "iu":
        return np.true_divide(x, y)
    whole = np.floor_divide(x, y)
    return whole + ((whole < 0) & (whole * y != x))


def _times(number: float, x: Any) -> Any:
    """A number times an array; the array itself if the number is 1."""
    return x if number == 1 else number * x


def _mod(x: Any, y: Any) -> Any:
    """The remainder with the sign of the divisor, and zero if the divisor is zero."""
    return np.where(np.equal(y, 0), np.zeros_like(y), np.mod(x, y))


def _like(scalar: float, x: Any) -> Any:
    """A number converted to the dtype of `x`, as by a C cast."""
    dtype = x.dtype
    return dtype.type(scalar) if dtype.kind == "f" else np.float64(scalar).astype(dtype)


def _operand(x: Any, is_int: bool) -> Any:
    """An array with a number: integers stay integers with an integer, bool becoming int64; else float64."""
    kind = x.dtype.kind
    if kind == "b":
        return x.astype(np.int64 if is_int else np.float64)
    return x.astype(np.float64) if kind in "iu" and not is_int else x


class ScalarMath:
    """NumPy's functions, some replaced by those above, and SciPy's special functions."""

    sigmoid = staticmethod(_sigmoid)
    gelu = staticmethod(_gelu)
    gelu_slope = staticmethod(_gelu_slope)
    astype = staticmethod(_astype)
    wide = staticmethod(_wide)
    attribute = staticmethod(_attribute)
    quotient = staticmethod(_quotient)
    times = staticmethod(_times)
    mod = staticmethod(_mod)
    like = staticmethod(_like)
    operand = staticmethod(_operand)
    maximum = staticmethod(with_numbers(np.maximum))
    minimum = staticmethod(with_numbers(np.minimum))

    def __getattr__(self, name: str) -> Any:
        if name in _SPECIAL_FUNCTIONS:
            function = _special(name)
        elif name in _REAL_FUNCTIONS:
            function = _of_reals(getattr(np, name))
        else:
            function = getattr(np, name)
        setattr(ScalarMath, name, staticmethod(function))  # later look-ups do not come here
        return function


M = ScalarMath()
