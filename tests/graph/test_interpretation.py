"""A graph is interpreted again without inferring its operators' signatures again, and frees its results."""

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph.application import Application
from gluonic.graph.errors import MXNetError
from gluonic.graph.interpret import FasterOperators, Interpretation
from gluonic.graph.node import Graph, Node, make_node
from gluonic.graph.operator import Run
from tests.codegen.agreement import new_run
from tests.graph.applying import application
from tests.graph.registry_samples import SAMPLES, application_of, cast, every_sample, run_of


@every_sample
def test_repeated_calls_compute_what_the_first_one_did(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    variables = [Node(None, f"x{i}") for i in range(len(sample.inputs))]
    node = Node(application_of(name, sample), "called", [v.entry() for v in variables])
    graph = Graph([node.entry(i) for i in range(node.output_count)])
    interpretation = Interpretation(graph, variables)
    first: list[Any] = []
    for dtype in ("float32", None, "float32", None):
        arrays = cast(sample, dtype)
        found = [np.array(a) for a in (*interpretation(arrays, run_of(sample)), *arrays)]
        first.append(found)
    for before, after in zip(first[:2], first[2:], strict=True):
        for one, other in zip(before, after, strict=True):
            assert (one.shape, one.dtype) == (other.shape, other.dtype)
            np.testing.assert_array_equal(one, other)


def test_an_error_in_a_further_call_names_the_operator_and_its_inputs() -> None:
    x = Node(None, "x")
    node = Node(application("_linalg_potrf", 1, {}), "factor", [x.entry()])
    interpretation = Interpretation(Graph([node.entry()]), [x])
    messages = []
    for matrix in (np.eye(2), -np.eye(2), np.eye(2), -np.eye(2)):
        try:
            interpretation([matrix], run_of(SAMPLES["_linalg_potrf"][0]))
        except MXNetError as error:
            messages.append(str(error))
    assert messages[0] == messages[1]
    assert "factor" in messages[0]


def test_results_of_operators_with_several_are_freed_after_their_last_read() -> None:
    x, gamma, mean, var = variables = [Node(None, name) for name in ("x", "gamma", "mean", "var")]
    others = [gamma.entry(), gamma.entry(), mean.entry(), var.entry()]
    entry = make_node("BatchNorm", [x.entry(), *others]).entry()
    for name in ("relu", "relu", "tanh"):
        entry = make_node(name, [entry]).entry()
    made: list[weakref.ref[Any]] = []
    freed: list[bool] = []

    def outputs(
        application: Application, given: Sequence[Any], run: Run, has_new_weights: bool
    ) -> list[Any] | None:
        assert not has_new_weights
        if application.op.name == "tanh":
            freed.extend(array() is None for array in made)
            return None
        found = [array.copy() for array in application.execute(given, run)]
        made.extend(map(weakref.ref, found))
        return found

    own = FasterOperators(lambda application, largest: application.op.name != "relu", outputs)
    interpretation = Interpretation(Graph([entry]), variables, faster=own)
    arrays = [np.ones((2, 3), np.float32), *(np.ones(3, np.float32) for _ in variables[1:])]
    interpretation(arrays, new_run())
    assert freed[0]


def test_weights_that_a_graph_computes_are_new_in_each_call_also_where_shapes_are_open() -> None:
    x, w = Node(None, "x"), Node(None, "w")
    zeros = make_node("_zeros", [], {"shape": "(0, 3)"}).entry()
    rows = make_node("elemwise_add", [x.entry(), zeros]).entry()
    twice = make_node("abs", [w.entry()]).entry()
    products = [
        make_node("FullyConnected", [rows, weights], {"num_hidden": 2, "no_bias": True}).entry()
        for weights in (w.entry(), twice)
    ]
    asked: list[bool] = []

    def outputs(
        application: Application, given: Sequence[Any], run: Run, has_new_weights: bool
    ) -> list[Any] | None:
        asked.append(has_new_weights)
        return [*application.execute(given, run)]

    faster = FasterOperators(lambda application, _: bool(application.weights), outputs)
    interpretation = Interpretation(Graph(products), [x, w], faster=faster)
    arrays = [np.ones((4, 3), np.float32), np.ones((2, 3), np.float32)]
    for _ in range(2):
        for result in interpretation(arrays, new_run()):
            np.testing.assert_array_equal(result, np.full((4, 2), 3, np.float32))
    assert asked == [False, True] * 2
