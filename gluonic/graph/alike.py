"""Whether two graphs, made separately, are the same."""

from gluonic.graph.node import Graph, Node


def is_same_graph(one: Graph, other: Graph) -> bool:
    """Whether graphs have the same nodes, of the same names, attributes and inputs, in the same order."""
    nodes, others = one.nodes, other.nodes
    if len(nodes) != len(others) or len(one.outputs) != len(other.outputs):
        return False
    partners: dict[Node, Node] = {}
    for node, partner in zip(nodes, others, strict=True):
        if not _is_same_use(node, partner, partners):
            return False
        partners[node] = partner
    return all(
        a.index == b.index and partners[a.node] is b.node
        for a, b in zip(one.outputs, other.outputs, strict=True)
    )


def _is_same_use(node: Node, other: Node, partners: dict[Node, Node]) -> bool:
    return (
        node.application is other.application  # they are cached
        and node.name == other.name
        and node.attributes == other.attributes
        and len(node.inputs) == len(other.inputs)
        and all(
            a.index == b.index and partners[a.node] is b.node
            for a, b in zip(node.inputs, other.inputs, strict=True)
        )
    )


__all__ = ["is_same_graph"]
