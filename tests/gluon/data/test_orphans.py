"""Workers end with the process that started them, even when busy."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    not hasattr(os, "pidfd_open"), reason="needs descriptors of processes"
)
_LOADING = '''
import multiprocessing
import os
import sys
from gluonic.gluon.data import DataLoader

class Numbers:
    """The sixth sample is never there."""

    def __len__(self):
        return 8

    def __getitem__(self, index):
        if index == 5:
            report("busy")
            os.read(os.pipe()[0], 1)
        return index

def report(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())

def main(doing, method):
    if method != "fork":
        multiprocessing.get_all_start_methods = lambda: [method]
        multiprocessing.set_start_method(method)
    loader = DataLoader(Numbers(), 1, num_workers=2, prefetch=8 if doing == "busy" else 2)
    batches = iter(loader)
    next(batches)
    report("workers", *[child.pid for child in multiprocessing.active_children()])
    if doing == "sibling" and os.fork() == 0:
        report("sibling", os.getpid())
        os.read(os.pipe()[0], 1)
    report("idle")
    os.read(os.pipe()[0], 1)

if __name__ == "__main__":
    main(*sys.argv[1:])
'''


@contextmanager
def loading(script: Path, doing: str, method: str) -> Iterator[tuple[int, list[int], list[int]]]:
    """A process with workers: its number, those of its workers, and of its other children."""
    script.write_text(_LOADING)
    with subprocess.Popen([sys.executable, script, doing, method], stdout=-1, text=True) as process:
        assert process.stdout is not None
        reported: dict[str, list[int]] = {}
        while doing not in reported or "workers" not in reported:
            word, *numbers = process.stdout.readline().split()
            reported[word] = [int(number) for number in numbers]
        try:
            yield process.pid, reported["workers"], reported.get("sibling", [])
        finally:
            for pid in (process.pid, *reported["workers"], *reported.get("sibling", [])):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def ends(pid: int) -> bool:
    """Whether a process ends within half a minute."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], 30)[0])
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize(
    ("doing", "method"),
    [
        ("idle", "fork"),
        ("busy", "fork"),
        ("sibling", "fork"),
        ("busy", "spawn"),
        ("busy", "forkserver"),
    ],
)
def test_workers_end_with_the_process_that_started_them(
    tmp_path: Path, doing: str, method: str, end: signal.Signals
) -> None:
    with loading(tmp_path / "loading.py", doing, method) as (parent, workers, _):
        assert len(workers) == 2
        os.kill(parent, end)
        assert all(ends(worker) for worker in workers)


def test_workers_go_on_while_their_parent_lives(tmp_path: Path) -> None:
    with loading(tmp_path / "loading.py", "busy", "fork") as (_, workers, _):
        descriptors = [os.pidfd_open(worker) for worker in workers]
        assert not select.select(descriptors, [], [], 0)[0]
        for descriptor in descriptors:
            os.close(descriptor)
