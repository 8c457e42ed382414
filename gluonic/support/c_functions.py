"""Functions of the C library, whose results are those that MXNet computes with, to the last bit."""

import ctypes
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any


def c_libraries() -> Iterator[ctypes.CDLL]:
    """Where the functions may be: nearly always in what the process has loaded already."""
    yield ctypes.CDLL(None)
    from ctypes.util import find_library  # imports subprocess

    yield ctypes.CDLL(find_library("m"))


@cache
def found_function(name: str) -> Any:
    """A function of the C library; None if there is none of that name."""
    for library in c_libraries():
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
