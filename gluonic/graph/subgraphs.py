"""Graphs inside nodes: what a loop runs at each step, what a branch runs if it is taken."""

from collections.abc import Iterable
from typing import Any


class Subgraphs(tuple[Any, ...]):
    """The graphs that a node holds, as an attribute of its operator.

    Not hashable, so that uses of operators that hold graphs are not remembered beyond their nodes.

    Attributes
    ----------
    bodies : how the operator runs the graphs; it fills this in when its attributes are checked
    """

    bodies: tuple[Any, ...]

    def __new__(cls, graphs: Iterable[Any] = ()) -> "Subgraphs":
        """Hold graphs, none of which shares a node with the graph outside."""
        made = super().__new__(cls, graphs)
        made.bodies = ()
        return made

    __hash__ = None  # type: ignore[assignment]


def subgraphs(value: Any) -> Subgraphs:
    """Read an attribute that holds graphs; raises TypeError for anything but a sequence of them."""
    if isinstance(value, Subgraphs):
        return value
    if not isinstance(value, (list, tuple)):
        raise TypeError
    return Subgraphs(value)


def held_graphs(node: Any) -> Subgraphs:
    """The graphs that a node holds, mostly none."""
    settings = {} if node.application is None else node.application.settings
    found = settings.get("subgraphs")
    return found if isinstance(found, Subgraphs) else Subgraphs()
