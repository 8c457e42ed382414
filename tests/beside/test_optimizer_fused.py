"""Updating all parameters in one native call has the same results as one by one."""

import pickle
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gluonic import nd, optimizer
from gluonic.graph import updates
from gluonic.graph.versions import Watch
from gluonic.lr_scheduler import FactorScheduler
from gluonic.ndarray.array import NDArray
from gluonic.optimizer import fused as fused_updates
from gluonic.optimizer.base import Optimizer, RuleOptimizer

pytestmark = pytest.mark.usefixtures("compiled_at_once")

SHAPES = [(7,), (33, 5), (1,), (64, 3, 3), (2, 0), (20_011,)]
SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("sgd", {}),
    ("sgd", {"momentum": 0.9, "wd": 0.01}),
    ("sgd", {"momentum": 0.9, "clip_gradient": 0.2, "rescale_grad": 0.25}),
    ("nag", {"momentum": 0.8, "wd": 0.1}),
    ("signum", {"wd_lh": 0.01}),
    ("signum", {"momentum": 0.0, "wd": 0.1}),
    ("adam", {"wd": 0.01, "clip_gradient": 0.5}),
    ("adamw", {"wd": 0.1}),
    ("adamw", {"correct_bias": False}),
    ("adamax", {"wd": 0.01}),
    ("nadam", {"wd": 0.01}),
    ("adagrad", {"wd": 0.01, "clip_gradient": 0.1}),
    ("adadelta", {"wd": 0.01}),
    ("rmsprop", {"wd": 0.01}),
    ("rmsprop", {"centered": True, "clip_weights": 0.5}),
    ("rmsprop", {"clip_weights": 0.0, "clip_gradient": 0.0}),
    ("ftrl", {"wd": 0.01}),
    ("ftrl", {"lamda1": 0.5, "beta": 1}),
    ("ftml", {"wd": 0.01}),
    ("test", {}),
]


def arrays(dtype: Any, seed: int, scale: float = 1.0) -> list[NDArray]:
    """Random arrays of all shapes."""
    random = np.random.default_rng(seed)
    return [NDArray((random.normal(size=s) * scale).astype(dtype)) for s in SHAPES]


def trained(
    made: Optimizer, dtypes: list[Any], *, fused: bool, steps: int = 4
) -> tuple[list[Any], Any]:
    """Weights and states after some steps; several dtypes take turns."""
    updater = optimizer.get_updater(made)
    weights = [arrays(dtypes[i % len(dtypes)], 1)[i] for i in range(len(SHAPES))]
    grads = [arrays(dtypes[i % len(dtypes)], 2)[i] for i in range(len(SHAPES))]
    indices = list(range(len(SHAPES)))
    for step in range(steps):
        for i, g in enumerate(grads):
            g.elements[...] = arrays(g.dtype, 10 + step, scale=0.7)[i].elements
        if fused:
            updater(indices, grads, weights)
            assert updater.fused.is_native
        else:
            for one in zip(indices, grads, weights, strict=True):
                updater.prepare(one[0], one[2])
                made.update_multi_precision(one[0], one[2], one[1], updater.states[one[0]])
    states = [s if isinstance(s, (tuple, list)) else (s,) for s in updater.states.values()]
    return weights, [x for state in states for x in state if x is not None]


def same(found: list[NDArray], wanted: list[NDArray]) -> None:
    for a, b in zip(found, wanted, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


@pytest.mark.parametrize("dtypes", [["float32"], ["float64"], ["float32", "float64"]])
@pytest.mark.parametrize(("name", "settings"), SETTINGS)
def test_results_are_those_of_single_updates_to_the_last_bit(
    name: str, settings: dict[str, Any], dtypes: list[Any]
) -> None:
    results = [
        trained(optimizer.create(name, **settings), dtypes, fused=fused) for fused in (True, False)
    ]
    same(results[0][0], results[1][0])
    same(results[0][1], results[1][1])


def test_special_numbers_come_out_as_from_single_updates() -> None:
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, 3e38, -3e38], np.float32)
    for name, settings in SETTINGS:
        found = []
        for fused in (True, False):
            made = optimizer.create(name, **settings)
            updater = optimizer.get_updater(made)
            weight, grad = NDArray(special.copy()), NDArray(np.roll(special, 3))
            for _ in range(2):
                if fused:
                    updater([0], [grad], [weight])
                else:
                    updater.prepare(0, weight)
                    made.update(0, weight, grad, updater.states[0])
            found.append([weight])
        same(*found)


def test_numbers_may_change_between_steps() -> None:
    """Schedules, multipliers and settings count at each step."""

    def run(fused: bool) -> list[NDArray]:
        made = optimizer.create(
            "sgd", momentum=0.9, wd=0.1, lr_scheduler=FactorScheduler(1, 0.5, base_lr=0.2)
        )
        made.set_lr_mult({0: 0.1})
        made.set_wd_mult({3: 2.0})
        weights, _ = trained(made, ["float32"], fused=fused)
        return weights

    same(run(True), run(False))


def test_a_schedule_counts_as_in_single_updates_where_parameters_are_left_out() -> None:
    """The learning rate of a parameter depends on the updates that others have had before it."""
    found = []
    for fused in (True, False):
        made = optimizer.create("sgd", lr_scheduler=FactorScheduler(1, 0.5, base_lr=1.0))
        updater = optimizer.get_updater(made)
        weights, grad = [nd.zeros((3,)) for _ in range(4)], nd.ones((3,))
        for chosen in ([0, 1, 2, 3], [1, 3], [1], [0, 1, 2, 3], [3, 2, 1, 0]):
            if fused:
                updater(chosen, [grad] * len(chosen), [weights[i] for i in chosen])
                continue
            for i in chosen:
                made.update(i, weights[i], grad, None)
        found.append(weights)
    same(*found)


class Slower(optimizer.SGD):
    """Learning rates that depend on the index in a way of its own."""

    def _get_lrs(self, indices: Any) -> list[float]:
        return [
            lr / (1 + index) for lr, index in zip(super()._get_lrs(indices), indices, strict=True)
        ]


def test_learning_rates_of_a_subclass_are_used() -> None:
    updater = optimizer.get_updater(Slower(learning_rate=1.0))
    weights, grad = [nd.zeros((3,)) for _ in range(3)], nd.ones((3,))
    updater([0, 1, 2], [grad] * 3, weights)
    assert updater.fused.is_native
    assert [w.asnumpy()[0] for w in weights] == [-1.0, -0.5, np.float32(-1 / 3)]


def test_clipping_can_be_switched_on_between_steps() -> None:
    made = optimizer.create("sgd", learning_rate=1.0)
    updater = optimizer.get_updater(made)
    weight, grad = nd.zeros((5,)), nd.ones((5,)) * 3
    updater([0], [grad], [weight])
    made.clip_gradient = 0.5
    updater([0], [grad], [weight])
    assert weight.asnumpy().tolist() == [-3.5] * 5


def test_arrays_may_be_replaced_between_steps() -> None:
    made = optimizer.create("sgd", learning_rate=1.0)
    updater = optimizer.get_updater(made)
    old, grad = nd.zeros((40,)), nd.ones((40,))
    updater([0], [grad], [old])
    new = nd.ones((40,))
    updater([0], [nd.ones((40,)) * 2], [new])
    grad.elements = np.full((40,), 5, np.float32)
    updater([0], [grad], [new])
    assert old.asnumpy().tolist() == [-1.0] * 40
    assert new.asnumpy().tolist() == [-6.0] * 40


def test_states_that_were_loaded_are_the_ones_updated() -> None:
    def fresh() -> Any:
        return optimizer.get_updater(optimizer.create("sgd", learning_rate=1.0, momentum=0.5))

    first, second = fresh(), fresh()
    weight, grad = nd.zeros((3,)), nd.ones((3,))
    first([0], [grad], [weight])
    second([0], [grad], [nd.zeros((3,))])
    second.set_states(first.get_states())
    first([0], [grad], [weight])
    again = nd.array([-1.0] * 3)
    second([0], [grad], [again])
    same([again], [weight])


def test_the_interpreter_updates_without_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUONIC_EXECUTOR", "interpret")
    updater = optimizer.get_updater(optimizer.create("sgd", learning_rate=1.0))
    weight = nd.zeros((3,))
    updater([0], [nd.ones((3,))], [weight])
    assert not updater.fused.is_native
    assert weight.asnumpy().tolist() == [-1.0] * 3


class Halving(optimizer.SGD):
    """An optimizer of one's own."""

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        weight[:] = weight / 2


def not_fused() -> Iterator[tuple[Optimizer, Any]]:
    yield Halving(), "float32"
    yield optimizer.create("sgd", multi_precision=True), "float16"
    yield optimizer.create("sgd", momentum=0.9, multi_precision=True), "float16"
    yield optimizer.create("lars"), "float32"
    yield optimizer.create("dcasgd"), "float32"


@pytest.mark.parametrize(("made", "dtype"), list(not_fused()))
def test_optimizers_with_more_than_a_rule_update_one_by_one(made: Optimizer, dtype: str) -> None:
    updater = optimizer.get_updater(made)
    weight = nd.ones((4,), dtype=dtype)
    updater([0], [nd.ones((4,), dtype=dtype)], [weight])
    assert not updater.fused.is_native
    assert (weight.asnumpy() != 1).all()


def test_a_rule_without_machine_code_still_runs() -> None:
    def rule(m: Any, n: SimpleNamespace, weight: Any, grad: Any) -> tuple[Any, ...]:
        return (weight - n.lr * m.gammaln(grad + 2),)

    class Odd(RuleOptimizer):
        state_count = 0

    Odd.rule = staticmethod(rule)
    updater = optimizer.get_updater(Odd(learning_rate=1.0))
    weight = nd.zeros((3,))
    for _ in range(2):
        updater([0], [nd.ones((3,))], [weight])
    np.testing.assert_allclose(weight.asnumpy(), -2 * np.log(2.0), rtol=1e-6)
    assert updater.optimizer._index_update_count[0] == 2


def test_mismatched_gradients_are_refused() -> None:
    updater = optimizer.get_updater(optimizer.create("sgd"))
    with pytest.raises(ValueError, match="gradient"):
        updater([0], [nd.ones((3,))], [nd.ones((4,))])


def test_an_updater_can_be_pickled() -> None:
    updater = optimizer.get_updater(optimizer.create("sgd", learning_rate=1.0, momentum=0.5))
    weight, grad = nd.zeros((3,)), nd.ones((3,))
    updater([0], [grad], [weight])
    copy = pickle.loads(pickle.dumps(updater))
    other = weight.copy()
    updater([0], [grad], [weight])
    copy([0], [grad], [other])
    same([other], [weight])


def test_every_rule_of_an_optimizer_is_tested() -> None:
    made = [optimizer.create(name, **settings) for name, settings in SETTINGS]
    tested = {m.rule for m in made if isinstance(m, RuleOptimizer)}
    alone = {
        updates.dcasgd, updates.dcasgd_momentum, updates.langevin, updates.lamb_direction,
        updates.lamb, updates.group_ada_grad, updates.adabelief, updates.lans, updates.lans_look_ahead,
    }  # fmt: skip
    rules = {
        f for name, f in vars(updates).items() if callable(f) and not name.startswith("_")
        and getattr(f, "__module__", "") == updates.__name__
    }  # fmt: skip
    assert rules == tested | alone


def test_the_first_updates_are_numpys_with_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    def weight_after(steps: int) -> tuple[list[bool], Any]:
        optimizer_ = optimizer.create("ftml", learning_rate=0.1, beta1=0.55)
        updater, weight = optimizer.get_updater(optimizer_), nd.ones((500, 400))
        native = []
        for step in range(steps):
            updater([0], [nd.full((500, 400), 0.3 + step)], [weight])
            native.append(updater.fused.is_native)
        return native, weight

    monkeypatch.setattr(fused_updates, "SPENT", {})
    at_once, expected = weight_after(8)
    monkeypatch.delenv("GLUONIC_EXECUTOR")
    mixed, found = weight_after(8)
    assert at_once == [True] * 8
    assert mixed[0] is False
    assert mixed[-1] is True
    same([found], [expected])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("executor", ["compile", "mixed", "interpret"])
def test_copies_of_weights_are_updated_with_the_weights(
    dtype: str, executor: str, monkeypatch: Any
) -> None:
    monkeypatch.setenv("GLUONIC_EXECUTOR", executor)
    for name in ("sgd", "adam", "lamb"):  # `lamb` has no rule: each parameter has a call of its own
        expected, weights = arrays(dtype, 1), arrays(dtype, 1)
        plain, copying = (
            optimizer.get_updater(optimizer.create(name, learning_rate=0.1)) for _ in range(2)
        )
        copies: list[NDArray | None] = [nd.zeros(shape, dtype=dtype) for shape in SHAPES]
        part = nd.zeros((70, 5), dtype=dtype)
        copies[1] = part[2:35]  # of somebody else's memory
        copies[3] = None
        copies[5] = nd.zeros(SHAPES[5], dtype="float16")  # of another dtype
        for step in range(3):
            grads = arrays(dtype, 10 + step)
            plain([*range(len(SHAPES))], grads, expected)
            copying.update_and_copy([*range(len(SHAPES))], grads, weights, copies)
            same(weights, expected)
            for copy, weight in zip(copies, expected, strict=True):
                if copy is not None:
                    same([copy], [weight.astype(copy.dtype)])
                    copy[:] = 7  # what a program writes there changes no weight


def test_watches_over_copies_notice_writes() -> None:
    weights, grads = ([nd.ones((5,)), nd.ones((7,))] for _ in range(2))
    copies = [nd.zeros((5,)), nd.zeros((7,))]
    updater = optimizer.get_updater(optimizer.create("sgd"))
    for _ in range(2):
        watch = Watch([copies[0].elements])
        before = watch.version
        updater.update_and_copy([0, 1], grads, weights, copies)
        assert updater.fused.is_native
        assert watch.version != before
