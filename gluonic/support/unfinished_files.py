"""Files while they are written: beside their place, locked, and removed if their writer was killed.

The lock is the kernel's, which a process loses when it ends, in whatever way and in whichever container. So
a file that can be locked is nobody's any more. Where there are no locks, nothing is removed that others may
be writing.
"""

import errno
import os
import shutil
import stat
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

if sys.platform != "win32":
    import fcntl

_PREFIX, _SUFFIX, _WHOLE = ".gluonic-", ".part", ".whole"
_PIECE = 1 << 20  # bytes
_LONGEST_WRITE = 24 * 3600  # seconds
_TRIES = 10


class Unfinished:
    """A file that is being written.

    Attributes
    ----------
    stream : where it is written
    path : where it is
    target : where it is going to be
    """

    def __init__(self, stream: BinaryIO, path: str, target: Path) -> None:
        self.stream, self.path, self.target = stream, path, target

    @property
    def is_elsewhere(self) -> bool:
        """Whether it is in another folder than its place."""
        return Path(self.path).parent != self.target.parent

    def put_in_place(self) -> None:
        """Move it to where it is going to be, over what is there."""
        self.stream.flush()
        if sys.platform == "win32":  # where an open file cannot be moved, nor removed by others
            self.stream.close()
        os.replace(self.path, self.target)

    def write_over(self) -> None:
        """Write its contents into the file that is there, whose other names and open handles see them.

        Meanwhile they are also in a file of their own (`whole_copies`), which remains if this is interrupted.

        Raises
        ------
        OSError
            if the file that is there cannot be written to: it is unchanged, except if the disk fails; the
            message then names the copy
        """
        self.stream.flush()
        with self.target.open("r+b") as out, open(self.path, "rb") as source:
            _reserve(out.fileno(), os.fstat(source.fileno()).st_size)
            copy = f"{self.path.removesuffix(_SUFFIX)}{_ending(self.target)}"
            os.rename(self.path, copy)
            try:
                _overwrite(out, source)
            except KeyboardInterrupt:
                _overwrite(out, source)
                os.unlink(copy)
                raise
            except OSError as error:
                reason = f"{error.strerror}; all that was saved is in {copy}"
                raise OSError(error.errno, reason, str(self.target)) from error
        os.unlink(copy)


@contextmanager
def unfinished(target: Path, folder: Path | None = None) -> Iterator[Unfinished]:
    """Make a file beside its place; it is removed in the end, unless it was put there.

    Parameters
    ----------
    target : its place
    folder : where to make it; in the folder of its place by default
    """
    descriptor, path = _locked(folder or target.parent)
    try:
        with open(descriptor, "wb") as stream:
            yield Unfinished(stream, path, target)
    finally:
        with suppress(OSError):
            os.unlink(path)


def remove_abandoned(folder: Path) -> None:
    """Remove files whose writers have ended without finishing them."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX):
                _remove_if_abandoned(entry)


def whole_copies(target: Path, folder: Path | None = None) -> list[Path]:
    """The files that hold all of what `Unfinished.write_over` was writing when it was interrupted."""
    return sorted((folder or target.parent).glob(f"{_PREFIX}*{_ending(target)}"))


def remove_whole_copies(target: Path) -> None:
    """Remove copies of earlier contents, except those that are being written."""
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.name.endswith(_ending(target)):
                _remove_if_abandoned(entry)


def _ending(target: Path) -> str:
    """The end of the names of copies; the name itself may be as long as can be."""
    return f"-{zlib.crc32(os.fsencode(target.name)):08x}{_WHOLE}"


def _overwrite(out: BinaryIO, source: BinaryIO) -> None:
    """Give a file the contents of another."""
    out.seek(0)
    source.seek(0)
    shutil.copyfileobj(source, out, _PIECE)
    out.truncate()
    out.flush()
    os.fsync(out.fileno())


def _reserve(descriptor: int, size: int) -> None:
    """Let a file have room for its new contents, if the system can, before the old ones are touched."""
    if not size or not hasattr(os, "posix_fallocate"):
        return
    before = os.fstat(descriptor).st_size
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError as error:
        os.ftruncate(descriptor, before)
        if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS):
            raise


def _locked(folder: Path) -> tuple[int, str]:
    """Make a file and lock it; its descriptor and path."""
    for _ in range(_TRIES):
        descriptor, path = tempfile.mkstemp(
            suffix=_SUFFIX, prefix=f"{_PREFIX}{_host()}-", dir=folder
        )
        with suppress(BlockingIOError):  # another process takes it for abandoned
            _lock(descriptor)
            if _is_at(descriptor, path):
                return descriptor, path
        os.close(descriptor)
    raise FileNotFoundError(errno.ENOENT, "a file that is being written is removed each time", path)


def _host() -> str:
    """The machine, in names of files: locks may be invisible to others that share a disk."""
    name = os.environ.get("COMPUTERNAME", "") if sys.platform == "win32" else os.uname().nodename
    return f"{zlib.crc32(name.encode()):08x}"


def _lock(descriptor: int) -> bool:
    """Lock a file; whether there are locks where it is.

    Raises
    ------
    BlockingIOError
        if another process has it
    """
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True


def _is_at(descriptor: int, path: str) -> bool:
    try:
        there = os.stat(path, follow_symlinks=False)
    except OSError:
        return False
    return os.path.samestat(there, os.fstat(descriptor))


def _remove_if_abandoned(entry: "os.DirEntry[str]") -> None:
    with suppress(OSError):
        status = entry.stat(follow_symlinks=False)
        is_ours = entry.name.startswith(f"{_PREFIX}{_host()}-")
        if not stat.S_ISREG(status.st_mode) or not (
            is_ours or time.time() - status.st_mtime > _LONGEST_WRITE
        ):
            return
        if sys.platform == "win32":
            os.unlink(entry.path)  # it fails while somebody has it open
            return
        descriptor = os.open(entry.path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if _lock(descriptor) and _is_at(descriptor, entry.path):
                os.unlink(entry.path)
        finally:
            os.close(descriptor)
