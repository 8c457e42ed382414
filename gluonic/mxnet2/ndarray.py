"""``mx.nd`` of MXNet 2.0: that of 1.x, and names of element types."""

from typing import Any

from numpy import dtype as np_dtype

from gluonic import ndarray as of_one
from gluonic.graph.dtypes import BFLOAT16_STRUCTURE, CODE_OF, CODES, as_dtype
from gluonic.mxnet2 import numpy, numpy_extension
from gluonic.mxnet2.fallback import all_of, of_module

np, npx = numpy, numpy_extension
bfloat16 = BFLOAT16_STRUCTURE
py_slice = slice  # the name by which programs import it


__getattr__, __dir__ = of_module(of_one, globals())
__all__ = all_of(
    of_one, "dtype_mx_to_np", "dtype_np_to_mx", "get_dtype_name", "get_dtype_type", "is_mx_dtype"
)


def get_dtype_name(dtype: Any) -> str:
    """Return the name of an element type, such as ``"float32"``."""
    return as_dtype(dtype).name


def get_dtype_type(dtype: Any) -> Any:
    """Return NumPy's class of an element type, such as ``numpy.float32``."""
    return as_dtype(dtype).type


def is_mx_dtype(dtype: Any) -> bool:
    """Whether arrays can have an element type."""
    return np_dtype(dtype) in CODE_OF


def dtype_np_to_mx(dtype: Any) -> int:
    """Return the number of an element type in files.

    Raises
    ------
    TypeError
        if arrays cannot have it
    """
    kind = np_dtype(dtype)
    if kind not in CODE_OF:
        raise TypeError(f"dtype {kind} is not supported")
    return CODE_OF[kind]


def dtype_mx_to_np(dtype_idx: int) -> Any:
    """Return the element type of a number in files; see `dtype_np_to_mx`."""
    if dtype_idx not in CODES:
        raise TypeError(f"there is no element type of the number {dtype_idx}")
    return CODES[dtype_idx].type
