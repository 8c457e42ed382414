"""The trainer updates parameters, once for each backward, on any number of contexts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn

TWO = [mx.cpu(0), mx.cpu(1)]


def parameter(contexts: Any = None, name: str = "x", size: int = 3) -> gluon.Parameter:
    found = gluon.Parameter(name, shape=(size,))
    found.initialize(init="zeros", ctx=contexts)
    return found


def descend(x: gluon.Parameter) -> None:
    with autograd.record():
        heads = [array + 1 for array in x.list_data()]
    for head in heads:
        head.backward()


def value(x: gluon.Parameter, context: Any = None) -> float:
    found = x.data(context).asnumpy()
    assert (found == found[0]).all()
    return float(found[0])


def test_a_step_divides_gradients_by_the_batch_size() -> None:
    x = parameter()
    trainer = gluon.Trainer([x], "sgd", {"learning_rate": 1.0})
    descend(x)
    trainer.step(4)
    assert value(x) == -0.25


def test_a_step_divides_the_optimizers_own_factor_too() -> None:
    x = parameter()
    trainer = gluon.Trainer([x], mx.optimizer.SGD(learning_rate=1.0, rescale_grad=2.0))
    descend(x)
    trainer.step(4)
    assert value(x) == -0.5


@pytest.mark.parametrize("update_on_kvstore", [True, False, None])
@pytest.mark.parametrize("kvstore", ["local", "device"])
def test_gradients_of_several_contexts_are_summed(kvstore: str, update_on_kvstore: Any) -> None:
    x = parameter(TWO)
    trainer = gluon.Trainer(
        [x],
        "sgd",
        {"learning_rate": 1.0, "momentum": 0.5},
        kvstore=kvstore,
        update_on_kvstore=update_on_kvstore,
    )
    for expected in (-2, -5):
        descend(x)
        trainer.step(1)
        assert [value(x, context) for context in TWO] == [expected, expected]


def test_without_a_store_contexts_are_updated_independently() -> None:
    x = parameter(TWO)
    trainer = gluon.Trainer([x], "sgd", {"learning_rate": 1.0}, kvstore=None)
    descend(x)
    trainer.step(1)
    assert value(x, TWO[1]) == -1


def test_a_registered_store_that_cannot_optimize_is_used_for_sums() -> None:
    x = parameter(TWO)
    store = mx.kv.create("teststore")
    trainer = gluon.Trainer([x], "sgd", {"learning_rate": 1.0}, kvstore=store)
    descend(x)
    trainer.step(1)
    assert value(x, TWO[1]) == -2
    demanding = gluon.Trainer([x], "sgd", kvstore=store, update_on_kvstore=True)
    descend(x)
    with pytest.raises(ValueError, match="cannot update weights"):
        demanding.step(1)


def test_multipliers_of_parameters_are_applied() -> None:
    x, y = parameter(name="x"), parameter(name="y")
    x.lr_mult = 0.5
    trainer = gluon.Trainer([x, y], "sgd", {"learning_rate": 1.0})
    descend(x)
    descend(y)
    trainer.step(1)
    assert (value(x), value(y)) == (-0.5, -1)


def test_gradients_can_be_clipped_between_sum_and_update() -> None:
    x = parameter(TWO)
    trainer = gluon.Trainer([x], "sgd", {"learning_rate": 1.0}, update_on_kvstore=False)
    descend(x)
    trainer.allreduce_grads()
    assert x.grad(TWO[1]).asnumpy().tolist() == [2, 2, 2]
    for context in TWO:
        x.grad(context)[:] = 7
    trainer.update(1)
    assert value(x) == -7


@pytest.mark.parametrize("method", ["update", "allreduce_grads"])
def test_clipping_is_refused_where_the_store_updates(method: str) -> None:
    x = parameter(TWO)
    trainer = gluon.Trainer([x], "sgd", update_on_kvstore=True)
    descend(x)
    with pytest.raises(AssertionError, match="update_on_kvstore=False"):
        getattr(trainer, method)(*([1] if method == "update" else []))


def test_stale_gradients_are_named_with_what_to_do() -> None:
    x, y = parameter(name="used_weight"), parameter(name="idle_weight")
    trainer = gluon.Trainer([x, y], "sgd")
    descend(x)
    with pytest.raises(UserWarning, match="idle_weight on cpu") as caught:
        trainer.step(1)
    assert "used_weight" not in str(caught.value)
    assert "ignore_stale_grad=True" in str(caught.value)
    assert value(x) == 0


def test_stale_gradients_can_be_ignored_and_change_nothing() -> None:
    x, y = parameter(name="x"), parameter(name="y")
    trainer = gluon.Trainer([x, y], "sgd", {"learning_rate": 1.0, "wd": 0.5})
    y.set_data(nd.ones((3,)))
    descend(x)
    trainer.step(1, ignore_stale_grad=True)
    trainer.step(1, ignore_stale_grad=True)
    assert (value(x), value(y)) == (-1, 1)


def test_parameters_without_gradients_are_left_alone() -> None:
    x, y = parameter(name="x"), parameter(name="y")
    y.grad_req = "null"
    trainer = gluon.Trainer([x, y], "sgd", {"learning_rate": 1.0})
    descend(x)
    trainer.step(1)
    assert (value(x), value(y)) == (-1, 0)


def test_the_learning_rate_is_read_and_set() -> None:
    trainer = gluon.Trainer([parameter()], "adam", {"learning_rate": 0.5})
    assert trainer.learning_rate == 0.5
    trainer.set_learning_rate(0.25)
    assert trainer.learning_rate == trainer.optimizer.lr == 0.25


def test_only_the_scheduler_can_set_the_learning_rate() -> None:
    x = parameter()
    schedule = mx.lr_scheduler.FactorScheduler(2, factor=0.5, base_lr=1.0)
    trainer = gluon.Trainer([x], "sgd", {"lr_scheduler": schedule})
    rates = []
    for _ in range(5):
        descend(x)
        trainer.step(1)
        rates.append(trainer.learning_rate)
    assert rates == [1, 1, 0.5, 0.5, 0.25]
    with pytest.raises(UserWarning, match="lr_scheduler"):
        trainer.set_learning_rate(1.0)


def test_parameters_come_in_the_order_of_their_names() -> None:
    net = nn.Sequential()
    for prefix in ("b_", "a_"):
        net.add(nn.Dense(1, in_units=1, prefix=prefix))
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    assert [p.name for p in trainer._params] == ["a_bias", "a_weight", "b_bias", "b_weight"]


@pytest.mark.parametrize(
    "params", [3, ["x"], [nd.ones((1,))], {"x": 1}], ids=["number", "names", "arrays", "dictionary"]
)
def test_values_other_than_parameters_are_refused(params: Any) -> None:
    with pytest.raises(ValueError, match="Parameters"):
        gluon.Trainer(params, "sgd")


def test_parameters_on_different_contexts_are_refused() -> None:
    with pytest.raises(AssertionError, match="same contexts"):
        gluon.Trainer([parameter(name="x"), parameter(TWO, name="y")], "sgd")


def test_settings_are_refused_with_an_optimizer_instance() -> None:
    with pytest.raises(mx.MXNetError, match="made already"):
        gluon.Trainer([parameter()], mx.optimizer.SGD(), {"learning_rate": 1.0})


@pytest.mark.parametrize("contexts", [None, TWO], ids=["one", "two"])
@pytest.mark.parametrize("name", ["sgd", "adam", "rmsprop", "nadam"])
def test_training_goes_on_after_saving_and_loading(
    tmp_path: Path, name: str, contexts: Any
) -> None:
    settings = {"momentum": 0.9} if name == "sgd" else {}
    file = str(tmp_path / "trainer.states")
    x = parameter(contexts)
    trainer = gluon.Trainer([x], name, dict(settings))
    for _ in range(3):
        descend(x)
        trainer.step(1)
    trainer.save_states(file)
    saved = x.data().copy()
    descend(x)
    trainer.step(1)
    expected = x.data().asnumpy()

    y = parameter(contexts)
    again = gluon.Trainer([y], name, dict(settings))
    y.set_data(saved)
    again.load_states(file)
    descend(y)
    again.step(1)
    assert y.data().asnumpy().tolist() == expected.tolist()
    assert again.optimizer.num_update == trainer.optimizer.num_update == 4
    y.lr_mult = 3.0
    assert again.optimizer._get_lr(0) == pytest.approx(3 * again.learning_rate)


def test_a_damaged_states_file_changes_nothing(tmp_path: Path) -> None:
    x = parameter()
    trainer = gluon.Trainer([x], "sgd", {"momentum": 0.5})
    descend(x)
    trainer.step(1)
    file = tmp_path / "trainer.states"
    trainer.save_states(str(file))
    before = trainer._updaters[0].states
    file.write_bytes(file.read_bytes()[:-7])
    with pytest.raises(mx.base.MXNetError, match="no optimizer states"):
        trainer.load_states(str(file))
    assert trainer._updaters[0].states is before


def test_a_store_continues_from_weights_that_are_loaded_later(tmp_path: Path) -> None:
    x = parameter(TWO)
    params = gluon.ParameterDict()
    params._params["x"] = x
    file = str(tmp_path / "x.params")
    params.save(file)
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 1.0}, update_on_kvstore=True)
    descend(x)
    trainer.step(1)
    params.load(file)
    descend(x)
    trainer.step(1)
    assert [value(x, context) for context in TWO] == [-2, -2]


def test_a_net_learns_a_plane() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(64, 3)).astype("float32")
    y = x @ np.array([1.0, -2.0, 0.5], "float32") + 0.25
    net, loss = nn.Dense(1), gluon.loss.L2Loss()
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})
    for _ in range(200):
        with autograd.record():
            found = loss(net(nd.array(x)), nd.array(y))
        found.backward()
        trainer.step(len(x))
    assert net.weight.data().asnumpy()[0] == pytest.approx([1.0, -2.0, 0.5], abs=1e-3)
    assert net.bias.data().asscalar() == pytest.approx(0.25, abs=1e-3)  # type: ignore[union-attr]


@pytest.mark.parametrize(("batch_size", "expected"), [(-2, 1.1), (2.5, 0.92), (True, 0.8)])
def test_gradients_are_divided_by_any_number(batch_size: float, expected: float) -> None:
    net = nn.Dense(1, in_units=1, use_bias=False, weight_initializer="ones")
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    with autograd.record():
        loss = net(nd.ones((2, 1))).sum()
    loss.backward()
    trainer.step(batch_size)  # what MXNet 1.9.1 makes of it
    assert net.weight.data().asscalar() == pytest.approx(expected)


@pytest.mark.parametrize("batch_size", ["2", None, 0, 0.0])
def test_a_refused_step_changes_nothing(batch_size: Any) -> None:
    net = nn.Dense(1, in_units=1, use_bias=False, weight_initializer="ones")
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    with autograd.record():
        loss = net(nd.ones((2, 1))).sum()
    loss.backward()
    with pytest.raises((TypeError, ZeroDivisionError), match="batch_size="):
        trainer.step(batch_size)
    assert net.weight.data().asscalar() == 1
    trainer.step(2)
    assert net.weight.data().asscalar() == pytest.approx(0.9)


@pytest.mark.parametrize("numbers", [{"beta2": 2.0}, {"beta1": 1.0}, {"beta2": 1e300}])
@pytest.mark.parametrize("name", ["adam", "adamw"])
def test_averages_that_grow_are_refused_with_the_optimizers_name(
    name: str, numbers: dict[str, float]
) -> None:
    optimizer = mx.optimizer.create(name, **numbers)
    weight = nd.ones((2,))
    state = optimizer.create_state(0, weight)
    with pytest.raises(mx.MXNetError, match=r"(?i)adam.*must be less than 1"):
        optimizer.update(0, weight, nd.ones((2,)), state)
    np.testing.assert_array_equal(weight.asnumpy(), 1)
