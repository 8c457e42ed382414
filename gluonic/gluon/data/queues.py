"""Queues between processes, and the loops around them, of MXNet's first `DataLoader`.

An array is sent as bytes.
"""

import io
import multiprocessing
import multiprocessing.queues
import pickle
from collections.abc import Callable, MutableMapping
from contextlib import AbstractContextManager, nullcontext
from multiprocessing.reduction import ForkingPickler
from typing import Any

from gluonic.gluon.data.batchify import batch_of, in_context
from gluonic.gluon.data.dataloader import DataLoader
from gluonic.ndarray import cpu, cpu_pinned

__all__ = [
    "ConnectionWrapper",
    "DataLoaderV1",
    "Queue",
    "SimpleQueue",
    "fetcher_loop_v1",
    "worker_loop_v1",
]


class ConnectionWrapper:
    """A connection that sends all objects that can be pickled; other attributes are the connection's.

    Parameters
    ----------
    conn : one end of a pipe
    """

    def __init__(self, conn: Any) -> None:
        self._conn = conn

    def send(self, obj: Any) -> None:
        """Send an object."""
        buffer = io.BytesIO()
        ForkingPickler(buffer, pickle.HIGHEST_PROTOCOL).dump(obj)
        self._conn.send_bytes(buffer.getvalue())

    def recv(self) -> Any:
        """Receive an object."""
        return pickle.loads(self._conn.recv_bytes())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_conn"], name)


class Queue(multiprocessing.queues.Queue):  # type: ignore[type-arg]
    """A queue between processes, filled by a thread.

    Parameters
    ----------
    maxsize : capacity; 0 for no limit
    """

    def __init__(self, maxsize: int = 0) -> None:
        super().__init__(maxsize, ctx=multiprocessing.get_context())


class SimpleQueue(multiprocessing.queues.SimpleQueue):  # type: ignore[type-arg]
    """A queue between processes, written by the thread that puts an object."""

    def __init__(self) -> None:
        super().__init__(ctx=multiprocessing.get_context())


def worker_loop_v1(
    dataset: Any, key_queue: Any, data_queue: Any, batchify_fn: Callable[[list[Any]], Any]
) -> None:
    """Make batches until the number is None.

    Parameters
    ----------
    dataset : the data set
    key_queue : gives a batch's number and the indices of its samples
    data_queue : takes the number and the batch
    batchify_fn : makes a batch of a list of samples
    """
    for number, samples in iter(key_queue.get, (None, None)):
        data_queue.put((number, batch_of(dataset, samples, batchify_fn)))


def fetcher_loop_v1(
    data_queue: Any,
    data_buffer: MutableMapping[int, Any],
    pin_memory: bool = False,
    pin_device_id: int = 0,
    data_buffer_lock: AbstractContextManager[Any] | None = None,
) -> None:
    """Move batches from the queue to the buffer, until the number is None.

    Parameters
    ----------
    data_queue : gives a batch's number and the batch
    data_buffer : takes the batch under its number
    pin_memory, pin_device_id : put batches on ``cpu_pinned(pin_device_id)``
    data_buffer_lock : held meanwhile
    """
    context = cpu_pinned(pin_device_id) if pin_memory else cpu()
    for number, batch in iter(data_queue.get, (None, None)):
        with data_buffer_lock or nullcontext():
            data_buffer[number] = in_context(batch, context)


class DataLoaderV1(DataLoader):
    """A `DataLoader` with the parameters of MXNet's first one.

    Parameters
    ----------
    dataset, batch_size, shuffle, sampler, last_batch, batch_sampler, batchify_fn, num_workers : as
        `DataLoader` takes them
    pin_memory, pin_device_id : put batches on ``cpu_pinned(pin_device_id)``
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = None,
        shuffle: bool = False,
        sampler: Any = None,
        last_batch: Any = None,
        batch_sampler: Any = None,
        batchify_fn: Callable[[Any], Any] | None = None,
        num_workers: int = 0,
        pin_memory: bool = False,
        pin_device_id: int = 0,
    ) -> None:
        super().__init__(
            dataset,
            batch_size,
            shuffle,
            sampler,
            last_batch,
            batch_sampler,
            batchify_fn,
            num_workers,
            pin_memory,
            pin_device_id,
        )
