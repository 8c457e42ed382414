"""A program that trains on several ranks, saves checkpoints and resumes from them; and a loop that kills it.

    python -m tests.distributed.interrupted --times 50

kills a rank at random moments, starts the program again from its last checkpoint with another number of ranks,
and reports whether all ranks ended in time, whether they gave the reason, and whether the losses are those of
an undisturbed run.
"""

import argparse
import json
import os
import random
import re
import signal
import sys
import tempfile
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.distributed import world
from gluonic.gluon import nn
from gluonic.graph.files import write_atomically
from tests.distributed.ranks import output, start

BATCH, STEPS, EVERY = 12, 60, 5
_PATIENCE = 30.0
"""The seconds that a process may take to exit after mpirun has ended it."""


def train(folder: Path, pause: float = 0.0) -> None:
    """Train from the last checkpoint on; rank 0 writes what each step's loss was."""
    group = world().group
    part = slice(group.rank, None, group.size)
    x = np.random.default_rng(0).standard_normal((BATCH, 6)).astype("f4")
    net, loss = nn.HybridSequential(prefix="net_"), gluon.loss.L2Loss()
    with net.name_scope():
        net.add(nn.Dense(8, "tanh", in_units=6), nn.Dense(1, in_units=8))
    mx.random.seed(1)
    net.initialize(mx.init.Xavier())
    net.hybridize()
    trainer = gluon.Trainer(
        net.collect_params(), "adam", {"learning_rate": 0.05}, kvstore="dist_sync"
    )
    begin = _resume(folder, net, trainer)
    with (folder / "pids").open("a") as pids:
        pids.write(f"{group.rank} {os.getpid()}\n")
    for step in range(begin, STEPS):
        with autograd.record():
            found = loss(net(nd.array(x[part])), nd.array(x[part].sum(1)))
        found.backward()
        trainer.step(BATCH)
        parts = group.gather(found.sum().reshape((1,)).asnumpy(), lambda: "the losses")
        if group.rank == 0:
            with (folder / "losses").open("a") as losses:
                losses.write(f"{step} {float(np.sum(parts))!r}\n")
            if (step + 1) % EVERY == 0:
                _save(folder, net, trainer, step + 1)
        sleep(pause)


def _save(folder: Path, net: Any, trainer: Any, step: int) -> None:
    net.save_parameters(str(folder / f"{step}.params"))
    trainer.save_states(str(folder / f"{step}.states"))
    write_atomically(folder / "latest", json.dumps(step).encode())


def _resume(folder: Path, net: Any, trainer: Any) -> int:
    if not (folder / "latest").exists():
        return 0
    step: int = json.loads((folder / "latest").read_text())
    net.load_parameters(str(folder / f"{step}.params"))
    trainer.load_states(str(folder / f"{step}.states"))
    return step


def losses_of(folder: Path) -> dict[int, float]:
    """The loss of each step, as it was computed last."""
    lines = (folder / "losses").read_text().splitlines() if (folder / "losses").exists() else []
    pairs = [line.split() for line in lines]
    return {int(pair[0]): float(pair[1]) for pair in pairs if len(pair) == 2}


def processes_of(folder: Path) -> list[tuple[int, int]]:
    """The ranks that have begun, and their processes."""
    file = folder / "pids"
    lines = file.read_text().splitlines() if file.exists() else []
    return [(int(a), int(b)) for a, b in (line.split() for line in lines if line.count(" ") == 1)]


def begin(folder: Path, count: int, pause: float = 0.0) -> Any:
    """Start the program."""
    (folder / "pids").unlink(missing_ok=True)
    command = (
        "-m",
        "tests.distributed.interrupted",
        "--folder",
        str(folder),
        "--pause",
        str(pause),
    )
    return start(count, *command)


def is_alive(process: int) -> bool:
    """Whether a process is still there."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def kill_once(folder: Path, count: int, moment: float) -> tuple[float, str, int]:
    """Kill a rank some time after the first step: how long the others took, their output, and its number."""
    launched = begin(folder, count, pause=0.02)
    while not losses_of(folder):
        assert launched.poll() is None, output(launched)
        sleep(0.01)
    sleep(moment)
    rank, process = random.choice(processes_of(folder))
    os.kill(process, signal.SIGKILL)
    since = monotonic()
    printed = output(launched)
    took = monotonic() - since
    for _, other in processes_of(folder):
        while is_alive(other):  # one that mpirun has just ended may still be exiting
            assert monotonic() < since + _PATIENCE, f"process {other} is left"
            sleep(0.01)
    return took, printed, rank


def main() -> None:
    """Run the program, or disturb it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--times", type=int, default=0)
    options = parser.parse_args()
    if options.folder is not None:
        train(options.folder, options.pause)
        return
    with tempfile.TemporaryDirectory() as temporary:
        output(begin(Path(temporary), 1))
        expected = losses_of(Path(temporary))
    slowest, silent, wrong = 0.0, 0, 0
    for number in range(options.times):
        with tempfile.TemporaryDirectory() as temporary:
            folder, count = Path(temporary), random.choice((2, 3))
            took, printed, rank = kill_once(folder, count, random.uniform(0, 1.2))
            reached = max(losses_of(folder), default=-1)
            output(begin(folder, random.choice((1, 2, 3))))
            found = losses_of(folder)
            reasons = re.findall(
                rf"^gluonic.*Error: .*rank {rank} died .* in step \d+", printed, re.M
            )
            named = len(reasons) >= count - 1
            equal = found.keys() == expected.keys() and all(
                abs(found[step] - expected[step]) < 1e-5 for step in found
            )
            slowest, silent, wrong = max(slowest, took), silent + (not named), wrong + (not equal)
            print(
                f"{number}: rank {rank} of {count} in step {reached + 1}, {took:.1f} s, {named=}, {equal=}"
            )
            if not named:
                print(printed, file=sys.stderr)
    print(f"at most {slowest:.1f} s, {silent} without a reason, {wrong} with other losses")


if __name__ == "__main__":
    main()
