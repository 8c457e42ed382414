"""Iterators around iterators: with another number of batches, or over several sources at once."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from gluonic.io.batch import DataBatch, DataDesc, DataIter


class _Wrapping(DataIter):
    """Keeps the current batch for the accessors."""

    current_batch: DataBatch | None = None

    def next(self) -> DataBatch:
        """Return the next batch."""
        if not self.iter_next():
            raise StopIteration
        return self._present()

    def _present(self) -> DataBatch:
        if self.current_batch is None:
            raise AssertionError(f"{type(self).__name__} has no batch before the first next()")
        return self.current_batch

    def getdata(self) -> Any:
        """Return the data of the current batch."""
        return self._present().data

    def getlabel(self) -> Any:
        """Return the labels of the current batch."""
        return self._present().label

    def getindex(self) -> Any:
        """Return the indices of the examples in the current batch."""
        return self._present().index

    def getpad(self) -> int | None:
        """Return the number of padding examples in the current batch."""
        return self._present().pad


class ResizeIter(_Wrapping):
    """Another iterator with `size` batches per pass.

    Parameters
    ----------
    data_iter : the iterator
    size : number of batches per pass
    reset_internal : whether `reset` resets the iterator too
    """

    def __init__(self, data_iter: Any, size: int, reset_internal: bool = True) -> None:
        super().__init__(data_iter.batch_size)
        self.data_iter, self.size, self.reset_internal = data_iter, size, reset_internal
        self.provide_data, self.provide_label = data_iter.provide_data, data_iter.provide_label
        self.cur = 0

    @property
    def default_bucket_key(self) -> Any:
        """The key of the largest bucket, if the iterator has buckets."""
        return self.data_iter.default_bucket_key

    def reset(self) -> None:
        """Start another pass."""
        if self.reset_internal:
            self.data_iter.reset()
        self.cur = 0

    def iter_next(self) -> bool:
        """Advance to the next batch; return whether there is one."""
        is_over = self.cur == self.size
        if not is_over:
            self.current_batch = self._following()
            self.cur += 1
        return not is_over

    def _following(self) -> DataBatch:
        """The iterator's next batch; after its last one, the first of another pass."""
        with suppress(StopIteration):
            batch: DataBatch = self.data_iter.next()
            return batch
        self.data_iter.reset()
        return self.data_iter.next()  # type: ignore[no-any-return]


class PrefetchingIter(_Wrapping):
    """Several iterators joined to one; each batch has the arrays of all of them.

    Parameters
    ----------
    iters : the iterators
    rename_data, rename_label : for each iterator, its new names by old name
    """

    def __init__(
        self,
        iters: DataIter | Sequence[DataIter],
        rename_data: Sequence[dict[str, str]] | None = None,
        rename_label: Sequence[dict[str, str]] | None = None,
    ) -> None:
        self.iters: list[Any] = list(iters) if isinstance(iters, (list, tuple)) else [iters]
        if not self.iters:
            raise AssertionError("PrefetchingIter needs an iterator")
        self.rename_data, self.rename_label = rename_data, rename_label
        super().__init__(self.provide_data[0].shape[0])

    @property
    def provide_data(self) -> list[DataDesc]:
        """The names and shapes of the data."""
        return _joined([one.provide_data for one in self.iters], self.rename_data)

    @property
    def provide_label(self) -> list[DataDesc]:
        """The names and shapes of the labels."""
        return _joined([one.provide_label for one in self.iters], self.rename_label)

    def reset(self) -> None:
        """Start another pass."""
        for one in self.iters:
            one.reset()

    def iter_next(self) -> bool:
        """Advance to the next batch; return whether there is one."""
        try:
            batches = [one.next() for one in self.iters]
        except StopIteration:
            return False
        if len({batch.pad for batch in batches}) > 1:
            raise AssertionError("the iterators pad their batches differently")
        self.current_batch = DataBatch(
            [array for batch in batches for array in batch.data],
            [array for batch in batches for array in batch.label or ()],
            batches[0].pad,
            batches[0].index,
            provide_data=self.provide_data,
            provide_label=self.provide_label,
        )
        return True


def _joined(
    described: Sequence[Sequence[Any]], renamed: Sequence[dict[str, str]] | None
) -> list[DataDesc]:
    found = []
    for position, descriptions in enumerate(described):
        names = renamed[position] if renamed is not None else {}
        for one in descriptions:
            one = one if isinstance(one, DataDesc) else DataDesc(*one)
            found.append(DataDesc(names.get(one.name, one.name), one.shape, one.dtype, one.layout))
    return found
