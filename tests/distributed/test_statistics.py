"""SyncBatchNorm on several ranks: statistics and the gradients through them are those of the whole batch."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic import symbol as sym
from gluonic.distributed import RanksDisagreeError, world
from gluonic.gluon import nn
from gluonic.gluon.contrib.nn import SyncBatchNorm
from tests.distributed.ranks import ranks

BATCH, CHANNELS = 7, 3
SPLIT = 4  # rank 0 has more examples than rank 1


def numbers(seed: int) -> Any:
    return np.random.default_rng(seed).standard_normal((BATCH, CHANNELS, 5)) * 3 + 1


def mine() -> slice:
    return slice(None, SPLIT) if world().group.rank == 0 else slice(SPLIT, None)


def expected(x: Any, weight: Any, gamma: Any, eps: float) -> tuple[Any, ...]:
    """Output, gradient of the data, mean and variance of a whole batch, by the formulas."""
    over = (0, 2)
    mean, variance = x.mean(over, keepdims=True), x.var(over, keepdims=True)
    deviation = np.sqrt(variance + eps)
    standard, g = (x - mean) / deviation, weight * gamma.reshape(1, -1, 1)
    slope = (g * standard).mean(over, keepdims=True)
    gradient = (g - g.mean(over, keepdims=True) - standard * slope) / deviation
    return standard * gamma.reshape(1, -1, 1), gradient, mean.ravel(), variance.ravel()


@ranks(2)
def test_statistics_and_gradients_are_those_of_the_whole_batch() -> None:
    x, weight, gamma = numbers(1), numbers(2), np.array([0.5, 1.0, 2.0])
    output, gradient, mean, variance = expected(x, weight, gamma, 1e-5)
    for hybrid in (False, True):
        layer = SyncBatchNorm(in_channels=CHANNELS, prefix="shared_")
        layer.initialize()
        layer.cast("float64")
        layer.gamma.set_data(nd.array(gamma, dtype="float64"))
        if hybrid:
            layer.hybridize()
        data = nd.array(x[mine()], dtype="float64")
        data.attach_grad()
        with autograd.record():
            found = layer(data)
            head = (found * nd.array(weight[mine()], dtype="float64")).sum()
        head.backward()
        close: Any = {"rtol": 1e-9, "atol": 1e-9}
        np.testing.assert_allclose(found.asnumpy(), output[mine()], **close)
        np.testing.assert_allclose(data.grad.asnumpy(), gradient[mine()], **close)
        np.testing.assert_allclose(layer.running_mean.data().asnumpy(), mean * 0.1, **close)
        np.testing.assert_allclose(
            layer.running_var.data().asnumpy(), 0.9 + variance * 0.1, **close
        )
        with autograd.predict_mode():
            assert layer(data).shape == data.shape  # of no other rank's numbers


@ranks(2)
def test_gradients_of_shown_statistics_come_from_all_ranks() -> None:
    rank, names = world().group.rank, ("gamma", "beta", "moving_mean", "moving_var")
    x = numbers(3)
    statistics: Any = sym.contrib.SyncBatchNorm
    found = statistics(*map(sym.var, ("data", *names)), key="k", output_mean_var=True)
    arrays = {"data": nd.array(x[mine()], dtype="float64")}
    arrays |= {name: nd.ones(CHANNELS, dtype="float64") for name in names}
    bound = found.bind(
        mx.cpu(),
        {name: arrays[name] for name in ("data", "gamma", "beta")},
        args_grad={"data": nd.zeros_like(arrays["data"])},
        aux_states={name: arrays[name] for name in ("moving_mean", "moving_var")},
    )
    _, mean, variance = bound.forward(is_train=True)
    np.testing.assert_allclose(mean.asnumpy(), x.mean((0, 2)), rtol=1e-9)
    np.testing.assert_allclose(variance.asnumpy(), x.var((0, 2)), rtol=1e-9)
    ones = nd.ones(CHANNELS, dtype="float64")
    bound.backward([nd.zeros_like(arrays["data"]), ones * (rank + 1), ones * (rank + 1)])
    count = BATCH * 5
    both = 3 / count + 3 * 2 * (x - x.mean((0, 2), keepdims=True)) / count  # 3: heads 1 and 2
    np.testing.assert_allclose(bound.grad_dict["data"].asnumpy(), both[mine()], rtol=1e-8)


def net(normalization: Any) -> Any:
    made = nn.HybridSequential(prefix="net_")
    with made.name_scope():
        made.add(nn.Conv2D(4, 3), normalization(), nn.Activation("relu"), nn.Dense(3))
    made.initialize()
    made.cast("float64")
    made.hybridize()
    return made


@ranks(2)
def test_a_net_trains_as_one_process_with_the_whole_batch() -> None:
    """BatchNorm has the whole batch, SyncBatchNorm a share of it."""
    random = np.random.default_rng(5)
    images, labels = random.standard_normal((BATCH, 2, 6, 6)), np.arange(BATCH) % 3
    loss, losses = gluon.loss.SoftmaxCrossEntropyLoss(), []
    weights: Any = None
    for normalization, part, store in (
        (nn.BatchNorm, slice(None), None),
        (SyncBatchNorm, mine(), "dist_sync"),
    ):
        made = net(normalization)
        x, y = nd.array(images[part], dtype="float64"), nd.array(labels[part], dtype="float64")
        made(x)
        params = list(made.collect_params().values())
        if weights is None:
            group = world().group
            for p in params:
                value = p.data().asnumpy()
                group.broadcast(value, 0, lambda: "a weight")
                p.set_data(nd.array(value, dtype="float64"))
            weights = [p.data().asnumpy() for p in params]
        for p, value in zip(params, weights, strict=True):
            p.set_data(nd.array(value, dtype="float64"))
        trainer = gluon.Trainer(params, "sgd", {"learning_rate": 0.1}, kvstore=store)
        totals = []
        for _ in range(6):
            with autograd.record():
                each = loss(made(x), y)
            each.backward()
            trainer.step(BATCH)
            totals.append(each.sum().asscalar())
        losses.append(np.array(totals))
    whole, share = losses
    sums = sum(world().group.gather(share, lambda: "losses"))
    np.testing.assert_allclose(sums, whole, rtol=1e-9)


@ranks(2)
def test_ranks_at_different_layers_get_an_error() -> None:
    rank = world().group.rank
    layer = SyncBatchNorm(in_channels=CHANNELS, prefix=f"layer{rank}_")
    layer.initialize()
    with autograd.record(), pytest.raises(RanksDisagreeError, match=r"layer0_.*\n.*layer1_"):
        layer(nd.ones((2, CHANNELS)))


@ranks(2)
def test_explain_gives_the_reason_why_the_layer_is_not_fused_in_training() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, in_units=3), SyncBatchNorm(in_channels=4))
    net.initialize()
    net.hybridize()
    assert "all ranks" not in str(net.explain(nd.ones((2, 3))))
    with autograd.train_mode():
        explained = str(net.explain(nd.ones((2, 3))))
    assert "averaged over all ranks" in explained
