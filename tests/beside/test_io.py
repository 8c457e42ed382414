"""Iterators return all rows, and the properties of their batches."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic.graph.errors import FileFormatError
from gluonic.io import DataIter
from gluonic.io.idx import read_idx

DATA = np.arange(10).reshape(5, 2)
LABELS = np.arange(5) * 10


def csv(tmp_path: Path, **options: Any) -> Any:
    files = tmp_path / "data.csv", tmp_path / "labels.csv"
    for file, rows in zip(files, (DATA, LABELS), strict=True):
        np.savetxt(file, rows, fmt="%d", delimiter=",")
    return mx.io.CSVIter(str(files[0]), (2,), str(files[1]), batch_size=2, **options)


@pytest.mark.parametrize("round_batch", [True, False])
def test_all_rows_of_a_file_are_returned_with_the_amount_of_padding(
    tmp_path: Path, round_batch: bool
) -> None:
    batches = list(csv(tmp_path, round_batch=round_batch))
    assert [batch.pad for batch in batches] == [0, 0, 1]
    rows = np.concatenate([batch.data[0].asnumpy() for batch in batches])
    labels = np.concatenate([batch.label[0].asnumpy() for batch in batches])
    assert np.array_equal(rows[:5], DATA)
    assert np.array_equal(labels[:5], LABELS)
    assert np.array_equal(np.concatenate([batch.index for batch in batches])[:5], range(5))


def test_labels_that_are_one_number_have_one_axis(tmp_path: Path) -> None:
    assert csv(tmp_path).provide_label == [mx.io.DataDesc("softmax_label", (2,))]


@pytest.mark.parametrize(
    ("text", "message"), [("", "no numbers"), ("1,2\n3,x\n", "comma"), ("1\n", "1 nu")]
)
def test_a_file_without_rows_of_numbers_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "data.csv"
    file.write_text(text)
    with pytest.raises(FileFormatError, match=message):
        mx.io.CSVIter(str(file), (2,))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0\0\x08\x01" + bytes((0, 0, 0, 2)) + b"\7",
        b"\0\0\x08\x01" + bytes((0, 0, 0, 2)) + b"\7\7\7",
        b"\0\0\x08\x02" + bytes((0, 0, 0, 1, 0, 0, 0, 1)) + b"\7",
        b"\0\0\x08\xff" + bytes(4 * 255),
        b"\0\0\x0d\x01" + bytes((0, 0, 0, 1)) + b"abcd",
        b"\0\0\x08\x03" + b"\xff" * 12,
    ],
    ids=["empty", "short", "long", "two axes", "255 axes", "floats", "large"],
)
@pytest.mark.parametrize("damage", [None, slice(None, -3), slice(5, None)])
def test_damaged_digits_are_refused(tmp_path: Path, content: bytes, damage: slice | None) -> None:
    file = tmp_path / "labels"
    for data in (content, gzip.compress(content)):
        file.write_bytes(data if damage is None else data[damage])
        with pytest.raises(FileFormatError, match="labels"):
            read_idx(file, 1)


def arrays() -> Any:
    return mx.io.NDArrayIter(DATA.astype(np.float32), LABELS.astype(np.float32), 2)


@pytest.mark.parametrize("kind", ["csv", "arrays", "resized", "prefetched"])
def test_an_iterator_gives_access_to_its_current_batch(tmp_path: Path, kind: str) -> None:
    iterators: dict[str, Any] = {
        "csv": csv(tmp_path),
        "arrays": arrays(),
        "resized": mx.io.ResizeIter(arrays(), 4),
        "prefetched": mx.io.PrefetchingIter([arrays(), arrays()]),
    }
    iterator = iterators[kind]
    count = 0
    for batch in iterator:
        count += 1
        for whole, found in ((batch.data, iterator.getdata()), (batch.label, iterator.getlabel())):
            first = found[0] if isinstance(found, list) else found
            assert np.array_equal(first.asnumpy(), whole[0].asnumpy())
        assert iterator.getpad() == batch.pad
    assert count == (4 if kind == "resized" else 3)
    iterator.reset()
    assert iterator.iter_next()


@pytest.mark.parametrize("reset_internal", [True, False])
def test_a_resized_iterator_begins_again_when_its_source_ends(reset_internal: bool) -> None:
    resized = mx.io.ResizeIter(arrays(), 4, reset_internal)

    def firsts() -> list[float]:
        return [float(batch.data[0][0, 0].asscalar()) for batch in resized]

    assert firsts() == [0, 4, 8, 0]
    resized.reset()
    assert firsts() == ([0, 4, 8, 0] if reset_internal else [4, 8, 0, 4])
    assert firsts() == []
    assert not hasattr(resized, "default_bucket_key")


def test_a_resized_iterator_of_nothing_ends() -> None:
    class Nothing(DataIter):
        provide_data = provide_label = ()

        def next(self) -> Any:
            raise StopIteration

        def reset(self) -> None:
            pass

    assert list(mx.io.ResizeIter(Nothing(), 4)) == []


@pytest.mark.parametrize("last", ["pad", "discard", "roll_over"])
def test_samples_lie_along_the_batch_axis_of_the_layout(last: str) -> None:
    data, label = np.arange(30).reshape(3, 5, 2), np.arange(15).reshape(3, 5)
    iterator = mx.io.NDArrayIter(data, label, 2, last_batch_handle=last, layout="TNC")
    assert (iterator.provide_data[0].shape, iterator.provide_data[0].layout) == ((3, 2, 2), "TNC")
    first, second, *_ = list(iterator)
    assert (first.data[0].asnumpy() == data[:, :2]).all()
    assert second.label is not None
    assert (second.label[0].asnumpy() == label[:, 2:4]).all()
    with pytest.raises(ValueError, match="no axis N"):
        mx.io.NDArrayIter(data, layout="HWC")


@pytest.mark.parametrize("dtype", ["int64", "uint8", "bool", "float16", "float64", "float32"])
def test_numpy_arrays_become_float32_as_nd_array_makes_them(dtype: str) -> None:
    made = mx.io.NDArrayIter(np.ones((4, 2), dtype), np.ones(4, dtype), 2)
    batch = made.next()
    for described in (*made.provide_data, *made.provide_label):
        assert described.dtype == np.float32
    for array in (*batch.data, *(batch.label or ())):
        assert array.dtype == np.float32


def test_ndarrays_keep_their_dtypes_in_batches() -> None:
    made = mx.io.NDArrayIter(
        mx.nd.ones((4, 2), dtype="int32"), mx.nd.ones((4,), dtype="float16"), 2
    )
    assert made.next().data[0].dtype == made.provide_data[0].dtype == np.int32
    assert made.provide_label[0].dtype == np.float16
