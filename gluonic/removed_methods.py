"""Methods that NumPy 2 has removed from arrays and numbers: ``x.ptp()``, ``x.itemset(0, v)``.

Python refuses to set an attribute of a built-in type, so this writes into the dictionary of the type that
CPython keeps, and tells CPython that the type was modified.
"""

import ctypes
import gc
from collections.abc import Callable
from typing import Any

import numpy as np


def _ptp(self: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Return the range of values, the largest minus the smallest."""
    return np.ptp(self, axis=axis, out=out, keepdims=keepdims)


def _newbyteorder(self: Any, new_order: str = "S", /) -> Any:
    """Return a view of the same bytes in another byte order."""
    return self.view(self.dtype.newbyteorder(new_order))


def _tostring(self: Any, order: Any = "C") -> bytes:
    """Return the elements' bytes."""
    return bytes(self.tobytes(order))


def _itemset(self: Any, *args: Any) -> None:
    """Set one element: a value, after a position among all elements or an index of each axis."""
    if not args:
        raise ValueError("itemset must have at least one argument")
    *index, value = args
    if len(index) == 1 and not isinstance(index[0], tuple):
        index = list(np.unravel_index(range(self.size)[index[0]], self.shape))
    elif len(index) == 1:
        index = list(index[0])
    elif not index and self.size != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    self[tuple(index or (0,) * self.ndim)] = value


_OF_BOTH: dict[str, Callable[..., Any]] = {
    "newbyteorder": _newbyteorder,
    "ptp": _ptp,
    "tostring": _tostring,
}
METHODS = {np.ndarray: {**_OF_BOTH, "itemset": _itemset}, np.generic: _OF_BOTH}
"""The former methods of arrays and of numbers, by name."""


def restore_methods() -> None:
    """Give arrays and numbers the methods that they no longer have."""
    for kind, methods in METHODS.items():
        lost = {name: method for name, method in methods.items() if not hasattr(kind, name)}
        holders = gc.get_referents(kind.__dict__)  # the dictionary behind a read-only view
        if not lost or len(holders) != 1 or type(holders[0]) is not dict:
            continue  # nothing to do, or another Python keeps its types differently
        holders[0].update(lost)
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
