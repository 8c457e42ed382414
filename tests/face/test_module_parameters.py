"""Modules take, initialize, keep and refuse parameters as MXNet's do, and share them as those do."""

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from tests.cases import over
from tests.measured import module_parameters
from tests.measured.measure import agrees, numbers, read

MEASURED = read("module_parameters")
CASES = module_parameters.cases(mx)


@over("case", MEASURED)
def test_parameters_become_what_they_become_in_mxnet(case: str) -> None:
    found = numbers(CASES[case]())
    assert agrees(found, MEASURED[case]), found


def test_every_case_is_measured() -> None:
    assert MEASURED.keys() == CASES.keys()


@pytest.mark.parametrize("shape", [(4, 2), (1, 4)])
def test_a_value_of_another_shape_changes_nothing(shape: tuple[int, int]) -> None:
    module = module_parameters.bound(mx)
    module.init_params(mx.init.One())
    before = module_parameters.values(module)
    given = module_parameters.parameters(mx, shape=shape)
    with pytest.raises(mx.MXNetError, match=r"fc_weight has the shape \(2, 4\)"):
        module.set_params(given, module_parameters.states(mx, "all"))
    assert module_parameters.values(module) == before


def test_a_module_that_shares_another_computes_with_its_memory() -> None:
    first = module_parameters.bound(mx)
    first.init_params(mx.init.One())
    second = module_parameters.bound(mx, 3, shared_module=first)
    first.set_params(
        {name: nd.full(value.shape, 7) for name, value in first.get_params()[0].items()},
        first.get_params()[1],
    )
    np.testing.assert_array_equal(second.get_params()[0]["fc_bias"].asnumpy(), [7, 7])
