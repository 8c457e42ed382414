"""Whether a file is more than a name: whether somebody else would miss what is written to another file.

A file that takes the place of another leaves the other's further names (hard links) and open handles with the
old contents. How far that can be known depends on the system: the number of names everywhere; the handles
of this process where there is ``/dev/fd``; those of other processes on Linux, and only for files of one's own.
"""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform == "linux":
    import fcntl

_OWN = Path("/dev/fd")


def is_shared(path: Path) -> bool:
    """Whether a file has another name, is open in this process, or is open for writing in another one.

    Processes that only read it do not count: they go on reading a whole file, the old one.
    """
    status = path.stat()
    return status.st_nlink > 1 or _is_open_here(status) or _is_written_elsewhere(path)


def _is_open_here(status: os.stat_result) -> bool:
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir(_OWN)
    for name in names:
        with suppress(OSError):  # that of the folder has been closed
            if os.path.samestat(os.fstat(int(name)), status):
                return True
    return False


def _is_written_elsewhere(path: Path) -> bool:
    """Ask for a lease, which is granted if nobody has the file open for writing.

    Who opens the file in that moment waits for its end, and the kernel reports that by a signal. The usual
    one would end the process; SIGURG is ignored.
    """
    if sys.platform != "linux":
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except BlockingIOError:
        return True
    except OSError:  # there are no leases, or the file is somebody else's
        return False
    finally:
        os.close(descriptor)
    return False
