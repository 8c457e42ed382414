"""What a training step takes of a GPU's memory, and what happens where there is not enough."""

import gc
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.device import Device
from gluonic.device.devices import device
from gluonic.gluon import nn
from gluonic.ndarray import Context


def test_lacking_memory_is_an_error_that_names_what_holds_it(gpu: Context) -> None:
    held = nd.ones((1 << 20,), ctx=gpu)
    net = nn.HybridLambda(lambda F, x: F.broadcast_to(x, shape=(20_000, 20_000)) + 1)
    net.hybridize()
    x = nd.ones((1, 20_000), ctx=gpu)
    for allocate in (lambda: nd.zeros((400_000_000,), gpu), lambda: net(x)):
        with pytest.raises(
            mx.base.MXNetError, match=r"no memory for 1,52.\.9 MiB on gpu\(0\)"
        ) as lacking:
            allocate()
        text = str(lacking.value)
        assert "of 1,024.0 MiB are free" in text
        assert "of float32 (1048576,), together 4.0 MiB" in text
    np.testing.assert_array_equal((held[:3] + x[0, :3]).asnumpy(), 2)


class _Peak:
    """The most memory in use at a time.

    Parameters
    ----------
    there : the device
    """

    def __init__(self, there: Device, monkeypatch: pytest.MonkeyPatch) -> None:
        self.most = 0
        allocate = there.allocate

        def counted(size: int) -> Any:
            buffer = allocate(size)
            free, total = there.memory_info()
            self.most = max(self.most, total - free)
            return buffer

        monkeypatch.setattr(there, "allocate", counted)


def _perceptron() -> tuple[gluon.HybridBlock, tuple[int, ...]]:
    net = nn.HybridSequential()
    for _ in range(3):
        net.add(nn.Dense(64), nn.Activation("relu"))
    return net, (64, 64)


def _convolutional() -> tuple[gluon.HybridBlock, tuple[int, ...]]:
    net = nn.HybridSequential()
    for _ in range(2):
        net.add(nn.Conv2D(4, 3, padding=1, use_bias=False), nn.BatchNorm(), nn.Activation("relu"))
    return net, (4, 4, 12, 12)


@pytest.mark.parametrize("make", [_perceptron, _convolutional])
def test_a_training_step_takes_what_its_gradient_needs(
    gpu: Context, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = device(0)
    monkeypatch.setattr(there, "keeps_apart", False)
    peak = _Peak(there, monkeypatch)
    net, shape = make()
    net.initialize(ctx=gpu)
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    x = nd.ones(shape, ctx=gpu)

    def step() -> None:
        with autograd.record():
            y = net(x)
        y.backward()
        trainer.step(1)

    step()
    step()
    gc.collect()
    free, total = there.memory_info()
    peak.most = 0
    step()
    layers = len(net) // (2 if make is _perceptron else 3)
    activation = x.size * 4
    # what each layer reads again in its gradient, and two gradients that are there at a time
    kept = layers * activation * (1 if make is _perceptron else 2) + 3 * activation
    assert peak.most - (total - free) <= kept
