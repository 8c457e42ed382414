"""Schedules of learning rates are those of MXNet; impossible ones are refused."""

from typing import Any

import pytest

import gluonic as mx
from tests.measured import optimizers
from tests.measured.measure import agrees, read

MEASURED = read("optimizers")


@pytest.mark.parametrize("case", optimizers.SCHEDULES)
def test_a_schedule_is_that_of_mxnet(case: str) -> None:
    assert agrees(optimizers.schedule(mx, case), MEASURED[f"schedule {case}"])


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("FactorScheduler", {"step": 0}, "step=0"),
        ("FactorScheduler", {"step": 1, "factor": 2}, "factor=2"),
        ("MultiFactorScheduler", {"step": [3, 2]}, "increasing"),
        ("MultiFactorScheduler", {"step": []}, "increasing"),
        ("PolyScheduler", {"max_update": 0}, "max_update=0"),
        ("CosineScheduler", {"max_update": 1.5}, "max_update=1.5 must be an integer"),
        (
            "CosineScheduler",
            {"max_update": 5, "warmup_steps": -1},
            "warmup_steps=-1 must be",
        ),
        ("PolyScheduler", {"max_update": 5, "warmup_begin_lr": 3.0}, "must not exceed"),
        (
            "PolyScheduler",
            {"max_update": 5, "warmup_mode": "sudden"},
            "one of 'linear', 'constant'",
        ),
    ],
)
def test_impossible_schedules_are_refused(
    name: str, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(mx.lr_scheduler, name)(**settings)


def test_a_schedule_ends_with_its_warm_up_if_it_is_no_longer() -> None:
    schedule = mx.lr_scheduler.CosineScheduler(4, base_lr=1.0, final_lr=0.1, warmup_steps=4)
    assert [schedule(n) for n in (3, 4, 5)] == pytest.approx([0.75, 0.1, 0.1])
