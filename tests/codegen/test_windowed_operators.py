"""Convolution and pooling of every rank, layout and dtype, with gradients, as machine code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.explain import explain
from gluonic.graph.gradient import gradients
from gluonic.graph.infer import infer
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Entry, Graph, Node, make_node
from tests.codegen.agreement import assert_alike, new_run

Array = np.ndarray[Any, Any]
LAYOUTS = {1: (None, "NCW", "NWC"), 2: (None, "NCHW", "NHWC"), 3: (None, "NCDHW", "NDHWC")}


def extents(draw: Any, rank: int, least: int, most: int) -> tuple[int, ...]:
    return tuple(draw(st.integers(least, most)) for _ in range(rank))


def arrays_for(node: Node, known: dict[Node, tuple[int, ...]], dtype: str) -> list[Array]:
    """Random numbers for the variables, of the shapes that inference finds."""
    shapes = infer(Graph([node.entry()]), "shape", known)
    random = np.random.default_rng(0)
    variables = [e.node for e in node.inputs]
    found: list[Array] = []
    for variable in variables:
        (shape,) = shapes[variable]
        assert shape is not None
        values = random.uniform(-1, 1, [int(n or 0) for n in shape])
        found.append(values.round(node.name.startswith("pooling") or 9).astype(dtype))
    return found


def check(outputs: Sequence[Entry], variables: Sequence[Node], arrays: Sequence[Array]) -> None:
    """Machine code alone computes what the interpreter does."""
    graph = Graph(outputs)
    compiled = CompiledGraph(graph, variables)
    expected = interpret(graph, dict(zip(variables, arrays, strict=True)), new_run())
    for _ in range(2):
        assert_alike(compiled(list(arrays), new_run()), expected)
    steps = explain(compiled.binding(list(arrays))).steps
    assert [step for step in steps if step.kind == "python"] == []


def check_with_gradients(node: Node, known: dict[Node, tuple[int, ...]], dtype: str) -> None:
    """Check what the user sees of an operator, and its gradients."""
    variables = [e.node for e in node.inputs]
    arrays = arrays_for(node, known, dtype)
    shown = [node.entry(i) for i in range(node.visible_count)]
    check(shown, variables, arrays)
    outputs = interpret(Graph(shown), dict(zip(variables, arrays, strict=True)), new_run())
    random = np.random.default_rng(1)
    slopes = [random.uniform(-1, 1, output.shape).astype(dtype) for output in outputs]
    heads = [Node(None, f"head{i}") for i in range(len(shown))]
    found = gradients(
        shown, [head.entry() for head in heads], [v.entry() for v in variables], train=True
    )
    check([e for e in found if e is not None], [*variables, *heads], [*arrays, *slopes])


@st.composite
def convolutions(draw: Any) -> tuple[Node, dict[Node, tuple[int, ...]], str]:
    rank = draw(st.integers(1, 3))
    layout = draw(st.sampled_from(LAYOUTS[rank]))
    groups = draw(st.sampled_from([1, 1, 2, 3]))
    channels, filters = (groups * draw(st.integers(1, most)) for most in (4, 7))
    kernel = extents(draw, rank, 1, 3)
    dilate = extents(draw, rank, 1, 2)
    pad = extents(draw, rank, 0, 2)
    stride = extents(draw, rank, 1, 3)
    is_transposed = draw(st.booleans())
    attributes: dict[str, Any] = {
        "kernel": kernel,
        "stride": draw(st.sampled_from([(), stride])),
        "dilate": dilate,
        "pad": pad,
        "num_filter": filters,
        "num_group": groups,
        "layout": layout,
        "no_bias": draw(st.booleans()),
    }
    if is_transposed:
        steps = attributes["stride"] or (1,) * rank
        attributes["adj"] = tuple(draw(st.integers(0, s - 1)) for s in steps)
    places = tuple(
        draw(st.integers(max(1, 1 + (k - 1) * d - (0 if is_transposed else 2 * p)), 7))
        + (2 * p if is_transposed else 0)
        for k, d, p in zip(kernel, dilate, pad, strict=True)
    )
    batch = draw(st.integers(1, 3))
    is_last = layout is not None and layout[-1] == "C"
    shape = (batch, *places, channels) if is_last else (batch, channels, *places)
    names = ["data", "weight", *([] if attributes["no_bias"] else ["bias"])]
    variables = [Node(None, name) for name in names]
    operator = "Deconvolution" if is_transposed else "Convolution"
    node = make_node(operator, [v.entry() for v in variables], attributes)
    return node, {variables[0]: shape}, draw(st.sampled_from(["float32", "float64"]))


@settings(max_examples=12, deadline=None)
@given(convolutions())
def test_convolutions_are_machine_code(case: Any) -> None:
    check_with_gradients(*case)


def test_one_filter_over_one_channel_stays_one_when_larger_batches_are_tried() -> None:
    variables = [Node(None, name) for name in ("data", "weight")]
    attributes = {"kernel": (1,), "num_filter": 1, "no_bias": True}
    node = make_node("Convolution", [v.entry() for v in variables], attributes)
    check_with_gradients(node, {variables[0]: (1, 1, 1)}, "float32")


@st.composite
def poolings(draw: Any) -> tuple[Node, dict[Node, tuple[int, ...]], str]:
    rank = draw(st.integers(1, 3))
    layout = draw(st.sampled_from(LAYOUTS[rank]))
    kernel = extents(draw, rank, 1, 4)
    stride = extents(draw, rank, 1, 3)
    convention = draw(st.sampled_from(["valid", "full", "same"]))
    is_same = convention == "same"
    pad = () if is_same else tuple(draw(st.integers(0, k // 2)) for k in kernel)
    kind = draw(st.sampled_from(["max", "avg", "sum", "lp"]))
    attributes: dict[str, Any] = {
        "kernel": kernel,
        "stride": draw(st.sampled_from([(), stride])),
        "pad": pad,
        "pool_type": kind,
        "global_pool": draw(st.sampled_from([False, False, True])),
        "pooling_convention": convention,
        "count_include_pad": draw(st.sampled_from([None, True, False])),
        "layout": layout,
    }
    if kind == "lp":
        attributes["p_value"] = draw(st.integers(1, 3))
    places = tuple(draw(st.integers(k, 25 if rank < 3 else 9)) for k in kernel)
    batch, channels = draw(st.integers(1, 2)), draw(st.integers(1, 5))
    is_last = layout is not None and layout[-1] == "C"
    shape = (batch, *places, channels) if is_last else (batch, channels, *places)
    data = Node(None, "data")
    node = make_node("Pooling", [data.entry()], attributes)
    return node, {data: shape}, draw(st.sampled_from(["float32", "float64"]))


@settings(max_examples=12, deadline=None)
@given(poolings())
def test_poolings_are_machine_code(case: Any) -> None:
    check_with_gradients(*case)
