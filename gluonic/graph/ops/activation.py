"""Activation functions chosen by an attribute."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from gluonic.graph.attributes import Shape
from gluonic.graph.error_function import NORMAL_PEAK
from gluonic.graph.errors import InferenceError
from gluonic.graph.families import elementwise
from gluonic.graph.operator import Array, GradientRule, LayerWeights, Run, operator
from gluonic.graph.ops.distributions import as_float, drawn_as
from gluonic.graph.ops.layer_rules import both_ways, floating
from gluonic.graph.random_source import Draws
from gluonic.graph.scalar_math import M
from gluonic.graph.view import NodeView, PartialShape, complete, peek


class ActivationFunction(NamedTuple):
    """An activation function of `data`, and its derivative times the gradient flowing in."""

    expression: Callable[..., Any]
    gradient: GradientRule


ACTIVATIONS = {
    "relu": ActivationFunction(
        lambda m, data: m.maximum(data, 0),
        lambda F, n, g: g * (n.output > 0),
    ),
    "sigmoid": ActivationFunction(
        lambda m, data: m.sigmoid(data),
        lambda F, n, g: g * n.output * (1 - n.output),
    ),
    "tanh": ActivationFunction(
        lambda m, data: m.tanh(data),
        lambda F, n, g: g * (1 - n.output * n.output),
    ),
    "softrelu": ActivationFunction(
        lambda m, data: m.maximum(data, 0) + m.log1p(m.exp(-m.abs(m.wide(data)))),
        lambda F, n, g: g * F.sigmoid(n.data),
    ),
    "softsign": ActivationFunction(
        lambda m, data: data / (1 + m.abs(m.wide(data))),
        lambda F, n, g: g / F.square(1 + F.abs(n.data)),
    ),
}


@elementwise("Activation", "_npx_activation", dtype=floating())
def activation(
    m: Any,
    data: Any,
    *,
    act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"],
) -> Any:
    """Apply an activation function to every element.

    Parameters
    ----------
    data : array
        Any shape, floating-point.
    act_type : str
        ``relu`` is ``max(x, 0)``, ``sigmoid`` is ``1 / (1 + exp(-x))``, ``softrelu`` is
        ``log(1 + exp(x))``, ``softsign`` is ``x / (1 + |x|)``, and ``tanh``.
    """
    return ACTIVATIONS[act_type].expression(m, data)


activation.gradient(data=lambda F, n, g: ACTIVATIONS[n.act_type].gradient(F, n, g))

_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772

# Activations that LeakyReLU applies without a second array; `slope` is its attribute.
LEAKY_ACTIVATIONS = {
    "leaky": ActivationFunction(
        lambda m, data, slope: m.where(data > 0, data, slope * data),
        lambda F, n, g: F.where(n.data > 0, g, g * n.slope),
    ),
    "elu": ActivationFunction(
        lambda m, data, slope: m.where(
            data > 0, data, m.attribute(slope, data) * m.expm1(m.wide(data))
        ),
        lambda F, n, g: F.where(n.data > 0, g, g * (n.output + n.slope)),
    ),
    "selu": ActivationFunction(
        lambda m, data, slope: (
            _SELU_SCALE * m.where(data > 0, data, _SELU_ALPHA * m.expm1(m.wide(data)))
        ),
        lambda F, n, g: F.where(
            n.data > 0, g * _SELU_SCALE, g * (n.output + _SELU_SCALE * _SELU_ALPHA)
        ),
    ),
    "gelu": ActivationFunction(
        lambda m, data, slope: m.gelu(data),
        lambda F, n, g: g * F._gelu_slope(n.data),
    ),
}


@operator(
    "LeakyReLU",
    "_npx_leaky_relu",
    absent=lambda n: () if n.act_type == "prelu" else ("gamma",),
    outputs=lambda n: ("output", "mask") if n.act_type == "rrelu" else ("output",),
)
def leaky_relu(
    data: Array,
    gamma: LayerWeights | None = None,
    *,
    act_type: Literal["rrelu", "leaky", "prelu", "elu", "selu", "gelu"] = "leaky",
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.334,
    run: Run,
) -> Any:
    """Apply a leaky rectifier of a chosen kind, or GELU.

    Parameters
    ----------
    data : array of shape (batch, channels, …)
        Floating-point.
    gamma : array of shape (channels,) or (1,), optional
        The learnt slopes; only with ``act_type="prelu"``.
    act_type : str, default "leaky"
        The result for a negative ``x``. ``leaky``: ``slope x``. ``prelu``: ``gamma x``. ``elu``:
        ``slope (exp(x) - 1)``. ``selu``: ``1.7581 (exp(x) - 1)``, positive numbers times 1.0507
        (arXiv:1706.02515). ``rrelu``: a slope drawn uniformly for every element in training, the
        mean slope otherwise (arXiv:1505.00853). ``gelu`` is ``x Φ(x)`` for all numbers, ``Φ`` the
        normal distribution (arXiv:1606.08415).
    slope : float, default 0.25
        For ``leaky`` and ``elu``.
    lower_bound, upper_bound : float, default 0.125 and 0.334
        The range of the random slopes.

    Returns
    -------
    array like data; with ``act_type="rrelu"`` also the slopes used, as a second array
    """
    if gamma is not None:
        return np.where(data > 0, data, data * gamma.reshape(_prelu_axes(gamma.shape, data.shape)))
    if act_type == "rrelu":
        if run.train:
            mask = random_slopes(run.random, data.shape, data.dtype, lower_bound, upper_bound)
        else:
            mask = np.full_like(data, (lower_bound + upper_bound) / 2)
        return np.where(data > 0, data, data * mask), mask
    return LEAKY_ACTIVATIONS[act_type].expression(M, data, slope)


def random_slopes(random: Draws, shape: Shape, dtype: Any, low: float, high: float) -> Array:
    """A slope for each element of an array of such a shape, uniform between the two bounds."""
    drawn = random.draw("uniform", shape, drawn_as(dtype), 0.0, 1.0)
    drawn = as_float(drawn, dtype).astype(dtype)
    found: Array = drawn * dtype.type(np.float32(high) - np.float32(low)) + dtype.type(low)
    return found


def _prelu_axes(gamma: PartialShape, data: PartialShape) -> tuple[int, ...]:
    """The shape under which `gamma` broadcasts against `data`: along the first two axes.

    >>> _prelu_axes((3,), (2, 3, 4)), _prelu_axes((2, 3), (2, 3, 4))
    ((1, 3, 1), (2, 3, 1))
    """
    shape, left = [1] * len(data), list(gamma)
    for axis in reversed(range(min(2, len(data)))):
        if left and (left[-1] == 1 or left[-1] == data[axis]):
            shape[axis] = left.pop()  # type: ignore[assignment]
    if left:
        raise InferenceError(
            f"LeakyReLU: gamma of shape {gamma} does not belong to the channels of data {data}"
        )
    return tuple(shape)


@leaky_relu.infer_shape
def _(n: NodeView) -> None:
    both_ways(n, "data", "output")
    if n.act_type == "rrelu":
        both_ways(n, "output", "mask")
    if n.act_type != "prelu":
        return
    data = n.data
    if peek(n, "gamma") is None:
        n.gamma = (data[min(1, len(data) - 1)],)
    elif None not in data[:2] and None not in n.gamma:
        _prelu_axes(n.gamma, data)


leaky_relu.dtype = floating()


@leaky_relu.all_gradients
def _(F: Any, n: NodeView, heads: Any) -> dict[str, Any]:
    g = heads[0]
    if g is None:
        return {}
    if n.act_type == "prelu":
        slopes = F._prelu_view_like(n.gamma, n.data)
        leaked = F.broadcast_mul(g, slopes)
        below = F._reduce_like(F.where(n.data > 0, F.zeros_like(g), g * n.data), slopes)
        return {
            "data": F.where(n.data > 0, g, leaked),
            "gamma": F.reshape_like(below, n.gamma),
        }
    if n.act_type == "rrelu":
        return {"data": F.where(n.data > 0, g, g * n.mask)}
    return {"data": LEAKY_ACTIVATIONS[n.act_type].gradient(F, n, g)}


@elementwise("_gelu_slope", dtype=floating())
def gelu_slope(m: Any, data: Any) -> Any:
    """The derivative of GELU."""
    return m.gelu_slope(data)


gelu_slope.gradient(
    data=lambda F, n, g: g * F.exp(F.square(n.data) * -0.5) * (2 - F.square(n.data)) * NORMAL_PEAK
)


@operator("_prelu_view_like")
def prelu_view_like(gamma: Array, data: Array) -> Any:
    """The slopes `gamma` of a PReLU under the shape in which they broadcast against `data`."""
    return gamma.reshape(_prelu_axes(gamma.shape, data.shape))


@prelu_view_like.infer_shape
def _(n: NodeView) -> None:
    n.output = _prelu_axes(complete(n.gamma), complete(n.data[:2]) + n.data[2:])


prelu_view_like.gradient(gamma=lambda F, n, g: F.reshape_like(g, n.gamma))
