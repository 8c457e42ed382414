"""Functions of the C library, whose results are those that MXNet computes with, to the last bit."""

import ctypes
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any


@cache
def c_library() -> ctypes.CDLL:
    """The C library of this process."""
    return ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)


def _c_libraries() -> Iterator[ctypes.CDLL]:
    """Where the functions may be: nearly always in what the process has loaded already."""
    yield c_library()
    from ctypes.util import find_library  # imports subprocess

    mathematics = find_library("m")
    if mathematics is not None:
        yield ctypes.CDLL(mathematics)


@cache
def found_function(name: str) -> Any:
    """A function of the C library; None if there is none of that name."""
    for library in _c_libraries():
        function = getattr(library, name, None)
        if function is not None:
            return function
    return None


@cache
def c_function(name: str) -> Callable[[Any], float]:
    """A function from a number to a number: of floats if the name ends in ``f``, else of doubles."""
    function = found_function(name)
    if function is None:
        raise NotImplementedError(f"the C library of this system has no {name}()")
    kind = ctypes.c_float if name.endswith("f") else ctypes.c_double
    function.restype, function.argtypes = kind, [kind]
    found: Callable[[Any], float] = function
    return found
