"""An iterator over files of sparse rows in the format of LIBSVM."""

import importlib
import inspect
import math
from typing import Any

import numpy as np

from gluonic.graph.errors import AttributeValueError, FileFormatError
from gluonic.graph.files import read_text
from gluonic.io.parameters import warn_of_unknown
from gluonic.io.record_order import check_part
from gluonic.io.rows import RowsIter, check_lengths


class LibSVMIter(RowsIter):
    """Batches of sparse rows from text files: lines ``label index:value index:value …``, indices from 0.

    The data of a batch are a csr array, and so are labels from a label file.

    Parameters
    ----------
    data_libsvm : the file
    data_shape : shape of a row: ``(n,)``
    batch_size : rows in a batch
    label_libsvm : a label file, whose rows are the labels; otherwise each line begins with its label
    label_shape : shape of a label
    num_parts, part_index : the number of parts that the rows are divided into, and the part to read
    round_batch : accepted; the last batch is always padded with the first rows, which the next pass skips
    data_name, label_name : the names of the inputs
    **ignored : MXNet's other settings, which affect only speed
    """

    def __init__(
        self,
        data_libsvm: str,
        data_shape: Any,
        batch_size: int = 1,
        label_libsvm: str | None = None,
        label_shape: Any = (1,),
        num_parts: int = 1,
        part_index: int = 0,
        round_batch: bool = True,
        data_name: str = "data",
        label_name: str = "softmax_label",
        **ignored: Any,
    ) -> None:
        warn_of_unknown(ignored, inspect.signature(LibSVMIter).parameters, "LibSVMIter")
        check_part(part_index, num_parts)
        width, label_width = (
            _one_axis("data_shape", data_shape),
            _one_axis("label_shape", label_shape),
        )
        own_labels = label_libsvm in (None, "NULL")
        if own_labels is not (label_width == 1):
            raise AttributeValueError(
                f"LibSVMIter: label_shape={label_shape} must be (1,) without label_libsvm, longer with it"
            )
        labels, data = _read_sparse(data_libsvm, width)
        if not own_labels:
            _, labels = _read_sparse(str(label_libsvm), label_width)
            check_lengths("LibSVMIter", data_libsvm, data, label_libsvm, labels)
        step = math.ceil(data.shape[0] / num_parts)
        part = slice(step * part_index, step * (part_index + 1))
        super().__init__(data[part], labels[part], batch_size, "round", data_name, label_name)


def _one_axis(name: str, shape: Any) -> int:
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    if len(lengths) != 1:
        raise AttributeValueError(f"LibSVMIter: {name}={shape} must have one axis")
    return int(lengths[0])


def _read_sparse(name: str, width: int) -> tuple[Any, Any]:
    """The labels of a file, and its rows as a sparse matrix.

    Raises
    ------
    FileFormatError
        naming the line that is malformed
    """
    lines = read_text(name).splitlines()
    labels: list[float] = []
    indices: list[int] = []
    values: list[float] = []
    ends = [0]
    for number, line in enumerate(lines, 1):
        label, *entries = line.partition("#")[0].split() or [""]
        if not label:
            continue
        try:
            labels.append(float(label.partition(":")[0]))
            for entry in entries:
                index, _, value = entry.partition(":")
                indices.append(_checked_index(index, width))
                values.append(float(value or 1))
        except ValueError as error:
            raise FileFormatError(f"{name}: line {number}: {error}") from error
        ends.append(len(indices))
    if not labels:
        raise FileFormatError(f"{name}: has no rows")
    sparse = importlib.import_module("scipy.sparse")
    rows = sparse.csr_matrix((np.array(values, np.float32), indices, ends), (len(labels), width))
    return np.array(labels, np.float32), rows


def _checked_index(text: str, width: int) -> int:
    index = int(text)
    if not 0 <= index < width:
        raise ValueError(f"index {index} is out of range for rows of length {width}")
    return index
