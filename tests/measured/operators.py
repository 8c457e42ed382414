"""What the real MXNet computes on the samples of all operators: results, gradients, changed states.

    python -m tests.measured.operators --mxnet PYTHON

writes operators.json again, or with ``--only PATTERN`` its entries for some operators, and missing ones; PYTHON
is that of an environment that has MXNet 1.9.1. It runs in a process of its own, which begins again where MXNet
ends it or does not come back.
"""

from __future__ import annotations

import argparse
import json
import select
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import gluonic as mx
from gluonic import autograd, nd
from gluonic.graph.application import Application
from gluonic.graph.node_attributes import as_text
from gluonic.ndarray.invoke import invoke
from tests.graph.registry_samples import CASES, SAMPLES, Array, application_of, cast, random
from tests.graph.samples.sample import Sample
from tests.measured.operator_faults import NO_GRADIENT

FILE = Path(__file__).with_name("operators.json")
SEED, _PATIENCE = 7, 10


class Use(NamedTuple):
    """A sample of an operator in one dtype."""

    name: str
    number: int
    dtype: str | None

    @property
    def key(self) -> str:
        """How the use is called in the file."""
        return f"{self.name} {self.number} {self.dtype}"

    @property
    def sample(self) -> Sample:
        """The sample."""
        return SAMPLES[self.name][self.number]

    @property
    def application(self) -> Application:
        """The operator with its attributes."""
        return application_of(self.name, self.sample)

    def is_in_training(self) -> bool:
        """The mode; MXNet pools for gradients in training alone, so where it makes no difference, in it."""
        return self.sample.train or self.application.op.run_name is None

    def arrays(self) -> list[Array]:
        """The inputs."""
        return cast(self.sample, self.dtype)

    def wanted(self) -> list[int]:
        """The floating inputs, of which there may be gradients."""
        given = zip(self.application.inputs, self.arrays(), strict=True)
        states = self.application.states
        return [i for i, (n, a) in enumerate(given) if a.dtype.kind == "f" and n not in states]


def uses() -> Iterator[Use]:
    """Every sample in the first of its dtypes, and the first sample of each operator in all of them."""
    for name, number in CASES:
        dtypes = SAMPLES[name][number].dtypes or (None,)
        for dtype in dtypes if number == 0 else dtypes[:1]:
            yield Use(name, number, dtype)


def head(number: int, output: Array) -> Array | None:
    """What flows into an output from behind, if it is a floating one."""
    return (
        random(output.shape, 100 + number).astype(output.dtype)
        if output.dtype.kind == "f"
        else None
    )


def run(use: Use, *, back: bool) -> dict[str, Any]:
    """What gluonic computes: outputs, arrays that were changed and, going back, gradients."""
    given, wanted = use.arrays(), use.wanted()
    arrays = [nd.array(value, dtype=value.dtype) for value in given]
    for i in wanted:
        arrays[i].attach_grad()
    mx.random.seed(SEED)
    with autograd.record(train_mode=use.is_in_training()), np.errstate(all="ignore"):
        outputs = invoke(use.application, arrays)[: use.application.visible]
    results: dict[str, Any] = {"outputs": [output.asnumpy() for output in outputs]}
    heads = [(o, head(i, o.asnumpy())) for i, o in enumerate(outputs)]
    roots = [(o, nd.array(h, dtype=h.dtype)) for o, h in heads if h is not None]
    if back:
        with np.errstate(all="ignore"):
            autograd.backward([o for o, _ in roots], [h for _, h in roots])
        results["gradients"] = [arrays[i].grad.asnumpy() for i in wanted]
    after = [array.asnumpy() for array in arrays]
    results["changed"] = {
        str(i): after[i] for i, a in enumerate(given) if a.tobytes() != after[i].tobytes()
    }
    return results


def _as_list(array: Array) -> list[Any]:
    return [str(array.dtype), list(array.shape), array.reshape(-1).tolist()]


def as_json(use: Use) -> dict[str, Any]:
    """A use as MXNet's process reads it."""
    op, sample = use.application.op, use.sample
    outputs = run(use, back=False)["outputs"]
    counted = {op.count: len(sample.inputs) - len(op.inputs)} if op.count else {}
    parsed = use.application.settings
    heads = [head(i, output) for i, output in enumerate(outputs)]
    return {
        "names": [op.name, *op.aliases],
        "attributes": {
            name: as_text(value, parsed.get(name))
            for name, value in {**counted, **sample.attributes}.items()
        },
        "inputs": [_as_list(array) for array in use.arrays()],
        "wanted": use.wanted(),
        "outputs": [[str(output.dtype), list(output.shape)] for output in outputs],
        "heads": [None if each is None else _as_list(each) for each in heads],
        "train": use.is_in_training(),
        "seed": SEED,
    }


class _MXNet:
    """The process that answers."""

    def __init__(self, python: str) -> None:
        self._python = python
        self._start()

    def _start(self) -> None:
        script = str(Path(__file__).with_name("operator_runner.py"))
        environment = {"OMP_NUM_THREADS": "1", "MXNET_ENGINE_TYPE": "NaiveEngine"}
        self._process = subprocess.Popen(
            [self._python, "-B", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )

    def ask(self, use: dict[str, Any]) -> dict[str, Any] | None:
        """The answer; None if the process ended or does not come back."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(use) + "\n")
        self._process.stdin.flush()
        ready, _, _ = select.select([self._process.stdout], [], [], _PATIENCE)
        line = self._process.stdout.readline() if ready else ""
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        self._process.kill()
        self._process.wait()
        self._start()
        return None


def measured(process: _MXNet, use: Use) -> dict[str, Any]:
    """What MXNet answers; without gradients, if it ends itself over them."""
    asked = as_json(use)
    if (reason := NO_GRADIENT.get(use.name)) is not None:
        return {**(process.ask({**asked, "wanted": []}) or {}), "no gradient": reason}
    answer = process.ask(asked)
    if answer is None:
        ended = "MXNet's process ends or hangs"
        answer = process.ask({**asked, "wanted": []})
        answer = {"refused": ended} if answer is None else {**answer, "no gradient": ended}
    return answer


def read() -> dict[str, dict[str, Any]]:
    """Return what was measured."""
    results: dict[str, dict[str, Any]] = json.loads(FILE.read_text())
    return results


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--mxnet", required=True, help="the Python of an environment with MXNet")
    parser.add_argument("--only", default="*", help="operators to measure again, as a pattern")
    arguments = parser.parse_args()
    process, known = _MXNet(arguments.mxnet), read()
    lines = []
    for use in uses():
        asked = use.key not in known or fnmatchcase(use.name, arguments.only)
        found = measured(process, use) if asked else known[use.key]
        result = json.dumps(found, separators=(",", ":"))
        lines.append(f"{json.dumps(use.key)}: {result}")
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(len(lines), "uses", file=sys.stderr)


if __name__ == "__main__":
    main()
