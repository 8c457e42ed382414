"""`DataLoader`: batches of a data set, optionally prepared ahead of time by workers."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from gluonic.gluon.data.batchify import batch_of, default_batchify_fn, in_context
from gluonic.gluon.data.sampler import BatchSampler, RandomSampler, SequentialSampler
from gluonic.graph.attributes import Positive
from gluonic.graph.constructors import CheckedArguments
from gluonic.graph.errors import AttributeValueError
from gluonic.ndarray import cpu_pinned
from gluonic.support.lazy_import import import_later

if TYPE_CHECKING:
    from concurrent.futures import Future

    from gluonic.gluon.data.workers import LoaderWorkers

__all__ = ["DataLoader"]

# for the loaders of other libraries, which are built from these names
_as_in_context = in_context
__getattr__, __dir__ = import_later(
    __name__,
    {
        "ForkingPickler": "multiprocessing.reduction:ForkingPickler",
        "_MultiWorkerIter": "gluonic.gluon.data.pooled:PooledBatches",
        "rebuild_ndarray": "gluonic.gluon.data.shared_arrays:rebuild_ndarray",
        "rebuild_np_ndarray": "gluonic.gluon.data.shared_arrays:rebuild_np_ndarray",
        "reduce_ndarray": "gluonic.gluon.data.shared_arrays:reduce_ndarray",
        "reduce_np_ndarray": "gluonic.gluon.data.shared_arrays:reduce_np_ndarray",
        "default_mp_batchify_fn": "gluonic.gluon.data.batchify:default_mp_batchify_fn",
    },
)


class DataLoader(CheckedArguments):
    """Iterate over a data set in batches.

    Workers survive a `break`, Ctrl-C and exceptions, and continue with the next epoch.

    Parameters
    ----------
    dataset : the data set: anything with a length and elements
    batch_size : number of samples in a batch
    shuffle : whether to draw a new order of samples for every epoch
    sampler : chooses samples, instead of `shuffle`
    last_batch : what to do with a last batch that is too small: ``"keep"``, ``"discard"`` or
        ``"rollover"`` it to the next epoch
    batch_sampler : chooses batches, instead of the four before
    batchify_fn : makes a batch of a list of samples; stacks them by default
    num_workers : number of processes that make batches ahead; 0 makes them on demand
    pin_memory, pin_device_id : put batches on ``cpu_pinned(pin_device_id)``
    prefetch : number of batches made ahead; twice `num_workers` by default
    thread_pool : use threads instead of processes
    timeout : timeout for a batch, in seconds
    auto_reload : begin with the batches of the next epoch as soon as one ends

    Examples
    --------
    >>> [batch.shape for batch in DataLoader([1, 2, 3], batch_size=2)]
    [(2,), (1,)]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: Positive | None = None,
        shuffle: bool = False,
        sampler: Any = None,
        last_batch: Literal["keep", "discard", "rollover"] | None = None,
        batch_sampler: Any = None,
        batchify_fn: Callable[[Sequence[Any]], Any] | None = None,
        num_workers: int = 0,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        prefetch: int | None = None,
        thread_pool: bool = False,
        timeout: float = 120,
        auto_reload: bool = False,
    ) -> None:
        if timeout <= 0:
            raise AttributeValueError(f"DataLoader: timeout={timeout} must be positive")
        self._dataset = dataset
        self._batch_sampler = _batches(
            dataset, batch_size, shuffle, sampler, last_batch, batch_sampler
        )
        self._batchify_fn = batchify_fn or default_batchify_fn
        self._pin_memory = pin_memory
        self._context = cpu_pinned(pin_device_id) if pin_memory else None
        self._num_workers = max(0, num_workers)
        self._prefetch = 2 * self._num_workers if prefetch is None else max(0, int(prefetch))
        self._workers = self._hire(thread_pool, timeout) if self._num_workers else None
        self.auto_reload = auto_reload
        self._iter: Iterator[Any] | None = None
        if auto_reload:
            self.refresh()

    def _hire(self, threads: bool, timeout: float) -> "LoaderWorkers":
        from gluonic.gluon.data.workers import LoaderWorkers  # it brings multiprocessing

        return LoaderWorkers(self._num_workers, self._dataset, self._batchify_fn, threads, timeout)

    def __len__(self) -> int:
        return len(self._batch_sampler)

    def __iter__(self) -> Iterator[Any]:
        if self._iter is None:
            self.refresh()
        epoch, self._iter = self._iter, None
        assert epoch is not None
        yield from epoch
        if self.auto_reload and self._iter is None:
            self.refresh()

    def refresh(self) -> None:
        """Begin a new epoch; batches prepared ahead are dropped."""
        if self._workers is None:
            self._iter = self._alone()
            return
        samples = iter(self._batch_sampler)
        self._iter = _Ahead(samples, self._workers, self._prefetch, self._finished)

    def clean(self) -> None:
        """Drop the batches prepared ahead."""
        self._iter = None

    def _alone(self) -> Iterator[Any]:
        for samples in self._batch_sampler:
            yield self._finished(batch_of(self._dataset, samples, self._batchify_fn))

    def _finished(self, batch: Any) -> Any:
        return batch if self._context is None else in_context(batch, self._context)


class _Ahead:
    """The batches of an epoch, made by workers while others are used.

    Parameters
    ----------
    samples : the samples of each batch
    workers : the workers
    ahead : number of batches that are prepared ahead
    finish : applied to each finished batch; a method of the loader, which is kept alive
    """

    def __init__(
        self,
        samples: Iterator[Any],
        workers: "LoaderWorkers",
        ahead: int,
        finish: Callable[[Any], Any],
    ) -> None:
        self._samples, self._workers, self._finish = samples, workers, finish
        self._waiting: deque[Future[Any]] = deque()
        for _ in range(ahead):
            self._submit()

    def _submit(self) -> None:
        samples = next(self._samples, None)
        if samples is not None:
            self._waiting.append(self._workers.submit(samples))

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        self._submit()
        if not self._waiting:
            raise StopIteration
        return self._finish(self._workers.result(self._waiting.popleft()))

    def __del__(self) -> None:
        for batch in self._waiting:
            batch.cancel()


def _batches(
    dataset: Any,
    batch_size: int | None,
    shuffle: bool,
    sampler: Any,
    last_batch: Literal["keep", "discard", "rollover"] | None,
    batch_sampler: Any,
) -> Any:
    if batch_sampler is not None:
        if batch_size is not None or shuffle or sampler is not None or last_batch is not None:
            raise AttributeValueError(
                "DataLoader: batch_sampler decides everything; batch_size, shuffle, sampler and "
                "last_batch do not go with it"
            )
        return batch_sampler
    if batch_size is None:
        raise AttributeValueError("DataLoader: batch_size is needed, or batch_sampler")
    if sampler is None:
        sampler = (RandomSampler if shuffle else SequentialSampler)(len(dataset))
    elif shuffle:
        raise AttributeValueError(
            "DataLoader: sampler decides the order; shuffle does not go with it"
        )
    return BatchSampler(sampler, batch_size, last_batch or "keep")
