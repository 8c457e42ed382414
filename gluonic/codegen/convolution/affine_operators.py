"""Batch normalization by running statistics as an affine map: a scale and a shift per channel."""

from typing import Any

from gluonic.graph.families import scalar_operator


def _factor(m: Any, variance: Any, gamma: Any = None, *, eps: float, has_gamma: bool) -> Any:
    """The scale of a channel."""
    deviation = m.sqrt(variance + eps)
    return gamma / deviation if has_gamma else 1 / deviation


def _summand(m: Any, factor: Any, mean: Any, beta: Any, bias: Any = None, *, has_bias: bool) -> Any:
    """The shift of a channel, which includes the scaled bias before the normalization."""
    summand = beta - mean * factor
    return summand + bias * factor if has_bias else summand


channel_factor = scalar_operator(
    "_channel_factor", _factor, absent=lambda n: () if n.has_gamma else ("gamma",)
)
channel_summand = scalar_operator(
    "_channel_summand", _summand, absent=lambda n: () if n.has_bias else ("bias",)
)
