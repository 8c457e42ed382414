"""Graphs inside nodes: the bodies of loops and branches."""

from collections.abc import Iterable
from typing import Any


class Subgraphs(tuple[Any, ...]):
    """The graphs that a node holds, as an attribute of its operator.

    They are not hashable, so that uses of operators with graphs are not cached beyond their nodes.

    Attributes
    ----------
    bodies : the runnable form of the graphs; the operator sets it when its attributes are checked
    """

    bodies: tuple[Any, ...]

    def __new__(cls, graphs: Iterable[Any] = ()) -> "Subgraphs":
        """Hold graphs, none of which shares a node with the graph outside."""
        made = super().__new__(cls, graphs)
        made.bodies = ()
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
