"""The picture of an error: the graph up to the operator whose shapes or dtypes do not fit."""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gluonic.drawing.drawing import Drawing
from gluonic.drawing.page.marks import Marks
from gluonic.drawing.page.model import PageFacts
from gluonic.drawing.page.source import GraphPage
from gluonic.drawing.picture import picture
from gluonic.graph import Graph, Node
from gluonic.graph.errors import InferenceError
from gluonic.graph.files import write_atomically
from gluonic.graph.infer import infer


def drawing_of_failure(
    node: Node | Callable[[], Node],
    kind: str,
    facts: Mapping[Node, Sequence[Any]],
    message: str,
) -> Drawing:
    """Draw an operator, marked, and the graph below it.

    Parameters
    ----------
    node : the operator, or a function that creates it
    kind : ``"shape"`` or ``"dtype"``
    facts : the facts known at that time, of all nodes or only of variables, from which the others are inferred
    message : the message of the error
    """
    node = node if isinstance(node, Node) else node()
    graph = Graph([node.entry()])
    title = f"{node.name} failed"
    known = _all_facts(graph, node, kind, facts)
    shapes, dtypes = (known, None) if kind == "shape" else (None, known)
    gist = message.splitlines()[0]
    marks = Marks(gist, {node: "failed"}, {node: message.splitlines()})
    drawn = picture(graph, title=title, shapes=shapes, dtypes=dtypes)
    page = GraphPage(title, graph, PageFacts(shapes, dtypes), marks=marks)
    return Drawing(drawn, "html", {}, page)


def _all_facts(
    graph: Graph, failed: Node, kind: str, facts: Mapping[Node, Sequence[Any]]
) -> dict[Node, list[Any]]:
    """The facts about each node: the given ones, and those inferred for the inputs of the failed one."""
    found = {n: list(facts.get(n, [None] * n.output_count)) for n in graph.nodes}
    if not facts or all(n in facts or n is failed for n in graph.nodes if not n.is_variable):
        return found
    given = {n: facts[n][0] for n in graph.variables if n in facts}
    before = Graph(failed.inputs)
    try:
        return found | infer(
            before, kind, {n: f for n, f in given.items() if n in before.consumers}
        )
    except InferenceError:  # the traced facts do not fit, either, which was not checked before
        return found


def write_if_asked(drawing: Drawing) -> str:
    """Write the page to the folder in ``GLUONIC_PICTURES``; return its path."""
    folder = Path(os.environ["GLUONIC_PICTURES"])
    folder.mkdir(parents=True, exist_ok=True)
    handle, path = tempfile.mkstemp(prefix="failed-", suffix=".html", dir=folder)
    os.close(handle)
    write_atomically(Path(path), drawing.pipe("html"))
    return path
