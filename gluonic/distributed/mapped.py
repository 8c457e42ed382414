"""Memory that the ranks of one machine share."""

import mmap
import os
import tempfile
from pathlib import Path


class MappedFile:
    """A file that several processes of a machine map.

    Parameters
    ----------
    name : its name, known to all of them
    size : its size in bytes

    Attributes
    ----------
    memory : the mapping; it outlives the file

    Raises
    ------
    OSError
        if the machine has less memory to share
    """

    def __init__(self, name: str, size: int) -> None:
        folder = Path("/dev/shm")
        self._path = (folder if folder.is_dir() else Path(tempfile.gettempdir())) / name
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if hasattr(
                os, "posix_fallocate"
            ):  # a write to memory that does not exist would kill the process
                os.posix_fallocate(descriptor, 0, size)
            else:
                os.ftruncate(descriptor, size)
            self.memory = mmap.mmap(descriptor, size)
        finally:
            os.close(descriptor)

    def unlink(self) -> None:
        """Remove the file, once all have mapped it."""
        self._path.unlink(missing_ok=True)
