"""The graph: nodes that apply operators to entries, and `Graph`, a network of them.

A node's inputs never change, so graphs share nodes freely, and a pass returns a new `Graph`. Nodes are compared
by identity, never by name. Nothing here recurses: chains of 100,000 nodes work.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import eq
from typing import Any

from gluonic.graph.application import Application
from gluonic.graph.arithmetic import Arithmetic
from gluonic.graph.errors import Location
from gluonic.graph.freeing import freeing_order, is_crowded
from gluonic.graph.operator import REGISTRY
from gluonic.support.cached_property import cached_property

_serials = itertools.count()
_NO_ATTRIBUTES: Mapping[str, str] = {}


class Node:
    """A variable, or one use of an operator.

    Attributes
    ----------
    application : the operator with its attributes; None for a variable
    name : what users see; need not be unique
    inputs : the entries it reads
    attributes : the strings of symbol JSON: attributes as the user wrote them, scopes, ``__shape__``, …;
        nodes share the mapping, so changes replace it
    location : the user's line that made it
    block : the path of the Gluon block that made it, outermost first
    serial : a number in order of creation, so inputs have smaller numbers than their consumers
    call : the serial of the node that the user's call made; nodes that replace it in passes keep it
    """

    __slots__ = (
        "__weakref__", "application", "attributes", "block", "call", "inputs", "location", "name", "serial",
    )  # fmt: skip

    def __init__(
        self,
        application: Application | None,
        name: str,
        inputs: Sequence["Entry"] = (),
        attributes: Mapping[str, str] | None = None,
        location: Location | None = None,
        block: str = "",
    ) -> None:
        self.application = application
        self.name = name
        self.inputs = tuple(inputs)
        self.attributes: Mapping[str, str] = attributes or _NO_ATTRIBUTES
        self.location = location
        self.block = block
        self.serial = self.call = next(_serials)

    @property
    def is_variable(self) -> bool:
        """Whether the node is an input of the graph, not a use of an operator."""
        return self.application is None

    @property
    def applied(self) -> Application:
        """The operator with its attributes, for a node that is not a variable."""
        if self.application is None:
            raise TypeError(f"{self.name!r} is a variable: it applies no operator")
        return self.application

    @property
    def operator_name(self) -> str:
        """The operator's name, ``null`` for a variable, as in symbol JSON."""
        return "null" if self.application is None else self.application.op.name

    @property
    def output_count(self) -> int:
        """The number of outputs, including hidden ones."""
        return 1 if self.application is None else len(self.application.outputs)

    @property
    def visible_count(self) -> int:
        """The number of outputs that a user sees."""
        return 1 if self.application is None else self.application.visible

    @property
    def title(self) -> str:
        """The node's name in error messages."""
        return self.name if self.is_variable else f"{self.operator_name} {self.name!r}"

    def entry(self, index: int = 0) -> "Entry":
        """The node's output with an index."""
        return Entry(self, index)

    def with_inputs(self, inputs: Sequence["Entry"]) -> "Node":
        """The node with other inputs, or itself if they are the same; name and user's line are kept."""
        if len(inputs) == len(self.inputs) and all(map(eq, inputs, self.inputs)):
            return self
        return self.with_application(self.application, inputs)

    def with_application(
        self, application: Application | None, inputs: Sequence["Entry"]
    ) -> "Node":
        """A node that replaces this one; it keeps the name, the user's line and the call."""
        made = Node(application, self.name, inputs, self.attributes, self.location, self.block)
        made.call = self.call
        return made

    def __repr__(self) -> str:
        return f"<Node {self.title}>"


class Entry(Arithmetic):
    """One output of a node. Entries support arithmetic, for gradient rules."""

    __slots__ = ("_hash", "index", "node")

    def __init__(self, node: Node, index: int = 0) -> None:
        self.node, self.index, self._hash = node, index, node.serial << 4 ^ index

    def __eq__(self, other: object) -> bool:
        return type(other) is Entry and self.node is other.node and self.index == other.index

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"<Entry {self.name}>"

    @property
    def name(self) -> str:
        """The name in `list_outputs`."""
        node = self.node
        if node.application is None:
            return node.name
        return f"{node.name}_{node.application.outputs[self.index]}"

    def _with_scalar(self, op: str, scalar: float) -> "Entry":
        return make_node(op, [self], {"scalar": scalar}).entry()

    def _with_other(self, same_shape: str, broadcasting: str, other: Any, reverse: bool) -> "Entry":
        if not isinstance(other, Entry):
            return NotImplemented  # type: ignore[no-any-return]
        return make_node(same_shape, [other, self] if reverse else [self, other]).entry()


def make_node(
    op: str, inputs: Sequence[Entry], attributes: Mapping[str, Any] | None = None, name: str = ""
) -> Node:
    """Apply an operator, by name, to entries; attributes are Python values."""
    operator = REGISTRY[op]
    given = dict(attributes or {})
    if operator.count is not None and operator.count not in given:
        given[operator.count] = (len(inputs) - len(operator.inputs)) // operator.per_count
    return Node(operator.apply(given), name or op.strip("_").lower(), inputs)


class Graph:
    """All nodes that a list of entries depends on, in order.

    Attributes
    ----------
    outputs : the entries the graph computes
    nodes : all nodes; inputs come before their consumers (depth first, in MXNet's order)
    """

    def __init__(self, outputs: Iterable[Entry]) -> None:
        self.outputs = tuple(outputs)
        self.nodes = tuple(_in_order(self.outputs))

    @cached_property
    def consumers(self) -> dict[Node, list[Node]]:
        """For each node, the nodes that read one of its outputs, each once."""
        readers: dict[Node, dict[Node, None]] = {node: {} for node in self.nodes}
        for node in self.nodes:
            for entry in node.inputs:
                readers[entry.node][node] = None
        return {node: list(found) for node, found in readers.items()}

    @cached_property
    def reads(self) -> dict[Entry, int]:
        """How often each entry is read, by nodes and as an output."""
        inputs = (entry for node in self.nodes for entry in node.inputs)
        return Counter(itertools.chain(inputs, self.outputs))

    @cached_property
    def run_order(self) -> tuple[Node, ...]:
        """All nodes; those that draw random numbers are in the order of the user's calls.

        Where far fewer results are then alive at once, the others are not in the order of `nodes`.
        """
        order = self._drawing_order
        places = {node: place for place, node in enumerate(order)}
        reads = [[places[entry.node] for entry in node.inputs] for node in order]
        outputs = [places[entry.node] for entry in self.outputs]
        kept = {*outputs, *[places[node] for node in self.variables]}
        if not is_crowded(reads, kept):
            return order
        in_turn = [place for place, node in enumerate(order) if _has_effects(node)]
        if in_turn and not self._are_states_apart:
            return order
        found = freeing_order(reads, outputs, kept, in_turn)
        return order if found is None else tuple([order[place] for place in found])

    @cached_property
    def _drawing_order(self) -> tuple[Node, ...]:
        """All nodes, in the order of `nodes` unless random numbers must be drawn in another."""
        drawing = [n for n in self.nodes if n.application and n.application.op.run_name]
        called = sorted(drawing, key=lambda node: node.call)
        if called == drawing:
            return self.nodes
        return tuple(_in_order([*(node.entry() for node in called), *self.outputs]))

    @property
    def _are_states_apart(self) -> bool:
        """Whether only operators that update states read them."""
        states = set(self.states)
        return all(
            node.application.states
            for node in self.nodes
            if node.application is not None
            and not states.isdisjoint([entry.node for entry in node.inputs])
        )

    @cached_property
    def states(self) -> tuple[Node, ...]:
        """The variables that operators update: auxiliary states, in order."""
        updated: set[Node] = set()
        for node in self.nodes:
            application = node.application
            if application is not None and application.states:
                updated.update(
                    entry.node
                    for name, entry in zip(application.inputs, node.inputs, strict=True)
                    if name in application.states and entry.node.is_variable
                )
        return tuple(node for node in self.nodes if node in updated)

    @cached_property
    def variables(self) -> tuple[Node, ...]:
        """All inputs of the graph, including auxiliary states, in order."""
        return tuple(node for node in self.nodes if node.is_variable)

    @cached_property
    def arguments(self) -> tuple[Node, ...]:
        """The inputs of the graph that are not auxiliary states, in order."""
        states = set(self.states)
        return tuple(node for node in self.variables if node not in states)

    def rewrite(
        self, replace: Callable[[Node, Sequence[Entry]], Node | Sequence[Entry] | None]
    ) -> "Graph":
        """Rewrite the graph node by node; return the same graph if nothing changes.

        Parameters
        ----------
        replace : called with each node and its (already rewritten) inputs; returns a replacement node,
            or an entry for each output, or None to keep the node
        """
        replaced: dict[Node, Node | Sequence[Entry]] = {}

        def now(entry: Entry) -> Entry:
            new = replaced.get(entry.node)
            if new is None:
                return entry
            return new.entry(entry.index) if isinstance(new, Node) else new[entry.index]

        for node in self.nodes:
            is_same = not replaced or not any(entry.node in replaced for entry in node.inputs)
            inputs = list(node.inputs) if is_same else [now(entry) for entry in node.inputs]
            new = replace(node, inputs)
            if new is None and not is_same:
                new = node.with_inputs(inputs)
            if new is not None and new is not node:
                replaced[node] = new
        return Graph(map(now, self.outputs)) if replaced else self

    def drawn_in_order(self) -> "Graph":
        """The graph with random numbers drawn in the order of `nodes`, as in MXNet."""
        if self._drawing_order is self.nodes:
            return self

        def replace(node: Node, inputs: Sequence[Entry]) -> Node | None:
            if node.application is None or node.application.op.run_name is None:
                return None
            made = node.with_application(node.application, inputs)
            made.call = made.serial
            return made

        return self.rewrite(replace)

    def called_anew(self, given: Mapping[Node, Entry]) -> list[Entry]:
        """The outputs of a copy of the graph, as if all operators were called again in their order.

        Parameters
        ----------
        given : entries that replace nodes
        """
        mapped: dict[Node, Node] = {}

        def moved(entry: Entry) -> Entry:
            found = given.get(entry.node)
            return Entry(mapped[entry.node], entry.index) if found is None else found

        for node in self.run_order:
            if node not in given:
                made = node.with_application(node.application, [*map(moved, node.inputs)])
                made.call = made.serial
                mapped[node] = made
        return [moved(entry) for entry in self.outputs]

    def __repr__(self) -> str:
        operators = len(self.nodes) - len(self.variables)
        return f"<Graph of {operators} operators, {len(self.variables)} variables>"


def _has_effects(node: Node) -> bool:
    """Whether a node draws random numbers, updates a state or calls the user's code."""
    application = node.application
    if application is None:
        return False
    return bool(application.op.run_name or application.op.calls_back or application.states)


def _in_order(outputs: Sequence[Entry]) -> list[Node]:
    """The nodes below `outputs`, depth first, each after its inputs."""
    done: dict[Node, None] = {}
    stack: list[Node | None] = [entry.node for entry in reversed(outputs)]
    while stack:
        node = stack.pop()
        if node is None:  # the inputs of the one below are done
            node = stack.pop()
            assert node is not None
            done[node] = None
        elif node not in done:
            stack.append(node)
            stack.append(None)
            for entry in reversed(node.inputs):
                if entry.node not in done:
                    stack.append(entry.node)
    return list(done)
