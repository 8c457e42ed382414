"""Data sets of images: in files of records, in folders, in lists."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic.gluon.data import DataLoader, RecordFileDataset
from gluonic.gluon.data.vision import ImageFolderDataset, ImageListDataset, ImageRecordDataset
from gluonic.graph.errors import CallError, FileFormatError, MXNetError
from gluonic.graph.image_files import encode


def picture(number: int) -> Any:
    """An image, blue first."""
    return np.random.RandomState(number).randint(0, 256, (5, 6, 3)).astype(np.uint8)


def red_first(number: int) -> Any:
    return picture(number)[:, :, ::-1]


@pytest.fixture
def records(tmp_path: Path) -> str:
    """Five images with labels 0 to 4."""
    record = mx.recordio.MXIndexedRecordIO(str(tmp_path / "a.idx"), str(tmp_path / "a.rec"), "w")
    for i in range(5):
        record.write_idx(i, mx.recordio.pack_img((0, i, i, 0), picture(i), 9, ".png"))
    record.close()
    return str(tmp_path / "a.rec")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two folders of images, and something else."""
    for number, name in enumerate(["cats/1.png", "cats/2.PNG", "dogs/1.png"]):
        path = tmp_path / "all" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode(picture(number), 9, ".png"))
    return tmp_path / "all"


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("thread_pool", [True, False])
def test_records_are_loaded_by_any_number_of_workers(
    workers: int, thread_pool: bool, records: str
) -> None:
    data = ImageRecordDataset(records)
    loader = DataLoader(data, 2, num_workers=workers, thread_pool=thread_pool)
    images, labels = map(
        np.concatenate, zip(*[(x.asnumpy(), y.asnumpy()) for x, y in loader], strict=True)
    )
    assert labels.tolist() == [0, 1, 2, 3, 4]
    assert np.array_equal(images, [red_first(i) for i in range(5)])


def test_records_are_transformed_or_grey(records: str) -> None:
    data = ImageRecordDataset(records, 0, lambda image, label: (image.shape, label + 1))
    assert data[3] == ((5, 6, 1), 4)
    assert len(data) == len(RecordFileDataset(records)) == 5
    assert mx.recordio.unpack(RecordFileDataset(records)[2])[0].id == 2


def test_records_without_an_index_are_refused(records: str) -> None:
    Path(records).with_suffix(".idx").unlink()
    with pytest.raises(MXNetError, match=r"a\.idx"):
        ImageRecordDataset(records)


def test_folders_are_labels(folder: Path) -> None:
    data = ImageFolderDataset(str(folder), transform=lambda image, label: (image.asnumpy(), label))
    assert data.synsets == ["cats", "dogs"]
    assert [label for _, label in data.items] == [0, 0, 1]
    assert all(np.array_equal(data[i][0], red_first(i)) for i in range(3))


def test_other_files_are_warned_of(folder: Path) -> None:
    (folder / "cats" / "notes.txt").touch()
    with pytest.warns(UserWarning, match=r"notes\.txt"):
        assert len(ImageFolderDataset(str(folder))) == 3
    (folder / "cats" / "notes.txt").unlink()
    (folder / "readme").touch()
    with pytest.warns(UserWarning, match="not a directory"):
        assert len(ImageFolderDataset(str(folder))) == 3


def test_lists_name_images_and_labels(folder: Path) -> None:
    (folder / "all.lst").write_text("0\t1\t2.5\tdogs/1.png\n7\t3\t4\tcats/1.png\n")
    given = [[1.0, 2.5, "dogs/1.png"], [3, 4, "cats/1.png"]]
    for images in ("all.lst", given):
        data = ImageListDataset(str(folder), images)
        assert len(data) == 2
        assert [label.asnumpy().tolist() for _, label in data] == [[1, 2.5], [3, 4]]
        assert np.array_equal(data[0][0].asnumpy(), red_first(2))
    assert ImageListDataset(str(folder), given, 0)[0][0].shape == (5, 6, 1)


def test_lists_of_something_else_are_refused(folder: Path) -> None:
    with pytest.raises(CallError, match="imglist must be"):
        ImageListDataset(str(folder))
    (folder / "all.lst").write_text("nothing\n")
    with pytest.raises(FileFormatError, match="line 1"):
        ImageListDataset(str(folder), "all.lst")
