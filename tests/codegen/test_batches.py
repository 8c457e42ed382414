"""What another batch size asks for, and what it does not."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.codegen.compiled import CompiledGraph
from gluonic.gluon import nn
from gluonic.graph.node import Graph, Node, make_node
from gluonic.graph.operator import Run


def image_net() -> Any:
    """A small net of images, some of whose filters and weights are packed."""
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(
            nn.Conv2D(20, 3, activation="relu"),
            nn.BatchNorm(),
            nn.MaxPool2D(),
            nn.Dense(40, activation="relu"),
            nn.Dense(10),
        )
    net.initialize(mx.init.Xavier())
    net.hybridize()
    return net


def images(batch: int) -> Any:
    """Images that differ from each other."""
    return nd.array(np.random.default_rng(batch).normal(size=(batch, 3, 12, 12)))


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> list[CompiledGraph]:
    """All graphs that are compiled from now on."""
    made: list[CompiledGraph] = []
    original = CompiledGraph.__init__

    def noting(self: CompiledGraph, *args: Any, **options: Any) -> None:
        original(self, *args, **options)
        made.append(self)

    monkeypatch.setattr(CompiledGraph, "__init__", noting)
    return made


def test_what_follows_from_parameters_is_computed_once_for_all_batch_sizes(
    graphs: list[CompiledGraph],
) -> None:
    net = image_net()
    for batch in (4, 9, 1, 4, 30):
        net(images(batch))
    (graph,) = graphs
    (specialization,) = graph.specializations
    (frame,) = specialization.frames
    assert specialization.settled
    assert frame.settlings == 1
    weight = net[0].weight
    weight.set_data(weight.data() * 2)
    for batch in (9, 30, 4):
        net(images(batch))
    assert frame.settlings == 2


def test_parameters_that_change_between_batch_sizes_are_noticed() -> None:
    net, plain = image_net(), image_net()
    trainer_weight = net[0].weight
    net(images(3)), plain(images(3))
    plain.hybridize(False)
    for turn, batch in enumerate((5, 3, 1, 5, 8)):
        trainer_weight.set_data(nd.ones(trainer_weight.shape) * (turn - 2) / 10)
        for name, parameter in plain.collect_params().items():
            other = net.collect_params()[name.replace(plain.prefix, net.prefix)]
            parameter.set_data(other.data())
        found, expected = net(images(batch)), plain(images(batch))
        np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=2e-5, atol=2e-5)


def test_memory_of_the_largest_batch_serves_the_smaller_ones(graphs: list[CompiledGraph]) -> None:
    net = image_net()
    net(images(64))
    (frame,) = graphs[0].specializations[0].frames
    arena = frame.slots[graphs[0].specializations[0].residence.passing_slots[0]]
    size = frame.binding.passing.size
    net(images(5))
    assert frame.binding.passing.size < size
    again = frame.slots[graphs[0].specializations[0].residence.passing_slots[0]]
    assert again - arena == frame.binding.passing.offsets[0]


def test_a_parameter_of_another_shape_is_settled_anew() -> None:
    x, weight = Node(None, "x"), Node(None, "weight")
    dense = make_node(
        "FullyConnected", [x.entry(), weight.entry()], {"num_hidden": 96, "no_bias": True}
    )
    graph = CompiledGraph(Graph([dense.entry()]), [x, weight], [weight])
    random = np.random.default_rng(0)
    for rows, length in ((64, 500), (32, 40), (64, 500)):
        arrays = [random.normal(size=s).astype("float32") for s in ((rows, length), (96, length))]
        (found,) = graph(arrays, Run(train=False, random=random))
        np.testing.assert_allclose(found, arrays[0] @ arrays[1].T, rtol=1e-4, atol=1e-4)
