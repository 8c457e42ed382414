"""Try gluonic on this machine's GPU: the driver, all operators, random nets, races, benchmarks.

    python -m tests.gpu                                   # under four minutes
    GLUONIC_GPU=emulated python -m tests.gpu --small      # without a GPU, with tiny sizes
    python -m tests.gpu --only driver,benchmarks

Each part runs in processes of its own, within its own time, and the rest goes on after one that fails. A table
at the end names what is not ok; all rows go to ``--json FILE``, by default ``gpu.json`` in the folder ``$OUT``.

The parts need pytest and hypothesis, besides what gluonic needs. For a machine without network:
``pip install --target packages --python-version 3.12 --only-binary=:all: pytest hypothesis threadpoolctl tqdm``
elsewhere, and ``PYTHONPATH=packages`` there.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.gpu.report import FAILED, OK, SKIPPED, Report, Row, read


class Plan(NamedTuple):
    """When a part runs.

    Attributes
    ----------
    place : the module and the function
    seconds : the most it may take
    shares : the number of processes that divide its work
    group : parts of one group run at the same time
    variables : what is set in its environment
    """

    place: str
    seconds: float
    shares: int
    group: int
    variables: Mapping[str, str] = {}


PARTS = {
    "facts": Plan("driver_checks:facts", 20, 1, 0),
    "driver": Plan("driver_checks:whole", 30, 1, 1),
    "faults": Plan("driver_checks:faults", 20, 1, 2),
    "operators": Plan("operators:whole", 70, 8, 3),
    "nets": Plan("nets:whole", 70, 3, 3),
    "repetitions": Plan("repetitions:whole", 70, 1, 3),
    "benchmarks": Plan("benchmarks:whole", 95, 1, 4),
    "launches": Plan("benchmarks:without_graphs", 40, 1, 5, {"GLUONIC_GPU_GRAPHS": "0"}),
    "products": Plan("products:whole", 110, 1, 6),
    "choices": Plan("product_choices:whole", 40, 1, 7),
    "training": Plan("training:whole", 60, 1, 9, {"GLUONIC_GPU_EMULATED_MEMORY": "48"}),
    "torch": Plan("torch_workloads:whole", 40, 1, 8),
}
_LONGER_EMULATED = 10
"""How many times longer parts may take on the emulator."""


class _EndedError(Exception):
    """Somebody wants this program to end; what was found until then is shown."""


def _end(signal_number: int, frame: object) -> None:
    raise _EndedError


class _Running:
    """A process of a part."""

    def __init__(self, part: str, share: int, folder: Path, *, small: bool, shares: int) -> None:
        self.part, self.share = part, share
        self.file, self.output = (folder / f"{part}{share}.{end}" for end in ("json", "txt"))
        command = [sys.executable, "-m", "tests.gpu", "--part", part, "--file", str(self.file)]
        command += ["--share", str(share), "--shares", str(shares)] + ["--small"] * small
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                command,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **PARTS[part].variables},
            )

    def rows(self, end: float) -> list[Row]:
        """What the process found until a time; it is ended then."""
        said = ""
        try:
            status = self.process.wait(max(0.1, end - time.monotonic()))
            said = f"the process ended with status {status}" if status else ""
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            said = "there was no time for all"
        rows = read(self.file)
        if said:
            last = " | ".join(self.output.read_text().splitlines()[-6:])
            rows.append(Row(self.part, f"process {self.share}", FAILED, {}, f"{said}: {last}"))
        return rows


def _run(chosen: Sequence[str], *, small: bool, processes: int) -> Iterator[list[Row]]:
    """Run the parts; yield the rows of each group."""
    with tempfile.TemporaryDirectory() as folder:
        for group in sorted({PARTS[part].group for part in chosen}):
            parts = [part for part in chosen if PARTS[part].group == group]
            start, rows = time.monotonic(), list[Row]()
            running = [
                _Running(part, share, Path(folder), small=small, shares=shares)
                for part in parts
                for shares in [max(1, min(PARTS[part].shares, processes))]
                for share in range(shares)
            ]
            factor, is_over = _LONGER_EMULATED if small else 1, False
            for one in running:
                try:
                    rows += one.rows(0 if is_over else start + factor * PARTS[one.part].seconds)
                except _EndedError:
                    is_over = True
                    rows += one.rows(0)
            taken = time.monotonic() - start
            rows.append(Row("time", "+".join(parts), OK, {"seconds": round(taken, 1)}))
            yield rows
            if is_over:
                return


def _lines(rows: Sequence[Row]) -> Iterator[str]:
    """A table: what was measured and what is not ok."""
    for part in dict.fromkeys(row.part for row in rows):
        yield f"\n== {part}"
        for row in rows:
            if row.part != part or (row.status == OK and not row.figures):
                continue
            figures = " ".join(f"{name}={value}" for name, value in row.figures.items())
            yield f"{row.status:8}{row.name:32} {figures} {row.detail}".rstrip()


def _summary(rows: Sequence[Row]) -> Iterator[str]:
    """Nets beside PyTorch, and how many rows there are of each kind."""
    yield "\n== microseconds a call: alone until the result is there, in a row; without graphs; PyTorch"
    ours, launches, theirs = (
        {row.name: row.figures for row in rows if row.part == part and "latency_us" in row.figures}
        for part in ("benchmarks", "launches", "torch")
    )
    for name in ours:
        columns = [
            f"{figures[name]['latency_us']:10} {figures[name]['in_a_row_us']:10}"
            if name in figures
            else " " * 21
            for figures in (ours, launches, theirs)
        ]
        yield f"{name:20}" + " |".join(columns)
    yield "\n== rows"
    for part in dict.fromkeys(row.part for row in rows):
        counts = Counter(row.status for row in rows if row.part == part)
        yield f"{part:14}" + " ".join(f"{status} {number}" for status, number in counts.items())


def main() -> int:
    """Run the parts, or one of them; the status is 1 if something is not ok."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", default=",".join(PARTS), help="parts, separated by commas")
    parser.add_argument("--small", action="store_true", help="tiny sizes, for the emulator")
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, help="at once, a part"
    )
    folder = os.environ.get("OUT")
    target = None if folder is None else Path(folder) / "gpu.json"
    parser.add_argument("--json", type=Path, default=target, help="a file for all rows")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--share", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--shares", type=int, default=1, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        report = Report(
            options.part,
            options.file,
            small=options.small,
            share=options.share,
            shares=options.shares,
        )
        module, _, function = PARTS[options.part].place.partition(":")
        getattr(importlib.import_module(f"tests.gpu.{module}"), function)(report)
        return 0
    signal.signal(signal.SIGTERM, _end)
    chosen = options.only.split(",")
    rows: list[Row] = []
    for group in _run(chosen, small=options.small, processes=options.processes):
        print("\n".join(_lines(group)), flush=True)
        rows += group
        if options.json is not None:  # now, in case that the rest comes too late
            options.json.write_text(json.dumps([row._asdict() for row in rows], indent=1))
    print("\n".join(_summary(rows)))
    return int(any(row.status not in (OK, SKIPPED) for row in rows))


if __name__ == "__main__":
    sys.exit(main())
