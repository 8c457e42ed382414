"""Random numbers come in the order of the graph; where calls are in that order, eagerly too."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gluonic import autograd, cpu, nd, symbol
from gluonic import random as random_numbers
from gluonic.gluon import HybridBlock, SymbolBlock

SHAPE = 4, 6


def _looped(F: Any, x: Any) -> Any:
    """Drop in each step of a loop."""
    return F.contrib.foreach(lambda row, states: (F.Dropout(row), states), x, [])[0]


KINDS: dict[str, Callable[[Any, Any], Any]] = {
    "tanh": lambda F, x: F.tanh(x),
    "dropout": lambda F, x: F.Dropout(x, p=0.4),
    "rows": lambda F, x: F.Dropout(x, p=0.5, axes=(1,)),
    "uniform": lambda F, x: x + F.random.uniform(shape=SHAPE),
    "normal": lambda F, x: x + F.random_normal(loc=1, scale=0.5, shape=SHAPE),
    "alike": lambda F, x: x * F.random.exponential_like(x),
    "samples": lambda F, x: F.sample_normal(x, F.exp(-x * x)),
    "gamma": lambda F, x: x * F.random.gamma(2.0, shape=SHAPE),
    "noise": lambda F, x: x + F.random.poisson(3.0, shape=SHAPE),
    "shuffled": lambda F, x: x + F.reshape(F.random.shuffle(F.arange(24)), shape=SHAPE),
    "slopes": lambda F, x: F.LeakyReLU(x, act_type="rrelu")[0],
    "loop": _looped,
}
COMPILED = "tanh", "dropout", "rows", "uniform", "normal", "alike", "samples"


class Branches(HybridBlock):
    """Computes value after value, each from one before it, and joins all of them in another order."""

    def __init__(self, steps: list[tuple[str, int]], order: list[int]) -> None:
        super().__init__()
        self.steps, self.order = steps, order

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        values = [x]
        for kind, source in self.steps:
            values.append(KINDS[kind](F, values[source]))
        first, *others = (values[i] * (i + 1) for i in self.order)
        for other in others:
            first = F.concat(first, other, dim=1)
        return first


@st.composite
def branches(draw: st.DrawFn, kinds: tuple[str, ...]) -> Branches:
    steps = [
        (draw(st.sampled_from(kinds)), draw(st.integers(0, known)))
        for known in range(draw(st.integers(2, 6)))
    ]
    return Branches(steps, draw(st.permutations(range(len(steps) + 1))))


def ran(net: Any, *, record: bool = True) -> list[Any]:
    """The outputs of two calls in training, and the gradients, with the numbers of one seed."""
    random_numbers.seed(5)
    x = nd.array(np.linspace(-2, 2, 24).reshape(SHAPE))
    found = []
    for _ in range(2):
        if not record:
            with autograd.train_mode():
                found.append(net(x).asnumpy())
            continue
        x.attach_grad()
        with autograd.record():
            y = net(x)
            loss = (y * y).sum()
        loss.backward()
        found += [y.asnumpy(), x.grad.asnumpy()]
    return found


def assert_same(found: list[Any], expected: list[Any]) -> None:
    for got, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(net=branches(COMPILED) | branches(tuple(KINDS)))
@pytest.mark.parametrize("executor", ["compile", "interpret"])
def test_nets_joined_in_the_order_of_the_calls_draw_the_same_eagerly(
    executor: str, net: Branches
) -> None:
    net.order = sorted(net.order)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLUONIC_EXECUTOR", executor)
        eager = ran(net)
        net.hybridize()
        assert_same(ran(net), eager)
        assert_same(ran(net, record=False), eager[::2])


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(net=branches(COMPILED) | branches(tuple(KINDS)))
def test_compiled_nets_draw_what_interpreted_ones_draw(net: Branches) -> None:
    found = []
    for executor in ("compile", "interpret"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("GLUONIC_EXECUTOR", executor)
            net.hybridize()
            found.append([*ran(net), *ran(net, record=False)])
    assert_same(*found)


def test_branches_joined_in_another_order_are_drawn_in_that_of_the_graph() -> None:
    net = Branches([("dropout", 0), ("dropout", 0)], [2, 0, 1])
    net.hybridize()
    mask = ran(net)[0] != 0
    random_numbers.seed(5)
    x = nd.ones(SHAPE)
    with autograd.train_mode():
        first, second = (nd.Dropout(x, p=0.4).asnumpy() != 0 for _ in range(2))
    np.testing.assert_array_equal(mask[:, :6], first)
    np.testing.assert_array_equal(mask[:, 12:], second)


class Twice(HybridBlock):
    """Calls a block twice, with a dropout between."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        first = self.inner(x)
        between = F.Dropout(x)
        return F.concat(first, between, self.inner(x), dim=0)


def test_each_call_of_a_symbol_block_draws_new_numbers() -> None:
    x = symbol.var("data")
    early, late = symbol.Dropout(x), symbol.Dropout(x * 2)
    net = Twice(SymbolBlock(symbol.concat(early, late, dim=0), x))
    eager = ran(net)
    net.hybridize()
    assert_same(ran(net), eager)


def test_a_symbol_from_a_file_draws_in_the_order_of_the_file() -> None:
    x = symbol.var("data")
    early, late = symbol.Dropout(x, name="early"), symbol.Dropout(x, name="late")
    read = symbol.load_json(symbol.Group([late, early]).tojson())
    executor = read.bind(cpu(), args={"data": nd.ones(SHAPE)})
    random_numbers.seed(5)
    outputs = [out.asnumpy() for out in executor.forward(is_train=True)]
    random_numbers.seed(5)
    with autograd.train_mode():
        expected = [nd.Dropout(nd.ones(SHAPE)).asnumpy() for _ in range(2)]
    np.testing.assert_array_equal(outputs, expected)


def test_a_copy_draws_as_what_it_was_copied_from() -> None:
    x = symbol.var("data")
    early, late = symbol.Dropout(x), symbol.Dropout(x)
    joined = symbol.Group([late, early])
    outputs = []
    for net in (joined, joined.__copy__(), joined(data=symbol.var("data"))):
        random_numbers.seed(5)
        bound = net.bind(cpu(), args={"data": nd.ones(SHAPE)})
        outputs.append([out.asnumpy() for out in bound.forward(is_train=True)])
    np.testing.assert_array_equal(outputs[1], outputs[0])
    np.testing.assert_array_equal(outputs[2], outputs[0])
