"""Optimizers compute the same as MXNet's."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.optimizer import Optimizer, get_updater
from tests.measured import optimizers
from tests.measured.measure import agrees, numbers, read

MEASURED = read("optimizers")


@pytest.mark.parametrize("case", optimizers.CASES)
def test_an_optimizer_is_that_of_mxnet(case: str) -> None:
    assert agrees(numbers(optimizers.run(mx, case)), MEASURED[case])


# Not those of tests, nor of contrib, which are registered once something imports them.
OWN = {
    n for n, k in Optimizer.opt_registry.items() if k.__module__.startswith("gluonic.optimizer.")
}


def test_every_optimizer_is_measured_or_tested_below() -> None:
    below = {"sgld", "adamw", "test", "ccsgd"}
    covered = {name for name, _ in optimizers.CASES.values()} | below
    assert covered == OWN


@pytest.mark.parametrize("name", sorted(OWN - {"test"}))  # which adds the gradient, on purpose
def test_every_optimizer_goes_downhill(name: str) -> None:
    mx.random.seed(1)
    optimizer = mx.optimizer.create(name, learning_rate=0.05)
    weight, updater = nd.array([[3.0, -2.0]]), get_updater(optimizer)
    for _ in range(60):
        updater("w_weight", weight.copy(), weight)  # the gradient of |w|² / 2
    assert np.abs(weight.asnumpy()).sum() < 5


def test_the_test_optimizer_adds_gradients_and_remembers_the_weight() -> None:
    optimizer = mx.optimizer.create("test", rescale_grad=0.5)
    weight = nd.ones((2,))
    state = optimizer.create_state(0, weight)
    optimizer.update(0, weight, nd.ones((2,)), state)
    assert weight.asnumpy().tolist() == state.asnumpy().tolist() == [1.5, 1.5]


def test_langevin_noise_has_the_learning_rate_as_its_variance() -> None:
    mx.random.seed(3)
    optimizer = mx.optimizer.create("sgld", learning_rate=0.04)
    weight = nd.zeros((10_000,))
    optimizer.update(0, weight, nd.zeros((10_000,)), None)
    assert weight.asnumpy().std() == pytest.approx(0.2, rel=0.05)


def test_adamw_decays_weights_apart_from_the_gradient() -> None:
    optimizer = mx.optimizer.create("adamw", learning_rate=0.1, wd=0.5)
    weight = nd.ones((2,))
    state = optimizer.create_state(0, weight)
    optimizer.update(0, weight, nd.zeros((2,)), state)
    assert weight.asnumpy() == pytest.approx([0.95, 0.95])
    assert state[0].asnumpy().tolist() == [0, 0]


def test_small_numbers_survive_half_precision() -> None:
    optimizer = mx.optimizer.create("adam", learning_rate=0.1)
    weight = nd.ones((1,), dtype="float16")
    with pytest.warns(UserWarning, match="multi_precision=True"):
        state = optimizer.create_state_multi_precision(0, weight)
    optimizer.update_multi_precision(0, weight, nd.zeros((1,), dtype="float16"), state)
    assert weight.asscalar() == 1  # 0 / (√0 + 1e-8), not 0 / 0


def test_multipliers_are_set_by_index_name_symbol_and_parameter() -> None:
    optimizer = mx.optimizer.create(
        "sgd", learning_rate=1.0, wd=1.0, param_idx2name={0: "a_weight", 1: "a_bias", 2: "b_gamma"}
    )
    optimizer.set_lr_mult({"a_bias": 3.0, 2: 4.0})
    assert [optimizer._get_lr(i) for i in range(3)] == [1, 3, 4]
    assert [optimizer._get_wd(i) for i in range(3)] == [1, 0, 1]
    optimizer.set_wd_mult({"a_bias": 2.0})
    assert [optimizer._get_wd(i) for i in range(3)] == [1, 2, 1]
    x = mx.sym.var("x", lr_mult=5.0, wd_mult=6.0)
    optimizer = mx.optimizer.create(
        "sgd", learning_rate=1.0, wd=1.0, sym=x, param_idx2name={0: "x"}
    )
    assert (optimizer._get_lr(0), optimizer._get_wd(0)) == (5, 6)


def test_updates_are_counted_by_parameter() -> None:
    optimizer = mx.optimizer.create("sgd", begin_num_update=10)
    for index in (0, 1, 0):
        optimizer._update_count(index)
    assert optimizer.num_update == 12


def test_a_learning_rate_replaces_that_of_the_scheduler() -> None:
    schedule = mx.lr_scheduler.FactorScheduler(1, base_lr=0.5)
    with pytest.warns(UserWarning, match="replaces"):
        optimizer = mx.optimizer.create("sgd", learning_rate=0.25, lr_scheduler=schedule)
    assert optimizer.learning_rate == schedule.base_lr == 0.25


def test_unknown_optimizers_and_settings_are_named() -> None:
    with pytest.raises(ValueError, match=r"no optimizer 'adamm'; did you mean 'adam'"):
        mx.optimizer.create("adamm")
    with pytest.raises(TypeError, match="momentun"):
        mx.optimizer.create("sgd", momentun=0.9)


def test_a_gradient_of_another_shape_is_refused() -> None:
    with pytest.raises(mx.MXNetError, match=r"gradient: \(3,\)"):
        get_updater(mx.optimizer.SGD())(0, nd.ones((3,)), nd.ones((2,)))


def test_a_new_optimizer_is_registered_by_its_name() -> None:
    class Halving(Optimizer):
        def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
            self._update_count(index)
            weight[:] = weight * 0.5

    mx.optimizer.register(Halving)
    try:
        weight = nd.ones((2,))
        get_updater(mx.optimizer.create("halving"))(0, weight, weight)
        assert weight.asnumpy().tolist() == [0.5, 0.5]
    finally:
        del Optimizer.opt_registry["halving"]


def test_an_optimizer_that_wants_several_parameters_gets_them_by_dtype() -> None:
    calls = []

    class Several(Optimizer):
        def __init__(self) -> None:
            super().__init__()
            self.aggregate_num = 2

        def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
            calls.append((index, [w.dtype.__name__ for w in weight]))

    weights = [nd.ones((1,), dtype=d) for d in ("float32", "float64", "float32", "float32")]
    get_updater(Several())([0, 1, 2, 3], weights, weights)
    assert calls == [
        ([0, 2], ["float32", "float32"]),
        ([3], ["float32"]),
        ([1], ["float64"]),
    ]
