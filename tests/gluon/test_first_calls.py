"""The first calls of a hybridized net run operator by operator, later ones as machine code."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.codegen import warm_up
from gluonic.gluon import nn
from gluonic.gluon.replay import EagerReplay, replay_of
from tests.compile_budget import lift_budget

_FEW = 3


@pytest.fixture(autouse=True)
def mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few first calls be interpreted."""
    monkeypatch.delenv("GLUONIC_EXECUTOR", raising=False)
    monkeypatch.setattr(warm_up, "MOST_CALLS", _FEW)
    lift_budget(monkeypatch)


def _net() -> Any:
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.BatchNorm(), nn.Dropout(0.5), nn.Dense(3))
    net.initialize(mx.init.Xavier())
    return net


def _trained(hybridize: Callable[[Any], None], steps: int = 2 * _FEW) -> list[Any]:
    """Losses of steps, then the parameters."""
    mx.random.seed(1)
    net = _net()
    hybridize(net)
    data = np.random.default_rng(0).standard_normal((6, 5)).astype("f4")
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})
    found = []
    for step in range(steps):
        with autograd.record():
            loss = (net(nd.array(data + step)) ** 2).mean()
        loss.backward()
        trainer.step(1)
        found.append(loss.asnumpy())
    found += [p.data().asnumpy() for p in net.collect_params().values()]
    return [*found, net(nd.array(data)).asnumpy()]


def test_training_agrees_whichever_calls_are_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = _trained(lambda net: net.hybridize())
    at_once = _trained(lambda net: net.hybridize(compile_at_once=True))
    monkeypatch.setenv("GLUONIC_EXECUTOR", "interpret")
    interpreted = _trained(lambda net: net.hybridize())
    for one, two, three in zip(mixed, at_once, interpreted, strict=True):
        np.testing.assert_allclose(one, three, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(two, three, rtol=1e-4, atol=1e-5)


def test_training_twice_gives_the_same_bits() -> None:
    for one, two in zip(*(_trained(lambda net: net.hybridize()) for _ in range(2)), strict=True):
        np.testing.assert_array_equal(one, two)


def test_the_first_call_compiles_if_that_is_requested() -> None:
    net = _net()
    net.hybridize(compile_at_once=True)
    net(nd.ones((2, 5)))
    assert net.cache_info().specializations == 1
    assert net.cache_info().interpreted == 0


@pytest.mark.parametrize("flags", [{}, {"static_alloc": True, "static_shape": True}])
def test_other_nets_are_compiled_after_some_calls_in_each_mode(flags: dict[str, bool]) -> None:
    """MXNet's flags are no request to wait: libraries set them for every net."""
    net, x = _net(), nd.ones((2, 5))
    net.hybridize(**flags)
    for _ in range(_FEW):
        net(x)
    assert net.cache_info().specializations == 0
    assert net.cache_info().interpreted == _FEW
    net(x)
    assert net.cache_info().specializations == 1
    with autograd.record():
        net(x).backward()
    assert net.cache_info().interpreted == _FEW + 2  # forward and backward
    assert net.cache_info().seconds > 0
    assert net.cache_info().specializations == 1


def test_an_explained_net_is_compiled() -> None:
    net, x = _net(), nd.ones((2, 5))
    net.hybridize()
    net(x)
    assert net.explain(x).steps
    net(x)
    assert net.cache_info().interpreted == 1
    assert net.cache_info().hits == 1


def test_calls_are_replayed_once_they_are_compiled() -> None:
    net, x = _net(), nd.ones((2, 5))
    net.hybridize()
    found = [net(x).asnumpy() for _ in range(_FEW + 3)]
    assert replay_of(net) is not None
    hits = net.cache_info().hits
    found.append(net(x).asnumpy())
    assert net.cache_info().hits == hits + 1
    for one in found:
        np.testing.assert_allclose(one, found[0], rtol=1e-5, atol=1e-6)


def test_new_parameters_are_seen_by_interpreted_and_compiled_calls() -> None:
    net, x = _net(), nd.ones((2, 5))
    net.hybridize()
    for _ in range(2 * _FEW):
        before = net(x)
        bias = net[-1].bias
        bias.set_data(bias.data() + 1)
        np.testing.assert_allclose(net(x).asnumpy(), (before + 1).asnumpy(), rtol=1e-4, atol=1e-5)


def test_errors_name_the_line_of_interpreted_calls_too() -> None:
    net = _net()
    net.hybridize()
    net(nd.ones((2, 5)))
    with pytest.raises(mx.MXNetError, match="dense"):
        net(nd.ones((2, 4)))


class Doubled(mx.operator.CustomOp):
    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.assign(out_data[0], req[0], in_data[0] * 2)


@mx.operator.register("first_calls_doubled")
class DoubledProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> Doubled:
        return Doubled()


def test_a_net_that_python_runs_is_called_operator_by_operator_in_the_end() -> None:
    net = nn.HybridLambda(lambda F, x: F.Custom(x, op_type="first_calls_doubled"))
    net.hybridize()
    for _ in range(2 * _FEW):
        np.testing.assert_array_equal(net(nd.ones(3)).asnumpy(), [2, 2, 2])
    assert isinstance(replay_of(net), EagerReplay)


def test_bodies_of_loops_agree_whether_they_are_interpreted_or_compiled() -> None:
    def scan(F: Any, x: Any) -> Any:
        outputs, _ = F.contrib.foreach(
            lambda row, s: (F.tanh(row + s[0]), [s[0] * 0.5 + row]),
            x,
            [F.zeros_like(F.sum(x, axis=0))],
        )
        return outputs

    x = nd.array(np.random.default_rng(0).standard_normal((5, 4)))
    plain = nn.HybridLambda(scan)(x).asnumpy()
    net = nn.HybridLambda(scan)
    net.hybridize()
    for _ in range(2 * _FEW):
        np.testing.assert_allclose(net(x).asnumpy(), plain, rtol=1e-6)
