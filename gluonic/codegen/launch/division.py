"""Which steps are divided among threads, and how.

A step is divided when it takes long enough to make waking a worker worthwhile. Its units are the same for any
number of threads, and may run in any order, so results are the same, bit by bit.
"""

import numpy as np

from gluonic.codegen.launch.argument_table import ArgumentTable
from gluonic.codegen.launch.arguments import Integers, LaunchArguments
from gluonic.codegen.machine.memory import ALIGNMENT
from gluonic.codegen.machine.workers import most_threads
from gluonic.support.record import record

WORTH = 30_000
"""A step is divided if it takes one thread so many nanoseconds."""
LEAST = 4_000
"""A chunk takes so many nanoseconds at least: claiming one costs a hundred."""
_CHUNKS = 8
"""So many chunks for each thread: the last one that a thread still does is as much shorter than its share."""


@record
class Divisions:
    """How threads share the phases of all steps, one after the other.

    Attributes
    ----------
    units : how many units of work there are
    chunks : how many of them a thread claims at a time; all of them if they are not shared
    threads : how many threads may take part
    workspaces : how many bytes of scratch memory each of them has of its own
    """

    units: Integers
    chunks: Integers
    threads: Integers
    workspaces: Integers

    @property
    def are_shared(self) -> bool:
        """Whether more than one thread works on one of them."""
        return bool((self.threads > 1).any())


def aligned(sizes: Integers) -> Integers:
    """The sizes, rounded up to whole cache lines."""
    return -(-np.maximum(sizes, 1) // ALIGNMENT) * ALIGNMENT


def divide(arguments: LaunchArguments, table: ArgumentTable) -> Divisions:
    """How all phases are shared, by as many threads as there may be now."""
    units, threads = arguments.units, most_threads()
    own = np.where(table.has_own_workspace, aligned(arguments.workspaces), 0)[table.step_of_phase]
    whole = np.ones_like(units)
    if threads == 1 or not len(units):
        return Divisions(units, units, whole, own)
    large = np.add.reduceat(units > 1, table.first_phases, dtype=np.int64)
    time = (arguments.nanoseconds / np.maximum(large, 1))[table.step_of_phase]
    least = -(-units * LEAST // np.maximum(time.astype(np.int64), 1))
    chunks = np.maximum(np.maximum(least, units // (_CHUNKS * threads)), 1)
    shared = (units > 1) & (time >= WORTH) & (chunks < units)
    busy = np.minimum(threads, -(-units // chunks))
    return Divisions(
        units,
        np.where(shared, chunks, units),
        np.where(shared, busy, whole),
        own,
    )


def workspace_bytes(
    arguments: LaunchArguments, table: ArgumentTable, divisions: Divisions
) -> Integers:
    """The bytes of scratch memory that each step needs, whoever works on it."""
    if not len(arguments.workspaces):
        return arguments.workspaces
    own = np.maximum.reduceat(divisions.workspaces * divisions.threads, table.first_phases)
    return np.where(own > 0, own, arguments.workspaces)
