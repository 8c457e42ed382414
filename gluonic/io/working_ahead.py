"""Threads that compute a limited number of batches ahead, row by row; batches are returned in order."""

import atexit
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from gluonic.graph.errors import CallError, Description, MXNetError, user_location
from gluonic.support.forks import in_forked_children
from gluonic.support.locks import lock

Made = TypeVar("Made", bound="Rows")


class Rows(Protocol):
    """A batch in construction: `count` rows, each of which any thread can write."""

    count: int

    def make(self, row: int) -> None:
        """Write a row."""


class _Open(Generic[Made]):
    """A batch that threads are working on.

    Attributes
    ----------
    batch : the batch
    started : number of rows that threads have taken
    left : number of rows that have not been written yet
    errors : the exceptions of rows, by index
    """

    def __init__(self, batch: Made) -> None:
        self.batch, self.started, self.left = batch, 0, batch.count
        self.errors: dict[int, BaseException] = {}


class _Shared(Generic[Made]):
    """The state shared by the threads and the consumer of the batches.

    Batches are begun in order, one at a time, each by the thread that needs it first.
    """

    def __init__(self, batches: Iterator[Made], ahead: int) -> None:
        self._batches, self._ahead = batches, ahead
        self._changed = threading.Condition(lock())  # a forked child closes it, too
        self._open: deque[_Open[Made]] = deque()
        self._ended, self._closed = False, False
        self._failure: BaseException | None = None

    def take_row(self) -> tuple[_Open[Made], int] | None:
        """Wait for a row to write; None if there will be none."""
        with self._changed:
            while not self._closed:
                newest = self._open[-1] if self._open else None
                if newest is not None and newest.started < newest.batch.count:
                    newest.started += 1
                    return newest, newest.started - 1
                if self._ended:
                    return None
                if len(self._open) < self._ahead:
                    self._begin()
                else:
                    self._changed.wait()
            return None

    def _begin(self) -> None:
        """Begin the next batch."""
        try:
            batch = next(self._batches, None)
        except Exception as error:  # the consumer of the batches raises it
            batch, self._failure = None, error
        if batch is None:
            self._ended = True
        else:
            self._open.append(_Open(batch))
        self._changed.notify_all()

    def made(self, batch: _Open[Made], row: int, error: BaseException | None) -> None:
        """Record that a row has been written, or could not be."""
        with self._changed:
            batch.left -= 1
            if error is not None:
                batch.errors[row] = error
            if batch.left == 0:
                self._changed.notify_all()

    def next(self) -> Made | None:
        """Wait for the next batch; None after the last."""
        with self._changed:
            while not (self._open and self._open[0].left == 0):
                if self._ended and not self._open:
                    failure, self._failure = self._failure, None
                    if failure is not None:
                        raise raised_here(failure)
                    return None
                self._changed.wait()
            batch = self._open.popleft()
            self._changed.notify_all()
        if batch.errors:
            raise raised_here(batch.errors[min(batch.errors)])
        return batch.batch

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()


def raised_here(error: BaseException) -> BaseException:
    """An error from another thread, to be raised at the user's line that requested the batch."""
    if isinstance(error, MXNetError):
        error.location = user_location()
        said = error.args[0]
        if isinstance(said, Description):
            error.args = (Description(said.gist, said.facts, said.hint), *error.args[1:])
    return error


_working: dict[threading.Thread, _Shared[Any]] = {}
"""The threads that have not ended, of this process alone."""


@atexit.register
def _end() -> None:
    """Stop all threads, and wait until they have ended.

    One that came back from OpenCV to an interpreter which is gone would abort the process.
    """
    for thread, shared in [*_working.items()]:
        shared.close()
        if thread.is_alive():  # it may have failed to start
            thread.join()


in_forked_children(_working.clear)


def _work(shared: _Shared[Any], prepare: Callable[[], None]) -> None:
    try:
        _write_rows(shared, prepare)
    finally:
        _working.pop(threading.current_thread(), None)


def _write_rows(shared: _Shared[Any], prepare: Callable[[], None]) -> None:
    prepare()
    while (taken := shared.take_row()) is not None:
        batch, row = taken
        error: BaseException | None = None
        try:
            batch.batch.make(row)
        except Exception as caught:  # the consumer of the batch raises it
            error = caught
        shared.made(batch, row, error)
        del taken, batch, error  # nothing is kept while waiting


class WorkingAhead(Generic[Made]):
    """Batches that threads compute ahead; the threads end with this object, or with the last batch.

    Parameters
    ----------
    batches : creates the batches
    threads : number of threads
    ahead : largest number of batches in construction or waiting to be consumed
    prepare : called by each thread at its start
    """

    def __init__(
        self,
        batches: Iterator[Made],
        threads: int,
        ahead: int,
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        self._shared: _Shared[Made] = _Shared(batches, ahead)
        self._process = os.getpid()
        self._threads = [
            threading.Thread(
                target=_work, args=(self._shared, prepare), name=f"gluonic batches {i}", daemon=True
            )
            for i in range(threads)
        ]
        weakref.finalize(self, self._shared.close)  # it does not wait: any thread may collect it
        for thread in self._threads:
            _working[thread] = self._shared
            thread.start()

    def close(self) -> None:
        """Stop the threads, and wait until they have ended."""
        self._shared.close()
        if os.getpid() == self._process:
            for thread in self._threads:
                thread.join()

    def next(self) -> Made | None:
        """Wait for the next batch; None after the last.

        Raises
        ------
        the exception of the batch; the next call continues with the batch after it
        """
        if os.getpid() != self._process:
            raise CallError(
                "the threads that compute batches are in the parent process; "
                "create the iterator in the process that uses it, or reset() it there"
            )
        return self._shared.next()
