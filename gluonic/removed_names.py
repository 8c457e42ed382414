"""Names that NumPy and Python have dropped since MXNet's last release, restored for programs of its time.

``python -m gluonic`` calls `restore` for the program that it runs, `install_as_mxnet` on request; nothing
else does. A name that still exists stays as it is.
"""

import ast
import builtins
import collections
import importlib
import inspect
import sys
import warnings
from typing import Any

import numpy as np

from gluonic import removed_functions as functions
from gluonic.one_element_numbers import restore_numbers_of_one_element
from gluonic.removed_keywords import restore_keywords
from gluonic.removed_meanings import restore_meanings
from gluonic.removed_methods import restore_methods
from gluonic.removed_modules import OF_LIB, compat
from gluonic.removed_scipy_names import restore_scipy_names


def _in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    return np.isin(np.ravel(ar1), ar2, assume_unique=assume_unique, invert=invert)


def _asscalar(a: Any) -> Any:
    return a.item()


def _asfarray(a: Any, dtype: Any = np.float64) -> Any:
    is_floating = np.issubdtype(np.dtype(dtype), np.inexact)
    return np.asarray(a, dtype=dtype if is_floating else np.float64)


def _msort(a: Any) -> Any:
    return np.sort(a, axis=0)


def _find_common_type(array_types: Any, scalar_types: Any) -> Any:
    """Find the common dtype of arrays and numbers: numbers count only if they are of a higher kind."""
    kinds = [np.result_type(*types) for types in (array_types, scalar_types) if len(types)]
    order = "buifc"
    if len(kinds) == 2 and order.find(kinds[0].kind) >= order.find(kinds[1].kind):
        return kinds[0]
    return kinds[-1] if kinds else None


def _set_string_function(f: Any, repr: bool = True) -> None:
    np.set_printoptions(override_repr=f if repr else None)


class _Casts(dict[Any, Any]):
    """The functions that convert to a dtype, by the dtype."""

    def __missing__(self, dtype: Any) -> Any:
        return lambda values: np.asarray(values).astype(dtype)


_ArgSpec = collections.namedtuple("_ArgSpec", ["args", "varargs", "keywords", "defaults"])


def _getargspec(func: Any) -> Any:
    return _ArgSpec(*inspect.getfullargspec(func)[:4])


NAMES: dict[str, dict[str, Any]] = {
    "numpy": {
        **{name: getattr(builtins, name) for name in ("bool", "complex", "float", "int", "object", "str")},
        "long": int, "unicode": str,
        # other names of dtypes
        "bool8": "numpy:bool_", "bytes0": "numpy:bytes_", "cfloat": "numpy:complex128",
        "clongfloat": "numpy:clongdouble", "complex_": "numpy:complex128", "float_": "numpy:float64",
        "int0": "numpy:intp", "longcomplex": "numpy:clongdouble", "longfloat": "numpy:longdouble",
        "object0": "numpy:object_", "singlecomplex": "numpy:complex64", "str0": "numpy:str_",
        "string_": "numpy:bytes_", "uint0": "numpy:uintp", "unicode_": "numpy:str_", "void0": "numpy:void",
        "typeDict": "numpy:sctypeDict",
        # constants
        "Inf": np.inf, "Infinity": np.inf, "NINF": -np.inf, "NZERO": -0.0, "NaN": np.nan, "PINF": np.inf,
        "PZERO": 0.0, "infty": np.inf,
        # functions
        "alen": len, "alltrue": np.all, "asfarray": _asfarray, "asscalar": _asscalar, "cast": _Casts(),
        "cumproduct": np.cumprod, "find_common_type": _find_common_type, "in1d": _in1d,
        "issubclass_": issubclass, "issubsctype": np.issubdtype, "mat": np.asmatrix, "msort": _msort,
        "product": np.prod, "rank": np.ndim, "round_": np.round, "row_stack": np.vstack,
        "set_string_function": _set_string_function, "sometrue": np.any, "trapz": "numpy:trapezoid",
        # modules and exceptions
        "AxisError": "numpy.exceptions:AxisError", "ComplexWarning": "numpy.exceptions:ComplexWarning",
        "RankWarning": "numpy.exceptions:RankWarning",
        "VisibleDeprecationWarning": "numpy.exceptions:VisibleDeprecationWarning",
        "ModuleDeprecationWarning": "numpy.exceptions:ModuleDeprecationWarning",
        "TooHardError": "numpy.exceptions:TooHardError",
        "math": "math:", "os": "os:", "sys": "sys:", "warnings": "warnings:", "compat": compat(),
        # about dtypes, memory, deprecation and text files
        **{
            name: getattr(functions, name)
            for name in (
                "deprecate", "deprecate_with_doc", "disp", "issctype", "lookfor", "maximum_sctype",
                "obj2sctype", "recfromcsv", "recfromtxt", "sctype2char", "who",
            )
        },
        "sctypes": functions.SCTYPES, "nbytes": functions.NBYTES,
        "byte_bounds": "numpy.lib.array_utils:byte_bounds", "safe_eval": ast.literal_eval,
        "DataSource": "numpy.lib.npyio:DataSource", "format_parser": "numpy.rec:format_parser",
        "chararray": "numpy.char:chararray", "compare_chararrays": "numpy.char:compare_chararrays",
        "source": "inspect:getsource", "NAN": np.nan, "CLIP": 0, "WRAP": 1, "RAISE": 2,
    },
    "numpy.lib": {**dict.fromkeys(("arraysetops", *OF_LIB), "numpy:"), "pad": np.pad},
    "numpy.compat": {"py3k": "numpy.compat:"},
    "numpy.linalg": {"linalg": "numpy.linalg:"},
    "numpy.testing": {"utils": "numpy.testing:"},
    "base64": {"decodestring": "base64:decodebytes", "encodestring": "base64:encodebytes"},
    "collections": {name: f"collections.abc:{name}" for name in collections.abc.__all__},
    "fractions": {"gcd": "math:gcd"},
    "inspect": {"ArgSpec": _ArgSpec, "getargspec": _getargspec},
    "time": {"clock": "time:perf_counter"},
    "xml.etree": {"cElementTree": "xml.etree.ElementTree:"},
}  # fmt: skip
"""The former names of each module with their meanings: an object, or ``"module:attribute"``."""


def restore() -> None:
    """Restore names, modules, keywords, methods, and meanings such as numbers from arrays of one element.

    Examples
    --------
    ``np.float``, ``np.Inf``, ``np.product``, ``np.in1d``, ``collections.Iterable``, ``inspect.getargspec``,
    ``time.clock``; ``x.ptp()``; ``np.array([[1], [1, 2]])``; ``'%f' % array_of_one_element``.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy warns about names that it is going to drop
        for module, names in NAMES.items():
            _restore(importlib.import_module(module), names)
        restore_keywords()
    restore_methods()
    restore_meanings()
    restore_scipy_names()
    restore_numbers_of_one_element()


def _restore(module: Any, names: dict[str, Any]) -> None:
    for name, value in names.items():
        if not hasattr(module, name):
            found = _found(value) if isinstance(value, str) else value
            setattr(module, name, found)
            if inspect.ismodule(found):
                sys.modules[f"{module.__name__}.{name}"] = found


def _found(place: str) -> Any:
    name, _, attribute = place.partition(":")
    module = importlib.import_module(name)
    return getattr(module, attribute) if attribute else module
