"""Blocks of MXNet 2.0: `forward` traced, parameters named by their places, files."""

from pathlib import Path
from typing import Any

import numpy
import pytest
from scipy import special

import gluonic
import gluonic.mxnet2 as mx
from gluonic.graph.errors import MXNetError
from gluonic.mxnet2 import autograd, gluon, np, npx
from gluonic.mxnet2.gluon import nn


class Rows(gluon.HybridBlock):
    """Uses the shape of its input, an array of its own, a parameter and a layer."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = gluon.Parameter("weight", shape=(5, 3), init="ones")
        self.layer = nn.Dense(3)
        self.shift = np.array([1.0, 2.0, 3.0])

    def forward(self, x: Any) -> Any:
        """Sum the rows one by one."""
        product = np.dot(x, self.weight.data())
        for i in range(x.shape[0]):
            product = product + x[i].sum()
        return npx.relu(self.layer(product) + self.shift) / len(x)


def both(net: Any, *inputs: Any) -> tuple[Any, Any]:
    """The outputs of a net, eager and hybridized."""
    net.hybridize(False)
    eager = net(*inputs)
    net.hybridize()
    return eager.asnumpy(), net(*inputs).asnumpy()


def test_a_traced_forward_computes_what_it_computes_eagerly_for_each_shape() -> None:
    net = Rows()
    net.initialize()
    for rows in (2, 4, 2):
        eager, traced = both(net, np.ones((rows, 5)))
        numpy.testing.assert_allclose(traced, eager, rtol=1e-6)
    net.hybridize()
    outputs = [net(np.ones((rows, 5))) for rows in (2, 4, 2)]
    assert [y.shape for y in outputs] == [(2, 3), (4, 3), (2, 3)]
    numpy.testing.assert_array_equal(outputs[0].asnumpy(), outputs[2].asnumpy())


def test_parameters_of_a_traced_forward_are_trained() -> None:
    net = Rows()
    net.initialize()
    x = np.random.uniform(size=(2, 5))
    gradients = []
    for is_hybrid in (False, True):
        net.hybridize(is_hybrid)
        with autograd.record():
            loss = (net(x) ** 2).sum()
        loss.backward()
        gradients.append({n: p.grad().asnumpy() for n, p in net.collect_params().items()})
    assert gradients[0].keys() == {"weight", "layer.weight", "layer.bias"}
    for name, gradient in gradients[0].items():
        numpy.testing.assert_allclose(gradients[1][name], gradient, rtol=1e-5)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})
    before = net.weight.data().asnumpy()
    trainer.step(1)
    assert (net.weight.data().asnumpy() != before).any()


def test_random_numbers_differ_from_call_to_call_of_a_traced_forward() -> None:
    class Noise(gluon.HybridBlock):
        def forward(self, x: Any) -> Any:
            return x + np.random.normal(size=x.shape)

    net = Noise()
    net.hybridize()
    x = np.zeros((4,))
    assert (net(x) != net(x)).all()


def test_a_forward_that_asks_for_elements_is_refused_with_the_way_out() -> None:
    class Chooses(gluon.HybridBlock):
        def forward(self, x: Any) -> Any:
            return x if x.sum() > 0 else -x

    net = Chooses()
    assert net(np.array([-1.0])).item() == 1
    net.hybridize()
    with pytest.raises(MXNetError, match=r"npx\.cond"):
        net(np.array([-1.0]))


def test_shared_parameters_are_one_object() -> None:
    first, second = nn.HybridSequential(), nn.HybridSequential()
    for net in (first, second):
        net.add(nn.Dense(4, in_units=3), nn.Dense(2, in_units=4))
    second.share_parameters(first.collect_params())
    first.initialize()
    x = np.ones((1, 3))
    for is_hybrid in (False, True):
        second.hybridize(is_hybrid)
        numpy.testing.assert_array_equal(second(x).asnumpy(), first(x).asnumpy())
    assert second.collect_params()["1.bias"] is first[1].bias


def test_a_parameter_of_two_places_is_updated_once() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(3, in_units=3), nn.Dense(3, in_units=3))
    net[1].share_parameters(net[0].collect_params())
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(".*bias"), "sgd", {"learning_rate": 1.0})
    before = net[0].bias.data().asnumpy()
    with autograd.record():
        loss = (net[0].bias.data() + net[1].bias.data()).sum()
    loss.backward()
    trainer.step(1)
    numpy.testing.assert_allclose(net[1].bias.data().asnumpy(), before - 2)


def test_a_traced_array_is_not_copied_where_a_program_calls_what_can_be_called() -> None:
    class Calls(gluon.HybridBlock):
        def forward(self, x: Any) -> Any:
            y = x + 1
            return y() if callable(y) else y

    net = Calls()
    net.hybridize()
    assert net(np.array([1.0])).item() == 2


def test_exported_files_name_parameters_by_place_and_load_again(tmp_path: Path) -> None:
    net = Rows()
    net.initialize()
    net.hybridize()
    x = np.random.uniform(size=(2, 5))
    expected = net(x).asnumpy()
    files = net.export(str(tmp_path / "net"))
    again = gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    numpy.testing.assert_array_equal(again(x).asnumpy(), expected)
    assert {"weight", "layer.weight", "layer.bias"} <= again.collect_params().keys()
    net.save_parameters(str(tmp_path / "net.params"))
    other = Rows()
    other.load_parameters(str(tmp_path / "net.params"), device=mx.cpu())
    numpy.testing.assert_allclose(other(x).asnumpy(), expected, rtol=1e-6)


def test_blocks_of_mxnet_1_become_those_of_2_in_a_net() -> None:
    net = nn.HybridSequential()
    net.add(gluonic.gluon.nn.Dense(2, in_units=3))
    net.initialize(device=mx.cpu())
    assert isinstance(net[0], gluon.HybridBlock)
    assert list(net.collect_params()) == ["0.weight", "0.bias"]
    eager, traced = both(net, np.ones((1, 3)))
    numpy.testing.assert_allclose(traced, eager, rtol=1e-6)


def test_networks_of_the_zoo_have_names_by_place() -> None:
    net = gluon.model_zoo.vision.squeezenet1_0(classes=3)
    assert isinstance(net, gluon.HybridBlock)
    assert all("." in name for name in net.collect_params())


@pytest.mark.parametrize("approximation", ["erf", "tanh"])
def test_both_forms_of_gelu_are_near_the_function(approximation: str) -> None:
    x = numpy.linspace(-3, 3, 7).astype("float32")
    layer = nn.GELU(approximation=approximation)
    expected = x * (1 + special.erf(x / 2**0.5)) / 2
    for values in both(layer, np.array(x)):
        numpy.testing.assert_allclose(values, expected, atol=1e-3)


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_recurrent_layers_and_cells_compute_the_same_eager_and_traced(kind: str) -> None:
    x = np.random.uniform(size=(2, 3, 4))
    layer = getattr(gluon.rnn, kind)(5, layout="NTC")
    layer.initialize()
    eager, traced = both(layer, x)
    assert eager.shape == (2, 3, 5)
    numpy.testing.assert_allclose(traced, eager, rtol=1e-5, atol=1e-6)
    cell = gluon.rnn.HybridSequentialRNNCell()
    cell.add(getattr(gluon.rnn, f"{kind}Cell")(5))
    cell.add(gluon.rnn.ResidualCell(getattr(gluon.rnn, f"{kind}Cell")(5)))
    cell.initialize()
    results = []
    for is_hybrid in (False, True):
        cell.hybridize(is_hybrid)
        outputs, _ = cell.unroll(3, x, layout="NTC", merge_outputs=True)
        results.append(outputs.asnumpy())
    assert results[0].shape == (2, 3, 5)
    numpy.testing.assert_allclose(results[1], results[0], rtol=1e-5, atol=1e-6)
