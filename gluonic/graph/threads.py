"""One knob for threads: ``GLUONIC_NUM_THREADS``, by default as many as there are cores.

Compiled graphs share large steps among so many threads (:mod:`gluonic.codegen.machine.workers`). BLAS libraries
start a thread for each core and make them wait for each other in a spin; when another process takes a core,
a product of small matrices then takes 30 times as long. So BLAS gets one thread; ours call it with parts.
"""

import os

from threadpoolctl import threadpool_limits

from gluonic.graph.errors import MXNetError
from gluonic.support.cpu_count import available_cores


def thread_count() -> int:
    """How many threads gluonic may use.

    Raises
    ------
    MXNetError
        when the environment variable is no positive number
    """
    text = os.environ.get("GLUONIC_NUM_THREADS")
    if text is None:
        return available_cores()
    if not text.isdigit() or int(text) < 1:
        raise MXNetError(f"GLUONIC_NUM_THREADS={text!r} must be a positive number")
    return int(text)


def limit_blas() -> None:
    """Let the BLAS libraries that are loaded now run in the thread that calls them."""
    threadpool_limits(1, user_api="blas")
