"""Random numbers as inputs: what draws is given keys, so that machine code can draw.

    Dropout(x, p=0.5)    →    _keyed_Dropout(x, keys, number=0, p=0.5)

Each call takes as many keys off the generator as operators draw, in their order, as they would one by one. So a
graph draws the same numbers whether it is compiled or interpreted, and its gradient the same as the graph.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.codegen.loops.draws import keyed_dropout, keyed_uniform
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.operator import Array, Operator, Run
from gluonic.graph.ops.dropout import drops
from gluonic.graph.random_words import take_keys
from gluonic.graph.subgraphs import held_graphs

_DRAWS_NOTHING = {
    "BatchNorm",
    "BatchNorm_v1",
    "_contrib_SyncBatchNorm",
    "IdentityAttachKLSparseReg",
    "Custom",
}
"""Operators that ask whether the net is being trained, but draw no numbers."""

_NO_KEYS = np.zeros(0, np.int64)


def _drops(settings: dict[str, Any], train: bool) -> bool:
    return drops(train, settings["mode"], settings["p"])


_DRAWS: dict[str, Callable[[dict[str, Any], bool], bool]] = {
    "Dropout": _drops,
    "LeakyReLU": lambda settings, train: train and settings["act_type"] == "rrelu",
    "RNN": lambda settings, train: train and settings["p"] > 0,
}
"""For operators that do not always draw, when they do."""
_KEYED: dict[str, tuple[Operator, tuple[str, ...]]] = {
    "Dropout": (keyed_dropout, ("p", "axes")),
    "_random_uniform": (keyed_uniform, ("low", "high", "shape", "dtype")),
}
"""What draws the same with a key, and the attributes that it takes over."""


def draws(node: Node, train: bool) -> bool:
    """Whether an operator draws random numbers."""
    application = node.application
    if application is None or application.op.run_name is None:
        return False
    graphs = held_graphs(node)
    if graphs:
        return any(draws(inner, train) for graph in graphs for inner in graph.nodes)
    name = application.op.name
    rule = _DRAWS.get(name)
    return name not in _DRAWS_NOTHING if rule is None else rule(application.settings, train)


def with_keys(graph: Graph, keys: Node, train: bool) -> tuple[Graph, int]:
    """The graph in which operators draw with keys, and how many there are; unchanged if one cannot.

    Parameters
    ----------
    graph : what to compute
    keys : the variable that will hold the keys
    train : whether the graph runs in training mode
    """
    numbers: dict[Node, int] = {}
    for node in graph.nodes:
        if draws(node, train):
            numbers[node] = len(numbers)
    read = {entry for node in graph.nodes for entry in node.inputs} | set(graph.outputs)
    if not numbers or not all(_can_be_keyed(node, read) for node in numbers):
        return graph, 0

    def replace(node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
        if node not in numbers:
            return None
        assert node.application is not None
        op, names = _KEYED[node.application.op.name]
        settings = {name: node.application.settings[name] for name in names}
        settings = {name: value for name, value in settings.items() if value is not None}
        made = Node(
            op.apply({**settings, "number": numbers[node]}),
            node.name,
            [*inputs, keys.entry()],
            node.attributes,
            node.location,
            node.block,
        )
        return [made.entry()] * node.output_count

    return graph.rewrite(replace), len(numbers)


def _can_be_keyed(node: Node, read: set[Entry]) -> bool:
    """Whether there is an operator that draws the same with a key; none of them gives a mask."""
    application = node.application
    assert application is not None
    name, settings = application.op.name, application.settings
    fits = name != "Dropout" or settings["p"] <= 1
    return (
        fits
        and name in _KEYED
        and not any(node.entry(i) in read for i in range(1, node.output_count))
    )


class Keys:
    """The keys that a graph's calls take.

    Parameters
    ----------
    graph : a graph in which something may draw, in training or not

    Attributes
    ----------
    variable : the input that holds them
    graphs : for either mode the graph in which operators draw with keys
    counts : for either mode how many keys that is
    """

    def __init__(self, graph: Graph) -> None:
        self.variable = Node(None, "random_keys")
        made = {train: with_keys(graph, self.variable, train) for train in (False, True)}
        self.graphs = {train: keyed for train, (keyed, _) in made.items()}
        self.counts = {train: count for train, (_, count) in made.items()}

    @classmethod
    def of(cls, graph: Graph) -> "Keys | None":
        """The keys of a graph; None if nothing in it takes any."""
        if not any(draws(node, True) for node in graph.nodes):
            return None
        keys = cls(graph)
        return keys if any(keys.counts.values()) else None

    def places(self, train: bool) -> Array:
        """Where a call's keys will stand."""
        count = self.counts[train]
        return np.zeros(count, np.int64) if count else _NO_KEYS

    def take(self, places: Array, run: Run) -> None:
        """Take a call's keys off the generator."""
        if places.size:
            places[:] = take_keys(run.random, places.size)
