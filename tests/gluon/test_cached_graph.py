"""Members of hybrid blocks that begin with an underscore, as programs written for MXNet use them."""

import copy
import pickle
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn
from gluonic.graph.errors import CallError, NotThereError
from tests.measured import graphs, measure

MEASURED = measure.read("graphs")
X = nd.array(np.linspace(-1, 1, 8).reshape(2, 4))


@pytest.mark.parametrize("case", MEASURED)
def test_a_program_sees_the_graph_that_mxnet_shows(case: str) -> None:
    found = measure.found(mx, graphs.cases(mx)[case])
    assert measure.agrees(found, MEASURED[case]), found


def made(kind: type[nn.Dense] = nn.Dense, **flags: Any) -> Any:
    net = kind(2, in_units=4)
    net.initialize(mx.init.One())
    net.hybridize(**flags)
    return net


class Logged(nn.Dense):
    """A layer that notes which of MXNet's methods it is asked by."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.calls: list[str] = []

    def _call_cached_op(self, *args: Any) -> Any:
        self.calls.append("call")
        return super()._call_cached_op(*args) + 1

    def _build_cache(self, *args: Any) -> None:
        self.calls.append("build")
        super()._build_cache(*args)

    def _clear_cached_op(self) -> None:
        if "calls" in self.__dict__:
            self.calls.append("clear")
        super()._clear_cached_op()


def test_overridden_methods_are_called_every_time() -> None:
    net = made(Logged)
    for _ in range(4):
        assert (net(X) == nn_output(X) + 1).asnumpy().all()
    assert net.calls == ["call", "build", *["call"] * 3]
    net.cast("float32")
    assert net.calls[-1] == "clear"


def nn_output(x: nd.NDArray) -> Any:
    return nd.dot(x, nd.ones((4, 2)))


@pytest.mark.parametrize("name", ["_call_cached_op", "forward"])
def test_a_method_set_on_an_instance_is_called_from_then_on(name: str) -> None:
    net = made()
    for _ in range(4):
        net(X)
    own = getattr(net, name)
    setattr(net, name, lambda *args: own(*args) * 10)
    for _ in range(3):
        assert np.allclose(net(X).asnumpy(), 10 * nn_output(X).asnumpy())


@pytest.mark.parametrize("name", ["_call_cached_op", "forward"])
def test_a_method_replaced_in_the_class_is_called_by_nets_made_since(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    own = getattr(gluon.HybridBlock, name)

    def noted(self: Any, *args: Any) -> Any:
        calls.append(self)
        return own(self, *args)

    monkeypatch.setattr(gluon.HybridBlock, name, noted)
    net = made()
    for _ in range(4):
        net(X)
    assert len(calls) == 4


class Scaled(nn.Dense):
    """A layer whose graph has one operator more than `hybrid_forward` computes."""

    def _get_graph(self, *args: Any) -> Any:
        inputs, output = super()._get_graph(*args)
        return inputs, output * 3


@pytest.mark.filterwarnings("ignore:.*no operator reads")
def test_an_overridden_graph_is_what_is_compiled_in_all_modes() -> None:
    net = made(Scaled)
    for _ in range(3):
        assert np.allclose(net(X).asnumpy(), 3 * nn_output(X).asnumpy())
    for _ in range(3):
        with autograd.record():
            y = net(X)
        assert np.allclose(y.asnumpy(), 3 * nn_output(X).asnumpy())
    y.backward()
    assert np.allclose(net.bias.grad().asnumpy(), [6, 6])
    assert "_mulscalar" in net._cached_graph[1].list_outputs()[0]


class Wide(gluon.HybridBlock):
    """A weight whose shape does not follow from its operator; the block knows it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(0, 3), allow_deferred_init=True)

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        return F.dot(x, weight)

    def infer_shape(self, x: Any, *args: Any) -> None:
        self.weight.shape = (x.shape[1], 3)


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("name", ["infer_shape", "_deferred_infer_shape"])
def test_a_block_may_complete_its_shapes_itself(hybridize: bool, name: str) -> None:
    methods = {"infer_shape": gluon.HybridBlock.infer_shape, name: Wide.infer_shape}
    net = type("Mine", (Wide,), methods)()
    net.initialize()
    if hybridize:
        net.hybridize()
    assert net(X).shape == (2, 3)
    assert net.weight.shape == (4, 3)


def test_clearing_the_graph_by_assignment_traces_again() -> None:
    class Factor(gluon.HybridBlock):
        factor = 2.0

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return x * self.factor

    net = Factor()
    net.hybridize()
    for name, empty in (("_cached_graph", ()), ("_cached_op", None), ("_cached_op_args", [])):
        for _ in range(3):
            net(X)
        net.factor += 1
        setattr(net, name, empty)
        assert np.allclose(net(X).asnumpy(), net.factor * X.asnumpy())


def test_activity_can_be_assigned() -> None:
    net = made()
    for _ in range(3):
        net(X)
    net._active = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(net), "hybrid_forward", lambda self, F, x, *_, **__: x * 7)
        assert np.allclose(net(X).asnumpy(), 7 * X.asnumpy())
    net._active = True
    assert np.allclose(net(X).asnumpy(), nn_output(X).asnumpy())


def test_attributes_that_can_only_be_cleared_refuse_other_values() -> None:
    net = made()
    with pytest.raises(NotThereError, match="_cached_op can be emptied"):
        net._cached_op = object()
    with pytest.raises(NotThereError, match="_cached_op_args can be emptied"):
        net._cached_op_args = [(True, 0)]
    net(X)
    with pytest.raises(CallError, match="a format for 2 outputs does not fit a graph of 1"):
        net._out_format = [0, 0]
    assert np.allclose(net(X).asnumpy(), nn_output(X).asnumpy())


def test_hooks_can_be_removed_through_their_dictionary() -> None:
    net, calls = made(), []
    for empty in (
        lambda: net._forward_hooks.clear(),
        lambda: net._forward_hooks.popitem(),
        lambda: net._forward_hooks.pop(next(iter(net._forward_hooks))),
        lambda: setattr(net, "_forward_hooks", OrderedDict()),
    ):
        net.register_forward_hook(lambda *_: calls.append(1))
        for _ in range(3):
            net(X)
        assert len(calls) == 3
        empty()
        calls.clear()
        for _ in range(3):
            net(X)
        assert not calls
    net._forward_hooks[7] = lambda *_: calls.append(1)
    net(X)
    assert calls


@pytest.mark.filterwarnings("ignore:.*no operator reads")
def test_a_graph_from_elsewhere_survives_copies() -> None:
    net = made()
    data = mx.sym.var("x")
    weight = mx.sym.var(net.weight.name)
    net._cached_graph = [data], mx.sym.dot(data, weight, transpose_b=True) * 5
    for one in (net, copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert np.allclose(one(X).asnumpy(), 5 * nn_output(X).asnumpy())


def test_a_block_of_symbols_moves_to_another_context() -> None:
    data = mx.sym.var("data")
    net = gluon.SymbolBlock(mx.sym.FullyConnected(data, num_hidden=2), data)
    net.initialize(mx.init.One())
    expected = net(X)
    net.reset_ctx(mx.cpu(1))
    assert [p.list_ctx() for p in net.collect_params().values()] == [[mx.cpu(1)]] * 2
    moved = net(X.as_in_context(mx.cpu(1)))
    assert moved.context == mx.cpu(1)
    assert np.array_equal(moved.asnumpy(), expected.asnumpy())


def test_unregistered_children_are_looked_for_by_a_method_that_can_be_overridden() -> None:
    class Holder(gluon.Block):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.layers = [nn.Dense(1)]

        def _check_container_with_block(self) -> None:
            """All is well."""

    assert len(Holder().collect_params()) == 0
