"""Gradients that are recorded: the forward run that they are computed from leaves no trace."""

from typing import Any

import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn
from tests.gluon.second_orders import LAYERS, Program


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_differentiated_twice_agree_eager_and_hybridized(seed: int) -> None:
    assert not Program(seed).fault()


def test_the_random_programs_have_all_layers_and_modes() -> None:
    programs = [Program(seed) for seed in range(40)]
    assert {name for program in programs for name in program.layers} == {*LAYERS}
    modes = {(program.trains, program.goes_back_in_training) for program in programs}
    assert len(modes) == 4


@pytest.mark.parametrize("train_mode", [False, True])
def test_recorded_gradients_neither_move_running_means_nor_change_the_mode(
    train_mode: bool,
) -> None:
    found: list[tuple[Any, Any]] = []
    for hybridized in (False, True):
        net = nn.BatchNorm(in_channels=3)
        net.initialize()
        if hybridized:
            net.hybridize(compile_at_once=True)
        x = nd.array([[1, 2, 4], [3, 5, 9], [4, 4, 1]])
        x.attach_grad()
        with autograd.record():
            y = net(x) ** 3
            before = net.running_mean.data().asnumpy()
            (slope,) = autograd.grad(y, [x], create_graph=True, train_mode=train_mode)
        assert net.running_mean.data().asnumpy().tolist() == before.tolist()
        found.append((slope.asnumpy(), before))
    for eager, other in zip(*found, strict=True):
        assert eager == pytest.approx(other, rel=1e-4, abs=1e-4)


def test_a_gradient_without_a_gradient_can_be_recorded() -> None:
    program = Program(0)
    program.layers, program.twice = ["dense", "custom", "dense"], False
    assert not program.fault()
    program.twice = True
    for hybridized in (False, True):
        with pytest.raises(mx.MXNetError, match="_backward_Custom has no gradient"):
            program.outcome(hybridized=hybridized)


def _penalized(at_once: bool, steps: int) -> tuple[nn.HybridBlock, list[float]]:
    """A net that is trained with a penalty on its gradients, and the losses."""
    mx.random.seed(1)
    net = nn.HybridSequential()
    net.add(nn.Dense(4, in_units=8, activation="tanh"), nn.Dense(1, in_units=4))
    net.initialize(mx.init.Normal(0.5))
    net.hybridize(compile_at_once=at_once)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    losses = []
    for _ in range(steps):
        x = nd.random.uniform(shape=(1000, 8))
        x.attach_grad()
        with autograd.record():
            y = net(x)
            (slope,) = autograd.grad(y.sum(), [x], create_graph=True)
            loss = (slope.square().sum(axis=1) - 1).square().mean() + y.mean()
        loss.backward()
        trainer.step(1)
        losses.append(float(loss.asscalar()))
    return net, losses


def test_gradient_penalties_are_compiled_once_and_then_run() -> None:
    net, losses = _penalized(True, 4)
    info = net.cache_info()
    assert (info.interpreted, info.misses, info.hits) == (0, 4, 12)
    assert losses[-1] < losses[0]


def test_gradient_penalties_warm_up() -> None:
    net, losses = _penalized(False, 200)
    assert losses == pytest.approx(_penalized(True, 200)[1], rel=1e-3)
    info = net.cache_info()
    assert info.misses == 4
    assert info.hits + info.misses + info.interpreted == 4 * 200
    assert info.hits > 4
