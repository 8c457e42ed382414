"""A graph from a networkx network that a user has edited, or built; every mistake names its node."""

import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gluonic.graph.application import Application
from gluonic.graph.errors import (
    AttributeValueError,
    Location,
    MXNetError,
    describe,
    nearest,
    user_location,
)
from gluonic.graph.json.placeholder import placeholder
from gluonic.graph.json.upgrade import hidden_names
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.node_attributes import as_text, own
from gluonic.graph.operator import REGISTRY, Operator
from gluonic.graph.subgraphs import Subgraphs, held_graphs
from gluonic.support.gc_pause import paused

if TYPE_CHECKING:
    import networkx

_MOST_NAMES = 12
_OTHER_NAMES = {"attribute", "attrs", "attr", "param"}
"""What symbol JSON of different versions calls attributes, and a likely slip."""


def graph_of(network: "networkx.DiGraph[Any]") -> Graph:
    """Convert a network to a graph; `sym.from_network` describes what is read.

    Raises
    ------
    MXNetError
        where the network is no graph of operators; the message names the node
    """
    with paused():
        return _Reader(network, "").read()


def _listed(names: Sequence[Any]) -> str:
    shown = ", ".join(map(repr, names[:_MOST_NAMES]))
    return f"{shown}, …" if len(names) > _MOST_NAMES else shown or "none"


def _signature(application: Application) -> str:
    names = application.inputs
    return f"{application.op.name} takes {len(names)} inputs: {_listed(names)}"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


class _Reader:
    """The state of reading one network.

    Parameters
    ----------
    network : the network
    around : the node that holds the network, in messages; empty for the outermost one
    """

    def __init__(self, network: Any, around: str) -> None:
        import networkx

        self.networkx, self.network, self.around = networkx, network, around
        if not isinstance(network, networkx.DiGraph):
            raise TypeError(
                f"{around}a graph is read from a networkx.MultiDiGraph, not from a "
                f"{type(network).__name__}"
            )
        self.made: dict[Any, Node] = {}
        self.here = user_location()

    def fail(
        self, key: Any, what: str, facts: Sequence[str] = (), hint: str = "", kind: Any = MXNetError
    ) -> NoReturn:
        location = self.network.nodes[key].get("location")
        made = [f"the node was made at: {location}"] if isinstance(location, Location) else []
        where = f"{self.around}node {key!r}"
        raise kind(describe(what, where=where, facts=[*facts, *made], hint=hint))

    def read(self) -> Graph:
        outputs = self.outputs()
        for key in self.in_order([key for key, _ in outputs]):
            self.made[key] = self.node(key)
        entries = [
            self.entry(key, position, f"the output {number}")
            for number, (key, position) in enumerate(outputs)
        ]
        graph = Graph(entries)
        self.give_turns()
        return Graph(graph.called_anew({}))

    def give_turns(self) -> None:
        """Let random numbers be drawn in the order of the network, for new nodes last."""
        last = len(self.network)
        for key, number in self.network.nodes(data="turn"):
            if key in self.made:
                if number is not None and not _is_number(number):
                    self.fail(key, f"turn must be a number, not {number!r:.60}")
                self.made[key].call = last if number is None else number

    # ------------------------------------------------------------------------ outputs and order

    def outputs(self) -> list[tuple[Any, Any]]:
        given = self.network.graph.get("outputs")
        if not isinstance(given, (list, tuple)) or not given:
            ends = [key for key, count in self.network.out_degree() if count == 0]
            raise MXNetError(
                describe(
                    "the network does not say what its outputs are",
                    where=f"{self.around}graph attribute 'outputs'",
                    facts=[f"nodes that no other reads: {_listed(ends)}"],
                    hint=f'network.graph["outputs"] = [({ends[0] if ends else "name"!r}, 0)], '
                    "a list of nodes and positions of their outputs",
                )
            )
        return [self.output(number, value) for number, value in enumerate(given)]

    def output(self, number: int, value: Any) -> tuple[Any, Any]:
        where = f"{self.around}graph attribute 'outputs'[{number}]"
        is_pair = isinstance(value, (list, tuple)) and len(value) == 2 and _is_number(value[1])
        if not is_pair and not isinstance(value, str) and value not in self.network:
            raise MXNetError(
                describe(f"must be (node, position) or a node, not {value!r}", where=where)
            )
        key, position = value if is_pair else (value, 0)
        if key not in self.network:
            names = [name for name in self.network if isinstance(name, str)]
            raise MXNetError(
                describe(
                    f"there is no node {key!r}{nearest(str(key), names)}",
                    where=where,
                    hint='set network.graph["outputs"] after nodes are removed or renamed',
                )
            )
        return key, position

    def in_order(self, ends: list[Any]) -> list[Any]:
        """The nodes that the outputs depend on, each after those that it reads."""
        nx = self.networkx
        upwards = self.network.reverse(copy=False)
        needed = [key for layer in nx.bfs_layers(upwards, dict.fromkeys(ends)) for key in layer]
        is_all = len(needed) == len(self.network)
        part = self.network if is_all else self.network.subgraph(needed)
        try:
            return list(nx.topological_sort(part))
        except nx.NetworkXUnfeasible:
            cycle = [edge[0] for edge in nx.find_cycle(part)]
            self.fail(
                cycle[0],
                "depends on itself",
                facts=[f"the cycle: {' → '.join(map(repr, [*cycle, cycle[0]]))}"],
                hint="remove one of these edges: network.remove_edge(source, target)",
            )

    # ------------------------------------------------------------------------ nodes

    def node(self, key: Any) -> Node:
        data = self.network.nodes[key]
        name = data.get("name", key)
        if not isinstance(name, str):
            self.fail(
                key,
                f"a node's name must be a string, not {name!r}",
                hint="networkx.relabel_nodes(network, {…}), or the node attribute name=",
            )
        if "operator" not in data:
            self.fail(
                key,
                "has no attribute 'operator'",
                facts=[f"it is read by {_listed(list(self.network.successors(key)))}"],
                hint=f'network.add_node({key!r}, operator="relu"), or operator=None for a variable; '
                "an edge that names a node that is not there adds one",
            )
        attributes = self.attributes(key, data)
        location, block = self.location(key, data), data.get("block") or ""
        if data["operator"] is None:
            self.check_variable(key)
            texts = {k: as_text(value) for k, value in attributes.items()}
            return Node(None, name, (), texts, location, block)
        application = self.application(key, data, attributes)
        entries = self.inputs(key, application)
        settings = application.settings
        texts = {k: as_text(value, settings.get(k)) for k, value in attributes.items()}
        return Node(application, name, entries, texts, location, block)

    def check_variable(self, key: Any) -> None:
        sources = list(self.network.predecessors(key))
        if sources:
            self.fail(
                key,
                f"is a variable and cannot have inputs, but reads {_listed(sources)}",
                hint="give it an operator, or remove these edges",
            )
        if self.network.nodes[key].get("subgraphs"):
            self.fail(key, "is a variable and cannot hold subgraphs")

    def attributes(self, key: Any, data: Mapping[str, Any]) -> dict[str, Any]:
        for other in _OTHER_NAMES & data.keys():
            self.fail(key, f"has {other!r}, which has no effect", hint="attributes={…}")
        given = data.get("attributes") or {}
        if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
            self.fail(key, f"attributes must be a dict with names as keys, not {given!r:.60}")
        return hidden_names(given)

    def location(self, key: Any, data: Mapping[str, Any]) -> Location | None:
        given = data.get("location", self.here)
        if given is None:  # read from a file
            return None
        if not isinstance(given, (list, tuple)) or len(given) != 3:
            self.fail(key, f"location must be (file, line, function), not {given!r:.60}")
        return Location(*given)

    # ------------------------------------------------------------------------ operators

    def application(
        self, key: Any, data: Mapping[str, Any], attributes: dict[str, Any]
    ) -> Application:
        op, count = data["operator"], self.network.in_degree(key)
        if not isinstance(op, str):
            self.fail(key, f"operator must be a name, or None for a variable, not {op!r:.60}")
        known = REGISTRY.by_name.get(op)
        if known is None or (known.is_there is not None and not known.is_there(attributes)):
            if data.get("placeholder") is None:
                self.refuse_operator(key, op, attributes)
            texts, kept = {k: as_text(v) for k, v in attributes.items()}, data["placeholder"]
            return placeholder(op, count, kept["outputs"], kept["states"], own(texts))
        settings = known.recognized(own(attributes, known))
        self.check_count(key, known, settings, count)
        if data.get("subgraphs"):
            settings["subgraphs"] = self.held(key, known, data["subgraphs"])
        try:
            return known.apply(settings)
        except (MXNetError, OverflowError) as error:
            what, *facts = str(error).split("\n")
            kind = AttributeValueError if isinstance(error, AttributeValueError) else MXNetError
            self.fail(
                key,
                what,
                facts=[line.strip() for line in facts[:1]],
                hint=f'network.nodes[{key!r}]["attributes"], whose values are Python\'s or strings',
                kind=kind,
            )

    def refuse_operator(self, key: Any, op: str, attributes: Mapping[str, Any]) -> NoReturn:
        what = f"there is no operator {op!r}{nearest(op, REGISTRY)}"
        if op in REGISTRY:
            kind = ", ".join(f"{name}={value!r}" for name, value in own(attributes).items())
            what = f"there is no operator {op}({kind})"
        self.fail(key, what, hint="an operator of mx.sym, or one registered before by mx.operator")

    def check_count(self, key: Any, op: Operator, settings: dict[str, Any], inputs: int) -> None:
        """Set the attribute that counts inputs, or check it."""
        if op.count is None:
            return
        members, rest = divmod(inputs - len(op.inputs), op.per_count)
        given = settings.setdefault(op.count, members)
        if rest or str(given).strip() != str(members):
            self.fail(
                key,
                f"{op.count} is {given!r}, but {inputs} edges lead to the node",
                hint=f"set the attribute {op.count} to the number of inputs, or leave it out",
            )

    def held(self, key: Any, op: Operator, networks: Any) -> Subgraphs:
        """The graphs of a node; the gradient of a loop shares those of the loop, whose steps it repeats."""
        if "subgraphs" not in op.attributes:
            self.fail(key, f"the operator {op.name} holds no subgraphs")
        if not isinstance(networks, (list, tuple)):
            self.fail(key, f"subgraphs must be a list of networks, not {networks!r:.60}")
        for source, _, edge in self.network.in_edges(key, data=True):
            loop, position = self.made[source], edge.get("output", 0)
            is_hidden = _is_number(position) and position >= loop.visible_count
            if is_hidden and self.network.nodes[source].get("subgraphs") is networks:
                return held_graphs(loop)
        return Subgraphs(
            _Reader(inner, f"{self.around}subgraph {number} of node {key!r}: ").read()
            for number, inner in enumerate(networks)
        )

    # ------------------------------------------------------------------------ inputs

    def inputs(self, key: Any, application: Application) -> list[Entry]:
        names = application.inputs
        edges = list(self.network.in_edges(key, data=True))
        found: dict[int, Entry] = {}
        for source, _, edge in edges:
            position = self.position(
                key, source, edge.get("input", 0 if len(edges) == 1 else None), names
            )
            if not 0 <= position < len(names):
                self.fail(
                    key,
                    f"the edge from {source!r} leads to input {position}, which does not exist",
                    facts=[_signature(application)],
                    hint="another position, or attributes with which the operator has that input",
                )
            if position in found:
                self.fail(
                    key,
                    f"two edges lead to input {position} ({names[position]})",
                    facts=[
                        f"from {found[position].node.name!r} and from {source!r}",
                        _signature(application),
                    ],
                    hint="remove one of them, or give it another input=",
                )
            reader = f"input {position} ({names[position]}) of {key!r}"
            found[position] = self.entry(source, edge.get("output", 0), reader)
        missing = [f"{i} ({name})" for i, name in enumerate(names) if i not in found]
        if missing:
            self.fail(
                key,
                f"no edge leads to input {', '.join(missing[:_MOST_NAMES])}",
                facts=[_signature(application)],
                hint=f"network.add_edge(source, {key!r}, input={missing[0].split()[0]}), from a "
                "variable if it is a parameter: network.add_node(source, operator=None)",
            )
        entries = [found[position] for position in range(len(names))]
        self.check_states(key, application, entries)
        return entries

    def position(self, key: Any, source: Any, given: Any, names: Sequence[str]) -> int:
        """The position of an input, given as a number or by its name."""
        if given is None:
            self.fail(
                key,
                f"the edge from {source!r} has no input=, and is not the only one",
                facts=[f"the inputs: {_listed(names)}"],
                hint=f"network.add_edge({source!r}, {key!r}, input=0)",
            )
        if isinstance(given, str) and given in names:
            return list(names).index(given)
        if not _is_number(given):
            self.fail(
                key,
                f"the edge from {source!r} leads to input {given!r}, which does not exist"
                f"{nearest(str(given), names)}",
                facts=[f"the inputs: {_listed(names)}"],
            )
        return operator.index(given)

    def entry(self, key: Any, position: Any, reader: str) -> Entry:
        """An output of a node that has been made."""
        node = self.made[key]
        if not _is_number(position) or not 0 <= position < node.output_count:
            names = ["output"] if node.application is None else node.application.outputs
            self.fail(
                key,
                f"{reader} reads output {position!r}, which does not exist",
                facts=[f"its outputs: {', '.join(names)}"],
                hint=f"a position below {node.output_count}",
            )
        return Entry(node, operator.index(position))

    def check_states(self, key: Any, application: Application, entries: Sequence[Entry]) -> None:
        for name, entry in zip(application.inputs, entries, strict=True):
            if name in application.states and not entry.node.is_variable:
                self.fail(
                    key,
                    f"{name} is updated by the operator and must be a variable, not {entry.node.title}",
                )
