"""Graphs run in an order that frees results, but random numbers, states and the user's code keep their turn."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from gluonic.graph.interpret import interpret
from gluonic.graph.node import Entry, Graph, Node, make_node
from gluonic.graph.operator import Array
from tests.codegen.agreement import new_run

STEPS = 50


def sum_of(terms: Sequence[Entry], total: Entry) -> Entry:
    """The sum, in which each term is the left operand: depth first, all terms come before the first sum."""
    for term in terms:
        total = make_node("elemwise_add", [term, total]).entry()
    return total


def most_alive(graph: Graph, inputs: dict[Node, Array]) -> int:
    """The largest number of results that nothing has freed when an operator has run."""
    last = {e.node: place for place, node in enumerate(graph.run_order) for e in node.inputs}
    places = {node: place for place, node in enumerate(graph.run_order)}
    ran: list[Node] = []
    counts: list[int] = []

    def note(node: Node, given: list[Array], made: list[Array]) -> None:
        ran.append(node)
        counts.append(sum(last.get(n, len(places)) >= places[node] for n in ran))

    interpret(graph, inputs, new_run(), note)
    return max(counts)


def branches(x: Entry) -> list[Entry]:
    """Different functions of an input."""
    scaled = [make_node("_mul_scalar", [x], {"scalar": i}).entry() for i in range(STEPS)]
    return [make_node("tanh", [one]).entry() for one in scaled]


@pytest.mark.parametrize("turn", [lambda terms: terms, lambda terms: terms[::-1]])
def test_terms_are_computed_when_they_are_added(
    turn: Callable[[list[Entry]], list[Entry]],
) -> None:
    x = Node(None, "x")
    graph = Graph([sum_of(turn(branches(x.entry())), x.entry())])
    assert sorted(map(id, graph.run_order)) == sorted(map(id, graph.nodes))
    assert most_alive(graph, {x: np.ones(3, np.float32)}) <= 4


def test_a_graph_with_few_results_alive_runs_in_the_order_of_its_nodes() -> None:
    x = Node(None, "x")
    entry = x.entry()
    for _ in range(STEPS):
        entry = make_node("elemwise_add", [make_node("tanh", [entry]).entry(), entry]).entry()
    graph = Graph([entry])
    assert graph.run_order is graph.nodes


def test_outputs_are_finished_in_their_order() -> None:
    x = Node(None, "x")
    sums = [sum_of(branches(x.entry()), x.entry()) for _ in range(3)]
    order = Graph(sums[::-1]).run_order
    assert sorted(sums, key=lambda entry: order.index(entry.node)) == sums[::-1]


def test_random_numbers_are_drawn_in_the_order_of_calls() -> None:
    x = Node(None, "x")
    drawn = [
        make_node("Dropout", [one], {"p": 0.5, "mode": "always"}) for one in branches(x.entry())
    ]
    graph = Graph([sum_of([node.entry() for node in drawn], x.entry())])
    in_turn = [node for node in graph.run_order if node in set(drawn)]
    assert in_turn == drawn
    assert most_alive(graph, {x: np.ones(3, np.float32)}) <= 5


def test_states_are_updated_in_the_order_of_calls() -> None:
    x, gamma, mean, var = variables = [Node(None, name) for name in ("x", "gamma", "mean", "var")]
    others = [gamma.entry(), gamma.entry(), mean.entry(), var.entry()]
    layers = [make_node("BatchNorm", [one, *others]) for one in branches(x.entry())]
    graph = Graph([sum_of([layer.entry() for layer in layers], x.entry())])
    found = [node for node in graph.run_order if node.operator_name == "BatchNorm"]
    assert found == layers
    arrays = [np.ones((2, 3), np.float32), *(np.ones(3, np.float32) for _ in others[1:])]
    assert most_alive(graph, dict(zip(variables, arrays, strict=True))) <= 9


def test_an_operator_that_reads_a_state_runs_after_the_same_updates_as_depth_first() -> None:
    x, gamma, mean, var = (Node(None, name) for name in ("x", "gamma", "mean", "var"))
    others = [gamma.entry(), gamma.entry(), mean.entry(), var.entry()]
    layers = [make_node("BatchNorm", [one, *others]).entry() for one in branches(x.entry())]
    read = make_node("_mul_scalar", [mean.entry()], {"scalar": 2.0}).entry()
    order = Graph([read, sum_of(layers, x.entry())]).run_order
    updates = [order.index(layer.node) for layer in layers]
    assert updates == sorted(updates)
    assert order.index(read.node) > updates[-1]
