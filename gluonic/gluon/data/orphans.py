"""Worker processes that end with the process that started them, however it ends."""

import multiprocessing
import os
import threading
from multiprocessing.connection import wait

_SECONDS = 1.0


def end_with_parent() -> None:
    """End this process when the one that started it has ended; a thread watches, so the main thread may block.

    The system's signal for this (``PR_SET_PDEATHSIG``) is sent when the starting *thread* ends.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        watching = threading.Thread(
            target=_watch, args=(parent.sentinel, os.getppid()), daemon=True
        )
        watching.start()


def _watch(sentinel: int, adoptive: int) -> None:
    """Wait until the parent's end of a pipe is closed, or another process has become the parent.

    The pipe alone is not enough: processes that were forked later hold its other end as well.
    """
    while not wait([sentinel], timeout=_SECONDS) and os.getppid() == adoptive:
        pass
    os._exit(1)
