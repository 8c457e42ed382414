"""Iterators over files: comma separated values, and the digits of the MNIST set."""

import warnings
from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.graph.attributes import Positive
from gluonic.graph.errors import AttributeValueError, FileFormatError, nearest, warn
from gluonic.io.arrays import NDArrayIter
from gluonic.io.batch import DataBatch, DataIter
from gluonic.io.idx import read_idx
from gluonic.ndarray import NDArray

_OF_SPEED = {
    "ctx",
    "dtype",
    "input_shape",
    "preprocess_threads",
    "prefetch_buffer",
    "seed",
    "silent",
}


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
    **others : MXNet's other settings, which change speed alone; it lets pass what it does not know, too
    """

    def __init__(
        self,
        data_csv: str,
        data_shape: Any,
        label_csv: str | None = None,
        label_shape: Any = (1,),
        batch_size: Positive = 1,
        round_batch: bool = True,
        dtype: Any = "float32",
        data_name: str = "data",
        label_name: str = "softmax_label",
        **others: Any,
    ) -> None:
        _warn_of(others, self, "data_csv", "data_shape", "label_csv", "label_shape", "batch_size")
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


def _warn_of(others: Iterable[str], iterator: DataIter, *known: str) -> None:
    for name in others:
        if name not in _OF_SPEED:
            title = type(iterator).__name__
            warn(f"{title} has no argument {name!r}: it has no effect{nearest(name, known)}")


def _read_numbers(name: str, shape: tuple[int, ...], dtype: Any) -> Any:
    try:
        with warnings.catch_warnings():  # NumPy warns of a file without numbers
            warnings.simplefilter("ignore")
            rows = np.loadtxt(name, delimiter=",", ndmin=2, dtype=dtype)
    except ValueError as error:
        raise FileFormatError(f"{name}: is no file of comma separated numbers: {error}") from error
    if not rows.size:
        raise FileFormatError(f"{name}: has no numbers")
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
    num_parts, part_index : into how many parts to divide the digits, and which one to go through
    **others : MXNet's other settings, which change speed alone; it lets pass what it does not know, too
    """

    def __init__(
        self,
        image: str,
        label: str,
        batch_size: Positive = 128,
        shuffle: bool = True,
        flat: bool = False,
        num_parts: int = 1,
        part_index: int = 0,
        **others: Any,
    ) -> None:
        _warn_of(others, self, "batch_size", "shuffle", "flat", "num_parts", "part_index")
        if not 0 <= part_index < num_parts:
            raise AttributeValueError(f"MNISTIter: there is no part {part_index} of {num_parts}")
        images, labels = read_idx(image, 3), read_idx(label, 1).astype(np.float32)
        begin, end = (int(len(images) / num_parts * (part_index + i)) for i in (0, 1))
        images, labels = images[begin:end].astype(np.float32) / 255, labels[begin:end]
        images = images.reshape(len(images), -1) if flat else images[:, np.newaxis]
        super().__init__(images, labels, batch_size, shuffle, "discard", label_name="softmax_label")
