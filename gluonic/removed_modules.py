"""Modules of NumPy that programs import, and that are private or gone in newer versions."""

import contextlib
import io
import os
import pickle
import sys
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

OF_LIB = (
    *("arraypad", "function_base", "histograms", "index_tricks", "nanfunctions", "polynomial"),
    *("shape_base", "twodim_base", "type_check", "ufunclike", "utils"),
)
"""Modules of `numpy.lib` whose functions are NumPy's."""


def _as_bytes(s: Any) -> bytes:
    return s if isinstance(s, bytes) else str(s).encode("latin1")


def _as_text(s: Any) -> str:
    return s.decode("latin1") if isinstance(s, bytes) else str(s)


def _nested(convert: Any) -> Any:
    def call(x: Any) -> Any:
        return [call(one) for one in x] if isinstance(x, (list, tuple)) else convert(x)

    return call


def compat() -> ModuleType:
    """Make `numpy.compat`, which made Python 2 and 3 alike."""
    made = ModuleType("numpy.compat", "Names that are alike in Python 2 and 3.")
    made.__dict__.update(
        Path=Path, asbytes=_as_bytes, asbytes_nested=_nested(_as_bytes), asstr=_as_text,
        asunicode=_as_text, asunicode_nested=_nested(_as_text), basestring=str, bytes=bytes,
        contextlib_nullcontext=contextlib.nullcontext, getexception=lambda: sys.exc_info()[1],
        integer_types=(int,), is_pathlib_path=lambda x: isinstance(x, Path),
        isfileobj=lambda f: isinstance(f, (io.FileIO, io.BufferedReader, io.BufferedWriter)),
        long=int, open_latin1=partial(open, encoding="iso-8859-1"),
        os_PathLike=os.PathLike, os_fspath=os.fspath, pickle=pickle, sixu=str, strchar="U", unicode=str,
    )  # fmt: skip
    return made
