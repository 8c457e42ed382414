"""Iterators over files: comma separated values, and the digits of the MNIST set."""

import gzip
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.graph.errors import FileFormatError
from gluonic.io.arrays import NDArrayIter
from gluonic.io.batch import DataBatch, DataIter
from gluonic.ndarray import NDArray


class CSVIter(DataIter):
    """Batches of rows of numbers from text files.

    Parameters
    ----------
    data_csv, label_csv : the files; without a label file all labels are 0
    data_shape, label_shape : the shape of one example
    batch_size : examples in a batch
    round_batch : accepted; the first examples fill an incomplete last batch up, as its `pad` tells
    dtype : ``float32``, ``int32`` or ``int64``
    data_name, label_name : the names of the inputs
    **ignored : MXNet's other settings, which change speed alone
    """

    def __init__(
        self,
        data_csv: str,
        data_shape: Any,
        label_csv: str | None = None,
        label_shape: Any = (1,),
        batch_size: int = 1,
        round_batch: bool = True,
        dtype: Any = "float32",
        data_name: str = "data",
        label_name: str = "softmax_label",
        **ignored: Any,
    ) -> None:
        super().__init__(batch_size)
        data = _read_numbers(data_csv, tuple(data_shape), dtype)
        labels = (
            np.zeros((len(data), *label_shape), data.dtype)
            if label_csv is None
            else _read_numbers(label_csv, tuple(label_shape), dtype)
        )
        if tuple(label_shape) == (1,):
            labels = labels[:, 0]
        self._batches = NDArrayIter(
            {data_name: nd.array(data, dtype=data.dtype)},
            {label_name: nd.array(labels, dtype=labels.dtype)},
            batch_size,
        )
        self.provide_data = self._batches.provide_data
        self.provide_label = self._batches.provide_label

    def reset(self) -> None:
        """Go back to the first batch."""
        self._batches.reset()

    def next(self) -> DataBatch:
        """Return the next batch."""
        if not self.iter_next():
            raise StopIteration
        return DataBatch([self.getdata()], [self.getlabel()], self.getpad(), self.getindex())

    def iter_next(self) -> bool:
        """Go on to the next batch; whether there is one."""
        return self._batches.iter_next()

    def getdata(self) -> NDArray:
        """Return the data of the present batch."""
        return self._batches.getdata()[0]

    def getlabel(self) -> NDArray:
        """Return the labels of the present batch."""
        return self._batches.getlabel()[0]

    def getpad(self) -> int:
        """Return how many examples only fill the present batch up."""
        return self._batches.getpad()

    def getindex(self) -> Any:
        """Return the numbers of the examples of the present batch."""
        return self._batches.getindex()


def _read_numbers(name: str, shape: tuple[int, ...], dtype: Any) -> Any:
    try:
        rows = np.loadtxt(name, delimiter=",", ndmin=2, dtype=dtype)
    except ValueError as error:
        raise FileFormatError(f"{name}: is no file of comma separated numbers: {error}") from error
    if rows.shape[1] != prod(shape):
        raise FileFormatError(f"{name}: has {rows.shape[1]} numbers in a row, not {shape}")
    return rows.reshape(-1, *shape)


class MNISTIter(NDArrayIter):
    """The MNIST digits from their four files.

    Parameters
    ----------
    image, label : the files, as published or unpacked
    batch_size : examples in a batch
    shuffle : whether to shuffle
    flat : whether an image is a row of 784 numbers
    **ignored : MXNet's other settings, which change speed alone
    """

    def __init__(
        self,
        image: str,
        label: str,
        batch_size: int = 128,
        shuffle: bool = True,
        flat: bool = False,
        **ignored: Any,
    ) -> None:
        images = read_idx(image, 3).astype(np.float32) / 255
        images = images.reshape(len(images), -1) if flat else images[:, np.newaxis]
        labels = read_idx(label, 1).astype(np.float32)
        super().__init__(images, labels, batch_size, shuffle, "discard", label_name="softmax_label")


def read_idx(name: str, rank: int) -> Any:
    """Read a file of bytes in the format of the MNIST set.

    Raises
    ------
    FileFormatError
        if it is none, or truncated
    """
    content = Path(name).read_bytes()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    header = 4 + 4 * rank
    if len(content) < header or content[:4] != bytes((0, 0, 8, rank)):
        raise FileFormatError(f"{name}: is no idx file of rank {rank}")
    shape = tuple(int.from_bytes(content[4 + 4 * i : 8 + 4 * i], "big") for i in range(rank))
    size = 1
    for extent in shape:
        size *= extent
    if len(content) - header != size:
        raise FileFormatError(
            f"{name}: {size} bytes should follow its header, not {len(content) - header}"
        )
    return np.frombuffer(content, np.uint8, offset=header).reshape(shape)
