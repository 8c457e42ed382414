"""Visualization of networks: ``mx.viz.print_summary`` and ``mx.viz.plot_network``."""

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gluonic.drawing.costs import cost_of
from gluonic.drawing.drawing import Drawing
from gluonic.drawing.families import looks_like_parameter
from gluonic.drawing.page.model import PageFacts, PageModel
from gluonic.drawing.static.shown_graph import ROOT, ShownGraph
from gluonic.gluon import HybridBlock
from gluonic.graph import Graph, Node
from gluonic.graph.infer import Facts
from gluonic.symbol import Symbol
from gluonic.symbol.inference import SHAPE
from gluonic.symbol.plotting import drawing_of, facts_of, name_of

__all__ = ["plot_network", "print_summary"]

_TITLE = "plot"
_HEADINGS = ("Layer (type)", "Output Shape", "Param #", "FLOPs", "Memory", "Previous Layer")
_COSTS = slice(3, 5)
_POSITIONS = (0.44, 0.64, 0.74, 1.0)
_WIDE_POSITIONS = (0.36, 0.53, 0.63, 0.72, 0.81, 1.0)
_BLOCK_POSITIONS = (0.5, 0.65, 0.82, 1.0)
_WIDE = 110
_DATA_INPUTS = ("data", "label", "indices", "index")


def _graph_of(symbol: Any, who: str) -> Graph:
    if not isinstance(symbol, Symbol):
        raise TypeError(f"{who} takes a Symbol, not {type(symbol).__name__}")
    return symbol.graph()


# ------------------------------------------------------------------------------ the table


class _Layer(NamedTuple):
    """A row of the table: a node, and the parameters that it reads."""

    node: Node
    parameters: list[Node]


def print_summary(
    symbol: Symbol,
    shape: Mapping[str, tuple[int, ...]] | None = None,
    line_length: int = 120,
    positions: Sequence[float] = _POSITIONS,
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
    line_length : the width of the table
    positions : the ends of its columns, as fractions of the width or in characters; with four, operations and
        bytes are left out; by default they are shown if the width is 110 or more
    """
    graph = _graph_of(symbol, "print_summary")
    facts = facts_of(graph, SHAPE, shape or {})
    if tuple(positions) == _POSITIONS and line_length >= _WIDE:
        positions = _WIDE_POSITIONS
    ends = [int(line_length * p) if positions[-1] <= 1 else int(p) for p in positions]
    layers = _layers(graph, shape or {})
    print("_" * line_length)
    print(_row(_HEADINGS, ends))
    print("=" * line_length)
    for number, layer in enumerate(layers):
        _print_layer(layer, facts, ends, with_shape=shape is not None)
        print(("=" if number == len(layers) - 1 else "_") * line_length)
    for line in _totals(graph, layers, facts):
        print(line)
    print("_" * line_length)
    for line in _blocks(graph, facts, line_length):
        print(line)


def _layers(graph: Graph, given: Mapping[str, Any]) -> list[_Layer]:
    """List the data inputs, and the operators with their parameters."""
    data: dict[Node, None] = {}
    layers: dict[Node, list[Node]] = {}
    states = set(graph.states)
    for node in graph.nodes:
        if node.application is None:
            continue
        layers[node] = []
        for name, entry in zip(node.application.inputs, node.inputs, strict=True):
            variable = entry.node
            if not variable.is_variable or variable in states:
                continue
            if _is_data(variable, name, given):
                data[variable] = None
            else:
                layers[node].append(variable)
    shared = {parameter for parameters in layers.values() for parameter in parameters}
    return [
        _Layer(node, layers.get(node, []))
        for node in graph.nodes
        if node in layers or (node in data and node not in shared) or len(graph.nodes) == 1
    ]


def _is_data(variable: Node, input_name: str, given: Mapping[str, Any]) -> bool:
    """Whether a variable is an input rather than a parameter."""
    if variable.name in given or variable.name.endswith("label"):
        return True
    return input_name in _DATA_INPUTS and not looks_like_parameter(variable.name)


def _row(fields: Sequence[str], ends: Sequence[int]) -> str:
    """A line of the table; where it has four columns, costs are left out."""
    if len(ends) == len(fields) - 2:
        fields = [*fields[: _COSTS.start], *fields[_COSTS.stop :]]
    line = ""
    for field, end in zip(fields, ends, strict=True):
        line = (line + field)[:end].ljust(end)
    return line


def _print_layer(layer: _Layer, facts: Facts, ends: Sequence[int], *, with_shape: bool) -> None:
    node = layer.node
    shape = facts[node][0] if with_shape else None
    previous = [
        e.node.name for e in node.inputs if not e.node.is_variable or _is_layer(e.node, layer)
    ]
    count = _count(layer.parameters, facts)
    first = (
        f"{node.name}({node.operator_name})",
        "" if shape is None else "x".join("?" if a is None else str(a) for a in shape[1:]),
        "?" if count is None else str(count),
        *_costs(node, facts),
        previous[0] if previous else "",
    )
    print(_row(first, ends))
    for name in previous[1:]:
        print(_row(("", "", "", "", "", name), ends))


def _costs(node: Node, facts: Facts) -> tuple[str, str]:
    """The operations of a node, and the bytes of its results, as far as they follow from shapes."""
    cost = cost_of(node, facts)
    if cost is None:
        return "", ""
    return f"{cost.operations:,}", f"{cost.written:,}"


def _is_layer(variable: Node, reader: _Layer) -> bool:
    """Whether a variable has a row of its own: a data input."""
    return variable not in reader.parameters and not looks_like_parameter(variable.name)


def _count(parameters: Sequence[Node], facts: Facts) -> int | None:
    """The number of elements of parameters, None if a shape is unknown."""
    shapes = [facts[node][0] for node in parameters]
    if any(shape is None or None in shape for shape in shapes):
        return None
    return sum(int(math.prod(shape)) for shape in shapes)


def _totals(graph: Graph, layers: Sequence[_Layer], facts: Facts) -> list[str]:
    uses = [parameter for layer in layers for parameter in layer.parameters]
    known = [node for node in uses if _count([node], facts) is not None]
    total, unique = _count(known, facts) or 0, _count(list(dict.fromkeys(known)), facts) or 0
    states = [node for node in graph.states if _count([node], facts) is not None]
    unknown = list(dict.fromkeys(node.name for node in uses if node not in set(known)))
    lines = [f"Total params: {total}"]
    if total != unique:
        lines.append(f"Unique params: {unique}, shared: {total - unique}")
    if states:
        lines.append(f"Auxiliary states: {_count(states, facts)}")
    costs = [cost for layer in layers if (cost := cost_of(layer.node, facts)) is not None]
    if costs:
        lines.append(f"Total FLOPs: {sum(cost.operations for cost in costs):,}")
        weights, results = 4 * unique, sum(cost.written for cost in costs)
        lines.append(f"Memory in bytes: parameters {weights:,}, results {results:,}")
    if unknown:
        names = ", ".join(unknown[:6]) + (", …" if len(unknown) > 6 else "")
        lines.append(f"Not counted, for their shapes do not follow: {names}")
    return lines


def _blocks(graph: Graph, facts: Facts, line_length: int) -> Iterator[str]:
    """The totals of blocks, nested ones indented; nothing if there are none, or no room."""
    model = PageModel("")
    model.add(graph, PageFacts(facts))
    shown = ShownGraph(model.json())
    blocks = _nested_blocks(shown)
    if not blocks or line_length < _WIDE:
        return
    ends = [int(line_length * p) for p in _BLOCK_POSITIONS]
    yield _row(("Block", *_HEADINGS[2:5]), ends)
    yield "=" * line_length
    for block, depth in blocks:
        total = shown.total(block)
        title = " ".join(filter(None, (shown.title(block), shown.subtitle(block))))
        counts = (f"{n:,}" for n in (total.parameters, total.operations, total.written))
        yield _row(("  " * depth + title, *counts), ends)
    yield "_" * line_length


def _nested_blocks(shown: ShownGraph) -> list[tuple[int, int]]:
    """The blocks with their depths, each before those in it."""
    found, stack = [], [(ROOT, -1)]
    while stack:
        block, depth = stack.pop()
        found.append((block, depth))
        inner = [(member, depth + 1) for member in shown.members(block) if member < 0]
        stack += reversed(inner)
    return found[1:]


# ------------------------------------------------------------------------------ the picture


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
    title : the heading
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
    return drawing_of(
        graph,
        title,
        heading=name_of(graph) if title == _TITLE else title,
        shape=shape,
        dtype=dtype,
        save_format=save_format,
        node_attributes=node_attrs,
        hide_parameters=hide_weights,
    )
