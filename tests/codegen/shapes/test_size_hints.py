"""Which arrays are given a larger batch where code is made for a batch of one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.shapes.size_hints import size_hints
from gluonic.graph.node import Graph, Node, make_node
from tests.codegen.agreement import new_run

_FLOAT = np.dtype("float32")


def _sum_of(fixed: list[bool]) -> tuple[Graph, list[Node]]:
    """A sum of arrays, of which some are as long as a row that is made in the graph."""
    nodes = [Node(None, f"x{i}") for i in range(len(fixed))]
    row = make_node("_ones", [], {"shape": (1, 3)}).entry()
    total = row
    for node, is_fixed in zip(nodes, fixed, strict=True):
        term = node.entry()
        if is_fixed:
            term = make_node("elemwise_add", [term, row], {}).entry()
        total = make_node("broadcast_add", [total, term], {}).entry()
    return Graph([total]), nodes


@settings(max_examples=20, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=8))
def test_size_hints_that_fail_identify_arrays_of_fixed_size(fixed: list[bool]) -> None:
    graph, nodes = _sum_of(fixed)
    arrays = [AbstractArray((1, 3), _FLOAT)] * len(nodes)
    hints = [*size_hints(graph, nodes, arrays, range(len(nodes)))]
    assert len(hints) <= 1 + sum(fixed)
    if not all(fixed):
        assert [array.shape[0] for array in hints[-1]] == [1 if own else 2 for own in fixed]


def test_code_for_a_batch_of_one_serves_others_beside_eight_arrays_that_keep_their_size() -> None:
    fixed = [True] * 4 + [False] * 2 + [True] * 4
    graph, nodes = _sum_of(fixed)
    compiled = CompiledGraph(graph, nodes)
    for batch in (1, 5, 2):
        arrays = [np.full((1 if own else batch, 3), 2, _FLOAT) for own in fixed]
        (found,) = compiled(arrays, new_run(False))
        np.testing.assert_array_equal(found, np.full((batch, 3), 29, _FLOAT))
    assert len(compiled.specializations) == 1
