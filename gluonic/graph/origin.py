"""Where nodes that a pass or a rule makes come from: the user's line and the block of the node they serve."""

from collections.abc import Iterable

from gluonic.graph.node import Entry, Node


def give_origin(made: Iterable[Entry], origin: Node) -> None:
    """Have new nodes, and the new ones that they read, point where the node points whose work they do."""
    if origin.location is None:
        return
    stack = [entry.node for entry in made]
    while stack:
        node = stack.pop()
        if node.location is None and node.serial > origin.serial and not node.is_variable:
            node.location, node.block = origin.location, origin.block
            stack.extend(entry.node for entry in node.inputs)
