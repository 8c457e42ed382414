"""The profiler reports what runs on a GPU."""

from typing import Any

import pytest

from gluonic import autograd, nd
from gluonic.gluon import nn
from gluonic.graph.events import EVENTS
from gluonic.ndarray import Context


@pytest.fixture
def net(gpu: Context) -> nn.HybridSequential:
    """A net whose calls are quick already."""
    net = nn.HybridSequential()
    net.add(nn.Dense(3, activation="tanh", in_units=2), nn.Dense(1, in_units=3))
    net.initialize(ctx=gpu)
    net.hybridize()
    for _ in range(3):
        net(nd.ones((4, 2), ctx=gpu))
    return net


def _operators(events: list[Any]) -> list[Any]:
    return [event for event in events if event.category == "operator"]


def test_kernels_of_a_hybridized_net_have_operators_grids_and_times(
    gpu: Context, net: nn.HybridSequential
) -> None:
    x = nd.ones((4, 2), ctx=gpu)
    with EVENTS.collected() as events:
        net(x)
    kernels = _operators(events)
    assert kernels
    assert all(event.arguments["grid"] and event.duration > 0 for event in kernels)
    assert "FullyConnected" in " ".join(event.name for event in kernels)
    begins = [event.begin for event in kernels]
    assert begins == sorted(begins)


def test_gradients_and_eager_operators_are_reported(gpu: Context, net: nn.HybridSequential) -> None:
    x = nd.ones((4, 2), ctx=gpu)
    x.attach_grad()
    for _ in range(2):
        nd.relu(x)
    with EVENTS.collected() as events:
        with autograd.record():
            y = net(x)
        y.backward()
        forward_and_backward = len(_operators(events))
        nd.relu(x)
    *_, last = _operators(events)
    assert forward_and_backward > 3
    assert last.name == "relu"
    assert last.arguments["location"].startswith(__file__)
