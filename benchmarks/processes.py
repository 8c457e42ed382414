"""Running a measurement in its own process, possibly with another Python."""

import os
import subprocess
from pathlib import Path

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "GLUONIC_NUM_THREADS")


def output_of(python: str, file: str, *arguments: str, threads: int = 1) -> str:
    """Run a file of this folder; return its output.

    Raises
    ------
    RuntimeError
        with the last line of its errors, if it fails
    """
    root = str(Path(__file__).resolve().parents[1])
    own = {**dict.fromkeys(_THREADS, str(threads)), "PYTHONPATH": root}
    done = subprocess.run(
        [python, file, *arguments],
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError("".join(done.stderr.strip().splitlines()[-1:]))
    return done.stdout.strip()
