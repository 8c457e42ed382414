"""Optimizers compute what MXNet computes; their states can be saved, and loaded safely."""

import os
import pickle
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.graph.errors import FileFormatError
from gluonic.optimizer import Optimizer, get_updater
from tests.measured import optimizers
from tests.measured.measure import agrees, numbers, read

MEASURED = read("optimizers")


@pytest.mark.parametrize("case", optimizers.CASES)
def test_an_optimizer_is_that_of_mxnet(case: str) -> None:
    assert agrees(numbers(optimizers.run(mx, case)), MEASURED[case])


def test_every_optimizer_is_measured_or_tested_below() -> None:
    below = {"sgld", "adamw", "test", "ccsgd"}
    covered = {name for name, _ in optimizers.CASES.values()} | below
    own = {n for n, k in Optimizer.opt_registry.items() if k.__module__.startswith("gluonic.")}
    assert own == covered


@pytest.mark.parametrize("name", sorted(Optimizer.opt_registry))
def test_every_optimizer_goes_downhill(name: str) -> None:
    mx.random.seed(1)
    if name == "test":
        return  # adds the gradient, on purpose
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


def test_multipliers_go_by_index_name_symbol_and_parameter() -> None:
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


def test_a_learning_rate_replaces_the_schedulers() -> None:
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


@pytest.mark.parametrize("name", ["sgd", "adam", "rmsprop", "lamb", "dcasgd"])
def test_states_go_through_bytes(name: str) -> None:
    def updater() -> Any:
        return get_updater(mx.optimizer.create(name))

    first, second = updater(), updater()
    weight = nd.array([1.0, 2.0])
    first("w", nd.ones((2,)), weight)
    second.set_states(first.get_states())
    copy = weight.copy()
    first("w", nd.ones((2,)), weight)
    second.optimizer._update_count("w")
    second("w", nd.ones((2,)), copy)
    assert copy.asnumpy().tolist() == weight.asnumpy().tolist()


def test_states_go_with_their_optimizer_and_its_schedule() -> None:
    schedule = mx.lr_scheduler.FactorScheduler(1, factor=0.5, base_lr=1.0)
    first = get_updater(mx.optimizer.create("sgd", momentum=0.9, lr_scheduler=schedule))
    for _ in range(3):
        first(0, nd.ones((2,)), nd.ones((2,)))
    second = get_updater(mx.optimizer.create("adam"))
    second.set_states(first.get_states(dump_optimizer=True))
    assert type(second.optimizer) is mx.optimizer.SGD
    assert second.optimizer.momentum == 0.9
    assert second.optimizer.learning_rate == first.optimizer.learning_rate == 0.25


class Malice:
    def __reduce__(self) -> Any:
        return os.getpid, ()


@pytest.mark.parametrize(
    "data",
    [b"", b"nonsense", pickle.dumps({0: Malice()}), pickle.dumps([1, 2]), pickle.dumps(({}, 3))],
    ids=["nothing", "nonsense", "function", "list", "no optimizer"],
)
def test_bytes_that_are_no_states_are_refused_and_nothing_of_them_runs(data: bytes) -> None:
    updater = get_updater(mx.optimizer.SGD(momentum=0.5))
    updater(0, nd.ones((1,)), nd.ones((1,)))
    before = updater.states
    with pytest.raises(FileFormatError):
        updater.set_states(data)
    assert updater.states is before


# get_states(dump_optimizer=True) of MXNet 1.9.1, after one update of two elements with gradients of 2
# by SGD(momentum=0.9, lr_scheduler=FactorScheduler(3, 0.5))
OF_MXNET = bytes.fromhex(
    "800495c6020000000000007d944b008c156d786e65742e6e6461727261792e6e646172726179948c074e4441"
    "727261799493944e859452947d948c0668616e646c65948c086275696c74696e73948c096279746561727261"
    "799493944328c9fa93f9000000000100000002000000000000000100000000000000000000000ad7a3bc0ad7"
    "a3bc94859452947362738c196d786e65742e6f7074696d697a65722e6f7074696d697a6572948c0353474494"
    "93942981947d94288c0c72657363616c655f6772616494473ff00000000000008c0c6c725f7363686564756c"
    "6572948c126d786e65742e6c725f7363686564756c6572948c0f466163746f725363686564756c6572949394"
    "2981947d94288c07626173655f6c7294473f847ae147ae147b8c0c7761726d75705f7374657073944b008c0f"
    "7761726d75705f66696e616c5f6c7294473f847ae147ae147b8c0f7761726d75705f626567696e5f6c72944b"
    "008c0b7761726d75705f6d6f6465948c066c696e656172948c0473746570944b038c06666163746f7294473f"
    "e00000000000008c0e73746f705f666163746f725f6c7294473e45798ee2308c3a8c05636f756e74944b0075"
    "628c026c72944e8c027764944700000000000000008c076c725f6d756c74947d948c0777645f6d756c74947d"
    "948c10626567696e5f6e756d5f757064617465944b008c0a6e756d5f757064617465944b018c185f616c6c5f"
    "696e6465785f7570646174655f636f756e7473947d944b007d944b004b0173738c135f696e6465785f757064"
    "6174655f636f756e7494682e8c0d636c69705f6772616469656e74944e8c0f6d756c74695f70726563697369"
    "6f6e94898c0d6167677265676174655f6e756d944b048c08696478326e616d65947d948c0873796d5f696e66"
    "6f94298c0e616c6c6f775f6e705f617272617994898c086d6f6d656e74756d94473feccccccccccccd8c0b6c"
    "617a795f7570646174659488756286942e"
)


def test_states_that_mxnet_has_written_are_read() -> None:
    updater = get_updater(mx.optimizer.create("adam"))
    updater.set_states(OF_MXNET)
    assert updater.states[0].asnumpy() == pytest.approx([-0.02, -0.02])
    assert type(updater.optimizer) is mx.optimizer.SGD
    assert updater.optimizer.momentum == 0.9
    assert updater.optimizer.num_update == 1
    assert updater.optimizer.lr_scheduler.factor == 0.5
