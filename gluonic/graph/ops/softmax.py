"""Softmax and its relatives."""

from typing import Any, Literal

import numpy as np

from gluonic.graph.attributes import DType
from gluonic.graph.axes import axis_of, without
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, Operator, operator
from gluonic.graph.ops.layer_rules import both_ways, floating, require_floating, wide
from gluonic.graph.summation import total_like
from gluonic.graph.view import NodeView, peek, slots_of, title_of


def _shifted(data: Array, axis: int, temperature: float | None) -> Array:
    """The numbers divided by the temperature, shifted so that their maximum along the axis is zero."""
    numbers = wide(data)
    if temperature is not None and temperature != 1:
        numbers = numbers / numbers.dtype.type(temperature)
    shifted: Array = numbers - numbers.max(axis=axis, keepdims=True, initial=-np.inf)
    return shifted


def _sum(numbers: Array, axis: int) -> Any:
    """The sum along an axis, which is kept."""
    return total_like(numbers, (axis % numbers.ndim,), keepdims=True)


def softmax_of(data: Array, axis: int, temperature: float | None = None) -> Array:
    """Exponentials of the numbers, scaled so that they sum to one along the axis."""
    numbers = _shifted(data, axis, temperature)
    np.exp(numbers, out=numbers)
    numbers /= _sum(numbers, axis)
    return numbers


def _softmax_within(data: Array, length: Array, axis: int, temperature: float | None) -> Array:
    """Softmax over the first `length` numbers along the axis; zero after them."""
    positions = np.arange(data.shape[axis]).reshape(
        [-1 if i == axis % data.ndim else 1 for i in range(data.ndim)]
    )
    within = positions < np.expand_dims(length, axis)
    numbers = wide(data) / (1 if temperature is None else temperature)
    numbers = numbers - numbers.max(axis=axis, keepdims=True, where=within, initial=-np.inf)
    shares: Array = np.exp(numbers, where=within, out=np.zeros_like(numbers))
    np.divide(shares, _sum(shares, axis), where=within, out=shares)
    return shares


@operator("softmax", "_npx_softmax", absent=lambda n: () if n.use_length else ("length",))
def softmax(
    data: Array,
    length: Array | None = None,
    *,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DType | None = None,
    use_length: bool | None = False,
) -> Any:
    """Exponentials of the numbers, scaled so that they sum to one along an axis.

    Parameters
    ----------
    data : array
        Any shape, floating-point.
    length : array of int32 or int64, of data's shape without `axis`, optional
        The number of elements along the axis that take part; the others become zero. Only with
        ``use_length=True``.
    axis : int, default -1
        The axis along which the results sum to one.
    temperature : float, optional
        Divides the numbers first; the higher, the more even the result.
    dtype : dtype, optional
        The dtype of the result; by default that of `data`.
    use_length : bool, default False
        Whether `length` is given.
    """
    if length is not None:
        return _softmax_within(data, length, axis, temperature)
    return softmax_of(data, axis, temperature)


@operator("log_softmax", "_npx_log_softmax")
def log_softmax(
    data: Array,
    *,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DType | None = None,
    use_length: bool | None = False,
) -> Any:
    """The logarithm of `softmax`, computed without underflow of small probabilities.

    Parameters
    ----------
    data : array
        Any shape, floating-point.
    axis, temperature, dtype
        As for `softmax`.
    use_length : bool, default False
        Must be False: this operator takes no lengths.
    """
    numbers = _shifted(data, axis, temperature)
    numbers -= np.log(_sum(np.exp(numbers), axis))
    return numbers


@operator("softmin")
def softmin(
    data: Array,
    *,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DType | None = None,
    use_length: bool | None = False,
) -> Any:
    """The `softmax` of the negated numbers: the smallest number gets the largest share.

    Parameters
    ----------
    data : array
        Any shape, floating-point.
    axis, temperature, dtype
        As for `softmax`.
    use_length : bool, default False
        Must be False: this operator takes no lengths.
    """
    return softmax_of(-data, axis, temperature)


def _infer_shape(n: NodeView) -> None:
    both_ways(n, "data", "output")
    if n.use_length and "length" not in slots_of(n):
        raise InferenceError(f"{title_of(n)}: takes no lengths; softmax does")
    axis = axis_of(n.axis, len(n.data), title_of(n))
    if n.use_length:
        n.length = without(n.data, axis)


def _infer_dtype(n: NodeView) -> None:
    require_floating(n)
    length = peek(n, "length")
    if length is not None and length not in (np.int32, np.int64):
        raise InferenceError(f"{title_of(n)}: length must be int32 or int64, not {length.name}")
    if n.dtype is None:
        both_ways(n, "data", "output")
    else:
        if n.dtype.kind != "f":
            raise InferenceError(f"{title_of(n)}: the result cannot be {n.dtype.name}")
        n.output = n.dtype
    require_floating(n)


def _back(F: Any, n: NodeView, gradient: Any, factor: float) -> Any:
    """The gradient through the division by the temperature, in data's dtype."""
    if n.temperature is not None:
        factor /= n.temperature
    if factor != 1:
        gradient = gradient * factor
    return gradient if n.dtype is None else F._cast_like(gradient, n.data)


def _softmax_gradient(F: Any, n: NodeView, g: Any, factor: float = 1) -> Any:
    weighted = g * n.output
    total = F.sum(weighted, axis=n.axis, keepdims=True)
    return _back(F, n, weighted - F.broadcast_mul(n.output, total), factor)


def _log_softmax_gradient(F: Any, n: NodeView, g: Any) -> Any:
    total = F.sum(g, axis=n.axis, keepdims=True)
    return _back(F, n, g - F.broadcast_mul(F.exp(n.output), total), 1)


def _declare(op: Operator, gradient: Any) -> None:
    op.infer_shape(_infer_shape)
    op.infer_dtype(_infer_dtype)
    op.gradient(data=gradient)


_declare(softmax, _softmax_gradient)
_declare(softmin, lambda F, n, g: _softmax_gradient(F, n, g, factor=-1))
_declare(log_softmax, _log_softmax_gradient)


@operator("SoftmaxActivation", dtype=floating())
def softmax_activation(data: Array, *, mode: Literal["instance", "channel"] = "instance") -> Any:
    """Softmax along the last axis, or along the channels; superseded by `softmax`.

    Parameters
    ----------
    data : array of shape (batch, …)
        Floating-point.
    mode : {"instance", "channel"}, default "instance"
        ``channel`` normalizes along axis 1, ``instance`` along the last axis.
    """
    return softmax_of(data, _mode_axis(mode))


def _mode_axis(mode: str) -> int:
    return 1 if mode == "channel" else -1


@softmax_activation.infer_shape
def _(n: NodeView) -> None:
    both_ways(n, "data", "output")
    axis_of(_mode_axis(n.mode), len(n.data), title_of(n))


def _softmax_activation_gradient(F: Any, n: NodeView, g: Any) -> Any:
    weighted = g * n.output
    total = F.sum(weighted, axis=_mode_axis(n.mode), keepdims=True)
    return weighted - F.broadcast_mul(n.output, total)


softmax_activation.gradient(data=_softmax_activation_gradient)
