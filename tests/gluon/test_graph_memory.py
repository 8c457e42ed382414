"""Graphs take hardly more memory than eager calls: nets and executors, interpreted and compiled."""

from collections.abc import Callable
from typing import Any

import pytest

import gluonic as mx
from gluonic import gluon, nd
from gluonic.gluon.model_zoo import vision
from tests.gluon.graph_peaks import MOST, forward_peaks, run_by, traced_peak, training_peaks

STEPS = 100
SHAPE = (256, 256)
Step = Callable[[Any, Any, Any, Any, float], Any]


def _equal_terms(F: Any, a: Any, b: Any, s: Any, i: float) -> Any:
    return F.tanh(a + b) / 10 + s


def _other_terms(F: Any, a: Any, b: Any, s: Any, i: float) -> Any:
    return F.tanh(a + b * i) / 10 + s


class _Chain(gluon.HybridBlock):
    def __init__(self, step: Step) -> None:
        super().__init__()
        self._step = step

    def hybrid_forward(self, F: Any, a: Any, b: Any, s: Any) -> Any:
        return _chain(F, self._step, a, b, s)


def _chain(F: Any, step: Step, a: Any, b: Any, s: Any) -> Any:
    for i in range(STEPS):
        s = step(F, a, b, s, 2 + i / STEPS)
    return s


def _arrays() -> list[Any]:
    return [nd.random.normal(shape=SHAPE) for _ in range(3)]


every_chain = pytest.mark.parametrize("step", [_equal_terms, _other_terms])


@every_chain
def test_a_chain_of_sums_takes_no_more_than_eagerly(step: Step) -> None:
    arrays, net = _arrays(), _Chain(step)
    eager = traced_peak(lambda: net(*arrays).wait_to_read())
    with run_by("interpret"):
        net.hybridize()
        net(*arrays)
        interpreted = traced_peak(lambda: net(*arrays).wait_to_read())
    assert interpreted <= MOST * eager


@every_chain
def test_a_compiled_chain_of_sums_takes_no_more_than_eagerly(step: Step) -> None:
    peaks = forward_peaks(_Chain(step), *_arrays())
    assert peaks.compiled <= MOST * peaks.eager


@every_chain
@pytest.mark.parametrize("saved", [False, True])
def test_an_executor_of_a_chain_of_sums_takes_no_more_than_eager_calls(
    step: Step, saved: bool
) -> None:
    arrays, net = _arrays(), _Chain(step)
    eager = traced_peak(lambda: net(*arrays).wait_to_read())
    symbol = _chain(mx.sym, step, *map(mx.sym.var, "abs"))
    if saved:
        symbol = mx.sym.load_json(symbol.tojson())
    with run_by("interpret"):
        executor = symbol.bind(mx.cpu(), dict(zip("abs", arrays, strict=True)), grad_req="null")
        executor.forward()
        interpreted = traced_peak(lambda: executor.forward()[0].wait_to_read())
    assert interpreted <= MOST * eager


@every_chain
def test_the_order_changes_no_bit(step: Step) -> None:
    arrays, net = _arrays(), _Chain(step)
    eager = net(*arrays).asnumpy()
    with run_by("interpret"):
        net.hybridize()
        assert (net(*arrays).asnumpy() == eager).all()


@every_chain
def test_training_a_chain_of_sums_takes_no_more_than_eagerly(step: Step) -> None:
    arrays = _arrays()
    for array in arrays:
        array.attach_grad()
    peaks = training_peaks(lambda: _Chain(step), *arrays)
    assert peaks.worst <= MOST


@pytest.mark.parametrize("name", ["squeezenet1.1", "mobilenet0.5", "resnet18_v2"])
def test_nets_of_the_model_zoo_take_hardly_more_as_graphs(name: str) -> None:
    net = vision.get_model(name)
    net.initialize()
    assert forward_peaks(net, nd.ones((5, 3, 224, 224))).worst <= MOST
