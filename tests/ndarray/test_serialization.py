"""Parameter files: what MXNet 1.9.1 writes, and what strangers may send."""

import os
import pickle
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gluonic as mx
from gluonic import nd
from gluonic.graph.errors import FileFormatError

DTYPES = ["float16", "float32", "float64", "uint8", "int8", "int32", "int64", "bool"]

# Written by hand after MXNet's format: {"a": float32 [1, 2], on cpu(0)}.
ONE = (
    struct.pack("<QQQ", 0x112, 0, 1)
    + struct.pack("<Iii", 0xF993FAC9, 0, 1)
    + struct.pack("<qiii", 2, 1, 0, 0)
    + struct.pack("<ff", 1, 2)
    + struct.pack("<QQ", 1, 1)
    + b"a"
)


def several() -> dict[str, nd.NDArray]:
    arrays = {f"arg:{d}": nd.array(np.arange(6).reshape(2, 3), dtype=d) for d in DTYPES}
    return {**arrays, "ünï": nd.zeros((0, 3)), "other": nd.ones((2,), ctx=mx.cpu(3))}


def file_of(data: Any, tmp_path: Path) -> bytes:
    nd.save(tmp_path / "x.params", data)
    return (tmp_path / "x.params").read_bytes()


def block(
    magic: int = 0xF993FAC9, storage: int = 0, shape: tuple[int, ...] = (2,), code: int = 0
) -> bytes:
    head = struct.pack("<Iii", magic, storage, len(shape))
    return head + struct.pack(f"<{len(shape)}qiii", *shape, 1, 0, code) + struct.pack("<ff", 1, 2)


def file_with(array: bytes, names: bytes = struct.pack("<Q", 0), count: int = 1) -> bytes:
    return struct.pack("<QQQ", 0x112, 0, count) + array + names


def test_the_bytes_are_those_of_mxnet(tmp_path: Path) -> None:
    assert file_of({"a": nd.array([1, 2])}, tmp_path) == ONE


def test_a_dict_comes_back_in_order(tmp_path: Path) -> None:
    nd.save(str(tmp_path / "x"), several())
    loaded = nd.load(str(tmp_path / "x"))
    assert isinstance(loaded, dict)
    assert list(loaded) == list(several())
    for name, array in several().items():
        assert loaded[name].dtype == array.dtype
        assert loaded[name].shape == array.shape
        assert (loaded[name].asnumpy() == array.asnumpy()).all()


def test_lists_and_single_arrays_come_back_as_lists(tmp_path: Path) -> None:
    assert [x.shape for x in nd.load_frombuffer(file_of(nd.zeros((2, 3)), tmp_path))] == [(2, 3)]
    assert len(nd.load_frombuffer(file_of(list(several().values()), tmp_path))) == len(several())
    assert nd.load_frombuffer(file_of({}, tmp_path)) == []


def test_an_array_without_axes_is_saved_and_loaded(tmp_path: Path) -> None:
    (x,) = nd.load_frombuffer(file_of([nd.array(2.5)], tmp_path))
    assert x.shape == ()
    assert x.asscalar() == 2.5


def test_a_file_is_in_one_of_mxnets_semantics(tmp_path: Path) -> None:
    """MXNet refuses, in either of the two, a file with arrays of both."""
    arrays = {"a": nd.ones((2, 3)), "b": nd.array(np.array(3.0)), "c": nd.ones(4)}
    held = file_of(arrays, tmp_path)
    assert held.count(struct.pack("<I", 0xF993FACA)) == 3
    assert held.count(struct.pack("<I", 0xF993FAC9)) == 0


def test_a_truncated_file_is_refused_at_every_byte(tmp_path: Path) -> None:
    whole = file_of(several(), tmp_path)
    for length in range(len(whole)):
        with pytest.raises(FileFormatError):
            nd.load_frombuffer(whole[:length])


@given(st.data())
def test_a_damaged_file_is_refused_or_read_but_nothing_else(data: st.DataObject) -> None:
    damaged = bytearray(ONE)
    position = data.draw(st.integers(0, len(ONE) - 1))
    damaged[position] = data.draw(st.integers(0, 255))
    with suppress(FileFormatError):
        nd.load_frombuffer(bytes(damaged))


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        (b"hello", "Invalid NDArray file format"),
        (file_with(block(shape=(2**30, 2**30))), "truncated"),
        (file_with(block(shape=(2**60,) * 3)), "larger than memory"),
        (file_with(block(shape=(0, 2**62))), "larger than memory"),
        (file_with(block(shape=(-2,))), "negative"),
        (file_with(block(code=99)), "dtype number 99"),
        (file_with(block(code=13)), "dtype number 13"),
        (file_with(block(storage=1)), "not int64"),
        (file_with(block(storage=2)), "not int64"),
        (file_with(block(storage=7)), "storage type 7"),
        (file_with(struct.pack("<Iii", 0xF993FAC9, 0, 33)), "33 axes"),
        (file_with(block(), count=2**40), "1,099,511,627,776 arrays"),
        (file_with(block(), struct.pack("<Q", 2)), "2 names for 1"),
        (file_with(block(), struct.pack("<QQ", 1, 2**50)), "too long"),
        (file_with(block(), struct.pack("<QQ", 1, 2) + b"\xff\xfe"), "UTF-8"),
    ],
)
def test_wrong_files_are_refused_with_the_reason(contents: bytes, words: str) -> None:
    with pytest.raises(FileFormatError, match=words):
        nd.load_frombuffer(contents)


def test_older_versions_are_read() -> None:
    first = struct.pack("<Iiqiii", 0xF993FAC8, 1, 2, 1, 0, 0) + struct.pack("<ff", 1, 2)
    oldest = struct.pack("<IIiii", 1, 2, 1, 0, 0) + struct.pack("<ff", 1, 2)
    newest = block(0xF993FACA)
    for array in (first, oldest, newest):
        (x,) = nd.load_frombuffer(file_with(array))
        assert x.asnumpy().tolist() == [1, 2]


def test_an_array_saved_on_a_gpu_is_loaded_on_the_cpu() -> None:
    data = bytearray(file_with(block()))
    data[24 + 12 + 8] = 2  # the kind of device
    (x,) = nd.load_frombuffer(bytes(data))
    assert x.context == mx.cpu(0)


def test_an_old_file_survives_a_failed_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.params"
    nd.save(path, [nd.ones((2,))])
    before = path.read_bytes()

    def fail(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(mx.MXNetError, match=r"No space left.*x\.params"):
        nd.save(path, [nd.zeros((9,))])
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["x.params"]


def test_a_missing_file_is_named() -> None:
    with pytest.raises(mx.MXNetError, match=r"/no/such/file"):
        nd.load("/no/such/file")
    with pytest.raises(OSError, match=r"/no/such/folder"):
        nd.save("/no/such/folder/x", [])


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({1: nd.ones((1,))}, TypeError),
        ([1], TypeError),
        ((nd.ones((1,)),), ValueError),
        (3, ValueError),
    ],
)
def test_values_that_cannot_be_saved_are_refused(
    data: Any, kind: type[Exception], tmp_path: Path
) -> None:
    with pytest.raises(kind, match="save"):
        nd.save(tmp_path / "x", data)
    assert not os.listdir(tmp_path)


def test_pickles_hold_the_elements_and_the_context() -> None:
    x = nd.array([[1, 2]], dtype="int8", ctx=mx.cpu(2))
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        y = pickle.loads(pickle.dumps(x, protocol))
        assert y.dtype is np.int8
        assert y.context == mx.cpu(2)
        assert y.asnumpy().tolist() == [[1, 2]]


def test_pickles_written_by_mxnet_are_read() -> None:
    x = nd.NDArray(None)
    x.__setstate__({"handle": bytearray(block())})
    assert x.asnumpy().tolist() == [1, 2]


def test_paths_that_are_not_files_are_refused() -> None:
    with pytest.raises(TypeError):
        nd.load_frombuffer(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        nd.load(3)  # type: ignore[arg-type]
