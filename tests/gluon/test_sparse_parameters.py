"""Parameters that are row_sparse, or whose gradients are."""

import pickle
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn
from gluonic.gluon.contrib.nn import SparseEmbedding


def trained(
    net: Any, hybridize: bool, optimizer: str = "adam", steps: int = 3, **settings: Any
) -> Any:
    """The parameters after some steps on few rows of a table."""
    mx.random.seed(3)
    net.initialize(mx.init.Uniform(), force_reinit=True)
    if hybridize:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), optimizer, settings)
    for step in range(steps):
        with autograd.record():
            loss = (net(nd.array([[1, 5], [7 + step, 1]])) ** 2).sum()
        loss.backward()
        trainer.step(2)
    return net


def nets(sparse: bool) -> Any:
    net = nn.HybridSequential(prefix="net_")
    net.add(
        nn.Embedding(40, 4, sparse_grad=sparse, prefix="e_"),
        nn.Dense(3, activation="tanh", prefix="a_"),
        nn.Dense(2, prefix="b_"),
    )
    return net


@pytest.mark.parametrize("hybridize", [False, True])
def test_a_table_with_sparse_gradients_is_trained_as_a_dense_one(hybridize: bool) -> None:
    sparse, dense = (trained(nets(kind), hybridize, "sgd") for kind in (True, False))
    for ours, plain in zip(
        sparse.collect_params().values(), dense.collect_params().values(), strict=True
    ):
        assert np.allclose(ours.data().asnumpy(), plain.data().asnumpy(), atol=1e-6)
    gradient = sparse[0].weight.grad()
    assert gradient.stype == "row_sparse"
    assert gradient.indices.asnumpy().tolist() == [1, 5, 9]


@pytest.mark.parametrize("of_all", [False, True])
def test_gradients_are_set_to_zero_as_they_are_stored(of_all: bool) -> None:
    net = trained(nets(True), False)
    (net.collect_params() if of_all else net[0].weight).zero_grad()
    gradient = net[0].weight.grad()
    assert gradient.stype == "row_sparse"
    assert gradient.indices.shape == (0,)
    assert not gradient.asnumpy().any()


def test_lazy_updates_leave_the_other_rows_alone() -> None:
    net = trained(nets(True), True, "adam", wd=0.1)
    before = trained(nets(True), False, "adam", steps=0, wd=0.1)
    moved = (net[0].weight.data().asnumpy() != before[0].weight.data().asnumpy()).any(axis=1)
    assert np.flatnonzero(moved).tolist() == [1, 5, 7, 8, 9]


@pytest.mark.parametrize("contexts", [[mx.cpu(0)], [mx.cpu(0), mx.cpu(1)]])
def test_a_row_sparse_table_is_trained_on_the_store(contexts: Any) -> None:
    layer = SparseEmbedding(10, 3)
    layer.initialize(mx.init.One(), ctx=contexts)
    trainer = gluon.Trainer(layer.collect_params(), "sgd", {"learning_rate": 1.0})
    xs = gluon.utils.split_and_load(nd.array([[3, 4], [2, 3]]), contexts)
    with autograd.record():
        outputs = [layer(x) for x in xs]
    autograd.backward(outputs)
    assert layer.weight.grad(contexts[0]).stype == "row_sparse"
    trainer.step(1)
    rows = layer.weight.row_sparse_data(nd.arange(10))
    assert rows.stype == "row_sparse"
    assert rows.asnumpy()[:, 0].tolist() == [1, 1, 0, -1, 0, 1, 1, 1, 1, 1]
    assert layer.weight.row_sparse_data(nd.array([3, 3])).indices.asnumpy().tolist() == [3]
    assert repr(layer) == "SparseEmbedding(10 -> 3, float32)"


def test_a_row_sparse_parameter_is_saved_and_loaded(tmp_path: Any) -> None:
    layer = SparseEmbedding(6, 2, prefix="table_")
    layer.initialize(mx.init.Uniform())
    gluon.Trainer(layer.collect_params(), "sgd")
    before = layer.weight.row_sparse_data(nd.arange(6)).asnumpy()
    file = str(tmp_path / "table.params")
    layer.save_parameters(file)
    assert [x.stype for x in nd.load(file).values()] == ["row_sparse"]
    other = SparseEmbedding(6, 2, prefix="table_")
    other.load_parameters(file)
    gluon.Trainer(other.collect_params(), "sgd")
    assert (other.weight.row_sparse_data(nd.arange(6)).asnumpy() == before).all()


def test_operations_that_need_all_rows_of_a_row_sparse_value_are_refused() -> None:
    p = gluon.Parameter("weight", shape=(4, 2), stype="row_sparse", grad_stype="row_sparse")
    p.initialize()
    for use in (p.data, p.list_data, lambda: p.row_sparse_data(nd.arange(4))):
        with pytest.raises(RuntimeError, match="weight"):
            use()
    gluon.Trainer([p], "sgd")
    with pytest.raises(TypeError, match="row_id"):
        p.row_sparse_data([1, 2])  # type: ignore[arg-type]
    with pytest.raises(mx.MXNetError, match="rows 0 to 9"):
        p.row_sparse_data(nd.array([0, 9]))
    with pytest.raises(RuntimeError, match="another one"):
        gluon.Trainer([p], "sgd")
    dense = gluon.Parameter("dense", shape=(4, 2))
    dense.initialize()
    with pytest.raises(RuntimeError, match="not row_sparse"):
        dense.row_sparse_data(nd.arange(4))


def test_a_store_must_update_sparse_weights() -> None:
    layer = SparseEmbedding(6, 2)
    layer.initialize()
    trainer = gluon.Trainer(layer.collect_params(), "sgd", update_on_kvstore=False)
    with pytest.raises(ValueError, match="update_on_kvstore"):
        layer(nd.array([1]))
    assert not trainer._kv_initialized


def test_gradients_of_several_contexts_are_summed_up_sparsely() -> None:
    contexts = [mx.cpu(0), mx.cpu(1)]
    net = nn.Embedding(10, 2, sparse_grad=True)
    net.initialize(mx.init.One(), ctx=contexts)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})
    with autograd.record():
        outputs = [net(x) for x in gluon.utils.split_and_load(nd.array([1, 2, 2, 7]), contexts)]
    autograd.backward(outputs)
    trainer.step(1)
    for ctx in contexts:
        assert net.weight.data(ctx).asnumpy()[:, 0].tolist() == [1, 0, -1, 1, 1, 1, 1, 0, 1, 1]
        assert net.weight.grad(ctx).indices.asnumpy().tolist() == [1, 2, 7]


def test_gradients_are_set_to_zero_cast_and_pickled() -> None:
    net = trained(nets(True), False, steps=1)
    weight = net[0].weight
    copy = pickle.loads(pickle.dumps(weight))
    assert copy.grad().stype == "row_sparse"
    weight.zero_grad()
    assert weight.grad().asnumpy().sum() == 0
    assert weight.grad().indices.shape == (0,)
    weight.cast("float64")
    assert (weight.grad().stype, weight.grad().dtype) == ("row_sparse", np.float64)


def test_a_hybrid_block_of_dense_parameters_takes_sparse_batches() -> None:
    class Product(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.weight = self.params.get(
                "weight", shape=(3, 2), grad_stype="row_sparse", init="ones"
            )

        def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
            return F.sparse.dot(x, weight)

    x = nd.array([[0, 2, 0], [0, 1, 0]])
    for hybridize in (False, True):
        net = Product()
        net.initialize()
        if hybridize:
            net.hybridize()
            assert net(x).asnumpy().tolist() == [[2, 2], [1, 1]]
        for _ in range(3):
            with autograd.record():
                y = net(x.tostype("csr"))
            y.backward()
        assert y.asnumpy().tolist() == [[2, 2], [1, 1]]
        assert net.weight.grad().indices.asnumpy().tolist() == [1]


def test_rows_may_first_be_asked_for_while_recording() -> None:
    class Net(gluon.Block):
        def __init__(self) -> None:
            super().__init__()
            self.table = SparseEmbedding(4, 3)
            self.dense = nn.Dense(2)

        def forward(self, x: Any) -> Any:
            return self.dense(self.table(x))

    net = Net()
    net.initialize(mx.init.One())
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1})
    with autograd.record():
        y = net(nd.array([0, 2, 1, 2]))
    y.backward()
    trainer.step(1)
    assert net.table.weight.row_sparse_data(nd.arange(4)).asnumpy()[:, 0].tolist() == [
        -1,
        -1,
        -3,
        1,
    ]
