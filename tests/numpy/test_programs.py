"""Programs in the style of a textbook give MXNet's numbers, eager and hybridized."""

import pytest

import gluonic as mx
from tests.measured import numpy_programs
from tests.measured.measure import agrees, numbers, read

MEASURED = read("numpy_programs")


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("name", numpy_programs.PROGRAMS)
def test_a_program_gives_mxnets_numbers(name: str, hybridized: bool) -> None:
    found = numbers(numpy_programs.run(mx, name, hybridized))
    assert agrees(found, MEASURED[name], tolerance=1e-4), (found, MEASURED[name])
