"""``mx.contrib.io``: Gluon's loaders as iterators over batches."""

from typing import Any

from gluonic import ndarray as nd
from gluonic.gluon.data import DataLoader
from gluonic.graph.errors import CallError
from gluonic.io import DataDesc, DataIter
from gluonic.ndarray import NDArray

__all__ = ["DataLoaderIter"]


class DataLoaderIter(DataIter):
    """The batches of a `DataLoader`, as `Module` accepts them.

    The first batch determines the shapes. For a smaller batch at the end, `getpad` returns the missing
    examples' number.

    Parameters
    ----------
    loader : yields pairs of data and labels
    data_name, label_name : the names of the inputs
    dtype : the dtype of both
    """

    def __init__(
        self,
        loader: DataLoader,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: Any = "float32",
    ) -> None:
        super().__init__()
        self._loader, self.dtype = loader, dtype
        first = next(iter(loader), None)
        if first is None or len(first) != 2:
            raise CallError("DataLoaderIter: the loader must give pairs of data and labels")
        data, label = first
        self.batch_size = data.shape[0]
        self.provide_data = [DataDesc(data_name, data.shape, dtype)]
        self.provide_label = [DataDesc(label_name, label.shape, dtype)]
        self._current_batch: Any = None
        self.reset()

    def reset(self) -> None:
        """Restart the iteration over the loader."""
        self._iter = iter(self._loader)

    def iter_next(self) -> bool:
        """Advance to the next batch; return whether there is one."""
        self._current_batch = next(self._iter, None)
        return self._current_batch is not None

    def _filled(self, array: NDArray) -> list[NDArray]:
        """An array of the current batch, with as many rows as the first one had; the missing ones are 0."""
        missing = self.getpad()
        array = array.astype(self.dtype)
        if not missing:
            return [array]
        rest = nd.zeros((missing, *array.shape[1:]), array.context, array.dtype)
        return [nd.concat(array, rest, dim=0)]

    def getdata(self) -> list[NDArray]:
        """Return the data of the current batch."""
        return self._filled(self._current_batch[0])

    def getlabel(self) -> list[NDArray]:
        """Return the labels of the current batch."""
        return self._filled(self._current_batch[1])

    def getpad(self) -> int:
        """Return the number of padding examples in the current batch."""
        return int(self.batch_size - self._current_batch[0].shape[0])
