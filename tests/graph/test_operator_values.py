"""Operators give MXNet's results and gradients, and change what MXNet changes: all samples of all operators."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from gluonic.graph.operator import REGISTRY
from tests.cases import over
from tests.graph.registry_samples import FAMILY, Array
from tests.measured.operator_faults import FAULTS, LACKING, REFUSED
from tests.measured.operator_runner import summary, weights
from tests.measured.operators import Use, read, run, uses

MEASURED = read()
USES = list(uses())
COMPARED = [use for use in USES if "outputs" in MEASURED.get(use.key, {})]
_TOLERANCES = {"float16": 4e-3, "float32": 2e-5, "float64": 2e-6}


def tolerance(use: Use, array: Array) -> float:
    """How far numbers may differ: MXNet computes half precision in half precision."""
    dtypes = {str(given.dtype) for given in (*use.arrays(), array)}
    return max((_TOLERANCES[d] for d in dtypes if d in _TOLERANCES), default=0.0)


def agrees(ours: Array, measured: list[Any], most: float) -> bool:
    """Whether dtype and shape are those that were measured, and the numbers as near as that."""
    dtype, shape, numbers = summary(ours)
    if [dtype, shape] != measured[:2] or len(numbers) != len(measured[2]):
        return False
    flat = ours.reshape(-1).astype(np.float64)
    finite = np.abs(flat[np.isfinite(flat)])
    slack = np.full(len(numbers), most * max(1e-3, finite.max(initial=0.0)))
    if len(numbers) < flat.size:
        slack[-1] = most * (np.abs(weights(flat.size)) @ np.abs(flat)) + 1e-5 * abs(numbers[-1])
    theirs = np.array(measured[2], np.float64)
    near = np.abs(np.array(numbers, np.float64) - theirs) <= slack + (most + 1e-6) * np.abs(theirs)
    same = np.array(numbers, np.float64) == theirs
    unknown = np.isnan(np.array(numbers, np.float64)) & np.isnan(theirs)
    return bool((near | same | unknown).all())


def disagreements(use: Use) -> Iterator[str]:
    """What of a use is not as measured."""
    theirs = MEASURED[use.key]
    ours = run(use, back="gradients" in theirs and use.application.op.differentiable)
    if "gradients" in theirs and "gradients" not in ours:
        yield "no gradient"
    inputs = use.application.inputs
    if len(ours["outputs"]) != len(theirs["outputs"]):
        yield "number of outputs"
    for i, (array, told_) in enumerate(zip(ours["outputs"], theirs["outputs"], strict=False)):
        if not agrees(array, told_, tolerance(use, array)):
            yield f"output {i}"
    for i, array, told_ in zip(
        use.wanted(), ours.get("gradients", []), theirs.get("gradients", []), strict=False
    ):
        if not agrees(array, told_, tolerance(use, array)):
            yield f"gradient of {inputs[i]}"
    for i in {*ours["changed"], *theirs["changed"]}:
        array, told_ = ours["changed"].get(i), theirs["changed"].get(i)
        if array is None or told_ is None or not agrees(array, told_, tolerance(use, array)):
            yield f"changed {inputs[int(i)]}"


@over(
    "use",
    COMPARED,
    lambda use: FAMILY[use.name],
    lambda use: f"{use.name} {use.number} {use.dtype}",
)
def test_operators_compute_what_mxnet_computes(use: Use) -> None:
    listed = {
        what
        for fault in FAULTS
        if fault.name == use.name and f"{use.number} {use.dtype}" in fault.uses
        for what in fault.what
    }
    assert set(disagreements(use)) == listed


def test_every_use_is_measured() -> None:
    assert set(MEASURED) == {use.key for use in USES}, (
        "python -m tests.measured.operators --mxnet PYTHON"
    )


def test_an_operator_without_a_measured_use_has_its_reason() -> None:
    compared = {use.name for use in COMPARED}
    lacking = {use.name for use in USES if "lacks" in MEASURED[use.key]}
    refused = {use.name for use in USES} - compared - lacking
    assert lacking == set(LACKING)
    assert refused == set(REFUSED)
    assert all(name in REGISTRY for name in (*LACKING, *REFUSED))
    assert {fault.name for fault in FAULTS} <= compared
