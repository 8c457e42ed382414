"""``mx.nd.ndarray``: where MXNet keeps `NDArray` and the numbers of dtypes and storage types."""

from typing import Any

import numpy as np

from gluonic.graph.dtypes import CODES
from gluonic.ndarray.arithmetic import functions as _arithmetic
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.creation import (
    arange,
    array,
    concatenate,
    empty,
    eye,
    full,
    histogram,
    imdecode,
    linspace,
    moveaxis,
    onehot_encode,
    ones,
    split_v2,
    waitall,
    zeros,
)
from gluonic.ndarray.interchange import (
    from_dlpack,
    from_numpy,
    to_dlpack_for_read,
    to_dlpack_for_write,
)

__all__ = [
    "NDArray",
    "arange",
    "array",
    "concatenate",
    "empty",
    "eye",
    "from_dlpack",
    "from_numpy",
    "full",
    "histogram",
    "imdecode",
    "linspace",
    "moveaxis",
    "onehot_encode",
    "ones",
    "py_slice",
    "split_v2",
    "to_dlpack_for_read",
    "to_dlpack_for_write",
    "waitall",
    "zeros",
]

globals().update(_arithmetic)

py_slice = slice

_DTYPE_MX_TO_NP: dict[int, Any] = {-1: None, **{c: dtype.type for c, dtype in CODES.items()}}
_DTYPE_NP_TO_MX = {kind: code for code, kind in _DTYPE_MX_TO_NP.items()}
_STORAGE_TYPE_UNDEFINED = -1
_STORAGE_TYPE_DEFAULT = 0
_STORAGE_TYPE_ROW_SPARSE = 1
_STORAGE_TYPE_CSR = 2
_STORAGE_TYPE_STR_TO_ID = {"undefined": -1, "default": 0, "row_sparse": 1, "csr": 2}
_STORAGE_TYPE_ID_TO_STR = {number: name for name, number in _STORAGE_TYPE_STR_TO_ID.items()}
_GRAD_REQ_MAP = {"null": 0, "write": 1, "add": 3}


def _lies_side_by_side(slc_key: tuple[slice, ...], shape: tuple[int, ...]) -> bool:
    """Whether the elements that slices name are contiguous."""
    return np.empty(shape, np.bool_)[slc_key].flags.c_contiguous


NDArray._basic_indexing_slice_is_contiguous = staticmethod(_lies_side_by_side)  # type: ignore[attr-defined]
