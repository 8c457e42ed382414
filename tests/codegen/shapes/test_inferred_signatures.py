"""Output signatures predicted for a new size equal the inferred ones."""

from collections.abc import Sequence
from typing import Any

import hypothesis
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gluonic.codegen.shapes.facts import find_facts
from gluonic.codegen.shapes.inferred_signatures import InferredSignatures
from gluonic.graph import shapes_and_dtypes
from gluonic.graph.errors import MXNetError
from gluonic.graph.interpret import Interpretation
from gluonic.graph.node import Entry, Graph, Node, make_node
from tests.codegen.agreement import new_run
from tests.codegen.random_graphs import RandomGraph, random_graphs
from tests.codegen.varying_axes import resized, varying_axes

SIZES = (3, 4, 2, 5, 1, 6, 7, 8, 9, 12, 64, 65, 100)


def _inferred_directly(graph: Graph, inputs: Sequence[Node], arrays: Sequence[Any]) -> list[Any]:
    facts = find_facts(graph, inputs, arrays)
    return [
        [
            (facts.shapes[entry], facts.dtypes[entry])
            for entry in map(node.entry, range(node.output_count))
        ]
        for node in graph.run_order
        if not node.is_variable
    ]


def _predicted(signatures: InferredSignatures, arrays: Sequence[Any]) -> list[Any] | None:
    found = signatures(shapes_and_dtypes(arrays))
    return None if found is None else [[*zip(s.shapes, s.dtypes, strict=True)] for s in found]


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(random_graphs(most=12), st.data())
def test_inferred_signatures_of_random_graphs_are_right(
    random: RandomGraph, data: st.DataObject
) -> None:
    size, varying = varying_axes(random, data)
    signatures = InferredSignatures(random.graph, random.variables)
    for other in (size, *SIZES):
        arrays = resized(random.arrays, other, varying)
        found = _predicted(signatures, arrays)
        if found is not None:
            assert found == _inferred_directly(random.graph, random.variables, arrays)
        elif other == size:
            try:
                _inferred_directly(random.graph, random.variables, arrays)
            except MXNetError:  # shapes that depend on data
                hypothesis.reject()


def _attention() -> tuple[Graph, list[Node]]:
    variables = [Node(None, name) for name in ("x", "weight")]
    x, weight = [node.entry() for node in variables]

    def made(name: str, *inputs: Entry, **attributes: Any) -> Entry:
        return make_node(name, [*inputs], attributes).entry()

    query = made("FullyConnected", x, weight, num_hidden=4, no_bias=True, flatten=False)
    weights = made("softmax", made("batch_dot", query, x, transpose_b=True))
    rows = made("reshape", made("batch_dot", weights, x), shape=(-1, 2))
    return Graph([made("sum", rows, axis=0), weights]), variables


def _lengths(lengths: Sequence[int]) -> list[list[Any]]:
    random = np.random.default_rng(0)
    weight = random.standard_normal((4, 4)).astype(np.float32)
    return [[random.standard_normal((2, n, 4)).astype(np.float32), weight] for n in lengths]


def test_a_growing_length_is_predicted_after_three_calls() -> None:
    signatures = InferredSignatures(*_attention())
    found = [
        signatures(shapes_and_dtypes(arrays)) is not None
        for arrays in _lengths([2, 3, 4, 5, 8, 100])
    ]
    assert found == [False, False, True, True, True, True]


def test_predicted_calls_compute_what_others_do() -> None:
    graph, variables = _attention()
    direct, predicted = (
        Interpretation(graph, variables),
        Interpretation(graph, variables, InferredSignatures(graph, variables)),
    )
    for arrays in _lengths(range(1, 12)):
        for one, other in zip(direct(arrays, new_run()), predicted(arrays, new_run()), strict=True):
            np.testing.assert_array_equal(one, other)
