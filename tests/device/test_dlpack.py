"""Memory of a GPU is shared by DLPack, both ways, and given back once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHARE = """
import ctypes, gc, weakref
import numpy as np
from gluonic.device import DeviceArray
from gluonic.device.devices import device
from gluonic.graph.errors import MXNetError
from gluonic.ndarray.device import sharing
from gluonic.ndarray.dlpack_structures import CUDA, DLManagedTensor, device_kind

gpu = device(0)
journal = ctypes.CDLL(FILE).test_journal
journal.restype = ctypes.c_char_p
calls = lambda: journal().decode().split()


class Exporter:
    def __init__(self, array):
        self.array, self.streams = array, []

    def __dlpack__(self, **keywords):
        self.streams.append(keywords.get("stream"))
        return sharing.export(self.array, **keywords)

    def __dlpack_device__(self):
        return CUDA, 0


for dtype in ("float32", "float16", "float64", "int8", "uint8", "int64", "bool"):
    for shape in ((2, 3), (), (0, 4), (5,)):
        source = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        array = DeviceArray.of_host(gpu, source)
        exporter = Exporter(array)
        assert device_kind(exporter) == CUDA
        shared = sharing.borrow(exporter)
        assert exporter.streams == [1]
        assert (shared.shape, shared.dtype) == (array.shape, array.dtype)
        assert shared.address == array.address or not source.size
        np.testing.assert_array_equal(shared.to_host(), source)
assert "cuStreamWaitEvent" not in calls(), "all is in the default stream"

# memory lives as long as one of both uses it
array = DeviceArray.of_host(gpu, np.arange(4))
buffer = weakref.ref(array.buffer)
shared = sharing.borrow(sharing.export(array))
part = shared.part(1, (2,))
del array, shared
gc.collect()
assert buffer() is not None
np.testing.assert_array_equal(part.to_host(), [1, 2])
del part
gc.collect()
assert buffer() is None

# a capsule that nobody reads
array = DeviceArray.of_host(gpu, np.arange(4))
buffer = weakref.ref(array.buffer)
capsule = sharing.export(array)
assert device_kind(capsule) == CUDA
del array
assert buffer() is not None
del capsule
gc.collect()
assert buffer() is None

# other streams wait for ours, and ours for them in the end
array = DeviceArray.of_host(gpu, np.arange(4))
capsule = sharing.export(array, stream=12345)
assert calls()[-3:] == ["cuEventRecord", "cuStreamWaitEvent", "cuEventDestroy_v2"], calls()[-5:]
shared = sharing.borrow(capsule)
before = calls().count("cuStreamWaitEvent")
del shared, capsule, array
gc.collect()
assert calls().count("cuStreamWaitEvent") == before + 1

# copies, and the host
array = DeviceArray.of_host(gpu, np.arange(4))
copy = sharing.borrow(sharing.export(array, copy=True))
assert copy.address != array.address
np.testing.assert_array_equal(copy.to_host(), np.arange(4))


class ForHost(Exporter):
    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **keywords):
        return sharing.export(self.array, dl_device=(1, 0))


np.testing.assert_array_equal(np.from_dlpack(ForHost(array)), np.arange(4))
for refused in ({"stream": 0}, {"dl_device": (2, 1)}, {"dl_device": (1, 0), "copy": False}):
    try:
        sharing.export(array, **refused)
    except BufferError as error:
        assert str(error)
    else:
        raise AssertionError(refused)

# other orders of elements
array = DeviceArray.of_host(gpu, np.arange(6).reshape(2, 3))
capsule = sharing.export(array)
get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
strides = (ctypes.c_int64 * 2)(1, 2)
DLManagedTensor.from_address(get(capsule, b"dltensor")).dl_tensor.strides = strides
try:
    sharing.borrow(capsule)
except MXNetError as error:
    assert "shape (2, 3), strides (1, 2)" in str(error), error
else:
    raise AssertionError("it was not refused")

# arrays of nd
import gluonic as mx

array = mx.nd.array([1, 2, 3], ctx=mx.gpu(0))
assert array.__dlpack_device__() == (2, 0)
for shared in (
    mx.nd.from_dlpack(array),
    mx.nd.from_dlpack(array.to_dlpack_for_read()),
    mx.nd.from_dlpack(mx.nd.to_dlpack_for_write(array)),
):
    assert type(shared) is type(array)
    assert shared.context == mx.gpu(0)
    assert shared.device_array.address == array.device_array.address
    np.testing.assert_array_equal(shared.asnumpy(), [1, 2, 3])
assert mx.nd.from_dlpack(np.arange(3.0)).context == mx.cpu()
print("shared")
"""


def test_memory_is_shared_as_long_as_one_uses_it(driver_file: Path) -> None:
    env = {**os.environ, "GLUONIC_CUDA_DRIVER": str(driver_file), "GLUONIC_GPU": ""}
    command = [sys.executable, "-W", "error", "-c", SHARE.replace("FILE", repr(str(driver_file)))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.stdout.split() == ["shared"], done.stderr
    assert not done.stderr


def test_an_emulated_gpu_shares_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUONIC_GPU", "emulated")
    from gluonic.device import DeviceArray
    from gluonic.device.devices import device
    from gluonic.ndarray.device import sharing

    array = DeviceArray.empty(device(0), (2,), "float32")
    with pytest.raises(BufferError, match="emulated"):
        sharing.export(array)
