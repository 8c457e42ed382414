"""Borders and tables of rows, and the gradients of both, as machine code."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.codegen.compiled import CompiledGraph
from gluonic.graph.builder import F
from gluonic.graph.gradient import gradients
from gluonic.graph.node import Graph, Node, make_node
from tests.codegen.agreement import new_run
from tests.codegen.native_operators import check, check_with_gradients

DTYPES = st.sampled_from(["float32", "float64"])


@settings(max_examples=10, deadline=None)
@given(
    st.sampled_from(["constant", "edge", "reflect"]),
    st.lists(
        st.tuples(st.integers(3, 12), st.integers(0, 2), st.integers(0, 2)), min_size=4, max_size=5
    ),
    DTYPES,
)
def test_padding_is_machine_code(mode: str, axes: list[tuple[int, int, int]], dtype: str) -> None:
    data = Node(None, "data")
    widths = [(0, 0), (0, 0), *((before, after) for _, before, after in axes[2:])]
    attributes: dict[str, Any] = {"mode": mode, "pad_width": sum(widths, ())}
    if mode == "constant":
        attributes["constant_value"] = 1.5
    node = make_node("Pad", [data.entry()], attributes)
    check_with_gradients(node, {data: tuple(extent for extent, _, _ in axes)}, dtype)


@settings(max_examples=10, deadline=None)
@given(
    st.sampled_from(["clip", "wrap"]),
    st.lists(st.integers(1, 9), min_size=1, max_size=3),
    st.lists(st.integers(-20, 20), min_size=1, max_size=40),
    st.sampled_from(["float32", "float64", "int32", "int64", "int8"]),
    DTYPES,
    st.data(),
)
def test_rows_are_looked_up_and_added_up_by_machine_code(
    mode: str, shape: list[int], indices: list[int], kind: str, dtype: str, data: Any
) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    random = np.random.default_rng(0)
    variables = [Node(None, name) for name in ("a", "indices", "head")]
    table, index, head = (v.entry() for v in variables)
    node = make_node("take", [table, index], {"axis": axis, "mode": mode})
    rows = [*shape]
    rows[axis] = len(indices)
    arrays = [
        random.uniform(-1, 1, shape).astype(dtype),
        np.array(indices, kind),
        random.uniform(-1, 1, rows).astype(dtype),
    ]
    check([node.entry()], variables[:2], arrays[:2])
    (slope,) = gradients([node.entry()], [head], [table], train=True)
    assert slope is not None
    check([slope], variables, arrays)


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(["clip", "wrap"]),
    st.lists(st.integers(1, 9), min_size=2, max_size=4),
    st.sampled_from(["float32", "float64", "int32", "int64", "int8"]),
    DTYPES,
    st.booleans(),
    st.data(),
)
def test_elements_are_picked_by_machine_code_from_memory_and_from_what_is_computed(
    mode: str, shape: list[int], kind: str, dtype: str, keepdims: bool, data: Any
) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    random = np.random.default_rng(0)
    variables = [Node(None, name) for name in ("x", "index")]
    x, index = (v.entry() for v in variables)
    settings: dict[str, Any] = {"axis": axis, "mode": mode, "keepdims": keepdims}
    left = [1 if i == axis % len(shape) else extent for i, extent in enumerate(shape)]
    arrays = [
        random.uniform(-1, 1, shape).astype(dtype),
        random.integers(-12, 12, left).astype(kind),
    ]
    if not keepdims:
        arrays[1] = arrays[1].squeeze(axis)
    for source in (x, F.exp(x)):
        picked = F.pick(source, index, **settings)
        check([picked, picked * 2.0], variables, arrays)


def test_picked_elements_are_read_directly_from_memory() -> None:
    x, index = Node(None, "x"), Node(None, "index")
    arrays = [np.eye(5, dtype=np.float32), np.arange(5, dtype=np.float32)]
    for source, steps in ((x.entry(), 2), (F.exp(x.entry()), 1)):
        graph = Graph([F.pick(source, index.entry(), axis=1) + 1.0])
        compiled = CompiledGraph(graph, [x, index])
        compiled(arrays, new_run())
        (made,) = compiled.specializations
        assert len(made.groups) == steps
