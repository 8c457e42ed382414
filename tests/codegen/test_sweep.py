"""Every operator on unusual inputs, eagerly and compiled; see `tests.codegen.sweep`."""

import pytest

from tests.codegen.sweep import faults_of, names
from tests.graph.registry_samples import over_operators


@pytest.mark.filterwarnings("ignore")
@over_operators(names())
def test_unusual_inputs_are_computed_alike_or_refused_with_an_error_of_gluonic(name: str) -> None:
    found = [*faults_of(name, of_further_samples=4, compiled_one_in=2)]
    assert found
    assert not [fault for fault in found if fault]
