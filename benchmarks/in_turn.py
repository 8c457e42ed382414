"""Times of cases on gluonic and on the real MXNet in turn, each in its own process: forward, and a step."""

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks.processes import output_of

Calls = Callable[[Any, str], dict[str, Callable[[], Any]]]


def milliseconds(
    call: Callable[[], Any], seconds: float, clock: Callable[[], float] = time.perf_counter
) -> float:
    """The shortest of the calls within some seconds, after two warm-up calls."""
    call(), call()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = clock()
        call()
        times.append(clock() - start)
    return 1e3 * min(times)


def _measured(
    python: str, file: str, side: str, name: str, options: argparse.Namespace
) -> list[float]:
    """Both times of a case, in its own process with one thread; NaN if there is no step."""
    arguments = ["--side", side, "--only", name, "--seconds", str(options.seconds)]
    arguments += ["--processor"] if options.processor else []
    words = output_of(python, file, *arguments).split()
    return [float(word) for word in words[-2:]]


def main(file: str, description: str, names: Iterable[str], calls: Calls) -> None:
    """Print a table.

    Parameters
    ----------
    file : of the program that calls this, which measures one side of a case if it is asked with ``--side``
    names : of the cases
    calls : a case's ``forward`` call, and its ``step`` if it has one, made with the package given
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--mxnet", default="", help="a Python that has the real MXNet")
    parser.add_argument("--only", default="", help="parts of names, separated by commas")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument(
        "--processor", action="store_true", help="count the processor's time, if others use it, too"
    )
    parser.add_argument("--side", choices=["gluonic", "mxnet"], help="measure one case here")
    options = parser.parse_args()
    if options.side:
        found = calls(__import__(options.side), options.only)
        clock = time.process_time if options.processor else time.perf_counter
        for name in ("forward", "step"):
            print(milliseconds(found[name], options.seconds, clock) if name in found else "nan")
        return
    heads = f"{'milliseconds':28}{'forward':>9}{'step':>9}"
    print(heads + (f"{'MXNet: forward':>17}{'step':>9}{'ratios':>14}" if options.mxnet else ""))
    for name in names:
        if not any(part in name for part in options.only.split(",")):
            continue
        own = _measured(sys.executable, file, "gluonic", name, options)
        line = f"{name:28}{own[0]:9.3f}{own[1]:9.3f}"
        if options.mxnet:
            other = _measured(options.mxnet, file, "mxnet", name, options)
            ratios = [a / b for a, b in zip(own, other, strict=True)]
            line += f"{other[0]:17.3f}{other[1]:9.3f}{ratios[0]:8.2f}{ratios[1]:6.2f}"
        print(line, flush=True)
