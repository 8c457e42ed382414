"""The bodies of loops and branches, and how often they run."""

from typing import NamedTuple

from gluonic.graph import Graph, Node
from gluonic.graph.infer import Facts
from gluonic.graph.subgraphs import held_graphs


class BodyRun(NamedTuple):
    """A body of a node.

    Attributes
    ----------
    graph : its graph
    role : ``"step"``, ``"condition"`` or ``"branch"``
    times : the largest number of its runs; None if unknown
    """

    graph: Graph
    role: str
    times: int | None


_ROLES = {
    "_foreach": ("step",),
    "_while_loop": ("condition", "step"),
    "_cond": ("condition", "branch", "branch"),
}


def runs_of(node: Node, shapes: Facts) -> list[BodyRun]:
    """The bodies of a node, with the numbers of their runs.

    Parameters
    ----------
    node : the node
    shapes : the shapes of its inputs
    """
    held = held_graphs(node)
    roles = _ROLES.get(node.operator_name, ("step",) * len(held))
    times: int | None = 1
    if node.operator_name == "_while_loop":
        times = node.applied.settings["max_iterations"]
    elif node.operator_name == "_foreach":
        (body,) = held.bodies
        first = node.inputs[body.outer[body.slices[0]]]
        shape = shapes[first.node][first.index]
        times = shape[0] if shape else None
    return [BodyRun(graph, role, times) for graph, role in zip(held, roles, strict=True)]
