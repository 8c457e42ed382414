"""Visualization of networks: ``mx.viz.print_summary`` and ``mx.viz.plot_network``."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.drawing.drawing import Drawing
from gluonic.drawing.layer_table import LINE_LENGTH, POSITIONS, LayerTable
from gluonic.gluon import HybridBlock
from gluonic.graph import Graph
from gluonic.symbol import Symbol
from gluonic.symbol.inference import SHAPE
from gluonic.symbol.plotting import drawing_of, facts_of, name_of

__all__ = ["plot_network", "print_summary"]

_TITLE = "plot"


def _graph_of(symbol: Any, who: str) -> Graph:
    if not isinstance(symbol, Symbol):
        raise TypeError(f"{who} takes a Symbol, not {type(symbol).__name__}")
    return symbol.graph()


def print_summary(
    symbol: Symbol,
    shape: Mapping[str, tuple[int, ...]] | None = None,
    line_length: int = LINE_LENGTH,
    positions: Sequence[float] = POSITIONS,
) -> None:
    """Print a table of layers, output shapes, numbers of parameters, operations and bytes of results.

    Parameters are counted from inferred shapes; one that several layers read counts for each of them, and
    «unique» counts it once. Values that do not follow from the given shapes are question marks. In a wide table
    totals of blocks follow, of those known from a trace and those inferred from names; there a parameter
    counts once in each block.

    Parameters
    ----------
    symbol : the network
    shape : shapes of inputs by name, the batch's axis first; the table omits this axis
    line_length : the width of the table; it grows where numbers or shapes need more
    positions : the ends of its columns, as fractions of the width or in characters; with four, operations and
        bytes are left out; by default they are shown if the width is 110 or more
    """
    graph = _graph_of(symbol, "print_summary")
    table = LayerTable(
        graph,
        facts_of(graph, SHAPE, shape or {}),
        data=shape or {},
        with_shapes=shape is not None,
    )
    for line in table.lines(line_length, positions):
        print(line)


def plot_network(
    symbol: Symbol | HybridBlock,
    title: str = _TITLE,
    save_format: str = "html",
    shape: Mapping[str, tuple[int, ...]] | None = None,
    dtype: Mapping[str, Any] | None = None,
    node_attrs: Mapping[str, str] | None = None,
    hide_weights: bool = True,
) -> Drawing:
    """Draw a network; Graphviz is not needed.

    Parameters
    ----------
    symbol : the network, or a block; operators that gluonic does not have are drawn, too
    title : the heading; also where `render` writes without a name, as in MXNet
    save_format : ``html`` (a page), ``pdf``, ``svg``, ``dot``; ``png`` needs Chromium, others Graphviz
    shape, dtype : shapes and dtypes of inputs by name, for the arrows' labels
    node_attrs : Graphviz attributes of all nodes, for ``.source``
    hide_weights : leave out weights, biases and the like

    Returns
    -------
    Drawing
        with ``render("file")``, ``view()``, ``source``; a notebook shows it

    Warns
    -----
    RuntimeWarning
        if several nodes have one name; they are drawn apart
    """
    is_block = isinstance(symbol, HybridBlock)
    graph = symbol.plot().page.graph if is_block else _graph_of(symbol, "plot_network")
    names: dict[str, int] = {}
    for node in graph.nodes:
        names[node.name] = names.get(node.name, 0) + 1
    repeated = [name for name, count in names.items() if count > 1]
    if repeated:
        warnings.warn(
            "There are multiple variables with the same name in your graph; "
            f"they are drawn apart. Repeated names: {', '.join(repeated[:20])}",
            RuntimeWarning,
            stacklevel=2,
        )
    drawing = drawing_of(
        graph,
        title,
        heading=name_of(graph) if title == _TITLE else title,
        shape=shape,
        dtype=dtype,
        save_format=save_format,
        node_attributes=node_attrs,
        hide_parameters=hide_weights,
    )
    drawing.default_filename = f"{title}.gv"  # it is the user's, not a name from the graph
    return drawing
