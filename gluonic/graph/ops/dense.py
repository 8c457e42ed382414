"""The fully connected layer."""

from math import prod
from typing import Any

from gluonic.graph.attributes import Positive
from gluonic.graph.axes import product
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, LayerWeights, operator
from gluonic.graph.ops.layer_rules import floating, wide
from gluonic.graph.view import NodeView, peek, title_of


@operator(
    "FullyConnected",
    "_npx_fully_connected",
    absent=lambda n: ("bias",) if n.no_bias else (),
)
def fully_connected(
    data: Array,
    weight: LayerWeights,
    bias: Array | None = None,
    *,
    num_hidden: Positive,
    no_bias: bool = False,
    flatten: bool = True,
) -> Any:
    """Apply a linear map and add a bias: ``data · weightᵀ + bias``.

    Parameters
    ----------
    data : array of shape (batch, …)
        The features; with ``flatten=False`` only its last axis is transformed.
    weight : array of shape (num_hidden, features)
        One row for each hidden unit.
    bias : array of shape (num_hidden,), optional
        Absent with ``no_bias=True``.
    num_hidden : int
        The number of hidden units: the length of the output's last axis.
    no_bias : bool, default False
        Whether to leave the bias out.
    flatten : bool, default True
        Whether all axes but the first are features.

    Returns
    -------
    array of shape (batch, num_hidden), or (…, num_hidden) with ``flatten=False``
    """
    kept = data.shape[:1] if flatten else data.shape[:-1]  # one product, not one per kept axis
    rows = data.reshape(prod(kept), prod(data.shape[len(kept) :]))
    result = wide(rows) @ wide(weight).T
    if bias is not None:
        result += bias
    return result if len(kept) == 1 else result.reshape(*kept, num_hidden)


@fully_connected.infer_shape
def _(n: NodeView) -> None:
    data = n.data
    if not data:
        raise InferenceError(f"{title_of(n)}: data has no axes, but must hold rows of features")
    n.weight = (n.num_hidden, None)
    n.bias = (n.num_hidden,)
    kept = 1 if n.flatten else len(data) - 1
    output = peek(n, "output")
    if output is not None and len(output) == kept + 1:
        n.data = (*output[:kept], *data[kept:])
    n.weight = (n.num_hidden, product(data[kept:]))
    if len(data) == kept + 1:
        n.data = (*data[:kept], n.weight[1])
    n.output = (*n.data[:kept], n.num_hidden)


fully_connected.dtype = floating()


def _as_rows(F: Any, n: NodeView, array: Any) -> Any:
    """Collapse all axes but the last one."""
    return array if n.flatten else F.reshape(array, shape=(-1, 0), reverse=True)


fully_connected.gradient(
    data=lambda F, n, g: F.reshape_like(F.dot(g, n.weight), n.data),
    weight=lambda F, n, g: F.dot(
        _as_rows(F, n, g),
        F.Flatten(n.data) if n.flatten else _as_rows(F, n, n.data),
        transpose_a=True,
    ),
    bias=lambda F, n, g: F.sum(g, axis=-1, exclude=True),
)
