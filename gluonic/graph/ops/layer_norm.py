"""Normalization of single instances: LayerNorm, InstanceNorm and GroupNorm."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.attributes import Positive
from gluonic.graph.axes import axis_of, divided, replaced
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, LayerWeights, Operator, operator
from gluonic.graph.ops.layer_rules import both_ways, floating, wide
from gluonic.graph.ops.standardization import Standardization, moments
from gluonic.graph.view import NodeView, title_of, written


def _normalize(
    blocks: Array, gamma: Array, beta: Array, axis: int, eps: float
) -> tuple[Array, Array, Array]:
    """Standardize blocks of numbers along an axis; also return their means and standard deviations."""
    centred, mean, variance = moments(wide(blocks), (axis,))
    deviation = np.sqrt(variance + eps)
    centred *= gamma / deviation
    centred += beta
    return centred, mean, deviation


def _along(vector: Array, rank: int, axis: int) -> Array:
    return wide(vector).reshape([-1 if i == axis % rank else 1 for i in range(rank)])


@operator(
    "LayerNorm",
    "_npx_layer_norm",
    outputs=("output", "mean", "std"),
    visible=lambda n: 3 if n.output_mean_var else 1,
    dtype=floating(),
)
def layer_norm(
    data: Array,
    gamma: LayerWeights,
    beta: Array,
    *,
    axis: int = -1,
    eps: float = 1e-5,
    output_mean_var: bool = False,
) -> Any:
    """Standardize along one axis, then scale and shift (arXiv:1607.06450).

    ``(data - mean) / sqrt(var + eps) * gamma + beta``, with mean and variance along `axis`.

    Parameters
    ----------
    data : array
        Any shape, floating-point.
    gamma, beta : arrays of shape (data.shape[axis],)
        Scale and shift.
    axis : int, default -1
        The axis to standardize along.
    eps : float, default 1e-5
        Added to the variance.
    output_mean_var : bool, default False
        Whether to show the second and third output.

    Returns
    -------
    output : array like data
    mean, std : arrays of data's shape with length 1 along `axis`
        The mean and ``sqrt(var + eps)``, hidden by default.
    """
    rank = data.ndim
    return _normalize(data, _along(gamma, rank, axis), _along(beta, rank, axis), axis, eps)


@layer_norm.infer_shape
def _(n: NodeView) -> None:
    both_ways(n, "data", "output")
    axis = axis_of(n.axis, len(n.data), title_of(n))
    n.gamma = n.beta = (n.data[axis],)
    n.mean = n.std = replaced(n.data, axis, 1)


@operator("InstanceNorm", outputs=("output", "mean", "std"), visible=1, dtype=floating())
def instance_norm(data: Array, gamma: LayerWeights, beta: Array, *, eps: float = 1e-3) -> Any:
    """Standardize every channel of every instance, then scale and shift (arXiv:1607.08022).

    ``(data - mean) / sqrt(var + eps) * gamma + beta``, with mean and variance over the spatial axes.

    Parameters
    ----------
    data : array of shape (batch, channels, …), with at least one spatial axis
        Floating-point.
    gamma, beta : arrays of shape (channels,)
        Scale and shift.
    eps : float, default 1e-3
        Added to the variance.
    """
    return _normalize_groups(data, data.shape[1], gamma, beta, eps)


def _normalize_groups(
    data: Array, groups: int, gamma: Array, beta: Array, eps: float
) -> tuple[Array, Array, Array]:
    members = prod(data.shape[1:]) // max(1, groups)
    blocks = data.reshape(len(data), groups, members)
    output, mean, std = _normalize(blocks, _along(gamma, 3, 1), _along(beta, 3, 1), 2, eps)
    return output.reshape(data.shape), mean[:, :, 0], std[:, :, 0]


def _require_spatial_axes(n: NodeView) -> None:
    if len(n.data) < 3:
        raise InferenceError(
            f"{title_of(n)}: data is {written(n.data)} but needs spatial axes: (batch, channels, …)"
        )


@instance_norm.infer_shape
def _(n: NodeView) -> None:
    both_ways(n, "data", "output")
    _require_spatial_axes(n)
    n.gamma = n.beta = (n.data[1],)
    n.mean = n.std = n.data[:2]


@operator(
    "GroupNorm",
    outputs=("output", "mean", "std"),
    visible=lambda n: 3 if n.output_mean_var else 1,
    dtype=floating(),
)
def group_norm(
    data: Array,
    gamma: LayerWeights,
    beta: Array,
    *,
    num_groups: Positive = 1,
    eps: float = 1e-5,
    output_mean_var: bool = False,
) -> Any:
    """Standardize groups of channels of every instance, then scale and shift (arXiv:1803.08494).

    ``(data - mean) / sqrt(var + eps) * gamma + beta``, with mean and variance over a group.

    Parameters
    ----------
    data : array of shape (batch, channels, …), with at least one spatial axis
        Floating-point.
    gamma, beta : arrays of shape (num_groups,)
        Scale and shift.
    num_groups : int, default 1
        The number of groups that the channels are divided into.
    eps : float, default 1e-5
        Added to the variance.
    output_mean_var : bool, default False
        Whether to show the second and third output.

    Returns
    -------
    output : array like data
    mean, std : arrays of shape (batch, num_groups)
        The mean and ``sqrt(var + eps)``, hidden by default.
    """
    return _normalize_groups(data, num_groups, gamma, beta, eps)


@group_norm.infer_shape
def _(n: NodeView) -> None:
    both_ways(n, "data", "output")
    _require_spatial_axes(n)
    divided(n.data[1], n.num_groups, f"{title_of(n)}: the number of channels")
    n.gamma = n.beta = (n.num_groups,)
    n.mean = n.std = (n.data[0], n.num_groups)


class Arrangement(NamedTuple):
    """The view of a layer's arrays in which each normalized block is one axis.

    Attributes
    ----------
    blocks, statistic, parameter : reshape data, means and parameters so that they broadcast together
    axis : the axis of a block
    """

    blocks: Callable[[Any, NodeView, Any], Any]
    statistic: Callable[[Any, NodeView, Any], Any]
    parameter: Callable[[Any, NodeView, Any], Any]
    axis: Callable[[NodeView], int]


def _grouped(groups: Callable[[NodeView], int]) -> Arrangement:
    return Arrangement(
        blocks=lambda F, n, x: F.reshape(x, shape=(0, groups(n), -1)),
        statistic=lambda F, n, x: F.expand_dims(x, axis=2),
        parameter=lambda F, n, x: F.reshape(x, shape=(1, -1, 1)),
        axis=lambda n: 2,
    )


ARRANGEMENTS = {
    layer_norm: Arrangement(
        blocks=lambda F, n, x: x,
        statistic=lambda F, n, x: x,
        parameter=lambda F, n, x: F._channel_view_like(x, n.data, axis=n.axis),
        axis=lambda n: int(n.axis),
    ),
    instance_norm: _grouped(lambda n: 0),  # to `reshape`, 0 means: keep the axis
    group_norm: _grouped(lambda n: int(n.num_groups)),
}


def _declare_gradients(op: Operator, arrangement: Arrangement) -> None:
    blocks, statistic, parameter, axis = arrangement

    def gradients(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
        layer = Standardization(
            F,
            blocks(F, n, n.data),
            statistic(F, n, n.mean),
            1 / statistic(F, n, n.std),
            axis=axis(n),
        )
        found: dict[str, Any] = {}
        parts = []
        if heads[0] is not None:
            g, gamma = blocks(F, n, heads[0]), parameter(F, n, n.gamma)
            slope = F._reduce_like(g * layer.standardized, gamma)
            found["gamma"] = F.reshape_like(slope, n.gamma)
            found["beta"] = F.reshape_like(F._reduce_like(g, gamma), n.beta)
            parts.append(layer.through(F.broadcast_mul(g, gamma)))
        if heads[1] is not None:
            parts.append(layer.through_mean(statistic(F, n, heads[1])))
        if heads[2] is not None:
            parts.append(layer.through_deviation(statistic(F, n, heads[2])))
        if parts:
            total = F.add_n(*parts) if len(parts) > 1 else parts[0]
            found["data"] = F.reshape_like(total, n.data)
        return found

    op.all_gradients(gradients)


for _op, _arrangement in ARRANGEMENTS.items():
    _declare_gradients(_op, _arrangement)
