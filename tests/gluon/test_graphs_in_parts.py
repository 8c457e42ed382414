"""Hybridized nets with sparse inputs or gradients run in parts, of which the dense ones are compiled."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn

CSR = nd.array((np.random.default_rng(2).uniform(size=(60, 40)) < 0.2) * 1.0).tostype("csr")
WORDS = nd.array(np.random.default_rng(1).integers(0, 50, (60, 3)))


class Machine(gluon.HybridBlock):
    """A factorization machine, and two layers on it."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            rows: dict[str, Any] = {"grad_stype": "row_sparse", "init": mx.init.Normal(0.1)}
            self.vectors = self.params.get("vectors", shape=(40, 4), **rows)
            self.layers = nn.HybridSequential()
            self.layers.add(nn.Dense(16, activation="tanh", in_units=4), nn.Dense(3, in_units=16))

    def hybrid_forward(self, F: Any, x: Any, vectors: Any) -> Any:
        pairs = F.square(F.sparse.dot(x, vectors))
        return self.layers(pairs - F.sparse.dot(F.sparse.square(x), F.square(vectors)))


class Tied(gluon.HybridBlock):
    """A table that is looked up, and multiplied with."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.table = nn.Embedding(50, 8, sparse_grad=True)
            self.layer = nn.Dense(8, activation="tanh", flatten=False, in_units=8)
            self.table_again = self.params.get("again", shape=(50, 8), init=mx.init.Normal(0.1))

    def hybrid_forward(self, F: Any, x: Any, table_again: Any) -> Any:
        return F.dot(self.layer(self.table(x)), table_again, transpose_b=True)


def words(drop: float = 0.0) -> nn.HybridSequential:
    net = nn.HybridSequential()
    table = nn.Embedding(50, 8, sparse_grad=True)
    net.add(table, nn.Dense(16, activation="tanh", in_units=24), nn.Dropout(drop))
    net.add(nn.BatchNorm(in_channels=16), nn.Dense(4, in_units=16))
    return net


NETS: dict[str, tuple[Any, nd.NDArray]] = {
    "machine": (Machine, CSR),
    "tied": (Tied, WORDS),
    "words": (words, WORDS),
    "words that are dropped": (lambda: words(0.5), WORDS),
}


def trained(name: str, *, hybridize: bool) -> tuple[list[float], dict[str, Any], gluon.HybridBlock]:
    """Losses of steps, the parameters after them, and the net."""
    make, x = NETS[name]
    mx.random.seed(3)
    np.random.seed(3)
    net = make()
    net.initialize(mx.init.Normal(0.1))
    if hybridize:
        net.hybridize(compile_at_once=True)  # the first call compiles
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    losses = []
    for _ in range(4):
        with autograd.record():
            loss = nd.square(net(x) - 1).sum()
        loss.backward()
        trainer.step(60)
        losses.append(float(loss.asscalar()))
    values = [p.data().asnumpy() for p in net.collect_params().values()]
    return losses, {"values": values, "output": net(x).asnumpy()}, net


@pytest.mark.parametrize("name", NETS)
def test_a_hybridized_net_trains_as_it_does_eagerly(name: str) -> None:
    losses, expected, _ = trained(name, hybridize=False)
    found_losses, found, net = trained(name, hybridize=True)
    np.testing.assert_allclose(found_losses, losses, rtol=1e-4)
    np.testing.assert_allclose(found["output"], expected["output"], rtol=1e-3, atol=1e-5)
    for ours, theirs in zip(found["values"], expected["values"], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)
    kinds = {p.grad().stype for p in net.collect_params().values() if p.grad_req != "null"}
    assert kinds == {"row_sparse", "default"}
    assert net.cache_info().hits > 0


def test_the_dense_parts_are_compiled() -> None:
    net = nn.HybridSequential()
    net.add(nn.Embedding(50, 64, sparse_grad=True), nn.Dense(256, activation="tanh"), nn.Dense(4))
    net.initialize()
    net.hybridize(compile_at_once=True)
    x = nd.array(np.arange(600).reshape(200, 3) % 50)
    for _ in range(4):
        with autograd.record():
            y = net(x)
        y.backward()
    assert net.cache_info().specializations > 0


def test_blocks_with_hooks_run_one_by_one() -> None:
    net, seen = words(), []
    net.initialize()
    net.hybridize()
    net(WORDS)
    net[1].register_forward_hook(lambda block, inputs, output: seen.append(output.shape))
    with pytest.warns(UserWarning, match="one by one"):
        net(WORDS)
    assert seen == [(60, 16)]


def test_csr_inputs_of_a_net_without_sparse_parameters_are_not_made_dense() -> None:
    class Net(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.weight = self.params.get("weight", shape=(40, 5), init=mx.init.One())

        def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
            return F.tanh(F.sparse.dot(x, weight) * 0.01) + 1

    net = Net()
    net.initialize()
    net.hybridize()
    dense = net(CSR.tostype("default")).asnumpy()
    for _ in range(3):
        np.testing.assert_allclose(net(CSR).asnumpy(), dense, rtol=1e-5)


class Neighbours(gluon.HybridBlock):
    """A layer on a graph, whose edges are a parameter."""

    def __init__(self, edges: nd.NDArray) -> None:
        super().__init__()
        with self.name_scope():
            kind = {"stype": edges.stype, "grad_req": "null", "init": mx.init.Zero()}
            self.edges = self.params.get("edges", shape=edges.shape, **kind)
            self.weight = self.params.get("weight", shape=(8, 4))
        self.initialize(mx.init.Xavier())
        self.edges.set_data(edges)

    def hybrid_forward(self, F: Any, x: Any, edges: Any, weight: Any) -> Any:
        return F.dot(edges, F.tanh(F.dot(F.dot(edges, x), weight) + 0.1)) * 0.5 - 1


def test_a_csr_parameter_is_read_as_it_is_stored_by_a_net_whose_dense_parts_are_compiled(
    recwarn: pytest.WarningsRecorder,
) -> None:
    edges = nd.array((np.random.default_rng(2).uniform(size=(60, 60)) < 0.1) * 1.0)
    x = nd.array(np.random.default_rng(0).normal(size=(60, 8)))
    results = []
    for kind, hybridize in (("default", False), ("csr", False), ("csr", True)):
        mx.random.seed(1)
        net = Neighbours(edges.tostype(kind))
        if hybridize:
            net.hybridize(compile_at_once=True)
        trained_ones = [p for p in net.collect_params().values() if p.grad_req != "null"]
        trainer = gluon.Trainer(trained_ones, "adam", {"learning_rate": 0.1})
        losses = []
        for _ in range(4):
            with autograd.record():
                loss = nd.square(net(x) - 1).sum()
            loss.backward()
            trainer.step(1)
            losses.append(float(loss.asscalar()))
        assert net.edges.data().stype == kind
        results.append(losses)
    assert net.cache_info().specializations > 0
    for losses in results[1:]:
        np.testing.assert_allclose(losses, results[0], rtol=1e-4)
    assert not [w for w in recwarn if "fallback" in str(w.message)]


def test_a_row_sparse_parameter_is_refused_hybridized_as_it_is_eagerly() -> None:
    class Net(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.weight = self.params.get("weight", shape=(40, 5), stype="row_sparse")

        def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
            return F.sparse.dot(x, weight)

    for hybridize in (False, True):
        net = Net()
        net.initialize()
        if hybridize:
            net.hybridize()
        with pytest.raises(RuntimeError, match=r"weight.*row_sparse"):
            net(CSR)
