"""The matrix products of NumPy's own BLAS, for machine code to call.

NumPy's BLAS needs no further import, and the process has one pool of BLAS threads, not two.
"""

import ctypes
import sys
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from gluonic.codegen.machine.target import host
from gluonic.support.record import record

# CBLAS function names, for a dtype's letter and an operation, with the type of their integers, in many builds.
_NAMES = (
    ("scipy_cblas_{}{}64_", "i64"),
    ("cblas_{}{}64_", "i64"),
    ("cblas_{}{}$NEWLAPACK$ILP64", "i64"),
    ("cblas_{}{}", "i32"),
)
_MODULES = ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath")
"""The modules that are linked to BLAS, in NumPy 2 and 1."""
Dtype: TypeAlias = "np.dtype[Any]"
_LETTERS = {"float32": "s", "float64": "d"}


@record
class BlasFunction:
    """A function of BLAS.

    Attributes
    ----------
    symbol : its name in our modules
    address : its address
    integer : LLVM's type of its integers
    """

    symbol: str
    address: int
    integer: str


def gemm(dtype: Dtype) -> BlasFunction | None:
    """The product of matrices of a dtype; None if NumPy was built without a known BLAS."""
    return _function("gemm", dtype)


def multiplies(dtype: Dtype) -> bool:
    """Whether matrices of a dtype can be multiplied: by BLAS, or without it by functions of our own."""
    return gemm(dtype) is not None if host().has_blas else dtype.name in _LETTERS


def gemv(dtype: Dtype) -> BlasFunction | None:
    """The product of a matrix and a vector; None as for `gemm`."""
    return _function("gemv", dtype)


def address_of(symbol: str) -> int | None:
    """The address of a function by its name in our modules; None if there is none."""
    for find in (gemm, gemv):
        for name in _LETTERS:
            function = find(np.dtype(name))
            if function is not None and function.symbol == symbol:
                return function.address
    return None


@cache
def _function(operation: str, dtype: Dtype) -> BlasFunction | None:
    letter = _LETTERS.get(dtype.name)
    module = next(filter(None, map(sys.modules.get, _MODULES)), None)
    if letter is None or module is None or module.__file__ is None:
        return None
    library = ctypes.CDLL(module.__file__)
    for pattern, integer in _NAMES:
        function = getattr(library, pattern.format(letter, operation), None)
        if function is not None:
            address = ctypes.cast(function, ctypes.c_void_p).value or 0
            return BlasFunction(f"gluonic_{letter}{operation}", address, integer)
    return None
