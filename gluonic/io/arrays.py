"""`NDArrayIter`: batches of arrays in memory."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.graph.attributes import Positive
from gluonic.graph.errors import AttributeValueError, MXNetError, NotThereError
from gluonic.graph.storage.selections import lines
from gluonic.io.batch import DataBatch, DataDesc, DataIter
from gluonic.ndarray import NDArray
from gluonic.ndarray.storage.arrays import CSRNDArray, RowSparseNDArray, made
from gluonic.ndarray.storage.copies import is_scipy, sparse_copy

_LAST = ("pad", "discard", "roll_over")


def named_arrays(data: Any, name: str, *, allow_empty: bool) -> list[tuple[str, NDArray]]:
    """Return arrays by name, given one array, a list of arrays or a dictionary.

    Arrays of other types become NDArrays of float32.

    Raises
    ------
    TypeError, ValueError
        for anything else, or if an array is required and there is none
    """
    if data is None:
        data = []
    if isinstance(data, (np.ndarray, NDArray)) or is_scipy(data) or hasattr(data, "__array__"):
        data = [data]
    if not isinstance(data, (list, tuple, Mapping)):
        raise TypeError(f"{name} must be an array, or a list or dictionary of arrays")
    if not data and not allow_empty:
        raise ValueError(f"{name} is empty")
    if not isinstance(data, Mapping):
        names = [name] if len(data) == 1 else [f"_{i}_{name}" for i in range(len(data))]
        data = dict(zip(names, data, strict=True))
    return [(key, _as_array(key, value)) for key, value in data.items()]


def _init_data(data: Any, allow_empty: bool, default_name: str) -> list[tuple[str, NDArray]]:
    """Do what `named_arrays` does, under the name that programs with iterators of their own call."""
    return named_arrays(data, default_name, allow_empty=allow_empty)


def _as_array(name: str, value: Any) -> NDArray:
    if isinstance(value, RowSparseNDArray):
        raise TypeError(f"{name} must be dense or csr, not row_sparse")
    if isinstance(value, NDArray):
        return value
    if is_scipy(value):
        return sparse_copy(value)
    array = np.asarray(value)
    if array.dtype == object:
        raise TypeError(f"{name} must hold numbers, not {type(value).__name__}")
    return nd.array(array)


def _taken(array: NDArray, chosen: Any, axis: int) -> NDArray:
    """Select some examples, where they are; of a csr array, as a csr array."""
    if isinstance(array, CSRNDArray):
        return made(lines(array.stored, chosen), array.stated_context)
    if array.on_device:
        indices = nd.array(chosen, ctx=array.context, dtype="int64")
        return nd.take(array, indices, axis=axis)
    return NDArray(array.elements.take(chosen, axis), array.stated_context)


class NDArrayIter(DataIter):
    """Batches of arrays in memory.

    Parameters
    ----------
    data, label : one array, a list or a dictionary of arrays. NumPy arrays become float32, NDArrays keep
        their dtype
    batch_size : examples in a batch
    shuffle : whether to shuffle the examples at each `reset`
    last_batch_handle : what to do with an incomplete last batch: ``"pad"`` it with the first examples,
        ``"discard"`` it, or ``"roll_over"`` to the next pass
    data_name, label_name : names of arrays that have none
    layout : the meaning of the axes; N is the axis of the examples
    """

    def __init__(
        self,
        data: Any,
        label: Any = None,
        batch_size: Positive = 1,
        shuffle: bool = False,
        last_batch_handle: str = "pad",
        data_name: str = "data",
        label_name: str = "softmax_label",
        layout: str = "NCHW",
    ) -> None:
        super().__init__(batch_size)
        self.layout, self._axis = layout, layout.find("N")
        if self._axis < 0:
            raise AttributeValueError(f"layout={layout!r} has no axis N, the axis of the examples")
        if last_batch_handle not in _LAST:
            raise ValueError(f"last_batch_handle={last_batch_handle!r} must be one of {_LAST}")
        self.data = named_arrays(data, data_name, allow_empty=False)
        self.label = named_arrays(label, label_name, allow_empty=True)
        self.num_data = self._count(self.data[0][1])
        for name, array in [*self.data, *self.label]:
            if self._count(array) < self.num_data:
                raise MXNetError(
                    f"{name} has {self._count(array)} examples, {self.data[0][0]} {self.num_data}"
                )
        is_sparse = any(isinstance(array, CSRNDArray) for _, array in (*self.data, *self.label))
        if is_sparse and (last_batch_handle != "discard" or self._axis):
            raise NotThereError(
                "`NDArrayIter` only supports ``CSRNDArray`` with `last_batch_handle` set to `discard`, "
                "and examples that are rows."
            )
        if last_batch_handle == "discard" and self.num_data < batch_size:
            raise AssertionError(f"{self.num_data} examples do not fill one batch of {batch_size}")
        self.shuffle, self.last_batch_handle = shuffle, last_batch_handle
        self.idx = np.arange(self.num_data)
        self._arranged = self.idx.copy()
        self.num_source = len(self.data) + len(self.label)
        self.cursor = -batch_size
        self._carried = np.empty(0, np.int64)
        self.reset()

    def _count(self, array: NDArray) -> int:
        """The number of examples in an array."""
        return array.shape[self._axis] if array.ndim > self._axis else 0

    def _describe(self, arrays: list[tuple[str, NDArray]]) -> list[DataDesc]:
        axis = self._axis
        shapes = [(*a.shape[:axis], self.batch_size, *a.shape[axis + 1 :]) for _, a in arrays]
        return [
            DataDesc(name, shape, array.dtype, self.layout)
            for (name, array), shape in zip(arrays, shapes, strict=True)
        ]

    @property
    def provide_data(self) -> list[DataDesc]:
        """The names and shapes of the data."""
        return self._describe(self.data)

    @property
    def provide_label(self) -> list[DataDesc]:
        """The names and shapes of the labels."""
        return self._describe(self.label)

    def hard_reset(self) -> None:
        """Go back to the first batch, and drop the examples that would have rolled over."""
        self._carried = np.empty(0, np.int64)
        self._start()

    def reset(self) -> None:
        """Go back to the first batch."""
        rest = self.num_data - self.cursor
        rolls = self.last_batch_handle == "roll_over" and 0 < rest < self.batch_size
        self._carried = self._order[self.cursor :] if rolls else np.empty(0, np.int64)
        self._start()

    def _start(self) -> None:
        if self.shuffle:  # MXNet shuffles the order of the previous pass
            np.random.shuffle(self.idx)
            self._arranged = self._arranged[self.idx]
        self._order = np.concatenate([self._carried, self._arranged])
        self.num_data = len(self._order)
        self.cursor = -self.batch_size

    def iter_next(self) -> bool:
        """Advance to the next batch; return whether there is one."""
        self.cursor += self.batch_size
        whole = self.cursor + self.batch_size <= self.num_data
        return whole if self.last_batch_handle != "pad" else self.cursor < self.num_data

    def next(self) -> DataBatch:
        """Return the next batch."""
        if not self.iter_next():
            raise StopIteration
        return DataBatch(self.getdata(), self.getlabel(), self.getpad(), None)

    def _chosen(self) -> Any:
        chosen = self._order[self.cursor : self.cursor + self.batch_size]
        missing = self.batch_size - len(chosen)
        return np.concatenate([chosen, np.resize(self._order, missing)]) if missing else chosen

    def _take(self, arrays: list[tuple[str, NDArray]]) -> list[NDArray]:
        chosen, axis = self._chosen(), self._axis
        return [_taken(array, chosen, axis) for _, array in arrays]

    def getdata(self) -> list[NDArray]:
        """Return the data of the current batch."""
        return self._take(self.data)

    def getlabel(self) -> list[NDArray]:
        """Return the labels of the current batch."""
        return self._take(self.label)

    def getpad(self) -> int:
        """Return the number of padding examples in the current batch."""
        return max(0, self.cursor + self.batch_size - self.num_data)

    def getindex(self) -> Any:
        """Return the indices of the examples in the current batch."""
        return self._chosen()
