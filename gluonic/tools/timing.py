"""Timing a model in a process of its own: ``python -m gluonic.tools.timing``, started by ``gluonic bench``.

It reads what to time as JSON from standard input, and writes the times, in seconds, to standard output.
"""

import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gluonic.tools.models import Model

LEAST_CALLS = 5


def main() -> None:
    """Answer one request."""
    request: Mapping[str, Any] = json.load(sys.stdin)
    shapes = {name: tuple(shape) for name, shape in request["shapes"].items()}
    model = Model(Path(request["network"]), request["params"], shapes, drawn=True)
    data = model.sample(request["batch"])
    model(data)  # draws parameters, and compiles
    calls: dict[str, Callable[[], None]] = {
        "eager": lambda: _finish(results for _, results in model.eagerly(data)),
        "hybridized": lambda: _finish([model(data)]),
    }
    json.dump(_times(calls[request["mode"]], request["seconds"]), sys.stdout)


def _finish(results: Any) -> None:
    for arrays in results:
        last = arrays
    last[0].wait_to_read()


def _times(call: Callable[[], None], seconds: float) -> list[float]:
    """The times of calls until the seconds are over; of the first calls, which prepare, none counts."""
    for _ in range(2):
        call()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < LEAST_CALLS or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return times


if __name__ == "__main__":
    main()
