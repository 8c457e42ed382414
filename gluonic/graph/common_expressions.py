"""Equal computations become one, as the graph that an executor shows has them."""

from collections.abc import Sequence
from typing import Any

from gluonic.graph.node import Entry, Graph, Node, make_node
from gluonic.graph.simplify import first_alike


def without_common_expressions(graph: Graph) -> Graph:
    """Compute once what is computed twice from the same inputs.

    Before, ``plus0(a, b) + plus1(a, b)``; after, ``plus0(a, b) + plus0(a, b)``. What draws random numbers,
    keeps or updates a state or has no inputs stays as it is. Outputs stay apart: of outputs that have
    become one, all but the first are copies.

    Parameters
    ----------
    graph : the graph, which stays as it is
    """
    known: dict[Any, Node] = {}

    def replace(node: Node, inputs: Sequence[Entry]) -> Node | None:
        if node.application is None or not inputs:
            return None
        return first_alike(node, inputs, known)

    merged = graph.rewrite(replace)
    copies: dict[Entry, int] = {}
    outputs: list[Entry] = []
    for before, entry in zip(graph.outputs, merged.outputs, strict=True):
        count = copies.get(entry)
        copies[entry] = 0 if count is None else count + 1
        if count is not None and before not in graph.outputs[: len(outputs)]:
            entry = make_node("_copy", [entry], name=f"{entry.node.name}_{count}_copy").entry()
        outputs.append(entry)
    return Graph(outputs)
