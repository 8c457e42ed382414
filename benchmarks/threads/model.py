"""The model's prediction beside the shortest measured call: milliseconds by number of threads.

usage: python -m benchmarks.threads.model RESULTS, a file that `python -m benchmarks.threads --json` wrote

A step takes the time that one thread was measured to need, divided as `gluonic.codegen.machine.scaling` says:
by whole waves of chunks, with a cost for each thread that takes part. Steps follow each other.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gluonic.codegen.machine.scaling import shared_time

Rows = Sequence[dict[str, Any]]


def predicted(times: Sequence[float], steps: Sequence[Sequence[Any]]) -> float:
    """The milliseconds of a call.

    Parameters
    ----------
    times : the microseconds of each step on one thread
    steps : for each step the units, the chunks and the threads of each phase
    """
    total = 0.0
    for time, (units, chunks, threads) in zip(times, steps, strict=True):
        whole = max(sum(units), 1)
        for phase in zip(units, chunks, threads, strict=True):
            count, *division = phase
            total += shared_time(time * 1e3 * count / whole, *division)
    return total / 1e6


def compared(rows: Rows) -> Iterator[str]:
    """For each net whose steps were timed on one thread, what is predicted, and the shortest call."""
    for alone in rows:
        if alone["kind"] != "steps" or alone["threads"] != 1:
            continue
        name, times = alone["name"], [step["us"] for step in alone["steps"]]
        divisions = {r["threads"]: r["steps"] for r in rows if _is(r, "units", name)}
        measured = {r["threads"]: r["min"] for r in rows if _is(r, "time", name)}
        between = max(measured.get(1, 0.0) - sum(times) / 1e3, 0.0)
        for threads, steps in divisions.items():
            if len(steps) == len(times):
                time = predicted(times, steps) + between
                real = f"{measured[threads]:8.2f}" if threads in measured else "       -"
                yield f"{name:14s} {threads:3d} threads: predicted {time:8.2f} ms, measured {real}"


def _is(row: dict[str, Any], kind: str, name: str) -> bool:
    return (row["kind"], row.get("name")) == (kind, name)


if __name__ == "__main__":
    print("\n".join(compared(json.loads(Path(sys.argv[1]).read_text()))))
