"""Sums that begin during a module's backward equal those that begin afterwards."""

import os
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import nd, sym
from gluonic.distributed import world
from gluonic.io import DataBatch, DataDesc, NDArrayIter
from tests.distributed.ranks import ranks

STEPS = 5


def classifier() -> Any:
    hidden = sym.FullyConnected(sym.var("data"), num_hidden=300, name="first")
    hidden = sym.FullyConnected(sym.tanh(hidden), num_hidden=200, name="second")
    scores = sym.FullyConnected(sym.relu(hidden), num_hidden=5, name="last")
    return sym.SoftmaxOutput(scores, sym.var("softmax_label"), name="softmax")


def by_length(length: int) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
    mean = sym.mean(
        sym.FullyConnected(sym.var("data"), num_hidden=60, flatten=False, name="each"), 1
    )
    scores = sym.FullyConnected(mean, num_hidden=5, name="last")
    made = sym.SoftmaxOutput(scores * (1 + length), sym.var("softmax_label"), name="softmax")
    return made, ("data",), ("softmax_label",)


def batch_of(shape: tuple[int, ...], step: int) -> DataBatch:
    random = np.random.default_rng([world().group.rank, step])
    data, label = random.standard_normal(shape), random.integers(0, 5, shape[:1])
    return DataBatch(
        [nd.array(data)],
        [nd.array(label)],
        bucket_key=shape[1],
        provide_data=[DataDesc("data", shape)],
        provide_label=[DataDesc("softmax_label", shape[:1])],
    )


def begun(module: Any, store: Any, shape: tuple[int, ...], grad_req: str = "write") -> Any:
    """Get a module ready."""
    module.bind([("data", shape)], [("softmax_label", shape[:1])], grad_req=grad_req)
    mx.random.seed(1)
    module.init_params(mx.init.Xavier())
    options = {"learning_rate": 0.1, "momentum": 0.9}
    module.init_optimizer(store, optimizer_params=options)
    return module


def learned(kind: str, early: bool, on_store: bool) -> tuple[dict[str, Any], list[Any]]:
    """The weights after some steps, and what was overlapped in each."""
    os.environ["GLUONIC_OVERLAP"] = str(int(early))
    os.environ["MXNET_UPDATE_ON_KVSTORE"] = str(int(on_store))
    store, found = mx.kv.create("dist_sync"), []
    if kind == "buckets":
        module = begun(mx.mod.BucketingModule(by_length, default_bucket_key=9), store, (4, 9, 6))
    else:
        requests = "add" if kind == "added" else "write"
        module = begun(mx.mod.Module(classifier()), store, (8, 50), requests)
    for step in range(STEPS):
        shape = (4, 9 - 2 * (step == 3), 6) if kind == "buckets" else (8, 50)
        module.forward_backward(batch_of(shape, step))
        if kind == "edited" and step % 2 == world().group.rank:
            module._exec_group.grad_arrays[0][0][:] *= 2
        module.update()
        found.append(store.overlapped)
    weights = {name: array.asnumpy() for name, array in module.get_params()[0].items()}
    world().group.agree(
        "".join(weights[name].tobytes().hex() for name in sorted(weights)), lambda: "weights"
    )
    return weights, found


@ranks(2)
def test_all_gradients_are_on_their_way_before_the_update() -> None:
    for kind in ("plain", "added", "edited", "buckets"):
        for on_store in (True, False):
            expected, nothing = learned(kind, early=False, on_store=on_store)
            weights, found = learned(kind, early=True, on_store=on_store)
            assert not any(nothing)
            for name, weight in weights.items():
                assert (weight == expected[name]).all(), (kind, on_store, name)
            assert found[2].begun == found[2].all > 0, (kind, on_store)
            assert any(one.again for one in found[2:]) == (kind == "edited")


@ranks(2, GLUONIC_OVERLAP="1")
def test_fit_sends_gradients_during_backward() -> None:
    random = np.random.default_rng(world().group.rank)
    data, labels = random.standard_normal((40, 50)), random.integers(0, 5, 40)
    store = mx.kv.create("dist_sync")
    mx.mod.Module(classifier()).fit(
        NDArrayIter(data, labels, 8), num_epoch=2, kvstore=store, initializer=mx.init.Xavier()
    )
    assert store.overlapped.begun == store.overlapped.all > 0
