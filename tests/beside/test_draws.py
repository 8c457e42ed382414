"""Random numbers are bitwise those of MXNet for the same seed."""

import pytest

import gluonic as mx
from tests.measured import draws, seeded_programs
from tests.measured.measure import agrees, numbers, read

MEASURED = read("draws")
DRAWINGS = draws.drawings(mx)


@pytest.mark.parametrize("case", DRAWINGS)
def test_random_numbers_are_those_of_mxnet(case: str) -> None:
    assert numbers(DRAWINGS[case]()) == MEASURED[case]


PROGRAMS = seeded_programs.programs(mx)
OF_PROGRAMS = read("seeded_programs")


@pytest.mark.parametrize("case", PROGRAMS)
def test_a_program_draws_what_it_draws_with_mxnet(case: str) -> None:
    assert agrees(numbers(PROGRAMS[case]()), OF_PROGRAMS[case])
