"""Samplers: which samples of a data set are used, and in which order."""

from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np

from gluonic.graph.constructors import CheckedArguments
from gluonic.graph.errors import AttributeValueError
from gluonic.graph.memory import allocating

__all__ = ["BatchSampler", "FilterSampler", "RandomSampler", "Sampler", "SequentialSampler"]


class Sampler(CheckedArguments):
    """The base of all samplers; a new one overrides `__iter__` and `__len__`."""

    def __iter__(self) -> Iterator[Any]:
        """Return the indices of the samples, or lists of them for batches."""
        raise NotImplementedError(f"{type(self).__name__} must override __iter__")

    def __len__(self) -> int:
        """Return the number of samples or batches."""
        raise NotImplementedError(f"{type(self).__name__} must override __len__")


class SequentialSampler(Sampler):
    """All samples in order.

    Parameters
    ----------
    length : number of samples
    start : the index of the first one
    """

    def __init__(self, length: int, start: int = 0) -> None:
        self._length, self._start = length, start

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._start, self._start + self._length))

    def __len__(self) -> int:
        return self._length


class RandomSampler(Sampler):
    """All samples in a new random order for every epoch, by `numpy.random` as in MXNet.

    Parameters
    ----------
    length : number of samples
    """

    def __init__(self, length: int) -> None:
        self._length = length

    def __iter__(self) -> Iterator[int]:
        with allocating(f"an order of {self._length:,} samples"):
            return iter(np.random.permutation(self._length).tolist())

    def __len__(self) -> int:
        return self._length


class FilterSampler(Sampler):
    """The samples for which a function is true.

    Parameters
    ----------
    fn : a function of a sample
    dataset : the data set; `fn` is called for all samples at once
    """

    def __init__(self, fn: Callable[[Any], bool], dataset: Any) -> None:
        self._indices = [i for i in range(len(dataset)) if fn(dataset[i])]

    def __iter__(self) -> Iterator[int]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)


class BatchSampler(Sampler):
    """Batches of the indices that another sampler yields.

    Parameters
    ----------
    sampler : the other sampler
    batch_size : number of samples in a batch
    last_batch : what to do with a last batch that is too small: ``"keep"`` it, ``"discard"`` it, or
        ``"rollover"``: put it at the beginning of the next epoch

    Examples
    --------
    >>> list(BatchSampler(SequentialSampler(5), 2, "discard"))
    [[0, 1], [2, 3]]
    """

    def __init__(
        self,
        sampler: Any,
        batch_size: int,
        last_batch: Literal["keep", "discard", "rollover"] = "keep",
    ) -> None:
        if last_batch not in ("keep", "discard", "rollover"):
            raise AttributeValueError(
                f"last_batch must be 'keep', 'discard' or 'rollover', not {last_batch!r}"
            )
        if batch_size < 1:
            raise AttributeValueError(f"batch_size={batch_size} must be at least 1")
        self._sampler, self._batch_size, self._last_batch = sampler, batch_size, last_batch
        self._prev: list[Any] = []

    def __iter__(self) -> Iterator[list[Any]]:
        batch, self._prev = self._prev, []
        for i in self._sampler:
            batch.append(i)
            if len(batch) == self._batch_size:
                yield batch
                batch = []
        if batch and self._last_batch == "keep":
            yield batch
        elif self._last_batch == "rollover":
            self._prev = batch

    def __len__(self) -> int:
        count = len(self._sampler) + len(self._prev)
        if self._last_batch == "keep":
            return -(-count // self._batch_size)
        return count // self._batch_size
