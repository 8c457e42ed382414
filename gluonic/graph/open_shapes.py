"""Arrays made from nothing whose shapes have open axes: ``sym.zeros((0, 4))`` takes them from its readers."""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.graph.infer import infer
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.shape_semantics import is_open
from gluonic.graph.view import NodeView


def stated_shape(n: NodeView) -> None:
    """The output has the shape that the attribute says, as far as it says (a shape rule)."""
    n.output = tuple(None if is_open(axis) else axis for axis in n.shape)


def _is_open(node: Node) -> bool:
    application = node.application
    if application is None or application.op.shape is not stated_shape:
        return False
    return any(map(is_open, application.settings["shape"]))


def has_open_shapes(graph: Graph) -> bool:
    """Whether shapes must be inferred before the graph can run."""
    return any(map(_is_open, graph.nodes))


def with_found_shapes(graph: Graph, known: Mapping[Node, tuple[int, ...]]) -> Graph:
    """Fill in open shapes.

    Before, ``zeros(shape=(0, 4)) + x``; after, for an ``x`` of two rows, ``zeros(shape=(2, 4)) + x``.

    Parameters
    ----------
    graph : the graph
    known : the shapes of its variables
    """
    variables = set(graph.variables)
    facts = infer(graph, "shape", {n: shape for n, shape in known.items() if n in variables})

    def replace(node: Node, inputs: Sequence[Entry]) -> Node | None:
        shape: Any = facts[node][0]
        if not _is_open(node) or shape is None or None in shape:
            return None
        settings = {**node.applied.settings, "shape": shape}
        closed = node.applied.op.apply(settings)
        return node.with_application(closed, inputs)

    return graph.rewrite(replace)
