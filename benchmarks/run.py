"""Measure gluonic, eager and hybridized, beside NumPy and the real MXNet, and draw a bar chart.

    python -m benchmarks.run [--seconds 1] [--only chain] [--mxnet PYTHON] [--chart speed.svg]

Each side of each workload runs in a process of its own; the sides take turns. Quote ratios of one run: absolute
times depend on what else the machine does.
"""

import argparse
import importlib
import statistics
import sys
import time
from pathlib import Path

from benchmarks import chart, workloads
from benchmarks.processes import output_of

SIDES = ("eager", "hybridized", "numpy", "mxnet")


def measure(side: str, workload: str, seconds: float) -> float | None:
    """The median time of a call in microseconds, None where the side has no such workload."""
    if side == "numpy":
        call = workloads.numpy(workload)
    else:
        mx = importlib.import_module("mxnet" if side == "mxnet" else "gluonic")
        call = workloads.gluon(mx, workload, hybridize=side != "eager")
    if call is None:
        return None
    for _ in range(3):
        call()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def in_process(python: str, side: str, workload: str, seconds: float, threads: int) -> float | None:
    """Measure one side in its own process."""
    arguments = ["--measure", side, "--only", workload, "--seconds", str(seconds)]
    try:
        text = output_of(python, __file__, *arguments, threads=threads)
    except RuntimeError as error:
        print(f"{side} {workload}: {error}", file=sys.stderr)
        return None
    return float(text) if text else None


def table(arguments: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Measure everything, printing a row for each workload."""
    found: dict[str, dict[str, float]] = {}
    for workload in workloads.WORKLOADS:
        if arguments.only and arguments.only not in workload:
            continue
        row: dict[str, float] = {}
        for side in SIDES:
            if side == "mxnet" and not arguments.mxnet:
                continue
            python = arguments.mxnet if side == "mxnet" else sys.executable
            value = in_process(python, side, workload, arguments.seconds, arguments.threads)
            if value is not None:
                row[side] = value
        found[workload] = row
        print(
            f"{workload:14}" + "".join(f"{s:>12} {v:10.1f} µs" for s, v in row.items()), flush=True
        )
    return found


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="how long to measure each")
    parser.add_argument("--only", default="", help="workloads whose name has this in it")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--mxnet", default="", help="a Python that has the real MXNet")
    parser.add_argument("--chart", default="", help="where to write the chart, an SVG file")
    parser.add_argument("--measure", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        value = measure(arguments.measure, arguments.only, arguments.seconds)
        print("" if value is None else value)
        return
    found = table(arguments)
    if arguments.chart:
        Path(arguments.chart).write_text(chart.draw(found))
        print(f"chart: {Path(arguments.chart).resolve()}")


if __name__ == "__main__":
    main()
