"""Batch normalization's running statistics and dtypes; dropout's randomness."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from gluonic.graph import ops  # noqa: F401 - fills the registry
from gluonic.graph.errors import InferenceError, MXNetError
from gluonic.graph.gradient import gradients
from gluonic.graph.infer import infer
from gluonic.graph.interpret import interpret
from gluonic.graph.kernel_runs import run_node
from gluonic.graph.node import Graph, Node, make_node
from gluonic.graph.operator import REGISTRY, Run
from gluonic.graph.random_source import RandomSource
from tests.graph.samples.sample import uniform

Array = npt.NDArray[Any]
NAMES = ("data", "gamma", "beta", "moving_mean", "moving_var")


def run(train: bool) -> Run:
    return Run(train=train, random=RandomSource(0))


def batch_norm(arrays: list[Array], train: bool, **attributes: Any) -> list[Array]:
    return run_node(REGISTRY["BatchNorm"].apply(attributes), arrays, run(train))


def arrays_of(dtype: str = "float64") -> list[Array]:
    parameter = "float32" if dtype == "float16" else dtype
    vectors = [uniform(3, low=0.5, high=2, seed=i).astype(parameter) for i in range(4)]
    return [uniform(4, 3, 2).astype(dtype), *vectors]


@pytest.mark.parametrize("momentum", [0.9, 0.25])
def test_running_statistics_move_in_training(momentum: float) -> None:
    arrays = arrays_of()
    data, _, _, mean, var = (a.copy() for a in arrays)
    batch_norm(arrays, True, momentum=momentum)
    rest = 1 - momentum
    np.testing.assert_allclose(arrays[3], momentum * mean + rest * data.mean(axis=(0, 2)))
    np.testing.assert_allclose(arrays[4], momentum * var + rest * data.var(axis=(0, 2)))


@pytest.mark.parametrize(("train", "attributes"), [(False, {}), (True, {"use_global_stats": True})])
def test_running_statistics_stay_and_are_used_otherwise(train: bool, attributes: Any) -> None:
    arrays = arrays_of()
    before = [a.copy() for a in arrays]
    output, mean, inverse = batch_norm(arrays, train, eps=0.1, fix_gamma=False, **attributes)
    for a, b in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(a, b)
    data, gamma, beta, moving_mean, moving_var = (a.reshape(-1, 1) for a in before)
    data = before[0]
    expected = (data - moving_mean) / np.sqrt(moving_var + 0.1) * gamma + beta
    np.testing.assert_allclose(output, expected)
    np.testing.assert_allclose(mean, before[3])
    np.testing.assert_allclose(inverse, 1 / np.sqrt(before[4] + 0.1))
    mean += 1
    np.testing.assert_array_equal(arrays[3], before[3])  # the output is no view of the state


def test_fixed_gamma_counts_as_one_and_has_no_gradient() -> None:
    arrays = arrays_of()
    free = [a.copy() for a in arrays]
    free[1][:] = 1
    np.testing.assert_allclose(
        batch_norm(arrays, True)[0], batch_norm(free, True, fix_gamma=False)[0]
    )
    variables = [Node(None, name) for name in (*NAMES, "head")]
    node = make_node("BatchNorm", [v.entry() for v in variables[:5]])
    (gradient,) = gradients(
        [node.entry()], [variables[5].entry()], [variables[1].entry()], train=True
    )
    assert gradient is not None
    values = dict(zip(variables, (*arrays, uniform(4, 3, 2, seed=9)), strict=True))
    np.testing.assert_array_equal(interpret(Graph([gradient]), values, run(True))[0], np.zeros(3))


def test_parameters_of_half_precision_data_are_single_precision() -> None:
    variables = [Node(None, name) for name in NAMES]
    node = make_node("BatchNorm", [v.entry() for v in variables], {"output_mean_var": True})
    facts = infer(Graph([node.entry()]), "dtype", {variables[0]: np.dtype("float16")})
    assert [facts[v][0] for v in variables] == [np.float16, *[np.float32] * 4]
    assert facts[node] == [np.float16, np.float32, np.float32]


def test_half_precision_agrees_with_double_precision() -> None:
    results: dict[str, list[Array]] = {}
    for dtype in ("float16", "float64"):
        arrays = arrays_of(dtype)
        variables = [Node(None, name) for name in (*NAMES, "head")]
        node = make_node("BatchNorm", [v.entry() for v in variables[:5]], {"fix_gamma": False})
        wanted = gradients(
            [node.entry()],
            [variables[5].entry()],
            [v.entry() for v in variables[:3]],
            train=True,
        )
        head = uniform(4, 3, 2, seed=9).astype(dtype)
        values = dict(zip(variables, (*arrays, head), strict=True))
        entries = [e for e in wanted if e is not None]
        assert len(entries) == 3
        results[dtype] = interpret(Graph(entries), values, run(True))
    for a, b in zip(results["float16"], results["float64"], strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-2, atol=5e-3)
    assert [a.dtype.name for a in results["float16"]] == ["float16", "float32", "float32"]


def test_channels_are_inferred_from_partial_shapes() -> None:
    variables = [Node(None, name) for name in NAMES]
    node = make_node("BatchNorm", [v.entry() for v in variables])
    facts = infer(Graph([node.entry()]), "shape", {variables[0]: (None, 3, None)})
    assert [facts[v][0] for v in variables[1:]] == [(3,)] * 4
    with pytest.raises(InferenceError, match="axis"):
        infer(Graph([node.entry()]), "shape", {variables[0]: (7,)})


def dropout(data: Array, train: bool = True, **attributes: Any) -> list[Array]:
    return run_node(REGISTRY["Dropout"].apply(attributes), [data], run(train))


def test_dropout_keeps_the_mean() -> None:
    output, mask = dropout(np.ones((200, 200), np.float32), p=0.25)
    np.testing.assert_array_equal(output, mask)
    assert set(np.unique(output)) == {np.float32(0), np.float32(1 / 0.75)}
    assert abs(output.mean() - 1) < 0.02


def test_dropout_drops_along_axes_together() -> None:
    output, mask = dropout(np.ones((3, 50, 4)), axes=(0, 2))
    assert mask.shape == (1, 50, 1)
    np.testing.assert_array_equal(output, np.broadcast_to(mask, output.shape))


def test_dropout_lets_everything_pass_outside_of_training() -> None:
    data = uniform(3, 4)
    np.testing.assert_array_equal(dropout(data, train=False)[0], data)
    assert not np.array_equal(dropout(data, train=False, mode="always")[0], data)


def test_dropout_of_everything_leaves_nothing() -> None:
    assert np.isnan(dropout(uniform(3, 4), p=1)[0]).all()


@pytest.mark.parametrize("attributes", [{"p": 1.1}, {"p": -0.1}, {"axes": (2,)}])
def test_dropout_refuses_impossible_attributes(attributes: Any) -> None:
    with pytest.raises(MXNetError, match=r"p=|axis 2"):
        dropout(uniform(3, 4), **attributes)


def test_gradient_of_dropout_uses_its_mask() -> None:
    data, head = uniform(5, 6), uniform(5, 6, seed=1)
    variables = [Node(None, name) for name in ("data", "head")]
    node = make_node("Dropout", [variables[0].entry()])
    (gradient,) = gradients(
        [node.entry()], [variables[1].entry()], [variables[0].entry()], train=True
    )
    assert gradient is not None
    values = dict(zip(variables, (data, head), strict=True))
    outputs = [node.entry(1), gradient]
    mask, found = interpret(Graph(outputs), values, run(True))
    np.testing.assert_array_equal(found, head * mask)
    assert 0 < np.count_nonzero(mask) < mask.size
