"""The base of passes that change layouts: operators' rules, entries in several layouts."""

from collections.abc import Callable, Iterable
from typing import Any

from gluonic.codegen.lowerings.entry import LayoutRules, Rule, lowering_at, rule_at
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.attributes import Shape


class LayoutRewriting:
    """One run of such a pass; entries of the old graph are the keys.

    A subclass defines which entries are in other layouts (`restored`, `in_other_layouts`), and which of an
    operator's rules are for its layouts (`rule_in`).

    Parameters
    ----------
    graph, facts : the graph that is rewritten, and its facts
    otherwise : the rule of operators that have no rule

    Attributes
    ----------
    kept : entries in their own layout
    has_changed : whether some rule has rewritten a node
    """

    def __init__(self, graph: Graph, facts: Facts, otherwise: Callable[[Any, Node], bool]) -> None:
        self.graph, self.facts = graph, facts
        self.kept: dict[Entry, Entry] = {}
        self.has_changed = False
        self._otherwise = otherwise
        self._traced = {*graph.nodes}

    def may_take(self, node: Node) -> bool:
        """Whether rules apply to a node with these shapes and dtypes."""
        raise NotImplementedError

    def rule_in(self, rules: LayoutRules) -> Rule | None:
        """The rule of an operator for this layout."""
        raise NotImplementedError

    def restored(self, entry: Entry) -> Entry:
        """Convert an entry from another layout to its own."""
        raise NotImplementedError

    def in_other_layouts(self, entry: Entry) -> Iterable[Entry]:
        """An entry in the other layouts in which it exists."""
        raise NotImplementedError

    def run(self) -> Graph:
        """Rewrite all nodes in order; the same graph if there is nothing to do."""
        for node in self.graph.nodes:
            if node.is_variable:
                self.kept[node.entry()] = node.entry()
            elif self.may_take(node) and self._take(node):
                self.has_changed = True
                results = [node.entry(i) for i in range(node.output_count)]
                self.trace((e for result in results for e in self._all_of(result)), node)
            else:
                self.keep(node)
        outputs = [self.own(entry) for entry in self.graph.outputs]
        return Graph(outputs) if self.has_changed else self.graph

    def _take(self, node: Node) -> bool:
        rule = self.rule_in(lowering_at(node).layout)
        return bool((self._otherwise if rule is None else rule_at(rule))(self, node))

    def _all_of(self, entry: Entry) -> Iterable[Entry]:
        own = self.kept.get(entry)
        yield from self.in_other_layouts(entry)
        if own is not None:
            yield own

    def keep(self, node: Node) -> None:
        """Keep a node unchanged, with its inputs in their own layouts."""
        copy = node.with_inputs([self.own(entry) for entry in node.inputs])
        for index in range(node.output_count):
            self.kept[node.entry(index)] = copy.entry(index)

    def own(self, entry: Entry) -> Entry:
        """An entry in its own layout."""
        if entry not in self.kept:
            self.kept[entry] = self.restored(entry)
            self.trace([self.kept[entry]], entry.node)
        return self.kept[entry]

    def shape(self, entry: Entry) -> Shape:
        """The shape of an entry of the old graph, which records guards."""
        return self.facts.shapes[entry]

    def spatial_shape(self, entry: Entry) -> Shape:
        """The spatial extents of images with channels first, as numbers."""
        return tuple(self.shape(entry)[2:])

    def trace(self, made: Iterable[Entry], origin: Node) -> None:
        """Give all new nodes below some entries the user's line of the node that they replace."""
        stack = [entry.node for entry in made]
        while stack:
            node = stack.pop()
            if node not in self._traced:
                self._traced.add(node)
                if node.location is None:
                    node.location, node.block = origin.location, origin.block
                stack.extend(entry.node for entry in node.inputs)
