"""Whether Gluon works on arrays of `mx.np`: a thread-local switch, scopes, and decorators."""

import inspect
import threading
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any, Self, TypeVar

from gluonic.graph.errors import describe
from gluonic.graph.shape_semantics import is_np_shape, np_shape, set_np_shape

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


class _Switch(threading.local):
    active = False


_switch = _Switch()


def is_np_array() -> bool:
    """Whether Gluon makes and takes arrays of `mx.np` instead of `mx.nd`."""
    return _switch.active


class np_array:
    """``with np_array():`` makes Gluon work on arrays of `mx.np` inside the block.

    Parameters
    ----------
    active : False for arrays of `mx.nd`

    Examples
    --------
    >>> with np_array():
    ...     is_np_array()
    True
    >>> is_np_array()
    False
    """

    def __init__(self, active: bool = True) -> None:
        self._is_np_array = active
        self._before: list[bool] = []

    def __enter__(self) -> Self:
        self._before.append(_switch.active)
        _switch.active = self._is_np_array
        return self

    def __exit__(self, *error: object) -> None:
        _switch.active = self._before.pop()


class Semantics:
    """A scope that sets both switches.

    Parameters
    ----------
    shape, array : as for `set_np`
    """

    def __init__(self, shape: bool = True, array: bool = True) -> None:
        self._scopes = np_shape(shape), np_array(array)

    @staticmethod
    def here() -> "Semantics":
        """A scope with the current thread's switches, for another thread or process."""
        return Semantics(is_np_shape(), is_np_array())

    def __enter__(self) -> None:
        for scope in self._scopes:
            scope.__enter__()

    def __exit__(self, *error: Any) -> None:
        for scope in self._scopes:
            scope.__exit__(*error)


def set_np(shape: bool = True, array: bool = True) -> None:
    """Switch NumPy's shapes, and arrays of `mx.np` in Gluon, on or off for the current thread.

    Parameters
    ----------
    shape : whether 0 and ``()`` in shapes are literal, instead of unknown
    array : whether Gluon makes and takes arrays of `mx.np`

    Raises
    ------
    ValueError
        for NumPy's arrays without NumPy's shapes
    """
    if array and not shape:
        raise ValueError(
            describe(
                "arrays of mx.np need NumPy's shapes",
                where=f"set_np(shape={shape}, array={array})",
                hint="npx.set_np(), or set_np(shape=False, array=False)",
            )
        )
    _switch.active = bool(array)
    set_np_shape(shape)


def reset_np() -> None:
    """Switch NumPy's shapes, and arrays of `mx.np` in Gluon, off."""
    set_np(shape=False, array=False)


def use_np_shape(func: _Decorated) -> _Decorated:
    """Make a function, or all methods of a class, run with NumPy's shapes (a decorator)."""
    return within(func, np_shape, "use_np_shape")


def use_np_array(func: _Decorated) -> _Decorated:
    """Make a function, or all methods of a class, work on arrays of `mx.np` (a decorator)."""
    return within(func, np_array, "use_np_array")


def use_np(func: _Decorated) -> _Decorated:
    """Make a function, or all methods of a class, run with NumPy's shapes and arrays of `mx.np` (a decorator).

    Parameters
    ----------
    func : the function or class

    Examples
    --------
    >>> @use_np
    ... def ask():
    ...     return is_np_array()
    >>> ask(), is_np_array()
    (True, False)
    """
    return within(func, Semantics, "use_np")


def within(func: _Decorated, scope: Callable[[], Any], decorator: str) -> _Decorated:
    """Make a function, or all methods of a class, run within a scope.

    Parameters
    ----------
    func : the function or the class
    scope : makes the scope
    decorator : the name of the decorator, for errors
    """
    if inspect.isclass(func):
        _wrap_methods(func, scope)
        return func
    if not callable(func):
        raise TypeError(
            f"{decorator} decorates functions and classes, not {type(func).__name__}: {func!r}"
        )

    @wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        with scope():
            return func(*args, **kwargs)

    call.in_scope_of = unscoped(func)  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def unscoped(func: Any) -> Any:
    """The function inside a decorator of scopes."""
    return getattr(func, "in_scope_of", func)


# These methods only access attributes, and make no arrays.
_PLAIN = {"__getattr__", "__getattribute__", "__setattr__", "__delattr__"}


def _wrap_methods(kind: type, scope: Callable[[], Any]) -> None:
    """Make a class's methods and properties, including inherited ones, run within a scope."""
    for name in dir(kind):
        member = inspect.getattr_static(kind, name)
        if isinstance(member, FunctionType) and name not in _PLAIN:
            setattr(kind, name, within(member, scope, name))
        elif isinstance(member, property):
            parts = (member.fget, member.fset, member.fdel)
            get, put, delete = (part and within(part, scope, name) for part in parts)
            setattr(kind, name, property(get, put, delete, member.__doc__))  # type: ignore[arg-type]
