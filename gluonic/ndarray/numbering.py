"""MXNet's numbers for dtypes, storage types and gradient requests."""

from typing import Any

from gluonic.graph.dtypes import CODES

_DTYPE_MX_TO_NP: dict[int, Any] = {-1: None, **{c: dtype.type for c, dtype in CODES.items()}}
_DTYPE_NP_TO_MX = {kind: code for code, kind in _DTYPE_MX_TO_NP.items()}
_STORAGE_TYPE_UNDEFINED = -1
_STORAGE_TYPE_DEFAULT = 0
_STORAGE_TYPE_ROW_SPARSE = 1
_STORAGE_TYPE_CSR = 2
_STORAGE_TYPE_STR_TO_ID = {"undefined": -1, "default": 0, "row_sparse": 1, "csr": 2}
_STORAGE_TYPE_ID_TO_STR = {number: name for name, number in _STORAGE_TYPE_STR_TO_ID.items()}
_GRAD_REQ_MAP = {"null": 0, "write": 1, "add": 3}
