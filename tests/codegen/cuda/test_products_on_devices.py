"""Products and convolutions on a GPU, whatever the sizes, tiles and parts."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.codegen.cuda.convolutions import steps
from gluonic.codegen.cuda.convolutions.geometry import Convolution
from gluonic.codegen.cuda.products import plan
from gluonic.codegen.cuda.products.form import (
    COPIED,
    DOUBLES,
    LOADED,
    MATRICES,
    TENSOR,
    WARPGROUPS,
    WARPGROUPS_ROUNDED,
    BlockTile,
)
from gluonic.codegen.cuda.tails.form import Tail
from gluonic.codegen.maths.values import FLOAT32, FLOAT64
from gluonic.device.processors import Processor
from gluonic.graph import Graph, Node, Run
from gluonic.graph.builder import F
from gluonic.graph.random_source import RandomSource
from tests.codegen.cuda.devices import Array, assert_near, computed, computes, numbers

SIZES = st.sampled_from([1, 2, 3, 4, 7, 15, 16, 17, 31, 32, 33, 36, 64, 65])
ALL_TILES = [
    (dtype, tile) for tiles in (COPIED, LOADED) for dtype, own in tiles.items() for tile in own
]
ALL_TILES += [(FLOAT64, tile) for tile in DOUBLES]


@given(SIZES, SIZES, SIZES, st.booleans(), st.booleans(), st.sampled_from(["float32", "float64"]))
@settings(max_examples=12, deadline=None)
def test_a_product_of_any_size_and_order_is_that_of_the_host(
    rows: int, columns: int, inner: int, turn_left: bool, turn_right: bool, dtype: str
) -> None:
    left = numbers(*((inner, rows) if turn_left else (rows, inner)), dtype=dtype)
    right = numbers(*((columns, inner) if turn_right else (inner, columns)), dtype=dtype)
    turns = {"transpose_a": turn_left, "transpose_b": turn_right}
    computes(lambda a, b: F.dot(a, b, **turns), left, right)
    computes(lambda a, b: F.batch_dot(a, b, **turns), np.stack([left] * 2), np.stack([right] * 2))


@pytest.mark.parametrize(("dtype", "tile"), ALL_TILES, ids=str)
def test_every_tile_computes_whole_blocks_and_what_is_left(
    dtype: np.dtype[Any], tile: BlockTile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "tiles_for", lambda *_: (tile,))
    for more in (0, 5):
        rows, columns, inner = tile.rows + more, tile.columns + more, 2 * tile.depth + more
        computes(F.dot, numbers(rows, inner, dtype=dtype), numbers(inner, columns, dtype=dtype))


@pytest.mark.parametrize("tile", [*MATRICES, *WARPGROUPS], ids=str)
def test_every_tile_of_float16_is_that_of_the_host_whatever_is_contiguous(
    tile: BlockTile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "tiles_for", lambda *_: (tile,))
    for turns, more in (((True, True), 0), ((False, False), 5), ((False, True), 8)):
        rows, columns, inner = tile.rows + more, tile.columns + more, tile.depth + more
        left, right = (rows, inner), (inner, columns)
        factors = [left[::-1] if turns[0] else left, right[::-1] if turns[1] else right]
        make = partial(F.dot, transpose_a=turns[0], transpose_b=turns[1])
        computes(make, *[numbers(*shape, dtype="float16") for shape in factors])


@given(SIZES, SIZES, SIZES, st.booleans(), st.booleans())
@settings(max_examples=6, deadline=None)
def test_float16_is_multiplied_exactly_and_summed_in_float32(
    rows: int, columns: int, inner: int, turn_left: bool, turn_right: bool
) -> None:
    left, right = numbers(rows, inner, dtype="float16"), numbers(inner, columns, dtype="float16")
    turns = {"transpose_a": turn_left, "transpose_b": turn_right}
    factors = [np.ascontiguousarray(left.T if turn_left else left)]
    factors.append(np.ascontiguousarray(right.T if turn_right else right))
    ours = computes(lambda a, b: F.dot(a, b, **turns), *factors)
    exact = left.astype(np.float64) @ right.astype(np.float64)
    np.testing.assert_allclose(ours, exact, rtol=6e-4, atol=1e-3)


@pytest.mark.parametrize("tile", [*TENSOR, *WARPGROUPS_ROUNDED], ids=str)
def test_tensor_cores_round_factors_to_eleven_bits_on_request(
    tile: BlockTile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "tiles_for", lambda *_: (tile,))
    for more, turns in ((0, False), (4, True), (5, False)):
        left = numbers(tile.rows + more, 2 * tile.depth + more)
        right = numbers(2 * tile.depth + more, tile.columns + more)
        given = np.ascontiguousarray(right.T) if turns else right
        nodes = [Node(None, name) for name in "ab"]
        graph = Graph([F.dot(*[node.entry() for node in nodes], transpose_b=turns)])
        (ours,) = computed(graph, [left, given], Run(train=False, random=RandomSource(1)))
        rounded = [_as_tf32(factor).astype(np.float64) for factor in (left, right)]
        np.testing.assert_allclose(ours, rounded[0] @ rounded[1], rtol=1e-5, atol=1e-5)
        assert np.abs(ours - left @ right).max() > 1e-5


def _as_tf32(array: Array) -> Array:
    """Numbers rounded to 11 significant bits, halves away from zero."""
    bits = array.view(np.uint32) + np.uint32(0x1000)
    return (bits & np.uint32(0xFFFFE000)).view(np.float32)


@pytest.mark.parametrize("tile", [WARPGROUPS_ROUNDED[-1], WARPGROUPS[-1], MATRICES[-1]], ids=str)
def test_tensor_cores_multiply_windows_of_images(
    tile: BlockTile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "tiles_for", lambda *_: (tile,))
    monkeypatch.setattr(steps, "cycles_of", lambda *_: 0.0)
    attributes = {"kernel": (3, 2), "stride": (1, 2), "pad": (1, 1), "num_filter": 10}
    dtype = "float32" if tile in WARPGROUPS_ROUNDED else "float16"
    images, weight, grad = (
        _as_tf32(numbers(*shape)).astype(dtype)
        for shape in ((2, 7, 14, 12), (10, 7, 3, 2), (2, 10, 14, 7))
    )
    computes(lambda *x: F.Convolution(*x, no_bias=True, **attributes), images, weight)
    for back in (F._backward_Convolution_data, F._backward_Convolution_weight):
        computes(lambda *x, back=back: back(*x, no_bias=True, **attributes), grad, images, weight)


def test_sums_of_parts_are_added_up_in_the_same_order_each_time() -> None:
    left, right = numbers(3, 5000), numbers(5000, 5)
    choice = plan.choose(3, 5, 5000, 1, COPIED[FLOAT32], FLOAT32, 4)
    assert choice.parts > 1
    first, second = (computes(F.dot, left, right) for _ in range(2))
    assert first.tobytes() == second.tobytes()


@pytest.mark.parametrize("dtype", [FLOAT32, FLOAT64], ids=str)
@pytest.mark.parametrize("shape", [(1, 1, 1), (64, 512, 784), (8192, 8192, 8192), (3, 7, 100000)])
def test_a_choice_covers_all_products_in_parts_of_whole_rounds(
    shape: tuple[int, int, int], dtype: np.dtype[Any]
) -> None:
    for multiprocessors in (1, 132):
        choice = plan.choose(*shape, 1, COPIED[dtype], dtype, multiprocessors)
        assert choice.part % choice.tile.depth == 0
        assert (choice.parts - 1) * choice.part < shape[2] <= choice.parts * choice.part


@given(
    st.integers(1, 3),
    st.sampled_from([1, 2, 4]),
    st.lists(st.integers(1, 3), min_size=1, max_size=3),
    st.data(),
)
@settings(max_examples=10, deadline=None)
def test_convolutions_of_any_geometry_and_their_gradients_are_those_of_the_host(
    batch: int, groups: int, kernel: list[int], data: st.DataObject
) -> None:
    rank = len(kernel)
    strides, dilations, pads, more = (
        data.draw(st.tuples(*[st.integers(low, high)] * rank))
        for low, high in ((1, 3), (1, 2), (0, 2), (0, 4))
    )
    members, filters = (groups * data.draw(st.integers(1, 3)) for _ in range(2))
    geometry = zip(kernel, dilations, pads, more, strict=True)
    size = [max(1, 1 + (k - 1) * d - 2 * pad) + extra for k, d, pad, extra in geometry]
    is_last = data.draw(st.booleans())
    attributes = {
        "kernel": tuple(kernel), "stride": strides, "dilate": dilations, "pad": pads,
        "num_filter": filters, "num_group": groups,
        "layout": f"N{'' if is_last else 'C'}{'DHW'[-rank:]}{'C' if is_last else ''}",
    }  # fmt: skip
    dtype = data.draw(st.sampled_from(["float16", "float32", "float64"]))

    def arrays_of(lead: int, channels: int, spatial: Sequence[int]) -> Array:
        shape = (lead, *spatial, channels) if is_last else (lead, channels, *spatial)
        return numbers(*shape, dtype=dtype)

    images = arrays_of(batch, members, size)
    weight, bias = arrays_of(filters, members // groups, kernel), numbers(filters, dtype=dtype)
    with pytest.MonkeyPatch.context() as patch:  # one way or the other, whichever is faster
        estimate = data.draw(st.sampled_from([0.0, float("inf")]))
        patch.setattr(steps, "cycles_of", lambda *_: estimate)
        output = computes(lambda *x: F.Convolution(*x, **attributes), images, weight, bias)
        grad = numbers(*output.shape, dtype=dtype)
        for back in (F._backward_Convolution_data, F._backward_Convolution_weight):
            computes(lambda *x, back=back: back(*x, **attributes), grad, images, weight)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_data_that_no_window_reads_has_a_gradient_of_zero(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "cycles_of", lambda *_: 0.0)
    shapes = (2, 5, 4, 3), (2, 3, 7, 5), (5, 3, 1, 1)
    attributes = {"kernel": (1, 1), "stride": (2, 2), "num_filter": 5, "no_bias": True}
    arrays = [numbers(*shape, dtype=dtype) for shape in shapes]
    ours = computes(lambda *x: F._backward_Convolution_data(*x, **attributes), *arrays)
    assert not ours[:, :, 1::2].any()
    assert not ours[:, :, :, 1::2].any()


@pytest.mark.parametrize("product", ["forward", "data", "weight"])
def test_layers_with_few_channels_in_a_group_are_computed_without_tiles(product: Any) -> None:
    settings = {"kernel": (3, 3), "stride": (1, 1), "pad": (1, 1), "dilate": (), "layout": None}
    processor = Processor("sm_90a", (8, 0), multiprocessors=132)
    for groups, is_direct in ((512, True), (1, False)):
        shapes = (32, 512, 14, 14), (512, 512 // groups, 3, 3)
        convolution = Convolution.of({**settings, "num_group": groups}, *shapes)
        tail = Tail.plain(FLOAT32, FLOAT32)
        way = steps.fastest_way(convolution, product, FLOAT32, processor, tail)
        assert (way is not None) == is_direct


def test_a_layer_and_its_activation_are_one_kernel() -> None:
    x, w, b = (Node(None, name).entry() for name in "xwb")
    layer = F.relu(F.FullyConnected(x, w, b, num_hidden=33))
    arrays = [numbers(5, 40), numbers(33, 40), numbers(33)]
    (ours,) = computed(Graph([layer]), arrays, Run(train=False, random=RandomSource(1)))
    assert_near(ours, np.maximum(arrays[0] @ arrays[1].T + arrays[2], 0))
