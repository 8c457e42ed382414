"""Gradients in memory that other ranks read: the same bits, and no visible effects."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.distributed import world
from gluonic.distributed.shared_memory import PAGE, SharedMemory, share_memory
from gluonic.distributed.slots import Slots
from gluonic.gluon import nn
from gluonic.graph.versions import Watch, has_escaped, is_owner, mark_modified
from tests.distributed.ranks import APART, ranks

pytestmark = pytest.mark.skipif(APART, reason="ranks on different machines share no memory")

STEPS = 5


def is_shared(array: Any) -> bool:
    return isinstance(array.elements.base, SharedMemory)


def net_of(hybrid: bool) -> Any:
    mx.random.seed(7)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(300, "tanh", in_units=100), nn.Dense(200, in_units=300), nn.Dense(3))
    net.initialize(mx.init.Xavier())
    if hybrid:
        net.hybridize()
    net(nd.zeros((1, 100)))
    return net


def backward(net: Any, step: int) -> None:
    random = np.random.default_rng([world().group.rank, step])
    with autograd.record():
        loss = (net(nd.array(random.standard_normal((4, 100)))) ** 2).sum()
    loss.backward()


def gradients(net: Any) -> list[Any]:
    return [param.grad() for param in net.collect_params().values()]


def plain(net: Any, trainer: Any, step: int, kept: list[Any]) -> None:
    backward(net, step)
    trainer.step(8)


def with_views_of_gradients(net: Any, trainer: Any, step: int, kept: list[Any]) -> None:
    """Somebody holds views of gradients, from some step on."""
    if step >= world().group.rank + 1:
        kept.append(gradients(net)[step % 3].reshape(-1))
    plain(net, trainer, step, kept)


def with_other_gradients(net: Any, trainer: Any, step: int, kept: list[Any]) -> None:
    """Gradients become other arrays, while somebody holds the old ones."""
    if step == 3:
        kept += gradients(net)
        net.collect_params().setattr("grad_req", "null")
        net.collect_params().setattr("grad_req", "write")
    plain(net, trainer, step, kept)


def written_between(net: Any, trainer: Any, step: int, kept: list[Any]) -> None:
    """The program writes into gradients and weights, before and after a step."""
    backward(net, step)
    for gradient in gradients(net):
        gradient[:] *= 0.5
    trainer.step(8)
    for param in net.collect_params().values():
        param.grad()[:] = 0
        param.data()[:] *= 0.9


WAYS = (plain, with_views_of_gradients, with_other_gradients, written_between)


def learned(way: Callable[..., None], shared: bool, update: bool, hybrid: bool) -> Any:
    """The net, its weights and its gradients after some steps, and what was kept of these."""
    os.environ["GLUONIC_SHARED_SUMS"] = str(int(shared))
    net = net_of(hybrid)
    trainer = gluon.Trainer(
        net.collect_params(),
        "sgd",
        {"momentum": 0.9},
        kvstore="dist_sync",
        update_on_kvstore=update,
    )
    kept: list[Any] = []
    for step in range(STEPS):
        way(net, trainer, step, kept)
    weights = [param.data() for param in net.collect_params().values()]
    return net, [array.asnumpy() for array in (*weights, *gradients(net), *kept)]


@ranks(2)
def test_a_trainer_learns_the_same_bits_for_every_treatment_of_gradients() -> None:
    for way in WAYS:
        for hybrid in (True, False):
            for update in (True, False):
                _, expected = learned(way, False, update, hybrid)
                net, found = learned(way, True, update, hybrid)
                for one, other in zip(found, expected, strict=True):
                    assert (one == other).all(), (way.__name__, hybrid, update)
                if way is plain:
                    for gradient in gradients(net):
                        assert is_shared(gradient) == (gradient.elements.nbytes > 65536)
                for param in net.collect_params().values():
                    weight = param.data().asnumpy().tobytes().hex()
                    world().group.agree(weight, lambda: "weights, to the bit")


@ranks(2)
def test_writes_of_a_ranks_forked_child_are_not_seen_by_others() -> None:
    net, _ = learned(plain, True, True, True)
    before = [gradient.asnumpy() for gradient in gradients(net)]
    child = os.fork()
    if not child:
        for gradient in gradients(net):
            gradient[:] = 5
        os._exit(int(any((gradient.asnumpy() != 5).any() for gradient in gradients(net))))
    assert os.waitpid(child, 0)[1] == 0
    world().group.barrier()
    for gradient, known in zip(gradients(net), before, strict=True):
        assert (gradient.asnumpy() == known).all()


@ranks(2)
def test_memory_is_seen_by_all_ranks_and_never_more_than_there_is() -> None:
    group = world().group
    memory = share_memory(group, 4096)
    assert memory is not None
    everything = np.ndarray((2,), buffer=memory, offset=PAGE)
    everything[group.rank] = group.rank + 1
    group.barrier()
    assert everything.tolist() == [1, 2]
    assert share_memory(group, 1 << 60) is None


@ranks(1)
def test_a_slot_that_is_still_referenced_is_not_reused() -> None:
    memory = share_memory(world().group, 4096)
    assert memory is not None
    slots = Slots(memory)
    for slot in (0, 1):
        slots.add(slot, PAGE + 64 * slot, ((3,), np.dtype("f4")))
    held, other = slots.take(0), slots.take(1)
    assert held is not None
    assert other is not None
    assert slots.has(0, held)
    assert slots.are_free_for([[held], [other]])
    assert not slots.are_free_for([[held, held], [other]])
    watches = Watch([held]), Watch([other])
    versions = [watch.version for watch in watches]
    view = held[1:]
    assert [is_owner(array) for array in (held, view)] == [True, False]
    mark_modified(view)
    assert [w.version == v for w, v in zip(watches, versions, strict=True)] == [False, True]
    assert not has_escaped(view)
    del held
    assert slots.take(0) is None
    assert not slots.are_free_for([[np.zeros(3)], [other]])
    del view
    assert slots.are_free_for([[np.zeros(3)], [other]])
    assert slots.take(0) is not None
    assert slots.take(2) is None
