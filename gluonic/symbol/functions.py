"""Functions of `sym` that are not operators themselves: creation, and dispatch by type."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from gluonic.graph.arithmetic import is_number
from gluonic.symbol import _internal
from gluonic.symbol.register import make_function  # noqa: F401 - _internal needs the registry
from gluonic.symbol.symbol import Symbol


class _Pair(NamedTuple):
    """A function of symbols and numbers: its operators, and its function for two numbers."""

    symbols: str
    scalar: str
    reverse_scalar: str
    numbers: Callable[[Any, Any], Any]


_PAIRS = {
    "pow": _Pair("_Power", "_PowerScalar", "_RPowerScalar", lambda a, b: a**b),
    "maximum": _Pair("_Maximum", "_MaximumScalar", "_MaximumScalar", max),
    "minimum": _Pair("_Minimum", "_MinimumScalar", "_MinimumScalar", min),
    "hypot": _Pair("_Hypot", "_HypotScalar", "_HypotScalar", math.hypot),
}


def _choose(name: str, left: Any, right: Any) -> Any:
    pair = _PAIRS[name]
    for value in (left, right):
        if not isinstance(value, Symbol) and not is_number(value):
            raise TypeError(f"{name} takes Symbols and numbers, not {type(value).__name__}")
    if isinstance(left, Symbol) and isinstance(right, Symbol):
        return getattr(_internal, pair.symbols)(left, right)
    if isinstance(left, Symbol):
        return getattr(_internal, pair.scalar)(left, scalar=right)
    if isinstance(right, Symbol):
        return getattr(_internal, pair.reverse_scalar)(right, scalar=left)
    return pair.numbers(left, right)


def pow(base: Any, exp: Any) -> Any:
    """Raise to a power, element by element; symbols (of one shape) or numbers.

    Parameters
    ----------
    base, exp : symbols whose arrays have one shape, or numbers; two numbers give a number
    """
    return _choose("pow", base, exp)


def power(base: Any, exp: Any) -> Any:
    """Raise to a power, element by element; symbols (of one shape) or numbers.

    Parameters
    ----------
    base, exp : symbols whose arrays have one shape, or numbers; two numbers give a number
    """
    return _choose("pow", base, exp)


def maximum(left: Any, right: Any) -> Any:
    """Take the larger, element by element; symbols (of one shape) or numbers.

    Parameters
    ----------
    left, right : symbols whose arrays have one shape, or numbers; two numbers give a number
    """
    return _choose("maximum", left, right)


def minimum(left: Any, right: Any) -> Any:
    """Take the smaller, element by element; symbols (of one shape) or numbers.

    Parameters
    ----------
    left, right : symbols whose arrays have one shape, or numbers; two numbers give a number
    """
    return _choose("minimum", left, right)


def hypot(left: Any, right: Any) -> Any:
    """Compute ``sqrt(left² + right²)``, element by element; symbols (of one shape) or numbers.

    Parameters
    ----------
    left, right : symbols whose arrays have one shape, or numbers; two numbers give a number
    """
    return _choose("hypot", left, right)


def _dtype(dtype: Any) -> Any:
    return "float32" if dtype is None else dtype


def eye(N: int, M: int = 0, k: int = 0, dtype: Any = None, **kwargs: Any) -> Any:
    """Make a matrix with ones on a diagonal.

    Parameters
    ----------
    N, M : rows and columns; M=0 is as many as rows
    k : the diagonal: 0 is the main one, positive is above
    dtype : its dtype, default float32
    """
    return _internal._eye(N, M, k, dtype=_dtype(dtype), **kwargs)


def zeros(shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
    """Make an array of zeros, float32 by default.

    Parameters
    ----------
    shape : the extents, an int or a tuple
    dtype : the element type
    **kwargs : `name`, `attr` and the operator's other attributes
    """
    return _internal._zeros(shape=shape, dtype=_dtype(dtype), **kwargs)


def ones(shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
    """Make an array of ones, float32 by default.

    Parameters
    ----------
    shape : the extents, an int or a tuple
    dtype : the element type
    **kwargs : `name`, `attr` and the operator's other attributes
    """
    return _internal._ones(shape=shape, dtype=_dtype(dtype), **kwargs)


def full(shape: Any, val: float, dtype: Any = None, **kwargs: Any) -> Any:
    """Make an array filled with a number, float32 by default.

    Parameters
    ----------
    shape : the extents, an int or a tuple
    val : the number
    dtype : the element type
    **kwargs : `name`, `attr` and the operator's other attributes
    """
    return _internal._full(shape=shape, dtype=_dtype(dtype), value=float(val), **kwargs)


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    name: str | None = None,
    dtype: Any = None,
) -> Any:
    """Make evenly spaced numbers from `start` up to but not including `stop`.

    Parameters
    ----------
    start, stop, step : the numbers; with `stop` left out they run from 0 to `start`
    repeat : number of repetitions of each element
    infer_range : infer the length from the use of the result
    name : the name of the symbol, by default one that is free
    dtype : its dtype, default float32
    """
    return _internal._arange(
        start=start,
        stop=stop,
        step=step,
        repeat=repeat,
        infer_range=infer_range,
        name=name,
        dtype=_dtype(dtype),
    )


def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    name: str | None = None,
    dtype: Any = None,
) -> Any:
    """Make `num` evenly spaced numbers from `start` to `stop`, the latter only with `endpoint`.

    Parameters
    ----------
    start, stop : the ends
    num : how many numbers
    endpoint : whether `stop` is the last of them
    name : the name of the symbol, by default one that is free
    dtype : the element type, by default float32
    """
    return _internal._linspace(
        start=start, stop=stop, num=num, endpoint=endpoint, name=name, dtype=_dtype(dtype)
    )


def histogram(a: Symbol, bins: Any = 10, range: Any = None, **kwargs: Any) -> Any:
    """Count elements in bins.

    Parameters
    ----------
    a : the elements
    bins : a symbol with the bins' edges, or their number
    range : the range of bins of equal width; required with a number
    """
    if isinstance(bins, Symbol):
        return _internal._histogram(data=a, bins=bins, **kwargs)
    if not isinstance(bins, int):
        raise ValueError(f"histogram: bins must be a number or a Symbol, not {bins!r}")
    if range is None:
        raise ValueError("histogram: a Symbol has no values to find the range of; give range=")
    return _internal._histogram(data=a, bin_cnt=bins, range=range, **kwargs)


def split_v2(
    ary: Symbol, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False
) -> Any:
    """Split along an axis.

    Parameters
    ----------
    ary : the array to split
    indices_or_sections : the number of equal parts, or a tuple of positions to split at
    axis : the axis to split along
    squeeze_axis : drop the axis, if the parts have length 1
    """
    if isinstance(indices_or_sections, int):
        indices, sections = [], indices_or_sections
    elif isinstance(indices_or_sections, tuple):
        indices, sections = [0, *indices_or_sections], 0
    else:
        raise ValueError(
            f"split_v2 takes a number or a tuple of positions, not {indices_or_sections!r}"
        )
    return _internal._split_v2(ary, indices, axis, squeeze_axis, sections)
