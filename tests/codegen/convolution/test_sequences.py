"""Nets of convolutions over sequences: one piece of machine code serves all lengths."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.gluon import nn

LENGTHS = (40, 5, 13, 14, 18, 19, 27, 33, 61)
LAYERS: dict[str, Callable[[], list[Any]]] = {
    "plain": lambda: [nn.Conv1D(24, 5, padding=2)],
    "with a step": lambda: [nn.Conv1D(33, 5, strides=2, padding=4)],
    "dilated": lambda: [nn.Conv1D(16, 3, dilation=2, padding=3, activation="tanh")],
    "places alone": lambda: [nn.Conv1D(48, 1, activation="relu")],
    "grouped": lambda: [nn.Conv1D(32, 3, padding=1, groups=2)],
    "depthwise": lambda: [nn.Conv1D(32, 3, padding=2, groups=32)],
    "deep": lambda: [nn.Conv1D(160, 7, padding=3), nn.Conv1D(24, 5, padding=2)],
    "pooled": lambda: [nn.Conv1D(32, 5, padding=2, activation="relu"), nn.MaxPool1D(3, 2, 1)],
    "pooled to the end": lambda: [nn.AvgPool1D(2, 2, ceil_mode=True), nn.Conv1D(32, 3, padding=2)],
    "averaged": lambda: [nn.Conv1D(32, 3, padding=1), nn.BatchNorm(), nn.GlobalAvgPool1D()],
}


@pytest.mark.parametrize("layers", LAYERS.values(), ids=LAYERS)
def test_one_piece_of_machine_code_serves_all_lengths(layers: Callable[[], list[Any]]) -> None:
    net = nn.HybridSequential()
    net.add(*layers())
    net.initialize(mx.init.Xavier())
    whole = np.random.default_rng(1).standard_normal((2, 32, max(LENGTHS))).astype("f4")
    eager = [net(nd.array(whole[:, :, :length])).asnumpy() for length in LENGTHS]
    net.hybridize(static_alloc=True)
    for length, expected in zip(LENGTHS, eager, strict=True):
        found = net(nd.array(whole[:, :, :length])).asnumpy()
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    assert net.cache_info().specializations == 1
