"""A simulation of threads that share the steps of a net, beside what sixteen cores were measured to take.

usage: python -m benchmarks.threads.simulation

`sixteen_cores.json` has the measurements of 2026-11-27, made with the workers of that day, and how steps were
and are divided there (chunks and threads of each step, by number of threads). Each step takes its estimated
time, scaled such that one thread takes as long as measured, but not less than its bytes need. Nothing is fitted
but how often a worker was on the caller's core.
"""

import heapq
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gluonic.codegen.machine.scaling import MEETING, MEETING_A_THREAD

_DATA = Path(__file__).with_name("sixteen_cores.json")
_CALLS = 30
_BETWEEN, _WATCH = 30.0, 500.0
"""The microseconds between calls, and those for which an idle worker spins before it sleeps."""
_WAKING, _RISING = 4.0, 50.0
"""The microseconds that it takes to wake a worker, and until it begins."""
_BYTES = 100e3
"""The bytes that all threads move in a microsecond: what the chain of element-wise operators reached."""
_SPREAD = 0.03
"""The standard deviation of a chunk's time."""
_PATIENCE, _NAP = 30.0, 110.0
"""The microseconds that a caller spins for late workers, and those of each sleep after that."""


class Habits(NamedTuple):
    """What makes callers work alone.

    Attributes
    ----------
    collisions : the part of jobs during which some worker is on the caller's core
    aside : the microseconds that callers then work alone
    rest : after waiting longer than half of a job, for how many times as long
    """

    collisions: float
    aside: float
    rest: float


BEFORE, NOW = Habits(0.1, 1000.0, 16.0), Habits(0.0, 0.0, 0.0)


class Simulation:
    """Calls of a net on so many threads, with the same random numbers each time.

    Parameters
    ----------
    times : the microseconds of each step on one thread
    sizes : the bytes that each step reads and writes
    division : the chunks of each step, and its threads
    habits : what makes callers work alone
    """

    def __init__(
        self,
        times: Sequence[float],
        sizes: Sequence[int],
        division: Sequence[Sequence[int]],
        habits: Habits,
    ) -> None:
        self._steps = list(zip(times, sizes, *division, strict=True))
        self._habits, self._random = habits, random.Random(1)
        self._now, self._alone_until, self._last_job = 0.0, 0.0, -_WATCH

    def milliseconds(self) -> float:
        """The mean time of a call."""
        total = 0.0
        for _ in range(_CALLS):
            begin = self._now
            for time, size, chunks, threads in self._steps:
                if threads == 1 or self._now < self._alone_until:
                    self._now += time
                else:
                    self._job(time / chunks, chunks, threads, size / _BYTES)
            total += self._now - begin
            self._now += _BETWEEN
        return total / _CALLS / 1e3

    def _job(self, chunk: float, chunks: int, threads: int, least: float) -> None:
        """Share a step of so many chunks that takes at least some time."""
        habits = self._habits
        free = self._begins(threads)
        if self._random.random() < habits.collisions:
            free.pop()
            self._alone_until = self._now + habits.aside
        queue = [(begin, number) for number, begin in enumerate(free)]
        heapq.heapify(queue)
        end = 0.0
        for _ in range(chunks):
            begin, number = queue[0]
            done = begin + chunk * (1 + abs(self._random.gauss(0, _SPREAD)))
            heapq.heapreplace(queue, (done, number))
            end = max(end, done)
        own = next(time for time, number in queue if number == 0)
        end = max(end, own)
        patience = max(_PATIENCE, own / 2)
        if habits.rest and end - own > patience:
            waited = patience + -(-(end - own - patience) // _NAP) * _NAP
            end = own + waited
            self._alone_until = max(self._alone_until, self._now + end + habits.rest * waited)
        self._now += max(end, least) + (MEETING + MEETING_A_THREAD * threads) / 1e3
        self._last_job = self._now

    def _begins(self, threads: int) -> list[float]:
        """When each thread begins, the caller first."""
        if self._now - self._last_job > _WATCH:
            woken = [_RISING + _WAKING * number for number in range(1, threads)]
            return [_WAKING * (threads - 1), *woken]
        return [0.0, *(self._random.uniform(0.3, 1.5) for _ in range(1, threads))]


def table(net: dict[str, Any]) -> list[tuple[int, float | None, float, float]]:
    """For each number of threads: what was measured, what was to be expected then, and what is now."""
    scale = net["measured"]["1"] * 1e3 / sum(net["estimates"])
    times = [time * scale for time in net["estimates"]]
    rows = []
    for threads in net["now"]:
        before = Simulation(times, net["bytes"], net["before"][threads], BEFORE).milliseconds()
        now = Simulation(times, net["bytes"], net["now"][threads], NOW).milliseconds()
        rows.append((int(threads), net["measured"].get(threads), before, now))
    return rows


def main() -> None:
    """Print the tables."""
    data = json.loads(_DATA.read_text())
    print(f"{data['machine']}; {data['unit']}")
    for name, net in data["nets"].items():
        print(
            f"\n{name}\nthreads  measured  predicted before  predicted now  ONNX Runtime, measured"
        )
        for threads, measured, before, now in table(net):
            real = "-" if measured is None else f"{measured:.1f}"
            peer = net["peer"].get(str(threads), "-")
            print(f"{threads:7d}  {real:>8s}  {before:16.1f}  {now:13.2f}  {peer!s:>22s}")


if __name__ == "__main__":
    main()
