"""Partitioning: groups of nodes grow by a chooser's decisions, and each is replaced by one node.

A group must be convex: with a path from it through other nodes back into it, the node that replaces it would
depend on its own result. The same holds for all groups together.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Protocol, TypeAlias

from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.node import Entry, Graph, Node

Group: TypeAlias = list[Node]
Edge: TypeAlias = "tuple[Node | None, int]"
Maker: TypeAlias = Callable[[Sequence[Entry]], Node]


class Chooser(Protocol):
    """Decides which nodes belong together."""

    def select(self, node: Node) -> bool:
        """Whether a group may begin with a node."""

    def select_input(self, node: Node, producer: Node) -> bool:
        """Whether a group with `node` also gets a node that it reads."""

    def select_output(self, node: Node, reader: Node) -> bool:
        """Whether a group with `node` also gets a node that reads it."""

    def filter(self, candidates: Sequence[Node]) -> list[Node]:
        """Select among the nodes of a grown group."""

    def reset(self) -> None:
        """Reset: the group grows again, without the nodes that would close a cycle."""


class Partition:
    """The groups that a chooser finds in a graph; variables belong to none.

    Attributes
    ----------
    groups : the groups, in the order in which they were found, each in topological order
    """

    def __init__(self, graph: Graph, chooser: Chooser) -> None:
        self.graph, self._chooser = graph, chooser
        self._position = {node: i for i, node in enumerate(graph.nodes)}
        self._group_of: dict[Node, Group] = {}
        self.groups: list[Group] = []
        for node in graph.nodes:
            if not node.is_variable and node not in self._group_of and chooser.select(node):
                self._add(self._grow(node))

    def _add(self, grown: Group) -> None:
        kept = self._chooser.filter(grown)
        for node in kept:
            if node not in grown:
                raise MXNetError(
                    describe(f"the selector's Filter keeps {node.title}, which was no candidate")
                )
        group = set(kept)
        while closing := self._closes_cycle(group):
            group.discard(max(closing, key=self._position.__getitem__))
        if group:
            ordered = self._in_order(group)
            self.groups.append(ordered)
            self._group_of.update(dict.fromkeys(ordered, ordered))

    def _in_order(self, nodes: Iterable[Node]) -> Group:
        return sorted(nodes, key=self._position.__getitem__)

    def _grow(self, seed: Node) -> Group:
        """The largest group around a node, as far as the chooser goes and no cycle arises."""
        excluded: set[Node] = set()
        while True:
            group = self._reached(seed, excluded)
            closing = self._closes_cycle(group)
            if not closing:
                return self._in_order(group)
            last = max(closing, key=self._position.__getitem__)
            if last is seed:
                return [seed]
            excluded.add(last)
            self._chooser.reset()

    def _reached(self, seed: Node, excluded: set[Node]) -> set[Node]:
        group, waiting = {seed}, deque([seed])
        chooser = self._chooser
        while waiting:
            node = waiting.popleft()
            producers = dict.fromkeys(entry.node for entry in node.inputs)
            for neighbours, chosen in (
                (producers, chooser.select_input),
                (self.graph.consumers[node], chooser.select_output),
            ):
                for other in neighbours:
                    free = other not in group and other not in excluded
                    if free and self._is_free(other) and chosen(node, other):
                        group.add(other)
                        waiting.append(other)
        return group

    def _is_free(self, node: Node) -> bool:
        return not node.is_variable and node not in self._group_of

    def _closes_cycle(self, group: set[Node]) -> set[Node]:
        """The members that depend on other members through nodes outside; groups count as one node."""
        outside = [reader for node in group for reader in self.graph.consumers[node]]
        waiting, seen = [node for node in outside if node not in group], set[Node]()
        closing: set[Node] = set()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            members = self._group_of.get(node, [node])
            seen.update(members)
            for member in members:
                for reader in self.graph.consumers[member]:
                    if reader in group:
                        closing.add(reader)
                    else:
                        waiting.append(reader)
        return closing


@dataclass
class CutGroup:
    """A group cut out of its graph.

    Attributes
    ----------
    group : its nodes
    graph : the group as a separate graph; its variables represent its inputs
    sources : for each of these variables, the entry of the old graph that it represents
    results : for each output of `graph`, the corresponding entry of the old graph
    readers : for each output, the edges (reader, input index) that read it; the reader None is an output of the
        old graph, by its index
    """

    group: Group
    graph: Graph
    sources: dict[Node, Entry]
    results: list[Entry] = field(default_factory=list)
    readers: list[list[Edge]] = field(default_factory=list)


def cut_out(
    graph: Graph,
    group: Group,
    attributes_of: Callable[[Entry], dict[str, str]],
    *,
    dedup: bool,
    name_of: Callable[[Entry], str] = attrgetter("name"),
) -> CutGroup:
    """Cut a group out of a graph.

    Parameters
    ----------
    attributes_of, name_of : the attributes, and the name without a number, of the variable that stands for an
        entry
    dedup : one variable for each entry that is read, and one output for each that others read; otherwise
        there is one for each use
    """
    members = set(group)
    variables: dict[Entry, Node] = {}
    copies: dict[Node, Node] = {}
    sources: dict[Node, Entry] = {}

    def moved(entry: Entry) -> Entry:
        if entry.node in members:
            return Entry(copies[entry.node], entry.index)
        variable = variables.get(entry) if dedup else None
        if variable is None:
            variable = Node(None, name_of(entry), (), attributes_of(entry))
            variables[entry], sources[variable] = variable, entry
        return variable.entry()

    for node in group:
        copies[node] = node.with_inputs([moved(entry) for entry in node.inputs])
    results, readers = _results(graph, members, dedup=dedup)
    inner = Graph(Entry(copies[entry.node], entry.index) for entry in results)
    counts: Counter[str] = Counter()
    for variable in inner.variables:
        name = variable.name
        variable.name = f"{name}{counts[name]}"
        counts[name] += 1
    return CutGroup(group, inner, sources, results, readers)


def _results(
    graph: Graph, members: set[Node], *, dedup: bool
) -> tuple[list[Entry], list[list[Edge]]]:
    """The results of a group that others read, with their readers."""
    edges: list[tuple[Entry, Node | None, int]] = []
    for node in graph.nodes:
        if node not in members:
            for number, entry in enumerate(node.inputs):
                if entry.node in members:
                    edges.append((entry, node, number))
    edges += [(e, None, i) for i, e in enumerate(graph.outputs) if e.node in members]
    if not dedup:
        return [entry for entry, *_ in edges], [[(reader, i)] for _, reader, i in edges]
    grouped: dict[Entry, list[Edge]] = {}
    for entry, reader, i in edges:
        grouped.setdefault(entry, []).append((reader, i))
    return list(grouped), list(grouped.values())


def replace_groups(graph: Graph, cuts: Sequence[tuple[CutGroup, Maker]]) -> Graph:
    """Replace each group that was cut out by a node.

    Parameters
    ----------
    cuts : with each group a function that makes the new node from its inputs: an entry for each variable of
        the cut's graph, in their order
    """
    return _Replacement(graph, cuts).result()


class _Replacement:
    """The construction of the new graph: unchanged nodes and groups, in topological order."""

    def __init__(self, graph: Graph, cuts: Sequence[tuple[CutGroup, Maker]]) -> None:
        self.graph, self.cuts = graph, cuts
        self.group_number: dict[Node, int] = {}
        self.source: dict[Edge, tuple[int, int]] = {}
        for number, (cut, _) in enumerate(cuts):
            self.group_number.update(dict.fromkeys(cut.group, number))
            for output, readers in enumerate(cut.readers):
                self.source.update(dict.fromkeys(readers, (number, output)))
        self.nodes: dict[Node, Node] = {}
        self.made: dict[int, Node] = {}

    def result(self) -> Graph:
        """Return the new graph."""
        for unit in self._in_order():
            if isinstance(unit, Node):
                inputs = [self._moved(entry, (unit, i)) for i, entry in enumerate(unit.inputs)]
                self.nodes[unit] = unit.with_inputs(inputs)
            else:
                cut, make = self.cuts[unit]
                self.made[unit] = make(self._inputs_of(cut))
        return Graph(self._moved(entry, (None, i)) for i, entry in enumerate(self.graph.outputs))

    def _in_order(self) -> Iterable[Node | int]:
        """The unchanged nodes, and the indices of groups, in order."""
        import networkx

        units = networkx.DiGraph()
        for node in self.graph.nodes:
            unit = self.group_number.get(node, node)
            units.add_node(unit)
            for entry in node.inputs:
                source = self.group_number.get(entry.node, entry.node)
                if source != unit:
                    units.add_edge(source, unit)
        found: Iterable[Node | int] = networkx.topological_sort(units)
        return found

    def _moved(self, entry: Entry, edge: Edge) -> Entry:
        """The new entry that an edge reads instead of `entry`."""
        if edge not in self.source:
            return Entry(self.nodes[entry.node], entry.index)
        number, output = self.source[edge]
        return Entry(self.made[number], output)

    def _inputs_of(self, cut: CutGroup) -> list[Entry]:
        """The inputs of a group's node: the edges into the group, one for each of its variables."""
        members = set(cut.group)
        edges: dict[Entry, list[Edge]] = {}
        for node in cut.group:
            for number, entry in enumerate(node.inputs):
                if entry.node not in members:
                    edges.setdefault(entry, []).append((node, number))
        inputs = []
        for variable in cut.graph.variables:
            entry = cut.sources[variable]
            waiting = edges[entry]
            edge = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            inputs.append(self._moved(entry, edge))
        return inputs
