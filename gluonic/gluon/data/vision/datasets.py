"""Data sets of images, read from files on this machine."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from gluonic import image
from gluonic.base import data_dir
from gluonic.gluon.data.dataset import Dataset, RecordFileDataset, _DownloadedDataset
from gluonic.gluon.data.finding import find
from gluonic.graph.archives import read_from_tar
from gluonic.graph.array_semantics import is_np_array
from gluonic.graph.errors import CallError, FileFormatError
from gluonic.graph.files import accessing
from gluonic.graph.memory import allocating
from gluonic.image.sources import listed_images
from gluonic.io.idx import read_idx
from gluonic.ndarray import NDArray
from gluonic.ndarray.numpy_class import as_switched
from gluonic.recordio import unpack

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "MNIST",
    "FashionMNIST",
    "ImageFolderDataset",
    "ImageListDataset",
    "ImageRecordDataset",
]

Transform = Callable[[Any, Any], Any]


class _LocalDataset(_DownloadedDataset):
    """Images and labels, all read from files at the start."""

    _folder: ClassVar[str]

    def __init__(self, root: str | None, train: bool, transform: Transform | None) -> None:
        self._train = train
        super().__init__(str(root or Path(data_dir()) / "datasets" / self._folder), transform)

    def _get_data(self) -> None:
        with allocating(f"the images in {self._root}"):
            images, labels = self._read()
            images = np.array(images)
        if len(images) != len(labels):
            raise FileFormatError(
                f"{self._root}: {len(images)} images do not go with {len(labels)} labels"
            )
        labels = labels.astype(np.int32)
        self._data = as_switched(NDArray(images))
        self._label = as_switched(NDArray(labels)) if is_np_array() else labels

    def _read(self) -> tuple[Any, Any]:
        raise NotImplementedError

    def _find(self, *names: str) -> Path:
        """The first of several files that is in the folder, or can be fetched."""
        return find(Path(self._root), names, type(self).__name__, self._folder)


class MNIST(_LocalDataset):
    """Handwritten digits (LeCun et al., 1998): images ``(28, 28, 1)`` of bytes, and their numbers.

    Parameters
    ----------
    root : the folder with the four IDX files, compressed or not; below ``~/.mxnet/datasets`` by default
    train : the 60,000 training images; otherwise the 10,000 for testing
    transform : a function of image and label that returns the sample
    """

    _folder = "mnist"

    def __init__(
        self, root: str | None = None, train: bool = True, transform: Transform | None = None
    ) -> None:
        super().__init__(root, train, transform)

    def _read(self) -> tuple[Any, Any]:
        part = "train" if self._train else "t10k"
        images, labels = (
            read_idx(self._find(f"{name}.gz", name))
            for name in (f"{part}-images-idx3-ubyte", f"{part}-labels-idx1-ubyte")
        )
        return images[..., None], labels


class FashionMNIST(MNIST):
    """Images of clothes (Xiao et al., 2017), in MNIST's format.

    Parameters
    ----------
    root : the folder with the four IDX files, compressed or not; below ``~/.mxnet/datasets`` by default
    train : the 60,000 training images; otherwise the 10,000 for testing
    transform : a function of image and label that returns the sample
    """

    _folder = "fashion-mnist"


class CIFAR10(_LocalDataset):
    """Small photographs of ten kinds (Krizhevsky, 2009): images ``(32, 32, 3)`` of bytes, and labels.

    Parameters
    ----------
    root : the folder with the binary files, or with their archive; below ``~/.mxnet/datasets`` by default
    train : the 50,000 training images; otherwise the 10,000 for testing
    transform : a function of image and label that returns the sample
    """

    _folder = "cifar10"
    _archive = "cifar-10-binary.tar.gz"
    _training: ClassVar[tuple[str, ...]] = tuple(f"data_batch_{i}.bin" for i in range(1, 6))
    _testing: ClassVar[tuple[str, ...]] = ("test_batch.bin",)
    _labels = 1  # how many labels come before the pixels of an image
    _label_column = 0

    def __init__(
        self, root: str | None = None, train: bool = True, transform: Transform | None = None
    ) -> None:
        super().__init__(root, train, transform)

    def _read(self) -> tuple[Any, Any]:
        names = self._training if self._train else self._testing
        records = np.concatenate([self._records(name) for name in names])
        pixels = records[:, self._labels :].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        return pixels, records[:, self._label_column]

    def _records(self, name: str) -> Any:
        path = self._find(name, self._archive)
        contents = path.read_bytes() if path.name == name else read_from_tar(path, name)
        length = self._labels + 3072
        if not contents or len(contents) % length:
            raise FileFormatError(f"{path}: damaged: {len(contents)} bytes are no whole images")
        return np.frombuffer(contents, np.uint8).reshape(-1, length)


class CIFAR100(CIFAR10):
    """Small photographs of a hundred kinds (Krizhevsky, 2009).

    Parameters
    ----------
    root : the folder with the binary files, or with their archive; below ``~/.mxnet/datasets`` by default
    fine_label : the hundred kinds; otherwise the twenty superclasses
    train : the 50,000 training images; otherwise the 10,000 for testing
    transform : a function of image and label that returns the sample
    """

    _folder = "cifar100"
    _archive = "cifar-100-binary.tar.gz"
    _training = ("train.bin",)
    _testing = ("test.bin",)
    _labels = 2

    def __init__(
        self,
        root: str | None = None,
        fine_label: bool = False,
        train: bool = True,
        transform: Transform | None = None,
    ) -> None:
        self._label_column = int(fine_label)
        super().__init__(root, train, transform)


class ImageRecordDataset(RecordFileDataset):
    """The images of a RecordIO file, with their labels.

    Parameters
    ----------
    filename : the ``.rec`` file; its ``.idx`` file must be in the same folder
    flag : 1 for colour, 0 for grey
    transform : a function of image and label that returns the sample
    """

    def __init__(self, filename: str, flag: int = 1, transform: Transform | None = None) -> None:
        super().__init__(filename)
        self._flag, self._transform = flag, transform

    def __getitem__(self, idx: Any) -> Any:
        record = super().__getitem__(idx)
        header, contents = unpack(record)
        try:
            sample = image.imdecode(contents, self._flag), header.label
        except FileFormatError as error:
            error.facts.append(f"record number {idx} of {self.filename}")
            raise
        return sample if self._transform is None else self._transform(*sample)


class ImageFolderDataset(Dataset):
    """The images in a folder's subfolders, whose names are their labels.

    Parameters
    ----------
    root : the folder
    flag : 1 for colour, 0 for grey
    transform : a function of image and label that returns the sample

    Attributes
    ----------
    synsets : the names of the subfolders, in order: label `i` means ``synsets[i]``
    items : paths and labels
    """

    _suffixes: ClassVar[tuple[str, ...]] = (".jpg", ".jpeg", ".png")

    def __init__(self, root: str, flag: int = 1, transform: Transform | None = None) -> None:
        self._root, self._flag, self._transform = str(Path(root).expanduser()), flag, transform
        self.synsets: list[str] = []
        self.items: list[tuple[str, int]] = []
        with accessing(self._root):
            inside = sorted(Path(self._root).iterdir())
        for folder in inside:
            if folder.is_dir():
                self._list(folder)
            else:
                warnings.warn(f"Ignoring {folder}, which is not a directory.", stacklevel=2)

    def _list(self, folder: Path) -> None:
        label = len(self.synsets)
        self.synsets.append(folder.name)
        for path in sorted(folder.iterdir()):
            if path.suffix.lower() in self._suffixes:
                self.items.append((str(path), label))
            else:
                known = ", ".join(self._suffixes)
                warnings.warn(f"Ignoring {path}: only {known} are images here.", stacklevel=3)

    def __getitem__(self, idx: Any) -> Any:
        path, label = self.items[idx]
        sample = image.imread(path, self._flag), label
        return sample if self._transform is None else self._transform(*sample)

    def __len__(self) -> int:
        return len(self.items)


class ImageListDataset(Dataset):
    """The images in a list, with their labels, as in MXNet 2.0.

    Parameters
    ----------
    root : the folder of the images
    imglist : a file in that folder, with lines of a number, labels and a path, as im2rec writes them;
        or a list with a label, or labels, and a path for each image
    flag : 1 for colour, 0 for grey
    """

    def __init__(self, root: str = ".", imglist: Any = None, flag: int = 1) -> None:
        folder = Path(root).expanduser()
        path = str(folder / imglist) if isinstance(imglist, str) else None
        found = listed_images(path, imglist, "float32")
        if found is None:
            raise CallError(
                "ImageListDataset: imglist must be the name of a list, or a list of images"
            )
        self._root, self._flag = str(folder), flag
        self._items = [found.entries[key] for key in found.keys]

    def __getitem__(self, idx: Any) -> Any:
        label, name = self._items[idx]
        return image.imread(str(Path(self._root) / name), self._flag), label

    def __len__(self) -> int:
        return len(self._items)
