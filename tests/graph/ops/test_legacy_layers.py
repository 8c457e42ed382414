"""Layers from before Gluon, and steps of optimizers, give MXNet 1.9.1's numbers; the exceptions are named."""

from fnmatch import fnmatchcase

import pytest

import gluonic as mx
from tests.cases import over
from tests.measured import legacy_layers, update_operators
from tests.measured.measure import agrees, numbers, read

LAYERS, STEPS = read("legacy_layers"), read("update_operators")
DIFFERENT = ("SoftmaxOutput *out_grad=True", "SoftmaxActivation *x*x* mode=instance")
"""«Deliberate differences» in docs/conformance.md says why."""


def is_different(case: str) -> bool:
    """Whether MXNet is known to compute something else."""
    return any(fnmatchcase(case, pattern) for pattern in DIFFERENT)


ACCEPTED = [case for case in legacy_layers.CASES if LAYERS[case] is not None]


@over("case", [case for case in ACCEPTED if not is_different(case)])
def test_layers_compute_what_mxnet_computes(case: str) -> None:
    assert agrees(numbers(legacy_layers.run(mx, case)), LAYERS[case])


@pytest.mark.parametrize("case", [case for case in ACCEPTED if is_different(case)])
def test_exceptions_are_about_gradients_alone(case: str) -> None:
    ours = numbers(legacy_layers.run(mx, case))
    assert agrees(ours[0], LAYERS[case][0])
    assert not agrees(ours[1:], LAYERS[case][1:])


@over("case", update_operators.CASES)
def test_steps_change_arrays_as_in_mxnet(case: str) -> None:
    assert agrees(numbers(update_operators.run(mx, case)), STEPS[case])
