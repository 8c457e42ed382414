"""The types that new arrays of `mx.np` have if none is asked for: float32, or NumPy's float64 and int64.

The switch counts for functions that make arrays, draw samples, or compute floating-point numbers from integers.
The operator ``/`` is not among them: its quotients of integers are float32 in any case.
"""

import inspect
import threading
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Self, TypeVar

import numpy as np

from gluonic.graph.array_semantics import within
from gluonic.ndarray import NDArray

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])
Function = Callable[..., Any]


class _Switch(threading.local):
    is_numpys = False


_switch = _Switch()


def is_np_default_dtype() -> bool:
    """Whether new arrays have NumPy's default types, float64 and int64, in the current thread."""
    return _switch.is_numpys


def set_np_default_dtype(is_np_default_dtype: bool = True) -> bool:
    """Choose the default types of new arrays for the current thread, and return what was chosen before.

    Parameters
    ----------
    is_np_default_dtype : whether they are NumPy's, float64 and int64; otherwise float32
    """
    before, _switch.is_numpys = _switch.is_numpys, bool(is_np_default_dtype)
    return before


class np_default_dtype:
    """``with np_default_dtype():`` gives new arrays NumPy's default types, float64 and int64.

    Parameters
    ----------
    active : False for float32
    """

    def __init__(self, active: bool = True) -> None:
        self._active = active
        self._before: list[bool] = []

    def __enter__(self) -> Self:
        self._before.append(set_np_default_dtype(self._active))
        return self

    def __exit__(self, *error: object) -> None:
        set_np_default_dtype(self._before.pop())


def use_np_default_dtype(func: _Decorated) -> _Decorated:
    """Make a function, or all methods of a class, run with NumPy's default types (a decorator)."""
    return within(func, np_default_dtype, "use_np_default_dtype")


_CREATING = (
    "blackman", "empty", "eye", "hamming", "hanning", "identity", "linspace", "logspace", "ones", "tri",
    "zeros",
)  # fmt: skip
_AVERAGING = ("average", "mean", "std", "var")
_DIVIDING = ("divide", "true_divide")


def choosing(functions: Mapping[str, Function]) -> dict[str, Function]:
    """Those of the functions whose results have default types, by name, choosing these."""
    rows = ((_CREATING, _as_float64), (_AVERAGING, _of_float64), (_DIVIDING, _of_float64))
    found = {name: wrap(functions[name]) for names, wrap in rows for name in names}
    return {**found, "arange": _as_float64(functions["arange"], _type_of_range)}


def sampling(functions: Mapping[str, Function], *but: str) -> dict[str, Function]:
    """Functions that draw samples, by name, which are float64 if arrays are.

    Parameters
    ----------
    functions : the functions
    but : the names of those whose samples are no floating-point numbers, or no new arrays
    """
    return {name: f if name in but else _as_float64(f) for name, f in functions.items()}


def _float64(*values: Any) -> Any:
    return np.float64


def _type_of_range(*values: Any) -> Any:
    whole = all(isinstance(value, (int, np.integer)) for value in values if value is not None)
    return np.int64 if whole else np.float64


def _as_float64(function: Function, type_of: Callable[..., Any] = _float64) -> Function:
    """The function, whose result has a default type where the call names none."""
    names = list(inspect.signature(function).parameters)
    place = names.index("dtype") if "dtype" in names else None

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if not _switch.is_numpys:
            return function(*arguments, **keywords)
        if place is None:
            return function(*arguments, **keywords).astype(np.float64)
        if len(arguments) <= place and keywords.get("dtype") is None:
            keywords["dtype"] = type_of(*arguments)
        return function(*arguments, **keywords)

    return call


def _of_float64(function: Function) -> Function:
    """The function, computed from float64 instead of integers."""

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if _switch.is_numpys:
            arguments = tuple(map(_without_integers, arguments))
        return function(*arguments, **keywords)

    return call


def _without_integers(value: Any) -> Any:
    is_whole = isinstance(value, NDArray) and value.dtype.kind in "iub"
    return value.astype(np.float64) if is_whole else value
