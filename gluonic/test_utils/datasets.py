"""Data sets that MXNet's tests and examples download to the folder ``data``, unless they exist there."""

import bz2
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gluonic.graph.archives import check_members, reading_archive
from gluonic.graph.files import accessing, write_atomically
from gluonic.graph.unpacking import Unpacking
from gluonic.io import MNISTIter
from gluonic.test_utils.surroundings import download

_FOLDER = "data"
_PIECE = 1 << 20  # bytes
_PUBLISHED = "http://data.mxnet.io/mxnet/data"


def _unpack(archive: str, folder: str) -> None:
    with accessing(folder), reading_archive(archive), zipfile.ZipFile(archive) as file:
        check_members(archive, file.infolist())
        file.extractall(folder)


def _fetch_files(archive: str, files: Sequence[str]) -> None:
    """Fetch an archive and unpack it, if one of its files is missing."""
    if not all((Path(_FOLDER) / name).exists() for name in files):
        _unpack(download(f"{_PUBLISHED}/{archive}", dirname=_FOLDER), _FOLDER)


def get_mnist_ubyte() -> None:
    """Fetch the handwritten digits of MNIST as four IDX files."""
    parts = [
        f"{part}-{kind}-ubyte"
        for part in ("train", "t10k")
        for kind in ("images-idx3", "labels-idx1")
    ]
    _fetch_files("mnist.zip", parts)


def get_cifar10() -> None:
    """Fetch the photographs of CIFAR-10 as record files."""
    parts = [f"cifar/{part}.{kind}" for part in ("train", "test") for kind in ("rec", "lst")]
    _fetch_files("cifar10.zip", parts)


def get_mnist_pkl() -> None:
    """Fetch the handwritten digits of MNIST as a compressed pickle, which is not read."""
    download("http://deeplearning.net/data/mnist/mnist.pkl.gz", dirname=_FOLDER)


def get_mnist_iterator(
    batch_size: int, input_shape: Sequence[int], num_parts: int = 1, part_index: int = 0
) -> tuple[MNISTIter, MNISTIter]:
    """Return iterators over the digits of MNIST for training and testing; see `get_mnist_ubyte`.

    Parameters
    ----------
    batch_size : number of digits in a batch
    input_shape : the shape of one digit, ``(1, 28, 28)``; or ``(784,)`` for rows of numbers
    num_parts, part_index : the number of parts that the digits are divided into, and the part to read
    """
    get_mnist_ubyte()

    def digits(part: str, shuffle: bool) -> MNISTIter:
        settings: dict[str, Any] = {
            "input_shape": tuple(input_shape),
            "num_parts": num_parts,
            "part_index": part_index,
        }
        return MNISTIter(
            f"{_FOLDER}/{part}-images-idx3-ubyte",
            f"{_FOLDER}/{part}-labels-idx1-ubyte",
            batch_size=batch_size,
            shuffle=shuffle,
            flat=len(input_shape) != 3,
            **settings,
        )

    return digits("train", shuffle=True), digits("t10k", shuffle=True)


def get_zip_data(data_dir: str, url: str, data_origin_name: str) -> None:
    """Fetch a zip archive and unpack it in the same folder, unless it exists.

    Parameters
    ----------
    data_dir : the folder
    url : the URL of the archive; its last part must be `data_origin_name`
    data_origin_name : the archive's name in the folder
    """
    archive = Path(data_dir) / data_origin_name
    if not archive.exists():
        download(url, dirname=data_dir)
        _unpack(str(archive), data_dir)


def get_bz2_data(data_dir: str, data_name: str, url: str, data_origin_name: str) -> None:
    """Fetch a file compressed by bzip2 and unpack it, unless the unpacked file exists.

    Parameters
    ----------
    data_dir : the folder
    data_name : the name of the unpacked file
    url : the URL of the compressed file; its last part must be `data_origin_name`
    data_origin_name : the name of the compressed file, which is deleted afterwards
    """
    unpacked, archive = Path(data_dir) / data_name, Path(data_dir) / data_origin_name
    if unpacked.exists():
        return
    download(url, fname=data_origin_name, dirname=data_dir)
    write_atomically(unpacked, _pieces(archive))
    archive.unlink()


def _pieces(archive: Path) -> Iterator[bytes]:
    """What a file compressed by bzip2 holds."""
    with reading_archive(f"{archive}: damaged"), bz2.open(archive) as content:
        stream = Unpacking(content, archive.stat().st_size, f"{archive}")
        yield from iter(lambda: stream.read(_PIECE), b"")


def get_im2rec_path(home_env: str = "MXNET_HOME") -> str:
    """Return the path of the program that packs images into records, for ``python PATH prefix root``.

    Parameters
    ----------
    home_env : accepted and ignored; gluonic has its own program
    """
    return str(Path(__file__).parents[1] / "tools" / "im2rec.py")
