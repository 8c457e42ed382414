"""`F` for gradient rules on graphs: ``F.name(entries…, attribute=value)`` makes a node."""

from collections.abc import Callable
from typing import Any

from gluonic.graph.node import Entry, make_node


class Builder:
    """A namespace of all operators that applies them to graph entries.

    Examples
    --------
    >>> from gluonic.graph import Node
    >>> x = Node(None, "x").entry()
    >>> Builder().broadcast_add(x, x)
    <Entry broadcast_add_output>
    """

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):  # Python looks up protocols this way: copying, arrays, pickling
            raise AttributeError(f"F has no {name!r}", name=name, obj=self)

        def apply(*inputs: Entry, **attributes: Any) -> Any:
            present = [entry for entry in inputs if entry is not None]
            node = make_node(name, present, attributes)
            if node.output_count == 1:
                return node.entry()
            return [node.entry(i) for i in range(node.output_count)]

        return apply


F = Builder()
