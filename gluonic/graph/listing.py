"""A graph as plain text, node by node."""

from collections.abc import Iterator

from gluonic.graph.node import Graph, Node

_RULE = "-" * 20


def variable_versions(graph: Graph) -> dict[tuple[Node, int], int]:
    """For each input of each node, how often the variable it reads has been updated before."""
    updates: dict[Node, int] = {}
    versions: dict[tuple[Node, int], int] = {}
    for node in graph.nodes:
        application = node.application
        if application is None:
            continue
        for position, entry in enumerate(node.inputs):
            if application.states and application.inputs[position] in application.states:
                updates[entry.node] = updates.get(entry.node, 0) + 1
            if updates:
                versions[node, position] = updates.get(entry.node, 0)
    return versions


def debug_text(graph: Graph) -> str:
    """List the outputs, then every node with its inputs and attributes."""
    versions = variable_versions(graph)
    return "\n".join(_lines(graph, versions)) + "\n"


def _lines(graph: Graph, versions: dict[tuple[Node, int], int]) -> Iterator[str]:
    yield "Symbol Outputs:"
    for number, entry in enumerate(graph.outputs):
        yield f"\toutput[{number}]={entry.node.name}({entry.index})"
    for node in graph.nodes:
        if node.is_variable:
            yield f"Variable:{node.name}"
            continue
        yield _RULE
        yield f"Op:{node.operator_name}, Name={node.name}"
        yield "Inputs:"
        for position, entry in enumerate(node.inputs):
            version = (
                f" version={versions.get((node, position), 0)}" if entry.node.is_variable else ""
            )
            yield f"\targ[{position}]={entry.node.name}({entry.index}){version}"
        if node.attributes:
            yield "Attrs:"
            yield from (f"\t{name}={value}" for name, value in sorted(node.attributes.items()))
