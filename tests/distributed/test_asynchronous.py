"""``dist_async``: pushes are applied as they arrive, and no rank waits."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn
from tests.distributed.ranks import ranks

SHAPES = {"first": (3,), "second": (40, 50), "third": ()}


def made(**options: Any) -> Any:
    store = mx.kv.create("dist_async")
    if options:
        store.set_gradient_compression(options)
    store.init(list(SHAPES), [nd.ones(shape) * (store.rank + 1) for shape in SHAPES.values()])
    return store


def pulled(store: Any, key: str) -> Any:
    out = nd.zeros(SHAPES[key])
    store.pull(key, out=out)
    return out.asnumpy()


@ranks(3)
def test_every_push_is_applied_once_and_a_rank_sees_its_own_at_once() -> None:
    store = made()
    assert (store.type, store.num_workers) == ("dist_async", 3)
    with pytest.raises(mx.MXNetError, match="no optimizer to apply it"):
        store.push("first", nd.ones(3))
    store.set_optimizer(mx.optimizer.create("test", rescale_grad=1))
    least = 1
    for _ in range(20):
        for key, shape in SHAPES.items():
            store.push(key, nd.ones(shape) * (store.rank + 1))
        least += store.rank + 1
        for key in SHAPES:
            assert (pulled(store, key) >= least).all()
    store._barrier()
    for key in SHAPES:
        assert (pulled(store, key) == 1 + 20 * (1 + 2 + 3)).all()


@ranks(2, together=True)
def test_ranks_may_push_different_keys_in_different_orders() -> None:
    store = made()
    store.set_optimizer(mx.optimizer.create("test", rescale_grad=1))
    keys = list(SHAPES)[:: 1 - 2 * store.rank]
    for key in keys[: 3 - store.rank]:  # rank 1 pushes two of them
        store.push(key, nd.ones(SHAPES[key]))
    store._barrier()
    assert [pulled(store, key).max() for key in SHAPES] == [2, 3, 3]


@ranks(2, together=True)
def test_rows_and_two_bits_travel_too() -> None:
    store = mx.kv.create("dist_async")
    store.init("rows", nd.ones((4, 2)).tostype("row_sparse"))
    store.init("other", nd.ones((4, 2)).tostype("row_sparse"))
    store.set_optimizer(mx.optimizer.create("test", rescale_grad=1))
    for key in ("rows", "other"):
        gradient = nd.zeros((4, 2))
        gradient[store.rank] = 2
        store.push(key, gradient.tostype("row_sparse"))
    store._barrier()
    for key in ("rows", "other"):
        out = nd.sparse.zeros("row_sparse", (4, 2))
        store.row_sparse_pull(key, out=out, row_ids=nd.array([3, 1, 1]))
        assert out.asnumpy()[:, 0].tolist() == [0, 3, 0, 1]
    store = made(type="2bit", threshold=0.5)
    store.set_optimizer(mx.optimizer.create("test", rescale_grad=1))
    for value in (0.3, 0.3):
        store.push("second", nd.ones(SHAPES["second"]) * value)
    store._barrier()
    assert (pulled(store, "second") == 2).all()


@ranks(2, together=True)
def test_states_of_all_owners_are_saved_and_loaded(tmp_path: Path) -> None:
    file = str(tmp_path / "states")

    def learning() -> Any:
        store = made()
        store.set_optimizer(mx.optimizer.SGD(learning_rate=1, momentum=0.5))
        return store

    def push(store: Any) -> None:
        for key, shape in SHAPES.items():
            if store.rank == 0:
                store.push(key, nd.ones(shape))
        store._barrier()

    store, again = learning(), learning()
    push(store)
    store.save_optimizer_states(file)
    again.load_optimizer_states(file)
    push(again)
    for key in SHAPES:  # 1 - 1.5: the second store's first step has the first one's momentum
        assert (pulled(again, key) == -0.5).all()


@ranks(2, together=True)
def test_a_trainer_learns_with_the_store() -> None:
    store = mx.kv.create("dist_async")
    random = np.random.default_rng(store.rank)
    mx.random.seed(1)
    net = nn.Dense(1, in_units=3)
    net.initialize()
    with pytest.raises(ValueError, match="update_on_kvstore=True when training in async mode"):
        gluon.Trainer(
            net.collect_params(), "sgd", kvstore=store, update_on_kvstore=False
        )._init_kvstore()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, kvstore=store)
    for _ in range(200):
        x = random.standard_normal((8, 3)).astype("f4")
        with autograd.record():
            loss = (net(nd.array(x)) - nd.array(x @ [[1], [-2], [0.5]] + 0.25)) ** 2
        loss.backward()
        trainer.step(8)
        last = loss.mean().asscalar()
    assert last < 1e-2
