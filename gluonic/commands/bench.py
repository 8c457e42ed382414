"""``gluonic bench MODEL``: times of predictions, eager, hybridized, and in other runtimes."""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

from gluonic.graph.errors import MXNetError
from gluonic.graph.files import write_atomically
from gluonic.graph.threads import thread_count
from gluonic.progress import progress
from gluonic.support.record import record
from gluonic.tools import model_files
from gluonic.tools.bar_chart import Bar, chart
from gluonic.tools.command import Answer, CommandError
from gluonic.tools.models import Model, add_model, model_of

_DEFAULT = ("eager", "hybridized")
_MODES = (*_DEFAULT, "onnxruntime", "pytorch")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the model, and what to vary."""
    add_model(parser)
    model_files.add_options(parser)
    add = parser.add_argument
    add(
        "--modes",
        type=_modes,
        default=_DEFAULT,
        help=f"some of {','.join(_MODES)}, by default {','.join(_DEFAULT)}",
    )
    add("--batch-sizes", type=_counts, metavar="N,N", help="by default that of --shape")
    add("--threads", type=_counts, metavar="N,N", help="by default as many as there are cores")
    add("--seconds", type=float, default=1.0, help="time of each measurement, by default 1")
    add("--output", metavar="FILE.svg", help="draw a chart")


def run(options: argparse.Namespace) -> Answer:
    """Time the combinations one after the other."""
    target = None if options.output is None else Path(options.output)
    if target is not None and target.suffix.lower() != ".svg":
        raise CommandError(f"{target} is no name of a chart", hint="--output times.svg")
    model = model_of(options, drawn=True)
    model.check_shapes()
    times = [*_measured(model, options)]
    if target is not None:
        bars = [Bar(one.title, one.mode, 1000 * one.seconds) for one in times]
        write_atomically(target, chart(bars, "milliseconds a call").encode())
    written = [] if target is None else [str(target)]
    facts = {"times": [one.facts for one in times], "written": written}
    return Answer(facts, [*_table(times), *written])


@record
class _Time:
    """The time of a call."""

    mode: str
    batch: int
    threads: int
    seconds: float
    calls: int

    @property
    def title(self) -> str:
        """What was timed."""
        return f"batch {self.batch}, {self.threads} thread{'s' * (self.threads > 1)}"

    @property
    def facts(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "mode": self.mode,
            "batch": self.batch,
            "threads": self.threads,
            "seconds": self.seconds,
            "calls": self.calls,
        }


def _measured(model: Model, options: argparse.Namespace) -> Iterator[_Time]:
    first = model.shapes[model.data[0]]
    batches = options.batch_sizes or [first[0]]
    threads = options.threads or [thread_count()]
    cases = [*product(batches, threads, options.modes)]
    with progress(len(cases), "measurement") as bar:
        for batch, count, mode in cases:
            times = _in_a_process(options, model, mode, batch, count)
            yield _Time(mode, batch, count, median(times), len(times))
            bar.update()


def _in_a_process(
    options: argparse.Namespace, model: Model, mode: str, batch: int, threads: int
) -> list[float]:
    request = {
        "network": options.model,
        "params": options.params,
        "shapes": model.shapes,
        "mode": mode,
        "batch": batch,
        "seconds": options.seconds,
    }
    ran = subprocess.run(
        [sys.executable, "-m", "gluonic.tools.timing"],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        env={**os.environ, "GLUONIC_NUM_THREADS": str(threads)},
        check=False,
    )
    if ran.returncode:
        reason = (ran.stderr.strip().splitlines() or [f"it ended with status {ran.returncode}"])[-1]
        raise MXNetError(f"{mode}, batch {batch}: {reason}")
    times: list[float] = json.loads(ran.stdout)
    return times


def _table(times: Sequence[_Time]) -> Iterator[str]:
    yield f"{'mode':<12}{'batch':>7}{'threads':>9}{'ms a call':>12}{'samples a second':>18}"
    for one in times:
        rate = one.batch / one.seconds
        yield (
            f"{one.mode:<12}{one.batch:>7}{one.threads:>9}{1000 * one.seconds:>12.3f}{rate:>18,.0f}"
        )


def _counts(text: str) -> list[int]:
    parts = text.split(",")
    if not all(part.isdigit() and int(part) > 0 for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not like 1,8,64")
    return [int(part) for part in parts]


def _modes(text: str) -> list[str]:
    parts = text.split(",")
    if not set(parts) <= set(_MODES):
        raise argparse.ArgumentTypeError(f"{text!r}: the modes are {', '.join(_MODES)}")
    return parts
