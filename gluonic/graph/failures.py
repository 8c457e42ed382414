"""The node of a graph that failed, kept with the error so that it can be drawn."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gluonic.graph import pictures
from gluonic.graph.errors import Location, MXNetError
from gluonic.graph.json.placeholder import placeholder
from gluonic.graph.node import Entry, Node


def note_failure(
    error: MXNetError, node: Node, facts: Mapping[Node, Sequence[Any]], kind: str = "shape"
) -> None:
    """Attach the node at fault to an error; the first one attached, the innermost, is kept.

    The picture is written if ``GLUONIC_PICTURES`` names a folder.

    Parameters
    ----------
    error : the error
    node : the node
    facts : for it and its inputs' nodes, the known shape or dtype of each output, or None
    kind : ``"shape"`` or ``"dtype"``
    """
    if error.failed is not None:
        return
    error.failed = node, kind, facts
    if os.environ.get("GLUONIC_PICTURES"):
        error.facts.append(f"a picture: {pictures.write_if_asked(error.picture())}")


def add_facts(error: MXNetError, shapes: Mapping[Node, Sequence[Any]]) -> None:
    """Add the shapes of variables to the facts of the failed node, unless these are known already."""
    if error.failed is not None and error.failed[1] == "shape":
        node, kind, known = error.failed
        error.failed = node, kind, {**shapes, **known}


def not_made(name: str, inputs: Iterable[Entry], location: Location | None) -> Node:
    """A placeholder for a node that could not be made.

    Parameters
    ----------
    name : the name of the operator
    inputs : the inputs it would have had
    location : the user's line
    """
    read = list(inputs)
    return Node(placeholder(name, len(read), 1, (), {}), name, read, location=location)
