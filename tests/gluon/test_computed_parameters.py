"""Parameters whose class computes the value that blocks use: `data` and its kin are overridden."""

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import Parameter, nn

HYBRIDIZED = pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybrid"])
CALLS = 5  # the last ones are replayed, if at all


class Fives(Parameter):
    """A parameter that blocks see as fives."""

    def data(self, ctx: Any = None) -> Any:
        return super().data(ctx) * 0 + 5


class Tripled(Parameter):
    """A parameter that blocks see three times as large."""

    def data(self, ctx: Any = None) -> Any:
        return self._check_and_get(self._data, ctx) * 3


class Weighted(gluon.HybridBlock):
    """A product with a weight of a kind, and one with a plain weight."""

    def __init__(self, kind: type[Parameter], shape: tuple[int, ...] = (2, 3)) -> None:
        super().__init__()
        name = self.prefix + "weight"
        self.params.update({name: kind(name, shape=shape, init="ones", allow_deferred_init=True)})
        self.weight = self.params.get("weight")
        self.scale = self.params.get("scale", shape=(1, 2), init="ones")

    def hybrid_forward(self, F: Any, x: Any, weight: Any, scale: Any) -> Any:
        product = F.FullyConnected(x, weight, num_hidden=2, no_bias=True)
        return F.broadcast_mul(product, scale)


def made(kind: type[Parameter], hybridize: bool, *, nested: bool = False, **settings: Any) -> Any:
    net: Any = Weighted(kind, **settings)
    if nested:
        inner, net = net, nn.HybridSequential()
        net.add(inner)
    net.initialize()
    net.hybridize(hybridize)
    return net


def ones(rows: int = 4, ctx: Any = None) -> Any:
    return nd.ones((rows, 3), ctx=ctx)


@HYBRIDIZED
@pytest.mark.parametrize("nested", [False, True], ids=["alone", "nested"])
@pytest.mark.parametrize("shape", [(2, 3), (2, 0)], ids=["known", "deferred"])
def test_blocks_compute_with_what_data_returns(hybridize: bool, nested: bool, shape: Any) -> None:
    net = made(Fives, hybridize, nested=nested, shape=shape)
    for rows in (4, 4, 4, 4, 7, 1, 4):
        assert net(ones(rows)).asnumpy().tolist() == [[15, 15]] * rows
    with autograd.record():
        assert net(ones()).asnumpy().tolist() == [[15, 15]] * 4


@HYBRIDIZED
def test_gradients_flow_through_what_data_computes(hybridize: bool) -> None:
    net = made(Tripled, hybridize)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})
    net.scale.set_data(nd.array([[1, 2]]))
    value = np.ones((2, 3))
    for _ in range(CALLS):
        with autograd.record():
            y = net(ones())
        y.backward()
        np.testing.assert_allclose(y.asnumpy(), ones().asnumpy() @ (3 * value).T * [1, 2])
        assert net.weight.grad().asnumpy().tolist() == [[12] * 3, [24] * 3]
        net.scale.grad_req = "null"
        trainer.step(4)
        value -= np.array([[3], [6]])


@HYBRIDIZED
def test_changes_of_what_data_reads_take_effect(hybridize: bool) -> None:
    net = made(Tripled, hybridize)
    for value in (1, 2, 3):
        net.weight._data[0][:] = value
        for _ in range(CALLS):
            assert net(ones()).asnumpy().tolist() == [[9 * value] * 2] * 4


class Trained(Parameter):
    """A parameter that is doubled in training."""

    def data(self, ctx: Any = None) -> Any:
        return super().data(ctx) * (2 if autograd.is_training() else 1)


@HYBRIDIZED
def test_data_may_depend_on_the_mode(hybridize: bool) -> None:
    net = made(Trained, hybridize)
    for _ in range(CALLS):
        assert net(ones()).asnumpy().tolist() == [[3, 3]] * 4
        with autograd.record():
            assert net(ones()).asnumpy().tolist() == [[6, 6]] * 4
        with autograd.record(train_mode=False):
            assert net(ones()).asnumpy().tolist() == [[3, 3]] * 4
        with autograd.train_mode():
            assert net(ones()).asnumpy().tolist() == [[6, 6]] * 4


class Dropped(Parameter):
    """A parameter of which a part is dropped in training, as gluonnlp's is."""

    def data(self, ctx: Any = None) -> Any:
        return nd.Dropout(super().data(ctx), 0.5)


@HYBRIDIZED
def test_data_may_draw_new_numbers_at_each_call(hybridize: bool) -> None:
    net = made(Dropped, hybridize, shape=(2, 64))
    x = nd.array(2.0 ** -np.arange(64, dtype="float64")[None] % 7)
    whole = net(x).asnumpy()
    seen = set()
    for _ in range(20):
        with autograd.record():
            y = net(x)
        y.backward()
        seen.add(y.asnumpy().tobytes())
        kept = net.weight.grad().asnumpy() != 0  # what was dropped has no part in the gradient
        weight = np.where(kept, 2.0, 0.0)
        np.testing.assert_allclose(y.asnumpy(), x.asnumpy() @ weight.T, rtol=1e-5)
        assert 0.2 < kept.mean() < 0.8
    assert len(seen) == 20
    for _ in range(CALLS):
        np.testing.assert_array_equal(net(x).asnumpy(), whole)


@HYBRIDIZED
def test_data_is_called_with_the_context_of_the_input(hybridize: bool) -> None:
    contexts = [mx.cpu(0), mx.cpu(1)]
    net = Weighted(Tripled)
    net.initialize(ctx=contexts)
    net.hybridize(hybridize)
    for value, held in enumerate(net.weight.list_data()):
        held[:] = value + 1
    for _ in range(CALLS):
        for value, ctx in enumerate(contexts):
            found = net(ones(ctx=ctx))
            assert found.context == ctx
            assert found.asnumpy().tolist() == [[9 * (value + 1)] * 2] * 4


@HYBRIDIZED
def test_data_may_be_replaced_on_one_parameter(hybridize: bool) -> None:
    net = made(Parameter, False)
    held = net.weight.data()
    net.weight.data = lambda ctx=None: held * 4
    net.hybridize(hybridize)
    for _ in range(CALLS):
        assert net(ones()).asnumpy().tolist() == [[12, 12]] * 4


@pytest.mark.parametrize("compute", ["topk", "khatri_rao"])
def test_operators_that_python_runs_compute_with_what_data_returns(compute: str) -> None:
    class Ranked(Weighted):
        def hybrid_forward(self, F: Any, x: Any, weight: Any, scale: Any) -> Any:
            if compute == "topk":
                return F.topk(F.concat(weight, x, dim=0), k=1, ret_typ="value")
            return F.khatri_rao(weight, x)

    net = Ranked(Fives)
    net.initialize()
    expected = net(ones()).asnumpy()
    net.hybridize()
    assert expected.max() == 5
    with pytest.warns(UserWarning, match="no operator reads"):
        net(ones())
    for _ in range(CALLS):
        np.testing.assert_array_equal(net(ones()).asnumpy(), expected)


class Shifted(Parameter):
    """A parameter that graphs see larger by one."""

    def var(self) -> Any:
        return super().var() + 1


def test_graphs_are_made_with_what_var_returns() -> None:
    net = made(Shifted, True)
    for _ in range(CALLS):
        assert net(ones()).asnumpy().tolist() == [[6, 6]] * 4
    net.weight.set_data(nd.ones((2, 3)) * 2)
    for _ in range(CALLS):
        assert net(ones()).asnumpy().tolist() == [[9, 9]] * 4


@HYBRIDIZED
def test_files_hold_what_data_returns(hybridize: bool, tmp_path: Any) -> None:
    net = made(Fives, hybridize)
    net(ones())
    net.save_parameters(str(tmp_path / "net.params"))
    assert nd.load(str(tmp_path / "net.params"))["weight"].asnumpy().tolist() == [[5] * 3] * 2
    if hybridize:
        _, values = net.export(str(tmp_path / "net"))
        assert nd.load(values)[f"arg:{net.weight.name}"].asnumpy().tolist() == [[5] * 3] * 2


class Halved(Parameter):
    """A parameter of whose gradients a trainer sees the half."""

    def list_grad(self) -> Any:
        return [gradient / 2 for gradient in super().list_grad()]


@HYBRIDIZED
def test_a_trainer_takes_the_gradients_that_list_grad_returns(hybridize: bool) -> None:
    net = made(Halved, hybridize)
    trainer = gluon.Trainer({"w": net.weight}, "sgd", {"learning_rate": 1.0})
    for count in range(1, 4):
        with autograd.record():
            y = net(ones())
        y.backward()
        trainer.step(4)
        assert net.weight.data().asnumpy().tolist() == [[1 - count / 2] * 3] * 2


def test_computed_values_are_released() -> None:
    net = made(Dropped, True)
    for _ in range(CALLS):
        with autograd.record():
            y = net(ones())
        y.backward()
    gc.collect()
    count = sum(isinstance(x, nd.NDArray) for x in gc.get_objects())
    for _ in range(CALLS):
        with autograd.record():
            y = net(ones())
        y.backward()
    gc.collect()
    assert sum(isinstance(x, nd.NDArray) for x in gc.get_objects()) <= count


def refused(ctx: Any = None) -> Any:
    raise ZeroDivisionError("no value today")


@HYBRIDIZED
def test_an_error_in_data_is_raised_unchanged(hybridize: bool) -> None:
    net = made(Parameter, hybridize)
    data: Callable[..., Any] = net.weight.data
    net.weight.data = refused
    for _ in range(2):
        with pytest.raises(ZeroDivisionError, match="no value today"):
            net(ones())
    net.weight.data = data
    assert net(ones()).asnumpy().tolist() == [[3, 3]] * 4
