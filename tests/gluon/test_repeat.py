"""Calls that go the short way give what the long way gives, whatever has happened in between."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gluonic import autograd, gluon, nd, profiler
from gluonic import context as contexts
from gluonic.gluon import nn


class Two(gluon.HybridBlock):
    """A block of two inputs."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.dense = nn.Dense(3, in_units=4)

    def hybrid_forward(self, F: Any, x: Any, y: Any) -> Any:
        return self.dense(x) - 2 * self.dense(y)


def hybridized() -> Any:
    net = nn.HybridSequential()
    net.add(
        nn.Dense(5, in_units=4, activation="tanh"),
        nn.BatchNorm(in_channels=5),
        nn.Dense(3, in_units=5),
    )
    net.initialize()
    net.hybridize()
    return net


def inputs(rows: int = 2, seed: int = 0) -> nd.NDArray:
    return nd.array(np.random.default_rng(seed).standard_normal((rows, 4)), dtype="float32")


def eager(net: Any, *args: nd.NDArray) -> Any:
    net.hybridize(False)
    expected = net(*args).asnumpy()
    net.hybridize()
    return expected


def repeating(net: Any, *args: nd.NDArray) -> Any:
    """The net, after calls that have found the short way."""
    for _ in range(3):
        net(*args)
    assert net._repeat is not None
    return net


def initialize_again(net: Any) -> None:
    net.initialize(force_reinit=True)


def move(net: Any) -> None:
    net.collect_params().reset_ctx(contexts.cpu(0))


def another_layer(net: Any) -> None:
    net.add(nn.Dense(2, in_units=3))
    net[-1].initialize()


def convert(net: Any) -> None:
    net.cast("float64")
    net.cast("float32")


@pytest.mark.parametrize(
    "change",
    [initialize_again, move, another_layer, convert],
)
def test_a_change_of_the_parameters_is_seen_by_the_next_call(
    change: Callable[[Any], None],
) -> None:
    x = inputs()
    net = repeating(hybridized(), x)
    change(net)
    found = [net(x).asnumpy() for _ in range(3)]
    expected = eager(net, x)
    for one in found:
        np.testing.assert_allclose(one, expected, rtol=1e-5, atol=1e-6)


def test_inputs_of_all_kinds_are_computed_with() -> None:
    net = repeating(hybridized(), inputs())
    given = [inputs(seed=1), inputs(rows=7), inputs(), nd.ones((5, 6))[1:3, :4]]
    found = [net(x).asnumpy() for x in given]
    for x, one in zip(given, found, strict=True):
        np.testing.assert_allclose(one, eager(net, x), rtol=1e-5, atol=1e-6)


def test_an_input_that_is_overwritten_is_read_again() -> None:
    x = inputs()
    net = repeating(hybridized(), x)
    x[:] = 3
    np.testing.assert_allclose(net(x).asnumpy(), eager(net, x), rtol=1e-5)


def test_each_call_returns_an_array_of_its_own() -> None:
    x = inputs()
    net = repeating(hybridized(), x)
    first, second = net(x), net(x)
    first[:] = 0
    assert np.abs(second.asnumpy()).min() > 0


def test_training_and_recording_are_heeded() -> None:
    x = inputs()
    net = repeating(hybridized(), x)
    before = net(x).asnumpy()
    with autograd.train_mode():
        trained = net(x).asnumpy()
    with autograd.record():
        recorded = net(x)
    recorded.backward()
    assert np.abs(trained - before).max() > 1e-3
    assert np.abs(net[0].weight.grad().asnumpy()).max() > 0


def test_several_inputs_are_told_apart() -> None:
    net = Two()
    net.initialize()
    net.hybridize()
    x, y = inputs(), inputs(seed=1)
    repeating(net, x, y)
    np.testing.assert_allclose(net(y, x).asnumpy(), eager(net, y, x), rtol=1e-5, atol=1e-6)


def test_a_wrong_number_of_inputs_is_refused() -> None:
    net = repeating(hybridized(), inputs())
    with pytest.raises(TypeError):
        net(inputs(), inputs())


def test_hooks_run_that_come_later() -> None:
    x = inputs()
    seen: list[str] = []
    net = repeating(hybridized(), x)
    net.register_forward_hook(lambda *_: seen.append("after"))
    net(x)
    net.register_forward_pre_hook(lambda *_: seen.append("before"))
    net(x)
    assert seen == ["after", "before", "after"]


def test_operator_hooks_run_that_come_later() -> None:
    x = inputs()
    seen: list[str] = []
    net = repeating(hybridized(), x)
    net.register_op_hook(lambda name, *_: seen.append(name))
    net(x)
    assert seen


def test_the_profiler_sees_the_call() -> None:
    x = inputs()
    net = repeating(hybridized(), x)
    profiler.set_config(profile_all=True, aggregate_stats=True)
    profiler.set_state("run")
    net(x)
    profiler.set_state("stop")
    assert net.name in profiler.dumps(reset=True)


def test_threads_share_a_net() -> None:
    net = repeating(hybridized(), inputs())
    given = [inputs(seed=seed) for seed in range(8)]
    expected = [eager(net, x) for x in given]
    repeating(net, inputs())
    wrong = []

    def work(x: nd.NDArray, right: Any) -> None:
        for _ in range(200):
            if not np.allclose(net(x).asnumpy(), right, rtol=1e-5, atol=1e-6):
                wrong.append(x)

    threads = [
        threading.Thread(target=work, args=pair) for pair in zip(given, expected, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
