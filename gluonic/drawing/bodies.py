"""The facts about bodies of loops and branches, inferred from those of their nodes."""

from typing import Any, NamedTuple

from gluonic.graph import Graph, Node
from gluonic.graph.errors import InferenceError
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


def _body_of(node: Node, graph: Graph) -> Any:
    """The body as run by a node."""
    return next(body for body in held_graphs(node).bodies if body.graph is graph)


def facts_in(node: Node, graph: Graph, kind: str, facts: Facts | None) -> Facts | None:
    """The facts about a body's nodes in a step.

    Parameters
    ----------
    node : the node that runs the body
    graph : the body
    kind : ``"shape"`` or ``"dtype"``
    facts : the facts about the node's inputs; None if there are none
    """
    if facts is None:
        return None
    inputs = [facts[entry.node][entry.index] for entry in node.inputs]
    try:
        found: Facts = _body_of(node, graph).facts(kind, inputs)
    except InferenceError:  # the error has its own picture, with the known facts
        return None
    return found
