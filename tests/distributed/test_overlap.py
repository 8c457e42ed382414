"""Sums that begin during backward equal those that begin afterwards, whatever the program does."""

import json
import os
from collections.abc import Callable
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import autograd, gluon, nd, profiler
from gluonic.distributed import world
from gluonic.gluon import nn
from tests.distributed.ranks import ranks

STEPS = 6


def net_of(hybrid: bool, grad_req: str = "write") -> Any:
    mx.random.seed(7)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(8, 3, activation="tanh", in_channels=1), nn.MaxPool2D())
        net.add(nn.Dense(300, "tanh", in_units=200), nn.Dense(200, in_units=300), nn.Dense(3))
    net.initialize(mx.init.Xavier())
    net.collect_params().setattr("grad_req", grad_req)
    if hybrid:
        net.hybridize()
    return net


def batch(step: int) -> Any:
    random = np.random.default_rng([world().group.rank, step])
    return nd.array(random.standard_normal((4, 1, 12, 12)))


def backward(net: Any, x: Any, scale: float = 1.0) -> None:
    with autograd.record():
        loss = (net(x) ** 2).sum() * scale
    loss.backward()


def gradients(net: Any) -> list[Any]:
    return [param.grad() for param in net.collect_params().values()]


def plain(net: Any, trainer: Any, step: int) -> None:
    backward(net, batch(step))
    trainer.step(8)


def clipped_before_the_step(net: Any, trainer: Any, step: int) -> None:
    backward(net, batch(step))
    gluon.utils.clip_global_norm(gradients(net), 0.1)
    trainer.step(8)


def edited_by_one_rank_now_and_then(net: Any, trainer: Any, step: int) -> None:
    backward(net, batch(step))
    if step % 2 == world().group.rank:
        gradients(net)[step % 6][:] *= 2
    trainer.step(8)


def several_backwards(net: Any, trainer: Any, step: int) -> None:
    for part in range(1 + step // 3):
        backward(net, batch(10 * step + part))
    trainer.step(8)


def accumulated(net: Any, trainer: Any, step: int) -> None:
    several_backwards(net, trainer, step)
    for gradient in gradients(net):
        gradient[:] = 0


def twice_in_one_graph(net: Any, trainer: Any, step: int) -> None:
    with autograd.record():
        loss = (net(batch(step)) * net(batch(step + 50))).sum()
    loss.backward()
    trainer.step(8)


def one_rank_differentiates_once_more(net: Any, trainer: Any, step: int) -> None:
    backward(net, batch(step))
    if world().group.rank == step % 3:
        backward(net, batch(step), 3.0)
    trainer.step(8)


def gradients_are_other_arrays(net: Any, trainer: Any, step: int) -> None:
    if step == 3:
        net.collect_params().setattr("grad_req", "null")
        net.collect_params().setattr("grad_req", "write")
    plain(net, trainer, step)


def learned(way: Callable[..., None], update: bool, hybrid: bool, early: bool) -> Any:
    """The weights after some steps, and what was overlapped in each."""
    os.environ["GLUONIC_OVERLAP"] = str(int(early))
    net = net_of(hybrid, "add" if way is accumulated else "write")
    net(batch(0))
    trainer = gluon.Trainer(
        net.collect_params(),
        "sgd",
        {"learning_rate": 0.01, "momentum": 0.9},
        kvstore="dist_sync",
        update_on_kvstore=update,
    )
    found = []
    for step in range(STEPS):
        way(net, trainer, step)
        found.append(trainer._kvstore.overlapped)
    return [param.data().asnumpy() for param in net.collect_params().values()], found


def check(*ways: Callable[..., None]) -> dict[Any, list[Any]]:
    """What was overlapped; the weights are the same to the bit."""
    overlapped = {}
    for way in ways:
        for hybrid in (True, False):
            for update in (True, False):
                expected, nothing = learned(way, update, hybrid, early=False)
                found, overlapped[way, hybrid, update] = learned(way, update, hybrid, early=True)
                assert not any(nothing)
                for weight, other in zip(found, expected, strict=True):
                    assert (weight == other).all(), (way.__name__, hybrid, update)
                    world().group.agree(weight.tobytes().hex(), lambda: "weights, to the bit")
    return overlapped


@ranks(2)
def test_all_gradients_are_on_their_way_before_the_step_asks_for_them() -> None:
    for (_, hybrid, update), found in check(plain).items():
        assert found[:2] == [None, None]  # in the first steps ranks learn the order
        for one in found[2:]:
            assert one.begun == one.all > 4 * 60000, (hybrid, update)
            assert one.again == 0


@ranks(2)
def test_values_written_after_backward_are_the_ones_summed() -> None:
    found = check(clipped_before_the_step, edited_by_one_rank_now_and_then)
    assert any(one.again for steps in found.values() for one in steps[2:])
    for update in (True, False):  # who always edits is not sent early any more
        assert found[clipped_before_the_step, True, update][-1].begun == 0


@ranks(2)
def test_several_backward_passes_before_a_step_are_distinguished() -> None:
    found = check(several_backwards, accumulated, one_rank_differentiates_once_more)
    for way in (several_backwards, accumulated):
        last = found[way, False, True][-1]
        assert last.begun == last.all > 0, way


@ranks(2)
def test_weights_that_are_read_twice_and_other_arrays_for_gradients() -> None:
    check(twice_in_one_graph, gradients_are_other_arrays)


@ranks(2, GLUONIC_OVERLAP="1")
def test_sums_that_have_begun_need_not_be_requested() -> None:
    net = net_of(hybrid=True)
    net(batch(0))
    trainer = gluon.Trainer(net.collect_params(), "sgd", kvstore="dist_sync")
    for step in range(3):
        plain(net, trainer, step)
    backward(net, batch(3))
    del trainer  # what is on its way goes to memory that is still there
    kept = [np.zeros(50000) for _ in range(100)]
    world().group.barrier()
    assert not any(array.any() for array in kept)
    other = gluon.Trainer(net.collect_params(), "sgd", kvstore="dist_sync")
    for step in range(3):
        plain(net, other, step)
    backward(net, batch(3))  # the program ends without a step


@ranks(2)
def test_ranks_that_differ_in_what_they_allow_sum_up_afterwards() -> None:
    rank = world().group.rank
    found, overlapped = learned(plain, update=True, hybrid=True, early=bool(rank))
    expected, _ = learned(plain, update=True, hybrid=True, early=False)
    assert not any(overlapped)
    assert all((a == b).all() for a, b in zip(found, expected, strict=True))


@ranks(2, GLUONIC_OVERLAP="1")
def test_gradients_that_are_compressed_are_not_sent_early() -> None:
    net = net_of(hybrid=True)
    net(batch(0))
    trainer = gluon.Trainer(
        net.collect_params(), "sgd", kvstore="dist_sync", compression_params={"type": "fp16"}
    )
    for step in range(4):
        plain(net, trainer, step)
    assert trainer._kvstore.overlapped is None


@ranks(2, GLUONIC_OVERLAP="1")
def test_the_profiler_shows_what_was_on_its_way_during_backward() -> None:
    profiler.set_config(aggregate_stats=True)
    net = net_of(hybrid=True)
    net(batch(0))
    store = mx.kv.create("dist_sync")
    trainer = gluon.Trainer(net.collect_params(), "sgd", kvstore=store)
    for step in range(3):
        profiler.set_state("run" if step == 2 else "stop")
        plain(net, trainer, step)
    profiler.set_state("stop")
    times = json.loads(profiler.dumps(format="json"))["Time"]
    assert times["communication"]["sums during backward"]["Count"] == 1
    assert times["communication"]["wait for sums"]["Count"] == 1
    assert times["operator"]  # the steps between which gradients are handed over
    assert "0.5 of 0.5 MB sent during backward" in str(store.overlapped)


@ranks(2, GLUONIC_OVERLAP="1")
def test_a_forked_child_of_a_rank_sends_nothing() -> None:
    net = net_of(hybrid=True)
    net(batch(0))
    store = mx.kv.create("dist_sync")
    trainer = gluon.Trainer(net.collect_params(), "sgd", kvstore=store)
    for step in range(4):
        x, child = batch(step), os.fork()
        if not child:
            backward(net, x, 5.0)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        plain(net, trainer, step)
    assert store.overlapped.begun == store.overlapped.all
    for param in net.collect_params().values():
        world().group.agree(param.data().asnumpy().tobytes().hex(), lambda: "weights")


def explained(settings: str) -> tuple[Any, Any]:
    """What `explain` returns for a net after three steps with a store, and without training."""
    os.environ["GLUONIC_OVERLAP"] = settings
    net = net_of(hybrid=True)
    net.hybridize(compile_at_once=True)
    net(batch(0))
    trainer = gluon.Trainer(net.collect_params(), "sgd", kvstore="dist_sync")
    for step in range(3):
        plain(net, trainer, step)
    predicting = net.explain(batch(0))
    with autograd.train_mode():
        return net.explain(batch(0)), predicting


@ranks(2)
def test_explain_lists_the_sums_that_began_during_backward() -> None:
    training, predicting = explained("1")
    (found,) = training.gradient_sums
    names = list(net_of(hybrid=False).collect_params())
    assert sorted(found.during) == sorted(names)
    assert found.during[-1] in names[:2]  # the first layer's come last
    assert found.afterwards == ()
    assert found.overlapped.begun == found.overlapped.all > 0
    text = str(training)
    assert "those of 8 of 8 gradients began during backward" in text
    assert "0.5 of 0.5 MB sent during backward" in text
    assert ", ".join(found.during) in text
    assert predicting.gradient_sums == ()
    assert explained("0")[0].gradient_sums == ()


@ranks(1, GLUONIC_OVERLAP="1")
def test_one_rank_has_no_sums_to_explain() -> None:
    training, _ = explained("1")
    assert training.gradient_sums == ()
    assert "sums over ranks" not in str(training)
