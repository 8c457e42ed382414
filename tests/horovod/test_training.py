"""Training with Horovod's trainer and optimizer: what one process learns of the whole batch."""

import os
from typing import Any

import numpy as np

import gluonic as mx
import gluonic.horovod as hvd
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn
from tests.distributed.ranks import ranks

BATCH = 8


def net_of(seed: int) -> Any:
    mx.random.seed(seed)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(6, "tanh"), nn.Dense(2))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    return net


def batch(part: slice) -> Any:
    return nd.array(np.random.default_rng(4).standard_normal((BATCH, 3)).astype("f4")[part])


def learn(net: Any, trainer: Any, part: slice, size: int) -> list[Any]:
    for _ in range(3):
        with autograd.record():
            loss = (net(batch(part)) ** 2).sum()
        loss.backward()
        trainer.step(size)
    return [param.data().asnumpy() for param in net.collect_params().values()]


@ranks(2)
def test_a_trainer_averages_gradients() -> None:
    hvd.init()
    half = slice(hvd.rank(), None, 2)
    alone = net_of(0)
    expected = learn(
        alone, gluon.Trainer(alone.collect_params(), "sgd", kvstore=None), slice(None), BATCH
    )
    for options in (
        {},
        {"gradient_predivide_factor": 2.0},
        {"compression": hvd.Compression.fp16},
        {"num_groups": 2, "prefix": "other"},
    ):
        net = net_of(hvd.rank())  # only rank 0 begins where the net alone did
        params = net.collect_params()
        hvd.broadcast_parameters(params)  # when they have their shapes
        trainer: Any = hvd.DistributedTrainer(params, "sgd", **options)
        found = learn(net, trainer, half, BATCH // 2)
        bound = 2e-3 if "compression" in options else 1e-6
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, atol=bound)
            assert (hvd.allreduce(nd.array(a), op=hvd.Max).asnumpy() == a).all()


def learn_more(early: bool, **options: Any) -> tuple[list[Any], list[Any]]:
    """The weights after some steps, in which rank 1 edits a gradient once, and what was overlapped in each."""
    os.environ["GLUONIC_OVERLAP"] = str(int(early))
    net, found = net_of(0), []
    half = slice(hvd.rank(), None, 2)
    net(batch(half))
    params = net.collect_params()
    trainer: Any = hvd.DistributedTrainer(params, "sgd", {"momentum": 0.9}, **options)
    for step in range(6):
        with autograd.record():
            loss = (net(batch(half) * (step + 1)) ** 2).sum()
        loss.backward()
        if step == 4 and hvd.rank() == 1:
            net[0].weight.grad()[:] *= 2
        trainer.step(BATCH // 2)
        found.append(trainer.overlapped)
    return [param.data().asnumpy() for param in params.values()], found


@ranks(2)
def test_a_trainer_sends_gradients_during_backward() -> None:
    hvd.init()
    for options in ({}, {"prefix": "named"}):
        expected, nothing = learn_more(early=False, **options)
        weights, found = learn_more(early=True, **options)
        assert all((a == b).all() for a, b in zip(weights, expected, strict=True))
        assert not any(nothing)
        assert found[:2] == [None, None]
        assert all(one.begun == one.all > 0 for one in found[2:])
        assert [one.again > 0 for one in found[2:]] == [False, False, True, False]


@ranks(3, GLUONIC_OVERLAP="1")
def test_some_of_the_ranks_send_gradients_during_backward() -> None:
    hvd.init()
    some = hvd.add_process_set([0, 2])
    weights, found = learn_more(early=True, process_set=some)
    if some.included():
        assert found[-1].begun == found[-1].all > 0
        for weight in weights:
            assert (
                hvd.allreduce(nd.array(weight), op=hvd.Max, process_set=some).asnumpy() == weight
            ).all()
    else:
        assert not any(found)


@ranks(2, GLUONIC_OVERLAP="1")
def test_gradients_that_are_changed_on_their_way_are_sent_after_backward() -> None:
    hvd.init()
    for options in ({"gradient_predivide_factor": 2.0}, {"compression": hvd.Compression.fp16}):
        assert not any(learn_more(early=True, **options)[1])


@ranks(2)
def test_an_optimizer_averages_gradients_for_modules() -> None:
    hvd.init()
    symbol = mx.sym.LinearRegressionOutput(
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc"), name="softmax"
    )

    def fitted(part: slice, optimizer: Any) -> Any:
        x = batch(part)
        batches = mx.io.NDArrayIter(x, x.sum(axis=1).reshape((-1, 1)), len(x))
        module = mx.mod.Module(symbol)
        module.fit(
            batches,
            num_epoch=3,
            optimizer=optimizer,
            initializer=mx.init.One(),
            eval_metric="mse",
            kvstore=None,
        )
        return module.get_params()[0]["fc_weight"].asnumpy()

    whole = fitted(slice(None), mx.optimizer.SGD(learning_rate=0.1, rescale_grad=1 / BATCH))
    inner = mx.optimizer.SGD(learning_rate=0.1, rescale_grad=2 / BATCH)
    found = fitted(slice(hvd.rank(), None, 2), hvd.DistributedOptimizer(inner))
    np.testing.assert_allclose(found, whole, rtol=1e-5)


def test_half_floats_come_back_in_the_dtype_they_had() -> None:
    for dtype in ("float16", "float32", "float64"):
        sent, context = hvd.Compression.fp16.compress(nd.ones(3, dtype=dtype))
        assert sent.dtype == np.float16
        assert hvd.Compression.fp16.decompress(sent, context).dtype == np.dtype(dtype)
    whole = nd.ones(3, dtype="int32")
    assert hvd.Compression.fp16.compress(whole)[0] is whole
    assert hvd.Compression.none.compress(whole) == (whole, None)
