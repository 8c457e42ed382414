"""The origin of nodes that a pass or a rule makes: the user's line and the block of the original node."""

from collections.abc import Iterable

from gluonic.graph.node import Entry, Node


def give_origin(made: Iterable[Entry], origin: Node) -> None:
    """Give new nodes, and the new nodes that they read, the user's line and block of the original node."""
    if origin.location is None:
        return
    stack = [entry.node for entry in made]
    while stack:
        node = stack.pop()
        if node.location is None and node.serial > origin.serial and not node.is_variable:
            node.location, node.block = origin.location, origin.block
            stack.extend(entry.node for entry in node.inputs)
