"""How many cores this process may use: those that it may run on, as far as its container grants their time."""

import math
import os
from functools import cache
from pathlib import Path

_SYSTEM = Path("/sys")


@cache
def available_cores(system: Path = _SYSTEM) -> int:
    """How many threads can compute at the same time without taking turns.

    Two threads of one core count once: arithmetic keeps a core busy that has a single one.

    Parameters
    ----------
    system : where Linux tells of processors (``devices/system/cpu``) and of a container's share (``fs/cgroup``)
    """
    return _at_most_granted(_cores(system / "devices/system/cpu", _processors()), system)


@cache
def available_processors(system: Path = _SYSTEM) -> int:
    """How many threads can run at the same time: like `available_cores`, but each thread of a core counts."""
    return _at_most_granted(len(_processors()), system)


def _at_most_granted(count: int, system: Path) -> int:
    """The number, or fewer if a container grants less time."""
    granted = _granted(system / "fs/cgroup")
    return max(1, count if granted is None else min(count, math.ceil(granted)))


def _processors() -> list[int]:
    """The numbers of the processors that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _cores(folder: Path, processors: list[int]) -> int:
    """How many cores these processors are threads of."""
    files = (folder / f"cpu{number}/topology/thread_siblings_list" for number in processors)
    return len({_text(file) or str(file) for file in files})


def _granted(folder: Path) -> float | None:
    """How many processors' time a container may use: cgroups of version 2, or 1; None if it is not limited."""
    limit = (_text(folder / "cpu.max") or "").split()
    if not limit:
        names = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
        limit = [_text(folder / "cpu" / name) or "" for name in names]
    if len(limit) == 2 and all(number.isdigit() and int(number) > 0 for number in limit):
        quota, period = map(int, limit)
        return quota / period
    return None


def _text(file: Path) -> str | None:
    """What a small file says; None if it is not there or not for us."""
    try:
        return file.read_text().strip()
    except OSError:
        return None
