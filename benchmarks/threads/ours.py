"""Measurements of gluonic with different numbers of threads, in one process; prints a line of JSON for each."""

import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import gluonic as mx
from benchmarks.threads.meeting import costs_of_sharing
from benchmarks.threads.nets import NETS, Call, Workload
from gluonic.codegen.machine import workers

_SECONDS, _LEAST = 0.5, 5
"""How long a call is repeated, and how often at least."""
MODELLED = (1, 2, 4, 8, 12, 16, 32, 64)
"""The numbers of threads for which the model predicts times."""
_PROFILED = 6
"""The calls whose steps are timed."""
_STEPPED = ("resnet50", "mobilenet", "resnet18 step")
"""The workloads whose steps are timed."""


def report(**row: Any) -> None:
    """Print a line of JSON."""
    print(json.dumps(row), flush=True)


def use(threads: int) -> None:
    """Let what is compiled from now on be for so many threads."""
    os.environ["GLUONIC_NUM_THREADS"] = str(threads)


def milliseconds(call: Call, seconds: float = _SECONDS) -> dict[str, float]:
    """The shortest, the median and the tenth longest milliseconds of calls in a row."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < _LEAST:
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    times.sort()
    last = times[len(times) * 9 // 10]
    return {"min": times[0], "median": statistics.median(times), "late": last}


def steps_of(call: Call) -> list[dict[str, Any]]:
    """The steps of a call with the shortest microseconds of each."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "profile.json")
        mx.profiler.set_config(profile_all=True, filename=str(file))
        call()
        runs = []
        for _ in range(_PROFILED):
            mx.profiler.set_state("run")
            call()
            mx.profiler.set_state("stop")
            mx.profiler.dump()
            runs.append(_steps_in(json.loads(file.read_text())))
    length = statistics.mode(map(len, runs))
    alike = [run for run in runs if len(run) == length]
    return [
        {**same[0], "us": min(step["us"] for step in same)} for same in zip(*alike, strict=True)
    ]


def _steps_in(profile: Any) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    open_steps: dict[Any, Any] = {}
    events = profile["traceEvents"] if isinstance(profile, dict) else profile
    for event in events:
        if event.get("cat") != "operator":
            continue
        key = event["name"], event.get("tid")
        if event["ph"] == "B":
            open_steps[key] = event
        elif event["ph"] in "EX":
            first = open_steps.pop(key, event)
            length = event["dur"] if event["ph"] == "X" else event["ts"] - first["ts"]
            details = {**first.get("args", {}), **event.get("args", {})}
            shapes = {"shape": details.get("shape"), "inputs": details.get("inputs")}
            steps.append({"name": event["name"][:48], "at": first["ts"], "us": length, **shapes})
    steps.sort(key=lambda step: step.pop("at"))
    return steps


def units_of(workload: Workload) -> list[list[Any]]:
    """For each step of a call: its units, the chunks that threads claim and the most threads, of each phase."""
    kernels = workload.net.explain(workload.input).kernels
    sharings = [step.sharing for step in kernels if not step.reason and step.sharing is not None]
    return [[list(s.units), list(s.chunks), list(s.threads)] for s in sharings]


def throughput(call: Call, callers: int, seconds: float = 1.0) -> float:
    """The calls a second of several Python threads that call at once."""
    counts, start = [0] * callers, threading.Barrier(callers + 1)

    def repeat(number: int) -> None:
        call()
        start.wait()
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            call()
            counts[number] += 1

    threads = [threading.Thread(target=repeat, args=(number,)) for number in range(callers)]
    for thread in threads:
        thread.start()
    start.wait()
    begin = time.perf_counter()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - begin)


def report_units(workloads: dict[str, Workload]) -> None:
    """Report how steps would be divided for many numbers of threads: nothing is run for that."""
    with patch.object(workers, "available_processors", return_value=max(MODELLED)):
        for name, workload in workloads.items():
            for threads in () if workload.trains else MODELLED:
                use(threads)
                workload.compiled(calls=0)
                report(kind="units", name=name, threads=threads, steps=units_of(workload))


def main(counts: Sequence[int], only: Sequence[str], stepped: Sequence[int]) -> None:
    """Measure everything, what matters most first."""
    workloads = {name: Workload(name) for name in only}
    for threads in sorted(counts, key=lambda n: (-n, n)):
        use(threads)
        if threads > 1:
            report(kind="sharing", threads=threads, **costs_of_sharing(threads))
    first = [max(counts), *sorted(counts)[:-1]]
    for threads in first:
        use(threads)
        for name in only:
            report(
                kind="time", name=name, threads=threads, **milliseconds(workloads[name].compiled())
            )
    for name in only:
        for threads in stepped if name in _STEPPED else ():
            use(threads)
            steps = steps_of(workloads[name].compiled())
            report(kind="steps", name=name, threads=threads, steps=steps)
    for name in only:
        if workloads[name].trains or name == "chain":
            continue
        for threads, callers in ((1, 1), (1, max(counts)), (max(counts), max(counts))):
            use(threads)
            rate = throughput(workloads[name].compiled(), callers)
            report(kind="callers", name=name, threads=threads, callers=callers, rate=rate)
    report_units(workloads)


if __name__ == "__main__":
    choices = json.loads(sys.argv[1])
    main(choices["counts"], choices["only"] or [*NETS], choices["stepped"])
