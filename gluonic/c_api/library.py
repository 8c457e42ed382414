"""``mx.base._LIB``: the supported ones of MXNet's C functions, called with ctypes' values."""

import ctypes
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic import autograd
from gluonic import random as random_numbers
from gluonic._version import MXNET_VERSION
from gluonic.graph.dtypes import CODE_OF
from gluonic.graph.errors import MissingNameError, MXNetError, describe
from gluonic.graph.handles import held_by, hold
from gluonic.graph.shape_semantics import is_np_shape, set_np_shape
from gluonic.graph.versions import mark_escaped
from gluonic.ndarray import NDArray
from gluonic.ndarray.array_functions import waitall
from gluonic.ndarray.kernels import overwrite
from gluonic.ndarray.numbering import _STORAGE_TYPE_STR_TO_ID as _STORAGE
from gluonic.ndarray.recording import check_writable
from gluonic.recordio.files import OpenRecords
from gluonic.recordio.framing import framed


def check_call(ret: int) -> None:
    """Do nothing: the functions of `_LIB` raise their errors themselves."""


def array_of(handle: Any) -> NDArray:
    """Return the array of a handle."""
    return held_by(handle, NDArray)


def _number(value: Any) -> int:
    return int(getattr(value, "value", value))


def _give(target: Any, value: Any) -> None:
    """Write to an output argument, passed with ``ctypes.byref`` or as a pointer."""
    if hasattr(target, "_obj"):  # byref
        target._obj.value = value
    else:
        target[0] = value


def _memory(array: NDArray, address: Any, size: Any) -> Any:
    """The memory at an address, as a NumPy array of the dtype and size of an array."""
    if _number(size) != array.size:
        raise MXNetError(
            describe(f"memory for {_number(size)} elements", facts=[f"array: {array.shape}"])
        )
    pointer = ctypes.cast(address, ctypes.c_void_p).value
    if pointer is None:
        raise MXNetError("the address is NULL")
    raw: Any = (ctypes.c_char * array.elements.nbytes).from_address(pointer)
    return np.ndarray(array.shape, array.elements.dtype, raw)


def _copy_to(handle: Any, data: Any, size: Any) -> None:
    array = array_of(handle)
    np.copyto(_memory(array, data, size), array.elements)


def _copy_from(handle: Any, data: Any, size: Any) -> None:
    array = array_of(handle)
    check_writable(array)
    overwrite(array, _memory(array, data, size))


def _get_shape(handle: Any, out_dim: Any, out_pdata: Any) -> None:
    array = array_of(handle)
    _give(out_dim, array.ndim)
    out_pdata._obj.contents = (ctypes.c_int * max(array.ndim, 1))(*array.shape)


def _get_context(handle: Any, out_dev_type: Any, out_dev_id: Any) -> None:
    context = array_of(handle).context
    _give(out_dev_type, context.device_typeid)
    _give(out_dev_id, context.device_id)


def _version(out: Any) -> None:
    major, minor, patch = map(int, MXNET_VERSION.split("."))
    _give(out, major * 10000 + minor * 100 + patch)


def _create(flag: str) -> Callable[[Any, Any], None]:
    """The function that opens a file of records, for reading or for writing."""

    def create(uri: Any, out: Any) -> None:
        name = getattr(uri, "value", uri)
        hold(out._obj, OpenRecords(os.fsdecode(name), flag))

    return create


def _records_of(handle: Any) -> OpenRecords:
    return held_by(handle, OpenRecords)


def _write_record(handle: Any, buf: Any, size: Any) -> None:
    _records_of(handle).stream.write(framed(ctypes.string_at(buf, _number(size))))


def _read_record(handle: Any, out_buf: Any, out_size: Any) -> None:
    record = _records_of(handle).frames.next()
    _give(out_buf, record)
    _give(out_size, len(record or b""))


def _switch(change: Callable[[bool], bool]) -> Callable[[Any, Any], None]:
    return lambda now, before: _give(before, change(bool(_number(now))))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "MXAutogradIsRecording": lambda out: _give(out, autograd.is_recording()),
    "MXAutogradIsTraining": lambda out: _give(out, autograd.is_training()),
    "MXAutogradSetIsRecording": _switch(autograd.set_recording),
    "MXAutogradSetIsTraining": _switch(autograd.set_training),
    "MXGetGPUCount": lambda out: _give(out, 0),
    "MXGetVersion": _version,
    "MXIsNumpyShape": lambda out: _give(out, is_np_shape()),
    "MXNDArrayFree": lambda handle: None,
    "MXNDArrayGetContext": _get_context,
    "MXNDArrayGetData": lambda handle, out: _give(
        out, mark_escaped(array_of(handle).elements).ctypes.data
    ),
    "MXNDArrayGetDType": lambda handle, out: _give(out, CODE_OF[array_of(handle).elements.dtype]),
    "MXNDArrayGetShapeEx": _get_shape,
    "MXNDArrayGetStorageType": lambda handle, out: _give(out, _STORAGE[array_of(handle).stype]),
    "MXNDArraySyncCopyFromCPU": _copy_from,
    "MXNDArraySyncCopyToCPU": _copy_to,
    "MXNDArrayWaitAll": waitall,
    "MXNDArrayWaitToRead": lambda handle: array_of(handle).wait_to_read(),
    "MXNDArrayWaitToWrite": lambda handle: array_of(handle).wait_to_read(),
    "MXRandomSeed": lambda seed: random_numbers.seed(_number(seed)),
    "MXRecordIOReaderCreate": _create("r"),
    "MXRecordIOReaderFree": lambda handle: _records_of(handle).stream.close(),
    "MXRecordIOReaderReadRecord": _read_record,
    "MXRecordIOReaderSeek": lambda handle, pos: _records_of(handle).frames.seek(_number(pos)),
    "MXRecordIOReaderTell": lambda handle, pos: _give(pos, _records_of(handle).frames.offset),
    "MXRecordIOWriterCreate": _create("w"),
    "MXRecordIOWriterFree": lambda handle: _records_of(handle).stream.close(),
    "MXRecordIOWriterTell": lambda handle, pos: _give(pos, _records_of(handle).stream.tell()),
    "MXRecordIOWriterWriteRecord": _write_record,
    "MXSetIsNumpyShape": _switch(set_np_shape),
}


class CLibrary:
    """The functions by name, each returning 0; missing ones raise when they are looked up."""

    def __getattr__(self, name: str) -> Callable[..., int]:
        if name not in _FUNCTIONS:
            raise MissingNameError(
                f"base._LIB.{name}: there is no C library, and no such function", name
            )
        run = _FUNCTIONS[name]

        def function(*arguments: Any) -> int:
            run(*arguments)
            return 0

        function.__name__ = function.__qualname__ = name
        setattr(self, name, function)
        return function

    def __dir__(self) -> list[str]:
        return sorted(_FUNCTIONS)


_LIB = CLibrary()
