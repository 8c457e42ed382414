"""Means over axes and over the ranks of a program, and the moments computed from them."""

from math import prod
from typing import Any

import numpy as np

from gluonic.graph.attributes import Axes
from gluonic.graph.families import reduced_axes, reduced_shape, reduction_shape
from gluonic.graph.operator import Array, operator
from gluonic.graph.over_ranks import add_up
from gluonic.graph.rules import like
from gluonic.graph.summation import total
from gluonic.graph.view import NodeView, complete, settings_of

_SETTINGS = ("what", "axis", "keepdims", "exclude")


def rank_moments(numbers: Array, axes: tuple[int, ...], what: str) -> tuple[Array, Array, Array]:
    """The centred numbers, the mean and the variance over `axes` (kept) and all ranks.

    There are two all-reduces, so that the variance is of centred numbers. Batch sizes may differ between ranks.
    """
    mean = _mean(numbers, axes, f"{what}: the mean").astype(numbers.dtype)
    centred = numbers - mean
    variance = _mean(np.square(centred), axes, f"{what}: the variance").astype(numbers.dtype)
    return centred, mean, variance


def _mean(numbers: Array, axes: tuple[int, ...], what: str) -> Array:
    sums = np.asarray(total(numbers, axes, keepdims=True), np.float64)
    return _over_count(sums, [numbers.shape[axis] for axis in axes], what)


def _over_count(sums: Array, extents: list[int], what: str) -> Array:
    """The sums over all ranks, divided by the ranks' total count; one all-reduce adds up both."""
    sent = np.append(sums, float(prod(extents)))
    add_up(sent, lambda: f"{what} of {len(sent) - 1} channels")
    found: Array = (sent[:-1] / max(sent[-1], 1)).reshape(sums.shape)
    return found


def _settings(n: NodeView) -> dict[str, Any]:
    return {name: settings_of(n)[name] for name in _SETTINGS if name in settings_of(n)}


@operator("_mean_over_ranks", shape=reduction_shape, dtype=like("data"))
def mean_over_ranks(
    data: Array, *, what: str, axis: Axes = None, keepdims: bool = False, exclude: bool = False
) -> Array:
    """The mean over axes and over all ranks, which must all compute it; errors name it `what`."""
    axes = reduced_axes(axis, data.ndim, exclude)
    mean = _mean(data, axes, what)
    return mean if keepdims else mean.reshape(complete(reduced_shape(data.shape, axes, False)))


@operator("_backward_mean_over_ranks", shape=like("data"), dtype=like("grad"))
def backward_mean_over_ranks(
    grad: Array,
    data: Array,
    *,
    what: str,
    axis: Axes = None,
    keepdims: bool = False,
    exclude: bool = False,
) -> Array:
    """The gradient of `_mean_over_ranks`, for which the gradients of the mean are summed over the ranks."""
    axes = reduced_axes(axis, data.ndim, exclude)
    kept = grad.reshape(complete(reduced_shape(data.shape, axes, True))).astype(np.float64)
    found = _over_count(kept, [data.shape[axis] for axis in axes], f"{what}: its gradient")
    return np.broadcast_to(found, data.shape)


mean_over_ranks.gradient(
    data=lambda F, n, g: F._backward_mean_over_ranks(g, n.data, **_settings(n))
)
backward_mean_over_ranks.gradient(
    grad=lambda F, n, g: F.reshape_like(F._mean_over_ranks(g, **_settings(n)), n.grad)
)
