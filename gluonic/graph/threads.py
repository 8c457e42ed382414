"""The number of threads: ``GLUONIC_NUM_THREADS``, else ``OMP_NUM_THREADS``, by default one per core.

Compiled graphs share large steps among these threads (:mod:`gluonic.codegen.machine.workers`). BLAS libraries
start a thread for each core, and these threads wait for each other by spinning; if another process takes a
core, a product of small matrices takes 30 times as long. So BLAS gets one thread; ours call it with parts.
"""

import os

from threadpoolctl import threadpool_limits

from gluonic.graph.errors import MXNetError
from gluonic.support.cpu_count import available_cores


def thread_count() -> int:
    """The number of threads that gluonic may use.

    ``OMP_NUM_THREADS``, which is not for gluonic alone, counts only if it is a positive number, or a list of
    them: the first is for loops that are not inside others.

    Raises
    ------
    MXNetError
        if ``GLUONIC_NUM_THREADS`` is not a positive number
    """
    text = os.environ.get("GLUONIC_NUM_THREADS")
    if text is None:
        text = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
        return int(text) if text.isdigit() and int(text) > 0 else available_cores()
    if not text.isdigit() or int(text) < 1:
        raise MXNetError(f"GLUONIC_NUM_THREADS={text!r} must be a positive number")
    return int(text)


def limit_blas() -> None:
    """Make the loaded BLAS libraries run in the thread that calls them."""
    threadpool_limits(1, user_api="blas")
