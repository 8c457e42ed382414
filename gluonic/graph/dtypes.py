"""The element types, each with the number that MXNet's files use for it."""

import re
from contextlib import suppress
from typing import Any

import numpy as np

from gluonic.graph.errors import AttributeValueError, nearest

CODES: dict[int, np.dtype[Any]] = {
    0: np.dtype("float32"),
    1: np.dtype("float64"),
    2: np.dtype("float16"),
    3: np.dtype("uint8"),
    4: np.dtype("int32"),
    5: np.dtype("int8"),
    6: np.dtype("int64"),
    7: np.dtype("bool"),
}
CODE_OF = {dtype: code for code, dtype in CODES.items()}
DEFAULT = CODES[0]
_BY_NAME = {dtype.name: dtype for dtype in CODES.values()}
_BY_TEXT = {**_BY_NAME, **{str(code): dtype for code, dtype in CODES.items()}}
_PLAIN = re.compile(r"[<>=|]?[b-zB-Z?]\w{0,31}", re.ASCII)
"""What may be a dtype by another of NumPy's names; in longer text NumPy looks for expressions."""


def as_dtype(value: Any) -> np.dtype[Any]:
    """Read a dtype given as a name, a NumPy dtype or type, a Python type or MXNet's number.

    Raises
    ------
    AttributeValueError
        if there is no such dtype, or gluonic does not compute with it

    Examples
    --------
    >>> as_dtype("float16")
    dtype('float16')
    """
    if isinstance(value, np.dtype) and value in CODE_OF:
        return value
    if isinstance(value, str) and value in _BY_TEXT:
        return _BY_TEXT[value]
    if isinstance(value, int) and not isinstance(value, bool) and value in CODES:
        return CODES[value]
    dtype = None
    if not isinstance(value, str) or _PLAIN.fullmatch(value):
        with suppress(TypeError, ValueError):
            dtype = np.dtype(value)
    if dtype is None or dtype not in CODE_OF:
        known = ", ".join(_BY_NAME)
        raise AttributeValueError(
            f"{value!r:.80} is no dtype of gluonic{nearest(str(value), _BY_NAME)} (it has {known})"
        )
    native: np.dtype[Any] = dtype.newbyteorder("=")
    return native
