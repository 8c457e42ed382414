"""Random numbers as inputs: what draws is given keys, so that machine code can draw.

    Dropout(x, p=0.5)    →    _keyed_Dropout(x, keys, number=0, p=0.5)

Each call takes as many keys off the generator as operators draw, in their order, as they would one by one. So a
graph draws the same numbers whether it is compiled or interpreted, and its gradient the same as the graph.
"""

from collections.abc import Sequence

import numpy as np

from gluonic.codegen.loops.draws import keyed, keyed_dropout
from gluonic.codegen.loops.inner_operators import apply
from gluonic.graph.builder import F
from gluonic.graph.draws import draws
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.operator import Array, Operator, Run
from gluonic.graph.ops.random_numbers import FORMS
from gluonic.graph.ops.recurrent import keyed_rnn
from gluonic.graph.origin import give_origin
from gluonic.graph.random_keys import take_keys

_NO_KEYS = np.zeros(0, np.int64)

_OF_ONE_KEY = {
    *FORMS,
    *("_random_randint", "_sample_multinomial", "_sample_unique_zipfian", "_shuffle"),
}
"""Operators whose numbers follow from one key that they take off their run."""


def with_keys(graph: Graph, keys: Node, train: bool) -> tuple[Graph, int]:
    """The graph in which operators draw with keys, and how many there are; unchanged if one cannot.

    Parameters
    ----------
    graph : what to compute
    keys : the variable that will hold the keys
    train : whether the graph runs in training mode
    """
    numbers: dict[Node, int] = {}
    count = 0
    for node in graph.run_order:
        if draws(node, train):
            numbers[node] = count
            count += _keys_of(node)
    read = {entry for node in graph.nodes for entry in node.inputs} | set(graph.outputs)
    if not numbers or not all(_can_be_keyed(node, read) for node in numbers):
        return graph, 0

    def replace(node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
        if node not in numbers:
            return None
        assert node.application is not None
        if node.operator_name == "LeakyReLU":
            return _with_random_slopes(node, inputs, keys, numbers[node])
        made = _keyed(node, inputs, keys, numbers[node])
        return [made.entry(min(i, made.output_count - 1)) for i in range(node.output_count)]

    return graph.rewrite(replace), count


def _keys_of(node: Node) -> int:
    """How many keys an operator takes when it draws."""
    assert node.application is not None
    is_network = node.application.op.name == "RNN"
    return node.application.settings["num_layers"] - 1 if is_network else 1


def _keyed(node: Node, inputs: Sequence[Entry], keys: Node, number: int) -> Node:
    """The node that draws the same with keys, from that number on."""
    assert node.application is not None
    name, settings = node.application.op.name, node.application.settings
    op = _keyed_operator(name)
    known = {k: v for k, v in settings.items() if k in op.attributes and v is not None}
    application = op.apply({**known, "number": number})
    given = {**dict(zip(node.application.inputs, inputs, strict=True)), "keys": keys.entry()}
    entries = [given[name] for name in application.inputs]
    return node.with_application(application, entries)


def _keyed_operator(name: str) -> Operator:
    """What draws the same with keys; it takes over the attributes that it knows."""
    if name == "Dropout":
        return keyed_dropout
    return keyed_rnn if name == "RNN" else keyed(name)


def _with_random_slopes(
    node: Node, inputs: Sequence[Entry], keys: Node, number: int
) -> Sequence[Entry]:
    """A rectifier that lets negative numbers through times random slopes, and these."""
    assert node.application is not None
    (data,), settings = inputs, node.application.settings
    low, high = settings["lower_bound"], settings["upper_bound"]
    drawing = keyed("_random_uniform_like")
    slopes = apply(drawing, data, keys.entry(), number=number, low=low, high=high)
    made = [F.where(data > 0, data, data * slopes), slopes]
    give_origin(made, node)
    return made


def _can_be_keyed(node: Node, read: set[Entry]) -> bool:
    """Whether there is an operator that draws the same with keys; that for dropout gives no mask."""
    application = node.application
    assert application is not None
    name, settings = application.op.name, application.settings
    if name == "Dropout":
        return settings["p"] <= 1 and node.entry(1) not in read
    return name in ("LeakyReLU", "RNN") or name in _OF_ONE_KEY


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
