"""Einstein's sums in compiled graphs, and their gradients."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.codegen.compiled import CompiledGraph
from gluonic.graph.builder import F
from gluonic.graph.gradient import gradients
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Graph, Node
from tests.codegen.agreement import new_run
from tests.codegen.native_operators import in_python

EXTENTS = dict(zip("abcde", (2, 3, 4, 1, 3), strict=True))


@st.composite
def sums(draw: st.DrawFn) -> str:
    """Subscripts of up to three factors without diagonals."""
    count = draw(st.integers(1, 3))
    letters = st.lists(st.sampled_from("abcde"), unique=True, max_size=4).map("".join)
    texts = [draw(letters) for _ in range(count)]
    named = sorted({*"".join(texts)})
    kept = draw(st.lists(st.sampled_from(named), unique=True)) if named else []
    return f"{','.join(texts)}->{''.join(kept)}"


def with_gradients(subscripts: str) -> tuple[CompiledGraph, Graph, dict[Node, Any]]:
    """A sum of random arrays, with the gradients of all."""
    texts, result = subscripts.partition("->")[0].split(","), subscripts.partition("->")[2]
    random = np.random.default_rng(3)
    values = {
        Node(None, f"x{i}"): random.uniform(-1, 1, [EXTENTS[c] for c in text]).astype("float32")
        for i, text in enumerate(texts)
    }
    inputs, head = list(values), Node(None, "head")
    y = F._npi_einsum(*(x.entry() for x in inputs), num_args=len(inputs), subscripts=subscripts)
    entries = gradients([y], [head.entry()], [x.entry() for x in inputs], train=False)
    graph = Graph([y, *[entry for entry in entries if entry is not None]])
    values[head] = random.uniform(1, 2, [EXTENTS[c] for c in result]).astype("float32")
    return CompiledGraph(graph, list(values)), graph, values


@settings(max_examples=40, deadline=None)
@given(sums())
def test_einsums_agree_with_numpy(subscripts: str) -> None:
    compiled, graph, values = with_gradients(subscripts)
    found = compiled(list(values.values()), new_run())
    for ours, wanted in zip(found, interpret(graph, values, new_run()), strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=2e-5, atol=2e-5, strict=True)


@pytest.mark.parametrize(
    "subscripts", ["ab,bc->ac", "aebc,aedc->aebd", "ab,bc,ce->ae", "abc->b", "ab,b->ab"]
)
def test_products_of_matrices_are_machine_code(subscripts: str) -> None:
    compiled, _, values = with_gradients(subscripts)
    assert not in_python(compiled, list(values.values()))


def test_one_code_serves_all_batch_sizes() -> None:
    x, y = Node(None, "x"), Node(None, "y")
    entries = x.entry(), y.entry()
    sums = F._npi_einsum(*entries, num_args=2, subscripts="bqhd,bkhd->bhqk")
    compiled = CompiledGraph(Graph([F._np_roll(sums, shift=1, axis=3)]), [x, y])
    for batch in (4, 2, 7, 1):
        arrays = [np.ones((batch, count, 2, 3), "float32") for count in (5, 6)]
        compiled(arrays, new_run())
    assert compiled.cache_info().specializations == 1
