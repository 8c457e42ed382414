"""Blocks have MXNet's names, parts and ways of being shown, collected, shared and walked."""

import inspect
import warnings
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn
from tests.measured import blocks
from tests.measured.measure import agrees, numbers, read

MEASURED = read("blocks")


@pytest.mark.filterwarnings("ignore:.*no operator reads")
@pytest.mark.parametrize("case", [case for case in blocks.CASES if case != "errors"])
def test_a_block_is_that_of_mxnet(case: str) -> None:
    found = numbers(blocks.run(mx, case))
    for what, measured in MEASURED[case].items():
        assert agrees(found[what], measured), what


def test_what_mxnet_refuses_is_refused_with_an_error_of_its_kinds() -> None:
    found = blocks.run(mx, "errors")
    for what, kinds in MEASURED["errors"].items():
        assert set(kinds) <= set(found[what]), what


def test_names_are_counted_for_each_thread_by_itself() -> None:
    from threading import Thread

    found: list[str] = []

    def build() -> None:
        found.append(nn.HybridSequential().prefix)

    for _ in range(2):
        thread = Thread(target=build)
        thread.start()
        thread.join()
    assert found == ["hybridsequential0_"] * 2


def test_an_error_within_a_scope_leaves_it() -> None:
    with mx.name.NameManager():
        net = nn.Sequential(prefix="net_")
        with pytest.raises(KeyError), net.name_scope():
            raise KeyError
        assert nn.Dense(1).prefix == "dense0_"


def test_children_are_registered_replaced_and_found_by_name() -> None:
    net = nn.Sequential()
    net.one = nn.Dense(2, in_units=2)
    net.register_child(nn.Dense(3, in_units=2), "two")
    net.one = nn.Dense(4, in_units=2)
    shapes = {n: p.shape for n, p in net._collect_params_with_prefix().items()}
    assert shapes == {
        "one.weight": (4, 2), "one.bias": (4,), "two.weight": (3, 2), "two.bias": (3,),
    }  # fmt: skip


def test_making_further_blocks_of_a_kind_reads_no_signature(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nn.Dense(2, prefix="first_")
    monkeypatch.setattr(inspect, "signature", pytest.fail)
    assert nn.Dense(3, prefix="second_").prefix == "second_"


def test_a_block_used_twice_has_its_parameters_once() -> None:
    dense = nn.Dense(2, in_units=2)
    net = nn.HybridSequential()
    net.add(dense, dense)
    assert len(net.collect_params()) == 2
    net.initialize(mx.init.One())
    assert net(nd.ones((1, 2))).asnumpy().tolist() == [[4, 4]]


def test_blocks_in_plain_lists_cause_a_warning() -> None:
    class Listed(gluon.Block):
        def __init__(self) -> None:
            super().__init__()
            self.layers = {"all": [nn.Dense(2), (nn.Dense(2),)]}

    with pytest.warns(UserWarning, match="Listed.layers holds blocks that are not registered"):
        assert not list(Listed().collect_params())


def test_registered_blocks_may_also_be_in_a_list() -> None:
    class Both(gluon.Block):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [nn.Dense(2), nn.Dense(2)]
            for layer in self.layers:
                self.register_child(layer)

    assert len(Both().collect_params()) == 4


@pytest.mark.parametrize("hybridize", [False, True])
def test_shared_parameters_are_one_array_with_one_gradient(hybridize: bool) -> None:
    net = nn.HybridSequential()
    with net.name_scope():
        first = nn.Dense(3, in_units=3, use_bias=False)
        net.add(first, nn.Dense(3, in_units=3, use_bias=False, params=first.params))
    net.initialize(mx.init.Constant(0.5))
    net.hybridize(hybridize)
    with autograd.record():
        y = net(nd.ones((1, 3)))
    y.backward()
    assert net[0].weight is net[1].weight
    assert y.asnumpy().tolist() == [[2.25] * 3]
    # d/dw of w(wx): through the outer use 1.5, through the inner one 1.5
    assert net[0].weight.grad().asnumpy().tolist() == [[3] * 3] * 3


@pytest.mark.parametrize("dtype", ["float16", "float64"])
@pytest.mark.parametrize("hybridize", [False, True])
def test_cast_changes_parameters_gradients_and_results(dtype: str, hybridize: bool) -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(3), nn.LayerNorm(), nn.Dense(2))
    net.initialize()
    net.hybridize(hybridize)
    net(nd.ones((1, 4)))
    net.cast(dtype)
    with autograd.record():
        y = net(nd.ones((1, 4), dtype=dtype))
    y.backward()
    assert y.dtype == np.dtype(dtype)
    for parameter in net.collect_params().values():
        assert parameter.data().dtype == parameter.grad().dtype == np.dtype(dtype)


def test_a_net_may_be_cast_before_its_shapes_are_known() -> None:
    net = nn.Dense(2)
    net.cast("float64")
    net.initialize()
    assert net(nd.ones((1, 3), dtype="float64")).dtype == np.float64
    assert net.weight.data().dtype == np.float64


def test_hooks_run_in_order_and_can_be_removed() -> None:
    net, called = nn.Dense(1, in_units=1), list[str]()
    net.initialize()
    handles = [
        net.register_forward_pre_hook(lambda block, inputs: called.append("before 1")),
        net.register_forward_pre_hook(lambda block, inputs: called.append("before 2")),
        net.register_forward_hook(lambda block, inputs, output: called.append("after")),
    ]
    net(nd.ones((1, 1)))
    assert called == ["before 1", "before 2", "after"]
    for handle in handles:
        handle.detach()
        handle.detach()
    net(nd.ones((1, 1)))
    assert len(called) == 3
    with net.register_forward_hook(lambda block, inputs, output: called.append("within")):
        net(nd.ones((1, 1)))
    net(nd.ones((1, 1)))
    assert called[3:] == ["within"]


def test_a_hook_may_remove_itself() -> None:
    net, called = nn.Dense(1, in_units=1), list[int]()
    net.initialize()

    def once(block: Any, inputs: Any, output: Any) -> None:
        called.append(1)
        handle.detach()

    handle = net.register_forward_hook(once)
    for _ in range(3):
        net(nd.ones((1, 1)))
    assert called == [1]


def three_deep() -> Any:
    net, inner = nn.HybridSequential(prefix="outer_"), nn.HybridSequential(prefix="inner_")
    inner.add(nn.Dense(2, in_units=2, prefix="deep_"), nn.Activation("relu"))
    net.add(nn.Dense(2, in_units=2, prefix="first_"), inner)
    net.initialize(mx.init.One())
    return net


@pytest.mark.usefixtures("compiled_at_once")
def test_hooks_of_a_hybridized_net_itself_cost_nothing() -> None:
    net, called = three_deep(), list[Any]()
    net.hybridize()
    net(nd.ones((1, 2)))
    net.register_forward_hook(lambda block, inputs, output: called.append(output.shape))
    net.register_forward_pre_hook(lambda block, inputs: called.append(len(inputs)))
    for _ in range(2):
        net(nd.ones((1, 2)))
    assert called == [1, (1, 2)] * 2
    assert net.cache_info().hits == 2


@pytest.mark.usefixtures("compiled_at_once")
@pytest.mark.parametrize("first", ["hook", "hybridize", "call"])
def test_hooks_of_parts_run_in_hybridized_nets_with_arrays(first: str) -> None:
    net, seen = three_deep(), list[Any]()
    x = nd.ones((1, 2))
    if first != "hook":
        net.hybridize()
    if first == "call":
        net(x)
    handle = net[1][0].register_forward_hook(
        lambda block, inputs, y: seen.append(y.asnumpy().tolist())
    )
    if first == "hook":
        net.hybridize()
    with pytest.warns(
        UserWarning, match="deep has forward hooks.* outer calls its parts one by one"
    ):
        net(x)
    with autograd.record():
        y = net(x)
    y.backward()
    assert net.cache_info().bindings == 0
    assert seen == [[[4, 4]]] * 2
    assert net[0].weight.grad().asnumpy().tolist() == [[2, 2]] * 2
    handle.detach()
    assert net(x).asnumpy().tolist() == [[4, 4]]
    assert net.cache_info().bindings == 1
    assert len(seen) == 2


def test_hooks_are_not_run_by_tracing() -> None:
    net, kinds = three_deep(), list[str]()
    net.register_forward_hook(lambda block, inputs, y: kinds.append(type(y).__name__))
    net[0].register_forward_hook(lambda block, inputs, y: kinds.append(type(y).__name__))
    net.infer_shape(nd.ones((1, 2)))
    assert kinds == []
    net(mx.sym.var("x"))
    assert kinds == ["Symbol", "Symbol"]


def test_apply_visits_children_first_and_returns_the_block() -> None:
    net = nn.Sequential()
    net.add(nn.Dense(1), nn.Sequential())
    net[1].add(nn.Dropout(0.1))
    visited: list[Any] = []
    assert net.apply(visited.append) is net
    assert visited == [net[0], net[1][0], net[1], net]


def test_a_plain_block_runs_python_on_every_call() -> None:
    class Steps(gluon.Block):
        def __init__(self) -> None:
            super().__init__()
            self.dense = nn.Dense(2, in_units=2)

        def forward(self, x: Any, steps: int) -> Any:
            for _ in range(steps):
                x = self.dense(x)
            return x

    net = Steps()
    net.initialize(mx.init.One())
    net.hybridize()
    assert [net(nd.ones((1, 2)), n).asnumpy().max() for n in (0, 1, 3)] == [1, 2, 8]


def test_unused_parameters_and_inputs_are_reported_once_when_hybridized() -> None:
    class Idle(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__(prefix="idle_")
            self.used = self.params.get("used", shape=(1,))
            self.unused = self.params.get("unused", shape=(1,))

        def hybrid_forward(self, F: Any, x: Any, y: Any, used: Any, unused: Any) -> Any:
            return x * used

    net = Idle()
    net.initialize()
    net.hybridize()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        net(nd.ones((1,)), nd.ones((1,)))
        net(nd.ones((1,)), nd.ones((1,)))
    assert [str(w.message).partition(";")[0] for w in caught] == [
        "idle: no operator reads input 1",
        "idle: no operator reads the parameter idle_unused",
    ]
    assert {w.filename for w in caught} == {__file__}
