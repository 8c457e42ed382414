"""Kernels with several sweeps over reduced axes: later sweeps read the results of earlier ones."""

from __future__ import annotations

import numpy as np
import pytest

from gluonic.codegen.compiled import CompiledGraph
from gluonic.graph.node import Entry, Graph, Node, make_node
from tests.codegen.agreement import check_backward, check_forward, new_run
from tests.codegen.growing import RandomGraph


def uniform(dtype: str, *shapes: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Reproducible numbers between -1 and 1."""
    random = np.random.default_rng(0)
    return tuple(np.asarray(random.uniform(-1, 1, shape), dtype) for shape in shapes)


@pytest.mark.parametrize("width", [1, 5, 40])
@pytest.mark.parametrize("activation", ["softmax", "log_softmax", "tanh", "sigmoid"])
def test_an_exponential_is_kept_as_long_as_any_sweep_computes_with_it(
    width: int, activation: str
) -> None:
    x, gamma, beta = (Node(None, name) for name in ("x", "gamma", "beta"))
    normal = make_node("LayerNorm", [x.entry(), gamma.entry(), beta.entry()], {"eps": 0.01})
    output = make_node(activation, [normal.entry()]).entry()
    arrays = uniform("float32", (7, width), (width,), (width,))
    variables = (x, gamma, beta)
    check_backward(RandomGraph(Graph([output]), variables, arrays, frozenset(), train=True))


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
def test_sums_of_sums_in_float16_need_no_function_of_a_library(axes: tuple[int, ...]) -> None:
    x = Node(None, "x")
    total: Entry = x.entry()
    for axis in axes:
        total = make_node("sum", [total], {"axis": axis, "keepdims": True}).entry()
    outputs = [make_node("tanh", [make_node("sum", [total]).entry()]).entry(), total]
    for shape in ((1, 36), (3, 1), (5, 7)):
        arrays = uniform("float16", shape)
        check_forward(RandomGraph(Graph(outputs), (x,), arrays, frozenset(), train=False))


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("shape", [(3, 100_003), (2, 128), (500, 33)])
def test_sums_of_shares_lose_no_more_than_the_last_digit(
    shape: tuple[int, ...], axis: int | None
) -> None:
    x = Node(None, "x")
    shares = make_node("sigmoid", [x.entry()]).entry()
    total = make_node("sum", [shares], {} if axis is None else {"axis": axis}).entry()
    (numbers,) = uniform("float32", shape)
    shares_found, found = CompiledGraph(Graph([shares, total]), (x,))([numbers], new_run())
    wide = shares_found.astype(np.float64).sum(axis=axis)
    assert (abs(found / wide - 1) <= 2.0**-22).all()


def test_partial_results_of_float16_are_no_narrower_than_its_arithmetic() -> None:
    x = Node(None, "x")
    graph = Graph([make_node("_np_prod", [x.entry()]).entry()])
    array = np.ones(40_000, np.float16)
    array[:20], array[20_000:20_018] = 16, 1 / 16  # parts of the product are beyond float16's range
    compiled = CompiledGraph(graph, [x])([array], new_run())
    np.testing.assert_array_equal(compiled[0], np.float16(256))
