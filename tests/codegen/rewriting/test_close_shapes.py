"""Arrays without inputs take their open extents from consumers, for any sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.differentiable import DifferentiableProgram
from gluonic.graph.builder import F
from gluonic.graph.errors import MXNetError
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.open_shapes import has_open_shapes
from gluonic.graph.operator import REGISTRY, Operator
from tests.codegen.agreement import assert_alike, new_run

Array = np.ndarray[Any, Any]
SETTINGS: dict[str, dict[str, float]] = {
    "_full": {"value": 2.5},
    "_random_randint": {"low": 0, "high": 9},
}
WITH_DTYPE = {"_zeros_without_dtype": 0}


def _makes_of_a_shape(op: Operator) -> bool:
    is_numpys = op.name.startswith("_np")  # to these, 0 is no open extent
    makes = not op.inputs and op.outputs == ("output",)
    return makes and "shape" in op.attributes and not is_numpys


MAKERS = sorted({op.name for op in REGISTRY.values() if _makes_of_a_shape(op)})
DRAWS = [name for name in MAKERS if name.startswith("_random_")]
CONSTANTS = [name for name in MAKERS if name not in DRAWS]


def made(name: str, *shape: int) -> Entry:
    """An array made from nothing, in float32."""
    dtype = WITH_DTYPE.get(name, "int32" if name == "_random_randint" else "float32")
    entry: Entry = getattr(F, name)(shape=shape, dtype=dtype, **SETTINGS.get(name, {}))
    return F.Cast(entry, dtype="float32") if name == "_random_randint" else entry


def test_all_operators_that_create_arrays_of_a_shape_are_covered() -> None:
    assert {"_zeros", "_ones", "_full", "_random_normal", "_random_randint"} <= {*MAKERS}


READERS: dict[str, Callable[[Entry, Entry, Entry], Entry]] = {
    "a sum": lambda x, w, one: F.elemwise_add(one, x),
    "a product that nothing needs": lambda x, w, one: F.broadcast_like(x, F.elemwise_mul(one, x)),
    "an array like it": lambda x, w, one: F.broadcast_like(F.sum(x, keepdims=True), one + x),
    "a concatenation": lambda x, w, one: F.Concat(one, x, dim=1),
    "a choice": lambda x, w, one: F.where(x > 0, one, x),
    "a sum of what was reshaped": lambda x, w, one: F.elemwise_add(
        F.FullyConnected(one, w, num_hidden=5, no_bias=True), F.FullyConnected(x, w, num_hidden=5, no_bias=True)
    ),
    "a recurrent step": lambda x, w, one: F.tanh(
        F.FullyConnected(x, w, num_hidden=5, no_bias=True)
        + F.FullyConnected(F.elemwise_add(one, x), w, num_hidden=5, no_bias=True)
    ),
    "an operator that Python runs": lambda x, w, one: F.elemwise_add(F.sort(F.elemwise_add(one, x))[0], one),
}  # fmt: skip
EXTENTS = st.lists(st.integers(1, 9), min_size=2, max_size=4)


def arrays_for(rows: int) -> list[Array]:
    random = np.random.default_rng(rows)
    return [random.uniform(-1, 1, shape).astype(np.float32) for shape in ((rows, 3), (5, 3))]


def check(compiled: CompiledGraph, arrays: Sequence[Array]) -> None:
    expected = interpret(compiled.graph, dict(zip(compiled.inputs, arrays, strict=True)), new_run())
    assert_alike(compiled([a.copy() for a in arrays], new_run()), expected)


def graph_of(reader: str, name: str, *shape: int) -> tuple[Graph, list[Node]]:
    variables = [Node(None, "x"), Node(None, "w")]
    x, w = (v.entry() for v in variables)
    graph = Graph([READERS[reader](x, w, made(name, *shape))])
    assert has_open_shapes(graph)
    return graph, variables


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=4, deadline=None)
@given(EXTENTS)
def test_open_extents_are_those_of_readers_at_every_size(
    name: str, reader: str, extents: list[int]
) -> None:
    compiled = CompiledGraph(*graph_of(reader, name, 0, 3))
    for rows in extents:
        check(compiled, arrays_for(rows))


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", CONSTANTS)
def test_code_with_constants_of_open_extents_serves_every_batch(name: str, reader: str) -> None:
    compiled = CompiledGraph(*graph_of(reader, name, 0, 3))
    for rows in (4, 1, 7, 2):
        check(compiled, arrays_for(rows))
    assert len(compiled.specializations) == 1


@pytest.mark.parametrize("name", MAKERS)
def test_no_axes_leave_even_their_number_open(name: str) -> None:
    compiled = CompiledGraph(*graph_of("a sum", name))
    for rows in (4, 1, 7):
        check(compiled, arrays_for(rows))


def drawn(name: str) -> Entry:
    """What is drawn where no shape is stated."""
    entry: Entry = F.Cast(getattr(F, name)(**SETTINGS.get(name, {})), dtype="float32")
    return entry


@pytest.mark.parametrize("name", DRAWS)
def test_a_draw_without_a_shape_has_the_shape_its_readers_need(name: str) -> None:
    x = Node(None, "x")
    compiled = CompiledGraph(Graph([F.elemwise_add(drawn(name), F.exp(x.entry()))]), [x])
    for shape in ((4, 3), (1, 3), (2, 5, 1)):
        check(compiled, [np.ones(shape, np.float32)])


@pytest.mark.parametrize("name", DRAWS)
def test_a_draw_without_a_shape_is_one_number_if_its_readers_accept_any(name: str) -> None:
    x = Node(None, "x")
    compiled = CompiledGraph(Graph([F.broadcast_add(drawn(name), F.exp(x.entry()))]), [x])
    check(compiled, [np.ones((2, 3), np.float32)])
    (alone,) = CompiledGraph(Graph([drawn(name)]), [])([], new_run())
    assert alone.shape == (1,)


@pytest.mark.parametrize("name", MAKERS)
def test_undetermined_extents_are_as_long_as_declared(name: str) -> None:
    x = Node(None, "x")
    compiled = CompiledGraph(Graph([made(name, 0, 3), F.exp(x.entry())]), [x])
    (empty, _) = compiled([np.ones((2, 3), np.float32)], new_run())
    assert empty.shape == (0, 3)


@pytest.mark.parametrize("name", CONSTANTS)
def test_gradients_flow_past_open_extents(name: str) -> None:
    graph, variables = graph_of("a sum of what was reshaped", name, 0, 3)
    program = DifferentiableProgram(graph, variables, wanted=[True, True], heads=[True], train=True)
    value = 2.5 if name == "_full" else float(name == "_ones")
    for rows in (4, 6):
        x, w = arrays_for(rows)
        (result,), saved = program.forward([x, w], new_run(True))
        slope = np.ones_like(result)
        of_x, of_w = program.backward(saved, [slope], new_run(True))
        assert of_x is not None
        assert of_w is not None
        np.testing.assert_allclose(of_x, slope @ w, rtol=1e-5)
        np.testing.assert_allclose(of_w, slope.T @ (x + np.float32(value)), rtol=1e-5)


def test_contradicting_readers_are_refused_in_the_users_words() -> None:
    variables = [Node(None, "x"), Node(None, "y")]
    x, y = (v.entry() for v in variables)
    one = made("_ones", 0, 3)
    compiled = CompiledGraph(Graph([F.elemwise_add(one, x), F.elemwise_mul(one, y)]), variables)
    shapes = (2, 3), (4, 3)
    with pytest.raises(MXNetError, match="elemwise"):
        compiled([np.ones(shape, np.float32) for shape in shapes], new_run())
