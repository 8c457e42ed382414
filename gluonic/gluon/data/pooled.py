"""Batches prepared ahead by the caller's pool: a base class for the loaders of other libraries."""

import io
import pickle
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.pool import ApplyResult, Pool, ThreadPool
from multiprocessing.reduction import ForkingPickler
from typing import Any, Self

from gluonic.gluon.data.batchify import batch_of, in_context
from gluonic.ndarray import cpu_pinned


def make_batch(samples: Sequence[Any], batchify_fn: Callable[[Any], Any], dataset: Any) -> bytes:
    """Make a batch in a process of the pool, as bytes."""
    buffer = io.BytesIO()
    ForkingPickler(buffer, pickle.HIGHEST_PROTOCOL).dump(batch_of(dataset, samples, batchify_fn))
    return buffer.getvalue()


class PooledBatches:
    """The batches of one epoch.

    A derived class may override `_push_next`, which submits the next batch to the pool:
    its result goes to ``_data_buffer[_sent_idx]``, and ``_iter`` yields the indices of the samples.

    Parameters
    ----------
    worker_pool : the pool; it is not closed
    batchify_fn : makes a batch of a list of samples
    batch_sampler : chooses batches
    pin_memory, pin_device_id : put batches on ``cpu_pinned(pin_device_id)``
    worker_fn : called in the pool with samples, `batchify_fn` and `dataset`; returns a pickled
        batch, or a batch if there is a `dataset`
    prefetch : number of batches made ahead
    dataset : for pools of threads, which share it
    data_loader : an object to keep alive as long as this one
    timeout : timeout for a batch, in seconds
    """

    def __init__(
        self,
        worker_pool: Pool | ThreadPool,
        batchify_fn: Callable[[Any], Any],
        batch_sampler: Any,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        worker_fn: Callable[..., Any] = make_batch,
        prefetch: int = 0,
        dataset: Any = None,
        data_loader: Any = None,
        timeout: float = 120,
    ) -> None:
        self._worker_pool, self._worker_fn = worker_pool, worker_fn
        self._batchify_fn, self._batch_sampler, self._dataset = batchify_fn, batch_sampler, dataset
        self._pin_memory, self._pin_device_id = pin_memory, pin_device_id
        self._data_loader, self._timeout = data_loader, timeout
        self._iter: Iterator[Any] = iter(batch_sampler)
        self._data_buffer: dict[int, ApplyResult[Any]] = {}
        self._sent_idx = self._rcvd_idx = 0
        for _ in range(prefetch):
            self._push_next()

    def __len__(self) -> int:
        return len(self._batch_sampler)

    def __iter__(self) -> Self:
        return self

    def _push_next(self) -> None:
        samples = next(self._iter, None)
        if samples is None:
            return
        arguments = (samples, self._batchify_fn, self._dataset)
        self._data_buffer[self._sent_idx] = self._worker_pool.apply_async(
            self._worker_fn, arguments
        )
        self._sent_idx += 1

    def __next__(self) -> Any:
        self._push_next()
        if self._rcvd_idx == self._sent_idx:
            raise StopIteration
        batch = self._data_buffer.pop(self._rcvd_idx).get(self._timeout)
        self._rcvd_idx += 1
        if self._dataset is None:
            batch = pickle.loads(batch)
        return in_context(batch, cpu_pinned(self._pin_device_id)) if self._pin_memory else batch

    next = __next__
