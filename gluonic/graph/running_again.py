"""Which nodes must not run again when a forward run is repeated for gradients of higher orders."""

from gluonic.graph.draws import draws
from gluonic.graph.node import Node
from gluonic.graph.subgraphs import held_graphs

_READS_ITS_STATE = "IdentityAttachKLSparseReg"
"""An operator that returns a state that it has updated."""


def runs_once(node: Node, train: bool) -> bool:
    """Whether running a node again would call the user's code, or return something else.

    Other operators with states return the same, if they write to copies of the states. Numbers that operators
    draw are kept apart.
    """
    graphs = held_graphs(node)
    if graphs:
        inner = [n for graph in graphs for n in graph.nodes if not n.is_variable]
        return draws(node, train) or any(n.applied.states or runs_once(n, train) for n in inner)
    operator = node.applied.op
    return operator.calls_back or operator.name == _READS_ITS_STATE
