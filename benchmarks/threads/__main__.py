"""Many cores: times of nets, steps, callers and of sharing itself for several numbers of threads.

usage: python -m benchmarks.threads [--threads 1,2,4,16] [--only resnet50,chain] [--json FILE] [--seconds 100]

PyTorch and ONNX Runtime are measured beside where they can be imported (the latter with the package onnx).
`python -m benchmarks.threads.busy` compares one thread with several while another process takes a core.
"""

import argparse
import importlib.util
import json
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.threads.model import compared
from gluonic.support.cpu_count import available_cores

_COUNTS = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64)
_PARTS: tuple[tuple[str, tuple[str, ...], float], ...] = (
    ("ours", (), 0.65),
    ("peers onnxruntime", ("onnxruntime", "onnx"), 0.5),
    ("peers torch", ("torch",), 1.0),
)
"""What is measured: a module with its argument, the packages that it needs, its share of the time left."""


def measured(part: str, choices: dict[str, Any], seconds: float) -> Iterator[dict[str, Any]]:
    """What a part reports within so many seconds, and why it ended if it did not finish."""
    module, *first = part.split()
    command = [sys.executable, "-m", f"benchmarks.threads.{module}", *first, json.dumps(choices)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        errors: list[str] = []
        reader = threading.Thread(target=lambda: errors.extend(child.stderr or ()))
        reader.start()
        timer = threading.Timer(seconds, child.kill)
        timer.start()
        for line in child.stdout:
            yield json.loads(line)
        timer.cancel()
        reader.join()
    if child.returncode:
        last = errors[-1].strip() if errors else f"ended after {seconds:.0f} seconds"
        yield {"kind": "unfinished", "part": part, "why": last}


def described(row: dict[str, Any]) -> str:
    """A line about what was measured."""
    row = dict(row)
    steps = row.pop("steps", None)
    cells = [f"{value:.4g}" if isinstance(value, float) else str(value) for value in row.values()]
    if row["kind"] == "units":
        cells.append(f"{len(steps)} steps")
    elif steps is not None:
        cells.append(f"{len(steps)} steps, {sum(step['us'] for step in steps) / 1e3:.2f} ms")
    return "  ".join(cells)


def machine() -> dict[str, Any]:
    """The processor and the cores."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    model = next((line.split(":")[1].strip() for line in lines if "model name" in line), "")
    return {
        "kind": "machine",
        "processor": model or platform.processor(),
        "cores": available_cores(),
        "load": os.getloadavg()[0],
    }


def slowest_steps(rows: Sequence[dict[str, Any]], count: int = 12) -> Iterator[str]:
    """For each net, the steps that take longest with most threads: microseconds by number of threads."""
    for name in dict.fromkeys(row["name"] for row in rows if row["kind"] == "steps"):
        runs = {
            r["threads"]: r["steps"] for r in rows if r["kind"] == "steps" and r["name"] == name
        }
        most = runs[max(runs)]
        yield f"\n{name}: microseconds with {', '.join(map(str, runs))} threads"
        for number in sorted(range(len(most)), key=lambda i: -most[i]["us"])[:count]:
            times = [f"{run[number]['us']:8.0f}" for run in runs.values() if number < len(run)]
            step = most[number]
            yield f"{''.join(times)}  {step['name']} {step['shape']} < {(step['inputs'] or [])[:2]}"


def main() -> None:
    """Measure, print and write."""
    cores = available_cores()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", default=",".join(str(n) for n in _COUNTS if n <= cores))
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--seconds", type=float, default=100.0)
    options = parser.parse_args()
    counts = [int(n) for n in options.threads.split(",")]
    stepped = [n for n in counts if n in (1, 4, 8, max(counts))]
    only = [name for name in options.only.split(",") if name]
    choices = {"counts": counts, "only": only, "stepped": stepped}
    end, rows = time.monotonic() + options.seconds, [machine()]
    print(described(rows[0]))
    for part, needed, share in _PARTS:
        missing = [name for name in needed if importlib.util.find_spec(name) is None]
        left = (end - time.monotonic()) * share
        if missing:
            print(f"{part}: {' and '.join(missing)} cannot be imported")
            continue
        for row in measured(part, choices, left):
            rows.append(row)
            print(described(row), flush=True)
            if options.json is not None:
                options.json.write_text(json.dumps(rows))
    print("\n".join([*slowest_steps(rows), *compared(rows)]))


if __name__ == "__main__":
    main()
