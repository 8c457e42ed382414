"""Memory that all ranks of one machine read and write.

It has no name in the file system, so nothing remains of it however its ranks end: the others open it as a file
descriptor of the rank that created it, and the system frees it with the last of them.
"""

import ctypes
import errno
import logging
import mmap
import os
from pathlib import Path
from secrets import token_bytes
from weakref import WeakSet, finalize

import numpy as np

from gluonic.distributed.group import RankGroup
from gluonic.support.forks import in_forked_children

PAGE = mmap.PAGESIZE
_TOKEN = 16  # bytes
_MAP_FIXED = 0x10  # Linux, on all processors
_FAILED = ctypes.c_void_p(-1).value


class SharedMemory(mmap.mmap):
    """Memory that some ranks share; its first page must not be used.

    A forked child of a rank has a copy: its writes do not affect the ranks.

    Attributes
    ----------
    descriptor : the file descriptor of the memory
    """

    descriptor: int

    @property
    def path(self) -> str:
        """The path at which other processes of the same user can open it."""
        return f"/proc/{os.getpid()}/fd/{self.descriptor}"

    @classmethod
    def of(cls, descriptor: int) -> "SharedMemory":
        """Map the memory of a descriptor, which is closed with it."""
        try:
            found = cls(descriptor, os.fstat(descriptor).st_size)
        except BaseException:
            os.close(descriptor)
            raise
        found.descriptor = descriptor
        finalize(found, os.close, descriptor)
        _present.add(found)
        return found


_present: WeakSet[SharedMemory] = WeakSet()


def share_memory(group: RankGroup, size: int) -> SharedMemory | None:
    """Create memory that all ranks of a group share; a collective operation.

    Parameters
    ----------
    group : the ranks, all of one machine
    size : its size in bytes, without the first page

    Returns
    -------
    SharedMemory or None
        None, on all ranks, if there is not enough, or the system does not let them share it; rank 0 warns
    """

    def what() -> str:
        return "memory that all ranks of this machine share"

    own, said, problem = None, b"", ""
    try:
        if group.rank == 0:
            own = _made(PAGE + size)
            said = own[:_TOKEN] + own.path.encode()
    except OSError as error:
        problem = str(error)
    said = group.tell(said, what)[0]
    try:
        if said and own is None:
            own = _opened(said[_TOKEN:].decode(), said[:_TOKEN], PAGE + size)
    except OSError as error:
        problem = str(error)
    problems = [one.decode() for one in group.tell(problem.encode(), what)]
    if not any(problems):
        return own
    if group.rank == 0:
        logging.getLogger(__name__).warning(
            "gradients are summed up by messages, which takes longer: no %d MB that the ranks of "
            "this machine share (%s)",
            size // 1_000_000,
            next(filter(None, problems)),
        )
    return None


def _made(size: int) -> SharedMemory:
    """New memory, fully allocated: a write to memory that does not exist would kill the process."""
    if not hasattr(os, "memfd_create"):
        raise OSError(errno.ENOSYS, "memory without a name is shared on Linux alone")
    if size > _available():
        raise OSError(errno.ENOMEM, "there is not so much memory")
    descriptor = os.memfd_create("gluonic-sums")
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError:
        os.close(descriptor)
        raise
    found = SharedMemory.of(descriptor)
    found[:_TOKEN] = token_bytes(_TOKEN)
    return found


def _available() -> int:
    """The number of bytes available without affecting other processes."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    known = dict(line.split(":", 1) for line in lines)
    return int(known["MemAvailable"].split()[0]) * 1024


def _opened(path: str, token: bytes, size: int) -> SharedMemory:
    """Memory that another process has created."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    if os.fstat(descriptor).st_size == size:
        found = SharedMemory.of(descriptor)
        if found[:_TOKEN] == token:
            return found
    else:
        os.close(descriptor)
    raise OSError(
        errno.ENOENT,
        "other ranks that call their machine the same cannot be reached through memory",
    )


def _keep_apart() -> None:
    """Make this process's mapping private: it is the child of a rank."""
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    for memory in [*_present]:
        start = np.frombuffer(memory, np.uint8).ctypes.data
        found = library.mmap(
            *(start, len(memory), mmap.PROT_READ | mmap.PROT_WRITE),
            *(mmap.MAP_PRIVATE | _MAP_FIXED, memory.descriptor, 0),
        )
        if found == _FAILED:
            raise OSError(ctypes.get_errno(), "a child of a rank cannot have memory of its own")


in_forked_children(_keep_apart)
