"""Gradients are those of what was recorded, whatever mode `backward` is given."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn

DATA = np.array([[1, 2], [3, 7], [0, 1], [2, 2]], np.float32)
HEAD = np.array([[1, -1], [0, 2], [1, 1], [3, 0.5]], np.float32)
LAYERS: dict[str, Any] = {
    "batch normalization": lambda: nn.BatchNorm(in_channels=2),
    "dropout": lambda: nn.Dropout(0.5),
    "random slopes": lambda: nn.HybridLambda(lambda F, x: F.LeakyReLU(x - 2, act_type="rrelu")[0]),
}


def _gradient(net: gluon.HybridBlock, recorded: bool, backward: bool | None) -> Any:
    x = nd.array(DATA)
    x.attach_grad()
    mx.random.seed(4)
    with autograd.record(train_mode=recorded):
        y = net(x)
    y.backward(nd.array(HEAD), **({} if backward is None else {"train_mode": backward}))
    return x.grad.asnumpy()


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("name", LAYERS)
def test_the_mode_of_recording_counts(name: str, hybridize: bool) -> None:
    net = LAYERS[name]()
    net.initialize()
    if hybridize:
        net.hybridize(compile_at_once=True)
    found = {
        recorded: [_gradient(net, recorded, mode) for mode in (None, True, False)]
        for recorded in (True, False)
    }
    for same in found.values():
        for gradient in same[1:]:
            np.testing.assert_array_equal(gradient, same[0])
    assert np.abs(found[True][0] - found[False][0]).max() > 0.1


def test_a_function_is_told_the_mode_of_backward() -> None:
    seen = []

    class Identity(autograd.Function):
        def forward(self, x: nd.NDArray) -> nd.NDArray:
            return x * 1

        def backward(self, dy: nd.NDArray) -> nd.NDArray:
            seen.append(autograd.is_training())
            return dy

    for recorded in (True, False):
        for backward in (True, False):
            x = nd.ones(2)
            x.attach_grad()
            with autograd.record(train_mode=recorded):
                y = Identity()(x)
            y.backward(train_mode=backward)
    assert seen == [True, False, True, False]
