"""Threads that share the units of large steps; see :mod:`gluonic.codegen.machine.workers_code` for how.

The first step that is divided loads their code, the first call of such a step starts them. A child of a
fork starts its own.
"""

import atexit
import ctypes
import os
from functools import cache

from gluonic.codegen.machine.jit import LinkedLibrary, load
from gluonic.codegen.machine.target import host
from gluonic.codegen.machine.workers_code import (
    EXPORTS,
    MOST_THREADS,
    workers_imports,
    workers_text,
)
from gluonic.graph.threads import thread_count


class Workers:
    """The workers of this process.

    Attributes
    ----------
    share : the address of ``void share(ptr step, ptr operands, ptr numbers, i64 units, i64 chunk,
        i64 threads, i64 count, i64 stride)``, which does all units of a step together with workers that are
        free; worker `i` gets `i` times `stride` bytes added to the last of `count` operands, its workspace
    """

    def __init__(self, library: LinkedLibrary) -> None:
        self._library = library
        self.share = library["share"]
        self.reset, self.stop = (
            ctypes.CFUNCTYPE(None)(library[name]) for name in ("reset", "stop")
        )


@cache
def workers() -> Workers:
    """The workers of this process; there are none where there are no POSIX threads, see `most_threads`."""
    found = Workers(load(workers_text(host()), EXPORTS, workers_imports(host())))
    os.register_at_fork(after_in_child=found.reset)
    atexit.register(found.stop)  # before the code in which they sleep goes away
    return found


def most_threads() -> int:
    """How many threads may share a step, the caller among them."""
    count = min(thread_count(), MOST_THREADS)
    return count if os.name == "posix" else 1
