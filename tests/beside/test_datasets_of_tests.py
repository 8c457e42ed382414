"""Data sets that `mx.test_utils` fetches, here from files on this machine."""

import bz2
import io
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gluonic import test_utils as tu
from gluonic.graph.errors import FileFormatError, MXNetError

DIGITS = np.arange(7 * 28 * 28, dtype=np.uint8).reshape(7, 28, 28)


@pytest.fixture
def digits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with MNIST's four files in ``data``: seven digits each."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    for part in ("train", "t10k"):
        images = struct.pack(">4I", 0x803, 7, 28, 28) + DIGITS.tobytes()
        labels = struct.pack(">2I", 0x801, 7) + bytes(range(7))
        (tmp_path / "data" / f"{part}-images-idx3-ubyte").write_bytes(images)
        (tmp_path / "data" / f"{part}-labels-idx1-ubyte").write_bytes(labels)
    return tmp_path


def zipped(files: dict[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return stream.getvalue()


@pytest.mark.usefixtures("digits")
@pytest.mark.parametrize(("shape", "expected"), [((784,), (2, 784)), ((1, 28, 28), (2, 1, 28, 28))])
def test_digits_are_read_from_existing_files(
    shape: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    train, test = tu.get_mnist_iterator(2, shape)
    for iterator in (train, test):
        batches: list[Any] = list(iterator)
        assert [batch.data[0].shape for batch in batches] == [expected] * 3
        for image, label in zip(batches[0].data[0], batches[0].label[0], strict=True):
            wanted = DIGITS[int(label.asscalar())].reshape(shape) / np.float32(256)
            np.testing.assert_allclose(image.asnumpy(), wanted, rtol=1e-6)


@pytest.mark.usefixtures("digits")
def test_the_digits_are_divided_into_parts() -> None:
    seen = []
    for part in range(2):
        train, _ = tu.get_mnist_iterator(1, (784,), num_parts=2, part_index=part)
        batches: list[Any] = list(train)
        seen.append(sorted(int(batch.label[0].asscalar()) for batch in batches))
    assert seen == [[0, 1, 2], [3, 4, 5, 6]]
    with pytest.raises(ValueError, match="no part part_index=2 of num_parts=2"):
        tu.get_mnist_iterator(1, (784,), num_parts=2, part_index=2)


def test_existing_files_are_not_fetched(digits: Path) -> None:
    for name in ("train.rec", "train.lst", "test.rec", "test.lst"):
        (digits / "data" / "cifar").mkdir(exist_ok=True)
        (digits / "data" / "cifar" / name).write_text("")
    (digits / "data" / "mnist.pkl.gz").write_text("")
    tu.get_mnist_ubyte()
    tu.get_cifar10()
    tu.get_mnist_pkl()


def test_archives_are_fetched_and_unpacked_once(tmp_path: Path) -> None:
    source, folder = tmp_path / "a.zip", tmp_path / "data"
    source.write_bytes(zipped({"inner/a.txt": "hello"}))
    tu.get_zip_data(str(folder), f"file://{source}", "a.zip")
    assert (folder / "inner" / "a.txt").read_text() == "hello"
    source.unlink()
    tu.get_zip_data(str(folder), f"file://{source}", "a.zip")


def test_compressed_files_are_fetched_and_unpacked_once(tmp_path: Path) -> None:
    source, folder = tmp_path / "numbers.bz2", tmp_path / "data"
    source.write_bytes(bz2.compress(b"1 2 3\n"))
    tu.get_bz2_data(str(folder), "numbers", f"file://{source}", "numbers.bz2")
    assert (folder / "numbers").read_text() == "1 2 3\n"
    assert not (folder / "numbers.bz2").exists()
    source.unlink()
    tu.get_bz2_data(str(folder), "numbers", f"file://{source}", "numbers.bz2")


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "a"
    source.write_bytes(b"nothing of the kind")
    with pytest.raises(FileFormatError, match="not a zip file"):
        tu.get_zip_data(str(tmp_path / "zip"), f"file://{source}", "a")
    with pytest.raises(FileFormatError, match="damaged"):
        tu.get_bz2_data(str(tmp_path / "bz2"), "b", f"file://{source}", "a")
    assert not (tmp_path / "bz2" / "b").exists()
    with pytest.raises((MXNetError, OSError)):
        tu.get_zip_data(str(tmp_path / "none"), f"file://{tmp_path}/missing.zip", "missing.zip")
