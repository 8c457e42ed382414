"""What threads gain: a model of a step's time on several threads, from its time on one and its chunks.

The threads take chunks until none is left; the last ones end up to one chunk apart. Each thread that takes part
costs a little, as its beginning and its end are seen by the caller.
"""

from math import isqrt

WORTH = 30_000
"""Workers are woken if a step takes one thread at least this time, in nanoseconds."""
WORTH_AWAKE = 10_000
"""While they are awake, shorter steps are shared too, from this time on, in nanoseconds."""
LEAST = 4_000
"""The least time of a chunk in nanoseconds: claiming one costs a hundred."""
CHUNKS = 8
"""The most chunks per thread: threads finish within about one chunk of each other."""
UNITS_A_THREAD = 4
"""The units per thread that a step should have: with two, one late thread would cost half of the time."""
MEETING, MEETING_A_THREAD = 600, 100
"""The cost of a shared step in nanoseconds, and that of each thread."""


def waves(chunks: int, threads: int) -> int:
    """How many chunks some thread does, one after the other."""
    return -(-chunks // threads)


def shared_time(nanoseconds: float, chunks: int, threads: int) -> float:
    """The time of a step on several threads, in nanoseconds.

    Parameters
    ----------
    nanoseconds : its time on one thread
    chunks : the number of its chunks, of which each takes the same time
    threads : how many take part
    """
    if threads == 1:
        return nanoseconds
    alone = nanoseconds / chunks * waves(chunks, threads)
    return alone + MEETING + MEETING_A_THREAD * threads


def wanted_units(nanoseconds: float, threads: int) -> int:
    """The number of units that a step should have: some for each thread, none shorter than a chunk may be."""
    return min(UNITS_A_THREAD * threads, int(nanoseconds) // LEAST)


def useful_threads(nanoseconds: float, chunks: int, threads: int) -> int:
    """The number of threads, at most so many, with which a step is fastest.

    With fewer than all, no thread has more chunks to do: 16 of them take 12 threads as long as 8.
    """
    paying = max(isqrt(int(nanoseconds) // MEETING_A_THREAD), 2)
    most = max(min(threads, paying, chunks), 1)
    return -(-chunks // waves(chunks, most))
