"""Iterators over files of comma-separated values, and over the MNIST digits."""

import inspect
import warnings
from io import TextIOWrapper
from math import prod
from typing import Any

import numpy as np

from gluonic.graph.dtypes import as_dtype
from gluonic.graph.errors import FileFormatError
from gluonic.graph.files import opened
from gluonic.graph.memory import allocated, allocating
from gluonic.io.cpp_random import CppRandom
from gluonic.io.idx import read_idx
from gluonic.io.parameters import warn_of_unknown
from gluonic.io.record_order import check_part
from gluonic.io.rows import Rest, RowsIter, check_lengths


class CSVIter(RowsIter):
    """Batches of rows of numbers from text files.

    Parameters
    ----------
    data_csv, label_csv : the files; without a label file all labels are 0
    data_shape, label_shape : the shape of one example
    batch_size : examples in a batch
    round_batch : whether the next pass skips the first examples, with which an incomplete last batch is
        padded; its `pad` is their number
    dtype : ``float32``, ``int32`` or ``int64``
    data_name, label_name : the names of the inputs
    **ignored : MXNet's other settings, which affect only speed
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
        warn_of_unknown(ignored, inspect.signature(CSVIter).parameters, "CSVIter")
        kind = as_dtype(dtype if dtype is not None else "float32")
        data = _read_numbers(data_csv, tuple(data_shape), kind)
        labels = (
            allocated(np.zeros, (len(data), *label_shape), data.dtype, "labels")
            if label_csv in (None, "NULL")
            else _read_numbers(str(label_csv), tuple(label_shape), kind)
        )
        check_lengths("CSVIter", data_csv, data, label_csv, labels)
        rest: Rest = "round" if round_batch else "fill"
        super().__init__(data, labels, batch_size, rest, data_name, label_name)


def _read_numbers(name: str, shape: tuple[int, ...], dtype: Any) -> Any:
    try:
        with (
            TextIOWrapper(opened(name)) as stream,  # NumPy fetches and unpacks what has such a name
            allocating(f"the numbers of {name}"),
            warnings.catch_warnings(),
        ):  # NumPy warns about a file without numbers
            warnings.simplefilter("ignore")
            rows = np.loadtxt(stream, delimiter=",", ndmin=2, dtype=dtype)
    except ValueError as error:
        raise FileFormatError(f"{name}: is no file of comma-separated numbers: {error}") from error
    if not rows.size:
        raise FileFormatError(f"{name}: has no numbers")
    if rows.shape[1] != prod(shape):
        raise FileFormatError(f"{name}: has {rows.shape[1]} numbers in a row, not {shape}")
    return rows.reshape(-1, *shape)


class MNISTIter(RowsIter):
    """The MNIST digits from their files; an incomplete last batch is dropped.

    Parameters
    ----------
    image, label : the files, compressed as published or not
    batch_size : examples in a batch
    shuffle : whether to shuffle them, once
    flat : whether an image is a row of 784 numbers
    seed : the seed of the shuffling
    num_parts, part_index : the number of parts that the digits are divided into, and the part to read
    data_name, label_name : the names of the inputs
    **ignored : MXNet's other settings, which affect only speed
    """

    def __init__(
        self,
        image: str = "./train-images-idx3-ubyte",
        label: str = "./train-labels-idx1-ubyte",
        batch_size: int = 128,
        shuffle: bool = True,
        flat: bool = False,
        seed: int = 0,
        num_parts: int = 1,
        part_index: int = 0,
        data_name: str = "data",
        label_name: str = "softmax_label",
        **ignored: Any,
    ) -> None:
        warn_of_unknown(ignored, inspect.signature(MNISTIter).parameters, "MNISTIter")
        check_part(part_index, num_parts)
        images, labels = read_idx(image, 3), read_idx(label, 1).astype(np.float32)
        check_lengths("MNISTIter", image, images, label, labels)
        begin, end = (int(len(images) / num_parts * (part_index + i)) for i in (0, 1))
        order = list(range(begin, end))
        if shuffle:
            CppRandom(seed).shuffle(order)
        with allocating(f"the digits of {image}"):
            images, labels = images[order].astype(np.float32) / 256, labels[order]
        images = images.reshape(len(images), -1) if flat else images[:, np.newaxis]
        super().__init__(images, labels, batch_size, "discard", data_name, label_name)
