"""Compare gluonic with MXNet 1.9.1 on the cases of a module.

    python -m tests.oracle.compare zoo --mxnet /path/to/mxnet/bin/python --only resnet18

MXNet runs each case eagerly, in a process of its own; gluonic runs it eagerly and hybridized. The largest
difference is taken relative to the largest number of an array. Where it is above the tolerance, gluonic's
result in float64 decides: float32 results of deep networks differ, but ours should be as near to it.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

import numpy as np

MODULES = ("zoo", "nn", "layers", "cells", "losses")
Results = dict[str, Any]
_TOLERANCE, _MOST, _WORSE = 1e-4, 0.1, 4.0


def computed(package: str, module: str, name: str, folder: Path, **how: Any) -> Results | str:
    """Return the results of a case, or what it raised."""
    mx = importlib.import_module(package)
    cases = importlib.import_module(f"tests.oracle.{module}")
    try:
        found = cases.run(mx, name, folder, **how)
    except Exception as error:  # that, too, is compared
        if os.environ.get("TRACEBACK"):
            traceback.print_exc()
        return f"{type(error).__name__}: {error}"
    return {k: v.asnumpy() if hasattr(v, "asnumpy") else np.asarray(v) for k, v in found.items()}


def write(module: str, names: list[str], folder: Path) -> None:
    """Run the cases with MXNet and write the results."""
    for name in names:
        found = computed("mxnet", module, name, folder)
        file = folder / name.replace("/", "_")
        if isinstance(found, str):
            file.with_name(f"{file.name}.txt").write_text(found)
        else:
            with file.with_name(f"{file.name}.npz").open("wb") as opened:
                np.savez(opened, **found)
        print(name, flush=True)


def read(name: str, folder: Path) -> Results | str:
    """What MXNet computed or raised."""
    file = folder / name.replace("/", "_")
    raised = file.with_name(f"{file.name}.txt")
    if raised.exists():
        return raised.read_text()
    with np.load(file.with_name(f"{file.name}.npz")) as found:
        return dict(found)


def distance(a: Any, b: Any, scale: float = 1e-6) -> float:
    """The largest difference, relative to the largest number of the second array; inf for other shapes."""
    if a.shape != b.shape:
        return np.inf
    if not a.size:
        return 0.0
    if a.dtype.kind in "USb":
        return 0.0 if np.array_equal(a, b) else np.inf
    a, b = a.astype(np.float64), b.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if same.all():
        return 0.0
    if not np.isfinite(a[~same]).all() or not np.isfinite(b[~same]).all():
        return np.inf
    return float(np.abs(a - b)[~same].max() / max(_largest(b), scale))


def _largest(array: Any) -> float:
    """The largest finite number."""
    finite = array[np.isfinite(array)] if array.dtype.kind == "f" else np.zeros(0)
    return float(np.abs(finite).max()) if finite.size else 0.0


def distances(found: Results, expected: Results) -> dict[str, float]:
    """The largest distance of each kind of array: the part of the name before a slash.

    An array whose numbers are a thousandth of the largest of its kind, or less, is noise beside it.
    """
    scales: dict[str, float] = {}
    for name, array in expected.items():
        kind = name.partition("/")[0]
        scales[kind] = max(scales.get(kind, 1e-6), _largest(array) / 1000)
    worst: dict[str, float] = {}
    for name in {**expected, **found}:
        kind = name.partition("/")[0]
        both = name in found and name in expected
        apart = distance(found[name], expected[name], scales[kind]) if both else np.inf
        worst[kind] = max(worst.get(kind, 0.0), apart)
    return worst


def listed(apart: dict[str, float]) -> str:
    """Distances, to read."""
    return ", ".join(f"{kind} {d:.1e}" for kind, d in apart.items())


class Comparison:
    """The cases of a module, compared one after the other.

    Attributes
    ----------
    counts : how many cases agree, by how
    """

    def __init__(self, module: str, folder: Path, verbose: bool) -> None:
        self.module, self.folder, self.verbose = module, folder, verbose
        self.counts: dict[str, int] = {}
        self._exact: tuple[str, Results | str] = ("", "")  # the last case in float64

    def add(self, name: str, hybridize: bool) -> None:
        """Compare one case, and report differences."""
        expected = read(name, self.folder)
        found = computed("gluonic", self.module, name, self.folder, hybridize=hybridize)
        verdict, details = self._verdict(name, found, expected)
        self.counts[verdict] = self.counts.get(verdict, 0) + 1
        if self.verbose or verdict not in ("same", "both refuse"):
            how = "hybridized" if hybridize else "eager"
            print(f"{verdict:16} {name}, {how}: {details}", flush=True)

    def _verdict(self, name: str, found: Results | str, expected: Results | str) -> tuple[str, str]:
        if isinstance(expected, str):
            return (
                ("both refuse", "") if isinstance(found, str) else ("only MXNet refuses", expected)
            )
        if isinstance(found, str):
            return "ONLY WE REFUSE", found
        apart = distances(found, expected)
        if max(apart.values()) <= _TOLERANCE:
            return "same", listed(apart)
        exact = self._in_float64(name)
        if isinstance(exact, str):
            return "DIFFERENT", listed(apart)
        ours, theirs = distances(found, exact), distances(expected, exact)
        details = f"{listed(apart)}\n    from float64: ours {listed(ours)}; theirs {listed(theirs)}"
        alike = max(apart.values()) <= _MOST
        as_near = all(ours[k] <= _TOLERANCE + _WORSE * theirs[k] for k in apart)
        return ("as precise" if alike and as_near else "DIFFERENT"), details

    def _in_float64(self, name: str) -> Results | str:
        """What gluonic computes in float64, eagerly."""
        if self._exact[0] != name:
            exact = computed("gluonic", self.module, name, self.folder, dtype="float64")
            self._exact = (name, exact)
        return self._exact[1]


def main() -> int:
    """Compare; return how many cases differ."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="+", choices=MODULES)
    parser.add_argument("--mxnet", help="the Python that has MXNet 1.9.1")
    parser.add_argument("--only", default="", help="cases with this in their names")
    parser.add_argument("--verbose", action="store_true", help="show the distances of all cases")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    bad = 0
    for module in given.modules:
        names = [
            n for n in importlib.import_module(f"tests.oracle.{module}").NAMES if given.only in n
        ]
        if given.write:
            write(module, names, given.write)
            continue
        with tempfile.TemporaryDirectory() as folder:
            comparison = Comparison(module, Path(folder), given.verbose)
            command = [given.mxnet, "-m", "tests.oracle.compare", module, "--only", given.only]
            root = str(Path(__file__).parents[2])
            with subprocess.Popen(
                [*command, "--write", folder],
                env={**os.environ, "PYTHONPATH": root},
                stdout=subprocess.PIPE,
                text=True,
            ) as child:
                assert child.stdout is not None
                for line in child.stdout:
                    if (name := line.rstrip("\n")) in names:
                        comparison.add(name, hybridize=False)
                        comparison.add(name, hybridize=True)
        print(module, comparison.counts, flush=True)
        bad += sum(n for verdict, n in comparison.counts.items() if verdict.isupper())
    return bad


if __name__ == "__main__":
    sys.exit(bool(main()))
