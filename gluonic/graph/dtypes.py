"""The dtypes, with their codes in MXNet's files."""

import re
from contextlib import suppress
from typing import Any

import numpy as np

from gluonic.graph.errors import AttributeValueError, NotThereError, describe, nearest
from gluonic.support.extras import how_to_install

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
"""The code of bfloat16, which is in `CODES` once a program has used it."""
INTEGERS_OF_TWO: dict[int, np.dtype[Any]] = {
    8: np.dtype("int16"),
    9: np.dtype("uint16"),
    10: np.dtype("uint32"),
    11: np.dtype("uint64"),
}
"""The integers that only MXNet 2.0 has: they are in `CODES` once it was asked for (`admit_integers_of_two`)."""
INTERPRETED: set[np.dtype[Any]] = set()
"""Those of them that are in `CODES`: graphs with them are interpreted."""
BFLOAT16_STRUCTURE = np.dtype([("bfloat16", np.uint16)])
"""The spelling of bfloat16 in programs written for MXNet."""
CODE_OF = {dtype: code for code, dtype in CODES.items()}
DEFAULT = CODES[0]
_BY_NAME = {dtype.name: dtype for dtype in CODES.values()}
_BY_TYPE: dict[type, np.dtype[Any]] = {dtype.type: dtype for dtype in CODES.values()}
_BY_TEXT = {**_BY_NAME, **{str(code): dtype for code, dtype in CODES.items()}}
_PLAIN = re.compile(r"[<>=|]?[b-zB-Z?]\w{0,31}", re.ASCII)
"""Strings that may be another of NumPy's names of a dtype; NumPy parses longer ones as expressions."""


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
                describe("bfloat16 needs ml_dtypes", hint=how_to_install("bfloat16"))
            ) from error
        _admit(BFLOAT16_CODE, np.dtype(ml_dtypes.bfloat16))
    return CODES[BFLOAT16_CODE]


def admit_integers_of_two() -> None:
    """Let arrays have the integers that only MXNet 2.0 has, from now on."""
    for code, dtype in INTEGERS_OF_TWO.items():
        _admit(code, dtype)
        INTERPRETED.add(dtype)


def _admit(code: int, dtype: np.dtype[Any]) -> None:
    """Enter a dtype into the tables."""
    CODES[code], CODE_OF[dtype] = dtype, code
    _BY_NAME[dtype.name] = _BY_TEXT[dtype.name] = _BY_TEXT[str(code)] = dtype


def is_bfloat16(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype is bfloat16, for NumPy a user-defined dtype."""
    return dtype.kind == "V" and dtype.name == "bfloat16"


def is_half_width(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype is float16 or bfloat16, which are computed in float32."""
    return dtype.itemsize == 2 and dtype.kind in "fV"


def is_floating(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype is floating-point."""
    return dtype.kind == "f" or is_bfloat16(dtype)


def dtype_of(code: int) -> np.dtype[Any] | None:
    """The dtype of a code, None if there is none."""
    return bfloat16() if code == BFLOAT16_CODE else CODES.get(code)


def as_dtype(value: Any) -> np.dtype[Any]:
    """Read a dtype given as a name, a NumPy dtype or type, a Python type, MXNet's code or an array.

    Raises
    ------
    AttributeValueError
        if it is unknown, or gluonic does not compute with it

    Examples
    --------
    >>> as_dtype("float16")
    dtype('float16')
    """
    if isinstance(value, np.dtype) and value in CODE_OF:
        return value
    if isinstance(value, type) and value in _BY_TYPE:
        return _BY_TYPE[value]
    if isinstance(value, str) and value in _BY_TEXT:
        return _BY_TEXT[value]
    if isinstance(value, int) and not isinstance(value, bool) and value in CODES:
        return CODES[value]
    if isinstance(value, (str, int)) and str(value) in ("bfloat16", str(BFLOAT16_CODE)):
        return bfloat16()
    if hasattr(value, "dtype") and not isinstance(value, (type, np.dtype, np.generic, np.ndarray)):
        return as_dtype(value.dtype)  # of an array of `mx.nd`, as in MXNet
    dtype = None
    if not isinstance(value, str) or _PLAIN.fullmatch(value):
        with suppress(TypeError, ValueError):
            dtype = np.dtype(value)
    if dtype is not None and (dtype == BFLOAT16_STRUCTURE or is_bfloat16(dtype)):
        return bfloat16()
    if dtype is None or dtype not in CODE_OF:
        known = ", ".join(_BY_NAME)
        raise AttributeValueError(
            f"{value!r:.80} is not a dtype of gluonic{nearest(str(value), _BY_NAME)} (it has {known})"
        )
    native: np.dtype[Any] = dtype.newbyteorder("=")
    return native
