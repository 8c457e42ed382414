"""Listeners receive each gradient once, when it is final, while others are still computed."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gluonic as mx
from gluonic import autograd, nd, profiler
from gluonic.gluon import nn
from gluonic.ndarray.handing_over import listen

pytestmark = pytest.mark.usefixtures("compiled_at_once")


class Listener:
    """Records which buffers are handed over, with their values then, and those of the first buffer."""

    def __init__(self, buffers: list[Any]) -> None:
        self.buffers = buffers
        self.notified: list[int] = []
        self.values: dict[int, Any] = {}
        self.of_first: list[Any] = []

    def listens_to(self, buffer: Any) -> bool:
        return any(buffer is mine for mine in self.buffers)

    def written(self, buffer: Any) -> None:
        index = next(i for i, mine in enumerate(self.buffers) if mine is buffer)
        self.notified.append(index)
        self.values[index] = buffer.asnumpy()
        self.of_first.append(self.buffers[0].asnumpy())

    def used_early(self) -> tuple[list[Any], object]:
        return [self.buffers[index] for index in self.notified], "as notified"


def net_of(hybrid: bool, grad_req: str = "write") -> Any:
    mx.random.seed(3)
    net = nn.HybridSequential(prefix="net_")
    for _ in range(4):
        net.add(nn.Dense(7, "tanh", in_units=7, use_bias=False))
    net.initialize(mx.init.Xavier())
    net.collect_params().setattr("grad_req", grad_req)
    if hybrid:
        net.hybridize()
    return net


def gradients(net: Any) -> list[Any]:
    return [param.grad() for param in net.collect_params().values()]


def backward(net: Any, times: int = 1) -> None:
    with autograd.record():
        x = nd.arange(21).reshape((3, 7)) / 21
        for _ in range(times):
            x = net(x)
    x.backward()


@pytest.mark.parametrize("profiled", [False, True])
@pytest.mark.parametrize("hybrid", [False, True])
def test_the_last_layers_gradients_are_handed_over_while_the_first_ones_are_computed(
    hybrid: bool, profiled: bool
) -> None:
    net = net_of(hybrid)
    backward(net)
    listener = Listener(gradients(net))
    listen(listener)
    for gradient in listener.buffers:
        gradient[:] = 100
    if profiled:
        profiler.set_state("run")
    try:
        backward(net)
    finally:
        profiler.set_state("stop")
    assert listener.notified == [3, 2, 1, 0]
    assert (listener.of_first[0] == 100).all()
    assert not (listener.of_first[3] == 100).any()


@given(
    hybrid=st.booleans(),
    grad_req=st.sampled_from(["write", "add"]),
    times=st.integers(1, 3),
    chosen=st.sets(st.integers(0, 3), min_size=1),
)
def test_each_gradient_is_handed_over_once_with_its_final_value(
    hybrid: bool, grad_req: str, times: int, chosen: set[int]
) -> None:
    plain, net = net_of(hybrid, grad_req), net_of(hybrid, grad_req)
    listener = Listener([gradients(net)[i] for i in sorted(chosen)])
    for _ in range(2):
        backward(plain, times)
    backward(net, times)
    listen(listener)
    backward(net, times)
    assert sorted(listener.notified) == list(range(len(chosen)))
    for index, number in enumerate(sorted(chosen)):
        expected = gradients(plain)[number].asnumpy()
        assert (listener.values[index] == expected).all()
    for gradient, expected in zip(gradients(net), gradients(plain), strict=True):
        assert (gradient.asnumpy() == expected.asnumpy()).all()


def test_a_buffer_that_backward_reads_is_handed_over_after_its_last_read() -> None:
    w = nd.array([2.0, 3.0])
    w.attach_grad()
    listener = Listener([w.grad])
    listen(listener)
    w.grad[:] = 5
    with autograd.record():
        y = (w * w.grad) * w
    y.backward()
    assert listener.notified == [0]
    assert listener.values[0].tolist() == [20.0, 30.0]


def test_a_buffer_shared_by_two_variables_is_not_handed_over_early() -> None:
    a, b, buffer = nd.ones(2), nd.ones(2), nd.zeros(2)
    autograd.mark_variables([a, b], [buffer, buffer])
    listener = Listener([buffer])
    listen(listener)
    with autograd.record():
        y = 2 * a + 3 * b
    y.backward()
    assert np.isin(buffer.asnumpy(), [2, 3]).all()
    assert listener.notified == []


def test_a_removed_listener_is_not_called() -> None:
    w = nd.ones(2)
    w.attach_grad()
    listener = Listener([w.grad])
    notified = listener.notified
    listen(listener)
    del listener
    with autograd.record():
        y = w * 2
    y.backward()
    assert notified == []


def test_explain_names_the_gradients_that_a_listener_has_used() -> None:
    net = net_of(True)
    x = nd.ones((2, 7))
    net(x)
    params = list(net.collect_params().values())
    listener = Listener([param.grad() for param in params[2:]])
    listen(listener)
    with autograd.record():
        loss = net(x).sum()
    loss.backward()
    with autograd.train_mode():
        (found,) = net.explain(x).gradient_sums
    assert list(found.during) == [params[2 + index].name for index in listener.notified]
    assert sorted(found.during + found.afterwards) == sorted(param.name for param in params)
    assert set(found.afterwards) == {param.name for param in params[:2]}
    assert net.explain(x).gradient_sums == ()
