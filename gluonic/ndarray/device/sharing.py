"""Arrays in a GPU's memory, shared with other libraries by DLPack.

DLPack leaves it to both sides that work is done in order: whoever gets an array names its stream, and whoever
gives it lets that stream wait. Ours is the default stream, which PyTorch, CuPy and Numba use, too, so there is
seldom anything to wait for.
"""

from __future__ import annotations

import ctypes
from math import prod
from typing import Any

import numpy as np

from gluonic.device import Buffer, Device, DeviceArray
from gluonic.device.cuda.device import CudaDevice
from gluonic.device.devices import device as device_of
from gluonic.graph import dtypes
from gluonic.graph.errors import MXNetError, describe
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.device.arrays import DeviceNDArray, made, method
from gluonic.ndarray.dlpack_structures import (
    CPU,
    CUDA,
    UNUSED,
    DLManagedTensor,
    PyCapsuleDestructor,
    dl_managed_tensor_deleter,
    unused_tensor,
)

_USED = b"used_dltensor"
_KINDS = {"i": 0, "u": 1, "f": 2, "b": 6}
_BFLOAT16 = 4
_LEGACY_STREAM, _NO_WAIT = 1, -1

_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_rename = ctypes.pythonapi["PyCapsule_SetName"]
_rename.argtypes = [ctypes.py_object, ctypes.c_char_p]


class _Given:
    """An array that another library uses, and what its description needs; it lives until that one lets go.

    Parameters
    ----------
    array : the array
    device : its device
    stream : that of the library
    """

    def __init__(self, array: DeviceArray, device: CudaDevice, stream: int) -> None:
        self.buffer, self._device, self._stream = array.buffer, device, stream
        self._waits = stream not in (_LEGACY_STREAM, _NO_WAIT)
        self.shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
        self.description = made = DLManagedTensor()
        tensor = made.dl_tensor
        tensor.data, tensor.byte_offset = array.address, 0
        tensor.ctx.device_type, tensor.ctx.device_id = CUDA, device.ordinal
        tensor.ndim, tensor.shape, tensor.strides = array.ndim, self.shape, None
        tensor.dtype.type_code, tensor.dtype.bits = _code_of(array.dtype)
        tensor.dtype.lanes = 1
        made.deleter = dl_managed_tensor_deleter
        made.manager_ctx = id(self)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))

    def __del__(self) -> None:
        """Let what gets this memory next wait for what the other library has queued."""
        if self._waits:
            self._device.wait_for(self._stream)


def _code_of(dtype: np.dtype[Any]) -> tuple[int, int]:
    if dtype.kind in _KINDS:
        return _KINDS[dtype.kind], 8 * dtype.itemsize
    return _BFLOAT16, 16


def _dtype_of(code: int, bits: int, lanes: int) -> np.dtype[Any]:
    if lanes == 1 and code == _BFLOAT16 and bits == 16:
        return dtypes.bfloat16()
    kinds = {number: kind for kind, number in _KINDS.items()}
    if lanes != 1 or code not in kinds:
        raise BufferError(f"DLPack's type {code} of {bits} bits, {lanes} lanes, has no counterpart")
    return np.dtype(f"{kinds[code]}{bits // 8}")


def _forget_unused(capsule: int) -> None:
    address = unused_tensor(capsule)
    if address is not None:
        dl_managed_tensor_deleter(ctypes.cast(address, ctypes.POINTER(DLManagedTensor)))


_capsule_destructor = PyCapsuleDestructor(_forget_unused)


def export(
    array: DeviceArray,
    *,
    stream: Any = None,
    max_version: Any = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """A capsule with an array's memory, or that of a copy.

    Parameters
    ----------
    array : the array
    stream : the stream that will use it: by default, and as 1, the default stream; 2: that of the thread; -1:
        nothing waits; otherwise its handle
    max_version : the newest version of DLPack that is understood; the oldest is given
    dl_device : where the memory shall be, as (kind, number); on the host it is a copy
    copy : whether it shall be a copy; by default only where there must be one

    Raises
    ------
    BufferError
        if the device is emulated, or the array cannot be shared as asked
    """
    device = array.device
    if dl_device is not None and dl_device[0] == CPU:
        if copy is False:
            raise BufferError(
                f"an array on gpu({device.ordinal}) is shared with the host by a copy only"
            )
        return array.to_host().__dlpack__()
    if not isinstance(device, CudaDevice):
        raise BufferError("the memory of an emulated GPU cannot be shared")
    if dl_device not in (None, (CUDA, device.ordinal)):
        raise BufferError(f"the array is on gpu({device.ordinal}), and DLPack asks for {dl_device}")
    if stream == 0:
        raise BufferError("a stream of 0 is ambiguous; 1 is the default stream")
    stream = _LEGACY_STREAM if stream is None else int(stream)
    if stream not in (_LEGACY_STREAM, _NO_WAIT):
        device.let_wait(stream)
    given = _Given(array.copy() if copy else array, device, stream)
    return _new(ctypes.addressof(given.description), UNUSED, _capsule_destructor)


class _BorrowedBuffer(Buffer):
    """Memory of another library, which is told when nothing refers to this object any more."""

    __slots__ = ("_description",)

    def __init__(self, device: Device, tensor: Any, size: int, description: int) -> None:
        super().__init__(device, (tensor.data or 0) + tensor.byte_offset, size)
        self._description = ctypes.cast(description, ctypes.POINTER(DLManagedTensor))

    def __del__(self) -> None:
        if self._description.contents.deleter:
            self._description.contents.deleter(self._description)


def borrow(source: Any) -> DeviceArray:
    """The array in another library's memory on a GPU; it is shared.

    Parameters
    ----------
    source : an array with `__dlpack__`, or a capsule (which can be read once)

    Raises
    ------
    MXNetError
        if its elements are not in C order one after the other, or of a type that is unknown here
    """
    capsule = source.__dlpack__(stream=_LEGACY_STREAM) if hasattr(source, "__dlpack__") else source
    address = unused_tensor(id(capsule))
    if address is None:
        raise MXNetError(
            describe(f"{source!r} is no unused capsule of DLPack", where="from_dlpack")
        )
    tensor = DLManagedTensor.from_address(address).dl_tensor
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else None
    if strides is not None and not _is_c_order(shape, strides):
        raise MXNetError(
            describe(
                "the array's elements are not one after the other",
                where="from_dlpack",
                facts=[f"shape {shape}, strides {strides} in elements"],
                hint="a contiguous copy: x.contiguous() in PyTorch, cupy.ascontiguousarray(x)",
            )
        )
    dtype = _dtype_of(tensor.dtype.type_code, tensor.dtype.bits, tensor.dtype.lanes)
    device = device_of(tensor.ctx.device_id)
    buffer = _BorrowedBuffer(device, tensor, prod(shape) * dtype.itemsize, address)
    _rename(capsule, _USED)
    return DeviceArray(buffer, 0, shape, dtype)


def _is_c_order(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    expected = 1
    for length, stride in zip(reversed(shape), reversed(strides), strict=True):
        if length > 1 and stride != expected:
            return False
        expected *= length
    return True


def borrowed(source: Any) -> NDArray:
    """An NDArray in another library's memory on a GPU; see `borrow`."""
    return made(borrow(source))


@method("__dlpack__")
def dlpack(self: DeviceNDArray, **keywords: Any) -> Any:
    """Export the elements, shared, as a DLPack capsule; see `export`."""
    return export(self.device_array, **keywords)


@method("__dlpack_device__")
def dlpack_device(self: DeviceNDArray) -> tuple[int, int]:
    """Return the device by DLPack's numbers."""
    return CUDA, self.device_array.device.ordinal
