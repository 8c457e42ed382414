"""Writing files so that an interruption leaves the old file or the new one, never a part."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from gluonic.graph.errors import FileAccessError
from gluonic.support.unfinished_files import remove_abandoned, unfinished

_UNFIT = re.compile(r"[^\w.-]")
_LONGEST_NAME = 120  # bytes; endings follow


def file_name(name: str) -> str:
    """The name of a file, in any folder, for something that a graph, perhaps from a file, gives a name.

    >>> file_name("../stage1/unit1")
    '_stage1_unit1'
    """
    encoded = _UNFIT.sub("_", name).lstrip(".").encode()
    return encoded[:_LONGEST_NAME].decode(errors="ignore") or "graph"


def inaccessible(error: OSError, path: str | os.PathLike[str]) -> FileAccessError:
    """The error for a file that cannot be opened, read or written, with the reason."""
    return FileAccessError(error.errno, error.strerror or str(error), os.fspath(path))


def write_atomically(
    path: str | os.PathLike[str], parts: bytes | Iterable[bytes | memoryview]
) -> None:
    """Write a temporary file in the same folder, then rename it.

    Unfinished files of killed processes in the folder are removed.

    Parameters
    ----------
    path : the file; if it is a link, its target is written
    parts : the contents, whole or in pieces

    Raises
    ------
    OSError
        naming the path, if the disk is full or the folder read-only; an old file is unchanged
    """
    target = Path(os.path.realpath(path))
    pieces: Iterable[bytes | memoryview] = (parts,) if isinstance(parts, bytes) else parts
    if target.exists() and not target.is_file():  # a pipe or a device can only be written to
        with target.open("wb") as stream:
            stream.writelines(pieces)
        return
    try:
        remove_abandoned(target.parent)
        with unfinished(target) as file:
            file.stream.writelines(pieces)
            file.stream.flush()
            os.fsync(file.stream.fileno())
            _keep_mode(target, file.path)
            file.put_in_place()
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


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
