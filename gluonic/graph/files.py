"""Writing files so that an interruption leaves the old file or the new one, never a part."""

import contextlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


def write_atomically(path: str | os.PathLike[str], parts: bytes | Iterable[bytes]) -> None:
    """Write a file beside its place, then move it there.

    Parameters
    ----------
    path : where the file goes; what it links to, if it is a link
    parts : the contents, whole or in pieces

    Raises
    ------
    OSError
        naming the path, if the disk is full or the folder read-only; an old file is unharmed
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():  # a pipe or a device can only be written to
        with target.open("wb") as stream:
            stream.writelines(_pieces(parts))
        return
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with open(descriptor, "wb") as stream:
            stream.writelines(_pieces(parts))
            stream.flush()
            os.fsync(stream.fileno())
        _keep_mode(target, temporary)
        os.replace(temporary, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


def _pieces(parts: bytes | Iterable[bytes]) -> Iterable[bytes]:
    return (parts,) if isinstance(parts, bytes) else parts


def _keep_mode(target: Path, temporary: str) -> None:
    """Give the new file the old one's permissions, or those that a new file gets here."""
    try:
        mode = target.stat().st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    os.chmod(temporary, mode)


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
