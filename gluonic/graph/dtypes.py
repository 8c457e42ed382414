"""The element types, each with the number that MXNet's files use for it."""

import re
from contextlib import suppress
from typing import Any

import numpy as np

from gluonic.graph.errors import AttributeValueError, NotThereError, describe, nearest

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
BFLOAT16_CODE = 12
"""The number of bfloat16, which is among `CODES` once a program has asked for it."""
BFLOAT16_STRUCTURE = np.dtype([("bfloat16", np.uint16)])
"""What programs say for it that were written for MXNet."""
CODE_OF = {dtype: code for code, dtype in CODES.items()}
DEFAULT = CODES[0]
_BY_NAME = {dtype.name: dtype for dtype in CODES.values()}
_BY_TEXT = {**_BY_NAME, **{str(code): dtype for code, dtype in CODES.items()}}
_PLAIN = re.compile(r"[<>=|]?[b-zB-Z?]\w{0,31}", re.ASCII)
"""What may be a dtype by another of NumPy's names; in longer text NumPy looks for expressions."""


def bfloat16() -> np.dtype[Any]:
    """Return the dtype of `ml_dtypes`.

    Raises
    ------
    NotThereError
        if `ml_dtypes` is not installed
    """
    if BFLOAT16_CODE not in CODES:
        try:
            import ml_dtypes
        except ImportError as error:
            raise NotThereError(
                describe("bfloat16 needs ml_dtypes", hint='pip install "gluonic[bfloat16]"')
            ) from error
        dtype = np.dtype(ml_dtypes.bfloat16)
        CODES[BFLOAT16_CODE], CODE_OF[dtype] = dtype, BFLOAT16_CODE
        _BY_NAME[dtype.name] = _BY_TEXT[dtype.name] = _BY_TEXT[str(BFLOAT16_CODE)] = dtype
    return CODES[BFLOAT16_CODE]


def is_bfloat16(dtype: np.dtype[Any]) -> bool:
    """Whether it is bfloat16, of which NumPy knows that it is a type of its own."""
    return dtype.kind == "V" and dtype.name == "bfloat16"


def is_floating(dtype: np.dtype[Any]) -> bool:
    """Whether it is floating-point."""
    return dtype.kind == "f" or is_bfloat16(dtype)


def dtype_of(code: int) -> np.dtype[Any] | None:
    """The dtype that has a number, None if there is none."""
    return bfloat16() if code == BFLOAT16_CODE else CODES.get(code)


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
    if isinstance(value, (str, int)) and str(value) in ("bfloat16", str(BFLOAT16_CODE)):
        return bfloat16()
    dtype = None
    if not isinstance(value, str) or _PLAIN.fullmatch(value):
        with suppress(TypeError, ValueError):
            dtype = np.dtype(value)
    if dtype is not None and (dtype == BFLOAT16_STRUCTURE or is_bfloat16(dtype)):
        return bfloat16()
    if dtype is None or dtype not in CODE_OF:
        known = ", ".join(_BY_NAME)
        raise AttributeValueError(
            f"{value!r:.80} is no dtype of gluonic{nearest(str(value), _BY_NAME)} (it has {known})"
        )
    native: np.dtype[Any] = dtype.newbyteorder("=")
    return native
