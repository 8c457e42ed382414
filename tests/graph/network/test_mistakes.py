"""Mistakes in a network are refused, with the node, what is wrong, and what to try."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx
import pytest

from gluonic import nd
from gluonic import symbol as sym
from gluonic.graph.errors import AttributeValueError, MXNetError

Network = Any


def two_layers() -> Network:
    x = sym.var("x")
    fc = sym.FullyConnected(x, num_hidden=3, name="fc")
    normal = sym.BatchNorm(fc, name="bn")
    return sym.Concat(sym.Activation(normal, "relu", name="act"), fc, name="join").network()


def set_operator(name: Any) -> Callable[[Network], None]:
    def edit(network: Network) -> None:
        network.nodes["act"]["operator"] = name

    return edit


def set_attributes(key: str, **attributes: Any) -> Callable[[Network], None]:
    def edit(network: Network) -> None:
        network.nodes[key]["attributes"] |= attributes

    return edit


def set_data(key: str, **data: Any) -> Callable[[Network], None]:
    return lambda network: network.nodes[key].update(data)


def set_outputs(*outputs: Any) -> Callable[[Network], None]:
    def edit(network: Network) -> None:
        network.graph["outputs"] = list(outputs)

    return edit


def set_edge(source: str, target: str, **data: Any) -> Callable[[Network], None]:
    return lambda network: network.edges[source, target, 0].update(data)


def without_input(network: Network) -> None:
    del network.edges["fc_bias", "fc", 0]["input"]


def without_operator(network: Network) -> None:
    network.add_edge("dat", "fc", input=0)
    network.remove_edge("x", "fc")


def renamed_to_a_number(network: Network) -> None:
    networkx.relabel_nodes(network, {"fc": 7}, copy=False)


def state_computed(network: Network) -> None:
    network.add_node("zero", operator="zeros_like")
    network.add_edge("bn_moving_var", "zero")
    network.remove_edge("bn_moving_mean", "bn")
    network.add_edge("zero", "bn", input="moving_mean")


MISTAKES: dict[str, tuple[Callable[[Network], Any], str]] = {
    "unknown operator": (
        set_operator("Activatoin"),
        r"node 'act': there is no operator 'Activatoin'; did you mean 'Activation' or ",
    ),
    "unregistered": (
        lambda n: n.nodes["act"].update(operator="Custom", attributes={"op_type": "nowhere"}),
        r"node 'act': there is no operator Custom\(op_type='nowhere'\)[\s\S]*Try: .*registered",
    ),
    "operator is no name": (
        set_operator(sym.relu),
        r"node 'act': operator must be a name, or None for a variable, not <",
    ),
    "variable with inputs": (
        set_operator(None),
        r"node 'act': is a variable and cannot have inputs, but reads 'bn'",
    ),
    "no operator": (
        without_operator,
        r"node 'dat': has no attribute 'operator'\n  it is read by 'fc'\n  Try: .*operator=None",
    ),
    "unknown attribute": (
        set_attributes("fc", num_hiden=3),
        r"node 'fc': FullyConnected: has no attribute 'num_hiden'; did you mean 'num_hidden'\?",
    ),
    "bad attribute": (
        set_attributes("fc", num_hidden="many"),
        r"node 'fc': FullyConnected: num_hidden='many' must be an integer",
    ),
    "required attribute": (
        lambda n: n.nodes["act"]["attributes"].clear(),
        r"node 'act': Activation: needs the attribute act_type=",
    ),
    "attributes are no dict": (
        set_data("fc", attributes=["num_hidden"]),
        r"node 'fc': attributes must be a dict with names as keys, not \['num_hidden'\]",
    ),
    "attributes by their name in files": (
        set_data("fc", attrs={"num_hidden": 4}),
        r"node 'fc': has 'attrs', which has no effect[\s\S]*Try: attributes=",
    ),
    "missing input": (
        lambda n: n.remove_edge("fc_weight", "fc"),
        r"node 'fc': no edge leads to input 1 \(weight\)\n  FullyConnected takes 3 inputs: "
        r"'data', 'weight', 'bias'\n  the node was made at: File .*test_mistakes.py.*\n"
        r"  Try: network.add_edge\(source, 'fc', input=1\)",
    ),
    "duplicate input": (
        set_edge("fc_bias", "fc", input="weight"),
        r"node 'fc': two edges lead to input 1 \(weight\)\n  from 'fc_weight' and from 'fc_bias'",
    ),
    "input without position": (
        without_input,
        r"node 'fc': the edge from 'fc_bias' has no input=, and is not the only one",
    ),
    "input that the attributes exclude": (
        set_attributes("fc", no_bias=True),
        r"node 'fc': the edge from 'fc_bias' leads to input 2, which does not exist",
    ),
    "unknown input": (
        set_edge("fc_weight", "fc", input="wieght"),
        r"node 'fc': the edge from 'fc_weight' leads to input 'wieght', which does not exist; "
        r"did you mean 'weight'\?",
    ),
    "negative input": (
        set_edge("fc_weight", "fc", input=-1),
        r"node 'fc': the edge from 'fc_weight' leads to input -1, which does not exist",
    ),
    "count": (
        lambda n: n.add_edge("x", "join", input=2),
        r"node 'join': num_args is '2', but 3 edges lead to the node\n.*\n"
        r"  Try: set the attribute num_args to the number of inputs, or leave it out",
    ),
    "unknown output": (
        set_edge("fc", "bn", output=1),
        r"node 'fc': input 0 \(data\) of 'bn' reads output 1, which does not exist\n"
        r"  its outputs: output",
    ),
    "output that is no number": (
        set_edge("fc", "bn", output="output"),
        r"node 'fc': input 0 \(data\) of 'bn' reads output 'output', which does not exist",
    ),
    "cycle": (
        lambda n: (n.remove_edge("x", "fc"), n.add_edge("join", "fc", input=0)),
        r"node '\w+': depends on itself\n  the cycle: '.*' → '.*' → ",
    ),
    "node that reads itself": (
        lambda n: (n.remove_edge("bn", "act"), n.add_edge("act", "act", input=0)),
        r"node 'act': depends on itself\n  the cycle: 'act' → 'act'",
    ),
    "computed state": (
        state_computed,
        r"node 'bn': moving_mean is updated by the operator and must be a variable, not zeros_like",
    ),
    "no outputs": (
        lambda n: n.graph.clear(),
        r"graph attribute 'outputs': the network does not say what its outputs are\n"
        r"  nodes that no other reads: 'join'\n  Try: network.graph\[\"outputs\"\] = \[\('join', 0\)\]",
    ),
    "empty outputs": (set_outputs(), r"the network does not say what its outputs are"),
    "removed output": (
        lambda n: n.remove_node("join"),
        r"graph attribute 'outputs'\[0\]: there is no node 'join'\n  Try: ",
    ),
    "misspelt output": (
        set_outputs("act", ("fcc", 0)),
        r"graph attribute 'outputs'\[1\]: there is no node 'fcc'; did you mean 'fc'\?",
    ),
    "position of an output": (
        set_outputs(("fc", 2)),
        r"node 'fc': the output 0 reads output 2, which does not exist",
    ),
    "output that is no pair": (
        set_outputs(("fc", 0, 1)),
        r"graph attribute 'outputs'\[0\]: must be \(node, position\) or a node, not \('fc', 0, 1\)",
    ),
    "key that is no string": (
        renamed_to_a_number,
        r"node 7: a node's name must be a string, not 7[\s\S]*relabel_nodes",
    ),
    "location": (
        set_data("fc", location="here"),
        r"node 'fc': location must be \(file, line, function\), not 'here'",
    ),
    "turn": (set_data("fc", turn="first"), r"node 'fc': turn must be a number, not 'first'"),
    "subgraphs of a plain operator": (
        set_data("fc", subgraphs=[networkx.MultiDiGraph()]),
        r"node 'fc': the operator FullyConnected holds no subgraphs",
    ),
    "subgraphs of a variable": (
        set_data("x", subgraphs=[networkx.MultiDiGraph()]),
        r"node 'x': is a variable and cannot hold subgraphs",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refused_with_its_node(mistake: str) -> None:
    edit, message = MISTAKES[mistake]
    network = two_layers()
    sym.from_network(network)
    edit(network)
    with pytest.raises(MXNetError, match=message) as caught:
        sym.from_network(network)
    assert __file__ in str(caught.value)


def test_wrong_attributes_raise_the_error_of_wrong_attributes() -> None:
    network = two_layers()
    network.nodes["fc"]["attributes"]["num_hidden"] = 0.5
    with pytest.raises(AttributeValueError, match=r"num_hidden=0\.5"):
        sym.from_network(network)


def loop() -> Network:
    outputs, _ = sym.contrib.foreach(
        lambda x, s: (sym.tanh(x + s, name="inner"), s), sym.var("x"), sym.var("s")
    )
    return outputs.network()


def test_a_mistake_in_a_body_names_the_loop_and_the_node() -> None:
    network = loop()
    network.nodes["_foreach0"]["subgraphs"][0].nodes["inner"]["operator"] = "tahn"
    message = r"subgraph 0 of node '_foreach0': node 'inner': there is no operator 'tahn'; did you"
    with pytest.raises(MXNetError, match=message):
        sym.from_network(network)


@pytest.mark.parametrize(
    ("subgraphs", "message"),
    [
        (None, "node '_foreach0': .*subgraphs"),
        ([networkx.MultiDiGraph()], "subgraph 0 of node '_foreach0': graph attribute 'outputs'"),
        ("body", "node '_foreach0': subgraphs must be a list of networks, not 'body'"),
    ],
)
def test_a_loop_needs_its_body(subgraphs: Any, message: str) -> None:
    network = loop()
    network.nodes["_foreach0"]["subgraphs"] = subgraphs
    with pytest.raises(MXNetError, match=message):
        sym.from_network(network)


@pytest.mark.parametrize("given", [networkx.MultiGraph(), sym.var("x"), None])
def test_only_directed_networks_are_read(given: Any) -> None:
    with pytest.raises(TypeError, match=r"read from a networkx\.MultiDiGraph, not from a"):
        sym.from_network(given)


def test_settings_cannot_be_changed_where_it_would_have_no_effect() -> None:
    settings = two_layers().nodes["fc"]["settings"]
    with pytest.raises(TypeError, match="attributes"):
        settings["num_hidden"] = 4
    with pytest.raises(TypeError, match="attributes"):
        settings.update(num_hidden=4)
    assert settings["num_hidden"] == 3


def test_nodes_that_no_output_depends_on_are_neither_checked_nor_kept() -> None:
    network = two_layers()
    network.graph["outputs"] = ["bn"]
    network.nodes["act"]["operator"] = "nothing of the kind"
    network.remove_node("fc_bias")
    network.nodes["fc"]["attributes"]["no_bias"] = True
    assert sym.from_network(network).list_arguments() == ["x", "fc_weight", "bn_gamma", "bn_beta"]


def test_a_network_built_by_hand_has_defaults_and_python_values() -> None:
    network = networkx.DiGraph(outputs=["pool"])
    for name in ("data", "weight"):
        network.add_node(name, operator=None)
    network.add_node(
        "conv",
        operator="Convolution",
        attributes={"kernel": [2, 2], "num_filter": 1, "no_bias": True},
    )
    network.add_node("pool", operator="Pooling", attributes={"kernel": (2, 2), "stride": (2, 2)})
    network.add_edge("data", "conv", input="data")
    network.add_edge("weight", "conv", input=1)
    network.add_edge("conv", "pool")
    symbol = sym.from_network(network)
    assert symbol.attr_dict()["conv"] == {"kernel": "[2, 2]", "num_filter": "1", "no_bias": "True"}
    (result,) = symbol.eval(data=nd.ones((1, 1, 3, 3)), weight=nd.ones((1, 1, 2, 2)))
    assert result.asnumpy().tolist() == [[[[4]]]]
    again = sym.load_json(symbol.tojson())
    assert again.tojson() == symbol.tojson()


def test_the_number_of_variadic_inputs_may_be_left_out() -> None:
    network = networkx.MultiDiGraph(outputs=[("join", 0)])
    network.add_node("x", operator=None)
    network.add_node("join", operator="Concat", attributes={"dim": 0})
    network.add_edge("x", "join", input=0)
    network.add_edge("x", "join", input=1)
    symbol = sym.from_network(network)
    assert symbol.eval(x=nd.ones((2,)))[0].shape == (4,)
    assert '"num_args": "2"' in symbol.tojson()


def test_errors_in_a_symbol_from_a_trace_name_the_line_of_the_original() -> None:
    network = two_layers()
    network.nodes["fc"]["attributes"]["num_hidden"] = 4
    with pytest.raises(MXNetError, match=r"test_mistakes\.py.*in two_layers"):
        sym.from_network(network).infer_shape(x=(2, 5), fc_weight=(3, 5))
