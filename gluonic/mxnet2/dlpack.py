"""``mx.dlpack``: arrays from and for other libraries, which share their memory."""

from collections.abc import Callable
from typing import Any

from gluonic.ndarray import NDArray
from gluonic.ndarray.interchange import (
    from_dlpack,
    from_numpy,
    to_dlpack_for_read,
    to_dlpack_for_write,
)

__all__ = [
    "ndarray_from_dlpack", "ndarray_from_numpy", "ndarray_to_dlpack_for_read", "ndarray_to_dlpack_for_write",
]  # fmt: skip


def _of_class(array: Any, kind: type[NDArray]) -> Any:
    return array.as_np_ndarray() if kind.of_numpy else array


def ndarray_from_dlpack(array_cls: type[NDArray]) -> Callable[[Any], Any]:
    """Return the function that makes an array of a class of a DLPack capsule."""
    return lambda dlpack: _of_class(from_dlpack(dlpack), array_cls)


def ndarray_from_numpy(
    array_cls: type[NDArray], array_create_fn: Callable[..., Any]
) -> Callable[..., Any]:
    """Return the function that makes an array of a class of one of NumPy.

    Parameters
    ----------
    array_cls : the class of the result
    array_create_fn : makes a copy, where memory is not to be shared
    """

    def make(ndarray: Any, zero_copy: bool = True) -> Any:
        if not zero_copy:
            return array_create_fn(ndarray, dtype=ndarray.dtype)
        return _of_class(from_numpy(ndarray, zero_copy), array_cls)

    return make


def ndarray_to_dlpack_for_read() -> Callable[[NDArray], Any]:
    """Return the function that makes a DLPack capsule of an array, to be read."""
    return to_dlpack_for_read


def ndarray_to_dlpack_for_write() -> Callable[[NDArray], Any]:
    """Return the function that makes a DLPack capsule of an array, to be written."""
    return to_dlpack_for_write
