"""Borders and tables of rows, and the gradients of both, as machine code."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.graph.gradient import gradients
from gluonic.graph.node import Node, make_node
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
def test_borders_are_machine_code(mode: str, axes: list[tuple[int, int, int]], dtype: str) -> None:
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
