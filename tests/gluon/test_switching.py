"""The cost of switching a compiled net to training, frozen, cast or profiled: the functions compiled."""

from typing import Any

import pytest

from gluonic import autograd, nd, profiler
from gluonic.gluon import nn


def _net() -> Any:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3, padding=1, activation="relu"), nn.BatchNorm(), nn.Dropout(0.5))
    net.add(nn.Dense(7, activation="tanh"), nn.Dense(3))
    net.initialize()
    net.hybridize(compile_at_once=True)
    return net


@pytest.fixture
def net() -> Any:
    return _net()


@pytest.fixture
def x() -> Any:
    return nd.ones((4, 3, 9, 9))


def _step(net: Any, x: Any) -> None:
    with autograd.record():
        loss = net(x).sum()
    loss.backward()


def _made(net: Any) -> tuple[int, int]:
    """How many specializations and functions have been made."""
    info = net.cache_info()
    return info.specializations, info.functions


def _freeze(net: Any, grad_req: str) -> None:
    net[0].collect_params().setattr("grad_req", grad_req)


def test_predicting_and_training_in_turn_compile_each_once(net: Any, x: Any) -> None:
    net(x)
    _step(net, x)
    made = _made(net)
    for _ in range(3):
        net(x)
        _step(net, x)
    assert _made(net) == made
    assert net.cache_info().misses == 3  # to predict, forward, backward


def test_a_training_step_shares_functions_with_what_predicts(net: Any, x: Any) -> None:
    net(x)
    before = net.cache_info().shared_functions
    _step(net, x)
    assert net.cache_info().shared_functions > before


def test_freezing_compiles_little_and_only_the_first_time(net: Any, x: Any) -> None:
    _step(net, x)
    _, trained = _made(net)
    _freeze(net, "null")
    _step(net, x)
    frozen = _made(net)
    assert frozen[1] - trained <= 4  # of thirty
    for grad_req in ("write", "null"):
        _freeze(net, grad_req)
        _step(net, x)
    assert _made(net) == frozen


def test_a_net_that_is_cast_and_cast_back_finds_its_code(net: Any, x: Any) -> None:
    twin = _net()  # holds the code while the other net has none for this dtype
    for each in (net, twin):
        each(x)
        _step(each, x)
    net.cast("float64")
    _step(net, x.astype("float64"))
    net.cast("float32")
    net(x)
    _step(net, x)
    assert _made(net) == (3, 0)


def test_profiling_a_compiled_net_compiles_none_of_its_functions(
    net: Any, x: Any, tmp_path: Any
) -> None:
    net(x)
    _step(net, x)
    made, hits = _made(net), net.cache_info().hits
    with profiler.profile(str(tmp_path / "trace.json")):
        net(x)
        _step(net, x)
    assert _made(net) == made
    assert net.cache_info().hits == hits + 3
