"""``mx.base``: the errors, and the groups of types that programs test for."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from gluonic._version import __version__
from gluonic.graph.calling import NULL as _Null
from gluonic.graph.calling import Null as _NullType
from gluonic.graph.errors import MXNetError
from gluonic.symbol.unsupported import NotImplementedForSymbol

__all__ = [
    "MXNetError",
    "NotImplementedForSymbol",
    "NotSupportedForSparseNDArray",
    "_Null",
    "_NullType",
    "__version__",
    "classproperty",
    "data_dir",
    "data_dir_default",
    "integer_types",
    "mx_real_t",
    "numeric_types",
    "py_str",
    "string_types",
]

integer_types = (int, np.int32, np.int64)
numeric_types = (float, int, np.generic)
string_types = (str,)
mx_real_t = np.float32


class NotSupportedForSparseNDArray(MXNetError):
    """A function was called with a sparse array."""


class classproperty:
    """A property of a class (a decorator)."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __get__(self, instance: Any, owner: type) -> Any:
        return self.function(owner)


def py_str(text: bytes | str) -> str:
    """Decode UTF-8; text stays as it is."""
    return text if isinstance(text, str) else text.decode()


def data_dir_default() -> str:
    """Return the folder for data sets and models, unless `MXNET_HOME` names another."""
    return str(Path.home() / ".mxnet")


def data_dir() -> str:
    """Return the folder for data sets and models."""
    return os.environ.get("MXNET_HOME", data_dir_default())


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]
