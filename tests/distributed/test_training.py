"""Training on several ranks computes the same as one process on the whole batch."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.distributed import world
from gluonic.gluon import nn
from tests.distributed.ranks import APART, ranks

BATCH, STEPS = 8, 4


def data() -> tuple[Any, Any]:
    random = np.random.default_rng(3)
    return random.standard_normal((BATCH, 1, 12, 12)).astype("float32"), np.arange(BATCH) % 3


def lenet() -> Any:
    mx.random.seed(7)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(
            nn.Conv2D(4, 3, activation="tanh"), nn.MaxPool2D(), nn.Dense(16, "tanh"), nn.Dense(3)
        )
    net.initialize(mx.init.Xavier())
    net.hybridize()
    return net


def trained(part: slice, store: Any, **options: Any) -> tuple[Any, list[float]]:
    """Weights and the losses of each step, of a part of the batch."""
    images, labels = (nd.array(array[part]) for array in data())
    net, loss = lenet(), gluon.loss.SoftmaxCrossEntropyLoss()
    net(images)
    trainer = gluon.Trainer(
        net.collect_params(), "adam", {"learning_rate": 0.01}, kvstore=store, **options
    )
    losses = []
    for _ in range(STEPS):
        with autograd.record():
            found = loss(net(images), labels)
        found.backward()
        trainer.step(BATCH)
        losses.append(found.sum().asscalar())
    return [p.data().asnumpy() for p in net.collect_params().values()], losses


@ranks(2, together=True)
def test_ranks_with_a_half_each_learn_what_one_process_learns() -> None:
    group = world().group
    half = slice(group.rank, None, 2)
    expected, losses = trained(slice(None), None)
    for update in (True, False, None):
        found, parts = trained(half, "dist_sync", update_on_kvstore=update)
        sums = sum(group.gather(np.array(parts), lambda: "losses"))
        np.testing.assert_allclose(sums, losses, rtol=1e-6)
        for weight, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(weight, other, rtol=1e-4, atol=1e-6)
            group.agree(weight.tobytes().hex(), lambda: "weights, to the bit")
    again, _ = trained(half, "dist_sync")
    assert all(
        (a == b).all() for a, b in zip(again, found, strict=True)
    )  # a second run, to the bit


@ranks(4)
def test_training_works_with_more_ranks_than_processors() -> None:
    group = world().group
    expected, losses = trained(slice(None), None)
    for store in ("dist_sync", "dist_sync_sharded"):
        found, parts = trained(slice(group.rank, None, group.size), store)
        sums = sum(group.gather(np.array(parts), lambda: "losses"))
        np.testing.assert_allclose(sums, losses, rtol=1e-6)
        for weight, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(weight, other, rtol=1e-4, atol=1e-6)
            group.agree(weight.tobytes().hex(), lambda: "weights, to the bit")


@ranks(2, together=True)
def test_a_store_of_horovods_kind_sums_up_what_each_rank_applies() -> None:
    group = world().group
    store = mx.kv.create("horovod")
    local = 0 if APART else group.rank
    assert (store.type, store.rank, store.local_rank) == ("horovod", group.rank, local)
    out = nd.zeros(2)
    for _ in range(2):
        store.broadcast("w", nd.ones(2) * (5 + group.rank), out=out)
        assert (out.asnumpy() == 5).all()
    values = nd.ones(3) * (1 + group.rank)
    store.pushpull("never seen", values)
    assert (values.asnumpy() == 3).all()
    with pytest.raises(NotImplementedError, match="has no set_optimizer"):
        store.set_optimizer(mx.optimizer.SGD())
    expected, _ = trained(slice(None), None)
    found, _ = trained(slice(group.rank, None, 2), "horovod")
    for weight, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(weight, other, rtol=1e-4, atol=1e-6)


@ranks(2, together=True)
def test_a_module_fits_with_the_store_of_its_arguments() -> None:
    rank = world().group.rank
    images, labels = data()
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    symbol = mx.sym.SoftmaxOutput(x, name="softmax")

    def fitted(part: slice, kvstore: Any, batch: int) -> Any:
        mx.random.seed(1)
        batches = mx.io.NDArrayIter(images[part].reshape(-1, 144), labels[part].astype("f4"), batch)
        module = mx.mod.Module(symbol, compression_params={"type": "none"})
        module.fit(
            batches,
            num_epoch=2,
            kvstore=kvstore,
            initializer=mx.init.Xavier(),
            optimizer_params={"learning_rate": 0.1},  # divided by what all ranks bring
        )
        return module.get_params()[0]["fc_weight"].asnumpy()

    half = fitted(slice(rank, None, 2), "dist_sync", BATCH // 2)
    np.testing.assert_allclose(half, fitted(slice(None), "local", BATCH), rtol=1e-5, atol=1e-7)


@ranks(2, together=True)
def test_a_trainer_follows_mxnets_rules_of_who_updates() -> None:
    store = mx.kv.create("dist_sync")

    def chosen(stype: str, gradient: str, update: bool | None) -> Any:
        params = gluon.ParameterDict()
        params.get("x", shape=(10, 1), stype=stype, grad_stype=gradient)
        params.initialize(ctx=[mx.cpu(0), mx.cpu(1)], init="zeros")
        trainer = gluon.Trainer(params, "sgd", kvstore=store, update_on_kvstore=update)
        trainer._init_kvstore()
        return trainer._update_on_kvstore

    assert chosen("default", "default", None) is True
    assert chosen("default", "default", False) is False
    assert chosen("default", "row_sparse", None) is True
    assert chosen("row_sparse", "row_sparse", None) is True
    for stype in ("default", "row_sparse"):
        with pytest.raises(ValueError, match="update_on_kvstore=False"):
            chosen(stype, "row_sparse", False)


@ranks(2, together=True)
def test_sparse_weights_are_pulled_by_rows_and_cannot_be_loaded_later() -> None:
    store = mx.kv.create("dist_sync")
    x = gluon.Parameter("x", shape=(2, 4), stype="row_sparse", grad_stype="row_sparse")
    x.initialize(init="ones")
    trainer = gluon.Trainer([x], "sgd", {"learning_rate": 1.0}, kvstore=store)
    rows = nd.arange(0, 2)
    with autograd.record():
        y = (store.rank + 1) * x.row_sparse_data(rows)
    y.backward()
    trainer.step(1)
    assert (x.row_sparse_data(rows).asnumpy() == 1 - 3).all()
    with pytest.raises(RuntimeError, match="Cannot reset distributed KVStore"):
        x.set_data(nd.ones((2, 4)).tostype("row_sparse"))
