"""Writing files so that an interruption leaves the old file or the new one, never a part."""

import errno
import os
import re
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from gluonic.graph.errors import FileAccessError, FileFormatError
from gluonic.support.shared_files import is_shared
from gluonic.support.unfinished_files import (
    Unfinished,
    remove_abandoned,
    remove_whole_copies,
    unfinished,
    whole_copies,
)

_UNFIT = re.compile(r"[^\w.-]")
_LONGEST_NAME = 120  # bytes; endings follow
_ANYONE_WRITES = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_PLACES_THAT_STAY = (errno.EBUSY, errno.EPERM, errno.EACCES, errno.EXDEV)
"""Errors for mounted files, and for those of others in folders such as ``/tmp``."""


def file_name(name: str) -> str:
    """The name of a file, in any folder, for something that a graph, perhaps from a file, gives a name.

    >>> file_name("../stage1/unit1")
    '_stage1_unit1'
    """
    encoded = _UNFIT.sub("_", name).lstrip(".").encode()
    return encoded[:_LONGEST_NAME].decode(errors="ignore") or "graph"


@contextmanager
def accessing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Raise what the system says about a file, or Python about its name, as an error that names the file."""
    try:
        yield
    except FileAccessError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileAccessError(error.errno, reason, os.fspath(path)) from error
    except ValueError as error:
        if _can_be_a_name(os.fspath(path)):
            raise
        reason = f"no file can have this name ({error})"
        raise FileAccessError(errno.EINVAL, reason, os.fspath(path)) from error


def _can_be_a_name(path: str) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def opened(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a file for reading; `accessing` has the error."""
    with accessing(path):
        return open(path, "rb")


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read a file; `accessing` has the error."""
    with opened(path) as stream, accessing(path):
        return stream.read()


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a file of text; `accessing` has the error.

    Raises
    ------
    FileFormatError
        if it is no text
    """
    try:
        with accessing(path):
            return Path(path).read_text()
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"{path}: this is not a text file, or damaged at byte {error.start}: {error.reason}"
        ) from error


def write_atomically(
    path: str | os.PathLike[str], parts: bytes | Iterable[bytes | memoryview]
) -> None:
    """Write a temporary file in the same folder, then let it take the file's place.

    A file that others would miss (`is_shared`), or whose place cannot be taken, is written over instead, when
    all is on the disk in the temporary file. Unfinished files of killed processes in the folder are removed.

    Parameters
    ----------
    path : the file; if it is a link, its target is written
    parts : the contents, whole or in pieces

    Raises
    ------
    FileAccessError
        naming the path, if the disk is full or the folder read-only; an old file is unchanged
    """
    with accessing(path):
        _write_atomically(path, (parts,) if isinstance(parts, bytes) else parts)


def _write_atomically(path: str | os.PathLike[str], pieces: Iterable[bytes | memoryview]) -> None:
    target = Path(os.path.realpath(path))
    if os.path.exists(path) and not target.is_file():  # a pipe, a device, a file without a name
        with open(path, "wb") as stream:
            stream.writelines(pieces)
        return
    remove_abandoned(target.parent)
    with unfinished(target, _folder_for(target)) as file:
        file.stream.writelines(pieces)
        file.stream.flush()
        os.fsync(file.stream.fileno())
        _finish(file)
    remove_whole_copies(target)


@contextmanager
def naming_copies(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let errors of reading a damaged file name copies that an interrupted `write_atomically` left."""
    try:
        yield
    except FileFormatError as error:
        target = Path(os.path.realpath(path))
        for copy in whole_copies(target, _folder_for(target)):
            error.facts.append(f"saving it was interrupted: all that was saved is in {copy}")
        raise


@contextmanager
def saved_in(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """The contents of a file that `write_atomically` wrote; `accessing` and `naming_copies` have the errors."""
    contents = read_bytes(path)
    with naming_copies(path):
        yield contents


def _folder_for(target: Path) -> Path:
    """Where to write a file first: beside its place, unless that folder takes no new files."""
    beside = target.parent
    is_closed = _is_writable(target) and not os.access(beside, os.W_OK | os.X_OK)
    return Path(tempfile.gettempdir()) if is_closed else beside


def _finish(file: Unfinished) -> None:
    """Put a file in its place, or its contents there."""
    is_writable = _is_writable(file.target)
    if is_writable and (file.is_elsewhere or is_shared(file.target)):
        file.write_over()
        return
    _keep_mode(file.target, file.path)
    try:
        file.put_in_place()
    except OSError as error:
        if not is_writable or error.errno not in _PLACES_THAT_STAY:
            raise
        file.write_over()


def _is_writable(target: Path) -> bool:
    """Whether there is a file that may be written to; its owner may have forbidden that, also to root."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return False
    return bool(mode & _ANYONE_WRITES) and os.access(target, os.W_OK)


def _keep_mode(target: Path, temporary: str) -> None:
    """Give the new file the old one's permissions, or those of a new file under the umask."""
    try:
        mode = target.stat().st_mode & 0o7777
    except FileNotFoundError:
        mode = _mode_of_new_files(temporary)
    os.chmod(temporary, mode)


def _mode_of_new_files(temporary: str) -> int:
    """The permissions of a new file under the umask; reading that would open files of other threads."""
    folder, name = os.path.split(temporary)
    path = os.path.join(folder, name.replace("-", "-new-", 1))
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    try:
        return os.fstat(descriptor).st_mode & 0o7777
    finally:
        os.close(descriptor)
        os.unlink(path)


def read_capped(path: str | os.PathLike[str], most: int) -> bytes:
    """Read a file of at most `most` bytes.

    Raises
    ------
    ValueError
        for a larger file
    """
    with open(path, "rb") as stream:
        contents = stream.read(most + 1)
    if len(contents) > most:
        raise ValueError(f"the file is larger than {most:,} bytes")
    return contents
