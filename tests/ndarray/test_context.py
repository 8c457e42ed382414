"""Contexts of GPUs: refused, unless the environment lets the CPU serve them."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, sym
from gluonic.gluon import nn

GPUS = [mx.gpu(0), mx.gpu(1)]
WAYS_TO_USE_ONE: dict[str, Callable[[mx.Context], Any]] = {
    "array": lambda gpu: nd.array([1], ctx=gpu),
    "name": lambda gpu: nd.ones((1,), ctx=str(gpu)),
    "drawn": lambda gpu: nd.random.normal(shape=(1,), ctx=gpu),
    "operator": lambda gpu: nd.one_hot(nd.array([1], ctx=gpu), 3),
    "as_in_context": lambda gpu: nd.ones((1,)).as_in_context(gpu),
    "copyto": lambda gpu: nd.ones((1,)).copyto(gpu),
    "split": lambda gpu: gluon.utils.split_and_load(nd.ones((2, 1)), [gpu])[0],
    "bound": lambda gpu: (sym.var("x") * 2).simple_bind(gpu, x=(1,)).forward()[0],
}


@pytest.fixture
def on_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUONIC_GPU", "cpu")


def test_the_error_about_a_gpu_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in (None, "", "1"):
        monkeypatch.delenv("GLUONIC_GPU", raising=False)
        if value is not None:
            monkeypatch.setenv("GLUONIC_GPU", value)
        way_out = r"gpu\(1\).*python -m gluonic --cpu.*GLUONIC_GPU=cpu"
        for use in WAYS_TO_USE_ONE.values():
            with pytest.raises(mx.MXNetError, match=way_out):
                use(mx.gpu(1))
        with pytest.raises(mx.MXNetError, match=way_out):
            mx.context.gpu_memory_info(1)
        with mx.gpu(1):
            makers: list[Callable[[], Any]] = [lambda: nd.ones((1,)), lambda: nd.arange(2)]
            for make in makers:
                with pytest.raises(mx.MXNetError, match=r"gpu\(1\)"):
                    make()


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("way", WAYS_TO_USE_ONE)
def test_arrays_report_the_context_that_the_program_chose(way: str) -> None:
    made = WAYS_TO_USE_ONE[way](mx.gpu(1))
    assert made.context == made.ctx == mx.gpu(1) != mx.cpu(1)
    assert f"@{made.context}>" in repr(made)
    assert pickle.loads(pickle.dumps(made)).context == mx.gpu(1)
    assert made.as_in_context(mx.gpu(1)) is made
    assert (made + 1).context == mx.gpu(1)
    assert made.as_in_context(mx.cpu()).context == mx.cpu(0)


@pytest.mark.usefixtures("on_cpu")
def test_a_block_of_code_may_have_a_gpu_as_its_context() -> None:
    with mx.gpu(1):
        net = nn.Dense(2)
        net.initialize()
        assert net(nd.ones((1, 2))).context == mx.gpu(1)
        assert net.weight.list_ctx() == [mx.gpu(1)]
        assert mx.nd.random.uniform(shape=(2,)).context == mx.current_context() == mx.gpu(1)
    assert nd.ones((1,)).context == mx.cpu()


def trained(contexts: list[mx.Context], hybridize: bool) -> tuple[nn.HybridSequential, list[Any]]:
    mx.random.seed(1)
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="relu", in_units=3), nn.Dense(2, in_units=4))
    net.initialize(mx.init.Xavier(), ctx=contexts)
    if hybridize:
        net.hybridize()
    trainer = gluon.Trainer(
        net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9}, kvstore="device"
    )
    loss_of = gluon.loss.L2Loss()
    data = np.random.default_rng(0).normal(size=(8, 3)).astype("float32")
    for _ in range(3):
        parts = gluon.utils.split_and_load(data, contexts)
        with autograd.record():
            losses = [loss_of(net(part), part[:, :2]) for part in parts]
        autograd.backward(losses)
        trainer.step(8)
    return net, losses


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("hybridize", [False, True])
def test_several_gpus_train_as_several_cpus_do(hybridize: bool) -> None:
    net, losses = trained(GPUS, hybridize)
    assert [loss.context for loss in losses] == GPUS
    assert [array.context for array in net[0].weight.list_data()] == GPUS
    assert net[0].weight.grad(mx.gpu(1)).context == mx.gpu(1)
    expected, _ = trained([mx.cpu(0), mx.cpu(1)], hybridize)
    for parameter, same in zip(
        net.collect_params().values(), expected.collect_params().values(), strict=True
    ):
        for gpu, cpu in zip(parameter.list_data(), same.list_data(), strict=True):
            np.testing.assert_array_equal(gpu.asnumpy(), cpu.asnumpy())


@pytest.mark.usefixtures("on_cpu")
def test_programs_that_look_for_gpus_find_none() -> None:
    assert mx.context.num_gpus() == mx.num_gpus() == 0
    assert list(mx.test_utils.list_gpus()) == []
    free, total = mx.context.gpu_memory_info(0)
    assert 0 < free <= total
