"""Samples of images at arbitrary positions, and all gradients, as machine code."""

from __future__ import annotations

from itertools import cycle, islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.graph.node import Node, make_node
from tests.codegen.native_operators import check, check_with_gradients

DTYPES = st.sampled_from(["float32", "float64"])
EXTENTS = st.tuples(*[st.integers(1, 9)] * 6)
NOWHERE = (np.nan, np.inf, -np.inf, 1e30, -1e30, 1.0, -1.0, 1.3, -1.5, 0.25, 0.0)


@settings(max_examples=15, deadline=None)
@given(EXTENTS, DTYPES)
def test_samples_are_machine_code(extents: tuple[int, ...], dtype: str) -> None:
    batch, channels, height, width, rows, columns = extents
    data, grid = Node(None, "data"), Node(None, "grid")
    node = make_node("BilinearSampler", [data.entry(), grid.entry()], {})
    known: dict[Node, tuple[int, ...]] = {
        data: (batch, channels, height, width),
        grid: (batch, 2, rows, columns),
    }
    check_with_gradients(node, known, dtype)


@settings(max_examples=15, deadline=None)
@given(EXTENTS, DTYPES)
def test_grids_that_matrices_map_are_machine_code(extents: tuple[int, ...], dtype: str) -> None:
    batch, channels, height, width, rows, columns = extents
    data, matrices = Node(None, "data"), Node(None, "matrices")
    target = {"target_shape": (rows, columns), "transform_type": "affine"}
    grid = make_node("GridGenerator", [matrices.entry()], target)
    check_with_gradients(grid, {matrices: (batch, 6)}, dtype)
    node = make_node(
        "SpatialTransformer",
        [data.entry(), matrices.entry()],
        {**target, "sampler_type": "bilinear"},
    )
    check_with_gradients(node, {data: (batch, channels, height, width)}, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("orders", [(0, 0), (1, 0), (0, 1), (2, 0)])
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_samples_at_positions_that_are_nan_or_outside_are_zero(
    orders: tuple[int, int], dtype: str
) -> None:
    shape, grid_shape = (2, 3, 4, 5), (2, 2, 7, 3)
    random, how = np.random.default_rng(0), {"x_order": orders[0], "y_order": orders[1]}
    data = random.uniform(-1, 1, shape).astype(dtype)
    grid = np.array([*islice(cycle(NOWHERE), 84)], dtype).reshape(grid_shape)
    heads = random.uniform(-1, 1, (2, 3, 7, 3)).astype(dtype)
    x, g, h = (Node(None, name) for name in "xgh")
    sampled = make_node("_bilinear_sample", [x.entry(), g.entry()], how)
    check([sampled.entry()], [x, g], [data, grid])
    back = make_node("_backward_bilinear_sample", [n.entry() for n in (h, x, g)], how)
    check([back.entry()], [h, x, g], [heads, data, grid])
