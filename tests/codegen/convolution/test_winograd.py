"""Convolutions by Winograd's algorithm: the outputs of the definition, and where it is chosen."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic import autograd, init, nd
from gluonic.codegen.convolution.filters import Filters
from gluonic.codegen.convolution.operators import packed_in_order, to_blocks, to_planes
from gluonic.codegen.convolution.winograd import (
    products_of,
    winograd_filters,
    winograd_images,
    winograd_sums,
)
from gluonic.gluon import nn
from gluonic.graph.ops.convolution_kernels import convolve
from gluonic.graph.ops.windows import windows_of
from tests.codegen.harness import target_named

SIZE = 14
LANES = 4


@given(
    batch=st.integers(1, 2),
    rows=st.integers(1, 7),
    columns=st.integers(1, 7),
    channels=st.sampled_from([4, 8]),
    filters=st.sampled_from([4, 12]),
)
def test_transformed_images_and_filters_give_the_convolution(
    batch: int, rows: int, columns: int, channels: int, filters: int
) -> None:
    random = np.random.default_rng(rows)
    down, across = rows % 2, columns % 2
    images = random.standard_normal((batch, channels, rows + 2, columns + 2)).astype("float32")
    weight = random.standard_normal((filters, channels, 3, 3)).astype("float32")
    expected = convolve(images, weight, windows_of((3, 3), (1, 1), (), (1, 1)), 1)
    own = Filters(channels, filters, 1, (3, 3))
    packed = packed_in_order(weight, own, 2, LANES)
    transformed = winograd_filters.kernel(
        packed, channels=channels, filters=filters, tile=2, lanes=LANES
    )
    assert transformed.size == products_of(own).packed_size(LANES)
    blocks = to_blocks.kernel(images, lanes=LANES, padding=(0, 0, down, across))
    tiles = winograd_images.kernel(blocks)
    planes = to_planes.kernel(tiles, channels=16 * channels)
    order = packed_in_order(
        np.arange(transformed.size, dtype=float).reshape(16 * filters, channels, 1, 1),
        products_of(own),
        2,
        LANES,
    )
    grouped = np.empty_like(transformed)
    grouped[order.astype(int)] = transformed
    pointwise = windows_of((1, 1), (1, 1), (), (1, 1))
    sums = convolve(planes, grouped.reshape(16 * filters, channels, 1, 1), pointwise, 16)
    found = winograd_sums.kernel(to_blocks.kernel(sums, lanes=LANES), odd=(down, across))
    found = to_planes.kernel(found, channels=filters)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


class Layer(nn.HybridSequential):
    """A convolution with what follows it."""

    def __init__(self, channels: int, filters: int, pad: int = 1, **settings: Any) -> None:
        super().__init__()
        has_bias = settings.get("has_bias", True)
        self.add(nn.Conv2D(filters, 3, padding=pad, in_channels=channels, use_bias=has_bias))
        if settings.get("normalizes"):
            self.add(nn.BatchNorm(in_channels=filters))
        if settings.get("activation"):
            self.add(nn.Activation(settings["activation"]))
        self.initialize(init.Xavier())
        self.hybridize()


def uses_winograd(net: Any, *arrays: Any) -> bool:
    """Whether a call runs the algorithm."""
    return "winograd_sums" in net.explain(*arrays).code


def images(*shape: int) -> Any:
    return nd.array(np.random.default_rng(sum(shape)).standard_normal(shape).astype("float32"))


def check(net: Any, x: Any) -> None:
    """Compare with operators called one by one; rounding is relative to the convolution's largest sum."""
    found = net(x).asnumpy()
    net.hybridize(False)
    expected, sums = net(x).asnumpy(), net[0](x).asnumpy()
    net.hybridize()
    scale = np.abs(sums).max()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=3e-6 * scale)


@settings(max_examples=25, deadline=None)
@given(
    batch=st.integers(1, 4),
    sizes=st.tuples(st.integers(12, 30), st.integers(12, 30)),
    pad=st.integers(0, 2),
    channels=st.sampled_from([64, 96]),
    filters=st.sampled_from([64, 80]),
    activation=st.sampled_from(["", "relu", "tanh", "softsign"]),
    normalizes=st.booleans(),
    has_bias=st.booleans(),
)
def test_nets_compute_what_the_interpreter_computes(
    batch: int, sizes: tuple[int, int], pad: int, channels: int, filters: int, **others: Any
) -> None:
    net = Layer(channels, filters, pad, **others)
    x = images(batch, channels, *sizes)
    assert uses_winograd(net, x)
    check(net, x)


def test_a_residual_is_added_to_the_outputs() -> None:
    class Residual(nn.HybridSequential):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.relu(super().hybrid_forward(F, x) + x)

    net = Residual()
    net.add(nn.Conv2D(64, 3, padding=1, in_channels=64), nn.BatchNorm(in_channels=64))
    net.initialize()
    net.hybridize()
    x = images(1, 64, SIZE + 1, SIZE)
    assert uses_winograd(net, x)
    check(net, x)


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.Conv2D(16, 3, in_channels=64),
        lambda: nn.Conv2D(64, 3, strides=2, in_channels=64),
        lambda: nn.Conv2D(64, 3, dilation=2, in_channels=64),
        lambda: nn.Conv2D(64, 3, groups=2, in_channels=64),
        lambda: nn.Conv2D(64, 5, in_channels=64),
        lambda: nn.Conv2D(65, 3, in_channels=64),
    ],
)
def test_other_convolutions_are_direct(make: Callable[[], Any]) -> None:
    net = make()
    net.initialize()
    net.hybridize()
    x = images(1, 64, SIZE, SIZE)
    net(x)
    assert not uses_winograd(net, x)


def test_the_environment_may_ask_for_direct_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUONIC_WINOGRAD", "0")
    net = Layer(64, 64)
    assert not uses_winograd(net, images(1, 64, SIZE, SIZE))


def test_few_images_share_code_and_many_have_direct_convolutions() -> None:
    net = Layer(64, 64)
    for batch in (1, 3, 4, 2):
        net(images(batch, 64, SIZE, SIZE))
        assert uses_winograd(net, images(batch, 64, SIZE, SIZE))
    assert net.cache_info().specializations == 1
    for batch in (5, 32, 8):
        net(images(batch, 64, SIZE, SIZE))
        assert not uses_winograd(net, images(batch, 64, SIZE, SIZE))
    assert net.cache_info().specializations == 2


def test_filters_that_a_step_changes_are_not_transformed() -> None:
    net = Layer(64, 64)
    x = images(1, 64, SIZE, SIZE)
    with autograd.record():
        y = net(x)
        assert not uses_winograd(net, x)
    y.backward()


def test_filters_are_transformed_once_and_again_after_a_write() -> None:
    net = Layer(64, 64)
    x = images(1, 64, SIZE, SIZE)
    first = net(x).asnumpy()
    net(x)
    assert net.cache_info().prepackings == 1
    weight = net[0].weight
    weight.set_data(weight.data() * 2)
    bias = net[0].bias.data().asnumpy().reshape(1, -1, 1, 1)
    np.testing.assert_allclose(net(x).asnumpy(), 2 * first - bias, rtol=1e-4, atol=1e-5)
    assert net.cache_info().prepackings == 2


@pytest.mark.usefixtures("many_processors")
@pytest.mark.parametrize("threads", ["1", "3"])
def test_the_number_of_threads_changes_no_bit(
    monkeypatch: pytest.MonkeyPatch, threads: str
) -> None:
    net = Layer(128, 128, activation="relu")
    x = images(2, 128, 27, 28)
    monkeypatch.setenv("GLUONIC_NUM_THREADS", "2")
    expected = net(x).asnumpy()
    monkeypatch.setenv("GLUONIC_NUM_THREADS", threads)
    net.hybridize()
    np.testing.assert_array_equal(net(x).asnumpy(), expected)


@pytest.mark.parametrize("level", ["x86-64-v2", "x86-64-v3"])
def test_shorter_registers_give_the_same_outputs(
    monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    target_named(level)
    monkeypatch.setenv("GLUONIC_CPU", level)
    net = Layer(64, 96, normalizes=True, activation="tanh")
    x = images(2, 64, SIZE, SIZE + 1)
    assert uses_winograd(net, x)
    check(net, x)


def test_memory_holds_transformed_filters_but_not_those_between() -> None:
    from gluonic.codegen.compiled import CompiledGraph
    from gluonic.graph import Graph, Node
    from gluonic.graph.builder import F

    x, weight = Node(None, "x"), Node(None, "weight")
    settings: dict[str, Any] = {"kernel": (3, 3), "num_filter": 64, "no_bias": True}
    graph = Graph([F.Convolution(x.entry(), weight.entry(), **settings)])
    compiled = CompiledGraph(graph, [x, weight], [weight])
    arrays = [np.ones((1, 64, SIZE, SIZE), "float32"), np.ones((64, 64, 3, 3), "float32")]
    assert compiled.binding(arrays).persistent.size == 16 * 64 * 64 * 4
