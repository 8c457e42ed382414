"""Workers: processes or threads that make batches ahead of time.

Processes are forked where possible, so that a data set need not be picklable. They leave Ctrl-C to the parent,
end when it does, and pass exceptions on with their traceback. Each batch comes with a seed for its random
numbers, so results do not depend on which worker makes it.
"""

import concurrent.futures
import multiprocessing
import os
import pickle
import random
import signal
import traceback
import warnings
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np

from gluonic.gluon.data.batchify import batch_of, note
from gluonic.gluon.data.orphans import end_with_parent
from gluonic.graph.array_semantics import Semantics
from gluonic.graph.errors import MXNetError, describe
from gluonic.ndarray.state import RANDOM

Batchify = Callable[[Sequence[Any]], Any]
_job: dict[str, Any] = {}  # in a worker process: its data set and its batchify function


class WorkerError(MXNetError):
    """A worker process failed with an exception that cannot be sent to the parent."""


def _begin(dataset: Any, batchify: Batchify) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    _job.update(dataset=dataset, batchify=batchify)


def _make(samples: Sequence[Any], seed: int, semantics: Semantics) -> Any:
    """Make a batch, in a worker process."""
    RANDOM.seed(seed)
    np.random.seed(seed)
    random.seed(seed)
    try:
        with semantics:
            return batch_of(_job["dataset"], samples, _job["batchify"])
    except Exception as error:
        note(error, "in a worker process")
        if _survives_pickling(error):
            raise
        *trace, told = "".join(traceback.format_exception(error)).splitlines()
        raise WorkerError(
            describe(f"a worker process of a DataLoader failed: {told}", facts=trace)
        ) from None


def _survives_pickling(error: Exception) -> bool:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return False
    return True


class _Recording:
    """A way to start processes that lists them.

    Attributes
    ----------
    processes : those that were started
    """

    def __init__(self, context: Any) -> None:
        self._context = context
        self.processes: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def Process(self, *arguments: Any, **settings: Any) -> Any:
        """Make a process."""
        made = self._context.Process(*arguments, **settings)
        self.processes.append(made)
        return made


class LoaderWorkers:
    """Processes or threads that make the batches of one data set.

    They start on first use, and end with this object.

    Parameters
    ----------
    count : number of workers
    dataset, batchify : the data set, and the function that makes a batch of samples
    threads : use threads
    timeout : timeout for a batch, in seconds
    """

    def __init__(
        self, count: int, dataset: Any, batchify: Batchify, threads: bool, timeout: float
    ) -> None:
        self._count, self._threads, self._timeout = count, threads, timeout
        self._dataset, self._batchify = dataset, batchify
        self._executor: Executor | None = None
        self._processes: list[Any] = []

    def submit(self, samples: Sequence[Any]) -> "Future[Any]":
        """Begin to make a batch."""
        if self._executor is None:
            self._executor = self._start()
            weakref.finalize(self, _stop, self._executor, os.getpid())
        if self._threads:
            return self._executor.submit(self._make_here, samples, Semantics.here())
        seed = int(RANDOM.generator.integers(2**32))
        with warnings.catch_warnings():  # forking beside threads: ours hold no locks meanwhile
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                return self._executor.submit(_make, samples, seed, Semantics.here())
            except concurrent.futures.process.BrokenProcessPool as error:
                raise self._worker_lost() from error

    def _make_here(self, samples: Sequence[Any], semantics: Semantics) -> Any:
        with semantics:
            return batch_of(self._dataset, samples, self._batchify)

    def _start(self) -> Executor:
        if self._threads:
            return ThreadPoolExecutor(self._count)
        kinds = multiprocessing.get_all_start_methods()
        recording: Any = _Recording(
            multiprocessing.get_context("fork" if "fork" in kinds else None)
        )
        self._processes = recording.processes
        arguments = (self._dataset, self._batchify)
        return ProcessPoolExecutor(self._count, recording, initializer=_begin, initargs=arguments)

    def result(self, batch: "Future[Any]") -> Any:
        """Wait for a batch.

        Raises
        ------
        Exception
            the data set's exception in the worker, with the worker's traceback as its cause
        multiprocessing.TimeoutError
            if it takes too long
        MXNetError
            if a worker process was killed
        """
        try:
            return batch.result(self._timeout)
        except concurrent.futures.process.BrokenProcessPool as error:
            raise self._worker_lost() from error
        except concurrent.futures.TimeoutError as error:
            if batch.done():
                raise  # the data set's own exception
            self._end_processes()
            raise multiprocessing.TimeoutError(
                describe(
                    f"no batch for {self._timeout} seconds",
                    where="DataLoader",
                    hint="a larger timeout=, or faster transforms",
                )
            ) from error

    def _end_processes(self) -> None:
        """End worker processes that may never come back, as Python would wait for them in the end."""
        for process in self._processes:
            process.kill()
        if self._processes:
            self._executor = None

    def _worker_lost(self) -> MXNetError:
        """The error for a worker that was killed; the next batch starts new workers."""
        self._executor = None
        return MXNetError(
            describe(
                "a worker process ended before its batch was ready",
                where="DataLoader",
                hint="look for a crash or a lack of memory; num_workers=0 runs without workers",
            )
        )


def _stop(executor: Executor, owner: int) -> None:
    if os.getpid() == owner:  # a forked child must leave its parent's workers alone
        executor.shutdown(wait=False, cancel_futures=True)
