"""`symbol.network(…)`: shapes and dtypes as they are inferred, and the roles of variables."""

import networkx
import numpy as np
import pytest

from gluonic import symbol as sym
from gluonic.graph.errors import InferenceError, MXNetError


def small() -> sym.Symbol:
    fc = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    made: sym.Symbol = sym.BatchNorm(fc, name="bn")
    return made


def test_without_shapes_there_are_names_and_operators_only() -> None:
    network = small().network()
    assert dict(network.nodes(data="operator"))["fc"] == "FullyConnected"
    assert {shapes for _, shapes in network.nodes(data="shapes")} == {None}
    assert {dtypes for _, dtypes in network.nodes(data="dtypes")} == {None}


def test_shapes_and_dtypes_follow_from_given_ones() -> None:
    network = small().network({"data": "float64"}, data=(4, 5))
    assert network.nodes["fc_weight"]["shapes"] == ((3, 5),)
    assert network.nodes["bn"]["shapes"] == ((4, 3), (3,), (3,))
    assert network.nodes["fc_weight"]["dtypes"] == ("float64",)
    only_dtypes = small().network({"data": np.float16})
    assert only_dtypes.nodes["fc"]["dtypes"] == ("float16",)
    assert only_dtypes.nodes["fc"]["shapes"] == (None,)


def test_what_does_not_follow_is_none() -> None:
    network = small().network(data=(0, 5))
    assert network.nodes["fc"]["shapes"] == ((None, 3),)
    assert network.nodes["fc"]["dtypes"] == (None,)


def test_declared_shapes_count() -> None:
    symbol = sym.var("x", shape=(2, 3), dtype="float16") + sym.var("y")
    assert symbol.network(y=(2, 3)).nodes["_plus0"]["dtypes"] == ("float16",)


def test_wrong_shapes_raise_the_errors_of_inference() -> None:
    with pytest.raises(InferenceError, match="fc"):
        small().network(data=(4, 5), fc_weight=(3, 6))
    with pytest.raises(MXNetError, match="no argument 'dat'; did you mean 'data'"):
        small().network(dat=(4, 5))


def test_variables_have_roles() -> None:
    roles = {name: role for name, role in small().network().nodes(data="role") if role}
    assert roles == {
        "data": "input",
        "fc_weight": "parameter",
        "fc_bias": "parameter",
        "bn_gamma": "parameter",
        "bn_beta": "parameter",
        "bn_moving_mean": "state",
        "bn_moving_var": "state",
    }


def test_edges_join_positions() -> None:
    split = sym.split(sym.var("x"), num_outputs=2, axis=0, name="halves")
    network = sym.Group([split[1] - split[0], split[1]]).network()
    between = network.get_edge_data("halves", "_minus0")
    assert sorted((e["output"], e["input"], e["argument"]) for e in between.values()) == [
        (0, 1, "rhs"),
        (1, 0, "lhs"),
    ]
    assert network.graph["outputs"] == [("_minus0", 0), ("halves", 1)]


def test_a_network_is_the_callers_own() -> None:
    symbol = small()
    network = symbol.network()
    network.nodes["fc"]["attributes"]["num_hidden"] = 7
    network.remove_node("data")
    assert symbol.network().nodes["fc"]["attributes"] == {"num_hidden": "3"}
    assert networkx.is_weakly_connected(symbol.network())
