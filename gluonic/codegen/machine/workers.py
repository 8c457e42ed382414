"""Threads that share the units of large steps; implemented in :mod:`gluonic.codegen.machine.workers_code`.

The first divided step loads their code, its first call starts them. The child of a fork starts new ones.
"""

import atexit
import ctypes
import os
from functools import cache

from gluonic.codegen.machine.jit import LinkedLibrary, load
from gluonic.codegen.machine.target import compiles_for_others, host
from gluonic.codegen.machine.workers_code import (
    EXPORTS,
    MOST_THREADS,
    workers_imports,
    workers_text,
)
from gluonic.graph.threads import thread_count
from gluonic.support.cpu_count import available_processors
from gluonic.support.forks import in_forked_children


class Workers:
    """The workers of this process.

    Attributes
    ----------
    share : the address of ``void share(ptr step, ptr operands, ptr numbers, i64 units, i64 chunk,
        i64 threads, i64 count, i64 stride)``, which runs all units of a step, together with idle workers; for
        worker `i`, `i` times `stride` bytes are added to the last of `count` operands, its workspace
    reset, stop : forget all workers, as in the child of a fork; end them
    """

    def __init__(self, library: LinkedLibrary) -> None:
        self._library = library
        self.share = library["share"]
        self.reset, self.stop = (
            ctypes.CFUNCTYPE(None)(library[name]) for name in ("reset", "stop")
        )
        self._allow = ctypes.CFUNCTYPE(None, ctypes.c_size_t)(library["allow"])
        self.allow(available_processors())

    def allow(self, count: int) -> None:
        """Let at most so many threads share a step: by default one for each processor that may be used."""
        self._allow(min(count, MOST_THREADS))


@cache
def workers() -> Workers:
    """The workers of this process; there are none without POSIX threads, see `most_threads`."""
    found = Workers(load(workers_text(host()), EXPORTS, workers_imports(host())))
    in_forked_children(found.reset)
    atexit.register(found.stop)  # before the code in which they sleep is freed
    return found


def most_threads() -> int:
    """The most threads that may share a step, including the caller; more than processors would take turns.

    Code for other processes runs on the calling thread alone.
    """
    if compiles_for_others():
        return 1
    count = min(thread_count(), available_processors(), MOST_THREADS)
    return count if os.name == "posix" else 1
