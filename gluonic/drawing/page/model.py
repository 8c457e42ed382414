"""The data of a page on a graph, as JSON: blocks, nodes, arrows, shapes, source lines, parameters.

Equal data are stored once: attributes, source lines and documentation are in tables, to which nodes refer.
"""

import inspect
import linecache
from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from gluonic.drawing.costs import cost_of
from gluonic.drawing.details import detail, title_of
from gluonic.drawing.families import family_of, is_quiet
from gluonic.drawing.groups import BoxGroup
from gluonic.drawing.page.arrays import facts_of_array
from gluonic.drawing.titles import Title, titles_of
from gluonic.drawing.tree import block_tree, parameter_test
from gluonic.graph import Graph, Node
from gluonic.graph.errors import Location
from gluonic.graph.infer import Facts
from gluonic.graph.node_attributes import is_own
from gluonic.graph.subgraphs import facts_in, held_graphs

Json = dict[str, Any]
_LINES_AROUND = 3
_LONGEST_TEXT = 2000
_Key = TypeVar("_Key")


class PageFacts(NamedTuple):
    """The facts about a graph.

    Attributes
    ----------
    shapes, dtypes : those of all outputs, by node
    values : those of parameters, by name
    is_parameter : the names of variables that are parameters; None to infer them from names and readers
    """

    shapes: Facts | None = None
    dtypes: Facts | None = None
    values: Mapping[str, np.ndarray[Any, Any]] = {}
    is_parameter: frozenset[str] | None = None


class _Table(Generic[_Key]):
    """Unique rows, by key."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self.numbers: dict[_Key, int] = {}

    def number(self, key: _Key, row: Any) -> int:
        """The index of a row, which is added if it is new."""
        if key not in self.numbers:
            self.numbers[key] = len(self.rows)
            self.rows.append(row)
        return self.numbers[key]


class PageModel:
    """Converts graphs to the data of a page.

    Parameters
    ----------
    title : the page's heading
    hide_parameters : whether parameters are lines in the boxes that read them, not boxes

    Attributes
    ----------
    numbers : the number of each node on the page
    """

    def __init__(self, title: str, *, hide_parameters: bool = True) -> None:
        self._title, self._hide_parameters = title, hide_parameters
        self.nodes: list[Json] = []
        self.numbers: dict[Node, int] = {}
        self._blocks: list[Json] = []
        self._operators: dict[str, Json] = {}
        self._attributes: _Table[Any] = _Table()
        self._slots: _Table[Any] = _Table()
        self._locations: _Table[Location] = _Table()
        self._sources: dict[str, dict[int, str]] = {}
        self._outputs: list[Json] = []
        self._parameters: dict[str, Json] = {}

    def add(self, graph: Graph, facts: PageFacts) -> None:
        """Add a graph, and the graphs in its nodes.

        Parameters
        ----------
        graph : the graph
        facts : the facts about it
        """
        waiting: list[tuple[Graph, PageFacts, int]] = [(graph, facts, -1)]
        while waiting:
            graph, facts, block = waiting.pop()
            self._graph(graph, facts, block)
            for node in graph.nodes:
                waiting += self._bodies(node, facts)

    def _graph(self, graph: Graph, facts: PageFacts, block: int) -> None:
        test = parameter_test(graph.nodes)
        names = facts.is_parameter
        for node in graph.nodes:
            is_parameter = (
                test(node) if names is None or not node.is_variable else node.name in names
            )
            self._node(node, facts, is_parameter=is_parameter and self._hide_parameters)
        boxes = [node for node in graph.nodes if "folded" not in self.nodes[self.numbers[node]]]
        self._tree(block_tree(boxes), block)
        self._outputs += [
            {
                "node": self.numbers[entry.node],
                "output": entry.index,
                "block": block,
                "name": entry.name if entry.node.visible_count > 1 else entry.node.name,
            }
            for entry in graph.outputs
        ]

    def _bodies(self, node: Node, facts: PageFacts) -> list[tuple[Graph, PageFacts, int]]:
        """The graphs in a node, each with the block in which it is drawn."""
        bodies = []
        held = held_graphs(node)
        for number, body in enumerate(held):
            own = self.nodes[self.numbers[node]]
            name = _BODY_NAMES.get(node.operator_name, ("body",))
            label = name[number] if number < len(name) else f"body {number}"
            made = {"name": label, "title": label, "role": "body", "holder": self.numbers[node]}
            own.setdefault("bodies", []).append(len(self._blocks))
            self._blocks.append(made)
            inside = PageFacts(
                facts_in(node, body, "shape", facts.shapes),
                facts_in(node, body, "dtype", facts.dtypes),
            )
            bodies.append((body, inside, len(self._blocks) - 1))
        return bodies

    # Nodes

    def _node(self, node: Node, facts: PageFacts, *, is_parameter: bool) -> None:
        number = self.numbers[node] = len(self.nodes)
        own = {key: text for key, text in node.attributes.items() if is_own(key)}
        made: Json = {"name": node.name, "family": family_of(node)}
        self.nodes.append(made)
        if node.application is not None:
            made["op"] = self._operator(node)
            made["title"] = title_of(node)
            if is_quiet(node):
                made["quiet"] = 1
            if text := detail(node.operator_name, _unusual(node, own)):
                made["detail"] = text
            made["inputs"] = [[self.numbers[e.node], e.index] for e in node.inputs]
            made["slots"] = self._slots.number(
                node.application.inputs, list(node.application.inputs)
            )
            if node.visible_count != 1:
                made["visible"] = node.visible_count
        if node.attributes or (node.application is not None and node.application.settings):
            made["attributes"] = self._settings(node)
        if node.location is not None:
            made["location"] = self._locations.number(node.location, self._location(node.location))
        if is_parameter:
            made["folded"] = 1
            made["family"] = "parameter"
        self._facts(node, made, facts)
        if node.is_variable and node.name in facts.values:
            self._parameters[str(number)] = facts_of_array(facts.values[node.name])

    def _facts(self, node: Node, made: Json, facts: PageFacts) -> None:
        count = node.visible_count
        if facts.shapes is not None and any(s is not None for s in facts.shapes[node][:count]):
            made["shapes"] = [s if s is None else list(s) for s in facts.shapes[node][:count]]
            cost = cost_of(node, facts.shapes, facts.dtypes)
            if cost is not None:
                made["cost"] = list(cost)
        if facts.dtypes is not None and any(d is not None for d in facts.dtypes[node][:count]):
            made["dtypes"] = [d if d is None else d.name for d in facts.dtypes[node][:count]]

    def _operator(self, node: Node) -> str:
        op = node.applied.op
        if op.name not in self._operators:
            defaults = {
                name: str(attribute.default)
                for name, attribute in op.attributes.items()
                if attribute.default is not inspect.Parameter.empty
            }
            text = inspect.cleandoc(op.kernel.__doc__ or "")
            self._operators[op.name] = {"documentation": text, "defaults": defaults}
        return op.name

    def _settings(self, node: Node) -> int:
        """The index of a node's attributes: the user's, and the operator's defaults."""
        given = {key: str(text)[:_LONGEST_TEXT] for key, text in sorted(node.attributes.items())}
        return self._attributes.number(tuple(given.items()), given)

    # Locations

    def _location(self, location: Location) -> list[Any]:
        lines = self._sources.setdefault(location.file, {})
        for number in range(location.line - _LINES_AROUND, location.line + _LINES_AROUND + 1):
            if number not in lines and (text := linecache.getline(location.file, number)):
                lines[number] = text.rstrip()[:_LONGEST_TEXT]
        return [location.file, location.line, location.function]

    # Blocks

    def _tree(self, root: BoxGroup, block: int) -> None:
        """Number the groups; each lists its members, nodes by number and groups as ``-1 - number``."""
        numbers, titles = {root: block}, titles_of(root)
        if block < 0:
            numbers[root] = len(self._blocks)
            self._blocks.append({**_group(root, titles[root]), "role": "root"})
        waiting = [root]
        for group in waiting:
            members = []
            for member in group.members:
                if isinstance(member, Node):
                    members.append(self.numbers[member])
                    continue
                numbers[member] = len(self._blocks)
                self._blocks.append(_group(member, titles[member]))
                members.append(-1 - numbers[member])
                waiting.append(member)
            self._blocks[numbers[group]]["members"] = members

    def json(self) -> Json:
        """All data."""
        return {
            "title": self._title,
            "nodes": self.nodes,
            "blocks": self._blocks,
            "outputs": self._outputs,
            "operators": self._operators,
            "attributes": self._attributes.rows,
            "slots": self._slots.rows,
            "locations": self._locations.rows,
            "sources": self._sources,
            "parameters": self._parameters,
        }


_BODY_NAMES = {
    "_foreach": ("each step",),
    "_while_loop": ("condition", "each step"),
    "_cond": ("condition", "then", "else"),
}


def _unusual(node: Node, own: Mapping[str, str]) -> dict[str, str]:
    """The attributes that differ from the operator's defaults; a scalar operand is always included."""
    op, settings = node.applied.op, node.applied.settings
    return {
        key: text
        for key, text in own.items()
        if key not in op.attributes
        or key == "scalar"
        or settings.get(key) != op.attributes[key].default
    }


def _group(group: BoxGroup, title: Title) -> Json:
    made: Json = {"name": group.name, "role": group.role, "title": title.text}
    if title.detail:
        made["detail"] = title.detail
    if group.kind:
        made["kind"] = group.kind
    return made
