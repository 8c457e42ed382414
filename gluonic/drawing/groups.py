"""Boxes nested in groups."""

from collections.abc import Iterator

from gluonic.graph import Node


class BoxGroup:
    """A block in the picture: boxes and other groups, in order.

    Attributes
    ----------
    name : the prefix of the block's names, as in the user's model; of other groups ``×12``, ``t3`` or a number
    kind : the name of the block's class; ``""`` if unknown
    role : ``block``, ``step`` (of an unrolled net), ``repeat`` (of equal members), ``unit`` (one of them, if it
        is not a block), ``part`` (of a large graph) or ``body`` (of a control flow operator)
    members : nodes and groups
    holder : the node whose body it is
    """

    __slots__ = ("holder", "kind", "members", "name", "role")

    def __init__(self, name: str = "", kind: str = "", role: str = "block") -> None:
        self.name, self.kind, self.role = name, kind, role
        self.members: list[Node | BoxGroup] = []
        self.holder: Node | None = None


def groups_below(root: BoxGroup) -> list[BoxGroup]:
    """List the group and all groups nested in it, outer ones first."""
    found = [root]
    for group in found:
        found += [member for member in group.members if isinstance(member, BoxGroup)]
    return found


def nodes_below(group: BoxGroup) -> Iterator[Node]:
    """List the nodes in a group and in those nested in it, in order."""
    stack: list[Node | BoxGroup] = [group]
    while stack:
        member = stack.pop()
        if isinstance(member, Node):
            yield member
        else:
            stack.extend(reversed(member.members))
