"""``mx.util`` of MXNet 2.0: the switches of NumPy's semantics."""

from collections.abc import Callable
from functools import wraps
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from gluonic import util as of_one
from gluonic.graph.array_semantics import is_np_array, np_array, use_np, use_np_array, use_np_shape
from gluonic.graph.shape_semantics import is_np_shape, np_shape, set_np_shape
from gluonic.mxnet2.default_dtype import (
    is_np_default_dtype,
    np_default_dtype,
    set_np_default_dtype,
    use_np_default_dtype,
)
from gluonic.util import (
    get_cuda_compute_capability,
    get_gpu_count,
    get_gpu_memory,
    getenv,
    set_module,
    setenv,
)

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])

__all__ = [
    "TemporaryDirectory", "default_array", "dtype_from_number", "get_cuda_compute_capability",
    "get_gpu_count", "get_gpu_memory",
    "getenv", "is_np_array",
    "is_np_default_dtype", "is_np_shape", "np_array", "np_default_dtype", "np_shape", "np_ufunc_legal_option",
    "numpy_fallback", "reset_np", "set_module", "set_np", "set_np_default_dtype", "set_np_shape", "setenv",
    "use_np", "use_np_array", "use_np_default_dtype", "use_np_shape", "wrap_ctx_to_device_func",
]  # fmt: skip
"""The names of the module."""


def set_np(shape: bool = True, array: bool = True, dtype: bool = False) -> None:
    """Switch NumPy's shapes, arrays of `mx.np` in Gluon, and NumPy's default types for the current thread.

    Parameters
    ----------
    shape : whether 0 and ``()`` in shapes are literal, instead of unknown
    array : whether Gluon makes and takes arrays of `mx.np`
    dtype : whether new arrays are float64 and int64 by default, instead of float32
    """
    of_one.set_np(shape, array)
    set_np_default_dtype(dtype)


def reset_np() -> None:
    """Switch NumPy's shapes, arrays of `mx.np` in Gluon, and NumPy's default types off."""
    set_np(shape=False, array=False, dtype=False)


def wrap_ctx_to_device_func(func: _Decorated) -> _Decorated:
    """Let a function that takes ``device=`` take ``ctx=``, its name in MXNet 1.x, as well (a decorator)."""

    @wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = kwargs.pop("ctx", None)
        if given is not None:
            kwargs["device"] = given
        return func(*args, **kwargs)

    return call  # type: ignore[return-value]


def np_ufunc_legal_option(key: str, value: Any) -> bool:
    """Whether NumPy's universal functions take an argument, and it may have that value."""
    from gluonic.numpy_functions.ufuncs import is_legal

    return is_legal(key, value)


def numpy_fallback(func: Callable[..., Any]) -> Callable[..., Any]:
    """Let NumPy compute a function: it gets NumPy's arrays, and its result becomes arrays of `mx.np`."""
    from gluonic.ndarray import NDArray
    from gluonic.ndarray.numpy.creation import array

    def opened(value: Any) -> Any:
        if isinstance(value, NDArray):
            return value.asnumpy()
        if isinstance(value, (list, tuple)):
            return type(value)(map(opened, value))
        return value

    def closed(value: Any) -> Any:
        if hasattr(value, "__array__"):
            return array(value, value.dtype)
        if isinstance(value, (list, tuple)):
            return type(value)(map(closed, value))
        return value

    @wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        return closed(func(*map(opened, args), **{key: opened(v) for key, v in kwargs.items()}))

    return call


def default_array(source_array: Any, device: Any = None, dtype: Any = None) -> Any:
    """Return an array of the kind that Gluon works on.

    Parameters
    ----------
    source_array : the elements
    device : where it is made
    dtype : its dtype
    """
    from gluonic import ndarray, numpy

    if is_np_array():
        return numpy.array(source_array, dtype, device)
    return ndarray.array(source_array, device, dtype)


def dtype_from_number(number: Any) -> Any:
    """Return the dtype of arrays that hold a Python number."""
    import numpy as np

    if isinstance(number, (bool, np.bool_)):
        return np.bool_
    if isinstance(number, (int, np.integer)):
        return np.int64 if number <= np.iinfo(np.int64).max else np.uint64
    return np.float32
