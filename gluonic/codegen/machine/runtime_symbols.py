"""Addresses of the C library functions that machine code may call.

Modules are linked against these and nothing else: a missing name is an error when the module is linked,
never a jump to an invalid address.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache

from gluonic.support.c_functions import c_library, found_function

# LLVM itself calls these when an instruction set has no instruction for the operation.
IMPLICIT = (
    "memcpy",
    "memmove",
    "memset",
    "fma",
    "fmaf",
    "fmod",
    "fmodf",
    "floor",
    "floorf",
    "ceil",
    "ceilf",
    "trunc",
    "truncf",
    "rint",
    "rintf",
    "nearbyint",
    "nearbyintf",
)


@cache
def _address(name: str) -> int:
    function = found_function(name)
    if function is None:
        raise NotImplementedError(f"the C library of this system has no {name}()")
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def addresses(names: Sequence[str] = ()) -> dict[str, int]:
    """Return the addresses of `names` and of the functions that LLVM calls by itself."""
    return {name: _address(name) for name in dict.fromkeys((*IMPLICIT, *names))}


def give_back_memory() -> None:
    """Let the C library return freed memory to the system, if it can: compiling frees much at once."""
    trim = getattr(c_library(), "malloc_trim", None)
    if trim is not None:
        trim(0)
