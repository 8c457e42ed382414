"""Computations on parameters alone run once, and again when one of them changes."""

import functools
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn

pytestmark = pytest.mark.usefixtures("compiled_at_once")


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


def test_running_statistics_updated_by_another_net_are_seen() -> None:
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


def test_unchanged_parameters_are_packed_once() -> None:
    net = compiled_net()
    x = nd.random.normal(shape=(1, 3, 8, 8))
    before = net(x).asnumpy()
    net[0].weight.data().elements[...] = 0  # behind the back of those who take notes
    assert np.array_equal(net(x).asnumpy(), before)
    net(nd.random.normal(shape=(1, 3, 8, 8)))
    assert np.array_equal(net(x).asnumpy(), before)
    net[0].weight.data()[:] = 0
    assert not np.allclose(net(x).asnumpy(), before)


def test_writes_to_other_arrays_keep_packed_parameters() -> None:
    net, other = compiled_net(), compiled_net()
    x = nd.random.normal(shape=(1, 3, 8, 8))
    before = [net(x) for _ in range(4)][-1].asnumpy()
    net[0].weight.data().elements[...] = 0  # behind the back of those who take notes
    x[:] = x.copy()
    other[0].weight.set_data(nd.ones((8, 3, 3, 3)))
    other.initialize(force_reinit=True)
    np.asarray(net(x))[:] = 0
    nd.zeros((3,))[:] = 1
    with autograd.record():
        y = other(x)
    y.backward()
    gluon.Trainer(other.collect_params(), "adam").step(1)
    for _ in range(3):
        assert np.array_equal(net(x).asnumpy(), before)
    net[1].running_mean.data()[:] += 1
    assert not np.allclose(net(x).asnumpy(), before)


@pytest.fixture
def impatient_threads() -> Iterator[None]:
    """Threads take turns as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*works: Callable[[], Any]) -> None:
    """Do several things, each in a thread of its own; the first error is raised."""
    errors: list[BaseException] = []

    def run(work: Callable[[], Any]) -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in errors:
        raise error


@pytest.mark.usefixtures("impatient_threads")
@pytest.mark.parametrize("layer", [nn.Dense, nn.Conv1D], ids=["product", "convolution"])
def test_threads_compute_with_the_parameters_of_their_contexts(layer: Any) -> None:
    net: Any = layer(4, in_units=3) if layer is nn.Dense else layer(4, 1, in_channels=3)
    contexts = [mx.cpu(0), mx.cpu(1)]
    net.initialize(ctx=contexts)
    net.hybridize()
    for value, one in enumerate(net.weight.list_data()):
        one[:] = value + 1

    def work(value: int) -> None:
        x = nd.ones((2, 3) if layer is nn.Dense else (2, 3, 1), ctx=contexts[value])
        for _ in range(300):
            assert (net(x).asnumpy() == 3 * (value + 1)).all()

    together(*[functools.partial(work, i % 2) for i in range(4)])


@pytest.mark.usefixtures("impatient_threads")
@pytest.mark.parametrize("replaces", [False, True], ids=["written", "replaced"])
def test_a_call_that_begins_after_a_write_in_another_thread_sees_it(replaces: bool) -> None:
    net = nn.Dense(4, in_units=3, use_bias=False)
    net.initialize(mx.init.Zero())
    net.hybridize()
    x, done = nd.ones((2, 3)), [0]

    def write() -> None:
        for value in range(1, 400):
            if replaces:
                net.weight.list_data()[0] = nd.full((4, 3), value)
            else:
                net.weight.data()[:] = value
            done[0] = value
        done.append(0)

    def read() -> None:
        while len(done) == 1:
            before = done[0]
            assert net(x).asnumpy().min() >= 3 * before

    together(write, read, read)
    assert (net(x).asnumpy() == 3 * 399).all()


def test_each_context_takes_the_array_that_replaced_its_own() -> None:
    contexts = [mx.cpu(0), mx.cpu(1)]
    net = nn.Dense(2, in_units=3, use_bias=False)
    net.initialize(mx.init.One(), ctx=contexts)
    net.hybridize()
    inputs = [nd.ones((1, 3), ctx=ctx) for ctx in contexts]
    for value in range(2, 6):
        for _ in range(3):
            for x in inputs:
                net(x)
        net.weight.list_data()[1] = nd.full((2, 3), value, ctx=contexts[1])
        assert [net(x).asnumpy().tolist() for x in inputs] == [[[3, 3]], [[3 * value] * 2]]
