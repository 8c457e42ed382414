"""Freed memory that a process keeps: the next step of a training loop wants as much again.

glibc gives the end of the heap back to the system as soon as more than a threshold lies free there: twice the
largest block that was ever mapped on its own and freed, 128 KiB as long as there was none. But all that a
training step has computed is free at its end, and where it lies at the end of the heap together, which is luck,
each step faults in page by page what the step before has given back. That took a language model a sixth of its
time.
"""

import os
import sys

from gluonic.support.c_functions import c_library

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""How glibc's `mallopt` calls its parameters M_TRIM_THRESHOLD and M_MMAP_THRESHOLD."""
_KEPT = 256 << 20
_MAPPED_FROM = 32 << 20
"""The most that glibc's own rule comes to. Who sets one threshold sets both: the rule ends with that."""


def keep_freed_memory() -> None:
    """Let up to 256 MiB lie free at the end of the heap, and only blocks from 32 MiB on be mapped on their own.

    Where the environment sets glibc's thresholds (``MALLOC_TRIM_THRESHOLD_``, ``MALLOC_MMAP_THRESHOLD_``,
    ``GLIBC_TUNABLES``) it counts. Other C libraries have nothing like it. What compiling frees is given back by
    `give_back_memory`, whatever the threshold.
    """
    if sys.platform != "linux" or _is_set_by_user():
        return
    mallopt = getattr(c_library(), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _MAPPED_FROM)
        mallopt(_TRIM_THRESHOLD, _KEPT)


def _is_set_by_user() -> bool:
    names = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_")
    return any(name in os.environ for name in names) or "_threshold" in os.environ.get(
        "GLIBC_TUNABLES", ""
    )
