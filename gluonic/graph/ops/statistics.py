"""Indices of extremes, cumulative sums, moments, and sums of squares of many arrays."""

from math import prod
from typing import Any

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.attributes import Axes, DType
from gluonic.graph.axes import axis_of, product
from gluonic.graph.errors import InferenceError
from gluonic.graph.families import (
    index_of_extreme,
    numeric,
    reduced_axes,
    reduced_shape,
    reduction_shape,
    wide,
)
from gluonic.graph.operator import Array, operator
from gluonic.graph.rules import like, output_dtype, same
from gluonic.graph.summation import total, total_like
from gluonic.graph.view import NodeView, complete, peek, put, settings_of, slots_of, title_of

FLOAT32 = np.dtype(np.float32)


for _name in ("argmax", "argmin"):
    index_of_extreme(
        _name, "in the dtype of `data`", __name__, shape=reduction_shape, dtype=numeric
    )


@operator("argmax_channel", dtype=numeric)
def argmax_channel(data: Array) -> Any:
    """The index of the largest element along axis 1, in the dtype of `data`."""
    return data.argmax(axis=1)


@argmax_channel.infer_shape
def _(n: NodeView) -> None:
    axis_of(1, len(n.data), title_of(n))
    n.output = reduced_shape(n.data, (1,), False)


argmax_channel.gradient()


@operator("_np_cumsum", "cumsum")
def cumsum(a: Array, *, axis: int | None = None, dtype: DType | None = None) -> Any:
    """Cumulative sums.

    Parameters
    ----------
    a : any array
    axis : the axis to sum along; None means the flattened array
    dtype : the dtype of the sums and the output; by default that of `a` (int64 for bool)
    """
    return a.cumsum(axis=axis, dtype=dtype)


@cumsum.infer_shape
def _(n: Any) -> None:
    if n.axis is None:
        n.output = (product(n.a),)
    else:
        axis_of(n.axis, len(n.a), title_of(n))
        same(n)


@cumsum.infer_dtype
def _(n: Any) -> None:
    if n.dtype is not None:
        n.output = n.dtype
    elif peek(n, "a") is None or n.a.kind != "b":
        like("a")(n)
    else:
        n.output = np.dtype(np.int64)


@adjoint(cumsum, source="a")
def _cumsum_gradient(grad: Array, a: Array, *, axis: int | None, dtype: DType | None) -> Any:
    along = 0 if axis is None else axis
    return np.flip(np.flip(grad, along).cumsum(along), along).reshape(a.shape)


cumsum.gradient(
    a=lambda F, n, g: F._backward_np_cumsum(F._cast_like(g, n.a), n.a, axis=n.axis),
)


@operator("_square_sum", shape=reduction_shape, dtype=like("data"))
def square_sum(
    data: Array, *, axis: Axes = None, keepdims: bool = False, exclude: bool = False
) -> Any:
    """The sum of the squares over the given axes."""
    return total(data * data, reduced_axes(axis, data.ndim, exclude), keepdims)


@operator("_backward_square_sum", shape=like("data"), dtype=like("data"))
def backward_square_sum(
    grad: Array, data: Array, *, axis: Axes = None, keepdims: bool = False, exclude: bool = False
) -> Any:
    """The gradient of `_square_sum`."""
    kept = reduced_shape(data.shape, reduced_axes(axis, data.ndim, exclude), True)
    return data * grad.reshape(complete(kept)) * 2


square_sum.gradient(data=lambda F, n, g: F._backward_square_sum(g, n.data, **settings_of(n)))
backward_square_sum.gradient(
    grad=lambda F, n, g: F.reshape_like(F.sum(g * n.data * 2.0, **settings_of(n)), n.grad),
    data=lambda F, n, g: F._backward_sum(n.grad, n.data, **settings_of(n)) * g * 2.0,
)


@operator("moments", outputs=("mean", "var"), dtype=numeric)
def moments(data: Array, *, axes: Axes = None, keepdims: bool = False) -> tuple[Any, Any]:
    """The mean and the variance over the given axes; for integers, around the truncated mean.

    Parameters
    ----------
    data : any array
    axes : the axes to average over; None means all
    keepdims : whether these axes remain, with length one
    """
    over = reduced_axes(axes, data.ndim)
    numbers, count = wide(data), prod([data.shape[i] for i in over])
    mean = total_like(numbers, over, keepdims=True) / count
    centre = mean if data.dtype.kind == "f" else np.trunc(mean)
    var = total_like(np.square(numbers - centre), over, keepdims) / count
    return mean if keepdims else mean.squeeze(over), var


@moments.infer_shape
def _(n: Any) -> None:
    shape = reduced_shape(n.data, reduced_axes(n.axes, len(n.data), title=title_of(n)), n.keepdims)
    n.mean = n.var = shape


@moments.all_gradients
def _(F: Any, n: Any, heads: Any) -> dict[str, Any]:
    over = {"axis": n.axes, "keepdims": n.keepdims}
    mean, var = heads
    parts = []
    if mean is not None:
        parts.append(F._backward_mean(mean, n.data, **over))
    if var is not None:
        centred = n.data - F._backward_sum(n.mean, n.data, **over)
        parts.append(F._backward_mean(var * 2.0, n.data, **over) * centred)
    return {"data": F.add_n(*parts)}


def _require_floating(n: NodeView) -> None:
    """Refuse inputs that are known not to be floating."""
    for name, dtype in slots_of(n).items():
        if dtype is not None and dtype.kind != "f":
            raise InferenceError(f"{title_of(n)}: {name} must be floating, not {dtype.name}")


@operator("multi_sum_sq", count="num_arrays")
def multi_sum_sq(*data: Array, num_arrays: int) -> Array:
    """The sum of squares of each array, as a float32 array of shape (num_arrays,)."""
    return np.stack([np.sum(np.square(array, dtype=np.float32)) for array in data])


@multi_sum_sq.infer_shape
def _(n: Any) -> None:
    n.output = (n.num_arrays,)


@multi_sum_sq.infer_dtype
def _(n: Any) -> None:
    n.output = FLOAT32
    found = [dtype for dtype in n.data if dtype is not None]
    if found:
        n.data = found[:1] * n.num_arrays
    _require_floating(n)


@operator("all_finite", dtype=output_dtype(FLOAT32))
def all_finite(data: Array, *, init_output: bool = True) -> Any:
    """1 if no element is infinite or NaN, else 0, as a float32 array of shape (1,)."""
    return np.isfinite(data).all()


@operator("multi_all_finite", count="num_arrays", dtype=output_dtype(FLOAT32))
def multi_all_finite(*data: Array, num_arrays: int = 1, init_output: bool = True) -> Any:
    """1 if no element of any array is infinite or NaN, else 0, as a float32 array of shape (1,)."""
    return np.stack([np.isfinite(array).all() for array in data]).all()


def _one_number(n: Any) -> None:
    n.output = (1,)


all_finite.infer_shape(_one_number)
multi_all_finite.infer_shape(_one_number)


@operator("multi_lars", shape=same)
def multi_lars(
    lrs: Array,
    weights_sum_sq: Array,
    grads_sum_sq: Array,
    wds: Array,
    *,
    eta: float,
    eps: float,
    rescale_grad: float = 1.0,
) -> Any:
    """The learning rate of each layer by LARS, from the sums of squares of weights and gradients.

    It is ``lr * eta * |w| / (|g| * rescale_grad + wd * |w| + eps)``, and `lr` where a norm is 0
    (You et al., Large Batch Training of Convolutional Networks, 2017).
    """
    weight, grad = np.sqrt(weights_sum_sq), np.sqrt(grads_sum_sq)
    scaled = lrs * eta * weight / (grad * rescale_grad + wds * weight + eps)
    return np.where((weight > 0) & (grad > 0), scaled, lrs)


@operator("_contrib_allclose", dtype=output_dtype("uint8"))
def allclose(
    a: Array, b: Array, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = True
) -> Any:
    """1 if ``abs(a - b) <= atol + rtol * abs(b)`` everywhere, else 0, as a uint8 array without axes.

    With `equal_nan`, NaNs are equal to each other.
    """
    return np.allclose(a, b, rtol, atol, equal_nan)


@allclose.infer_shape
def _(n: Any) -> None:
    n.output = ()
    for source, target in (("a", "b"), ("b", "a")):
        if peek(n, source) is not None:
            put(n, target, peek(n, source))


allclose.gradient()
