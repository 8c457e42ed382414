"""Common subexpression elimination, for the graph that an executor shows and for interpreted calls."""

from collections.abc import Sequence
from typing import Any

from gluonic.graph.node import Entry, Graph, Node, make_node
from gluonic.graph.simplify import first_alike


def without_common_expressions(graph: Graph) -> Graph:
    """Merge nodes that compute the same from the same inputs.

    Before, ``plus0(a, b) + plus1(a, b)``; after, ``plus0(a, b) + plus0(a, b)``. Nodes that draw random
    numbers, keep, read or update a state or have no inputs are not merged. Outputs stay distinct: if several
    become one, all but the first are copies.

    Parameters
    ----------
    graph : the graph, which is not changed
    """
    known: dict[Any, Node] = {}
    states = set(graph.states)

    def replace(node: Node, inputs: Sequence[Entry]) -> Node | None:
        if node.application is None or not inputs:
            return None
        if states and any(entry.node in states for entry in inputs):
            return None  # another node may write to it in between
        return first_alike(node, inputs, known)

    merged = graph.rewrite(replace)
    if merged is graph:
        return graph
    copies: dict[Entry, int] = {}
    outputs: list[Entry] = []
    for before, entry in zip(graph.outputs, merged.outputs, strict=True):
        count = copies.get(entry)
        copies[entry] = 0 if count is None else count + 1
        if count is not None and before not in graph.outputs[: len(outputs)]:
            entry = make_node("_copy", [entry], name=f"{entry.node.name}_{count}_copy").entry()
        outputs.append(entry)
    return Graph(outputs)
