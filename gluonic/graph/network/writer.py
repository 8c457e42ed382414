"""A graph as a networkx multi-digraph, for networkx's algorithms and for surgery."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gluonic.graph.infer import Facts
from gluonic.graph.json.placeholder import Placeholder
from gluonic.graph.node import Graph, Node
from gluonic.graph.node_attributes import written_attributes
from gluonic.graph.subgraphs import Subgraphs, facts_in, held_graphs
from gluonic.support.gc_pause import paused

if TYPE_CHECKING:
    import networkx

Data = dict[str, Any]


def network_of(
    graph: Graph,
    shapes: Facts | None = None,
    dtypes: Facts | None = None,
    is_parameter: Callable[[Node], bool] = lambda node: False,
) -> "networkx.MultiDiGraph[str]":
    """Convert a graph; `Symbol.network` describes the result.

    Parameters
    ----------
    graph : the graph
    shapes, dtypes : the facts about its nodes
    is_parameter : tells the variables that are parameters from those that are inputs
    """
    with paused():
        return _network(graph, shapes, dtypes, is_parameter)


def _network(
    graph: Graph, shapes: Facts | None, dtypes: Facts | None, is_parameter: Callable[[Node], bool]
) -> "networkx.MultiDiGraph[str]":
    import networkx

    keys = _unique_keys(graph)
    states = set(graph.states)
    turns = {node: number for number, node in enumerate(_in_turn(graph))}
    network: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    network.graph["outputs"] = [(keys[entry.node], entry.index) for entry in graph.outputs]
    for node in graph.nodes:
        role = None
        if node.is_variable:
            role = "state" if node in states else "parameter" if is_parameter(node) else "input"
        data = _data_of(node)
        data["role"] = role
        data["shapes"] = None if shapes is None else tuple(shapes[node])
        data["dtypes"] = None if dtypes is None else tuple(map(_dtype_name, dtypes[node]))
        if keys[node] != node.name:
            data["name"] = node.name
        if node in turns:
            data["turn"] = turns[node]
        if held_graphs(node):
            forward = _forward_of(node)
            data["subgraphs"] = (
                _networks(node, shapes, dtypes, is_parameter)
                if forward is None
                else network.nodes[keys[forward]]["subgraphs"]
            )
        network.add_node(keys[node], **data)
    for node in graph.nodes:
        for position, entry in enumerate(node.inputs):
            argument = node.applied.inputs[position]
            network.add_edge(
                keys[entry.node],
                keys[node],
                output=entry.index,
                input=position,
                argument=argument,
            )
    return network


def _networks(
    node: Node,
    shapes: Facts | None,
    dtypes: Facts | None,
    is_parameter: Callable[[Node], bool],
) -> "list[networkx.MultiDiGraph[str]]":
    """The networks of the graphs that a node holds."""
    return [
        _network(
            body,
            facts_in(node, body, "shape", shapes),
            facts_in(node, body, "dtype", dtypes),
            is_parameter,
        )
        for body in held_graphs(node)
    ]


def _forward_of(node: Node) -> Node | None:
    """The loop or branch of which a node is the gradient: it reads its hidden output, and shares its graphs."""
    for entry in node.inputs:
        is_hidden = entry.index >= entry.node.visible_count
        if is_hidden and held_graphs(entry.node) is held_graphs(node):
            return entry.node
    return None


def _unique_keys(graph: Graph) -> dict[Node, str]:
    """The nodes' names, followed by ``#2``, ``#3``, … where several nodes share one."""
    names = {node.name for node in graph.nodes}
    taken: set[str] = set()
    latest: dict[str, int] = {}
    keys: dict[Node, str] = {}
    for node in graph.nodes:
        key = node.name
        while key in taken or (key != node.name and key in names):
            latest[node.name] = latest.get(node.name, 1) + 1
            key = f"{node.name}#{latest[node.name]}"
        taken.add(key)
        keys[node] = key
    return keys


def _in_turn(graph: Graph) -> list[Node]:
    """The nodes that draw random numbers or behave otherwise in training, in the order in which they run."""
    return [node for node in graph.run_order if node.application and node.application.op.run_name]


def _data_of(node: Node) -> Data:
    """The data that follow from the node alone."""
    data: Data = {
        "operator": None,
        "attributes": dict(written_attributes(node)),
        "settings": ReadOnly(),
        "block": node.block,
        "location": node.location,
    }
    if node.application is not None:
        data["operator"] = node.operator_name
        data["settings"] = ReadOnly(_plain_settings(node.application.settings))
        if isinstance(node.application.op, Placeholder):
            data["placeholder"] = {
                "outputs": node.output_count,
                "states": [node.application.inputs.index(n) for n in node.application.states],
            }
    return data


def _plain_settings(settings: Mapping[str, Any]) -> Data:
    return {
        name: value.name if isinstance(value, np.dtype) else value
        for name, value in settings.items()
        if not isinstance(value, Subgraphs)
    }


def _dtype_name(dtype: Any) -> str | None:
    return None if dtype is None else np.dtype(dtype).name


class ReadOnly(dict[str, Any]):
    """The settings of a node in a network: facts, which follow from its attributes."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(
            "settings follow from a node's attributes and cannot be changed; "
            'change network.nodes[…]["attributes"]'
        )

    __setitem__ = __delitem__ = __ior__ = _refuse
    update = pop = popitem = setdefault = clear = _refuse

    def __reduce__(self) -> Any:
        return ReadOnly, (dict(self),)
