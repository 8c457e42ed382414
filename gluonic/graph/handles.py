"""Handles of arrays, symbols and files of records, for calls of MXNet's C functions through ctypes."""

import ctypes
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from gluonic.graph.errors import MXNetError, describe

_Kind = TypeVar("_Kind")
_held: WeakValueDictionary[int, Any] = WeakValueDictionary()


def handle_of(value: Any) -> ctypes.c_void_p:
    """Return a handle of an array, a symbol or an open file; the handle keeps it alive."""
    handle = ctypes.c_void_p()
    hold(handle, value)
    return handle


def hold(handle: ctypes.c_void_p, value: Any) -> None:
    """Make a handle one of a value; the handle keeps it alive."""
    handle.value = id(value)
    handle.held = value  # type: ignore[attr-defined]
    _held[id(value)] = value


def held_by(handle: Any, kind: type[_Kind]) -> _Kind:
    """Return the value of a handle, or of its number.

    Raises
    ------
    MXNetError
        if it is not a handle of such a value, or its value no longer exists
    """
    number = getattr(handle, "value", handle)
    value = _held.get(number) if isinstance(number, int) else None
    if not isinstance(value, kind):
        raise MXNetError(
            describe(f"{handle!r} is no handle of any {kind.__name__}", hint="pass x.handle itself")
        )
    return value
