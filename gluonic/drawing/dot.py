"""A picture as text in Graphviz's language, with the methods of `graphviz.Digraph` that MXNet's users call."""

from collections.abc import Iterator, Mapping
from typing import Any

from gluonic.drawing.families import FAMILIES
from gluonic.drawing.picture import Picture


def quoted(text: str) -> str:
    r"""Quote a text for Graphviz.

    >>> print(quoted('a "b"'))
    "a \"b\""
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", " ").replace("\n", "\\n")
    return f'"{escaped}"'


def _attributes(attributes: Mapping[str, Any]) -> str:
    inside = " ".join(f"{name}={quoted(str(value))}" for name, value in attributes.items())
    return f" [{inside}]" if inside else ""


def node_line(name: str, label: str | None, attributes: Mapping[str, Any]) -> str:
    """Write a node."""
    given = attributes if label is None else {"label": label, **attributes}
    return f"\t{quoted(name)}{_attributes(given)}\n"


def edge_line(tail: str, head: str, label: str | None, attributes: Mapping[str, Any]) -> str:
    """Write an edge."""
    given = attributes if label is None else {"label": label, **attributes}
    return f"\t{quoted(tail)} -> {quoted(head)}{_attributes(given)}\n"


def dot_lines(picture: Picture, node_attributes: Mapping[str, str]) -> Iterator[str]:
    """Write the nodes and edges of a picture; as in MXNet, edges go from a reader to its input.

    Nodes with equal names are distinguished by a number.
    """
    names: dict[str, int] = {}
    identifiers = []
    for box in picture.boxes:
        name = box.node.name
        names[name] = names.get(name, 0) + 1
        identifiers.append(name if names[name] == 1 else f"{name} ({names[name]})")
    plain = {"shape": "box", "fixedsize": "true", "width": "1.3", "height": "0.8034"}
    plain |= {"style": "filled"} | dict(node_attributes)
    for identifier, box in zip(identifiers, picture.boxes, strict=True):
        attributes = dict(plain)
        if box.node.is_variable and "shape" not in node_attributes:
            attributes["shape"] = "oval"
        attributes["fillcolor"] = FAMILIES[box.family].fill
        label = "\n".join(filter(None, (box.title, box.detail)))
        yield node_line(identifier, label, attributes)
    for arrow in picture.arrows:
        attributes = {"dir": "back", "arrowtail": "open"}
        yield edge_line(
            identifiers[arrow.target], identifiers[arrow.source], arrow.label, attributes
        )
