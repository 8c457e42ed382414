"""A graph run operator by operator, as eager programs run, with the result of each."""

from collections.abc import Iterator, Mapping

from gluonic.graph import Graph, Node
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.invoke import invoke


def each_result(
    graph: Graph, values: Mapping[str, NDArray]
) -> Iterator[tuple[Node, list[NDArray]]]:
    """Run a graph's operators in order; yields each with its results.

    Parameters
    ----------
    graph : the graph
    values : those of its variables by name
    """
    results: dict[Node, list[NDArray]] = {}
    for node in graph.nodes:
        if node.is_variable:
            results[node] = [values[node.name]]
            continue
        inputs = [results[entry.node][entry.index] for entry in node.inputs]
        results[node] = invoke(node.applied, inputs)
        yield node, results[node]
