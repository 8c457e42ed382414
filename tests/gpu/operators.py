"""All samples of all operators: results, gradients and changed arrays are those of the CPU."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from gluonic.graph import Node
from gluonic.graph.draws import draws
from gluonic.graph.operator import REGISTRY
from gluonic.ndarray.context import cpu, gpu
from tests.gpu.arrays import are_there, through_host, worst
from tests.gpu.report import FAILED, OK, SKIPPED, WRONG, Report
from tests.measured.operators import Use, run, uses

_TOLERANCES = {"float16": 8e-3, "float32": 5e-5, "float64": 2e-6}


def _tolerance(use: Use) -> float:
    dtypes = {str(array.dtype) for array in use.arrays()} | {use.dtype}
    return max((_TOLERANCES[d] for d in dtypes if d in _TOLERANCES), default=5e-5)


def _computed(use: Use, context: Any, back: bool) -> dict[str, Any]:
    with context:
        return run(use, back=back)


def _compare(use: Use) -> tuple[str, str]:
    """The status of a use, and what is to be said of it."""
    back = use.application.op.differentiable and use.sample.differentiable != ()
    try:
        expected = _computed(use, cpu(0), back)
    except Exception as error:
        try:
            back = False
            expected = _computed(use, cpu(0), back)
        except Exception:
            return SKIPPED, f"the CPU refuses it, too: {type(error).__name__}: {error}"
    try:
        ours = _computed(use, gpu(0), back)
    except Exception as error:
        return FAILED, f"{type(error).__name__}: {error}"
    if draws(Node(use.application, "node"), use.is_in_training()):
        shapes = [(o.shape, o.dtype) for o in ours["outputs"]]
        same = shapes == [(o.shape, o.dtype) for o in expected["outputs"]]
        return (OK if same else WRONG), "random numbers: shapes and dtypes are compared"
    far = {
        "outputs": worst(ours["outputs"], expected["outputs"]),
        "gradients": worst(ours.get("gradients", []), expected.get("gradients", [])),
        "changed": worst(list(ours["changed"].values()), list(expected["changed"].values())),
    }
    if ours["changed"].keys() != expected["changed"].keys():
        far["changed"] = float("inf")
    wrong = {name: value for name, value in far.items() if value > _tolerance(use)}
    return (WRONG, str(wrong)) if wrong else (OK, "")


def whole(report: Report) -> None:
    """Compare all uses; a row for each that is not ok, and one for the rest."""
    if not are_there(report):
        return
    counts: dict[str, Any] = dict.fromkeys((OK, WRONG, FAILED, SKIPPED), 0)
    start, names = time.perf_counter(), set()
    for number, use in enumerate(uses()):
        if not report.mine(number) or (report.small and use.number > 0):
            continue
        names.add(use.name)
        with np.errstate(all="ignore"):
            status, detail = _compare(use)
        counts[status] += 1
        if status in (WRONG, FAILED):
            report.add(use.key, status, detail[:600])
        if number % 50 == 0:
            report.add(f"share {report.share} at {use.key}", **counts)
    passed = through_host()
    report.add(
        f"share {report.share}: all",
        seconds=round(time.perf_counter() - start, 1),
        operators=f"{len(names)} of {len(REGISTRY)}",
        through_host=dict(sorted(passed.items())),
        **counts,
    )
