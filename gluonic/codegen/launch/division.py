"""The division of steps among threads.

A step is divided if it takes long enough for waking a worker to pay off. Its units are the same for any
number of threads and may run in any order, so results are bitwise identical.
"""

from collections.abc import Sequence

import numpy as np

from gluonic.codegen.launch.argument_table import CHUNK, THREADS, UNITS, ArgumentTable
from gluonic.codegen.launch.arguments import Integers
from gluonic.codegen.launch.launch import SHARE
from gluonic.codegen.machine.workers import workers

WORTH = 30_000
"""A step is divided if one thread takes at least this time, in nanoseconds."""
LEAST = 4_000
"""The least time of a chunk in nanoseconds: claiming one costs a hundred."""
_CHUNKS = 8
"""The chunks per thread: threads finish within about one chunk of each other."""


def takes_long(nanoseconds: Sequence[float]) -> bool:
    """Whether some step takes long enough to be divided."""
    return max(nanoseconds, default=0) >= WORTH


def divide(
    numbers: Integers, table: ArgumentTable, nanoseconds: Sequence[float], threads: int
) -> bool:
    """Divide the long steps among threads; return whether there are any.

    Parameters
    ----------
    numbers : a table with which one thread runs all units of each phase
    nanoseconds : the estimated time of each step on one thread
    """
    units = numbers[table.phases + UNITS]
    large = np.add.reduceat(units > 1, table.first_phases, dtype=np.int64)
    time = (np.array(nanoseconds, np.float64) / np.maximum(large, 1))[table.step_of_phase]
    least = -(-units * LEAST // np.maximum(time.astype(np.int64), 1))
    chunks = np.maximum(np.maximum(least, units // (_CHUNKS * threads)), 1)
    shared = (units > 1) & (time >= WORTH) & (chunks < units)
    if not shared.any():
        return False
    begins, units, chunks = table.phases[shared], units[shared], chunks[shared]
    numbers[begins + CHUNK] = chunks
    numbers[begins + THREADS] = np.minimum(threads, -(-units // chunks))
    numbers[SHARE] = workers().share
    return True
