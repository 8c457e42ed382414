"""Parameters, modules and exported nets on a GPU."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn
from gluonic.ndarray import Context

X = np.random.RandomState(0).rand(4, 3).astype("float32")


def _net(ctx: Any) -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Dense(5, activation="tanh"), nn.BatchNorm(), nn.Dense(2))
    net.initialize(mx.init.Xavier(), ctx=ctx)
    return net


def test_a_file_of_parameters_fits_any_context(gpu: Context, tmp_path: Path) -> None:
    net, file = _net([gpu]), str(tmp_path / "net.params")
    expected = net(nd.array(X, ctx=gpu))
    assert expected.context == gpu
    net.save_parameters(file)
    for ctx in (mx.cpu(), gpu):
        other = _net(ctx)
        other.load_parameters(file, ctx=ctx)
        found = other(nd.array(X, ctx=ctx))
        assert found.context == ctx
        np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-7)


def test_parameters_move(gpu: Context) -> None:
    net = _net(mx.cpu())
    expected = net(nd.array(X)).asnumpy()
    net.collect_params().reset_ctx(gpu)
    assert net[0].weight.list_ctx() == [gpu]
    assert net[0].weight.grad().context == gpu
    np.testing.assert_allclose(net(nd.array(X, ctx=gpu)).asnumpy(), expected, rtol=1e-5)
    net.cast("float16")
    assert net(nd.array(X, gpu, "float16")).dtype == np.float16
    with pytest.raises(mx.base.MXNetError, match=r"is on \[gpu\(0\)\], not on cpu\(0\)"):
        net(nd.array(X))


def test_a_net_on_two_gpus_is_trained_as_one(gpu: Context) -> None:
    weights = []
    for contexts in ([mx.cpu()], [gpu, mx.gpu(1)]):
        mx.random.seed(1)
        net = nn.Dense(2, in_units=3)
        net.initialize(mx.init.Xavier(), ctx=contexts)
        trainer = gluon.Trainer(
            net.collect_params(), "sgd", {"learning_rate": 0.5, "momentum": 0.9}
        )
        for _ in range(3):
            with autograd.record():
                losses = [
                    (net(x) ** 2).sum() for x in gluon.utils.split_and_load(nd.array(X), contexts)
                ]
            autograd.backward(losses)
            trainer.step(4)
        weights.append([value.asnumpy() for value in net.weight.list_data()])
    for value in weights[1]:
        np.testing.assert_allclose(value, weights[0][0], rtol=1e-5)


def test_an_exported_net_is_imported_there(gpu: Context, tmp_path: Path) -> None:
    net = _net(gpu)
    net.hybridize()
    expected = net(nd.array(X, ctx=gpu)).asnumpy()
    net.export(str(tmp_path / "net"))
    files = [str(tmp_path / name) for name in ("net-symbol.json", "net-0000.params")]
    block = gluon.SymbolBlock.imports(files[0], ["data"], files[1], ctx=gpu)
    found = block(nd.array(X, ctx=gpu))
    assert found.context == gpu
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5)


def test_a_module_is_trained_there(gpu: Context) -> None:
    data, label = mx.sym.var("data"), mx.sym.var("softmax_label")
    hidden = mx.sym.BatchNorm(mx.sym.FullyConnected(data, num_hidden=6, name="hidden"), name="norm")
    output = mx.sym.FullyConnected(mx.sym.tanh(hidden), num_hidden=3, name="out")
    symbol = mx.sym.SoftmaxOutput(output, label, name="softmax")
    labels = np.arange(12) % 3
    values = []
    for ctx in (mx.cpu(), gpu):
        mx.random.seed(1)
        batches = mx.io.NDArrayIter(np.repeat(X, 3, 0), labels, batch_size=4)
        module = mx.mod.Module(symbol, context=ctx)
        module.fit(batches, num_epoch=3, optimizer_params={"learning_rate": 0.2})
        assert module.get_outputs()[0].context == ctx
        values.append({**module.get_params()[0], **module.get_params()[1]})
        assert {str(x.context) for x in values[-1].values()} == {"cpu(0)"}
    for name, value in values[0].items():
        np.testing.assert_allclose(values[1][name].asnumpy(), value.asnumpy(), rtol=1e-4, atol=1e-6)


def test_an_executor_is_bound_there(gpu: Context) -> None:
    a, b = mx.sym.var("a"), mx.sym.var("b")
    arrays = {"a": nd.array(X, ctx=gpu), "b": nd.array(X + 1, ctx=gpu)}
    executor = (a * b + mx.sym.exp(a)).bind(gpu, arrays, {n: nd.zeros(X.shape, gpu) for n in "ab"})
    (output,) = executor.forward(is_train=True)
    executor.backward([nd.ones(X.shape, gpu)])
    np.testing.assert_allclose(output.asnumpy(), X * (X + 1) + np.exp(X), rtol=1e-5)
    np.testing.assert_allclose(executor.grad_dict["a"].asnumpy(), X + 1 + np.exp(X), rtol=1e-5)
    (again,) = executor.forward(a=nd.zeros(X.shape))
    np.testing.assert_allclose(again.asnumpy(), 1)


@pytest.mark.parametrize(
    "optimizer",
    [
        "sgd",
        "nag",
        "adam",
        "adagrad",
        "rmsprop",
        "adadelta",
        "ftrl",
        "adamax",
        "nadam",
        "signum",
        "lamb",
        "lars",
    ],
)
def test_optimizers_step_there_as_on_the_cpu(gpu: Context, optimizer: str) -> None:
    found = []
    for ctx in (mx.cpu(), gpu):
        weight, updater = (
            nd.array(X, ctx=ctx),
            mx.optimizer.get_updater(mx.optimizer.create(optimizer, wd=0.01)),
        )
        for step in range(3):
            updater(0, nd.array(np.sin(X * (step + 1)), ctx=ctx), weight)
        assert weight.context == ctx
        state = updater.get_states()
        updater.set_states(state)
        updater(0, nd.array(X, ctx=ctx), weight)
        found.append(weight.asnumpy())
    np.testing.assert_allclose(found[1], found[0], rtol=2e-5)


def test_a_net_explains_its_kernels_and_what_the_host_computes(gpu: Context) -> None:
    net = nn.HybridSequential()
    net.add(
        nn.Dense(5, activation="tanh"),
        nn.HybridLambda(lambda F, x: F.linalg.gelqf(F.exp(x))[1] * 2),
    )
    net.initialize(mx.init.Xavier(), ctx=gpu)
    net.hybridize()
    x = nd.array(X, ctx=gpu)
    net(x)
    explained = net.explain(x)
    assert len(explained.kernels) == 2  # before and after the operator of the host
    assert ".entry" in explained.ptx()
    assert [operator for operator, _ in explained.fallbacks] == ["_linalg_gelqf"]
    with autograd.record():
        training = net.explain(x)
    assert "FullyConnected" in str(training)
    assert "the host computes 1 operators" in str(training)


def test_a_module_takes_batches_and_gradients_of_another_context(gpu: Context) -> None:
    numbers, found = np.random.default_rng(0).random((6, 4), np.float32), []
    for here, there in ((mx.cpu(), mx.cpu()), (mx.cpu(), gpu), (gpu, mx.cpu())):
        batches = mx.io.NDArrayIter(nd.array(numbers, ctx=there), batch_size=4)
        net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="dense")
        module = mx.mod.Module(net, label_names=None, context=here)
        module.bind(batches.provide_data, inputs_need_grad=True)
        module.init_params(mx.init.One())
        for batch in batches:
            assert batch.data[0].context == there
            module.forward(batch, is_train=True)
        module.backward([nd.array(numbers[:4, :3], ctx=there)])
        results = [module.get_outputs()[0], module.get_input_grads()[0]]
        assert {x.context for x in results} == {here}
        found.append([x.asnumpy() for x in results])
    for one in found[1:]:
        for ours, expected in zip(one, found[0], strict=True):
            np.testing.assert_allclose(ours, expected, rtol=1e-5)
