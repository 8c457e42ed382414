"""Handles: what stands for an array or a symbol where MXNet's C functions are called through ctypes."""

import ctypes
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from gluonic.graph.errors import MXNetError, describe

_Kind = TypeVar("_Kind")
_held: WeakValueDictionary[int, Any] = WeakValueDictionary()


def handle_of(value: Any) -> ctypes.c_void_p:
    """Return a handle of an array or a symbol, which lives as long as the handle."""
    handle = ctypes.c_void_p(id(value))
    handle.held = value  # type: ignore[attr-defined]
    _held[id(value)] = value
    return handle


def held_by(handle: Any, kind: type[_Kind]) -> _Kind:
    """Return what a handle, or its number, stands for.

    Raises
    ------
    MXNetError
        for what is no handle of such a value, or of one that is gone
    """
    number = getattr(handle, "value", handle)
    value = _held.get(number) if isinstance(number, int) else None
    if not isinstance(value, kind):
        raise MXNetError(
            describe(f"{handle!r} is no handle of any {kind.__name__}", hint="pass x.handle itself")
        )
    return value
