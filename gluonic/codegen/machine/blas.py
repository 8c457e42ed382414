"""Matrix products of the BLAS that NumPy brings along, for machine code to call.

Taking NumPy's costs no import, and there is one pool of BLAS threads in the process rather than two.
"""

import ctypes
import sys
from dataclasses import dataclass
from functools import cache

from gluonic.codegen.machine.values import Dtype

# CBLAS function names by letter of the dtype, with the type of their integers, in different builds of NumPy.
_NAMES = (
    ("scipy_cblas_{}gemm64_", "i64"),
    ("cblas_{}gemm64_", "i64"),
    ("cblas_{}gemm$NEWLAPACK$ILP64", "i64"),
    ("cblas_{}gemm", "i32"),
)
_LETTERS = {"float32": "s", "float64": "d"}


@dataclass(frozen=True)
class Gemm:
    """The function that multiplies matrices.

    Attributes
    ----------
    symbol : its name in our modules
    address : where it is
    integer : LLVM's type of its integers
    """

    symbol: str
    address: int
    integer: str


@cache
def gemm(dtype: Dtype) -> Gemm | None:
    """The product of matrices of a dtype; None if NumPy was built without a BLAS that we know."""
    letter = _LETTERS.get(dtype.name)
    module = sys.modules.get("numpy._core._multiarray_umath")
    if letter is None or module is None or module.__file__ is None:
        return None
    library = ctypes.CDLL(module.__file__)
    for pattern, integer in _NAMES:
        function = getattr(library, pattern.format(letter), None)
        if function is not None:
            address = ctypes.cast(function, ctypes.c_void_p).value or 0
            return Gemm(f"gluonic_{letter}gemm", address, integer)
    return None
