"""Tracing of functions into separate graphs, for the nodes of loops and branches."""

from collections.abc import Callable, Sequence

from gluonic.codegen import cut
from gluonic.graph import Entry, Node
from gluonic.symbol import op
from gluonic.symbol.scopes import AttrScope, current_attributes, number_subgraph
from gluonic.symbol.symbol import Symbol
from gluonic.symbol.variables import var

SUBGRAPH_NAME = "__subgraph_name__"


class Subgraph:
    """A function traced into a graph that shares no node with the outer graph.

    Parameters
    ----------
    function : maps formal parameters, as symbols, to outputs and new states
    inputs : the inputs of the function; each is a formal parameter
    name : the name of the operator; numbered, it marks the nodes of the graph
    separate : whether a state that is also an output is copied

    Attributes
    ----------
    graph : the graph
    formal : for each of its variables, the index of the input that it represents, or None
    captured : for each of its variables, the outer entry that it represents, if it is not an input
    """

    def __init__(
        self,
        function: Callable[[list[Symbol]], tuple[list[Entry], list[Entry]]],
        inputs: Sequence[Entry],
        name: str,
        *,
        separate: bool = False,
    ) -> None:
        self._first = Node(None, "").serial
        scope = unique_name(name)
        with AttrScope(**{SUBGRAPH_NAME: scope}):
            parameters = [var(f"{entry.node.name}-{entry.index}") for entry in inputs]
            values, states = function([*parameters])
            outputs = [
                *(self._computed(entry) for entry in values),
                *(self._computed(entry, separate and entry in values) for entry in states),
            ]
        numbers = {p.entries[0].node: i for i, p in enumerate(parameters)}
        at = self._boundary(outputs, numbers)
        self.graph = cut(outputs, at)
        outside = {node: entry for entry, node in at.items()}
        variables = self.graph.variables
        self.formal = [numbers.get(node) for node in variables]
        self.captured = [outside.get(node) for node in variables]

    def _is_inside(self, node: Node) -> bool:
        return not node.is_variable and node.serial > self._first

    def _computed(self, entry: Entry, copied: bool = False) -> Entry:
        """Copy an output that is an input, or is computed outside."""
        if not copied and self._is_inside(entry.node):
            return entry
        copy: Entry = op.identity(Symbol([entry])).entries[0]
        return copy

    def _boundary(self, outputs: Sequence[Entry], parameters: dict[Node, int]) -> dict[Entry, Node]:
        """Find the entries from outside, with the variables that represent them inside."""
        found: dict[Entry, Node] = {}
        stack, seen = [entry.node for entry in reversed(outputs)], set[Node]()
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            for entry in node.inputs:
                if self._is_inside(entry.node):
                    stack.append(entry.node)
                elif entry not in found and entry.node not in parameters:
                    found[entry] = _stand_in(entry)
        return found


def _stand_in(entry: Entry) -> Node:
    """Create the variable that represents an entry inside."""
    node = entry.node
    return node.with_application(None, ()) if node.is_variable else Node(None, entry.name)


def unique_name(name: str) -> str:
    """Number the name of a subgraph, prefixed by the name of the one that it is traced in."""
    return number_subgraph(name, current_attributes().get(None).get(SUBGRAPH_NAME))


__all__ = ["SUBGRAPH_NAME", "Subgraph", "unique_name"]
