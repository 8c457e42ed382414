"""``dist_sync_sharded``: training with divided optimizer states equals other training."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.distributed import world
from gluonic.gluon import nn
from tests.distributed.ranks import ranks, run_on_ranks

BATCH = 12


class Noting(mx.optimizer.Adam):
    """Adam that notes for which parameters it keeps states."""

    def __init__(self) -> None:
        super().__init__(learning_rate=0.01, lr_scheduler=mx.lr_scheduler.FactorScheduler(2, 0.5))
        self.kept: list[int] = []

    def create_state(self, index: Any, weight: Any) -> Any:
        self.kept.append(index)
        return super().create_state(index, weight)


def net_of(layers: int) -> Any:
    mx.random.seed(5)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        for _ in range(layers):
            net.add(nn.Dense(30, "tanh", in_units=30))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    return net


def trainer_of(net: Any, optimizer: Any, store: Any, **options: Any) -> Any:
    return gluon.Trainer(net.collect_params(), optimizer, kvstore=store, **options)


def trained(net: Any, trainer: Any, steps: range) -> list[float]:
    """The losses of the whole batch, of which this rank has a part."""
    group = world().group
    x = np.random.default_rng(1).standard_normal((BATCH, 30)).astype("f4")
    mine = nd.array(x[group.rank :: group.size])
    losses = []
    for _ in steps:
        with autograd.record():
            loss = (net(mine) ** 2).sum()
        loss.backward()
        trainer.step(BATCH)
        parts = group.gather(loss.asnumpy().reshape(1), lambda: "losses")
        losses.append(float(np.concatenate(parts).sum()))
    return losses


def weights(net: Any) -> list[Any]:
    return [param.data().asnumpy() for param in net.collect_params().values()]


@ranks(3)
def test_each_rank_keeps_a_share_of_the_states_and_all_learn_the_same() -> None:
    group = world().group
    for layers in (1, 4):  # with one layer a rank has nothing
        whole, shared = Noting(), Noting()
        plain, net = net_of(layers), net_of(layers)
        trained(plain, trainer_of(plain, whole, "dist_sync"), range(5))
        trainer = trainer_of(net, shared, "dist_sync_sharded")
        trained(net, trainer, range(5))
        for weight, expected in zip(weights(net), weights(plain), strict=True):
            assert (weight == expected).all()
        kept = group.gather(np.array(shared.kept, np.int64), lambda: "who keeps what")
        assert sorted(np.concatenate(kept)) == sorted(whole.kept)
        assert max(map(len, kept)) <= -(-2 * layers // 3) + 1
        assert trainer.learning_rate == whole.learning_rate  # also where nothing is updated


@ranks(2)
def test_states_are_where_the_store_updates() -> None:
    net = net_of(1)
    trainer = trainer_of(net, "adam", "dist_sync_sharded", update_on_kvstore=False)
    with pytest.raises(mx.MXNetError, match="update_on_kvstore=True"):
        trained(net, trainer, range(1))


def gone_on(folder: Path, store: str, first: int) -> None:
    """Train from the files of the first steps, if there are some, and save; with one process's losses."""
    group = world().group
    net, plain = net_of(3), net_of(3)
    trainer = trainer_of(net, "adam", store)
    states, parameters = str(folder / "states"), str(folder / "net.params")
    if first:
        net.load_parameters(parameters)
        trainer.load_states(states)
    found = trained(net, trainer, range(first, first + 3))
    trainer.save_states(states)
    if group.rank == 0:
        net.save_parameters(parameters)
    group.barrier()
    expected = trained(plain, trainer_of(plain, "adam", "dist_sync"), range(first + 3))
    np.testing.assert_allclose(found, expected[first:], rtol=1e-5)


def begins(own: Path) -> None:
    gone_on(own.parent, "dist_sync_sharded", 0)


def goes_on(own: Path) -> None:
    gone_on(own.parent, "dist_sync_sharded", 3)


def ends(own: Path) -> None:
    gone_on(own.parent, "dist_sync", 6)


def test_other_numbers_of_ranks_go_on_from_the_states_that_some_have_saved(tmp_path: Path) -> None:
    run_on_ranks(3, begins, tmp_path)
    run_on_ranks(2, goes_on, tmp_path)
    run_on_ranks(1, ends, tmp_path)
