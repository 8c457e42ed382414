"""Copies and pickles of blocks, and of trainers and other objects of training."""

import copy
import pickle
import subprocess
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn, rnn
from gluonic.gluon.block import Block


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


X = nd.array(np.linspace(-1, 1, 8).reshape(2, 4))
IMAGE = nd.array(np.linspace(-1, 1, 2 * 3 * 8 * 8).reshape(2, 3, 8, 8))
SEQUENCE = nd.array(np.linspace(-1, 1, 40).reshape(5, 2, 4))


class Shifted(gluon.HybridBlock):
    """A layer behind a constant."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.shift = self.params.get_constant("shift", [[1.0, 2.0, 3.0, 4.0]])
            self.layer = nn.Dense(2)

    def hybrid_forward(self, F: Any, x: Any, shift: Any) -> Any:
        return self.layer(F.broadcast_add(x, shift))


class Hooked(gluon.HybridBlock):
    """A layer with a hook that notes each call in the block."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.layer = nn.Dense(2)
        self.calls: list[str] = []
        self.handle = self.layer.register_forward_hook(self.note)

    def note(self, block: Block, *_: Any) -> None:
        self.calls.append(block.name)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.layer(x)


class Selective(nn.Dense):
    """A layer that defines the initial state of its copies."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "note": "copied"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


class Unrolled(gluon.HybridBlock):
    """A cell that runs over sequences of five."""

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.cell = cell

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.cell.unroll(5, x, layout="TNC", merge_outputs=True)[0]


def filled(net: Any, *layers: Block) -> Any:
    with net.name_scope():
        net.add(*layers)
    return net


def perceptron() -> Any:
    layers = nn.Dense(3, activation="relu"), nn.BatchNorm(), nn.Dropout(0.5), nn.Dense(2)
    return filled(nn.HybridSequential(), *layers)


def sharing() -> Any:
    net = nn.HybridSequential()
    first = nn.Dense(4, in_units=4)
    return filled(net, first, nn.Dense(4, in_units=4, params=first.params), first)


def from_symbols() -> Block:
    data = mx.sym.var("data")
    hidden = mx.sym.FullyConnected(data, num_hidden=3, name="hidden")
    return gluon.SymbolBlock([hidden, mx.sym.tanh(hidden)], [data])


def with_cells(*cells: Any) -> Callable[[], Block]:
    def make() -> Block:
        stack = rnn.HybridSequentialRNNCell()
        for kind in cells:
            stack.add(kind())
        return Unrolled(stack)

    return make


NETS: dict[str, tuple[Callable[[], Block], Any]] = {
    "a layer": (lambda: nn.Dense(3), X),
    "a perceptron": (perceptron, X),
    "plain blocks": (
        lambda: filled(nn.Sequential(), nn.Dense(3), nn.HybridLambda("tanh"), nn.Lambda("exp")),
        X,
    ),
    "convolutions": (
        lambda: filled(nn.HybridSequential(), nn.Conv2D(4, 3), nn.MaxPool2D(), nn.PReLU()),
        IMAGE,
    ),
    "norms": (
        lambda: filled(nn.HybridSequential(), nn.InstanceNorm(), nn.GroupNorm(1), nn.LayerNorm()),
        IMAGE,
    ),
    "a recurrent layer": (lambda: rnn.LSTM(3, 2, bidirectional=True), SEQUENCE),
    "cells": (
        with_cells(
            lambda: rnn.ResidualCell(rnn.GRUCell(4)),
            lambda: rnn.LSTMCell(3),
            lambda: rnn.RNNCell(2),
            lambda: rnn.DropoutCell(0.5),
        ),
        SEQUENCE,
    ),
    "shared parameters": (sharing, X),
    "a constant": (Shifted, X),
    "hooks": (Hooked, X),
    "symbols": (from_symbols, X),
    "a state of its own": (lambda: Selective(3), X),
}


def flat(outputs: Any) -> list[nd.NDArray]:
    if isinstance(outputs, (list, tuple)):
        return [array for one in outputs for array in flat(one)]
    return [outputs]


def same(a: Any, b: Any) -> bool:
    pairs = zip(flat(a), flat(b), strict=True)
    return all(np.array_equal(one.asnumpy(), other.asnumpy()) for one, other in pairs)


def train(net: Block, x: nd.NDArray, steps: int) -> None:
    settings = {"learning_rate": 0.1}
    trainer = gluon.Trainer(net.collect_params(), "sgd", settings)
    for _ in range(steps):
        with autograd.record():
            loss = flat(net(x))[0].sum()
        loss.backward()
        trainer.step(1, ignore_stale_grad=True)


def values(net: Block) -> dict[str, Any]:
    return {name: p.data().asnumpy() for name, p in net.collect_params().items()}


deep_ways = pytest.mark.parametrize("way", [copy.deepcopy, pickled])
all_ways = pytest.mark.parametrize("way", [copy.deepcopy, pickled, copy.copy])
nets = pytest.mark.parametrize("net_name", NETS)
hooked_nets_may_warn = pytest.mark.filterwarnings("ignore:.*has forward hooks")
hybridized = pytest.mark.parametrize("hybridize", [False, True])


@all_ways
@nets
@hooked_nets_may_warn
@hybridized
def test_a_copy_computes_what_the_block_computes(
    way: Callable[[Any], Any], net_name: str, hybridize: bool
) -> None:
    make, x = NETS[net_name]
    net = make()
    net.initialize()
    if hybridize:
        net.hybridize()
    for _ in range(3):  # the third call is replayed
        expected = net(x)
    made = way(net)
    assert type(made) is type(net)
    assert list(made.collect_params()) == list(net.collect_params())
    for _ in range(3):
        assert same(made(x), expected)
    assert same(net(x), expected)


@deep_ways
@nets
@hooked_nets_may_warn
@hybridized
def test_a_copy_has_its_own_values_and_gradients_and_trains_alone(
    way: Callable[[Any], Any], net_name: str, hybridize: bool
) -> None:
    make, x = NETS[net_name]
    net = make()
    net.initialize()
    if hybridize:
        net.hybridize()
    train(net, x, 2)
    made = way(net)
    before = values(net)
    for p, q in zip(net.collect_params().values(), made.collect_params().values(), strict=True):
        assert p is not q
        assert p.grad_req == q.grad_req
        if p.grad_req != "null":
            assert np.array_equal(p.grad().asnumpy(), q.grad().asnumpy())
    train(made, x, 3)
    after = values(net)
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert any(not np.array_equal(before[name], value) for name, value in values(made).items())


@deep_ways
@nets
def test_a_block_without_values_can_be_copied(way: Callable[[Any], Any], net_name: str) -> None:
    make, x = NETS[net_name]
    for initialized in (False, True):
        net = make()
        if initialized:
            net.initialize()
        made = way(net)
        made.initialize(force_reinit=True)
        net.initialize(force_reinit=True)
        assert [a.shape for a in flat(made(x))] == [a.shape for a in flat(net(x))]


@deep_ways
def test_parameters_that_are_shared_stay_shared_within_the_copy(way: Callable[[Any], Any]) -> None:
    made = way(sharing())
    assert len(made.collect_params()) == 2
    assert made[0] is made[2]
    assert made[0].weight is made[1].weight


@deep_ways
def test_hooks_of_a_copy_belong_to_the_copy(way: Callable[[Any], Any]) -> None:
    net = Hooked()
    net.initialize()
    net(X)
    made = way(net)
    made(X)
    assert len(net.calls) == 1
    assert len(made.calls) == 2
    made.handle.detach()
    made(X)
    net(X)
    assert (len(net.calls), len(made.calls)) == (2, 2)
    made.layer.register_forward_hook(made.note)
    made(X)
    assert (len(net.calls), len(made.calls)) == (2, 3)


def test_a_shallow_copy_shares_parameters_and_has_hooks_of_its_own() -> None:
    net = perceptron()
    net.initialize()
    net.hybridize()
    for _ in range(3):
        net(X)
    made, calls = copy.copy(net), []
    made.register_forward_hook(lambda *_: calls.append(1))
    net(X)
    assert not calls
    made(X)
    assert calls
    made[0].weight.set_data(nd.zeros((3, 4)))
    assert same(made(X), net(X))


def test_hooks_are_not_lost_when_they_come_from_another_process() -> None:
    program = """
        import pickle, sys
        from gluonic.gluon import nn
        net = nn.Dense(1, in_units=4)
        net.register_forward_hook(print)
        sys.stdout.buffer.write(pickle.dumps(net))
    """
    written = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], check=True, capture_output=True
    ).stdout
    net = pickle.loads(written)
    net.initialize()
    calls: list[int] = []
    handles = [net.register_forward_hook(lambda *_: calls.append(1)) for _ in range(3)]
    net(X)
    assert len(calls) == 3
    assert len(net._forward_hooks) == 4
    for handle in handles:
        handle.detach()
    assert list(net._forward_hooks.values()) == [print]


@deep_ways
def test_a_trainer_is_copied_with_its_net(way: Callable[[Any], Any]) -> None:
    net = perceptron()
    net.initialize()
    net.hybridize()
    net(X)  # gives the parameters their shapes
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})
    net[0].weight.lr_mult = 0.5

    def step(net: Any, trainer: gluon.Trainer) -> None:
        mx.random.seed(3)
        with autograd.record():
            loss = net(X).sum()
        loss.backward()
        trainer.step(2)

    step(net, trainer)
    made, its_trainer = way((net, trainer))
    for _ in range(2):
        step(net, trainer)
        step(made, its_trainer)
    ours, copied = values(net), values(made)
    assert all(np.array_equal(ours[name], copied[name]) for name in ours)
    assert its_trainer.learning_rate == 0.1


def test_the_best_net_can_be_kept_by_a_copy() -> None:
    net = perceptron()
    net.initialize()
    net.hybridize()
    train(net, X, 1)
    best, output = copy.deepcopy(net), net(X)
    train(net, X, 3)
    assert not same(net(X), output)
    assert same(best(X), output)
    for name, p in best.collect_params().items():
        net.collect_params()[name].set_data(p.data())
    assert same(net(X), output)


@deep_ways
def test_a_changed_copy_is_compiled_separately(way: Callable[[Any], Any]) -> None:
    net = perceptron()
    net.initialize()
    net.hybridize()
    for _ in range(3):
        expected = net(X)
    made = way(net)
    made(X)
    made.register_child(nn.Dense(5))
    made[4].initialize()
    assert made(X).shape == (2, 5)
    assert same(net(X), expected)


@pytest.mark.parametrize("family", ["resnet18_v2", "mobilenetv2_0.25", "mobilenet0.25"])
def test_nets_of_the_model_zoo_are_pickled_with_their_parameters(family: str) -> None:
    net = gluon.model_zoo.vision.get_model(family, classes=10)
    net.initialize(mx.init.Xavier())
    image = nd.ones((1, 3, 64, 64)) * 0.1
    net.summary(image)
    made = pickled(net)
    assert same(made(image), net(image))
    assert repr(made) == repr(net)
