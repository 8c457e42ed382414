"""Nets of convolutions over sequences: one piece of machine code serves all lengths."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, nd
from gluonic.gluon import nn

LENGTHS = (40, 5, 13, 14, 18, 19, 27, 33, 61)
LAYERS: dict[str, Callable[[], list[Any]]] = {
    "plain": lambda: [nn.Conv1D(24, 5, padding=2)],
    "with a step": lambda: [nn.Conv1D(33, 5, strides=2, padding=4)],
    "dilated": lambda: [nn.Conv1D(16, 3, dilation=2, padding=3, activation="tanh")],
    "positions alone": lambda: [nn.Conv1D(48, 1, activation="relu")],
    "grouped": lambda: [nn.Conv1D(32, 3, padding=1, groups=2)],
    "depthwise": lambda: [nn.Conv1D(32, 3, padding=2, groups=32)],
    "deep": lambda: [nn.Conv1D(160, 7, padding=3), nn.Conv1D(24, 5, padding=2)],
    "pooled": lambda: [nn.Conv1D(32, 5, padding=2, activation="relu"), nn.MaxPool1D(3, 2, 1)],
    "pooled to the end": lambda: [nn.AvgPool1D(2, 2, ceil_mode=True), nn.Conv1D(32, 3, padding=2)],
    "means alone": lambda: [nn.AvgPool1D(2, 2)],
    "averaged": lambda: [nn.Conv1D(32, 3, padding=1), nn.BatchNorm(), nn.GlobalAvgPool1D()],
}

EVERY_NET = pytest.mark.parametrize("layers", LAYERS.values(), ids=LAYERS)


@EVERY_NET
def test_one_compilation_serves_all_lengths(layers: Callable[[], list[Any]]) -> None:
    net = nn.HybridSequential()
    net.add(*layers())
    net.initialize(mx.init.Xavier())
    whole = np.random.default_rng(1).standard_normal((2, 32, max(LENGTHS))).astype("f4")
    eager = [net(nd.array(whole[:, :, :length])).asnumpy() for length in LENGTHS]
    net.hybridize(compile_at_once=True)
    for length, expected in zip(LENGTHS, eager, strict=True):
        found = net(nd.array(whole[:, :, :length])).asnumpy()
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    assert net.cache_info().specializations == 1


def _gradients(net: Any, whole: Any, length: int) -> list[Any]:
    """Those of the data and of all parameters."""
    x = nd.array(whole[:, :, :length])
    x.attach_grad()
    with autograd.record():
        y = (net(x) ** 2).sum()
    y.backward()
    parameters = [p for p in net.collect_params().values() if p.grad_req != "null"]
    return [x.grad.asnumpy(), *(p.grad().asnumpy() for p in parameters)]


@EVERY_NET
def test_gradients_agree_at_all_lengths(layers: Callable[[], list[Any]]) -> None:
    net = nn.HybridSequential()
    net.add(*layers())
    net.initialize(mx.init.Xavier())
    whole = np.random.default_rng(2).standard_normal((2, 32, max(LENGTHS))).astype("f4")
    lengths = (40, 39, 38, 13, 12, 14)  # some have equally many windows
    eager = [_gradients(net, whole, length) for length in lengths]
    net.hybridize(compile_at_once=True)
    for length, expected in zip(lengths, eager, strict=True):
        found = _gradients(net, whole, length)
        for one, other in zip(found, expected, strict=True):
            scale = max(1.0, float(np.abs(other).max()))
            np.testing.assert_allclose(one / scale, other / scale, rtol=1e-4, atol=1e-5)
