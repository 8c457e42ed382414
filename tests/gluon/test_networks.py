"""`net.network(x)`: the traced graph for networkx, with the block's own knowledge of its variables."""

from __future__ import annotations

from typing import Any

import networkx
import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic import symbol as sym
from gluonic.gluon import nn
from gluonic.gluon.model_zoo import vision


def again(net: Any, *inputs: Any) -> tuple[Any, gluon.SymbolBlock]:
    """The net's network, and a block made of it with the same parameters."""
    network = net.network(*inputs)
    names = [name for name, role in network.nodes(data="role") if role == "input"]
    symbol = sym.from_network(network)
    assert symbol.tojson() == net._cached_graph[1].tojson()
    variables = [type(symbol)([sym.var(name).entries[0]]) for name in names]
    return network, gluon.SymbolBlock(symbol, variables, params=net.collect_params())


FAMILIES = {
    "resnet18_v1": 32,
    "resnet18_v2": 32,
    "vgg11_bn": 32,
    "densenet121": 224,
    "alexnet": 224,
    "squeezenet1.1": 224,
    "inceptionv3": 299,
    "mobilenet0.25": 32,
    "mobilenetv2_0.25": 32,
}


@pytest.mark.parametrize("name", FAMILIES)
def test_a_net_of_each_family_gives_the_same_bits_after_a_round_trip(name: str) -> None:
    mx.random.seed(1)
    net = vision.get_model(name, classes=5)
    net.initialize(mx.init.Xavier())
    x = nd.random.normal(shape=(1, 3, FAMILIES[name], FAMILIES[name]))
    network, made = again(net, x)
    assert networkx.is_directed_acyclic_graph(network)
    for block in (net, made):
        block.hybridize(compile_at_once=True)
    assert net(x).asnumpy().tobytes() == made(x).asnumpy().tobytes()


def test_roles_shapes_and_dtypes_are_the_blocks() -> None:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3), nn.BatchNorm(), nn.Dense(2))
    net.initialize()
    net.cast("float16")
    network = net.network(nd.ones((2, 3, 8, 8), dtype="float16"))
    roles = dict(network.nodes(data="role"))
    assert roles["data"] == "input"
    assert roles["net_conv0_weight"] == "parameter"
    assert roles["net_batchnorm0_running_mean"] == "state"
    assert roles["net_conv0_fwd"] is None
    data = network.nodes["net_conv0_weight"]
    assert (data["shapes"], data["dtypes"]) == (((4, 3, 3, 3),), ("float16",))
    assert network.nodes["net_batchnorm0_fwd"]["shapes"][:2] == ((2, 4, 6, 6), (4,))
    assert network.nodes["net_batchnorm0_fwd"]["dtypes"][:2] == ("float16", "float32")
    assert network.nodes["net_dense0_fwd"]["block"].endswith("/net_dense0")


class TwoInputs(gluon.HybridBlock):
    """Its inputs and outputs are nested, a parameter has an unusual name, a child is called network."""

    def __init__(self) -> None:
        super().__init__(prefix="two_")
        with self.name_scope():
            self.scale = self.params.get("scale", shape=(1,), init="ones")
            self.dense = nn.Dense(3, prefix="dense_")

    def hybrid_forward(self, F: Any, x: Any, others: Any, scale: Any) -> Any:
        first, second = others
        return self.dense(x), [F.broadcast_mul(first, scale) + second]


def test_nested_inputs_are_named_and_deferred_parameters_get_their_shapes() -> None:
    net = TwoInputs()
    net.initialize()
    one = nd.ones((2, 4))
    network = net.network(one, [one, one])
    roles = dict(network.nodes(data="role"))
    assert [name for name in roles if roles[name] == "input"] == ["data0", "data1", "data2"]
    assert roles["two_scale"] == "parameter"
    assert net.dense.weight.shape == (3, 4)
    assert len(network.graph["outputs"]) == 2
    __, line, function = network.nodes["two_dense_fwd"]["location"]
    assert (function, line > 0) == ("hybrid_forward", True)


def test_without_inputs_the_network_is_that_of_the_latest_call() -> None:
    net = nn.Dense(2, prefix="fc_")
    net.initialize()
    assert net.network().nodes["data"]["shapes"] in (None, (None,))
    net.hybridize()
    net(nd.ones((3, 4)))
    assert list(net.network()) == ["data", "fc_weight", "fc_bias", "fc_fwd"]


class Holder(gluon.HybridBlock):
    """A child has the name of the method, as in many programs."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.network = nn.Dense(2)  # type: ignore[method-assign]

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.network(x)


def test_programs_may_call_a_child_network() -> None:
    net = Holder()
    net.initialize()
    eager = net(nd.ones((1, 3)))
    net.hybridize(compile_at_once=True)
    assert np.allclose(net(nd.ones((1, 3))).asnumpy(), eager.asnumpy())
    assert next(iter(gluon.HybridBlock.network(net, nd.ones((1, 3))))) == "data"


def test_a_net_of_numpys_arrays_comes_back_with_numpys_results() -> None:
    with mx.util.np_shape(True), mx.util.np_array(True):
        net = nn.Dense(2, prefix="fc_")
        net.initialize()
        x = mx.np.ones((3, 4))
        network, made = again(net, x)
        assert network.graph["numpy"]
        assert type(made(x)) is mx.np.ndarray
        assert (made(x).asnumpy() == net(x).asnumpy()).all()


def test_dropout_draws_the_same_numbers_after_a_round_trip() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dropout(0.5), nn.Dense(3), nn.Dropout(0.5))
    net.initialize()
    x = nd.ones((4, 5))
    _, made = again(net, x)
    found = []
    for block in (net, made):
        block.hybridize(compile_at_once=True)
        mx.random.seed(5)
        with autograd.train_mode():
            found.append(block(x).asnumpy().tobytes())
    assert found[0] == found[1]
