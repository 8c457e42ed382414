"""Volumes that are taken for images whose filters read their neighbours as further channels."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.codegen.convolution.depth_windows import (
    depth_windows,
    emit_depth_windows,
    emit_sum_depth_windows,
    sum_depth_windows,
)
from gluonic.codegen.convolution.filter_planes import emit_swap_axes, join_planes, split_planes
from gluonic.codegen.convolution.filters import lanes_of
from gluonic.codegen.machine.target import host
from gluonic.codegen.rewriting.layout import volumes
from gluonic.gluon import nn
from tests.codegen.harness import LEVELS, target_named
from tests.codegen.native_functions import filled, normal, run_native
from tests.codegen.rewriting.test_joined_images import check_forward, made, steps_of

LANES = lanes_of(host())
WINDOWS = [
    {"depth": 5, "kernel": 3, "stride": 1, "dilate": 1, "pad": 1},
    {"depth": 7, "kernel": 2, "stride": 3, "dilate": 2, "pad": 0},
    {"depth": 4, "kernel": 3, "stride": 2, "dilate": 2, "pad": 3},
    {"depth": 1, "kernel": 1, "stride": 2, "dilate": 1, "pad": 2},
]


def _numbers(elements: int, windows: dict[str, int], count: int) -> list[int]:
    names = ("kernel", "stride", "dilate", "pad")
    return [elements, windows["depth"], count, *(windows[name] for name in names)]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("windows", WINDOWS, ids=str)
def test_images_are_joined_with_their_neighbours_and_summed_up_again(
    windows: dict[str, int], level: str
) -> None:
    images = normal(2 * windows["depth"], 3, 2, 5)
    expected = depth_windows.kernel(images, **windows)
    numbers = _numbers(30, windows, len(expected) // 2)
    found, summed = filled(*expected.shape), filled(*images.shape)
    target = target_named(level)
    units = len(expected) * windows["kernel"]
    run_native(target, emit_depth_windows, [images, found], numbers, units)
    np.testing.assert_array_equal(found, expected)
    run_native(target, emit_sum_depth_windows, [expected, summed], numbers, len(images))
    np.testing.assert_allclose(summed, sum_depth_windows.kernel(expected, **windows), rtol=1e-6)


@pytest.mark.parametrize("windows", WINDOWS, ids=str)
def test_a_sum_over_windows_is_the_gradient_of_joining(windows: dict[str, int]) -> None:
    images = normal(3 * windows["depth"], 2, 1, 4).astype(np.float64)
    joined = depth_windows.kernel(images, **windows)
    slopes = np.random.default_rng(1).normal(size=joined.shape)
    back = sum_depth_windows.kernel(slopes, **windows)
    np.testing.assert_allclose((joined * slopes).sum(), (images * back).sum())


@pytest.mark.parametrize("level", LEVELS)
def test_planes_of_filters_become_channels_and_planes_again(level: str) -> None:
    target, weight = target_named(level), normal(4, 5, 3, 2, 3)
    joined, split = filled(4, 15, 2, 3), filled(*weight.shape)
    write = lambda module, name: emit_swap_axes(module, name, 24)  # noqa: E731
    run_native(target, write, [weight, joined], [5, 3], 4)
    np.testing.assert_array_equal(joined, join_planes.kernel(weight))
    run_native(target, write, [joined, split], [3, 5], 4)
    np.testing.assert_array_equal(split, weight)
    np.testing.assert_array_equal(split_planes.kernel(joined, planes=3), weight)


def _net(*layers: Any) -> Any:
    net = nn.HybridSequential()
    net.add(*layers)
    return net


def _convolution(filters: int, kernel: Any = 3, pad: Any = 1, **own: Any) -> Any:
    return nn.Conv3D(filters, kernel, padding=pad, **own)


CHAINS: dict[str, Callable[[], Any]] = {
    "plain": lambda: _net(
        _convolution(LANES),
        nn.BatchNorm(),
        nn.Activation("relu"),
        _convolution(2 * LANES, (3, 1, 1), (1, 0, 0), strides=(2, 1, 1)),
        nn.MaxPool3D((1, 2, 2), (1, 2, 2)),
        _convolution(LANES, (1, 3, 3), (0, 1, 1)),
    ),
    "channels last": lambda: _net(
        _convolution(LANES, layout="NDHWC"),
        nn.BatchNorm(axis=4),
        nn.Activation("relu"),
        _convolution(LANES, layout="NDHWC", dilation=(2, 1, 1), strides=2),
    ),
}


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("batch", [1, 3])
def test_chains_compute_what_they_do_eagerly(chain: str, batch: int) -> None:
    check_forward(made(CHAINS[chain](), _volumes(chain, batch)), _volumes(chain, batch))


def _volumes(chain: str, batch: int) -> Any:
    extents = (6, 9, 10)
    return nd.array(normal(batch, *extents, 3) if "last" in chain else normal(batch, 3, *extents))


def _kinds(net: Any, data: Any) -> list[str]:
    return [step.split()[0] for step in steps_of(net, data)]


@pytest.mark.parametrize("chain", CHAINS)
def test_volumes_stay_images_between_layers(chain: str) -> None:
    data = _volumes(chain, 2)
    net = made(CHAINS[chain](), data)
    net.hybridize()
    net(data)
    steps = _kinds(net, data)
    first, *_, last = (i for i, kind in enumerate(steps) if kind == "_convolve_blocks")
    inside = steps[first:last]
    assert "Convolution" not in steps
    assert not {"transpose", "_to_planes", "_to_blocks"} & {*inside}


def test_gradients_of_a_chain_are_the_eager_ones() -> None:
    data = _volumes("plain", 2)
    net = made(CHAINS["plain"](), data)
    found = []
    for hybridized in (False, True):
        net.hybridize(hybridized)
        data.attach_grad()
        with mx.autograd.record(train_mode=False):
            loss = (net(data) ** 2).sum()
        loss.backward()
        trained = [p for p in net.collect_params().values() if p.grad_req != "null"]
        found.append([data.grad.asnumpy(), *(p.grad().asnumpy() for p in trained)])
    for eager, compiled in zip(*found, strict=True):
        np.testing.assert_allclose(compiled, eager, rtol=1e-3, atol=2e-5 * np.abs(eager).max())


def test_pooling_that_takes_another_axis_for_channels_is_left_as_it_is() -> None:
    data = _volumes("channels last", 2)
    net = _net(_convolution(4, layout="NDHWC"), nn.MaxPool3D((1, 2, 3), (1, 2, 2)))
    check_forward(made(net, data), data)


def test_volumes_whose_windows_would_fill_the_memory_are_left_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(volumes, "MOST_BYTES", 3 * 4 * 6 * 9 * 10 * 3 - 1)
    data = _volumes("plain", 2)
    net = made(_net(_convolution(4), _convolution(2)), data)
    check_forward(net, data)
    assert _kinds(net, data).count("Convolution") == 2


def test_another_batch_size_needs_no_other_code() -> None:
    net = made(CHAINS["plain"](), _volumes("plain", 3))
    check_forward(net, _volumes("plain", 3))
    before = net.cache_info().specializations
    net(_volumes("plain", 2))
    assert net.cache_info().specializations == before


def test_filters_that_read_some_of_the_channels_are_left_as_they_are() -> None:
    data = nd.array(normal(2, 4, 5, 6, 7))
    net = made(_net(_convolution(6, groups=2)), data)
    check_forward(net, data)
    assert "Convolution" in _kinds(net, data)
