"""The cost of compiling as graphs grow, in calls of functions, which are the same on all machines."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, sym


def chain(x: Any, operators: int) -> Any:
    for number in range(operators):
        x = sym.tanh(x) if number % 3 else x * 1.01 + 0.1
    return x


def branches(x: Any, number: int) -> Any:
    scales = [1 + i / (1e4 + number) for i in range(number)]  # other sizes share no kernel
    return sym.add_n(*[sym.tanh(x * scale) for scale in scales])


def products(x: Any, layers: int) -> Any:
    for number in range(layers):
        product = sym.FullyConnected(x, num_hidden=8 + number % 7, name=f"f{number}")
        x = sym.Activation(product, act_type="relu")
    return x


def shortcuts(x: Any, layers: int) -> Any:
    for number in range(layers):
        product = sym.FullyConnected(x, num_hidden=8, name=f"f{number}")
        x = x + sym.Activation(product, act_type="tanh")
    return x


def joins(x: Any, layers: int) -> Any:
    """Each layer reads all before it, so twice the layers are four times the arrows."""
    parts = [x]
    for number in range(layers):
        join = sym.concat(*parts, dim=1)
        name = f"f{number}"
        parts.append(sym.FullyConnected(join, num_hidden=4, no_bias=True, name=name))
    return sym.concat(*parts, dim=1)


def steps(x: Any, length: int) -> Any:
    cell = gluon.rnn.LSTMCell(8, prefix="l_")
    inputs = [x * (1 + i / 64) for i in range(length)]
    outputs, _ = cell.unroll(length, inputs, layout="NTC", merge_outputs=False)
    return sym.add_n(*outputs)


def calls_of(work: Callable[[], Any]) -> int:
    """How many functions are called."""
    count = 0

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def first_step(build: Callable[[Any, int], Any], size: int) -> int:
    """The calls of a net's first step: tracing, gradients, both compiled, and run."""
    net = gluon.SymbolBlock(build(mx.sym.var("data"), size), [mx.sym.var("data")])
    net.initialize()
    net.hybridize()
    x = nd.random.uniform(shape=(2, 8))
    x.attach_grad()

    def work() -> None:
        with autograd.record():
            loss = net(x).sum()
        loss.backward()

    return calls_of(work)


@pytest.mark.parametrize(
    ("build", "small", "large"),
    [
        (chain, 100, 400),
        (branches, 40, 160),
        (products, 40, 160),
        (shortcuts, 40, 160),
        (joins, 20, 40),
        (steps, 10, 40),
    ],
)
def test_four_times_the_graph_costs_at_most_five_times_the_calls(
    build: Callable[[Any, int], Any], small: int, large: int
) -> None:
    first_step(
        build, small + 1
    )  # what is imported once; the code of equal kernels would be found again
    assert first_step(build, large) < 5 * first_step(build, small)
