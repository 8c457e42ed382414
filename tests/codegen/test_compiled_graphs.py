"""Compiled graphs compute what the interpreter computes: every operator, random graphs, odd inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.shapes.facts import DynamicShapeError
from gluonic.graph.builder import F
from gluonic.graph.gradient import gradients
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Entry, Graph, Node, make_node
from tests.codegen.agreement import assert_alike, check_backward, check_forward, new_run
from tests.codegen.growing import RandomGraph
from tests.codegen.harness import target_named
from tests.codegen.native_operators import check_reasons
from tests.codegen.other_shapes import CHANGES, Change, check_other_shapes
from tests.codegen.random_graphs import random_graphs
from tests.graph.registry_samples import (
    SAMPLES,
    application_of,
    cast,
    differentiation_of,
    dtypes_in_turn,
    every_sample,
    over_samples,
    run_of,
)

Array = np.ndarray[Any, Any]


def check(outputs: Sequence[Entry], variables: Sequence[Node], arrays: Sequence[Array]) -> Any:
    """Compile, run twice, compare with the interpreter; returns the compiled graph."""
    graph = Graph(outputs)
    compiled = CompiledGraph(graph, variables)
    expected = interpret(graph, dict(zip(variables, arrays, strict=True)), new_run())
    for _ in range(2):
        assert_alike(compiled(list(arrays), new_run()), expected)
    return compiled


@every_sample
def test_every_operator_computes_what_the_interpreter_computes(
    name: str, number: int, thorough: bool
) -> None:
    dtypes = (None, *SAMPLES[name][number].dtypes)
    _check_sample(name, number, dtypes_in_turn(number, dtypes, thorough))


@every_sample
def test_every_operator_computes_it_on_a_processor_with_fewer_and_shorter_registers(
    name: str, number: int, monkeypatch: pytest.MonkeyPatch, thorough: bool
) -> None:
    """Every second sample of an operator, each in one dtype in turn; `--thorough` tries all."""
    target_named("x86-64-v2")
    monkeypatch.setenv("GLUONIC_CPU", "x86-64-v2")
    dtypes = (None, *SAMPLES[name][number].dtypes)
    if thorough:
        _check_sample(name, number, dtypes)
    elif number % 2 == 0:
        _check_sample(name, number, [dtypes[(len(name) + number // 2) % len(dtypes)]])


def _check_sample(name: str, number: int, dtypes: Sequence[str | None]) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    variables = [Node(None, name) for name in application.inputs]
    node = Node(application, "node", [v.entry() for v in variables])
    graph = Graph([node.entry(i) for i in range(node.output_count)])
    for dtype in dtypes:
        arrays, again = cast(sample, dtype), cast(sample, dtype)
        expected = interpret(graph, dict(zip(variables, arrays, strict=True)), run_of(sample))
        compiled = CompiledGraph(graph, variables)
        try:
            found = compiled(again, run_of(sample))
        except DynamicShapeError:
            assert application.op.dynamic
            continue
        if dtype == "float32":
            check_reasons(compiled, arrays)
        assert_alike(found, expected, f"{name} in {dtype}", arrays)
        states = [i for i, n in enumerate(application.inputs) if n in application.states]
        assert_alike([again[i] for i in states], [arrays[i] for i in states], f"states of {name}")


@over_samples(
    [
        (name, i)
        for name, found in SAMPLES.items()
        for i, sample in enumerate(found)
        if sample.differentiable != () and sample.orders > 0
    ]
)
def test_every_gradient_is_what_the_interpreter_computes(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    if not application.op.differentiable:
        pytest.skip("has no gradient")
    variables, weights, values, outputs, wanted = differentiation_of(application, sample)
    found = gradients(
        outputs,
        [w.entry() for w in weights],
        [variables[i].entry() for i in wanted],
        train=sample.train,
    )
    graph = Graph([entry for entry in found if entry is not None])
    given_ = {node: array.copy() for node, array in values.items()}
    expected = interpret(graph, given_, run_of(sample))
    arrays = [values[node].copy() for node in values]
    compiled = CompiledGraph(graph, list(values))
    assert_alike(compiled(arrays, run_of(sample)), expected, name)
    check_reasons(compiled, arrays)


_settings = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@_settings
@given(random_graphs(most=15))
def test_random_graphs_forward(random: RandomGraph) -> None:
    check_forward(random)


@_settings
@given(random_graphs(most=15, train=True))
def test_random_graphs_forward_and_backward(random: RandomGraph) -> None:
    check_backward(random)


@_settings
@given(random_graphs(most=15), CHANGES)
def test_random_graphs_of_shapes_that_change(random: RandomGraph, changes: list[Change]) -> None:
    check_other_shapes(random, changes)


def x_and_y() -> tuple[Node, Node, list[Entry]]:
    """Something of everything: element-wise, broadcast, reduced, rearranged, multiplied."""
    x, y = Node(None, "x"), Node(None, "y")
    a, b = x.entry(), y.entry()
    chain = make_node("tanh", [a * 0.5 + 1.0]).entry()
    total = make_node("sum", [chain], {"axis": 1, "keepdims": True}).entry()
    spread = make_node("broadcast_sub", [chain, total]).entry()
    turned = make_node("transpose", [spread]).entry()
    product = make_node("dot", [a, b]).entry()
    return x, y, [spread, turned, product, make_node("max", [spread]).entry()]


def test_groups_that_would_wait_for_each_other_are_not_joined() -> None:
    x, w = Node(None, "x"), Node(None, "w")
    early = F.tanh(x.entry())
    after_product = F.tanh(F.dot(early, w.entry()))
    before_product = F.sigmoid(x.entry())
    both = early + F.dot(before_product, w.entry())  # joined with `early`, which so needs a product
    arrays = [np.random.default_rng(i).normal(size=(4, 4)) for i in range(2)]
    check([after_product, both, after_product + before_product], [x, w], arrays)


def test_a_new_batch_size_needs_no_new_code() -> None:
    x, y, outputs = x_and_y()
    graph = Graph(outputs)
    compiled = CompiledGraph(graph, [x, y])
    for batch in (7, 33, 2, 64):
        arrays = [np.random.default_rng(batch).normal(size=s) for s in ((batch, 5), (5, 3))]
        expected = interpret(graph, dict(zip([x, y], arrays, strict=True)), new_run())
        assert_alike(compiled(arrays, new_run()), expected)
    assert len(compiled.specializations) == 1
    assert len(compiled.bindings) == 4


def test_of_many_batch_sizes_those_used_last_are_remembered() -> None:
    x, y, outputs = x_and_y()
    compiled = CompiledGraph(Graph(outputs), [x, y])

    def is_known(batch: int) -> bool:
        before = compiled.cache_info().misses
        compiled.binding([np.ones((batch, 5)), np.ones((5, 3))])
        return compiled.cache_info().misses == before

    sizes = range(2, 2 + 64)
    assert not any(map(is_known, sizes))
    assert is_known(2)
    assert not is_known(100)
    assert [size for size in (2, 4, 65, 100, 3) if not is_known(size)] == [3]


@pytest.mark.parametrize("shapes", [((0, 5), (5, 3)), ((4, 5), (5, 0)), ((1, 1), (1, 1))])
def test_zero_size_and_single_elements(shapes: Sequence[tuple[int, ...]]) -> None:
    x, y, outputs = x_and_y()
    arrays = [np.ones(s, np.float32) for s in shapes]
    if 0 in shapes[0]:
        outputs = outputs[:3]  # the maximum of nothing is an error
    check(outputs, [x, y], arrays)


def test_products_over_nothing_are_zero() -> None:
    x, y = Node(None, "x"), Node(None, "y")
    outputs = [make_node("dot", [x.entry(), y.entry()]).entry()]
    check(outputs, [x, y], [np.ones((4, 0), np.float32), np.ones((0, 3), np.float32)])


def test_nan_and_infinity_pass_through() -> None:
    x, y, outputs = x_and_y()
    a = np.random.default_rng(0).choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0], (9, 5))
    check(outputs, [x, y], [a, np.ones((5, 3))])


def test_views_that_are_not_contiguous() -> None:
    x, y, outputs = x_and_y()
    random = np.random.default_rng(0)
    check(outputs, [x, y], [random.normal(size=(10, 12))[::2, 1::2], random.normal(size=(4, 6)).T])


def test_one_array_for_two_variables_and_an_input_as_output() -> None:
    x, y = Node(None, "x"), Node(None, "y")
    array = np.arange(6.0).reshape(2, 3)
    both = x.entry() + y.entry()
    compiled = check([both, x.entry(), both], [x, y], [array, array])
    results = compiled([array, array], new_run())
    assert not any(np.may_share_memory(r, array) for r in results)
    assert not np.may_share_memory(results[0], results[2])


def test_scalars_without_axes() -> None:
    x = Node(None, "x")
    check([make_node("tanh", [x.entry() * 2.0]).entry()], [x], [np.array(0.25)])


@pytest.mark.parametrize("dtype", ["float16", "int32", "int64", "int8", "uint8", "bool"])
def test_other_dtypes(dtype: str) -> None:
    x = Node(None, "x")
    array = np.arange(12).reshape(3, 4).astype(dtype)
    total = make_node("sum", [x.entry()], {"axis": 0}).entry()
    outputs = [make_node("transpose", [x.entry()]).entry()]
    if dtype != "bool":
        outputs += [total, make_node("broadcast_add", [x.entry(), total]).entry()]
    check(outputs, [x], [array])
