"""Element types, and what is known of them."""

from typing import Any, NamedTuple

import numpy as np

from gluonic.ndarray import NDArray

__all__ = [
    "bool",
    "bool_",
    "boolean_dtypes",
    "can_cast",
    "finfo",
    "float16",
    "float32",
    "float64",
    "floating_dtypes",
    "iinfo",
    "int8",
    "int16",
    "int32",
    "int64",
    "integer_dtypes",
    "numeric_dtypes",
    "result_type",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]  # fmt: skip

float16, float32, float64 = map(np.dtype, (np.float16, np.float32, np.float64))
int8, int16, int32, int64 = map(np.dtype, (np.int8, np.int16, np.int32, np.int64))
uint8, uint16, uint32, uint64 = map(np.dtype, (np.uint8, np.uint16, np.uint32, np.uint64))
bool = bool_ = np.dtype(np.bool_)

integer_dtypes = [int8, int16, int32, int64, uint8, uint16, uint32, uint64]
floating_dtypes = [float16, float32, float64]
numeric_dtypes = [*integer_dtypes, *floating_dtypes]
boolean_dtypes = [bool_]


class FloatingLimits(NamedTuple):
    """The limits of a floating-point type; `eps` is the distance from 1 to the next number."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float


class IntegerLimits(NamedTuple):
    """The limits of an integer type."""

    bits: int
    max: int
    min: int


def finfo(dtype: Any) -> FloatingLimits:
    """Return the limits of a floating-point type, or of the one that an array has."""
    limits: Any = np.finfo(getattr(dtype, "dtype", dtype))
    numbers = map(float, (limits.eps, limits.max, limits.min, limits.tiny))
    return FloatingLimits(limits.bits, *numbers)


def iinfo(dtype: Any) -> IntegerLimits:
    """Return the limits of an integer type, or of the one that an array has."""
    limits: Any = np.iinfo(getattr(dtype, "dtype", dtype))
    return IntegerLimits(limits.bits, int(limits.max), int(limits.min))


def can_cast(from_: Any, to: Any) -> Any:
    """Return whether elements of one type, or those of an array, can become another's without loss."""
    return np.can_cast(from_.dtype if isinstance(from_, NDArray) else from_, to)


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Return the type of results that are computed from arrays, or from elements of types.

    Integers and floating-point numbers give the floating-point type, whatever the sizes.
    """
    if not arrays_and_dtypes:
        raise ValueError("np.result_type: at least one array or dtype is needed")
    types = [np.dtype(getattr(one, "dtype", one)) for one in arrays_and_dtypes]
    floating = [one for one in types if one.kind == "f"]
    return np.result_type(*(floating or types))
