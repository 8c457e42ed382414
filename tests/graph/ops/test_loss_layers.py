"""The gradients of output layers: those of their losses, whatever flows in."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from gluonic.graph import ops  # noqa: F401 - fills the registry
from gluonic.graph.errors import InferenceError
from gluonic.graph.gradient import gradients
from gluonic.graph.infer import infer
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Graph, Node, make_node
from gluonic.graph.operator import Run
from gluonic.graph.random_source import RandomSource
from tests.graph.samples.sample import uniform

Array = npt.NDArray[Any]
RUN = Run(train=True, random=RandomSource(0))
LABELS = np.array([0.0, 3.0, 2.0])


def gradient_of(
    name: str, data: Array, label: Array, head: float = 1.0, **attributes: Any
) -> Array:
    """The gradient with respect to `data` when `head` flows into every output."""
    variables = [Node(None, n) for n in ("data", "label", "head")]
    node = make_node(name, [v.entry() for v in variables[:2]], attributes)
    entries = gradients([node.entry()], [variables[2].entry()], [variables[0].entry()], train=True)
    (output,) = interpret(
        Graph([node.entry()]), dict(zip(variables, (data, label), strict=False)), RUN
    )
    values = dict(zip(variables, (data, label, np.full_like(output, head)), strict=True))
    assert entries[0] is not None
    return interpret(Graph([entries[0]]), values, RUN)[0]


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    shares: Array = e / e.sum(axis=1, keepdims=True)
    return shares


@pytest.mark.parametrize("head", [0.0, 1.0, 5.0])
def test_softmax_output_ignores_the_gradient_flowing_in(head: float) -> None:
    data = uniform(3, 4)
    expected = softmax(data) - np.eye(4)[LABELS.astype(int)]
    np.testing.assert_allclose(gradient_of("SoftmaxOutput", data, LABELS, head), expected)


def test_softmax_output_multiplies_by_the_gradient_flowing_in_if_asked() -> None:
    data = uniform(3, 4)
    once = gradient_of("SoftmaxOutput", data, LABELS)
    twice = gradient_of("SoftmaxOutput", data, LABELS, 2.0, out_grad=True)
    np.testing.assert_allclose(twice, 2 * once)


def test_softmax_output_ignores_a_label_and_counts_the_others() -> None:
    data = uniform(3, 4)
    full = gradient_of("SoftmaxOutput", data, LABELS)
    options: dict[str, Any] = {"use_ignore": True, "ignore_label": 2, "normalization": "valid"}
    found = gradient_of("SoftmaxOutput", data, LABELS, **options)
    np.testing.assert_allclose(found[:2], full[:2] / 2)
    assert not found[2].any()


def test_softmax_output_shares_the_smoothed_probability() -> None:
    data = uniform(3, 4)
    target = np.where(np.eye(4)[LABELS.astype(int)] == 1, 0.7, 0.1)
    found = gradient_of("SoftmaxOutput", data, LABELS, smooth_alpha=0.3)
    np.testing.assert_allclose(found, softmax(data) - target)


def test_softmax_output_takes_probabilities_as_labels() -> None:
    data, label = uniform(3, 4), softmax(uniform(3, 4, seed=1))
    found = gradient_of("SoftmaxOutput", data, label, grad_scale=2)
    np.testing.assert_allclose(found, 2 * (softmax(data) - label))


def test_softmax_output_of_many_positions_divides_by_their_number() -> None:
    data = uniform(2, 3, 4)
    label = np.array([[0.0, 1, 2, 0], [2, 2, 1, 0]])
    one_hot = np.moveaxis(np.eye(3)[label.astype(int)], -1, 1)
    found = gradient_of("SoftmaxOutput", data, label, multi_output=True)
    np.testing.assert_allclose(found, (softmax(data) - one_hot) / 4)
    by_batch = gradient_of("SoftmaxOutput", data, label, multi_output=True, normalization="batch")
    np.testing.assert_allclose(by_batch, found / 2)


@pytest.mark.parametrize(
    ("name", "loss"),
    [
        ("LinearRegressionOutput", lambda y, t: (y - t) ** 2 / 2),
        ("MAERegressionOutput", lambda y, t: np.abs(y - t)),
        ("LogisticRegressionOutput", lambda y, t: np.log1p(np.exp(y)) - t * y),
    ],
)
def test_regression_layers_have_the_gradient_of_their_loss(name: str, loss: Any) -> None:
    data, label, step = uniform(3, 4), uniform(3, 2, 2, seed=1, low=0), 1e-6
    aim = label.reshape(3, 4)
    expected = (loss(data + step, aim) - loss(data - step, aim)) / (2 * step) / 4 * 3
    found = gradient_of(name, data, label, head=7.0, grad_scale=3)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("linear", [False, True])
def test_support_vector_machines_have_the_gradient_of_the_hinge_loss(linear: bool) -> None:
    data, step = uniform(3, 4), 1e-6
    sign = np.where(np.eye(4)[LABELS.astype(int)] == 1, 1, -1)

    def loss(x: Array) -> Array:
        hinge = np.maximum(0, 0.5 - sign * x)
        return 2 * (hinge if linear else hinge**2)

    expected = (loss(data + step) - loss(data - step)) / (2 * step)
    found = gradient_of(
        "SVMOutput", data, LABELS, margin=0.5, regularization_coefficient=2, use_linear=linear
    )
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def shapes_of(name: str, shapes: dict[str, tuple[int | None, ...]], **attributes: Any) -> list[Any]:
    """The shapes of data, label and output that follow from some of them."""
    variables = [Node(None, n) for n in ("data", "label")]
    node = make_node(name, [v.entry() for v in variables], attributes)
    known = {v: shapes[v.name] for v in variables if v.name in shapes}
    facts = infer(Graph([node.entry()]), "shape", known)
    return [facts[n][0] for n in (*variables, node)]


def test_labels_get_the_shapes_that_mxnet_infers() -> None:
    assert shapes_of("SoftmaxOutput", {"data": (4, 5)})[1] == (4,)
    assert shapes_of("SoftmaxOutput", {"data": (None, 5)})[1] == (None,)
    assert shapes_of("SoftmaxOutput", {"data": (4, 5, 6)})[1] == (4, 5)
    many = {"multi_output": True}
    assert shapes_of("SoftmaxOutput", {"data": (4, 5, 6, 7)}, **many)[1] == (4, 42)
    for label in [(4, 6, 7), (4, 1, 6, 7), (4, 42), (4, 5, 6, 7)]:
        found = shapes_of("SoftmaxOutput", {"data": (4, 5, 6, 7), "label": label}, **many)
        assert found[1] == label
    assert shapes_of("LinearRegressionOutput", {"data": (4, 5)})[1] == (4, 5)
    assert shapes_of("LinearRegressionOutput", {"data": (4, 1)})[1] == (4,)
    assert shapes_of("SVMOutput", {"data": (4, 5, 6)})[1] == (4, 5)


@pytest.mark.parametrize(
    ("name", "label", "attributes"),
    [
        ("SoftmaxOutput", (4, 1, 1), {}),
        ("SoftmaxOutput", (4,), {"multi_output": True}),
        ("LinearRegressionOutput", (60,), {}),
        ("LinearRegressionOutput", (4, 14), {}),
        ("SVMOutput", (4,), {}),
    ],
)
def test_labels_of_another_shape_are_refused(name: str, label: Any, attributes: Any) -> None:
    with pytest.raises(InferenceError, match="label"):
        shapes_of(name, {"data": (4, 5, 3), "label": label}, **attributes)
