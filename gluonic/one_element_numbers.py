"""Conversion to numbers of NumPy arrays with axes and one element: ``float(array)``, ``'%f' % array``.

NumPy 2.4 refuses them, and Python has no way to give a built-in type a method; so this writes into the
table of functions that CPython keeps for `numpy.ndarray`, after checking that it lies where it is expected.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

_POINTER = ctypes.sizeof(ctypes.c_void_p)
_NUMBER_FUNCTIONS = object.__basicsize__ + 10 * _POINTER
"""The offset of a type object's pointer to its number functions, in bytes (``tp_as_number``)."""
_FUNCTIONS: tuple[tuple[Callable[[Any], Any], int, int], ...] = ((int, 26, 16), (float, 11, 18))
"""The type a function converts to, its slot for ``PyType_GetSlot``, its position among the number functions."""
_Convert = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)
_written: list[Any] = []
"""The installed functions, which must stay alive."""


def restore_numbers_of_one_element() -> None:
    """Make NumPy's arrays of one element of any rank convertible to numbers, if they no longer are."""
    try:
        float(np.zeros(1))
    except TypeError:
        for number, slot, position in _FUNCTIONS:
            _write(number, slot, position)


def _write(number: Callable[[Any], Any], slot: int, position: int) -> None:
    get_slot = ctypes.pythonapi.PyType_GetSlot
    get_slot.restype, get_slot.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_int]
    functions = ctypes.c_void_p.from_address(id(np.ndarray) + _NUMBER_FUNCTIONS).value
    if functions is None:
        return
    place = ctypes.c_void_p.from_address(functions + position * _POINTER)
    if place.value != get_slot(np.ndarray, slot):
        return  # another Python lays out its types differently

    def convert(array: Any) -> Any:
        # An exception cannot propagate from here. If the result is not a number, Python raises a TypeError.
        if array.size != 1:
            return array
        try:
            return number(array.item())
        except (TypeError, ValueError):
            return array

    _written.append(_Convert(convert))
    place.value = ctypes.cast(_written[-1], ctypes.c_void_p).value
