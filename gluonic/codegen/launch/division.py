"""The division of steps among threads.

Steps are divided if one of them takes long enough for waking workers to pay off. Units may run in any order,
and what they compute does not depend on their size, so results are bitwise identical.
"""

from collections.abc import Sequence

import numpy as np

from gluonic.codegen.launch.argument_table import CHUNK, THREADS, UNITS, ArgumentTable
from gluonic.codegen.launch.arguments import Integers
from gluonic.codegen.launch.launch import SHARE
from gluonic.codegen.machine import scaling
from gluonic.codegen.machine.workers import workers


def takes_long(nanoseconds: Sequence[float]) -> bool:
    """Whether some step takes long enough to be divided."""
    return max(nanoseconds, default=0) >= scaling.WORTH


def divide(
    numbers: Integers, table: ArgumentTable, nanoseconds: Sequence[float], threads: int
) -> bool:
    """Divide the steps that are not short among threads; return whether there are any.

    Parameters
    ----------
    numbers : a table with which one thread runs all units of each phase
    nanoseconds : the estimated time of each step on one thread
    """
    units = numbers[table.phases + UNITS]
    large = np.add.reduceat(units > 1, table.first_phases, dtype=np.int64)
    time = (np.array(nanoseconds, np.float64) / np.maximum(large, 1))[table.step_of_phase]
    least = -(-units * scaling.LEAST // np.maximum(time.astype(np.int64), 1))
    chunks = np.maximum(np.maximum(least, units // (scaling.CHUNKS * threads)), 1)
    shared = (units > 1) & (time >= scaling.WORTH_AWAKE) & (chunks < units)
    if not shared.any():
        return False
    begins, sizes = table.phases[shared], chunks[shared]
    counts = -(-units[shared] // sizes)
    numbers[begins + CHUNK] = sizes
    pairs = zip(time[shared].tolist(), counts.tolist(), strict=True)
    useful = [scaling.useful_threads(time, count, threads) for time, count in pairs]
    numbers[begins + THREADS] = useful
    numbers[SHARE] = workers().share
    return True
