"""Every sample of the registry, compiled, between pages that nothing may touch.

``python -m tests.codegen.guard_pages`` runs each sample and its gradient, for rows of 1 to 70 elements and
around multiples of registers, in code for AVX-512, AVX2 and SSE2. Inputs, outputs and intermediate results
begin where such a page ends, or end where one begins, and inputs cannot be written to. A process that dies
there names the sample. ``--only Pooling`` takes the operators with this in their names, ``--levels`` some
processors, ``--widths`` some widths.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.machine.bail_out import BailOut
from gluonic.codegen.machine.target import TargetError, narrowed
from gluonic.codegen.shapes.facts import DynamicShapeError, NotCompiledError
from gluonic.graph.errors import MXNetError
from gluonic.graph.gradient import gradients
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.operator import REGISTRY
from tests.codegen.guarded_memory import Placement, guarded
from tests.codegen.shared_steps import share_all
from tests.graph.registry_samples import (
    CASES,
    SAMPLES,
    Array,
    application_of,
    cast,
    differentiation_of,
    run_of,
)
from tests.graph.samples.sample import Sample

LEVELS = ("x86-64-v4", "x86-64-v3", "x86-64")
WIDTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 224)
FEW_WIDTHS = (7, 8, 15, 16, 31, 32, 63, 64)
_MOST_ELEMENTS = 1 << 15
_REFUSALS = (MXNetError, NotCompiledError, DynamicShapeError, BailOut, NotImplementedError)


class Computation(NamedTuple):
    """A graph with arrays.

    Attributes
    ----------
    what : a few words
    graph, variables, arrays : what is computed, and from which numbers
    parameters : the variables whose packed forms are kept
    """

    what: str
    graph: Graph
    variables: Sequence[Node]
    arrays: Sequence[Array]
    parameters: Sequence[Node] = ()


def computations(name: str, sample: Sample) -> Iterator[Computation]:
    """A sample in its dtypes, without and with kept parameters, and its gradients."""
    used = application_of(name, sample)
    variables = [Node(None, slot) for slot in used.inputs]
    node = Node(used, "node", [v.entry() for v in variables])
    graph = Graph(node.entry(i) for i in range(used.visible))
    for dtype in (None, *sample.dtypes):
        arrays = cast(sample, dtype)
        yield Computation(f"{dtype or 'float64'} forward", graph, variables, arrays)
        if len(variables) > 1:
            kept = variables[1:]
            yield Computation(f"{dtype or 'float64'} kept", graph, variables, arrays, kept)
    if not used.op.differentiable or sample.differentiable == ():
        return
    asked, weights, values, outputs, wanted = differentiation_of(used, sample)
    found = gradients(
        outputs,
        [weight.entry() for weight in weights],
        [asked[i].entry() for i in wanted],
        train=sample.train,
    )
    present: list[Entry] = [entry for entry in found if entry is not None]
    if present:
        whole, given = Graph([*outputs, *present]), [*asked, *weights]
        for dtype in (None, *sample.dtypes):
            numbers = [values[v] for v in given]
            numbers = [a.astype(dtype) if dtype and a.dtype == np.float64 else a for a in numbers]
            yield Computation(f"{dtype or 'float64'} gradient", whole, given, numbers)


def resized(name: str, sample: Sample, made: Computation, width: int) -> list[Array] | None:
    """The numbers with rows of another length; None if the operator cannot have them.

    All axes as long as the last one of the first input become as long as another, or that one alone where
    arrays would be large.
    """
    inputs = len(sample.inputs)
    rows = next((a.shape[-1] for a in made.arrays[:inputs] if a.ndim), None)
    if rows is None or width == rows:
        return None if rows is None else list(made.arrays)
    shapes = [[width if n == rows else n for n in a.shape] for a in made.arrays[:inputs]]
    if max(map(prod, shapes)) > _MOST_ELEMENTS:
        shapes = [list(a.shape) for a in made.arrays[:inputs]]
        next(shape for shape in shapes if shape)[-1] = width
    if max(map(prod, shapes)) > _MOST_ELEMENTS:
        return None
    arrays = [
        np.resize(a, shape) if a.size else a
        for a, shape in zip(made.arrays[:inputs], shapes, strict=True)
    ]
    heads = len(made.arrays) - inputs
    if not heads:
        return arrays
    changed = Sample(
        [a.astype(np.float64) if a.dtype.kind == "f" else a for a in arrays], sample.attributes,
        sample.differentiable, sample.dtypes, sample.train, sample.orders,
    )  # fmt: skip
    try:
        found = differentiation_of(application_of(name, changed), changed)
    except Exception:  # the kernel itself refuses the shapes
        return None
    weights = [found.values[weight] for weight in found.weights]
    if len(weights) != heads:
        return None
    dtypes = [a.dtype for a in made.arrays[inputs:]]
    return [*arrays, *(w.astype(d) for w, d in zip(weights, dtypes, strict=True))]


def run_guarded(
    name: str, sample: Sample, made: Computation, widths: Sequence[int], note: Any
) -> int:
    """Run a computation for all widths and both placements; return how many calls there were."""
    calls = 0
    for at_end in (True, False):
        placement = Placement(at_end)
        with guarded(placement):
            compiled = CompiledGraph(made.graph, made.variables, made.parameters)
            for width in (0, *widths):
                arrays = list(made.arrays) if not width else resized(name, sample, made, width)
                if arrays is None or any(a.dtype == object for a in arrays):
                    continue
                note(f"{made.what}, {'end' if at_end else 'begin'}, "
                     f"{', '.join(f'{a.dtype}{list(a.shape)}' for a in arrays)}")  # fmt: skip
                states = set(made.graph.states)
                given = [
                    placement.copy(a, writable=v in states)
                    for v, a in zip(made.variables, arrays, strict=True)
                ]
                try:
                    compiled(given, run_of(sample))
                except _REFUSALS:
                    continue
                calls += 1
    return calls


def work(cases: Sequence[tuple[str, int]], widths: Sequence[int], place: int) -> None:
    """Run cases in this process, and write what is run to a file, whose descriptor is `place`."""
    calls = 0
    for position, (name, number) in enumerate(cases):
        sample = SAMPLES[name][number]

        def note(what: str, title: str = f"{position} {name} {number}") -> None:
            os.pwrite(place, f"{title} {what}".ljust(500)[:500].encode(), 0)

        note("begins")
        for made in computations(name, sample):
            calls += run_guarded(name, sample, made, widths, note)
    print(calls)


def faults(
    cases: Sequence[tuple[str, int]],
    widths: Sequence[int],
    level: str = "",
    *,
    threads: int = 1,
) -> tuple[int, list[str]]:
    """How many calls were made in other processes, and what was running when one died."""
    found: list[str] = []
    calls, left = 0, list(cases)
    environment = {
        **os.environ, "GLUONIC_CPU": level, "GLUONIC_NUM_THREADS": str(threads),
        "OPENBLAS_NUM_THREADS": "1",
    }  # fmt: skip
    with tempfile.TemporaryFile() as notes:
        place = notes.fileno()
        while left:
            command = [sys.executable, "-m", __spec__.name if __spec__ else __name__]
            command += ["--work", str(place), "--widths", *map(str, widths), "--cases"]
            command += [f"{name}:{number}" for name, number in left]
            child = subprocess.run(
                command, env=environment, pass_fds=[place], capture_output=True, text=True,
                check=False,
            )  # fmt: skip
            if child.returncode == 0:
                return calls + int(child.stdout.split()[-1]), found
            last = os.pread(place, 500, 0).decode().rstrip()
            tail = child.stderr.strip().splitlines()[-1:] if child.returncode > 0 else []
            found.append(" ".join([f"{level or 'host'}, exit {child.returncode}:", last, *tail]))
            left = left[int(last.partition(" ")[0]) + 1 :] if last else []
    return calls, found


def cases_of(only: str) -> list[tuple[str, int]]:
    """The samples of operators with this in their names that the compiler may see."""
    return [
        (name, number)
        for name, number in CASES
        if only in name and name in REGISTRY and not REGISTRY[name].calls_back
    ]


def main() -> int:
    """Run what the command line names; return how many processes died."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--levels", nargs="*", default=LEVELS)
    parser.add_argument("--widths", nargs="*", type=int, default=WIDTHS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cases", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument("--work", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.work is not None:
        share_all()
        pairs = [case.rsplit(":", 1) for case in chosen.cases]
        work([(name, int(number)) for name, number in pairs], chosen.widths, chosen.work)
        return 0
    died = 0
    for level in chosen.levels:
        try:
            narrowed(level, "")
        except TargetError as error:
            print(f"{level} was not run: {error}", flush=True)
            continue
        calls, found = faults(cases_of(chosen.only), chosen.widths, level, threads=chosen.threads)
        print(*found, f"{level}: {calls} calls, {len(found)} faults", sep="\n", flush=True)
        died += len(found)
    return died


if __name__ == "__main__":
    sys.exit(bool(main()))
