"""Batches of rows in memory, in the order and with the padding of MXNet's iterators over files."""

from typing import Any, Literal

import numpy as np

from gluonic.graph.errors import AttributeValueError, FileFormatError, MXNetError
from gluonic.graph.memory import allocating
from gluonic.graph.storage.values import Csr
from gluonic.io.batch import DataBatch, DataDesc
from gluonic.io.mx_data_iter import MXDataIter
from gluonic.ndarray import NDArray
from gluonic.ndarray.storage.arrays import made
from gluonic.ndarray.storage.copies import is_scipy

Rest = Literal["round", "fill", "discard"]


class RowsIter(MXDataIter):
    """Batches of the rows of two arrays.

    Parameters
    ----------
    data, labels : NumPy arrays, or sparse matrices of SciPy, whose batches are csr; labels of one number have
        no second axis
    batch_size : rows in a batch
    rest : what to do with an incomplete last batch: pad it with the first rows, which the next pass skips
        (``"round"``) or not (``"fill"``); or drop it (``"discard"``)
    data_name, label_name : the names of the inputs
    """

    def __init__(
        self,
        data: Any,
        labels: Any,
        batch_size: int,
        rest: Rest,
        data_name: str = "data",
        label_name: str = "softmax_label",
    ) -> None:
        if batch_size < 1:
            raise AttributeValueError(f"batch_size={batch_size} must be at least 1")
        super().__init__()
        self.batch_size = batch_size
        self._data = data
        self._labels = labels[:, 0] if labels.shape[1:] == (1,) else labels
        self._rest = rest
        self._row = 0
        self._ended = False
        self.provide_data, self.provide_label = (
            [DataDesc(name, (batch_size, *rows.shape[1:]), rows.dtype.type)]
            for name, rows in ((data_name, self._data), (label_name, self._labels))
        )

    def go_back(self) -> None:
        """Go back to the first row; after a padded batch, to the row after its last one."""
        filled_up = self._row - self._data.shape[0] if self._rest == "round" and self._ended else 0
        self._row, self._ended = max(0, filled_up), False

    def make_next(self) -> DataBatch | None:
        """Return the next batch; None after the last."""
        count, begin, end = self._data.shape[0], self._row, self._row + self.batch_size
        if begin >= count or self._ended or (end > count and self._rest == "discard"):
            self._ended = True
            return None
        pad = max(0, end - count)
        if pad > count:
            raise MXNetError(
                f"number of input must be bigger than batch size: {count} rows do not fill a batch of "
                f"{self.batch_size}, even twice"
            )
        self._row, self._ended = end, pad > 0
        chosen = np.arange(begin, end) % count
        with allocating("a batch"):
            data, labels = (_array(rows[chosen]) for rows in (self._data, self._labels))
        return DataBatch([data], [labels], pad, chosen.astype(np.uint64))


def _array(rows: Any) -> NDArray:
    """Rows of NumPy as a dense array, rows of SciPy as a csr array."""
    return made(Csr.of_scipy(rows, rows.dtype)) if is_scipy(rows) else NDArray(rows)


def check_lengths(owner: str, data_name: str, data: Any, label_name: Any, labels: Any) -> None:
    """Raise an error if there are fewer labels than examples."""
    if labels.shape[0] < data.shape[0]:
        raise FileFormatError(
            f"{owner}: {label_name} has {labels.shape[0]} labels for the {data.shape[0]} examples "
            f"of {data_name}"
        )
