"""Sparse arrays and operators on them do what MXNet 1.9.1 does."""

import warnings

import pytest

import gluonic as mx
from tests.cases import over
from tests.measured import sparse_arrays, sparse_operators
from tests.measured.measure import agrees, found, read

ARRAYS, OPERATORS = sparse_arrays.cases(mx), sparse_operators.cases(mx)
MEASURED_ARRAYS, MEASURED_OPERATORS = read("sparse_arrays"), read("sparse_operators")


@pytest.mark.parametrize("case", ARRAYS)
def test_sparse_arrays_are_those_of_mxnet(case: str) -> None:
    assert agrees(found(mx, ARRAYS[case]), MEASURED_ARRAYS[case])


@over("case", OPERATORS)
def test_operators_give_the_kinds_and_elements_that_mxnets_give(case: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = found(mx, OPERATORS[case])
    assert agrees(ours, MEASURED_OPERATORS[case]), (ours, MEASURED_OPERATORS[case])


def test_all_that_was_measured_is_tested() -> None:
    assert ARRAYS.keys() == MEASURED_ARRAYS.keys()
    assert OPERATORS.keys() == MEASURED_OPERATORS.keys()
