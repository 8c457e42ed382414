"""The structures that a DLPack capsule points to, for ctypes (dlpack.h, before its version 1).

>>> import ctypes
>>> import gluonic as mx
>>> capsule = mx.nd.to_dlpack_for_read(mx.nd.ones((2, 3)))
>>> pointer = ctypes.pythonapi.PyCapsule_GetPointer
>>> pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
>>> tensor = DLManagedTensor.from_address(pointer(capsule, b"dltensor")).dl_tensor
>>> tensor.shape[: tensor.ndim], (tensor.dtype.type_code, tensor.dtype.bits, tensor.dtype.lanes)
([2, 3], (2, 32, 1))
"""

import ctypes
from typing import Any, ClassVar


class DLContext(ctypes.Structure):
    """A device: its kind (1 is the CPU), and its index."""

    _fields_: ClassVar[Any] = [("device_type", ctypes.c_int), ("device_id", ctypes.c_int)]


class DLDataType(ctypes.Structure):
    """An element type: its kind (0: signed integers, 1: unsigned ones, 2: floats), bits, lanes."""

    _fields_: ClassVar[Any] = [
        ("type_code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    ]
    TYPE_MAP: ClassVar[dict[str, tuple[int, int, int]]] = {
        "bool": (1, 1, 1),
        **{f"int{bits}": (0, bits, 1) for bits in (32, 64)},
        **{f"uint{bits}": (1, bits, 1) for bits in (8, 32, 64)},
        **{f"float{bits}": (2, bits, 1) for bits in (16, 32, 64)},
    }


class DLTensor(ctypes.Structure):
    """An array: the address of its elements, and more; strides are in elements, and may be absent."""

    _fields_: ClassVar[Any] = [
        ("data", ctypes.c_void_p),
        ("ctx", DLContext),
        ("ndim", ctypes.c_int),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class DLManagedTensor(ctypes.Structure):
    """An array, and the function that its reader calls when done."""


DeleterFunc = ctypes.CFUNCTYPE(None, ctypes.POINTER(DLManagedTensor))
PyCapsuleDestructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
DLManagedTensor._fields_ = [
    ("dl_tensor", DLTensor),
    ("manager_ctx", ctypes.c_void_p),
    ("deleter", DeleterFunc),
]


def _release(handle: Any) -> None:
    """Release the Python object that `manager_ctx` holds a reference to."""
    held = ctypes.cast(handle.contents.manager_ctx, ctypes.py_object)
    ctypes.pythonapi.Py_DecRef(held)


dl_managed_tensor_deleter = DeleterFunc(_release)

CPU, CUDA = 1, 2
UNUSED = b"dltensor"
"""The name of a capsule that nobody has read."""
_is_valid = ctypes.pythonapi["PyCapsule_IsValid"]
_pointer = ctypes.pythonapi["PyCapsule_GetPointer"]
_is_valid.argtypes = _pointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_pointer.restype = ctypes.c_void_p


def unused_tensor(capsule: int) -> int | None:
    """The address of the `DLManagedTensor` in a capsule, given by its own; None if it was read, or is none."""
    return _pointer(capsule, UNUSED) if _is_valid(capsule, UNUSED) else None


def device_kind(source: Any) -> int:
    """The kind of the device that has the memory of an array with `__dlpack_device__`, or of a capsule."""
    if hasattr(source, "__dlpack_device__"):
        return int(source.__dlpack_device__()[0])
    address = unused_tensor(id(source))
    if address is None:
        return CPU
    return int(DLManagedTensor.from_address(address).dl_tensor.ctx.device_type)
