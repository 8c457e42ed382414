"""Hybridized calls on a GPU do not disturb each other's results, gradients and parameters."""

import threading
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.device.devices import device
from gluonic.gluon import nn
from gluonic.ndarray import Context, NDArray

RANDOM = np.random.default_rng(7)
INPUTS = RANDOM.standard_normal((6, 4, 5)).astype(np.float32)


@pytest.fixture(params=["apart", "shared"], autouse=True)
def memory(request: Any, gpu: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of a graph have memory of their own, as the emulator checks it, or share it, as on a real GPU."""
    monkeypatch.setattr(device(0), "keeps_apart", request.param == "apart")


class TwoBiases(gluon.HybridBlock):
    """Adds two parameters, which have the same gradient, and returns the input, too."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = (
            self.params.get(name, shape=(1, 5), init="ones") for name in ("first", "second")
        )

    def hybrid_forward(self, F: Any, x: Any, first: Any, second: Any) -> Any:
        return F.broadcast_add(F.broadcast_add(x, first), second), x


def net_of(ctx: Context, width: int = 3, *, grad_req: str = "write") -> Any:
    """A net of two layers, with the same parameters each time."""
    net = nn.HybridSequential()
    net.add(nn.Dense(7, activation="tanh", in_units=5), nn.Dense(width, in_units=7))
    net.initialize(ctx=ctx)
    numbers = np.random.default_rng(1)
    for parameter in net.collect_params().values():
        parameter.set_data(nd.array(numbers.standard_normal(parameter.shape)))
        parameter.grad_req = grad_req
    net.hybridize()
    return net


def results(calls: Any) -> list[Any]:
    """What calls return on the CPU, and on the GPU."""
    return [[x.asnumpy() for x in calls(ctx)] for ctx in (mx.cpu(), mx.gpu(0))]


def assert_alike(calls: Any) -> None:
    expected, found = results(calls)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-6)


def test_results_that_are_kept_are_not_overwritten() -> None:
    def calls(ctx: Context) -> list[NDArray]:
        net = net_of(ctx)
        return [net(nd.array(x, ctx=ctx)) for x in INPUTS]

    assert_alike(calls)


def test_results_are_the_next_inputs() -> None:
    def calls(ctx: Context) -> list[NDArray]:
        net, x = net_of(ctx, width=5), nd.array(INPUTS[0], ctx=ctx)
        kept = []
        for _ in range(6):
            x = net(x)
            kept.append(x)
        return kept[::2]

    assert_alike(calls)


def test_nets_take_turns() -> None:
    def calls(ctx: Context) -> list[NDArray]:
        first, second = net_of(ctx), net_of(ctx, width=5)
        made = []
        for x in INPUTS:
            y = second(nd.array(x, ctx=ctx))
            made += [first(y), second(y)]
        return made

    assert_alike(calls)


def test_shapes_change() -> None:
    def calls(ctx: Context) -> list[NDArray]:
        net = net_of(ctx)
        return [net(nd.array(x[: 1 + i % 3], ctx=ctx)) for i, x in enumerate(INPUTS)]

    assert_alike(calls)


def test_parts_of_arrays_are_inputs() -> None:
    def calls(ctx: Context) -> list[NDArray]:
        net, x = net_of(ctx), nd.array(INPUTS, ctx=ctx)
        return [net(x[i, 1:]) for i in range(len(INPUTS))]

    assert_alike(calls)


def test_parameters_are_replaced(tmp_path: Any) -> None:
    def calls(ctx: Context) -> list[NDArray]:
        net, made = net_of(ctx), []
        parameters = net.collect_params()
        file = str(tmp_path / "net.params")
        for i, x in enumerate(INPUTS):
            there = nd.array(x, ctx=ctx)
            if i == 1:
                net.save_parameters(file)
                net[0].weight.set_data(net[0].weight.data() * 2)
            if i == 2:
                net.load_parameters(file, ctx=ctx)
            if i == 3:
                parameters.reset_ctx(mx.cpu())
                parameters.reset_ctx(ctx)
            if i == 4:
                net.initialize(mx.init.One(), force_reinit=True, ctx=ctx)
            made.append(net(there))
        return made

    assert_alike(calls)


@pytest.mark.parametrize("grad_req", ["write", "add"])
def test_gradients_of_several_steps(grad_req: str) -> None:
    def calls(ctx: Context) -> list[NDArray]:
        net, made = net_of(ctx, grad_req=grad_req), list[NDArray]()
        for x in INPUTS:
            with autograd.record():
                y = net(nd.array(x, ctx=ctx))
                z = net(nd.array(-x, ctx=ctx))
            autograd.backward([y, z])
            made += [y, *[p.grad().copy() for p in net.collect_params().values()]]
        return made

    assert_alike(calls)


def test_parameters_with_the_same_gradient() -> None:
    def calls(ctx: Context) -> list[NDArray]:
        net, made = TwoBiases(), list[NDArray]()
        net.initialize(ctx=ctx)
        net.hybridize()
        for x in INPUTS[:4]:
            there = nd.array(x, ctx=ctx)
            there.attach_grad()
            with autograd.record():
                y, z = net(there)
            autograd.backward([y, z])
            gradients = there.grad, net.first.grad(), net.second.grad()
            made += [z, *[gradient.copy() for gradient in gradients]]
        return made

    assert_alike(calls)


def test_gradients_that_a_program_keeps_follow_the_buffer() -> None:
    def calls(ctx: Context) -> list[NDArray]:
        net, made = net_of(ctx), list[NDArray]()
        weight = net[0].weight
        views = [weight.grad(), weight.grad()[1:], weight.grad().reshape((-1,))]
        for x in INPUTS[:3]:
            with autograd.record():
                y = net(nd.array(x, ctx=ctx))
            y.backward()
            made += [view.copy() for view in views]
        return made

    assert_alike(calls)


def test_a_gradient_flows_into_the_call_that_made_it() -> None:
    def calls(ctx: Context) -> list[NDArray]:
        net, x = net_of(ctx, width=5), nd.array(INPUTS[0], ctx=ctx)
        x.attach_grad()
        for _ in range(3):
            with autograd.record():
                y = net(x)
            y.backward(x.grad if x.grad.asnumpy().any() else None)
        return [x.grad]

    assert_alike(calls)


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "ftrl"])
def test_a_trainer_updates_parameters_of_several_rates_and_sizes(optimizer: str) -> None:
    def calls(ctx: Context) -> list[NDArray]:
        net = net_of(ctx)
        net[0].weight.lr_mult, net[1].bias.wd_mult = 0.5, 0.0
        options = {"learning_rate": 0.1, "wd": 0.01}
        trainer = gluon.Trainer(net.collect_params(), optimizer, options)
        for turn, x in enumerate(INPUTS):
            with autograd.record():
                y = (net(nd.array(x, ctx=ctx)) ** 2).sum()
            y.backward()
            trainer.set_learning_rate(0.1 / (turn + 1))
            trainer.step(4)
        return [p.data() for p in net.collect_params().values()]

    assert_alike(calls)


def test_steps_keep_no_memory() -> None:
    net = net_of(mx.gpu(0))
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})
    x, free = nd.array(INPUTS[0], ctx=mx.gpu(0)), set[int]()
    there: Any = device(0)
    for step in range(12):
        with autograd.record():
            y = net(x)
        y.backward()
        trainer.step(4)
        del y
        if step >= 4:
            free.add(there.memory_info().free)
    assert len(free) == 1


def test_dropout_draws_new_numbers_at_each_call() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dropout(0.5))
    net.hybridize()
    x = nd.ones((64,), ctx=mx.gpu(0))
    made = []
    for _ in range(4):
        with autograd.record():
            made.append(net(x).asnumpy().tobytes())
    assert len(set(made)) == 4


def test_threads_call_one_net() -> None:
    net, wrong = net_of(mx.gpu(0)), []
    expected = [net(nd.array(x, ctx=mx.gpu(0))).asnumpy() for x in INPUTS]

    def work(first: int) -> None:
        for turn in range(6):
            i = (first + turn) % len(INPUTS)
            found = net(nd.array(INPUTS[i], ctx=mx.gpu(0)))
            if not np.array_equal(found.asnumpy(), expected[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(first,)) for first in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_statistics_count_operators_that_the_cpu_computes(gpu: Context) -> None:
    net = nn.HybridLambda(lambda F, x: F.linalg.syevd(F.relu(x))[1])
    net.hybridize()
    for _ in range(2):
        net(nd.eye(3, ctx=gpu))
    made = net.cache_info()
    assert (made.bindings, made.through_host) == (1, 1)
    assert "through_host=1" in str(made)
