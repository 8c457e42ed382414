"""Nets compute on a GPU what they compute on the host, forward and backward, with few operators on the host."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from gluonic import nd, sym
from gluonic.codegen import FALLBACKS, DeviceDifferentiableGraph, DifferentiableProgram
from gluonic.device import DeviceArray
from gluonic.gluon import HybridBlock, nn
from gluonic.graph import Graph, Run
from gluonic.graph.attributes import Shape
from gluonic.graph.random_source import RandomSource
from tests.codegen.cuda.devices import Array, assert_near, emulated, moved


def perceptron() -> HybridBlock:
    net = nn.HybridSequential()
    net.add(nn.Dense(32, activation="relu"), nn.LayerNorm(), nn.Dense(10))
    return net


def with_dropout() -> HybridBlock:
    net = nn.HybridSequential()
    net.add(nn.HybridLambda("sigmoid"), nn.Dropout(0.5))
    return net


def convolutional() -> HybridBlock:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(6, 5, activation="relu"), nn.MaxPool2D(), nn.BatchNorm())
    net.add(nn.Conv2D(8, 3), nn.PReLU(), nn.AvgPool2D(), nn.Flatten(), nn.Dense(10))
    return net


def embedding() -> HybridBlock:
    net = nn.HybridSequential()
    net.add(nn.Embedding(20, 8), nn.Dense(6, flatten=False), nn.GELU())
    return net


def _graph_of(net: HybridBlock, shape: Shape) -> tuple[Graph, list[Array], list[bool]]:
    """A net as a graph, values of its variables, and which of these have gradients."""
    net.initialize()
    data = nd.array(np.random.default_rng(5).integers(0, 9, shape) / 4)
    net(data)
    parameters = net.collect_params()
    graph = Graph(net(sym.var("data")).entries)
    names = [node.name for node in graph.variables]
    values = [(data if name == "data" else parameters[name].data()).asnumpy() for name in names]
    return graph, values, [n in parameters and parameters[n].grad_req != "null" for n in names]


def _near(ours: Sequence[Array | None], theirs: Sequence[Array | None]) -> None:
    for one, other in zip(ours, theirs, strict=True):
        if other is None:
            assert one is None
        else:
            assert one is not None
            assert_near(one, other)


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (perceptron, (8, 20)),
        (convolutional, (2, 1, 20, 20)),
        (embedding, (3, 5)),
    ],
)
def test_a_training_step_gives_the_hosts_outputs_gradients_and_states(make, shape) -> None:  # type: ignore[no-untyped-def]
    graph, values, wanted = _graph_of(make(), shape)
    heads = [True] * len(graph.outputs)
    host, there = (
        DifferentiableProgram(graph, graph.variables, wanted=wanted, heads=heads, train=True)
        for _ in range(2)
    )
    device = DeviceDifferentiableGraph(there)
    own, arrays = [value.copy() for value in values], moved(values)
    FALLBACKS.clear()
    expected, saved = host.forward(own, Run(train=True, random=RandomSource(3)))
    found, kept = device.forward(arrays, Run(train=True, random=RandomSource(3)), emulated())
    flowing = [np.ones_like(output) for output in expected]
    run = Run(train=True, random=RandomSource(3))
    gradients = device.backward(kept, moved(flowing), run, emulated())
    _near([array.to_host() for array in found], expected)
    _near(
        [None if array is None else array.to_host() for array in gradients],
        host.backward(saved, flowing, run),
    )
    _near([array.to_host() for array in arrays], own)
    assert not FALLBACKS


def test_dropout_drops_the_same_elements_of_gradients_as_of_results() -> None:
    graph, values, wanted = _graph_of(with_dropout(), (4, 9))
    program = DifferentiableProgram(
        graph, graph.variables, wanted=[not w for w in wanted], heads=[True], train=True
    )
    device, run = DeviceDifferentiableGraph(program), Run(train=True, random=RandomSource(3))
    FALLBACKS.clear()
    (found,), saved = device.forward(moved(values), run, emulated())
    ones = moved([np.ones(found.shape, np.float32)])
    gradients = device.backward(saved, ones, run, emulated())
    (gradient,) = [array.to_host() for array in gradients if array is not None]
    np.testing.assert_array_equal(gradient == 0, found.to_host() == 0)
    assert 0 < (gradient == 0).mean() < 1
    assert not FALLBACKS


@pytest.mark.parametrize("make", [perceptron, convolutional])
def test_results_that_share_memory_do_not_disturb_each_other(
    make: Callable[[], HybridBlock], monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = (2, 1, 20, 20) if make is convolutional else (8, 20)
    test_a_training_step_gives_the_hosts_outputs_gradients_and_states(make, shape)
    monkeypatch.setattr(emulated(), "keeps_apart", False)
    test_a_training_step_gives_the_hosts_outputs_gradients_and_states(make, shape)


def test_gradients_are_written_to_the_memory_given_for_them() -> None:
    graph, values, wanted = _graph_of(perceptron(), (4, 6))
    program = DifferentiableProgram(graph, graph.variables, wanted=wanted, heads=[True], train=True)
    device, run = DeviceDifferentiableGraph(program), Run(train=True, random=RandomSource(3))
    (found,), saved = device.forward(moved(values), run, emulated())
    heads = moved([np.ones(found.shape, np.float32)])
    expected = device.backward(saved, heads, run, emulated())
    fitting, others = (
        [None if x is None else DeviceArray.empty(x.device, shape(x), x.dtype) for x in expected]
        for shape in (lambda x: x.shape, lambda x: (*x.shape, 1))
    )
    written = device.backward(saved, heads, run, emulated(), fitting)
    assert all(one is other for one, other in zip(written, fitting, strict=True))
    elsewhere = device.backward(saved, heads, run, emulated(), others)
    bits = [
        [None if array is None else array.to_host().tobytes() for array in arrays]
        for arrays in (expected, written, elsewhere)
    ]
    assert bits[0] == bits[1] == bits[2]
