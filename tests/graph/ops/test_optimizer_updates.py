"""The optimizers' steps against values measured on MXNet 1.9.1."""

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from gluonic.graph.kernel_runs import run_node
from gluonic.graph.operator import REGISTRY, Run
from gluonic.graph.random_source import RandomSource
from tests.graph.applying import application

Array = npt.NDArray[Any]
WEIGHT, GRAD = [1, -2, 0.5], [0.3, -0.1, 0.7]
MEAN, VAR = [0.1, 0.2, -0.3], [0.1, 0.2, 0.3]
COMMON = {"lr": 0.1, "wd": 0.01, "rescale_grad": 0.5, "clip_gradient": 0.2}
MOMENTUM: dict[str, Any] = {**COMMON, "momentum": 0.9}


def step(name: str, *arrays: Any, dtype: str = "float32", **attributes: Any) -> tuple[Any, Any]:
    """The outputs and all inputs after a step."""
    inputs = [np.array(a, dtype) if isinstance(a, list) else a.copy("K") for a in arrays]
    used = application(name, len(inputs), attributes)
    run = Run(train=True, random=RandomSource(0))
    return run_node(used, inputs, run), inputs


class Case(NamedTuple):
    """A step: the states before, the attributes, the new weight and the states afterwards."""

    name: str
    states: list[list[float]]
    attributes: dict[str, Any]
    weight: list[float]
    after: list[list[float]]


CASES = [
    Case("sgd_update", [], COMMON, [0.984, -1.993, 0.4795], []),
    Case("sgd_mom_update", [MEAN], MOMENTUM, [1.074, -1.813, 0.2095], [[0.074, 0.187, -0.2905]]),
    Case(
        "nag_mom_update",
        [MEAN],
        MOMENTUM,
        [1.0506001, -1.8247001, 0.2180499],
        [[0.0739494, 0.1868247, -0.2902181]],  # with out=weight, as optimizers call it
    ),
    Case(
        "adam_update",
        [MEAN, VAR],
        COMMON,
        [0.9664674, -2.038703, 0.5456634],
        [[0.106, 0.173, -0.25], [0.0999256, 0.1998049, 0.29974]],
    ),
    Case(
        "rmsprop_update",
        [VAR],
        {**COMMON, "clip_weights": 0.8},
        [0.8, -0.8, 0.4626673],
        [[0.09628, 0.190245, 0.287]],
    ),
    Case(
        "rmspropalex_update",
        [VAR, [0.1, 0.2, 0.1], [0.3, 0.1, 0.2]],
        COMMON,
        [1.2153358, -1.8922465, 0.6419289],
        [
            [0.09628, 0.190245, 0.287],
            [0.103, 0.1865, 0.105],
            [0.2153358, 0.1077535, 0.1419289],
        ],
    ),
    Case(
        "ftrl_update",
        [[0.1, -0.2, 0.3], VAR],
        COMMON,
        [0.0057529, 0.0126997, -0.0197676],
        [[-0.0877223, -0.194272, 0.3231369], [0.1225, 0.2025, 0.34]],
    ),
    Case(
        "ftml_update",
        [VAR, VAR, [0.1, -0.2, 0.3]],
        {"lr": 0.1, "t": 2, "wd": 0.01, "rescale_grad": 0.5, "clip_grad": 0.2},
        [0.9959337, -1.9939361, 0.495534],
        [
            [45.2497482, 63.9853973, 78.3700562],
            [0.0999256, 0.1998049, 0.29974],
            [-45.0657463, 127.5827942, -38.8350296],
        ],
    ),
    Case("signsgd_update", [], COMMON, [0.899, -1.898, 0.3995], []),
    Case(
        "signum_update",
        [MEAN],
        {**MOMENTUM, "wd_lh": 0.05},
        [1.095, -1.89, 0.3975],
        [[0.074, 0.187, -0.2905]],
    ),
    Case(
        "lamb_update_phase1",
        [MEAN, VAR],
        {"t": 2, "wd": 0.01, "rescale_grad": 0.5, "clip_gradient": 0.2},
        [0.0881639, 0.0721268, -0.1024524],
        [[0.105, 0.175, -0.25], [0.0999225, 0.1998025, 0.29974]],
    ),
    Case(
        "lamb_update_phase2",
        [[2.3], [0.8]],
        {"lr": 0.1, "upper_bound": 2.0},
        [0.925, -1.975, 0.325],
        [],
    ),
    Case(
        "_adamw_update",
        [MEAN, VAR, [0.5]],
        {"lr": 0.1, "eta": 0.5, "wd": 0.01},
        [0.9783916, -2.0095754, 0.5189588],
        [[0.105, 0.175, -0.235], [0.0999225, 0.1998025, 0.2998225]],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_step_is_that_of_mxnet(case: Case) -> None:
    (weight,), inputs = step(case.name, WEIGHT, GRAD, *case.states, **case.attributes)
    np.testing.assert_allclose(weight, case.weight, rtol=2e-5)
    np.testing.assert_array_equal(inputs[0], np.array(WEIGHT, "float32"))
    for found, expected in zip(inputs[2:], case.after, strict=False):
        np.testing.assert_allclose(found, expected, rtol=2e-5)


def test_every_optimizer_is_tried() -> None:
    names = {
        op.name
        for op in REGISTRY.operators()
        if op.name.endswith(("_update", "_phase1", "_phase2"))
    }
    single = {name for name in names if "mp_" not in name and "multi_" not in name}
    for_sparse_gradients = {"_contrib_group_adagrad_update", "_sparse_adagrad_update"}  # in MXNet
    assert single - for_sparse_gradients == {case.name for case in CASES}


def test_mixed_precision_keeps_the_weight_in_float32() -> None:
    half = [np.array(a, "float16") for a in (WEIGHT, GRAD)]
    full = [np.array(a, "float32") for a in (MEAN, WEIGHT)]
    (weight,), inputs = step("mp_sgd_mom_update", *half, *full, **MOMENTUM)
    assert weight.dtype == np.float16
    assert weight.tolist() == [1.07421875, -1.8134765625, 0.20947265625]
    np.testing.assert_allclose(inputs[3], [1.0739975, -1.8130013, 0.2095], rtol=1e-6)
    np.testing.assert_allclose(inputs[2], [0.07399755, 0.18699877, -0.2905], rtol=1e-6)


@pytest.mark.parametrize(
    ("several", "single", "states", "attributes"),
    [
        ("multi_sgd_update", "sgd_update", [], {}),
        ("multi_sgd_mom_update", "sgd_mom_update", [MEAN], {"momentum": 0.9}),
    ],
)
def test_several_weights_go_the_same_step(
    several: str, single: str, states: list[Any], attributes: dict[str, Any]
) -> None:
    group = [WEIGHT, GRAD, *states]
    shared = {**attributes, "rescale_grad": 0.5, "clip_gradient": 0.2}
    weights, inputs = step(
        several, *group, *group, lrs=(0.1, 0.2), wds=(0.01, 0.0), num_weights=2, **shared
    )
    for i, (lr, wd) in enumerate([(0.1, 0.01), (0.2, 0.0)]):
        (expected,), after = step(single, *group, lr=lr, wd=wd, **shared)
        np.testing.assert_array_equal(weights[i], expected)
        for found, state in zip(inputs[i * len(group) : (i + 1) * len(group)], after, strict=True):
            np.testing.assert_array_equal(found, state)


def test_lamb_for_several_weights_is_its_two_phases() -> None:
    group = [WEIGHT, GRAD, MEAN, VAR]
    (weight,), _ = step(
        "_multi_lamb_update", *group, learning_rates=(0.1,), wds=(0.01,), step_count=(2,)
    )
    (g,), _ = step("lamb_update_phase1", *group, t=2, wd=0.01)
    norms = ([float(np.linalg.norm(a))] for a in (WEIGHT, g))
    (expected,), _ = step("lamb_update_phase2", WEIGHT, g, *norms, lr=0.1)
    np.testing.assert_allclose(weight, expected, rtol=1e-6)


@pytest.mark.parametrize("scale", [0.0, np.nan, np.inf])
def test_adamw_skips_gradients_that_overflowed(scale: float) -> None:
    (weight,), inputs = step("_adamw_update", WEIGHT, GRAD, MEAN, VAR, [scale], lr=0.1, eta=1.0)
    np.testing.assert_array_equal(weight, inputs[0])
    np.testing.assert_array_equal(inputs[2], np.array(MEAN, "float32"))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_step_of_many_elements_is_that_of_each(case: Case, order: Literal["C", "F"]) -> None:
    def many(array: Any) -> Any:
        return np.tile(np.array(array, "f4"), (9000, 1)).copy(order) if len(array) == 3 else array

    few = [WEIGHT, GRAD, *case.states]
    (expected,), states = step(case.name, *few, **case.attributes)
    (found,), found_states = step(case.name, *map(many, few), **case.attributes)
    for one, all_ in zip([expected, *states], [found, *found_states], strict=True):
        assert np.array_equal(many(one), all_)


def test_reset_arrays_writes_zeros() -> None:
    _, inputs = step("reset_arrays", WEIGHT, [MEAN], num_arrays=2)
    assert not any(a.any() for a in inputs)
