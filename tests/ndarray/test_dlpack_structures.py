"""The C structures behind DLPack capsules."""

import ctypes
import gc
import sys

from gluonic import nd
from gluonic.ndarray.dlpack_structures import DLManagedTensor, dl_managed_tensor_deleter

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def test_a_capsule_is_read_by_them() -> None:
    array = nd.array([[1, 2, 3], [4, 5, 6]], dtype="int64")
    capsule = nd.to_dlpack_for_read(array)
    tensor = DLManagedTensor.from_address(_pointer(capsule, b"dltensor")).dl_tensor
    assert (tensor.ctx.device_type, tensor.ctx.device_id) == (1, 0)
    kind = tensor.dtype
    assert (kind.type_code, kind.bits, kind.lanes) == type(kind).TYPE_MAP["int64"]
    assert tensor.shape[: tensor.ndim] == [2, 3]
    elements = (ctypes.c_int64 * 6).from_address(tensor.data + tensor.byte_offset)
    assert list(elements) == [1, 2, 3, 4, 5, 6]


def test_a_deleter_releases_what_is_held() -> None:
    held = object()
    tensor = DLManagedTensor(manager_ctx=id(held))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(held))
    gc.collect()
    before = sys.getrefcount(held)
    dl_managed_tensor_deleter(ctypes.byref(tensor))
    assert sys.getrefcount(held) == before - 1
