"""Measure the cases of a module and write the results beside it; see the package's docstring."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent


def numbers(value: Any) -> Any:
    """Return arrays as nested lists, rounded; None and text as they are."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, dict):
        return {str(key): numbers(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [numbers(one) for one in value]
    array = value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value)
    return np.round(array.astype(np.float64), 6).tolist()


def found(mx: Any, run: Callable[[], Any]) -> Any:
    """Run a case with names counted from zero, so that it does not matter what ran before."""
    with mx.name.NameManager():
        return numbers(run())


def read(name: str) -> dict[str, Any]:
    """Return the results that were measured."""
    results: dict[str, Any] = json.loads((HERE / f"{name}.json").read_text())
    return results


def agrees(ours: Any, measured: Any, tolerance: float = 2e-5) -> bool:
    """Whether two results have one structure and nearly equal numbers."""
    if isinstance(measured, dict):
        return (
            isinstance(ours, dict)
            and ours.keys() == measured.keys()
            and all(agrees(ours[key], measured[key], tolerance) for key in measured)
        )
    if isinstance(measured, list) and isinstance(ours, list):
        return len(ours) == len(measured) and all(
            agrees(a, b, tolerance)
            for a, b in zip(ours, measured)  # noqa: B905 (runs on MXNet's Python, too)
        )
    if isinstance(measured, float) and isinstance(ours, (int, float)):
        return bool(np.isclose(ours, measured, rtol=tolerance, atol=tolerance, equal_nan=True))
    return bool(ours == measured)


def main() -> None:
    """Measure."""
    package, *names = sys.argv[1:]
    mx = importlib.import_module(package)
    sys.path[:0] = [str(HERE), str(HERE.parent.parent)]
    for name in names:
        cases = importlib.import_module(name).cases(mx)
        results = {case: found(mx, run) for case, run in cases.items()}
        lines = [f"{json.dumps(case)}: {json.dumps(result)}" for case, result in results.items()]
        (HERE / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
        print(name, len(results), "cases")


if __name__ == "__main__":
    main()
