"""The weights and biases of MXNet's fused layers, as the integers that they compute with."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.operator import Array
from gluonic.graph.ops.fused_bodies import FusedBody
from gluonic.graph.quantized_numbers import (
    FLOAT32,
    INT8,
    INT32,
    Ranged,
    ResultRange,
    per_size,
    rounded,
    span,
)

_MOST_OF_BIAS = np.float32(2.0**30)
"""Half of the levels of int32, which leaves room for the products."""


def _weight_scales(weight: Array, bias: Array | None, data_scale: Any, *, by_filter: bool) -> Array:
    """The numbers of levels per unit of a layer's weights: one for each filter, or one for all.

    Parameters
    ----------
    data_scale : that of the data; a filter gets fewer levels if its bias would exceed int32
    """
    rows = np.abs(weight.reshape(len(weight) if by_filter else 1, -1)).max(axis=1)
    scales: Array = per_size(INT8, rows)
    if by_filter and bias is not None:
        is_zero = bias == 0
        most = _MOST_OF_BIAS / np.abs(np.where(is_zero, np.float32(1), bias)) / data_scale
        scales = np.where(is_zero, scales, np.minimum(scales, most))
    return scales


def weight_levels(weight: Array, scales: Array) -> Array:
    """The weights as int8."""
    return rounded(weight * scales.reshape(-1, *[1] * (weight.ndim - 1)), INT8)


def folded(body: FusedBody, named: Mapping[str, Array]) -> tuple[Array, Array | None]:
    """The weight and the bias of a convolution, with its normalization folded into them."""
    weight, bias = named["weight"], named.get("bias")
    norm = body.member("BatchNorm")
    if norm is None:
        return weight, bias
    settings = norm.applied.settings
    gamma = np.float32(1) if settings["fix_gamma"] else named["gamma"]
    deviation = np.sqrt(named["var"].astype(np.float64) + settings["eps"])
    scale = (gamma / deviation).astype(np.float32)
    mean = named["mean"] if bias is None else named["mean"] - bias
    return weight * scale.reshape(-1, *[1] * (weight.ndim - 1)), named["beta"] - scale * mean


class PlannedLayer(NamedTuple):
    """A layer of small integers, whose sums are scaled to levels of its result.

    Attributes
    ----------
    weight, bias : as int8, and as integers among the sums; None without a bias
    scales : the numbers of levels per unit of the weights
    """

    weight: Array
    bias: Array | None
    scales: Array


def planned_convolution(
    body: FusedBody, named: Mapping[str, Array], data: Ranged, into: ResultRange
) -> PlannedLayer:
    """The parameters of a convolution as it computes with them; of the data, only the range counts."""
    weight, bias = folded(body, named)
    scales = _weight_scales(weight, bias, data.scale, by_filter=into.dtype != INT32)
    whole = None if bias is None else rounded(bias * (scales * data.scale), INT32)
    return PlannedLayer(weight_levels(weight, scales), whole, scales)


def _tensor_wise(named: Mapping[str, Array], data_scale: Any) -> tuple[Array, Array, Array | None]:
    """The scale of int8 weights, the weights, and the bias in the levels of their products."""
    weight = Ranged(named["weight"], named["min_weight"], named["max_weight"])
    if "bias" not in named:
        return weight.scale.reshape(1), weight.array, None
    bias = Ranged(named["bias"], named["min_bias"], named["max_bias"])
    rescale, size = data_scale * weight.scale / bias.scale, span(bias.low, bias.high)
    sized = np.where(size == 0, np.float32(1), size)
    most = np.where(size == 0, rescale, _MOST_OF_BIAS / sized / bias.scale)
    # fewer levels for the weights where the bias would exceed int32
    shrunk = np.where(rescale > most, most * bias.scale / data_scale / weight.scale, np.float32(1))
    levels = _half_away(weight.array.astype(FLOAT32) * shrunk).astype(INT8)
    added = _half_away(bias.array.astype(FLOAT32) * np.minimum(rescale, most))
    return (weight.scale * shrunk).reshape(1), levels, added


def _half_away(values: Array) -> Array:
    """Round to the nearest integers, halves away from zero."""
    exact = values.astype(np.float64)
    return np.copysign(np.floor(np.abs(exact) + 0.5), exact)


def planned_dense(named: Mapping[str, Array], data: Ranged, *, by_row: bool) -> PlannedLayer:
    """The parameters of a dense layer as it computes with them; of the data, only the range counts."""
    if not by_row:
        scales, weight, bias = _tensor_wise(named, data.scale)
        return PlannedLayer(weight, bias, scales)
    weight, bias = named["weight"], named.get("bias")
    scales = _weight_scales(weight, bias, data.scale, by_filter=True)
    whole = None if bias is None else rounded(bias * (scales * data.scale), INT32)
    return PlannedLayer(weight_levels(weight, scales), whole, scales)
