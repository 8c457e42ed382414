"""Iterators hand out all rows and can be asked about their batch."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx

DATA = np.arange(10).reshape(5, 2)
LABELS = np.arange(5) * 10


def csv(tmp_path: Path, **options: Any) -> Any:
    files = tmp_path / "data.csv", tmp_path / "labels.csv"
    for file, rows in zip(files, (DATA, LABELS), strict=True):
        np.savetxt(file, rows, fmt="%d", delimiter=",")
    return mx.io.CSVIter(str(files[0]), (2,), str(files[1]), batch_size=2, **options)


@pytest.mark.parametrize("round_batch", [True, False])
def test_all_rows_of_a_file_are_handed_out_and_padding_is_told(
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


def arrays() -> Any:
    return mx.io.NDArrayIter(DATA.astype(np.float32), LABELS.astype(np.float32), 2)


@pytest.mark.parametrize("kind", ["csv", "arrays", "resized", "prefetched"])
def test_an_iterator_tells_its_present_batch(tmp_path: Path, kind: str) -> None:
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
