"""Writing a graph as symbol JSON, byte for byte as MXNet 1.9 formats it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any

from gluonic.graph.json.output_counts import counted_outputs
from gluonic.graph.listing import variable_versions
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.node_attributes import written_attributes
from gluonic.graph.shape_semantics import is_np_shape
from gluonic.graph.subgraphs import held_graphs

VERSION = 10901
"""The version of the format: MXNet 1.9.1."""

SUBGRAPHS = "__subgraphs__"
"""The attribute with the graphs of an unknown control-flow operator, as JSON text."""

_LONGEST_LINE = 10
_text = encode_basestring
_CASTS = {"amp_cast", "amp_multicast"}


def write_json(graph: Graph, *, remove_amp_cast: bool = True) -> str:
    """Write a graph as JSON text.

    Parameters
    ----------
    graph : the graph
    remove_amp_cast : whether to leave out the casts that mixed precision inserted
    """
    if remove_amp_cast and any(node.operator_name in _CASTS for node in graph.nodes):
        graph = graph.rewrite(_without_cast)
    attributes: dict[str, Any] = {"mxnet_version": ["int", VERSION]}
    if is_np_shape():
        attributes["is_np_shape"] = ["int", 1]
    return _graph(graph, attributes, "")


def _graph(
    graph: Graph,
    attributes: Mapping[str, Any] | None,
    indent: str,
    *,
    counts_versions: bool = True,
) -> str:
    """Write a graph; a sub-graph has no attributes of its own."""
    numbers = {node: number for number, node in enumerate(graph.nodes)}
    versions = variable_versions(graph) if counts_versions else {}
    rows = [0]
    for node in graph.nodes:
        rows.append(rows[-1] + counted_outputs(node))
    inner = f"{indent}  "
    heads = [[numbers[entry.node], entry.index, 0] for entry in graph.outputs]
    nodes = (_node(n, numbers, versions, f"{inner}  ") for n in graph.nodes)
    fields = {
        "nodes": _block("[", nodes, "]", inner),
        "arg_nodes": _array([numbers[node] for node in graph.variables], inner),
        "node_row_ptr": _array(rows, inner),
        "heads": _array(heads, inner),
    }
    if attributes is not None:
        fields["attrs"] = _mapping(attributes, inner)
    return _block("{", (f'"{name}": {text}' for name, text in fields.items()), "}", indent)


def _without_cast(node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
    return inputs if node.operator_name in _CASTS else None


def _node(
    node: Node,
    numbers: Mapping[Node, int],
    versions: Mapping[tuple[Node, int], int],
    indent: str,
) -> str:
    inner = f"{indent}  "
    written = written_attributes(node)
    fields = [f'"op": {_text(node.operator_name)}', f'"name": {_text(node.name)}']
    if SUBGRAPHS in written:
        written = {name: text for name, text in written.items() if name != SUBGRAPHS}
    if written:
        fields.append(f'"attrs": {_mapping(written, inner)}')
    inputs = [
        [numbers[entry.node], entry.index, versions.get((node, position), 0) if versions else 0]
        for position, entry in enumerate(node.inputs)
    ]
    fields.append(f'"inputs": {_array(inputs, inner)}')
    if SUBGRAPHS in node.attributes:
        fields.append(f'"subgraphs": {node.attributes[SUBGRAPHS]}')
    elif held := held_graphs(node):
        counts = held.counts_versions
        graphs = (_graph(each, None, f"{inner}  ", counts_versions=counts) for each in held)
        fields.append(f'"subgraphs": {_block("[", graphs, "]", inner)}')
    return _block("{", fields, "}", indent)


def _mapping(values: Mapping[str, Any], indent: str) -> str:
    """Format a JSON object, on one line if it has one member."""
    members = [f"{_text(name)}: {_value(values[name])}" for name in sorted(values)]
    if len(members) == 1:
        return "{" + members[0] + "}"
    return _block("{", members, "}", indent)


def _array(members: Sequence[Any], indent: str) -> str:
    """Format an array of numbers, or of arrays of numbers, on one line unless it is long."""
    if len(members) <= _LONGEST_LINE:
        return str(members)
    return _block("[", map(str, members), "]", indent)


def _value(value: Any) -> str:
    return _text(value) if isinstance(value, str) else json.dumps(value)


def _block(opening: str, members: Iterable[str], closing: str, indent: str) -> str:
    return "".join(_block_lines(opening, members, closing, indent))


def _block_lines(opening: str, members: Iterable[str], closing: str, indent: str) -> Iterator[str]:
    yield opening
    separator = "\n"
    for member in members:
        yield f"{separator}{indent}  {member}"
        separator = ", \n"
    yield f"\n{indent}{closing}"
