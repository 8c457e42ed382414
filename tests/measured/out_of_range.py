"""Indices and labels beyond the ends, labels of another shape than predictions: what comes of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

SCORES = [[1.0, 2.0, 3.0], [0.0, 1.0, 0.0], [3.0, 2.0, 1.0]]
LABELS = {"too large": [0, 1, 5], "negative": [0, -1, 2], "just too large": [0, 3, 1]}
OPERATORS = ("pick", "take", "batch_take", "softmax_cross_entropy", "SoftmaxOutput")
LOSSES = (
    "L2Loss",
    "L1Loss",
    "HuberLoss",
    "HingeLoss",
    "LogisticLoss",
    "SigmoidBinaryCrossEntropyLoss",
)
SHAPES = {
    "a column and a row": ((4, 1), (4,)),
    "a row and a column": ((4,), (4, 1)),
    "a matrix": ((2, 2), (4,)),
}
WAYS = {"eager": False, "hybridized": True}


def applied(mx: Any, operator: str, labels: list[int]) -> Any:
    """What an operator computes of scores and labels."""
    dtype = "int32" if operator == "batch_take" else "float32"
    return getattr(mx.nd, operator)(mx.nd.array(SCORES), mx.nd.array(labels, dtype=dtype))


def with_gradient(mx: Any, net: Any, hybridize: bool, x: Any, *others: Any) -> Any:
    """What a net computes, and the gradient of its first parameter, or of its input if it has none."""
    net.hybridize(hybridize)
    parameters = list(net.collect_params().values())
    if not parameters:
        x.attach_grad()
    with mx.autograd.record():
        out = net(x, *others)
    out.backward()
    return [out, parameters[0].grad() if parameters else x.grad]


def looked_up(mx: Any, labels: list[int], hybridize: bool) -> Any:
    """Rows of 2 numbers from a table of 3."""
    net = mx.gluon.nn.Embedding(3, 2)
    net.initialize()
    net.weight.set_data(mx.nd.array([[1, 2], [3, 4], [5, 6]]))
    return with_gradient(mx, net, hybridize, mx.nd.array(labels))


def cross_entropy(mx: Any, labels: list[int], hybridize: bool) -> Any:
    """The loss of scores."""
    net = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    return with_gradient(mx, net, hybridize, mx.nd.array(SCORES), mx.nd.array(labels))


def loss_of(mx: Any, name: str, shapes: Any, hybridize: bool) -> Any:
    """The loss of a prediction and a label of these shapes."""
    prediction, label = shapes
    net = getattr(mx.gluon.loss, name)()
    return with_gradient(mx, net, hybridize, mx.nd.ones(prediction) * 0.5, mx.nd.ones(label))


def cases(mx: Any) -> dict[str, Callable[[], Any]]:
    """Build the cases for a package that is called like MXNet."""
    made: dict[str, Callable[[], Any]] = {}
    for kind, labels in LABELS.items():
        for operator in OPERATORS:
            made[f"{operator}, {kind}"] = partial(applied, mx, operator, labels)
        for way, hybridize in WAYS.items():
            made[f"Embedding, {kind}, {way}"] = partial(looked_up, mx, labels, hybridize)
            made[f"SoftmaxCrossEntropyLoss, {kind}, {way}"] = partial(
                cross_entropy, mx, labels, hybridize
            )
    for name in LOSSES:
        for kind, shapes in SHAPES.items():
            for way, hybridize in WAYS.items():
                made[f"{name}, {kind}, {way}"] = partial(loss_of, mx, name, shapes, hybridize)
    return made
