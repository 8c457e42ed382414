"""Convolution and pooling of every rank, layout and dtype, with gradients, as machine code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.inspection.explain import explain
from gluonic.graph.node import Graph, Node, make_node
from tests.codegen.native_operators import check_with_gradients

LAYOUTS = {1: (None, "NCW", "NWC"), 2: (None, "NCHW", "NHWC"), 3: (None, "NCDHW", "NDHWC")}


def extents(draw: Any, rank: int, least: int, most: int) -> tuple[int, ...]:
    return tuple(draw(st.integers(least, most)) for _ in range(rank))


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
    spatial = tuple(
        draw(st.integers(max(1, 1 + (k - 1) * d - (0 if is_transposed else 2 * p)), 7))
        + (2 * p if is_transposed else 0)
        for k, d, p in zip(kernel, dilate, pad, strict=True)
    )
    batch = draw(st.integers(1, 3))
    is_last = layout is not None and layout[-1] == "C"
    shape = (batch, *spatial, channels) if is_last else (batch, channels, *spatial)
    names = ["data", "weight", *([] if attributes["no_bias"] else ["bias"])]
    variables = [Node(None, name) for name in names]
    operator = "Deconvolution" if is_transposed else "Convolution"
    node = make_node(operator, [v.entry() for v in variables], attributes)
    return node, {variables[0]: shape}, draw(st.sampled_from(["float32", "float64"]))


@settings(max_examples=12, deadline=None)
@given(convolutions())
def test_convolutions_are_machine_code(case: Any) -> None:
    check_with_gradients(*case)


def test_size_hints_leave_one_filter_over_one_channel_unchanged() -> None:
    variables = [Node(None, name) for name in ("data", "weight")]
    attributes = {"kernel": (1,), "num_filter": 1, "no_bias": True}
    node = make_node("Convolution", [v.entry() for v in variables], attributes)
    check_with_gradients(node, {variables[0]: (1, 1, 1)}, "float32")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize(
    ("rank", "own", "is_product"),
    [
        (1, {}, True),
        (2, {"stride": (2, 2), "layout": "NHWC"}, True),
        (2, {"no_bias": False}, True),
        (3, {}, True),
        (2, {"pad": (1, 1), "stride": (3, 3), "adj": (2, 2)}, False),
        (2, {"dilate": (2, 2)}, False),
        (2, {"num_group": 2}, False),
    ],
)
def test_images_of_one_pixel_are_a_product(
    rank: int, own: dict[str, Any], is_product: bool, batch: int, dtype: str
) -> None:
    attributes = {"kernel": (3,) * rank, "num_filter": 4, "no_bias": True, **own}
    names = ["data", "weight", *([] if attributes["no_bias"] else ["bias"])]
    variables = [Node(None, name) for name in names]
    node = make_node("Deconvolution", [v.entry() for v in variables], attributes)
    is_last = "layout" in own
    shape = (batch, *(1,) * rank, 6) if is_last else (batch, 6, *(1,) * rank)
    check_with_gradients(node, {variables[0]: shape}, dtype)
    weight = (6, *(3,) * rank, 4) if is_last else (6, 4 // own.get("num_group", 1), *(3,) * rank)
    arrays = [np.ones(s, dtype) for s in (shape, weight, (4,))[: len(variables)]]
    compiled = CompiledGraph(Graph([node.entry()]), variables)
    assert (" dot" in str(explain(compiled.binding(arrays)))) == is_product


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
    spatial = tuple(draw(st.integers(k, 25 if rank < 3 else 9)) for k in kernel)
    batch, channels = draw(st.integers(1, 2)), draw(st.integers(1, 5))
    is_last = layout is not None and layout[-1] == "C"
    shape = (batch, *spatial, channels) if is_last else (batch, channels, *spatial)
    data = Node(None, "data")
    node = make_node("Pooling", [data.entry()], attributes)
    return node, {data: shape}, draw(st.sampled_from(["float32", "float64"]))


@settings(max_examples=12, deadline=None)
@given(poolings())
def test_poolings_are_machine_code(case: Any) -> None:
    check_with_gradients(*case)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_square_roots_of_cancelling_sums_are_compared_within_rounding(dtype: str) -> None:
    data = Node(None, "data")
    attributes = {"kernel": (2, 4), "pad": (1, 2), "pool_type": "lp", "p_value": 3}
    node = make_node("Pooling", [data.entry()], attributes)
    check_with_gradients(node, {data: (2, 3, 19, 25)}, dtype)
