"""The table of a graph's layers: output shapes, numbers of parameters, operations and bytes of results."""

import math
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from gluonic.drawing.costs import cost_of
from gluonic.drawing.families import looks_like_parameter
from gluonic.drawing.page.model import PageFacts, PageModel
from gluonic.drawing.static.shown_graph import ROOT, ShownGraph
from gluonic.graph import Graph, Node
from gluonic.graph.infer import Facts

LINE_LENGTH = 120
POSITIONS = (0.44, 0.64, 0.74, 1.0)
"""The ends of MXNet's columns; in a wide table they make room for the costs."""
_WIDE_POSITIONS = (0.36, 0.53, 0.63, 0.72, 0.81, 1.0)
_BLOCK_POSITIONS = (0.5, 0.65, 0.82, 1.0)
_WIDE = 110
_HEADINGS = ("Layer (type)", "Output Shape", "Param #", "FLOPs", "Memory", "Previous Layer")
_COSTS = slice(3, 5)
_DATA_INPUTS = ("data", "label", "indices", "index")

Row = tuple[str, ...]


class _Layer(NamedTuple):
    """A layer: a node, and the parameters that it reads."""

    node: Node
    parameters: list[Node]


class LayerTable:
    """A table of layers in MXNet's format.

    Parameters
    ----------
    graph : the network
    facts : the shapes of all values, as far as they are known
    data : the names of inputs that are no parameters, whatever they look like
    parameters : the names of variables that are parameters, whatever they look like
    with_shapes : whether the column of output shapes is filled
    """

    def __init__(
        self,
        graph: Graph,
        facts: Facts,
        *,
        data: Collection[str] = (),
        parameters: Collection[str] = (),
        with_shapes: bool = True,
    ) -> None:
        self._graph, self._facts, self._with_shapes = graph, facts, with_shapes
        self._named_data, self._named_parameters = data, parameters
        self._data: dict[Node, None] = {}
        self._layers = self._find_layers()

    @property
    def data(self) -> list[Node]:
        """The inputs that are no parameters."""
        return list(self._data)

    def lines(
        self, line_length: int = LINE_LENGTH, positions: Sequence[float] = POSITIONS
    ) -> Iterator[str]:
        """Write the table: its rows, the totals, and, if it is wide, the totals of blocks.

        Numbers and shapes are never cut: their columns grow, and the table with them. Names that are too long
        lose their beginning.

        Parameters
        ----------
        line_length : the width
        positions : the ends of the columns, as fractions of the width or in characters; with four, operations
            and bytes are left out; by default they are shown if the width is 110 or more
        """
        if tuple(positions) == POSITIONS and line_length >= _WIDE:
            positions = _WIDE_POSITIONS
        layers = [[_selected(row, positions) for row in self._rows_of(one)] for one in self._layers]
        heading = _selected(_HEADINGS, positions)
        rows = [heading, *(row for layer in layers for row in layer)]
        widths = _widths(_ends(line_length, positions), rows, names=(0, len(heading) - 1))
        rule = max(line_length, sum(widths))
        yield "_" * rule
        yield _line(heading, widths)
        yield "=" * rule
        for number, layer in enumerate(layers, 1):
            yield from (_line(row, widths) for row in layer)
            yield ("=" if number == len(layers) else "_") * rule
        yield from self._totals()
        yield "_" * rule
        if line_length >= _WIDE:
            yield from self._blocks(line_length)

    def _find_layers(self) -> list[_Layer]:
        """List the data inputs, and the operators with their parameters."""
        graph = self._graph
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
                if self._is_data(variable, name):
                    self._data[variable] = None
                else:
                    layers[node].append(variable)
        shared = {parameter for parameters in layers.values() for parameter in parameters}
        return [
            _Layer(node, layers.get(node, []))
            for node in graph.nodes
            if node in layers
            or (node in self._data and node not in shared)
            or len(graph.nodes) == 1
        ]

    def _is_data(self, variable: Node, input_name: str) -> bool:
        """Whether a variable is an input rather than a parameter."""
        if variable.name in self._named_parameters:
            return False
        if variable.name in self._named_data or variable.name.endswith("label"):
            return True
        return input_name in _DATA_INPUTS and not looks_like_parameter(variable.name)

    def _rows_of(self, layer: _Layer) -> Iterator[Row]:
        """The rows of a layer: one for each previous layer."""
        node = layer.node
        shape = self._facts[node][0] if self._with_shapes else None
        count = self._count(layer.parameters)
        first, *others = [
            entry.node.name
            for entry in node.inputs
            if not entry.node.is_variable or _has_row(entry.node, layer)
        ] or [""]
        yield (
            f"{node.name}({node.operator_name})",
            "" if shape is None else "x".join("?" if a is None else str(a) for a in shape[1:]),
            "?" if count is None else str(count),
            *self._costs(node),
            first,
        )
        for name in others:
            yield ("",) * 5 + (name,)

    def _costs(self, node: Node) -> tuple[str, str]:
        """The operations of a node, and the bytes of its results, as far as they follow from shapes."""
        cost = cost_of(node, self._facts)
        return ("", "") if cost is None else (f"{cost.operations:,}", f"{cost.written:,}")

    def _count(self, parameters: Sequence[Node]) -> int | None:
        """The number of elements of parameters, None if a shape is unknown."""
        shapes = [self._facts[node][0] for node in parameters]
        if any(shape is None or None in shape for shape in shapes):
            return None
        return sum(int(math.prod(shape)) for shape in shapes)

    def _totals(self) -> Iterator[str]:
        uses = [parameter for layer in self._layers for parameter in layer.parameters]
        known = [node for node in uses if self._count([node]) is not None]
        total, unique = self._count(known) or 0, self._count(list(dict.fromkeys(known))) or 0
        states = [node for node in self._graph.states if self._count([node]) is not None]
        unknown = list(dict.fromkeys(node.name for node in uses if node not in set(known)))
        yield f"Total params: {total}"
        if total != unique:
            yield f"Unique params: {unique}, shared: {total - unique}"
        if states:
            yield f"Auxiliary states: {self._count(states)}"
        costs = [cost_of(layer.node, self._facts) for layer in self._layers]
        counted = [cost for cost in costs if cost is not None]
        if counted:
            yield f"Total FLOPs: {sum(cost.operations for cost in counted):,}"
            results = sum(cost.written for cost in counted)
            yield f"Memory in bytes: parameters {4 * unique:,}, results {results:,}"
        if unknown:
            names = ", ".join(unknown[:6]) + (", …" if len(unknown) > 6 else "")
            yield f"Not counted, for their shapes do not follow: {names}"

    def _blocks(self, line_length: int) -> Iterator[str]:
        """The totals of blocks, nested ones indented; nothing if there are none."""
        model = PageModel("")
        model.add(self._graph, PageFacts(self._facts))
        shown = ShownGraph(model.json())
        rows = [_block_row(shown, block, depth) for block, depth in _nested_blocks(shown)]
        if not rows:
            return
        heading = ("Block", *_HEADINGS[2:5])
        widths = _widths(_ends(line_length, _BLOCK_POSITIONS), [heading, *rows], names=(0,))
        yield _line(heading, widths)
        yield "=" * max(line_length, sum(widths))
        yield from (_line(row, widths) for row in rows)
        yield "_" * max(line_length, sum(widths))


def _has_row(variable: Node, reader: _Layer) -> bool:
    """Whether a variable has a row of its own: a data input."""
    return variable not in reader.parameters and not looks_like_parameter(variable.name)


def _block_row(shown: ShownGraph, block: int, depth: int) -> Row:
    total = shown.total(block)
    title = " ".join(filter(None, (shown.title(block), shown.subtitle(block))))
    counts = (f"{n:,}" for n in (total.parameters, total.operations, total.written))
    return ("  " * depth + title, *counts)


def _nested_blocks(shown: ShownGraph) -> list[tuple[int, int]]:
    """The blocks with their depths, each before those in it."""
    found, stack = [], [(ROOT, -1)]
    while stack:
        block, depth = stack.pop()
        found.append((block, depth))
        inner = [(member, depth + 1) for member in shown.members(block) if member < 0]
        stack += reversed(inner)
    return found[1:]


# ------------------------------------------------------------------------------ columns


def _selected(fields: Row, positions: Sequence[float]) -> Row:
    """The fields of a row; where the table has four columns, costs are left out."""
    if len(positions) == len(fields) - 2:
        return (*fields[: _COSTS.start], *fields[_COSTS.stop :])
    return fields


def _ends(line_length: int, positions: Sequence[float]) -> list[int]:
    """The ends of columns, in characters."""
    return [int(line_length * p) if positions[-1] <= 1 else int(p) for p in positions]


def _widths(ends: Sequence[int], rows: Sequence[Row], names: Collection[int]) -> list[int]:
    """The widths of columns: as given; where a number or a shape needs more, one more than the longest."""
    widths = [end - start for start, end in zip((0, *ends), ends, strict=False)]
    return [
        width if number in names else max(width, 1 + max(len(row[number]) for row in rows))
        for number, width in enumerate(widths)
    ]


def _line(row: Row, widths: Sequence[int]) -> str:
    last = len(widths) - 1
    return "".join(
        _cut(field, width if number == last else width - 1).ljust(width)
        for number, (field, width) in enumerate(zip(row, widths, strict=True))
    )


def _cut(name: str, width: int) -> str:
    """The end of a name that is too long: names of layers begin alike, and the operator comes last."""
    if len(name) <= width:
        return name
    indent = len(name) - len(name.lstrip())
    kept = max(0, width - indent - 1)
    return f"{name[:indent]}…{name[len(name) - kept :]}"
