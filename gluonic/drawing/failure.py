"""The picture of an error: the graph up to the operator that shapes or dtypes do not fit."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gluonic.drawing.drawing import Drawing
from gluonic.drawing.page.marks import Marks
from gluonic.drawing.page.model import PageFacts
from gluonic.drawing.page.source import GraphPage
from gluonic.drawing.picture import picture
from gluonic.graph import Graph, Node
from gluonic.graph.files import write_atomically


def drawing_of_failure(
    node: Node, kind: str, facts: Mapping[Node, Sequence[Any]], message: str
) -> Drawing:
    """Draw what an operator reads, and the operator, marked.

    Parameters
    ----------
    node : the operator
    kind : ``"shape"`` or ``"dtype"``
    facts : those that were known then
    message : the error's
    """
    graph = Graph([node.entry()])
    title = f"{node.name} failed"
    known = {n: list(facts[n]) for n in graph.nodes}
    shapes, dtypes = (known, None) if kind == "shape" else (None, known)
    gist = message.splitlines()[0]
    marks = Marks(gist, {node: "failed"}, {node: message.splitlines()})
    drawn = picture(graph, title=title, shapes=shapes, dtypes=dtypes)
    page = GraphPage(title, graph, PageFacts(shapes, dtypes), marks=marks)
    return Drawing(drawn, "html", {}, page)


def write_if_asked(drawing: Drawing) -> str:
    """Write the page into the folder that ``GLUONIC_PICTURES`` names; its path."""
    folder = Path(os.environ["GLUONIC_PICTURES"])
    folder.mkdir(parents=True, exist_ok=True)
    handle, path = tempfile.mkstemp(prefix="failed-", suffix=".html", dir=folder)
    os.close(handle)
    write_atomically(Path(path), drawing.pipe("html"))
    return path
