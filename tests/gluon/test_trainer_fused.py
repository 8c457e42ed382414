"""Training a hybridized net: gradients written where users see them, one native call a step."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gluonic import autograd, gluon, nd
from gluonic.gluon import nn
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.tape import Leaf

pytestmark = pytest.mark.usefixtures("compiled_at_once")


def made(hybrid: bool, *, dtype: str = "float32", seed: int = 3) -> Any:
    """A small net whose parameters are the same each time."""
    net = nn.HybridSequential()
    net.add(nn.Dense(16, activation="tanh", in_units=8), nn.Dense(4, in_units=16))
    net.initialize()
    net.cast(dtype)
    random = np.random.default_rng(seed)
    for parameter in net.collect_params().values():
        parameter.set_data(nd.array(random.normal(size=parameter.shape) * 0.3, dtype=dtype))
    if hybrid:
        net.hybridize(compile_at_once=True)
    return net


def batch(dtype: str = "float32") -> tuple[NDArray, NDArray]:
    random = np.random.default_rng(0)
    x = nd.array(random.normal(size=(6, 8)), dtype=dtype)
    return x, nd.array(random.integers(0, 4, 6), dtype=dtype)


def memory(net: Any) -> list[int]:
    """Where the gradients are."""
    return [p.grad().elements.ctypes.data for p in net.collect_params().values()]


def gradients(net: Any) -> list[Any]:
    return [p.grad().asnumpy() for p in net.collect_params().values()]


def same(found: list[Any], wanted: list[Any]) -> None:
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=2e-6)


def backward(net: Any, loss: Callable[[Any, NDArray, NDArray], NDArray]) -> list[Any]:
    x, y = batch()
    with autograd.record():
        value = loss(net, x, y)
    value.backward()
    return gradients(net)


def entropy(net: Any, x: NDArray, y: NDArray) -> Any:
    return gluon.loss.SoftmaxCrossEntropyLoss()(net(x), y)


def twice(net: Any, x: NDArray, y: NDArray) -> Any:
    """The net is called twice, so its parameters get two gradients."""
    return entropy(net, x, y) + net(x * 2).sum() * 0.1


def penalized(net: Any, x: NDArray, y: NDArray) -> Any:
    """A parameter gets a gradient from an operator, too."""
    weight = next(iter(net.collect_params().values())).data()
    return entropy(net, x, y).sum() + (weight * weight).sum()


@pytest.mark.parametrize("loss", [entropy, twice, penalized])
def test_gradients_are_those_of_the_eager_net(loss: Callable[..., NDArray]) -> None:
    net = made(hybrid=True)
    addresses = memory(net)
    wanted = backward(made(hybrid=False), loss)
    for _ in range(3):
        same(backward(net, loss), wanted)
    assert memory(net) == addresses


def test_gradients_are_not_copied_to_their_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    net, received = made(hybrid=True), []

    def receive(leaf: Leaf, gradient: NDArray | None) -> None:
        assert gradient is not None
        assert leaf.grad is not None
        received.append(gradient.elements is leaf.grad.elements)

    trainer = gluon.Trainer(net.collect_params(), "sgd")
    backward(net, entropy)
    trainer.step(1)
    monkeypatch.setattr(Leaf, "receive", receive)
    backward(net, entropy)
    assert received == [True] * 4


def test_added_gradients_add_up() -> None:
    net, wanted = made(hybrid=True), backward(made(hybrid=False), entropy)
    net.collect_params().setattr("grad_req", "add")
    for _ in range(3):
        found = backward(net, entropy)
    same(found, [3 * gradient for gradient in wanted])


def test_one_parameter_may_be_left_out() -> None:
    net, wanted = made(hybrid=True), backward(made(hybrid=False), entropy)
    parameters = list(net.collect_params().values())
    parameters[1].grad_req = "null"
    backward_of = [p for p in parameters if p.grad_req != "null"]
    x, y = batch()
    with autograd.record():
        value = entropy(net, x, y)
    value.backward()
    found = [p.grad().asnumpy() for p in backward_of]
    same(found, [g for i, g in enumerate(wanted) if i != 1])


def test_an_array_that_shares_the_gradients_memory_sees_the_next_gradient() -> None:
    net, wanted = made(hybrid=True), backward(made(hybrid=False), entropy)
    parameter = next(iter(net.collect_params().values()))
    alias = parameter.grad().detach()
    backward(net, entropy)
    np.testing.assert_allclose(alias.asnumpy(), wanted[0], rtol=2e-5, atol=1e-7)


def test_a_gradient_buffer_read_as_a_constant_has_its_old_value() -> None:
    """An operator before the net reads the old gradient, when the walk already knows the new one."""
    results = []
    for hybrid in (True, False):
        net = made(hybrid=hybrid)
        backward(net, entropy)
        parameter = next(iter(net.collect_params().values()))
        scale = nd.ones((16, 8))
        scale.attach_grad()
        x, y = batch()
        with autograd.record():
            value = entropy(net, x * (scale * parameter.grad()).sum(), y)
        value.backward()
        results.append([*gradients(net), scale.grad.asnumpy()])
    same(*results)


def test_a_gradient_may_be_a_head_gradient() -> None:
    found = []
    for hybrid in (True, False):
        net = nn.Dense(8, in_units=8, use_bias=False)
        net.initialize()
        net.weight.set_data(nd.array(np.random.default_rng(5).normal(size=(8, 8))))
        if hybrid:
            net.hybridize()
        net.weight.grad()[:] = nd.array(np.random.default_rng(6).normal(size=(8, 8)))
        with autograd.record():
            y = net(nd.array(np.random.default_rng(7).normal(size=(8, 8))))
        y.backward(net.weight.grad())
        found.append([net.weight.grad().asnumpy()])
    same(*found)


def test_variables_that_share_a_buffer_do_not_write_it_at_once() -> None:
    shared = nd.zeros((3,))
    a, b = nd.array([1.0, 2.0, 3.0]), nd.array([4.0, 5.0, 6.0])
    autograd.mark_variables([a, b], [shared, shared])

    class Weighted(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, a: Any, b: Any) -> Any:
            return F.broadcast_mul(a, b)

    net = Weighted()
    net.hybridize()
    with autograd.record():
        y = net(a, b)
    y.backward()
    assert shared.asnumpy().tolist() in ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])


def trained(hybrid: bool, name: str, settings: dict[str, Any], dtype: str) -> Any:
    """A net and its trainer after some steps of different batch sizes."""
    net = made(hybrid, dtype=dtype)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    if hybrid:
        loss.hybridize()
    trainer = gluon.Trainer(net.collect_params(), name, settings)
    x, y = batch(dtype)
    for size in (6, 6, 3, 6, 2):
        with autograd.record():
            value = loss(net(x[:size]), y[:size])
        value.backward()
        trainer.step(size)
    return net, trainer


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("sgd", {"learning_rate": 0.1, "momentum": 0.9}),
        ("adam", {"wd": 0.01}),
        ("rmsprop", {"centered": True}),
    ],
)
def test_a_hybridized_net_trains_as_an_eager_one(
    name: str, settings: dict[str, Any], dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast, trainer = trained(True, name, settings, dtype)
    assert trainer._updaters[0].fused.is_native
    monkeypatch.setenv("GLUONIC_EXECUTOR", "interpret")
    slow, reference = trained(False, name, settings, dtype)
    assert not reference._updaters[0].fused.is_native
    for a, b in zip(fast.collect_params().values(), slow.collect_params().values(), strict=True):
        tolerance = 1e-4 if dtype == "float32" else 1e-11
        np.testing.assert_allclose(
            a.data().asnumpy(), b.data().asnumpy(), rtol=tolerance, atol=1e-6
        )


def test_new_arrays_of_a_parameter_are_the_ones_updated() -> None:
    net, trainer = trained(True, "sgd", {"learning_rate": 0.1}, "float32")
    net.collect_params().initialize(force_reinit=True)
    before = [p.data().asnumpy() for p in net.collect_params().values()]
    backward(net, entropy)
    trainer.step(1)
    for p, old in zip(net.collect_params().values(), before, strict=True):
        np.testing.assert_allclose(
            p.data().asnumpy(), old - np.float32(0.1) * p.grad().asnumpy(), rtol=1e-5, atol=1e-7
        )


def test_stale_gradients_are_left_out_when_asked_for() -> None:
    used, idle = made(hybrid=True), made(hybrid=True)
    parameters = [*used.collect_params().values(), *idle.collect_params().values()]
    trainer = gluon.Trainer(parameters, "sgd", {"learning_rate": 0.1})
    before = [p.data().asnumpy() for p in parameters]
    backward(used, entropy)
    with pytest.raises(UserWarning, match="backward"):
        trainer.step(1)
    trainer.step(1, ignore_stale_grad=True)
    changed = [
        bool((p.data().asnumpy() != old).any()) for p, old in zip(parameters, before, strict=True)
    ]
    assert changed == [True] * 4 + [False] * 4
