"""Insertion of casts into a float32 graph, so that parts of it are computed in low precision.

    before   data, weight, bias → Convolution → softmax
    after    data, weight, bias → amp_cast float16 each → Convolution → amp_cast float32 → softmax

Nodes and names equal those of MXNet's pass, so that files are alike.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gluonic.contrib.numbered_outputs import output_suffix
from gluonic.graph import REGISTRY, Entry, Graph, Node
from gluonic.graph.casting import FULL
from gluonic.graph.errors import InferenceError
from gluonic.graph.infer import infer


class Rules(NamedTuple):
    """The settings of a conversion.

    Attributes
    ----------
    low : the dtype of low precision
    low_operators, full_operators, widest : computed in `low`, in float32, in the widest dtype of the inputs
    conditional : by operator and attribute, the values, as text, for which it is computed in float32
    excluded : names of nodes that are computed in float32
    data : names of variables that are not parameters
    casts_parameters : whether parameters are to be stored in `low` if all that reads them uses it
    """

    low: np.dtype[Any]
    low_operators: frozenset[str]
    full_operators: frozenset[str]
    widest: frozenset[str]
    conditional: Mapping[str, Mapping[str, Sequence[str]]]
    excluded: frozenset[str]
    data: frozenset[str]
    casts_parameters: bool


def reduce_precision(graph: Graph, rules: Rules) -> Graph:
    """Return a graph of new nodes with casts in it; its outputs are float32."""
    made = _Reduction(rules)
    for node in graph.nodes:
        made.add(node)
    return Graph([made.as_output(entry) for entry in graph.outputs])


class _Reduction:
    """The new graph during its construction.

    Attributes
    ----------
    nodes : the new node of each old one
    low, full : by old entry, the new entry with its value in either dtype, if known
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.nodes: dict[Node, Node] = {}
        self.low: dict[Entry, Entry] = {}
        self.full: dict[Entry, Entry] = {}

    def add(self, node: Node) -> None:
        """Create the new node of an old one."""
        new = self.nodes[node] = Node(
            node.application, node.name, (), node.attributes, node.location, node.block
        )
        new.call = node.call
        rules, name = self.rules, node.operator_name
        if name in rules.full_operators or node.name in rules.excluded:
            self._note(node, [FULL] * node.output_count)
            new.inputs = tuple(self._full_unless_variable(e) for e in node.inputs)
        elif name in rules.low_operators:
            new.inputs = tuple(self._inputs_in_low(node))
        elif name in rules.widest and node.inputs:
            new.inputs = tuple(self._widest(node))
        elif self._is_conditional(node):
            self._note(node, [FULL] * node.output_count)
            states = node.application.states if node.application else ()
            new.inputs = tuple(
                self._now(e) if slot in states else self._in_full(e)
                for slot, e in zip(_slots(node), node.inputs, strict=True)
            )
        else:
            self._note_what_follows(node)
            new.inputs = tuple(self._now(e) for e in node.inputs)

    def as_output(self, entry: Entry) -> Entry:
        """The new entry with the value of an old output, in float32."""
        return self._in_full(entry)

    # What is known of dtypes

    def _note(self, node: Node, dtypes: Sequence[Any]) -> None:
        for index, dtype in enumerate(dtypes):
            if dtype == self.rules.low:
                self.low[node.entry(index)] = self.nodes[node].entry(index)
            elif dtype == FULL:
                self.full[node.entry(index)] = self.nodes[node].entry(index)

    def _note_what_follows(self, node: Node) -> None:
        """Note the dtypes of a node's outputs that follow from that of its first input."""
        if not node.inputs:
            return
        first = node.inputs[0]
        if first in self.low or first in self.full:
            self._note(node, _dtypes(node, self.rules.low if first in self.low else FULL)[1])

    # What is read

    def _now(self, entry: Entry) -> Entry:
        """The new entry of an old one."""
        return self.nodes[entry.node].entry(entry.index)

    def _full_unless_variable(self, entry: Entry) -> Entry:
        is_known = entry.node.is_variable and entry not in self.full
        return self._now(entry) if is_known else self._in_full(entry)

    def _in_full(self, entry: Entry) -> Entry:
        return self._cast(entry, FULL, self.full)

    def _cast(self, entry: Entry, dtype: Any, known: dict[Entry, Entry]) -> Entry:
        """The new entry with the value of an old one in a dtype; a cast is added if there is none yet."""
        if entry not in known:
            name = f"{entry.node.name}{output_suffix(entry)}_amp_cast_{dtype.name}"
            known[entry] = _made(
                "amp_cast", name, [self._now(entry)], {"dtype": dtype.name}
            ).entry()
        return known[entry]

    def _inputs_in_low(self, node: Node) -> list[Entry]:
        wanted, outputs = _dtypes(node, self.rules.low)
        self._note(node, outputs)
        states = node.application.states if node.application else ()
        inputs = []
        for slot, entry, dtype in zip(_slots(node), node.inputs, wanted, strict=True):
            if entry in self.low:
                inputs.append(self.low[entry])
            elif slot in states or dtype not in (None, self.rules.low):
                inputs.append(self._now(entry))
            elif self._is_cast_beforehand(entry):
                inputs.append(self._now(entry))
                self.low[entry] = self._now(entry)
            else:
                inputs.append(self._cast(entry, self.rules.low, self.low))
        return inputs

    def _is_cast_beforehand(self, entry: Entry) -> bool:
        """Whether a parameter is stored in low precision."""
        node, rules = entry.node, self.rules
        return rules.casts_parameters and node.is_variable and node.name not in rules.data

    def _widest(self, node: Node) -> list[Entry]:
        if any(entry not in self.low and entry not in self.full for entry in node.inputs):
            first = node.inputs[0]
            both = _made(
                "amp_multicast",
                f"{first.node.name}{output_suffix(first)}_amp_multicast",
                [self._now(entry) for entry in node.inputs],
                {"num_outputs": str(len(node.inputs))},
            )
            return [both.entry(index) for index in range(len(node.inputs))]
        is_full = any(entry in self.full for entry in node.inputs)
        dtype, known = (FULL, self.full) if is_full else (self.rules.low, self.low)
        self._note(node, [dtype] * node.output_count)
        return [self._cast(entry, dtype, known) for entry in node.inputs]

    def _is_conditional(self, node: Node) -> bool:
        values = self.rules.conditional.get(node.operator_name, {})
        return any(node.attributes.get(key) in wanted for key, wanted in values.items())


def _made(operator: str, name: str, inputs: Sequence[Entry], texts: dict[str, str]) -> Node:
    return Node(REGISTRY[operator].apply(texts), name, inputs, texts)


def _slots(node: Node) -> Sequence[str]:
    return () if node.application is None else node.application.inputs


def _dtypes(node: Node, first: np.dtype[Any]) -> tuple[list[Any], list[Any]]:
    """The dtypes of a node's inputs and outputs that follow from that of its first input."""
    variables = [Node(None, slot) for slot in _slots(node)]
    alone = Node(node.application, node.name, [v.entry() for v in variables])
    try:
        facts = infer(Graph([alone.entry()]), "dtype", {variables[0]: first})
    except InferenceError:
        return [None] * len(variables), [None] * node.output_count
    return [facts[v][0] for v in variables], list(facts[alone])
