"""Operators that keep a state between calls: a graph that is bound permanently gives each its own state."""

from collections.abc import Sequence

from gluonic.graph.node import Entry, Graph, Node


def with_own_states(graph: Graph) -> Graph:
    """Return the graph with a state for each node whose operator can keep one; the node owns it.

    Without this, such operators make a new state for every call.
    """
    if all(n.application is None or n.application.op.keeps_state is None for n in graph.nodes):
        return graph

    def replace(node: Node, inputs: Sequence[Entry]) -> Node | None:
        application = node.application
        if application is None or application.op.keeps_state is None:
            return None
        own = application.op.keeps_state(application)
        return node.with_application(own, inputs)

    return graph.rewrite(replace)
