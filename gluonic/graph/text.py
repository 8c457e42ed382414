"""A graph as a readable program: one line for each operator, with the attributes that are not defaults."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from gluonic.graph.node import Entry, Graph, Node


def graph_text(graph: Graph) -> str:
    """A graph as a program.

    Parameters
    ----------
    graph : the graph

    Returns
    -------
    str
        a line for each operator, then a ``return``; variables appear by name

    Examples
    --------
    >>> from gluonic.graph.builder import F
    >>> x = Node(None, "x").entry()
    >>> print(graph_text(Graph([F.relu(F.sum(x, axis=1)) * 2])))
    sum = sum(x, axis=1)
    relu = relu(sum)
    mul_scalar = _mul_scalar(relu, scalar=2.0)
    return mul_scalar
    """
    return "\n".join(_lines(graph))


def _lines(graph: Graph) -> Iterator[str]:
    names = _names(graph)

    def written(entry: Entry) -> str:
        name = names[entry.node]
        return name if entry.node.output_count == 1 else f"{name}[{entry.index}]"

    for node in graph.nodes:
        if node.application is not None:
            given = [*map(written, node.inputs), *_attributes(node)]
            yield f"{names[node]} = {node.operator_name}({', '.join(given)})"
    yield f"return {', '.join(map(written, graph.outputs))}"


def _names(graph: Graph) -> dict[Node, str]:
    """The names of nodes; repeated names are numbered."""
    met: Counter[str] = Counter()
    names: dict[Node, str] = {}
    for node in graph.nodes:
        count = met[node.name]
        met[node.name] += 1
        names[node] = f"{node.name}.{count}" if count else node.name
    return names


def _attributes(node: Node) -> Iterator[str]:
    """The attributes that differ from their defaults."""
    declared = node.applied.op.attributes
    for name, value in node.applied.settings.items():
        default: Any = declared[name].default if name in declared else None
        if value is not None and not (type(value) is type(default) and value == default):
            yield f"{name}={value!r}"
