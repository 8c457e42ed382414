"""What a compiled net keeps of its parameters follows every way of changing them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn

FILTERS = (8, 3, 3, 3)


def compiled_net() -> Any:
    """A convolution whose filters are packed, batch norm's factors among them."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3, in_channels=3), nn.BatchNorm(in_channels=8), nn.Flatten(), nn.Dense(2))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    return net


def eager(net: Any, x: Any) -> Any:
    net.hybridize(False)
    try:
        return net(x).asnumpy()
    finally:
        net.hybridize(clear=False)


def by_view(w: Any) -> None:
    w.data()[2:5][:] = 3


def by_augmented_assignment(w: Any) -> None:
    value = w.data()
    value *= 2


def by_numpy(w: Any) -> None:
    np.asarray(w.data())[1] = 5


def by_dlpack(w: Any) -> None:
    shared: Any = np.from_dlpack(w.data())
    shared *= 3


def by_array_interface(w: Any) -> None:
    memory = w.data().__array_interface__
    shared: Any = type("Shared", (), {"__array_interface__": memory})()
    np.asarray(shared)[0] = 7


def by_optimizer(w: Any) -> None:
    optimizer = mx.optimizer.Adam(learning_rate=0.5)
    optimizer.update(0, w.data(), nd.ones(FILTERS), optimizer.create_state(0, w.data()))


def by_updater(w: Any) -> None:
    mx.optimizer.get_updater(mx.optimizer.SGD(learning_rate=0.5))(0, nd.ones(FILTERS), w.data())


def by_operator(w: Any) -> None:
    nd.sgd_update(w.data(), nd.ones(FILTERS), lr=0.5, out=w.data())


def by_executor(w: Any) -> None:
    executor = mx.sym.var("w").bind(mx.cpu(), {"w": w.data()})
    executor.copy_params_from({"w": nd.ones(FILTERS)})


WAYS: list[Callable[[Any], Any]] = [
    lambda w: w.set_data(nd.ones(FILTERS)),
    lambda w: w.data().__setitem__(0, 4),
    lambda w: w.data().__setitem__((0, 1, slice(None)), np.ones((3, 3))),
    lambda w: w.initialize(mx.init.Uniform(), force_reinit=True),
    lambda w: nd.ones(FILTERS).copyto(w.data()),
    lambda w: nd.ones(FILTERS, out=w.data()),
    lambda w: nd.full(FILTERS, 2, out=w.data()),
    lambda w: nd.relu(w.data(), out=w.data()),
    lambda w: nd.random.normal(shape=FILTERS, out=w.data()),
    lambda w: mx.init.Xavier()(mx.init.InitDesc("weight"), w.data()),
    by_view,
    by_augmented_assignment,
    by_numpy,
    by_dlpack,
    by_array_interface,
    by_optimizer,
    by_updater,
    by_operator,
    by_executor,
]


@pytest.mark.parametrize("write", WAYS, ids=range(len(WAYS)))
def test_a_changed_parameter_changes_the_result(write: Callable[[Any], Any]) -> None:
    net = compiled_net()
    x = nd.random.normal(shape=(1, 3, 8, 8))
    for _ in range(2):  # a second time, when something may have been noted for good
        before = [net(x) for _ in range(3)][-1].asnumpy()  # the last one goes the short way
        write(net[0].weight)
        after = net(x).asnumpy()
        np.testing.assert_allclose(after, eager(net, x), rtol=1e-4, atol=1e-5)
        net[0].weight.set_data(nd.random.normal(shape=FILTERS))
        assert not np.allclose(before, after)


def test_memory_shared_with_numpy_is_looked_at_again_and_again() -> None:
    net = compiled_net()
    x = nd.random.normal(shape=(1, 3, 8, 8))
    for _ in range(3):
        net(x)
    shared = np.asarray(net[0].weight.data())
    for value in (1, 2, 3):
        shared[...] = value
        np.testing.assert_allclose(net(x).asnumpy(), eager(net, x), rtol=1e-4, atol=1e-5)


def test_training_between_predictions_changes_them() -> None:
    net, loss = compiled_net(), gluon.loss.L2Loss()
    x, y = nd.random.normal(shape=(4, 3, 8, 8)), nd.ones((4, 2))
    net(x)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})
    for _ in range(3):
        with autograd.record():
            error = loss(net(x), y)
        error.backward()
        trainer.step(4)
        np.testing.assert_allclose(net(x).asnumpy(), eager(net, x), rtol=1e-4, atol=1e-4)


def test_running_statistics_of_another_net_with_the_same_parameters_are_heeded() -> None:
    net = compiled_net()
    x = nd.random.normal(shape=(4, 3, 8, 8))
    before = net(x).asnumpy()
    twin = nn.HybridSequential(prefix=net.prefix, params=net.collect_params())
    with twin.name_scope():
        for layer in net:
            twin.add(layer)
    twin.hybridize()
    with autograd.record():
        twin(x)
    assert not np.allclose(net(x).asnumpy(), before)
    np.testing.assert_allclose(net(x).asnumpy(), eager(net, x), rtol=1e-4, atol=1e-5)


def test_parameters_that_nobody_changes_are_packed_once() -> None:
    net = compiled_net()
    x = nd.random.normal(shape=(1, 3, 8, 8))
    before = net(x).asnumpy()
    net[0].weight.data()._data[...] = 0  # behind the back of those who take notes
    assert np.array_equal(net(x).asnumpy(), before)
    net(nd.random.normal(shape=(1, 3, 8, 8)))
    assert np.array_equal(net(x).asnumpy(), before)
    net[0].weight.data()[:] = 0
    assert not np.allclose(net(x).asnumpy(), before)
