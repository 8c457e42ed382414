"""Transpositions of the last axis: in tiles and interleaved, of all sizes and orders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.data_movement.transposition_steps import TranspositionStep
from gluonic.codegen.inspection.explain import explain
from gluonic.codegen.loops.steps import loop_for
from gluonic.codegen.shapes.facts import find_facts
from gluonic.graph.node import Graph, Node, make_node
from tests.codegen.agreement import new_run
from tests.codegen.harness import LEVELS, target_named
from tests.codegen.native_functions import run_native

DTYPES = ("float32", "float64", "int32", "int64")
ORDERS = st.integers(2, 5).flatmap(lambda rank: st.permutations(range(rank)))
LENGTHS = st.sampled_from([2, 3, 4, 5, 7, 15, 16, 17, 33, 70])


def _numbers(shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    bits = np.random.default_rng(0).integers(0, 255, (*shape, np.dtype(dtype).itemsize), np.uint8)
    return bits.view(dtype)[..., 0]  # NaN of all kinds among them


def _step(shape: tuple[int, ...], order: tuple[int, ...], dtype: str) -> Any:
    x = Node(None, "x")
    node = make_node("transpose", [x.entry()], {"axes": order})
    array = _numbers(shape, dtype)
    facts = find_facts(Graph([node.entry()]), [x], [array])
    loop = loop_for(node, facts)
    assert loop is not None
    return TranspositionStep.of(node, loop, facts), facts, array


@pytest.mark.parametrize("level", LEVELS)
@settings(max_examples=40, deadline=None)
@given(st.data(), ORDERS, st.sampled_from(DTYPES))
def test_transposed_elements_are_at_their_positions(
    level: str, data: Any, order: tuple[int, ...], dtype: str
) -> None:
    rank = len(order)
    longest = st.sampled_from([2, 3, 5]) if rank > 3 else LENGTHS
    shape = tuple(data.draw(LENGTHS if i >= rank - 2 else longest) for i in range(rank))
    step, facts, array = _step(shape, tuple(order), dtype)
    if step is None:
        assert order[-1] == rank - 1
        return
    expected = array.transpose(order)
    found = np.zeros(expected.shape, dtype)
    target = target_named(level)
    run_native(target, step.emit, [array, found], step.numbers(facts), step.units(facts))
    np.testing.assert_array_equal(
        found.view(np.uint8), np.ascontiguousarray(expected).view(np.uint8)
    )


@pytest.mark.parametrize("shape", [(3, 2100), (2100, 3), (130, 1030), (1030, 130)])
def test_long_axes_are_done_in_parts(shape: tuple[int, int]) -> None:
    step, facts, array = _step(shape, (1, 0), "float32")
    assert step.units(facts) > 1
    found = np.zeros(shape[::-1], np.float32)
    numbers, units = step.numbers(facts), step.units(facts)
    run_native(target_named(""), step.emit, [array, found], numbers, units)
    np.testing.assert_array_equal(found, array.T)


@pytest.mark.parametrize("order", [(0, 2, 1), (0, 1, 2), (1, 0, 2)])
def test_only_what_moves_the_last_axis_is_a_step_of_its_own(order: tuple[int, ...]) -> None:
    x = Node(None, "x")
    moved = make_node("transpose", [x.entry()], {"axes": order}).entry()
    graph = CompiledGraph(Graph([make_node("tanh", [moved * 2.0]).entry()]), [x])
    for shape in ((4, 5, 6), (3, 7, 9), (4, 1, 6), (1, 1, 1), (0, 3, 4)):
        array = np.random.default_rng(0).standard_normal(shape).astype("float32")
        (found,) = graph([array], new_run())
        np.testing.assert_allclose(found, np.tanh(2 * array.transpose(order)), rtol=1e-6)
    steps = explain(graph.binding([np.ones((4, 5, 6), "float32")])).steps
    assert [step.kind for step in steps] == ["kernel"] * (1 + (order[-1] != 2))
