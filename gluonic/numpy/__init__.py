"""``mx.np``: arrays with NumPy's semantics, and NumPy's functions on them."""

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

globals().update({**fallback.functions, **functions})

__all__ = [
    "NAN", "NINF", "NZERO", "PINF", "PZERO", "NaN", "array", "bool", "bool_", "dtype", "e", "float16",
    "float32", "float64", "genfromtxt", "inf", "int8", "int32", "int64", "linalg", "nan", "ndarray", "newaxis",
    "pi", "random", "set_printoptions", "uint8", *functions, *fallback.functions,
]  # fmt: skip
