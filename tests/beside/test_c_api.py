"""``mx.base`` for programs that call MXNet's C functions through ctypes; numbers are those of MXNet 1.9.1."""

import array
import ctypes
import gc
import os
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, base, gluon, nd, sym
from gluonic.graph.errors import MissingNameError, MXNetError

LIB: Any = base._LIB  # type: ignore[attr-defined]
C: Any = base


def pointer_to(values: Any) -> Any:
    return values.ctypes.data_as(ctypes.c_void_p)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "uint8", "int64"])
def test_elements_are_copied_to_and_from_memory(dtype: str) -> None:
    x = nd.array([[1, 2, 3], [4, 5, 6]], dtype=dtype)
    read = np.zeros((2, 3), dtype)
    assert LIB.MXNDArraySyncCopyToCPU(x.handle, pointer_to(read), ctypes.c_size_t(6)) == 0
    assert (read == x.asnumpy()).all()
    assert C.check_call(LIB.MXNDArraySyncCopyFromCPU(x.handle, pointer_to(read + 1), 6)) is None
    assert (x.asnumpy() == read + 1).all()


def test_a_compiled_net_sees_what_was_copied_into_a_parameter() -> None:
    net = gluon.nn.Dense(1, use_bias=False, in_units=2)
    net.initialize(mx.init.One())
    net.hybridize()
    x = nd.ones((1, 2))
    assert [net(x).asscalar() for _ in range(3)] == [2, 2, 2]
    values = np.full((1, 2), 5, np.float32)
    LIB.MXNDArraySyncCopyFromCPU(net.weight.data().handle, pointer_to(values), 2)
    assert net(x).asscalar() == 10


@pytest.mark.parametrize("name", ["MXNDArraySyncCopyToCPU", "MXNDArraySyncCopyFromCPU"])
def test_memory_of_another_size_is_refused(name: str) -> None:
    x, memory = nd.ones((2,)), np.zeros(3, np.float32)
    with pytest.raises(MXNetError, match="3 elements"):
        getattr(LIB, name)(x.handle, pointer_to(memory), 3)
    with pytest.raises(MXNetError, match="NULL"):
        getattr(LIB, name)(x.handle, ctypes.c_void_p(), 2)
    assert x.asnumpy().tolist() == [1, 1]
    assert memory.tolist() == [0, 0, 0]


def test_arrays_describe_themselves() -> None:
    x = nd.zeros((2, 5), dtype="int32", ctx=mx.cpu(3))
    rank, extents = ctypes.c_int(), ctypes.POINTER(ctypes.c_int)()
    LIB.MXNDArrayGetShapeEx(x.handle, ctypes.byref(rank), ctypes.byref(extents))
    assert (rank.value, extents[:2]) == (2, [2, 5])
    numbers = [ctypes.c_int() for _ in range(4)]
    LIB.MXNDArrayGetDType(x.handle, ctypes.byref(numbers[0]))
    LIB.MXNDArrayGetContext(x.handle, ctypes.byref(numbers[1]), ctypes.byref(numbers[2]))
    LIB.MXNDArrayGetStorageType(x.handle, ctypes.byref(numbers[3]))
    assert [n.value for n in numbers] == [4, 1, 3, 0]
    data = ctypes.c_void_p()
    LIB.MXNDArrayGetData(x.handle, ctypes.byref(data))
    assert data.value is not None
    (ctypes.c_int * 10).from_address(data.value)[9] = 7
    assert x.asnumpy()[1, 4] == 7


def test_the_version_is_that_of_mxnet_and_waiting_returns() -> None:
    version = ctypes.c_int()
    LIB.MXGetVersion(ctypes.byref(version))
    assert version.value == 10901
    x = nd.ones((1,))
    calls = [LIB.MXNDArrayWaitAll(), LIB.MXNDArrayWaitToRead(x.handle), LIB.MXNDArrayFree(x.handle)]
    assert calls == [0, 0, 0]


def test_recording_is_switched() -> None:
    before, now = ctypes.c_int(), ctypes.c_bool()
    LIB.MXAutogradSetIsRecording(ctypes.c_int(1), ctypes.byref(before))
    LIB.MXAutogradIsRecording(ctypes.byref(now))
    assert (before.value, now.value, autograd.is_recording()) == (0, True, True)
    LIB.MXAutogradSetIsRecording(0, ctypes.byref(before))
    assert before.value == 1
    assert not autograd.is_recording()


def test_the_seed_is_set() -> None:
    LIB.MXRandomSeed(ctypes.c_int(5))
    first = nd.random.uniform(shape=3).asnumpy()
    mx.random.seed(5)
    assert (nd.random.uniform(shape=3).asnumpy() == first).all()


def test_missing_functions_are_named() -> None:
    with pytest.raises(MissingNameError, match=r"base\._LIB\.MXBuildSubgraphByOpNames"):
        LIB.MXBuildSubgraphByOpNames(sym.var("x").handle)
    assert "MXGetVersion" in dir(LIB)


def test_handles_keep_their_arrays_and_make_arrays_that_share_memory() -> None:
    handle = nd.ones((2,)).handle
    gc.collect()
    shared = nd.NDArray(handle)
    shared[:] = 3
    assert isinstance(handle, base.NDArrayHandle)  # type: ignore[attr-defined]
    assert nd.NDArray(handle, writable=False).asnumpy().tolist() == [3, 3]
    assert not nd.NDArray(handle, False).writable  # type: ignore[arg-type]
    assert nd.NDArray(ctypes.c_void_p(handle.value)).asnumpy().tolist() == [3, 3]
    with pytest.raises(MXNetError, match="no handle of any NDArray"):
        nd.NDArray(ctypes.c_void_p(1))
    with pytest.raises(MXNetError, match="no handle of any NDArray"):
        nd.NDArray(sym.var("x").handle)
    with pytest.raises(TypeError, match="around a NumPy array"):
        nd.NDArray("x")


def test_a_symbol_is_made_of_a_handle() -> None:
    both = sym.Group([sym.var("a"), sym.var("b") * 2])
    assert sym.Symbol(both.handle).tojson() == both.tojson()


def test_values_become_c_values() -> None:
    assert C.c_str("ä").value == "ä".encode()
    assert C.c_str_array(["a", "b"])[:] == [b"a", b"b"]
    assert C.c_array(C.mx_uint, [1, 2])[:] == [1, 2]
    buffer = array.array("i", [1, 2])
    C.c_array_buf(ctypes.c_int, buffer)[0] = 9
    assert buffer[0] == 9
    arrays = [nd.ones(1), nd.zeros(2)]
    handles = C.c_handle_array(arrays)
    assert [nd.NDArray(ctypes.c_void_p(h)).shape for h in handles] == [(1,), (2,)]
    text = ctypes.cast(ctypes.c_char_p(b"abc"), ctypes.POINTER(ctypes.c_char))
    assert C.ctypes2buffer(text, 3) == b"abc"
    with pytest.raises(TypeError):
        C.ctypes2buffer(b"abc", 3)
    floats = (ctypes.c_float * 4)(1, 2, 3, 4)
    view = C.ctypes2numpy_shared(ctypes.cast(floats, C.mx_float_p), (2, 2))
    view[0, 0] = 8
    assert floats[0] == 8
    with pytest.raises(RuntimeError):
        C.ctypes2numpy_shared(floats, (4,))


class OpenedThroughC(mx.recordio.MXIndexedRecordIO):
    """Opens its file as programs do that index records by numbers of their own; the base does the rest."""

    def open(self) -> None:
        self.writable = self.flag == "w"
        create = LIB.MXRecordIOWriterCreate if self.writable else LIB.MXRecordIOReaderCreate
        C.check_call(create(self.uri, ctypes.byref(self.handle)))
        self.pid, self.is_open = os.getpid(), True
        self.fidx = Path(self.idx_path).open(self.flag)  # noqa: SIM115
        if not self.writable:
            self.idx = {number: int(line) for number, line in enumerate(self.fidx)}

    def note(self) -> None:
        assert self.fidx is not None
        self.fidx.write(f"{self.tell()}\n")

    def tell_read(self) -> int:
        position = ctypes.c_size_t()
        C.check_call(LIB.MXRecordIOReaderTell(self.handle, ctypes.byref(position)))
        return position.value


RECORDS = [b"one", b"", b"\0\1" * 7, struct.pack("<I", 0xCED7230A) * 3]


def test_a_file_of_records_may_be_opened_by_a_derived_class(tmp_path: Path) -> None:
    paths = str(tmp_path / "a.idx"), str(tmp_path / "a.rec")
    records = OpenedThroughC(*paths, "w")
    for record in RECORDS:
        records.note()
        records.write(record)
    records.close()
    records = pickle.loads(pickle.dumps(OpenedThroughC(*paths, "r")))
    assert records.tell_read() == 0
    assert [records.read_idx(i) for i in (3, 0, 2, 1)] == [RECORDS[i] for i in (3, 0, 2, 1)]
    assert records.tell_read() == records.idx[2]
    records.reset()
    assert records.read() == RECORDS[0]
    assert mx.recordio.MXRecordIO(paths[1], "r").read() == RECORDS[0]


def test_records_are_written_and_read_by_functions(tmp_path: Path) -> None:
    name, handle, position = C.c_str(str(tmp_path / "b.rec")), C.RecordIOHandle(), ctypes.c_size_t()
    LIB.MXRecordIOWriterCreate(name, ctypes.byref(handle))
    offsets = []
    for record in RECORDS:
        LIB.MXRecordIOWriterTell(handle, ctypes.byref(position))
        offsets.append(position.value)
        size = ctypes.c_size_t(len(record))
        LIB.MXRecordIOWriterWriteRecord(handle, ctypes.c_char_p(record), size)
    LIB.MXRecordIOWriterFree(handle)
    handle = C.RecordIOHandle()
    LIB.MXRecordIOReaderCreate(name, ctypes.byref(handle))
    assert [_next_record(handle) for _ in range(5)] == [*RECORDS, None]
    for offset, record in zip(offsets, RECORDS, strict=True):
        LIB.MXRecordIOReaderSeek(handle, ctypes.c_size_t(offset))
        assert _next_record(handle) == record
    LIB.MXRecordIOReaderFree(handle)
    with pytest.raises(MXNetError, match=r"missing\.rec"):
        LIB.MXRecordIOReaderCreate("missing.rec", ctypes.byref(handle))
    with pytest.raises(MXNetError, match="no handle of any OpenRecords"):
        LIB.MXRecordIOReaderFree(C.RecordIOHandle())


def _next_record(handle: Any) -> bytes | None:
    start, size = ctypes.c_char_p(), ctypes.c_size_t()
    LIB.MXRecordIOReaderReadRecord(handle, ctypes.byref(start), ctypes.byref(size))
    if not start:
        return None
    pointer = ctypes.cast(start, ctypes.POINTER(ctypes.c_char))
    return bytes(C.ctypes2buffer(pointer, size.value))


def test_names_that_extension_examples_import_are_there() -> None:
    names = (
        "_LIB",
        "check_call",
        "mx_uint",
        "c_str",
        "c_str_array",
        "SymbolHandle",
        "NDArrayHandle",
    )
    assert all(hasattr(base, name) for name in names)


def test_documentation_of_parameters_is_put_together_as_in_mxnet() -> None:
    found = base.build_param_doc(
        ["data", "axis", "data", "num_args"],
        ["NDArray", "int", "x", "int"],
        ["The array.", "", "", ""],
    )
    assert found == "Parameters\n----------\ndata : NDArray\n    The array.\naxis : int\n"


def test_errors_are_registered_by_name() -> None:
    @mx.error.register
    class FirstError(MXNetError):
        pass

    @base.register_error("Other")
    class SecondError(MXNetError):
        pass

    assert base.error_types["FirstError"] is FirstError
    assert base.error_types["Other"] is SecondError
    assert base.error_types["ValueError"] is ValueError
    assert issubclass(mx.error.InternalError, MXNetError)
    del base.error_types["FirstError"], base.error_types["Other"]


def test_a_metaclass_is_given_to_a_class() -> None:
    class Meta(type):
        pass

    class Base:
        pass

    class Made(base.with_metaclass(Meta, Base)):  # type: ignore[misc]
        pass

    assert type(Made) is Meta
    assert issubclass(Made, Base)
