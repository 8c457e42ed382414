"""``mx.base``: C types, handles, and arguments of C functions made from Python's values."""

import ctypes
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

mx_int = ctypes.c_int
mx_uint = ctypes.c_uint
mx_int64 = ctypes.c_int64
mx_float = ctypes.c_float
mx_float_p = ctypes.POINTER(ctypes.c_float)

CachedOpHandle = ctypes.c_void_p
CudaKernelHandle = ctypes.c_void_p
CudaModuleHandle = ctypes.c_void_p
DLPackHandle = ctypes.c_void_p
DataIterCreatorHandle = ctypes.c_void_p
DataIterHandle = ctypes.c_void_p
ExecutorHandle = ctypes.c_void_p
FunctionHandle = ctypes.c_void_p
KVStoreHandle = ctypes.c_void_p
NDArrayHandle = ctypes.c_void_p
OpHandle = ctypes.c_void_p
ProfileHandle = ctypes.c_void_p
RecordIOHandle = ctypes.c_void_p
RtcHandle = ctypes.c_void_p
SymbolHandle = ctypes.c_void_p


class MXCallbackList(ctypes.Structure):
    """Callbacks for C, each with its context pointer."""

    _fields_: ClassVar[Any] = [
        ("num_callbacks", ctypes.c_int),
        ("callbacks", ctypes.POINTER(ctypes.CFUNCTYPE(ctypes.c_int))),
        ("contexts", ctypes.POINTER(ctypes.c_void_p)),
    ]


def _new_empty_handle() -> ctypes.c_void_p:
    """Create an empty handle."""
    return NDArrayHandle()


def c_str(string: str) -> ctypes.c_char_p:
    """Make a C string.

    >>> c_str("relu").value
    b'relu'
    """
    return ctypes.c_char_p(string.encode())


def c_str_array(strings: Sequence[str]) -> Any:
    """Make a C array of strings."""
    return (ctypes.c_char_p * len(strings))(*(string.encode() for string in strings))


def c_array(ctype: Any, values: Sequence[Any]) -> Any:
    """Make a C array of values.

    >>> c_array(mx_uint, [1, 2])[:]
    [1, 2]
    """
    return (ctype * len(values))(*values)


def c_array_buf(ctype: Any, buf: Any) -> Any:
    """Make a C array that shares the memory of a buffer, such as an ``array.array``."""
    return (ctype * len(buf)).from_buffer(buf)


def c_handle_array(objs: Sequence[Any]) -> Any:
    """Make a C array of the handles of objects; the objects live as long as it."""
    made: Any = (ctypes.c_void_p * len(objs))(*(one.handle for one in objs))
    made.held = list(objs)
    return made


def ctypes2buffer(cptr: Any, length: int) -> bytearray:
    """Copy bytes that a C pointer points to.

    Raises
    ------
    TypeError
        if `cptr` is no pointer to characters
    """
    if not isinstance(cptr, ctypes.POINTER(ctypes.c_char)):
        raise TypeError(f"expected a pointer to c_char, not {type(cptr).__name__}")
    return bytearray(ctypes.string_at(cptr, length))


def ctypes2numpy_shared(cptr: Any, shape: Sequence[int]) -> Any:
    """Return a NumPy array that shares the memory that a C pointer to floats points to.

    Raises
    ------
    RuntimeError
        if `cptr` is no pointer to floats
    """
    if not isinstance(cptr, mx_float_p):
        raise RuntimeError(f"expected a pointer to c_float, not {type(cptr).__name__}")
    return np.ctypeslib.as_array(cptr, shape=tuple(shape))
