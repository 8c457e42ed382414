"""What failed in a graph, kept with the error that tells of it, so that it can be drawn."""

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
    """Keep with an error the operator that it is about; the innermost stays.

    The picture is written if ``GLUONIC_PICTURES`` names a folder.

    Parameters
    ----------
    error : the error
    node : the operator
    facts : what is known of it and of what it reads, for each output a shape or dtype, or None
    kind : ``"shape"`` or ``"dtype"``
    """
    if error.failed is not None:
        return
    error.failed = node, kind, facts
    if os.environ.get("GLUONIC_PICTURES"):
        error.facts.append(f"a picture: {pictures.write_if_asked(error.picture())}")


def add_facts(error: MXNetError, shapes: Mapping[Node, Sequence[Any]]) -> None:
    """Add the shapes of variables to what is known of what failed, if nothing was known of them."""
    if error.failed is not None and error.failed[1] == "shape":
        node, kind, known = error.failed
        error.failed = node, kind, {**shapes, **known}


def not_made(name: str, inputs: Iterable[Entry], location: Location | None) -> Node:
    """A node that stands for one that could not be made.

    Parameters
    ----------
    name : what was called
    inputs : what it would have read
    location : the user's line
    """
    read = list(inputs)
    return Node(placeholder(name, len(read), 1, (), {}), name, read, location=location)
