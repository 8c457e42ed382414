"""Programs before and after ``gluonic modernize``: ``python -m tests.mxnet2.modernized PROGRAM …``.

Each program runs as it is on 1.9.1's names, and modernized on 2.0's, in processes of their own. Seeds are the
same, and NumPy draws the initial values of both, because the initializers of 2.0 draw other numbers. What both
print must be the same, but for times, and for how arrays and numbers without a fraction are written.
docs/mxnet2.md has the figures.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from gluonic.tools.modernizing import modernized

_NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[-+]?\d+)?")
_TIMES = re.compile(r"\d[\d.,]* ?(?:ms|µs|s|sec|seconds|samples a second|samples/s|images/s)\b")
_ARRAYS = re.compile(r"<NDArray [^>]*>|, dtype=\w+|array\(|[\[\](),]")

_START = """
import os, random, sys, mxnet, numpy
for seed in (mxnet.random.seed, numpy.random.seed, random.seed):
    seed(1)
state = numpy.random.RandomState(1)
def draw(self, name, array):
    array[:] = state.uniform(-0.1, 0.1, array.shape)
for kind in (mxnet.init.Xavier, mxnet.init.Uniform, mxnet.init.Normal):
    kind._init_weight = draw
del sys.argv[0]
__file__ = sys.argv[0]
sys.path.insert(0, os.path.dirname(__file__))
exec(compile(os.environ["PROGRAM_TEXT"], __file__, "exec"))
"""


def comparable(printed: str) -> tuple[list[float], str]:
    """The numbers in what a program prints, and the rest."""
    text = _ARRAYS.sub(" ", _TIMES.sub("", printed))
    return [float(number) for number in _NUMBER.findall(text)], " ".join(
        _NUMBER.sub("", text).split()
    )


def run(program: Path, text: str, arguments: list[str], version: str) -> tuple[int, str, str]:
    """Run a text as the program at a path, with the names of a version: its status, and what it prints."""
    here = os.pathsep.join([str(Path.cwd()), os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory() as scratch:
        command = [
            sys.executable,
            "-m",
            "gluonic",
            "--mxnet",
            version,
            "-c",
            _START,
            str(program),
            *arguments,
        ]
        ran = subprocess.run(
            command,
            cwd=scratch,
            env={**os.environ, "PYTHONPATH": here, "PROGRAM_TEXT": text},
            capture_output=True,
            text=True,
            check=False,
        )
    return ran.returncode, ran.stdout, ran.stderr


def verdict(program: Path, arguments: list[str]) -> str:
    """Whether a program computes the same modernized, with what is left to decide."""
    result = modernized(program.read_text())
    told = f"{len(result.changes)} names, {len(result.marks)} marks"
    printed = []
    for version, text in (("1", result.before), ("2", result.after)):
        status, out, errors = run(program, text, arguments, version)
        if status:
            return f"fails on {version}: {errors.strip().splitlines()[-1][:200]} ({told})"
        printed.append(comparable(out))
    (old, old_text), (new, new_text) = printed
    if old_text != new_text or len(old) != len(new):
        return f"prints something else ({told})"
    worst = max((abs(a - b) / (abs(a) + 1e-6) for a, b in zip(old, new, strict=True)), default=0.0)
    same = (
        "the same"
        if worst == 0
        else f"within {worst:.1g}"
        if worst < 1e-3
        else f"differs by {worst:.2g}"
    )
    return f"{same}, {len(old)} numbers ({told})"


def main() -> None:
    """Print a line for each program."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "programs", nargs="+", help="paths, each with arguments behind it, in quotes"
    )
    for one in parser.parse_args().programs:
        path, *arguments = shlex.split(one)
        print(f"{one}: {verdict(Path(path).resolve(), arguments)}", flush=True)


if __name__ == "__main__":
    main()
