"""Monitors of executors: the values that are reported, and their names."""

from collections import Counter
from collections.abc import Callable, Sequence

from gluonic.graph import Entry, Graph, Node
from gluonic.graph.monitoring import input_names
from gluonic.graph.storage.values import Value
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import Context
from gluonic.ndarray.storage.arrays import made

Monitor = Callable[[str, NDArray], None]


class RunMonitor:
    """The reports of a graph's runs to a monitor.

    Parameters
    ----------
    graph : the graph that runs
    callback : called with a name and an array
    with_inputs : whether to report the operators' inputs as well
    context : of the arrays

    Attributes
    ----------
    entries : the values of the forward run to report
    """

    def __init__(
        self, graph: Graph, callback: Monitor, with_inputs: bool, context: Context
    ) -> None:
        self._callback, self._context = callback, context
        found: list[tuple[str, Entry]] = []
        for node in graph.nodes:
            if node.application is None:
                continue
            if with_inputs:
                for name, entry in zip(input_names(node.application), node.inputs, strict=True):
                    if entry.node.is_variable:
                        found.append((entry.node.name, entry))
                    found.append((f"{node.name}_{name}", entry))
            found += [(e.name, e) for e in map(node.entry, range(node.output_count))]
        self._names, self.entries = [name for name, _ in found], [entry for _, entry in found]

    def tell(self, values: Sequence[Value]) -> None:
        """Report the values of a forward run."""
        self._tell(self._names, values)

    def tell_gradients(self, nodes: Sequence[tuple[Node, int]], values: Sequence[Value]) -> None:
        """Report contributions to gradients, by node and input.

        In MXNet these are outputs of the nodes that compute the gradients, and are named so.
        """
        counts = Counter(node for node, _ in nodes)
        names = [
            f"{node.name}_backward_output{position if counts[node] > 1 else ''}"
            for node, position in nodes
        ]
        self._tell(names, values)

    def _tell(self, names: Sequence[str], values: Sequence[Value]) -> None:
        for name, value in zip(names, values, strict=True):
            self._callback(name, made(value, self._context))
