"""Functions of elements that MXNet 2.0 adds, over the functions that there were."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from gluonic.mxnet2.numpy.base import functions
from gluonic.mxnet2.numpy.results import in_numpy, written
from gluonic.ndarray import NDArray
from gluonic.symbol import Symbol

__all__ = [
    "bitwise_left_shift", "bitwise_right_shift", "equal", "floor_divide", "fmax", "fmin", "fmod", "gcd",
    "greater", "greater_equal", "less", "less_equal", "logaddexp", "logical_and", "logical_or", "logical_xor",
    "not_equal",
]  # fmt: skip

_f = functions


def _are_numbers(*values: Any) -> bool:
    return not any(isinstance(value, (NDArray, Symbol)) for value in values)


def _is_whole(value: Any) -> bool:
    """Whether the elements of an array, or a number, are integers or truth values."""
    return np.dtype(getattr(value, "dtype", type(value))).kind in "iub"


def _binary(name: str, meaning: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function of two arrays, or of an array and a number, with `out` (a decorator)."""

    def decorate(compute: Callable[..., Any]) -> Callable[..., Any]:
        def call(x1: Any, x2: Any, out: Any = None) -> Any:
            if _are_numbers(x1, x2):
                return getattr(np, name)(x1, x2)
            return written(compute(x1, x2), out)

        call.__name__ = call.__qualname__ = compute.__name__
        call.__module__ = "gluonic.mxnet2.numpy"
        call.__doc__ = (
            f"Return {meaning} of two arrays, broadcast together, or of an array and a number.\n\n"
            "Parameters\n----------\nx1, x2 : arrays or numbers\n"
            "out : the array that receives the result\n"
        )
        return call

    return decorate


def of_one_dtype(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Two operands of a comparison; arrays get the type that both can become."""
    if isinstance(x1, np.ndarray) and x1.ndim and isinstance(x2, NDArray):
        x1 = type(x2)(x1)
    if isinstance(x2, np.ndarray) and x2.ndim and isinstance(x1, NDArray):
        x2 = type(x1)(x2)
    if isinstance(x1, NDArray) and isinstance(x2, NDArray) and x1.dtype != x2.dtype:
        common = np.promote_types(x1.dtype, x2.dtype)
        return x1.astype(common), x2.astype(common)
    return x1, x2


def _comparison(name: str) -> Callable[..., Any]:
    function = _f[name]

    @wraps(function)
    def compare(x1: Any, x2: Any, out: Any = None) -> Any:
        return function(*of_one_dtype(x1, x2), out)

    return compare


equal, not_equal = _comparison("equal"), _comparison("not_equal")
greater, greater_equal = _comparison("greater"), _comparison("greater_equal")
less, less_equal = _comparison("less"), _comparison("less_equal")


@_binary("fmax", "the greater element, and the one that is a number if the other is not,")
def fmax(x1: Any, x2: Any) -> Any:  # noqa: D103 (`_binary` writes it)
    first, second = _both(x1, x2)
    larger = _f["maximum"](first, second)
    return _f["where"](_f["isnan"](first), second, _f["where"](_f["isnan"](second), first, larger))


@_binary("fmin", "the smaller element, and the one that is a number if the other is not,")
def fmin(x1: Any, x2: Any) -> Any:  # noqa: D103 (`_binary` writes it)
    first, second = _both(x1, x2)
    smaller = _f["minimum"](first, second)
    return _f["where"](_f["isnan"](first), second, _f["where"](_f["isnan"](second), first, smaller))


def _both(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Two operands as arrays of one shape and dtype."""
    zero = _f["multiply"](_f["add"](x1, x2), 0)
    zero = _f["where"](_f["isnan"](zero), _f["zeros_like"](zero), zero)
    return _f["add"](x1, zero), _f["add"](x2, zero)


@_binary("fmod", "the remainder, with the sign of the first,")
def fmod(x1: Any, x2: Any) -> Any:  # noqa: D103 (`_binary` writes it)
    rest = _f["mod"](_f["abs"](x1), _f["abs"](x2))
    return _f["multiply"](rest, _f["sign"](x1))


@_binary("floor_divide", "the quotient, rounded downwards,")
def floor_divide(x1: Any, x2: Any) -> Any:  # noqa: D103 (`_binary` writes it)
    if _is_whole(x1) and _is_whole(x2):
        return in_numpy(np.floor_divide, x1, x2)
    return _f["floor"](_f["true_divide"](x1, x2))


@_binary("logaddexp", "the logarithm of the sum of the exponentials")
def logaddexp(x1: Any, x2: Any) -> Any:  # noqa: D103 (`_binary` writes it)
    larger = _f["maximum"](x1, x2)
    apart = _f["abs"](_f["subtract"](x1, x2))
    apart = _f["where"](_f["isnan"](apart), _f["zeros_like"](apart), apart)  # of equal infinities
    return _f["add"](larger, _f["log1p"](_f["exp"](_f["negative"](apart))))


@_binary("logical_and", "whether both are true,")
def logical_and(x1: Any, x2: Any) -> Any:  # noqa: D103 (`_binary` writes it)
    return _f["bitwise_and"](*_truths(x1, x2))


@_binary("logical_or", "whether either is true,")
def logical_or(x1: Any, x2: Any) -> Any:  # noqa: D103 (`_binary` writes it)
    return _f["bitwise_or"](*_truths(x1, x2))


@_binary("logical_xor", "whether just one is true,")
def logical_xor(x1: Any, x2: Any) -> Any:  # noqa: D103 (`_binary` writes it)
    return _f["not_equal"](*_truths(x1, x2))


def _truths(x1: Any, x2: Any) -> tuple[Any, Any]:
    if _are_numbers(x1):
        return _truths(_f["full_like"](x2, x1), x2)
    if _are_numbers(x2):
        return _truths(x1, _f["full_like"](x1, x2))
    return _f["not_equal"](x1, 0), _f["not_equal"](x2, 0)


@_binary("gcd", "the greatest common divisor")
def gcd(x1: Any, x2: Any) -> Any:  # noqa: D103 (`_binary` writes it)
    return in_numpy(np.gcd, x1, x2)


@_binary("left_shift", "the bits moved to the left")
def bitwise_left_shift(x1: Any, x2: Any) -> Any:  # noqa: D103 (`_binary` writes it)
    return in_numpy(np.left_shift, x1, x2)


@_binary("right_shift", "the bits moved to the right")
def bitwise_right_shift(x1: Any, x2: Any) -> Any:  # noqa: D103 (`_binary` writes it)
    return in_numpy(np.right_shift, x1, x2)
