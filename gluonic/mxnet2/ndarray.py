"""``mx.nd`` of MXNet 2.0: that of 1.x, and names of element types."""

from typing import Any

import numpy as np

from gluonic import ndarray as of_one
from gluonic.graph.dtypes import as_dtype
from gluonic.ndarray.numbering import _DTYPE_MX_TO_NP, _DTYPE_NP_TO_MX

py_slice = slice  # the name by which programs import it


def __getattr__(name: str) -> Any:
    return getattr(of_one, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *of_one.__all__})


def get_dtype_name(dtype: Any) -> str:
    """Return the name of an element type, such as ``"float32"``."""
    return as_dtype(dtype).name


def get_dtype_type(dtype: Any) -> Any:
    """Return NumPy's class of an element type, such as ``numpy.float32``."""
    return as_dtype(dtype).type


def is_mx_dtype(dtype: Any) -> bool:
    """Whether arrays can have an element type."""
    return as_dtype(dtype).type in _DTYPE_NP_TO_MX


def dtype_np_to_mx(dtype: Any) -> int:
    """Return the number of an element type in files.

    Raises
    ------
    TypeError
        if arrays cannot have it
    """
    kind = as_dtype(dtype).type
    if kind not in _DTYPE_NP_TO_MX:
        raise TypeError(f"dtype {np.dtype(dtype)} is not supported")
    return int(_DTYPE_NP_TO_MX[kind])


def dtype_mx_to_np(dtype_idx: int) -> Any:
    """Return the element type of a number in files; see `dtype_np_to_mx`."""
    if dtype_idx not in _DTYPE_MX_TO_NP:
        raise TypeError(f"there is no element type of the number {dtype_idx}")
    return _DTYPE_MX_TO_NP[dtype_idx]
