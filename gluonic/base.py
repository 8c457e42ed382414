"""``mx.base``: the errors, and the groups of types that programs test for."""

import os
from collections.abc import Sequence
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
    "build_param_doc",
    "classproperty",
    "data_dir",
    "data_dir_default",
    "integer_types",
    "mx_real_t",
    "numeric_types",
    "py_str",
    "register_error",
    "string_types",
    "with_metaclass",
]

integer_types = (int, np.int32, np.int64)
numeric_types = (float, int, np.generic)
string_types = (str,)
basestring = str
long = int
error_types: dict[str, type] = {}
mx_real_t = np.float32


class NotSupportedForSparseNDArray(MXNetError):
    """A function was called with a sparse array."""


class classproperty:
    """A property of a class (a decorator)."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __get__(self, instance: Any, owner: type) -> Any:
        return self.function(owner)


def py_str(x: bytes | str) -> str:
    """Decode UTF-8; text stays as it is."""
    return x if isinstance(x, str) else x.decode()


def register_error(func_name: Any = None, cls: type | None = None) -> Any:
    """Register a class of errors by name in `error_types` (a function, and a decorator).

    Parameters
    ----------
    func_name : the name, that of the class by default; or the class itself
    cls : the class
    """
    if callable(func_name):
        func_name, cls = func_name.__name__, func_name

    def register(given: type) -> type:
        error_types[func_name or given.__name__] = given
        return given

    return register if cls is None else register(cls)


def with_metaclass(meta: type, *bases: type) -> Any:
    """Make a base that gives classes a metaclass: ``class A(with_metaclass(Meta, B))``."""
    return meta("temporary_class", bases, {})


def build_param_doc(
    arg_names: Sequence[str],
    arg_types: Sequence[str],
    arg_descs: Sequence[str],
    remove_dup: bool = True,
) -> str:
    """Build the section on parameters of a docstring.

    Parameters
    ----------
    arg_names, arg_types, arg_descs : names, types and descriptions
    remove_dup : whether to list a name once only
    """
    rows: list[str] = []
    seen = {"num_args"}
    for name, kind, description in zip(arg_names, arg_types, arg_descs, strict=False):
        if name not in seen:
            rows.append(f"{name} : {kind}" + (f"\n    {description}" if description else ""))
        if remove_dup:
            seen.add(name)
    return "\n".join(["Parameters", "----------", *rows, ""])


def data_dir_default() -> str:
    """Return the folder for data sets and models, unless `MXNET_HOME` names another."""
    return str(Path.home() / ".mxnet")


def data_dir() -> str:
    """Return the folder for data sets and models."""
    return os.environ.get("MXNET_HOME", data_dir_default())


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]
