"""Private members of trainers that programs written for MXNet read, call and override."""

import pytest

import gluonic as mx
from tests.measured import trainers
from tests.measured.measure import agrees, numbers, read

MEASURED = read("trainers")


@pytest.mark.parametrize("case", [case for case in trainers.CASES if case != "refused"])
def test_the_members_of_a_trainer_are_those_of_mxnet(case: str) -> None:
    found = numbers(trainers.CASES[case](mx))
    for what, measured in MEASURED[case].items():
        if isinstance(measured, dict):
            for member, value in measured.items():
                assert agrees(found[what][member], value), (what, member)
        assert agrees(found[what], measured), what


def test_what_mxnet_refuses_is_refused_with_an_error_of_its_kinds() -> None:
    found = trainers.CASES["refused"](mx)
    for what, kinds in MEASURED["refused"].items():
        assert set(kinds) <= set(found[what]), what
