"""Arrays without inputs whose shapes have open axes: ``sym.zeros((0, 4))`` takes these from its consumers.

An axis that no consumer determines has the stated length, so 0. If no shape is stated, as in
``sym.random.uniform()``, the whole shape is that of the consumers, or ``(1,)``.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.graph.infer import Facts, infer
from gluonic.graph.node import Graph, Node
from gluonic.graph.shape_semantics import inward
from gluonic.graph.view import NodeView, PartialShape


def stated_shape(n: NodeView) -> None:
    """The shape rule: the output has the stated shape, as far as it is known."""
    n.output = inward(n.shape)


def has_open_shape(node: Node) -> bool:
    """Whether a node without inputs makes an array whose shape it does not fully state."""
    application = node.application
    if application is None or application.inputs or "shape" not in application.settings:
        return False
    op, shape = application.op, application.settings["shape"]
    if op.dynamic or op.name.startswith("_np"):
        return False  # NumPy's shapes are literal; that of a gamma distribution is a number
    found = inward(shape)
    return found is None or None in found


def has_open_shapes(graph: Graph) -> bool:
    """Whether shapes must be inferred before the graph can run."""
    return any(map(has_open_shape, graph.nodes))


def infer_open_shapes(graph: Graph, known: Mapping[Node, PartialShape]) -> Facts:
    """Infer all shapes of a graph; axes that stay open have their nodes' stated lengths.

    Parameters
    ----------
    graph : the graph
    known : the shapes of its variables

    Raises
    ------
    InferenceError
        where two facts contradict each other
    """
    facts = infer(graph, "shape", known)
    left = {
        node: _stated(node.applied.settings["shape"], facts[node][0])
        for node in graph.nodes
        if has_open_shape(node) and (facts[node][0] is None or None in facts[node][0])
    }
    return infer(graph, "shape", {**known, **left}) if left else facts


def _stated(shape: Sequence[int | None] | None, found: PartialShape | None) -> PartialShape | None:
    """The inferred shape, with unknown axes as stated; -1 states nothing, and neither does a different rank."""
    if shape is None:
        return (1,) if found is None else found
    kept = found if found is not None else (None,) * len(shape)
    if len(kept) != len(shape):
        return kept
    pairs = zip(kept, shape, strict=True)
    return tuple([own if own is not None or axis == -1 else axis for own, axis in pairs])


def with_found_shapes(graph: Graph, known: Mapping[Node, tuple[int, ...]]) -> Graph:
    """Fill in open shapes; the same graph if there is none.

    Before, ``zeros(shape=(0, 4)) + x``; after, for an ``x`` of two rows, ``zeros(shape=(2, 4)) + x``.

    Parameters
    ----------
    graph : the graph
    known : the shapes of its variables
    """
    if not has_open_shapes(graph):
        return graph
    variables = set(graph.variables)
    facts = infer_open_shapes(graph, {n: shape for n, shape in known.items() if n in variables})

    def replace(node: Node, inputs: Sequence[Any]) -> Node | None:
        return with_shape(node, facts[node][0]) if has_open_shape(node) else None

    return graph.rewrite(replace)


def with_shape(node: Node, shape: PartialShape | None) -> Node | None:
    """The node with that shape stated; None if the shape is unknown, or stated already."""
    settings = node.applied.settings
    if shape is None or None in shape or shape == settings["shape"]:
        return None
    return node.with_application(node.applied.op.apply({**settings, "shape": shape}), [])
