"""Operators that draw are given keys: with one they draw what they draw when they take it."""

from typing import Any

import numpy as np
import pytest

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.inspection.explain import explain
from gluonic.codegen.rewriting.keys import with_keys
from gluonic.graph.node import Graph, Node, make_node
from gluonic.graph.operator import REGISTRY
from tests.codegen.agreement import check_backward, check_forward
from tests.codegen.growing import RandomGraph

SETTINGS: dict[str, dict[str, Any]] = {
    "LeakyReLU": {"act_type": "rrelu"},
    "_random_randint": {"low": 0, "high": 9, "shape": (40,)},
    "_sample_unique_zipfian": {"range_max": 100, "shape": (2, 5)},
    "_sample_multinomial": {"shape": 5, "get_prob": True},
}
WITHOUT_KEYS = {
    *("_foreach", "_while_loop", "_cond", "_backward_control_flow"),
    *("BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm", "_contrib_BatchNormWithReLU"),
    *("Custom", "IdentityAttachKLSparseReg"),
}
"""Loops, which take as many keys as what is inside; and what asks for the mode, but draws nothing."""


def drawing() -> list[str]:
    """The operators that draw, but for images' (Python runs all random numbers beside them) and RNN."""
    asking = {op.name for op in REGISTRY.operators() if op.run_name and not op.extra_attributes}
    images = {name for name in asking if name.startswith("_image_random_")}
    return sorted(asking - WITHOUT_KEYS - images - {"RNN"})


def settings_of(name: str) -> dict[str, Any]:
    given = SETTINGS.get(name, {})
    if name.startswith("_random_") and not name.endswith("_like") and "low" not in given:
        given = {"shape": (40,)}
    return given


def node_of(name: str) -> Node:
    settings = settings_of(name)
    names = REGISTRY[name].apply(settings).inputs
    return make_node(name, [Node(None, n).entry() for n in names], settings)


def graph_of(name: str) -> RandomGraph:
    """The operator beside a dropout, which must draw after it."""
    node = node_of(name)
    random = np.random.default_rng(3)
    arrays = tuple(random.uniform(0.2, 0.8, (4, 3)).astype(np.float32) for _ in node.inputs)
    if name == "_sample_multinomial":
        arrays = tuple(a / a.sum(1, keepdims=True) for a in arrays)
    y = Node(None, "y")
    dropped = make_node("Dropout", [y.entry()]).entry()
    outputs = [node.entry(i) for i in range(node.visible_count)]
    variables = (*(e.node for e in node.inputs), y)
    given = (*arrays, np.ones((5, 6), np.float32))
    return RandomGraph(Graph([dropped, *outputs]), variables, given, frozenset(), True)


@pytest.mark.parametrize("name", drawing())
def test_with_a_key_the_same_is_drawn(name: str) -> None:
    graph = graph_of(name)
    assert with_keys(graph.graph, Node(None, "keys"), train=True)[1] == 2
    check_forward(graph)
    check_backward(graph)


def test_dropout_is_compiled_beside_what_python_draws() -> None:
    graph = graph_of("_random_gamma")
    steps = explain(CompiledGraph(graph.graph, graph.variables).binding(graph.arrays, True)).steps
    kinds = {step.kind for step in steps if any("Dropout" in o for o in step.operators)}
    assert kinds == {"kernel"}
