"""Which steps are divided among threads, and how.

A step is divided when it takes long enough to make waking a worker worthwhile. Its units are the same for any
number of threads, and may run in any order, so results are the same, bit by bit.
"""

from collections.abc import Sequence

import numpy as np

from gluonic.codegen.launch.argument_table import CHUNK, SHARE, THREADS, UNITS, ArgumentTable
from gluonic.codegen.launch.arguments import Integers
from gluonic.codegen.machine.workers import workers

WORTH = 30_000
"""A step is divided if it takes one thread so many nanoseconds."""
LEAST = 4_000
"""A chunk takes so many nanoseconds at least: claiming one costs a hundred."""
_CHUNKS = 8
"""So many chunks for each thread: the last one that a thread still does is as much shorter than its share."""


def divide(
    numbers: Integers, table: ArgumentTable, nanoseconds: Sequence[float], threads: int
) -> bool:
    """Have so many threads share the steps that take long; whether there are such.

    Parameters
    ----------
    numbers : a table in which one thread does all units of each phase
    nanoseconds : that each step takes one thread
    """
    if max(nanoseconds, default=0) < WORTH:
        return False
    units = numbers[table.phases + UNITS]
    large = np.add.reduceat(units > 1, table.first_phases, dtype=np.int64)
    time = (np.array(nanoseconds, np.float64) / np.maximum(large, 1))[table.step_of_phase]
    least = -(-units * LEAST // np.maximum(time.astype(np.int64), 1))
    chunks = np.maximum(np.maximum(least, units // (_CHUNKS * threads)), 1)
    shared = (units > 1) & (time >= WORTH) & (chunks < units)
    if not shared.any():
        return False
    places, units, chunks = table.phases[shared], units[shared], chunks[shared]
    numbers[places + CHUNK] = chunks
    numbers[places + THREADS] = np.minimum(threads, -(-units // chunks))
    numbers[SHARE] = workers().share
    return True
