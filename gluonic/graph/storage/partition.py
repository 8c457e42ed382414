"""Partition of a graph with sparse arrays: operators on stored values, and dense graphs between them."""

from collections.abc import Mapping
from typing import NamedTuple

from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.storage.forms import is_stored
from gluonic.graph.storage.inference import gives_rows, infer_kinds


class Part(NamedTuple):
    """Nodes that run together.

    Attributes
    ----------
    nodes : the nodes in run order
    is_dense : whether nothing in them is sparse, so that they can be compiled as one graph; otherwise there is
        only one node
    """

    nodes: tuple[Node, ...]
    is_dense: bool

    def given(self) -> list[Entry]:
        """The entries of other parts that the nodes read, each once."""
        own = set(self.nodes)
        read = (entry for node in self.nodes for entry in node.inputs)
        return list(dict.fromkeys(entry for entry in read if entry.node not in own))

    def read_elsewhere(self, graph: Graph) -> list[Entry]:
        """The nodes' entries that other parts read, or that are outputs of the graph."""
        own, outputs = set(self.nodes), set(graph.outputs)
        read = {
            entry
            for node in self.nodes
            for reader in graph.consumers.get(node, ())
            if reader not in own
            for entry in reader.inputs
        }
        entries = (node.entry(index) for node in self.nodes for index in range(node.output_count))
        return [entry for entry in entries if entry in read or entry in outputs]


def parts_of(graph: Graph, kinds: Mapping[str, str], rows: frozenset[str]) -> list[Part]:
    """Divide a graph into parts that can run one after the other.

    Operators that draw random numbers or update states run in the order of the graph: if parts would change it,
    each operator is a part.

    Parameters
    ----------
    kinds : storage kinds of variables by name
    rows : the names of variables whose gradients are sparse
    """
    stored = _stored(graph, kinds, rows)
    operators = [node for node in graph.run_order if node.application is not None]
    levels = _levels(graph, stored)
    parts: list[Part] = []
    for level in range(1 + max(levels.values(), default=0)):
        here = [node for node in operators if levels[node] == level]
        parts += [Part((node,), is_dense=False) for node in here if node in stored]
        dense = tuple(node for node in here if node not in stored)
        if dense:
            parts.append(Part(dense, is_dense=True))
    planned = [node for part in parts for node in part.nodes]
    if list(filter(_has_effects, planned)) != list(filter(_has_effects, operators)):
        return [Part((node,), is_dense=False) for node in operators]
    return parts


def _has_effects(node: Node) -> bool:
    application = node.applied
    return application.op.run_name is not None or bool(application.states)


def _stored(graph: Graph, given: Mapping[str, str], rows: frozenset[str]) -> set[Node]:
    """The nodes with a sparse input, output or gradient."""
    kinds = infer_kinds(graph, given)
    stored = set()
    for node in graph.nodes:
        if node.application is None:
            continue
        back = any(
            entry.node.name in rows and gives_rows(node, position, kinds)
            for position, entry in enumerate(node.inputs)
            if entry.node.is_variable
        )
        if back or is_stored(node.application, [kinds[entry] for entry in node.inputs]):
            stored.add(node)
    return stored


def _levels(graph: Graph, stored: set[Node]) -> dict[Node, int]:
    """The minimum number of dense parts that must run before each node."""
    levels: dict[Node, int] = {}
    for node in graph.nodes:
        if node.application is not None:
            levels[node] = max(
                (
                    levels[entry.node] + (node in stored and entry.node not in stored)
                    for entry in node.inputs
                    if entry.node in levels
                ),
                default=0,
            )
    return levels
