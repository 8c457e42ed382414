"""Activation functions: the slopes of a PReLU, the random slopes of an RReLU."""

from typing import Any

import numpy as np
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


def run(train: bool = False) -> Run:
    return Run(train=train, random=RandomSource(0))


def leaky_relu(*arrays: Any, train: bool = False, **attributes: Any) -> list[Any]:
    return run_node(REGISTRY["LeakyReLU"].apply(attributes), arrays, run(train))


@pytest.mark.parametrize(
    ("shape", "broadcast"),
    [
        ((3,), (1, 3, 1)),
        ((1,), (1, 1, 1)),
        ((2,), (2, 1, 1)),
        ((2, 3), (2, 3, 1)),
        ((2, 1), (2, 1, 1)),
    ],
)
def test_prelu_slopes_belong_to_the_first_two_axes(shape: Any, broadcast: Any) -> None:
    data, gamma = uniform(2, 3, 4), uniform(*shape, seed=1)
    expected = np.where(data > 0, data, data * gamma.reshape(broadcast))
    (found,) = leaky_relu(data, gamma, act_type="prelu")
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", [(4,), (2, 3, 4), (2, 1, 1), (1, 3, 1)])
def test_prelu_refuses_slopes_that_are_not_for_channels(shape: Any) -> None:
    with pytest.raises(InferenceError, match="gamma"):
        leaky_relu(uniform(2, 3, 4), uniform(*shape), act_type="prelu")


def test_prelu_infers_a_slope_for_every_channel() -> None:
    variables = [Node(None, name) for name in ("data", "gamma")]
    node = make_node("LeakyReLU", [v.entry() for v in variables], {"act_type": "prelu"})
    facts = infer(Graph([node.entry()]), "shape", {variables[0]: (4, 5, 6)})
    assert facts[variables[1]] == [(5,)]


@pytest.mark.parametrize("shape", [(1,), (2, 3)])
def test_gradient_of_prelu_slopes_has_their_shape(shape: Any) -> None:
    data, gamma, head = uniform(2, 3, 4), uniform(*shape), uniform(2, 3, 4, seed=5)
    variables = [Node(None, name) for name in ("data", "gamma", "head")]
    node = make_node("LeakyReLU", [v.entry() for v in variables[:2]], {"act_type": "prelu"})
    found = gradients([node.entry()], [variables[2].entry()], [variables[1].entry()], train=False)
    assert found[0] is not None
    values = dict(zip(variables, (data, gamma, head), strict=True))
    (gradient,) = interpret(Graph([found[0]]), values, run())
    below = np.minimum(data, 0) * head
    axes = (0, 1, 2) if shape == (1,) else (2,)
    np.testing.assert_allclose(gradient, below.sum(axis=axes).reshape(shape))


def test_rrelu_draws_slopes_in_training_only() -> None:
    data = -np.ones((50, 50))
    bounds: dict[str, Any] = {"act_type": "rrelu", "lower_bound": 0.2, "upper_bound": 0.6}
    output, slopes = leaky_relu(data, train=True, **bounds)
    assert slopes.min() >= 0.2
    assert slopes.max() < 0.6
    assert np.unique(slopes).size == slopes.size
    np.testing.assert_array_equal(output, -slopes)
    np.testing.assert_allclose(leaky_relu(data, **bounds)[0], -0.4)


@pytest.mark.parametrize("name", ["Activation", "LeakyReLU", "softmax", "FullyConnected"])
def test_layers_refuse_integers(name: str) -> None:
    attributes: dict[str, dict[str, Any]] = {
        "Activation": {"act_type": "relu"},
        "FullyConnected": {"num_hidden": 2, "no_bias": True},
    }
    application = REGISTRY[name].apply(attributes.get(name, {}))
    arrays = [np.ones((2, 2), np.int32)] * len(application.inputs)
    with pytest.raises(MXNetError, match="data must be float16, float32 or float64, not int32"):
        run_node(application, arrays, run())


def test_the_gradient_of_relu_passes_nan_on() -> None:
    x, head = Node(None, "x"), Node(None, "head")
    (gradient,) = gradients(
        [make_node("relu", [x.entry()], {}).entry()], [head.entry()], [x.entry()], train=True
    )
    assert gradient is not None
    data = np.array([np.nan, -1, 0, 2, np.inf])
    (found,) = interpret(Graph([gradient]), {x: data, head: np.full(5, 3.0)}, run())
    np.testing.assert_array_equal(found, [np.nan, 0, 0, 3, 3])
