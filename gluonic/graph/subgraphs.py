"""Graphs inside nodes: the bodies of loops and branches."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gluonic.graph.errors import InferenceError

if TYPE_CHECKING:
    from gluonic.graph.infer import Facts


class Subgraphs(tuple[Any, ...]):
    """The graphs that a node holds, as an attribute of its operator.

    They are not hashable, so that uses of operators with graphs are not cached beyond their nodes.

    Attributes
    ----------
    bodies : the runnable form of the graphs; the operator sets it when its attributes are checked
    counts_versions : whether files count the updates of their auxiliary states, as in graphs outside
    """

    bodies: tuple[Any, ...]
    counts_versions: bool

    def __new__(cls, graphs: Iterable[Any] = ()) -> "Subgraphs":
        """Hold graphs, none of which shares a node with the graph outside."""
        made = super().__new__(cls, graphs)
        made.bodies = ()
        made.counts_versions = True
        return made

    __hash__ = None  # type: ignore[assignment]


def subgraphs(value: Any) -> Subgraphs:
    """Parse an attribute that holds graphs; raise TypeError for anything but a sequence."""
    if isinstance(value, Subgraphs):
        return value
    if not isinstance(value, (list, tuple)):
        raise TypeError
    return Subgraphs(value)


def held_graphs(node: Any) -> Subgraphs:
    """The graphs that a node holds, usually none."""
    settings = {} if node.application is None else node.application.settings
    found = settings.get("subgraphs")
    return found if isinstance(found, Subgraphs) else Subgraphs()


def facts_in(node: Any, graph: Any, kind: str, facts: "Facts | None") -> "Facts | None":
    """The facts about the nodes of a body in a step.

    Parameters
    ----------
    node : the node that runs the body
    graph : the body
    kind : ``"shape"`` or ``"dtype"``
    facts : the facts about the node's inputs; None if there are none
    """
    body = next((body for body in held_graphs(node).bodies if body.graph is graph), None)
    if facts is None or body is None:
        return None
    inputs = [facts[entry.node][entry.index] for entry in node.inputs]
    try:
        found: Facts = body.facts(kind, inputs)
    except InferenceError:  # the error has its own picture, with the known facts
        return None
    return found
