"""Data sets: samples by index."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gluonic.gluon.data.sampler import FilterSampler, Sampler, SequentialSampler
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.graph.files import accessing
from gluonic.ndarray import NDArray
from gluonic.recordio import MXIndexedRecordIO

__all__ = ["ArrayDataset", "Dataset", "RecordFileDataset", "SimpleDataset"]


class Dataset:
    """The base of all data sets; a new one overrides `__getitem__` and `__len__`."""

    def __getitem__(self, idx: Any) -> Any:
        """Return a sample; several parts are a tuple."""
        raise NotImplementedError(f"{type(self).__name__} must override __getitem__")

    def __len__(self) -> int:
        """Return the number of samples."""
        raise NotImplementedError(f"{type(self).__name__} must override __len__")

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def filter(self, fn: Callable[[Any], bool]) -> "Dataset":
        """Return the samples for which `fn` is true; it is called for all samples at once."""
        return _SampledDataset(self, FilterSampler(fn, self))

    def shard(self, num_shards: int, index: int) -> "Dataset":
        """Return one of `num_shards` parts of nearly equal lengths, in the order of the samples."""
        if not 0 <= index < num_shards:
            raise AttributeValueError(f"shard {index} is none of {num_shards}: they count from 0")
        length, longer = divmod(len(self), num_shards)
        start = length * index + min(index, longer)
        return _SampledDataset(self, SequentialSampler(length + (index < longer), start))

    def take(self, count: int | None) -> "Dataset":
        """Return the first `count` samples, or all if there are fewer or it is None."""
        most = len(self) if count is None else min(count, len(self))
        return _SampledDataset(self, SequentialSampler(most))

    def sample(self, sampler: Sampler) -> "Dataset":
        """Return the samples that a sampler chooses."""
        if not isinstance(sampler, Sampler):
            raise TypeError(f"sample needs a gluon.data.Sampler, not {type(sampler).__name__}")
        return _SampledDataset(self, sampler)

    def transform(self, fn: Callable[..., Any], lazy: bool = True) -> "Dataset":
        """Return the samples passed through a function.

        Parameters
        ----------
        fn : takes the parts of a sample as arguments
        lazy : call it on each access to a sample; otherwise call it for all samples at once
        """
        transformed = _TransformedDataset(self, fn)
        return transformed if lazy else SimpleDataset(list(transformed))

    def transform_first(self, fn: Callable[[Any], Any], lazy: bool = True) -> "Dataset":
        """Return the samples with their first part passed through a function; see `transform`."""
        return self.transform(_OfFirst(fn), lazy)


class SimpleDataset(Dataset):
    """A list of samples.

    Parameters
    ----------
    data : the samples
    """

    def __init__(self, data: Sequence[Any]) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: Any) -> Any:
        return self._data[idx]


class _DownloadedDataset(Dataset):
    """Data with labels in a folder; programs derive from it.

    Parameters
    ----------
    root : the folder, which is created if there is none
    transform : a function of data and label that returns the sample; or None
    """

    def __init__(self, root: str, transform: Callable[[Any, Any], Any] | None) -> None:
        self._transform = transform
        self._data: Any = None
        self._label: Any = None
        self._root = os.path.expanduser(root)
        with accessing(self._root):
            os.makedirs(self._root, exist_ok=True)
        self._get_data()

    def _get_data(self) -> None:
        """Read, or fetch, `_data` and `_label`, which have one element for each sample."""
        raise NotImplementedError(f"{type(self).__name__} must override _get_data")

    def __getitem__(self, idx: Any) -> Any:
        sample = self._data[idx], self._label[idx]
        return sample if self._transform is None else self._transform(*sample)

    def __len__(self) -> int:
        return len(self._label)


class _TransformedDataset(Dataset):
    def __init__(self, data: Dataset, fn: Callable[..., Any]) -> None:
        self._data, self._fn = data, fn

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: Any) -> Any:
        item = self._data[idx]
        return self._fn(*item) if isinstance(item, tuple) else self._fn(item)


class _OfFirst:
    """A function applied to the first part of a sample; it can be pickled if the function can."""

    def __init__(self, fn: Callable[[Any], Any]) -> None:
        self._fn = fn

    def __call__(self, x: Any, *args: Any) -> Any:
        return (self._fn(x), *args) if args else self._fn(x)


class _SampledDataset(Dataset):
    def __init__(self, dataset: Dataset, sampler: Sampler) -> None:
        self._dataset, self._indices = dataset, list(sampler)

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, idx: Any) -> Any:
        return self._dataset[self._indices[idx]]


class ArrayDataset(Dataset):
    """Arrays of equal lengths, zipped: a sample has an element of each.

    Parameters
    ----------
    args : arrays, lists or data sets

    Examples
    --------
    >>> ArrayDataset([1, 2, 3], ["a", "b", "c"])[1]
    (2, 'b')
    """

    def __init__(self, *args: Any) -> None:
        if not args:
            raise AttributeValueError("ArrayDataset needs at least one array")
        lengths = [len(data) for data in args]
        if len(set(lengths)) > 1:
            raise AttributeValueError(
                describe(
                    "all arrays must have one length",
                    where="ArrayDataset",
                    facts=[f"lengths: {lengths}"],
                )
            )
        self._length = lengths[0]
        self._data = [_cheaply_indexed(data) for data in args]

    def __getitem__(self, idx: Any) -> Any:
        if len(self._data) == 1:
            return self._data[0][idx]
        return tuple(data[idx] for data in self._data)

    def __len__(self) -> int:
        return self._length


def _cheaply_indexed(data: Any) -> Any:
    """Return a vector as a NumPy array, whose elements are numbers."""
    return data.asnumpy() if isinstance(data, NDArray) and data.ndim == 1 else data


class RecordFileDataset(Dataset):
    """The records of a RecordIO file, as bytes.

    Parameters
    ----------
    filename : the ``.rec`` file; its ``.idx`` file must be in the same folder
    """

    def __init__(self, filename: str) -> None:
        self.filename, self.idx_file = filename, f"{os.path.splitext(filename)[0]}.idx"
        self._record = MXIndexedRecordIO(self.idx_file, filename, "r")

    def __getitem__(self, idx: Any) -> Any:
        return self._record.read_idx(self._record.keys[idx])

    def __len__(self) -> int:
        return len(self._record.keys)
