"""``mx.np``: arrays with NumPy's semantics, and NumPy's functions on them."""

from typing import TYPE_CHECKING

from numpy import (
    bool_,
    dtype,
    float16,
    float32,
    float64,
    int8,
    int32,
    int64,
    uint8,
)
from numpy import bool_ as bool

from gluonic.ndarray.numpy import functions
from gluonic.ndarray.numpy.array import ndarray
from gluonic.ndarray.numpy.creation import array
from gluonic.numpy import fallback, linalg, random
from gluonic.numpy.arrayprint import set_printoptions
from gluonic.numpy.io import genfromtxt
from gluonic.numpy.utils import (
    NAN,
    NINF,
    NZERO,
    PINF,
    PZERO,
    NaN,
    e,
    inf,
    nan,
    newaxis,
    pi,
)

if TYPE_CHECKING:
    from gluonic.numpy.typed import functions as _typed
    from gluonic.numpy.typed.functions import *
else:
    globals().update({**fallback.functions, **functions})

__all__ = [
    "NAN", "NINF", "NZERO", "PINF", "PZERO", "NaN", "array", "bool", "bool_", "dtype", "e", "float16",
    "float32", "float64", "genfromtxt", "inf", "int8", "int32", "int64", "linalg", "nan", "ndarray", "newaxis",
    "pi", "random", "set_printoptions", "uint8",
]  # fmt: skip
if TYPE_CHECKING:
    __all__ += _typed.__all__
else:
    __all__ += [*functions, *fallback.functions]
