"""Convolutions, products and the like are machine code in float16, computed in float32."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic import gluon, nd
from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.inspection.explain import explain
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Graph, Node, make_node
from tests.codegen.agreement import assert_alike, new_run
from tests.codegen.convolution.test_windowed_operators import convolutions, poolings
from tests.codegen.native_operators import arrays_for, check_with_gradients


@settings(max_examples=12, deadline=None)
@given(st.one_of(convolutions(), poolings()))
def test_windows_of_halves_are_machine_code(case: Any) -> None:
    node, known, _ = case
    check_with_gradients(node, known, "float16")


@pytest.mark.parametrize(
    ("operator", "names", "shape", "attributes"),
    [
        ("FullyConnected", ["data", "weight", "bias"], (7, 30), {"num_hidden": 5}),
        ("RNN", ["data", "parameters", "state", "state_cell"], (4, 3, 5),
         {"mode": "lstm", "state_size": 7, "num_layers": 2, "state_outputs": True}),
        ("RNN", ["data", "parameters", "state"], (4, 3, 5),
         {"mode": "gru", "state_size": 6, "num_layers": 1, "bidirectional": True}),
    ],
)  # fmt: skip
def test_products_of_halves_are_machine_code(
    operator: str, names: list[str], shape: tuple[int, ...], attributes: dict[str, Any]
) -> None:
    variables = [Node(None, name) for name in names]
    node = make_node(operator, [v.entry() for v in variables], attributes)
    check_with_gradients(node, {variables[0]: shape}, "float16")


_STATISTICS = "gamma", "beta", "mean", "variance"


def network(batch: int) -> tuple[Graph, list[Node], dict[str, tuple[int, ...]]]:
    """A convolution, normalized, rectified, pooled and read by a dense layer."""
    channels = dict.fromkeys(("bias", *_STATISTICS), (5,))
    shapes = {"data": (batch, 3, 9, 9), "filters": (5, 3, 3, 3), **channels, "weight": (4, 45)}
    variables = [Node(None, name) for name in shapes]
    data, filters, bias, gamma, beta, mean, variance, weight = (v.entry() for v in variables)
    made = make_node(
        "Convolution", [data, filters, bias], {"kernel": (3, 3), "num_filter": 5, "pad": (1, 1)}
    )
    made = make_node("BatchNorm", [made.entry(), gamma, beta, mean, variance], {"eps": 0.1})
    made = make_node("Activation", [made.entry()], {"act_type": "relu"})
    settings = {"kernel": (3, 3), "stride": (3, 3), "pool_type": "max"}
    made = make_node("Pooling", [made.entry()], settings)
    made = make_node("FullyConnected", [made.entry(), weight], {"num_hidden": 4, "no_bias": True})
    return Graph([made.entry()]), variables, shapes


def test_one_graph_serves_halves_whole_numbers_and_other_batches() -> None:
    graph, variables, _ = network(1)
    compiled = CompiledGraph(graph, variables)
    random = np.random.default_rng(0)
    for dtype, batch in [
        ("float32", 2),
        ("float16", 2),
        ("float16", 5),
        ("float64", 3),
        ("float16", 1),
    ]:
        statistics = "float64" if dtype == "float64" else "float32"
        shapes = network(batch)[2]
        arrays = [
            random.uniform(0.2, 1, shape).astype(statistics if name in _STATISTICS else dtype)
            for name, shape in shapes.items()
        ]
        expected = interpret(graph, dict(zip(variables, arrays, strict=True)), new_run())
        assert_alike(compiled(arrays, new_run()), expected)
        steps = explain(compiled.binding(arrays)).steps
        assert [step for step in steps if step.kind == "python"] == []


def test_sums_beyond_halves_are_infinite() -> None:
    data, weight = (Node(None, name) for name in ("data", "weight"))
    node = make_node(
        "FullyConnected", [data.entry(), weight.entry()], {"num_hidden": 3, "no_bias": True}
    )
    arrays = arrays_for(node, {data: (2, 9)}, "float16")
    arrays[0][1], arrays[1][2] = 3e4, 1
    (found,) = CompiledGraph(Graph([node.entry()]), [data, weight])(arrays, new_run())
    assert found.dtype == np.float16
    assert np.isinf(found[1, 2])
    assert np.isfinite(found[0]).all()


def test_conversions_are_attributed_to_the_layer_that_needs_them() -> None:
    net = gluon.nn.Dense(3, in_units=4)
    net.initialize()
    net.cast("float16")
    net.hybridize()
    steps = net.explain(nd.ones((2, 4), dtype="float16")).steps
    assert any(step.operators[0].startswith("Cast") for step in steps)
    assert all(net.name in step.location for step in steps)
