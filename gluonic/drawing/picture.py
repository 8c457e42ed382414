"""A graph as boxes and arrows without positions, for Graphviz to lay out.

All graphs can be drawn: with operators that gluonic lacks, with contradicting names, of any depth. Nothing here
recurses.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gluonic.drawing.details import detail, title_of
from gluonic.drawing.families import family_of, looks_like_parameter
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.node_attributes import is_own


class Box(NamedTuple):
    """A node in the picture.

    Attributes
    ----------
    node : the node
    title : the first line: the operator, or the variable's name
    detail : the second line: its important attributes
    family : the family, which determines its colours
    """

    node: Node
    title: str
    detail: str
    family: str


class Arrow(NamedTuple):
    """An arrow between two boxes, by their indices in the list of boxes."""

    source: int
    target: int
    label: str


class Picture(NamedTuple):
    """The contents of a picture.

    Attributes
    ----------
    title : the picture's heading
    boxes : the nodes, in topological order
    arrows : from inputs to their readers
    """

    title: str
    boxes: list[Box]
    arrows: list[Arrow]


Facts = Mapping[Node, Sequence[Any]]


def picture(
    graph: Graph,
    *,
    title: str = "plot",
    shapes: Facts | None = None,
    dtypes: Facts | None = None,
    hide_parameters: bool = True,
) -> Picture:
    """Choose the contents of a picture of a graph.

    Parameters
    ----------
    graph : the graph
    title : the heading
    shapes, dtypes : the known facts, for the arrows' labels
    hide_parameters : omit weights, biases and other parameters
    """
    nodes = [
        node
        for node in graph.nodes
        if not (hide_parameters and node.is_variable and looks_like_parameter(node.name))
    ]
    positions = {node: position for position, node in enumerate(nodes)}
    arrows = [
        Arrow(positions[entry.node], positions[node], fact_text(entry, shapes, dtypes))
        for node in nodes
        for entry in node.inputs
        if entry.node in positions
    ]
    return Picture(title, [_box(node) for node in nodes], arrows)


def fact_text(entry: Entry, shapes: Facts | None, dtypes: Facts | None) -> str:
    """Write the shape and the dtype of an entry as far as they are known: ``2×3 float32``."""
    words = []
    shape = shapes[entry.node][entry.index] if shapes is not None else None
    if shape is not None:
        words.append("×".join("?" if a is None else str(a) for a in shape) or "scalar")
    dtype = dtypes[entry.node][entry.index] if dtypes is not None else None
    if dtype is not None:
        words.append(dtype.name)
    return " ".join(words)


def _box(node: Node) -> Box:
    family = family_of(node)
    if node.application is None:
        return Box(node, node.name or "(unnamed)", "", family)
    attributes = {k: v for k, v in node.attributes.items() if is_own(k)}
    return Box(node, title_of(node), detail(node.operator_name, attributes), family)
