"""What operators take can be listed, in MXNet's words."""

import pytest

import gluonic as mx
from gluonic.graph.operator import REGISTRY
from gluonic.operator import get_operator_arguments
from tests.graph.registry_samples import over_operators


def test_inputs_come_before_attributes_with_their_defaults() -> None:
    found = get_operator_arguments("Activation")
    assert found.narg == 2
    assert found.names == ["data", "act_type"]
    assert found.types == [
        "NDArray-or-Symbol",
        "{'relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'}, required",
    ]
    dense = dict(zip(*get_operator_arguments("FullyConnected")[1:], strict=True))
    assert dense["bias"] == "NDArray-or-Symbol"
    assert dense["num_hidden"] == "int, required"
    assert dense["no_bias"] == "boolean, optional, default=0"


def test_any_number_of_inputs_is_an_array_of_them() -> None:
    assert get_operator_arguments("add_n").types[0] == "NDArray-or-Symbol[]"


@over_operators(op.name for op in REGISTRY.operators())
def test_every_operator_lists_what_it_takes(name: str) -> None:
    found = get_operator_arguments(name)
    assert found.narg == len(found.names) == len(found.types)
    assert all(text and "<" not in text for text in found.types)


def test_names_of_all_operators_are_listed_and_others_refused() -> None:
    names = mx.operator.get_all_registered_operators()
    assert {"Activation", "Convolution", "Reshape", "reshape"} <= set(names)
    with pytest.raises(mx.MXNetError, match="there is no operator 'Activations'"):
        get_operator_arguments("Activations")
