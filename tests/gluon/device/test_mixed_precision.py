"""Mixed precision on a GPU: what the CPU computes, and nobody waits to see whether gradients overflowed."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.codegen import FALLBACKS
from gluonic.contrib import amp
from gluonic.contrib.amp import switching
from gluonic.device import DeviceArray
from gluonic.device.devices import device
from gluonic.gluon import nn
from gluonic.ndarray import Context

pytest.importorskip("ml_dtypes")
X = np.random.default_rng(3).standard_normal((5, 4, 6)).astype(np.float32)


@pytest.fixture(params=["float16"])
def mixed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Mixed precision."""
    amp.init(target_dtype=request.param)
    yield
    switching.end()


def _net(ctx: Context, dtype: str = "float32") -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Dense(8, in_units=6, activation="relu"), nn.BatchNorm(in_channels=8))
    net.add(nn.Dense(3, in_units=8))
    mx.random.seed(1)
    net.initialize(mx.init.Xavier(), ctx=ctx)
    net.cast(dtype)
    net.hybridize()
    return net


def _scaled_step(net: Any, trainer: gluon.Trainer, x: Any) -> None:
    with autograd.record():
        loss = (net(x) ** 2).mean()
        with amp.scale_loss(loss, trainer) as scaled:
            scaled.backward()
    trainer.step(1)


@pytest.mark.parametrize(
    ("mixed", "optimizer"),
    [("float16", "sgd"), ("float16", "nadam"), ("bfloat16", "sgd")],
    indirect=["mixed"],
)
def test_steps_that_overflow_are_left_out_as_on_the_cpu(
    gpu: Context, mixed: None, optimizer: str, tmp_path: Any
) -> None:
    found = []
    for ctx in (mx.cpu(), gpu):
        net = _net(ctx)
        schedule = mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.1)
        trainer = gluon.Trainer(
            net.collect_params(), optimizer, {"learning_rate": 0.1, "lr_scheduler": schedule}
        )
        amp.init_trainer(trainer)
        scales = []
        for turn, x in enumerate(X):
            _scaled_step(net, trainer, nd.array(x * (np.inf if turn in (1, 3) else 1), ctx=ctx))
            scales.append(trainer.find_loss_scaler().loss_scale)
        trainer.save_states(str(tmp_path / "states"))
        weights = [p.data().asnumpy() for name, p in net.collect_params("dense.*").items()]
        found.append((scales, trainer.optimizer.num_update, trainer.learning_rate, weights))
    (*counts, expected), (*ours, weights) = found
    assert ours == counts
    assert counts[1] in range(1, len(X) - 1)
    for one, other in zip(weights, expected, strict=True):
        assert np.isfinite(one).all()
        np.testing.assert_allclose(one, other, rtol=5e-3, atol=5e-4)


def test_a_scaled_step_reads_nothing_back(
    gpu: Context, mixed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    net, x = _net(gpu), nd.array(X[0], ctx=gpu)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    amp.init_trainer(trainer)
    _scaled_step(net, trainer, x)

    def read(_: Any) -> Any:
        raise AssertionError("the host waits")

    monkeypatch.setattr(DeviceArray, "to_host", read)
    _scaled_step(net, trainer, x)


@pytest.mark.parametrize(
    ("dtype", "optimizer"), [("float16", "sgd"), ("float16", "adam"), ("bfloat16", "sgd")]
)
def test_nets_of_16_bits_with_float32_copies_train_as_on_the_cpu(
    gpu: Context, dtype: str, optimizer: str
) -> None:
    settings = {"learning_rate": 0.01, "multi_precision": True, "wd": 0.01}
    if optimizer == "sgd":
        settings["momentum"] = 0.9
    FALLBACKS.clear()
    found = []
    for ctx in (mx.cpu(), gpu):
        net = _net(ctx, dtype)
        trainer = gluon.Trainer(net.collect_params(), optimizer, settings)
        for x in X[:2]:
            with autograd.record():
                loss = (net(nd.array(x, ctx, dtype)) ** 2).mean()
            loss.backward()
            trainer.step(1)
        found.append([p.data().asnumpy() for p in net.collect_params("dense.*").values()])
        assert found[-1][0].dtype.name == dtype
    for one, other in zip(*found, strict=True):
        ours, expected = other.astype(np.float32), one.astype(np.float32)
        np.testing.assert_allclose(
            ours, expected, rtol=1e-2 if dtype == "bfloat16" else 5e-3, atol=2e-3
        )
    assert not FALLBACKS


@pytest.mark.filterwarnings("ignore:Summing up updates in float16")
@pytest.mark.parametrize(
    ("dtype", "multi_precision"), [("float16", False), ("float16", True), ("bfloat16", True)]
)
def test_parameters_of_16_bits_are_updated_by_one_launch_for_each_kind(
    gpu: Context, dtype: str, multi_precision: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, launched = device(0), list[str]()
    launch = there.launch

    def counted(*arguments: Any) -> None:
        launched.append(arguments[0].name)
        launch(*arguments)

    settings = {"learning_rate": 0.5, "momentum": 0.5, "multi_precision": multi_precision}
    updaters = [mx.optimizer.get_updater(mx.optimizer.create("sgd", **settings)) for _ in range(2)]
    weights = [[nd.array(x, ctx, dtype) for x in X[:4]] for ctx in (mx.cpu(), gpu)]
    for turn in range(3):
        if turn == 2:
            monkeypatch.setattr(there, "launch", counted)
        for updater, own in zip(updaters, weights, strict=True):
            updater([*range(4)], [w * 0.1 for w in own], own)
        if turn == 2:
            assert len(launched) == 5  # four products, one update
    for one, other in zip(*weights, strict=True):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def test_flags_tell_of_numbers_that_are_not_finite(gpu: Context) -> None:
    finite = mx.ndarray.device.finite_flag
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        for size in (1, 9, 5000):
            x = nd.ones((size,), gpu, dtype)
            assert finite([nd.ones((3,), gpu), x]).to_host() == [1]
            for wrong in (np.inf, -np.inf, np.nan):
                x[size // 2] = wrong
                assert finite([nd.ones((3,), gpu), x]).to_host() == [0]
