"""Images of an iterator, decoded ahead by threads."""

import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple, Protocol

from gluonic.graph.errors import FileFormatError, describe
from gluonic.image.reading import imdecode
from gluonic.support.cpu_count import available_cores


class Source(Protocol):
    """The source of samples: an `ImageIter`."""

    def next_sample(self) -> tuple[Any, Any]:
        """Read a label, and the contents of an image file; StopIteration after the last."""

    def imdecode(self, s: Any) -> Any:
        """Decode an image."""

    def latest(self) -> str:
        """The name of the latest sample, for messages."""


class _Waiting(NamedTuple):
    label: Any
    image: Future[Any]
    name: str


def thread_count() -> int:
    """The number of decoding threads: the variable MXNET_CPU_WORKER_NTHREADS, or one per core."""
    return int(os.environ.get("MXNET_CPU_WORKER_NTHREADS", 0)) or available_cores()


@cache
def _threads(process: int, count: int) -> ThreadPoolExecutor:
    """The threads of a process: a forked child has none of its parent's."""
    return ThreadPoolExecutor(count, "gluonic-decoding")


def broken(name: str, error: FileFormatError) -> FileFormatError:
    """The error for an image that cannot be decoded."""
    return FileFormatError(describe(f"Broken image {name}: {error.args[0]}"))


class DecodingAhead:
    """The samples of a source in order; some are read and decoded ahead.

    Only requested samples are read, so the source's position is that of reading one by one.
    """

    def __init__(self) -> None:
        self._waiting: deque[_Waiting] = deque()
        self._ended = False

    def forget(self) -> None:
        """Drop the samples read ahead."""
        self._waiting.clear()
        self._ended = False

    def next(self, source: Source, wanted: int) -> tuple[Any, Any] | None:
        """Return the next label and image; None, once, at the end of the source.

        Parameters
        ----------
        source : the source of samples
        wanted : number of samples that will be requested, including this one

        Raises
        ------
        FileFormatError
            naming the image, if it is damaged; the next call returns the sample after it
        """
        self._read(source, min(wanted, 2 * thread_count()))
        if not self._waiting:
            self._ended = False
            return None
        label, image, name = self._waiting.popleft()
        try:
            return label, image.result()
        except FileFormatError as error:
            raise broken(name, error) from error

    def _read(self, source: Source, count: int) -> None:
        threads = _threads(os.getpid(), thread_count())
        while len(self._waiting) < count and not self._ended:
            try:
                label, contents = source.next_sample()
            except StopIteration:
                self._ended = True
                return
            decoded = threads.submit(imdecode, contents)
            self._waiting.append(_Waiting(label, decoded, source.latest()))
