"""How much a compressed file may become: a small one must not fill the memory or the disk.

All readers of compressed files ask here: those of images, archives and compressed arrays. A file may become
`_USUAL` bytes, or `_TIMES` as many as it has, if that is more; ``GLUONIC_UNPACKED_LIMIT``, a number of bytes,
replaces both.
"""

import gzip
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol

from gluonic.graph.errors import AttributeValueError, FileFormatError, describe
from gluonic.graph.files import opened

_VARIABLE = "GLUONIC_UNPACKED_LIMIT"
_USUAL = 512 << 20
_TIMES = 20
_PIECE = 1 << 20  # bytes
_GZIP = b"\x1f\x8b"


class UnpackedLimitError(FileFormatError):
    """A compressed file would become larger than it may."""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes:
        """Read up to `size` bytes."""


def unpacked_limit(packed: int) -> int:
    """The most bytes that a file of `packed` bytes may become.

    Raises
    ------
    AttributeValueError
        if the environment variable is not a number of bytes
    """
    chosen = os.environ.get(_VARIABLE)
    if not chosen:
        return max(_USUAL, _TIMES * packed)
    try:
        return int(chosen)
    except ValueError as error:
        raise AttributeValueError(f"{_VARIABLE}={chosen!r} is not a number of bytes") from error


def check_unpacked(size: int, packed: int, title: str) -> None:
    """Check the size that a file says, or shows, that its contents have.

    Parameters
    ----------
    size : bytes, unpacked
    packed : bytes of the file
    title : the file, for the message

    Raises
    ------
    UnpackedLimitError
        if it is more than the limit
    """
    most = unpacked_limit(packed)
    if size > most:
        raise UnpackedLimitError(
            describe(
                f"{title}: {packed:,} bytes would become {size:,}, more than {most:,}",
                hint=f"{_VARIABLE}={size} (bytes) in the environment, if the file is what it should be",
            )
        )


class Unpacking:
    """A stream of unpacked bytes, which raises an error once there are too many.

    Parameters
    ----------
    stream : the bytes
    packed : bytes of the file they come from
    title : the file, for the message
    """

    def __init__(self, stream: _Readable, packed: int, title: str) -> None:
        self._stream, self._packed, self._title = stream, packed, title
        self._count = 0

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes; all for -1."""
        if size < 0:
            return b"".join(iter(lambda: self.read(_PIECE), b""))
        piece = self._stream.read(min(size, _PIECE))
        self._count += len(piece)
        check_unpacked(self._count, self._packed, self._title)
        return piece


@contextmanager
def unpacking(path: str | os.PathLike[str]) -> Iterator[Unpacking]:
    """Open a file that may be compressed by gzip.

    Parameters
    ----------
    path : the file
    """
    with ExitStack() as files:
        stream = files.enter_context(opened(path))
        unpacked: _Readable = stream
        if stream.peek(len(_GZIP)).startswith(_GZIP):
            unpacked = files.enter_context(gzip.GzipFile(fileobj=stream))
        yield Unpacking(unpacked, os.fstat(stream.fileno()).st_size, os.fspath(path))
