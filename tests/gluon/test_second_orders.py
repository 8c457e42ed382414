"""Gradients that are recorded: the forward run that they are computed from leaves no trace."""

from typing import Any

import pytest

import gluonic as mx
from gluonic import autograd, nd
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
