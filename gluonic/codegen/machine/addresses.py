"""The address of an array's elements, found fast: `array.ctypes.data` costs more than a small kernel."""

import ctypes
import sys

import numpy as np

from gluonic.graph import Array

_Word = ctypes.c_size_t


def _pointer_offset() -> int | None:
    """The offset of the data pointer in an array object, in bytes; None if it cannot be determined."""
    if sys.implementation.name != "cpython":
        return None
    probes = [np.empty(n, np.uint8) for n in (1, 100, 10_000)]
    size = ctypes.sizeof(_Word)
    for offset in range(size, 8 * size, size):
        if all(_Word.from_address(id(p) + offset).value == p.ctypes.data for p in probes):
            return offset
    return None


_OFFSET = _pointer_offset()


def _address_by_offset(array: Array) -> int:
    """The address of an array's first element."""
    return _Word.from_address(id(array) + _OFFSET).value  # type: ignore[operator]


def _address_by_attribute(array: Array) -> int:
    """The address of an array's first element."""
    return int(array.ctypes.data)


address_of = _address_by_attribute if _OFFSET is None else _address_by_offset
