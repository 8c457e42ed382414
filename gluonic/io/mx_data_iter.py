"""The base of the iterators over files, which are C++ in MXNet."""

from typing import Any

from gluonic.graph.errors import NotThereError
from gluonic.io.batch import DataBatch, DataDesc, DataIter
from gluonic.ndarray import NDArray


class MXDataIter(DataIter):
    """An iterator over files, such as ``CSVIter`` and ``ImageRecordIter``.

    A derived class defines `batch_size`, `provide_data`, `provide_label`, `make_next` and `go_back`.

    Parameters
    ----------
    handle : a handle of MXNet's C library; there are none
    data_name, label_name : the names of its inputs

    Attributes
    ----------
    provide_data, provide_label : the descriptions of the inputs
    """

    provide_data: list[DataDesc]
    provide_label: list[DataDesc]
    _present: DataBatch | None = None
    _kept: DataBatch | None = None
    _keeps = False

    def __init__(
        self,
        handle: Any = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        **_: Any,
    ) -> None:
        super().__init__()
        if handle is not None:
            raise NotThereError(
                "MXDataIter: handles belong to MXNet's C library; call ImageRecordIter or another iterator"
            )

    def make_next(self) -> DataBatch | None:
        """Return the next batch; None after the last."""
        raise NotImplementedError(f"{type(self).__name__}.make_next")

    def go_back(self) -> None:
        """Go back to the first batch."""
        raise NotImplementedError(f"{type(self).__name__}.go_back")

    def debug_skip_load(self) -> None:
        """Return the same batch from now on, so that everything but loading can be measured."""
        self._keeps = True

    def reset(self) -> None:
        """Go back to the first batch."""
        self._present = None
        self.go_back()

    def iter_next(self) -> bool:
        """Advance to the next batch; return whether there is one."""
        if self._keeps and self._kept is not None:
            self._present = self._kept
        else:
            self._present = self._kept = self.make_next()
        return self._present is not None

    def next(self) -> DataBatch:
        """Return the next batch."""
        if not self.iter_next():
            raise StopIteration
        assert self._present is not None
        return self._present

    def _batch(self) -> DataBatch:
        if self._present is None and not self.iter_next():
            raise StopIteration
        assert self._present is not None
        return self._present

    def getdata(self) -> NDArray:
        """Return the data of the current batch."""
        return self._batch().data[0]

    def getlabel(self) -> NDArray:
        """Return the labels of the current batch."""
        label: Any = self._batch().label
        found: NDArray = label[0]
        return found

    def getpad(self) -> int:
        """Return the number of padding examples in the current batch."""
        return self._batch().pad or 0

    def getindex(self) -> Any:
        """Return the indices of the examples in the current batch."""
        return self._batch().index
