"""Load damaged files for as long as one likes: each must load or raise an error of gluonic, soon.

``python -m tests.face.damaged_files --minutes 5 --seed 1`` damages files of all kinds that gluonic reads, or
of some (``--kinds states graph``). Failures are a process that ends, a hang, memory without bounds, errors
other than gluonic's, whatever Python reports on the way, and what was loaded of a file that was refused.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from gluonic.graph.errors import MXNetError
from tests.face.file_kinds import KINDS

_SECONDS, _WAITED, _MEMORY = 10, 100, 3 << 30  # for one file: of the processor, of the clock, bytes
_FEW = 500  # files between reports


class Hang(BaseException):
    """Raised by the alarm."""


def _alarm(number: int, frame: Any) -> None:
    raise Hang


class Loading:
    """Damages and loads files in a process of its own, and reports what becomes of them."""

    def __init__(self, kinds: list[str], folder: Path, reports: Connection, position: Any) -> None:
        self.folder, self.reports, self.position = folder, reports, position
        self.kinds = kinds
        self.whole = {name: KINDS[name].make(folder) for name in kinds}
        self.noted: list[str] = []

    def run(self, seed: int, end: float, last: int) -> None:
        """Load files until a time, or the last of them."""
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        signal.signal(signal.SIGALRM, _alarm)
        signal.signal(signal.SIGPROF, _alarm)
        sys.excepthook = lambda *report: self.noted.append(repr(report))
        sys.unraisablehook = lambda report: self.noted.append(repr(report))
        counts: Counter[tuple[str, str]] = Counter()
        while time.monotonic() < end and seed < last:
            self.position.value = seed
            counts[self.outcome(seed)] += 1
            seed += 1
            if sum(counts.values()) == _FEW:
                self.reports.send(counts)
                counts = Counter()
        self.reports.send(counts)
        self.position.value = seed
        self.reports.send(None)

    def outcome(self, seed: int) -> tuple[str, str]:
        """Damage a file and load it: its kind, and how that ended."""
        draw = random.Random(seed)
        name = draw.choice(self.kinds)
        kind = KINDS[name]
        damaged = draw.choice(kind.damages)(draw.choice(self.whole[name]), draw)
        try:
            signal.alarm(_WAITED)
            signal.setitimer(signal.ITIMER_PROF, _SECONDS)
            kind.use(self.folder, damaged)
            ending = "loaded"
        except MXNetError as error:
            ending = type(error).__name__
        except (Exception, Hang):
            ending = f"FAILURE with seed {seed}\n{traceback.format_exc()[-2500:]}"
        finally:
            signal.alarm(0)
            signal.setitimer(signal.ITIMER_PROF, 0)
        if self.noted:
            ending, self.noted = f"FAILURE with seed {seed}: Python reports {self.noted}", []
        return name, ending


def _load(*arguments: Any) -> None:
    *made, seed, end, last = arguments
    Loading(*made).run(seed, end, last)


def supervised(kinds: list[str], seed: int, end: float, last: int) -> Counter[tuple[str, str]]:
    """Load files in processes, one after the other ends or hangs; how many ended how."""
    context = multiprocessing.get_context("fork")
    position = context.Value("q", seed, lock=False)
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end and position.value < last:
            reading, writing = context.Pipe(duplex=False)
            arguments = kinds, Path(folder), writing, position, position.value, end, last
            process = context.Process(target=_load, args=arguments)
            process.start()
            writing.close()
            if not _received(reading, counts):
                process.kill()
                process.join()
                counts["?", f"FAILURE: the process ended, or hung, with seed {position.value}"] += 1
                position.value += 1
            process.join()
    return counts


def _received(reports: Connection, counts: Counter[tuple[str, str]]) -> bool:
    """Take reports until the last; whether it came."""
    while reports.poll(_SECONDS * _FEW):
        try:
            report = reports.recv()
        except EOFError:
            return False
        if report is None:
            return True
        for (kind, ending), count in report.items():
            if ending.startswith("FAILURE"):
                print(kind, ending, flush=True)
            counts[kind, ending] += count
    return False


def main() -> int:
    """Damage and load; return how many failures were found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--files", type=int, default=sys.maxsize, help="at most so many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    chosen = parser.parse_args()
    end = time.monotonic() + 60 * chosen.minutes
    counts = supervised(chosen.kinds, chosen.seed, end, chosen.seed + chosen.files)
    failures = 0
    for (kind, ending), count in sorted(counts.items()):
        if ending.startswith("FAILURE"):
            failures += count
        else:
            print(f"{count:8,} {kind:12} {ending}")
    print(f"{sum(counts.values()):8,} files, {failures} failures")
    return failures


if __name__ == "__main__":
    sys.exit(bool(main()))
