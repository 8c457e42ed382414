"""Iterators over files of numbers return MXNet's batches; a loader can be one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic.graph.errors import AttributeValueError, CallError, FileFormatError, MXNetError
from tests.measured import file_iterators as measured
from tests.measured.measure import agrees, numbers, read

MEASURED = read("file_iterators")
FOUND = measured.cases(mx)


@pytest.mark.parametrize("case", MEASURED)
def test_batches_are_those_of_mxnet(case: str) -> None:
    assert agrees(numbers(FOUND[case]()), MEASURED[case])


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    for name, content in measured.FILES.items():
        (tmp_path / name).write_bytes(content)
    return {name: str(tmp_path / name) for name in measured.FILES}


def test_whole_numbers_stay_whole(files: dict[str, str]) -> None:
    batch = mx.io.CSVIter(files["label_csv"], (2,), batch_size=2, dtype="int64").next()
    assert batch.data[0].dtype == np.int64
    assert batch.data[0].asnumpy().tolist() == [[0, 0], [1, -1]]


def test_iterators_over_files_are_of_one_class(files: dict[str, str]) -> None:
    found = (
        mx.io.CSVIter(files["data_csv"], (3,)),
        mx.io.LibSVMIter(files["data_libsvm"], (3,)),
        mx.io.MNISTIter(files["image"], files["label"], batch_size=2),
    )
    for batches in found:
        assert isinstance(batches, mx.io.MXDataIter)
        assert batches.getdata().shape[0] == batches.batch_size
        assert batches.getpad() == 0
        assert batches.getindex().dtype == np.uint64


def test_handles_are_of_another_library() -> None:
    with pytest.raises(NotImplementedError, match="ImageRecordIter"):
        mx.io.MXDataIter(7)


def test_too_few_rows_for_a_batch_are_reported(files: dict[str, str]) -> None:
    with pytest.raises(MXNetError, match="7 rows do not fill a batch of 15"):
        mx.io.CSVIter(files["data_csv"], (3,), batch_size=15).next()


def test_parts_of_sparse_rows_are_all_of_them(files: dict[str, str]) -> None:
    found = [
        batch.label[0].asscalar()
        for part in range(3)
        for batch in mx.io.LibSVMIter(files["data_libsvm"], (3,), num_parts=3, part_index=part)
        if batch.label
    ]
    assert found == [1, -2, -3, 4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0:1\n1 -1:2\n", "line 2: index -1 is out of range"),
        ("1 3:1\n", "line 1: index 3 is out of range"),
        ("1 x:1\n", "line 1: invalid literal"),
        ("x 0:1\n", "line 1: could not convert"),
        ("# nothing\n\n", "has no rows"),
    ],
)
def test_damaged_sparse_rows_are_named_by_their_line(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.t"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=message):
        mx.io.LibSVMIter(str(path), (3,))


def test_sparse_files_of_other_kinds_are_refused(files: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "a.t"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(FileFormatError, match="not a text file"):
        mx.io.LibSVMIter(str(path), (3,))
    with pytest.raises(MXNetError, match="none"):
        mx.io.LibSVMIter(str(tmp_path / "none"), (3,))
    path.write_text("1 0:1\n")
    with pytest.raises(FileFormatError, match="1 labels for the 4 examples"):
        mx.io.LibSVMIter(files["data_libsvm"], (3,), label_libsvm=str(path), label_shape=(3,))
    for settings in ({"data_shape": (3, 1)}, {"data_shape": (3,), "label_shape": (2,)}):
        with pytest.raises(AttributeValueError, match="must"):
            mx.io.LibSVMIter(files["data_libsvm"], **settings)


def test_a_wide_sparse_file_takes_memory_for_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.t"
    path.write_text("".join(f"{i} {i}:1\n" for i in range(1000)))
    width = 10_000_000  # 40 GB if it were dense
    batch = mx.io.LibSVMIter(str(path), (width,), batch_size=1).next()
    assert batch.data[0].shape == (1, width)


def loader(count: int, batch_size: int, dtype: str = "float64") -> Any:
    data = np.arange(2 * count, dtype=dtype).reshape(count, 2), np.arange(count)
    return mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(*data), batch_size)


def test_a_loader_returns_batches_with_the_amount_of_padding() -> None:
    batches = mx.contrib.io.DataLoaderIter(loader(5, 2), "x", "y", "float16")
    assert batches.provide_data[0][:2] == ("x", (2, 2))
    assert batches.provide_label[0][:2] == ("y", (2,))
    for _ in range(2):
        found = list(batches)
        assert [batch.pad for batch in found] == [0, 0, 1]
        assert found[2].data[0].asnumpy().tolist() == [[8, 9], [0, 0]]
        assert found[2].label[0].asnumpy().tolist() == [4, 0]  # type: ignore[index]
        assert found[0].data[0].dtype == np.float16
        assert batches.getindex() is None
        batches.reset()


def test_a_module_learns_from_a_loader() -> None:
    net = mx.sym.SoftmaxOutput(
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=5), name="softmax"
    )
    module = mx.mod.Module(net)
    module.fit(mx.contrib.io.DataLoaderIter(loader(7, 3)), num_epoch=2)
    predicted = module.predict(mx.contrib.io.DataLoaderIter(loader(7, 3)))
    assert predicted.shape == (7, 5)


def test_a_loader_without_pairs_is_refused() -> None:
    only_data = mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset([]), 2)
    with pytest.raises(CallError, match="pairs of data and labels"):
        mx.contrib.io.DataLoaderIter(only_data)
