"""Output layers of symbolic training: a plain function forward, the gradient of a loss backward.

As in MXNet, the gradient is that of the named loss, whatever gradient flows in.
"""

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.errors import InferenceError
from gluonic.graph.families import elementwise
from gluonic.graph.indices import check_classes
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import both_ways, floating, wide
from gluonic.graph.ops.softmax import softmax_of
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, complete, peek, title_of, written


class RegressionLayer(NamedTuple):
    """A row of the table: an operator's name, function, derivative of the loss, documentation."""

    name: str
    expression: Callable[..., Any]
    derivative: Callable[[Any, Any], Any]
    documentation: str


_DOCUMENTATION = """{summary}

    The gradient is ``grad_scale / outputs * {derivative}``, where ``outputs`` is the number of
    labels of one instance; it does not depend on the gradient that flows in.

    Parameters
    ----------
    data : array of shape (batch, …)
        The predictions, floating-point.
    label : array of shape (batch, …), with as many elements as data
        The targets. Their shape is inferred as data's, or (batch,) for data of shape (batch, 1).
    grad_scale : float, default 1
        Multiplies the gradient.
    """

REGRESSION_LAYERS = [
    RegressionLayer(
        "LinearRegressionOutput",
        lambda m, data: data,
        lambda F, residual: residual,
        _DOCUMENTATION.format(
            summary="The identity, with the gradient of the squared error.",
            derivative="(output - label)",
        ),
    ),
    RegressionLayer(
        "LogisticRegressionOutput",
        lambda m, data: m.sigmoid(data),
        lambda F, residual: residual,
        _DOCUMENTATION.format(
            summary="The logistic function, with the gradient of the binary cross entropy.",
            derivative="(output - label)",
        ),
    ),
    RegressionLayer(
        "MAERegressionOutput",
        lambda m, data: data,
        lambda F, residual: (residual > 0.0) * 2.0 - 1.0,  # -1 also where they are equal
        _DOCUMENTATION.format(
            summary="The identity, with the gradient of the absolute error.",
            derivative="(1 where output > label, else -1)",
        ),
    ),
]


def _regression_shapes(n: NodeView) -> None:
    both_ways(n, "data", "output")
    data, label = complete(n.data), peek(n, "label")
    if label is None:
        n.label = data[:1] if len(data) == 2 and data[1] == 1 else data
    elif None not in label and (label[:1] != data[:1] or prod(label) != prod(data)):
        raise InferenceError(
            f"{title_of(n)}: label {written(label)} has not the elements of data {written(data)}"
        )


def _register(row: RegressionLayer) -> None:
    def expression(m: Any, data: Any, label: Any, *, grad_scale: float = 1.0) -> Any:
        return row.expression(m, data)

    expression.__name__, expression.__doc__ = row.name, row.documentation
    regression = elementwise(
        row.name,
        shape=_regression_shapes,
        dtype=floating(),
        is_loss=True,
        ignores_unknown=True,
    )
    op = regression(expression)
    op.gradient(
        data=lambda F, n, g: F._per_instance(
            row.derivative(F, n.output - F.reshape_like(n.label, n.output)), scalar=n.grad_scale
        )
    )


for _row in REGRESSION_LAYERS:
    _register(_row)


@operator("_per_instance", dtype=floating())
def per_instance(data: Array, *, scalar: float = 1.0) -> Any:
    """Multiply by `scalar` and divide by the number of elements of one instance."""
    return data * (scalar / max(1, prod(data.shape[1:])))


per_instance.gradient(data=lambda F, n, g: F._per_instance(g, scalar=n.scalar))


@operator("SVMOutput", dtype=floating(), is_loss=True)
def svm_output(
    data: Array,
    label: Array,
    *,
    margin: float = 1.0,
    regularization_coefficient: float = 1.0,
    use_linear: bool = False,
) -> Any:
    """The identity, with the gradient of the hinge loss of one-vs-rest support vector machines.

    With ``s`` 1 for the true class and -1 for the others, the loss of a score ``x`` is
    ``max(0, margin - s x)``, squared unless `use_linear`.

    Parameters
    ----------
    data : array of shape (…, classes)
        The scores.
    label : array of shape (…)
        Class numbers.
    margin : float, default 1
        The score from which a class costs nothing.
    regularization_coefficient : float, default 1
        Multiplies the gradient.
    use_linear : bool, default False
        Whether the loss is linear, not squared.
    """
    return data


@svm_output.infer_shape
def _(n: NodeView) -> None:
    both_ways(n, "data", "output")
    n.label = n.data[:-1]


def _hinge_gradient(F: Any, n: NodeView, g: Any) -> Any:
    away = F._away_from_label(n.data, n.label)
    violation = away * n.data + n.margin
    slope = violation > 0 if n.use_linear else F.relu(violation) * 2
    return away * slope * n.regularization_coefficient


svm_output.gradient(data=_hinge_gradient)


@operator("_away_from_label", shape=like("data"), dtype=floating())
def away_from_label(data: Array, label: Array) -> Any:
    """-1 at the true class and 1 elsewhere: the direction of a wrong score."""
    classes = np.arange(data.shape[-1])
    return np.where(label.astype(np.int64)[..., None] == classes, -1, 1)


away_from_label.gradient()


@operator("softmax_cross_entropy", dtype=floating())
def softmax_cross_entropy(data: Array, label: Array) -> Any:
    """The cross entropy of softmax probabilities, summed over the batch.

    Parameters
    ----------
    data : array of shape (batch, classes)
        The scores.
    label : array of shape (batch,)
        Class numbers.

    Returns
    -------
    array of shape (1,) : ``-Σ log softmax(data)[i, label[i]]``, each probability at least 1e-8
    """
    probabilities = softmax_of(wide(data), 1)
    check_classes(label, data.shape[1], "softmax_cross_entropy")
    # MXNet indexes the rows as one flat array: a class out of range reads a neighbouring row, or nothing
    chosen = np.arange(len(label)) * data.shape[1] + label.astype(np.int64)
    known = (chosen >= 0) & (chosen < probabilities.size)
    true_ones = np.where(known, probabilities.ravel()[np.where(known, chosen, 0)], 0)
    return -np.log(np.maximum(true_ones, 1e-8)).sum(keepdims=True)


@softmax_cross_entropy.infer_shape
def _(n: NodeView) -> None:
    n.output = (1,)
    n.data = (None, None)
    n.label = (n.data[0],)
    n.data = (n.label[0], None)


softmax_cross_entropy.gradient(
    data=lambda F, n, g: F.broadcast_mul(
        F._backward_SoftmaxOutput(F.softmax(n.data), n.label), F.reshape(g, shape=(1, 1))
    )
)
