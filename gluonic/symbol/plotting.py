"""Pictures of symbols: `Symbol.plot`, and code shared with `viz.plot_network` and blocks."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gluonic.codegen import Explanation
from gluonic.drawing.difference import Difference, difference
from gluonic.drawing.drawing import Drawing
from gluonic.drawing.page.model import PageFacts
from gluonic.drawing.page.source import GraphPage
from gluonic.drawing.page.times import Times
from gluonic.drawing.picture import picture
from gluonic.graph import Graph
from gluonic.graph.infer import Facts
from gluonic.symbol.inference import DTYPE, SHAPE, Kind, given_facts, infer_facts


def facts_of(graph: Graph, kind: Kind, given: Mapping[str, Any]) -> Facts:
    """Infer the facts that follow from given ones, by name."""
    return infer_facts(graph, kind, given_facts(graph, kind, (), given))


def drawing_of(
    graph: Graph,
    title: str,
    *,
    heading: str = "",
    shape: Mapping[str, tuple[int, ...]] | None = None,
    dtype: Mapping[str, Any] | None = None,
    save_format: str = "html",
    node_attributes: Mapping[str, str] | None = None,
    hide_parameters: bool = True,
    values: Mapping[str, np.ndarray[Any, Any]] | None = None,
    parameters: frozenset[str] | None = None,
    explanation: Explanation | None = None,
    times: Times | None = None,
) -> Drawing:
    """Draw a graph.

    Parameters
    ----------
    graph : the graph
    title : the name of the drawing, and of its files
    heading : the heading of the page; if empty, the title
    shape, dtype : of inputs by name
    save_format : see `Drawing`
    node_attributes : Graphviz attributes of all nodes
    hide_parameters : omit the boxes of parameters
    values : of parameters by name
    parameters : the variables that are parameters; None to infer them from names and readers
    explanation, times : the explanation of the compiled graph, and its measured times
    """
    shapes = None if shape is None else facts_of(graph, SHAPE, shape)
    dtypes = None if dtype is None else facts_of(graph, DTYPE, dtype)
    drawn = picture(
        graph, title=title, shapes=shapes, dtypes=dtypes, hide_parameters=hide_parameters
    )
    facts = PageFacts(shapes, dtypes, values or {}, parameters)
    page = GraphPage(heading or title, graph, facts, hide_parameters, explanation, times)
    return Drawing(drawn, save_format, node_attributes or {}, page)


def name_of(graph: Graph) -> str:
    """The name of a graph without a name: that of its first output."""
    return graph.outputs[0].node.name if graph.outputs else "graph"


def drawing_of_difference(
    old: Graph,
    new: Graph,
    title: str,
    shape: Mapping[str, tuple[int, ...]],
    save_format: str = "html",
) -> Drawing:
    """Draw the differences of two graphs: operators added, removed and changed; names are ignored.

    Parameters
    ----------
    old, new : the graphs
    title : the heading
    shape : of inputs by name, in either graph
    save_format : see `Drawing`
    """
    return drawing_of_found(difference_of(old, new, shape), title, save_format)


def difference_of(old: Graph, new: Graph, shape: Mapping[str, tuple[int, ...]]) -> Difference:
    """Compare two graphs, given the shapes of inputs in either."""
    graphs = old, new
    names = [{node.name for node in graph.variables} for graph in graphs]
    before, after = (
        facts_of(graph, SHAPE, {name: s for name, s in shape.items() if name in known})
        for graph, known in zip(graphs, names, strict=True)
    )
    return difference(old, new, (before, after))


def drawing_of_found(found: Difference, title: str, save_format: str = "html") -> Drawing:
    """Draw differences."""
    drawn = picture(found.graph, title=title, shapes=found.facts)
    page = GraphPage(title, found.graph, PageFacts(found.facts), marks=found.marks)
    return Drawing(drawn, save_format, {}, page)
